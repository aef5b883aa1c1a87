"""What the text of a memory does, as far as a query can ask for it: it tells a time or a number, names somebody, asks, or puts a new value in place."""
from __future__ import annotations

import re
from functools import lru_cache

from .lazy import Lazy
from .timewords import NUMBER_WORDS, TIME_WORDS

# English verbs by which one value takes the place of another (the FrameNet frames Cause_change, Cause_change_of_position_on_a_scale, Replacing and
# Change_event_time give the classes), and the adverbs that go with them. "Instead of" and "rather than" are no such sign: they give reasons.
_CHANGED = Lazy(
    r"\b(?:(?:increas|decreas|rais|reduc|lower|shorten|lengthen|extend|expand|reschedul|postpon|delay|updat|upgrad|downgrad|chang|switch|mov|migrat|replac|swapp"
    r"|convert|renam|revis|adjust|shift|bump|dropp|remov|retir|deprecat|improv|boost|doubl|halv|trimm|slash|scal|push|reach|climb)ed|grown|risen|fallen"
    r"|brought forward|rose|fell|grew|cut|went (?:up|down)|moving|replaces|supersedes|no longer|not any ?more|any ?more|(?:is|are) gone|used to|from now on"
    r"|as of (?:now|today)|now|newly|latest|current(?:ly)?|in place of|new (?:deadline|date|time|limit|value|version|total|target|goal|rate|budget|plan"
    r"|schedule|default))\b", re.IGNORECASE)
_INSTRUCTS = Lazy(r"(?:please |also |and )?(?:always|never|from now on|whenever|every time|do not|don't|make sure (?:to|you) always)\b", re.IGNORECASE)
_PREFERS = Lazy(r"\bI(?:'d| would)? (?:(?:really|always|much|usually|generally|strongly) )?(?:prefer|like to|want you to|hate|dislike|prioriti[sz]e)\b"
                      r"|\bmy preference\b", re.IGNORECASE)
_SPEAKER = Lazy(r"^[^\W\d_][\w .-]{0,30}: ")


_REMEMBERED = 8_192  # texts: the same memories come up again and again, and what a text does never changes
_READ = 2_000  # characters: what a memory does it does at its beginning; a pasted file behind it must not cost time


def body(text: str) -> str:
    """The beginning, without the 'speaker: ' in front: a turn's speaker is not what it says."""
    return _SPEAKER.sub("", text[:_READ], count=1)


@lru_cache(maxsize=_REMEMBERED)
def tells_time(text: str) -> bool:
    return TIME_WORDS.search(body(text)) is not None


@lru_cache(maxsize=_REMEMBERED)
def tells_number(text: str) -> bool:
    return NUMBER_WORDS.search(body(text)) is not None


@lru_cache(maxsize=_REMEMBERED)
def marks_change(text: str) -> bool:
    return _CHANGED.search(text[:_READ]) is not None


@lru_cache(maxsize=_REMEMBERED)
def standing(text: str) -> str:
    """'instruction' or 'preference' if the wording is plainly one, whatever kind the memory was given; else ''."""
    said = body(text)
    return "instruction" if _INSTRUCTS.match(said) else "preference" if _PREFERS.search(said) else ""


@lru_cache(maxsize=_REMEMBERED)
def asks(text: str) -> bool:
    """Ends as a question: what comes next may answer it. Text in brackets behind it is an aside."""
    said = text.rstrip()
    if said.endswith("]"):
        said = said[: said.rfind("[")].rstrip() if "[" in said else said
    return said.endswith(("?", "\uff1f"))


def share_named(text: str, names: tuple[str, ...]) -> float:
    """Share of `names` (lower case) that stand in the text, the speaker included, 0..1."""
    if not names:
        return 0.0
    lowered = text[:_READ].lower()
    return sum(name in lowered and re.search(rf"\b{re.escape(name)}\b", lowered) is not None for name in names) / len(names)
