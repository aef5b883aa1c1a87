"""What a query asks for beside its subject: a time, a number, somebody, a way of knowing, a mood, advice, what holds now.

Read from general English question words, calendar words and change verbs; other languages simply carry no cue. A cue never finds a memory, it only
shifts weights among memories that were found (see ranking). The effect of each is in the published ablation.
"""
from __future__ import annotations

import re
from typing import NamedTuple

from ..model import Affect
from .lazy import Lazy
from .stopwords import STOP
from .timewords import DAYS, MONTHS, window_of

_WHEN = Lazy(r"\b(?:when|(?:what|which) (?:day|date|time|week|month|year)s?|how long ago|since when)\b", re.IGNORECASE)
_NUMBER = Lazy(r"\bhow (?:many|much|often|long|old|big|large|far|tall|fast)\b"
                     r"|\b(?:what|which) (?:number|percentage|size|amount|age|version|port|limit)\b", re.IGNORECASE)
_LATEST = Lazy(r"\b(?:latest|most recent(?:ly)?|newest|last (?:change|time|one))\b", re.IGNORECASE)
_QUESTION = Lazy(r"^\W*(?:(?:and|so|ok|hey|please)\W+)?(?:at |in |on |for |to |by )?"
                       r"(?:what|which|who|whose|where|when|how|do|does|is|are|should)\b", re.IGNORECASE)
_PAST = Lazy(r"\b(?:did|was|were|had|between|passed|before|after|ever|order)\b", re.IGNORECASE)
_ADVICE = Lazy(
    r"\bhow (?:do|should|can|could|would|might) (?:i|we|you)\b"
    r"|\b(?:can|could|would|will) you (?:please )?(?:help|suggest|show|explain|recommend|write|give|create|add|implement|make|walk)\b"
    r"|\bwhat (?:\w+ )?(?:should (?:i|we)|would you|do you (?:think|suggest|recommend)|are some|options|steps|can i)\b|\bsuggest\b|\brecommend\b"
    r"|\bwhich \w+ (?:should|would)\b|\bwhere (?:do you think|should)\b|\b(?:may|should|can) i\b|\bwhat do i need\b"
    r"|\bi(?:'|\u2019)?m (?:looking|planning|trying|thinking)\b", re.IGNORECASE)
_LEAVE = Lazy(r"\b(?:may|can|should|must|shall) (?:i|we)\b"
                    r"|\b(?:is|are) .{1,40}\b(?:allowed|forbidden|permitted|ok(?:ay)?)\b|\bam i allowed\b", re.IGNORECASE)
_SAID = Lazy(r"\b(?:did|have|had|has) i\b|\bi (?:ever )?(?:said|mentioned|brought|told|asked|talked|described|discussed)\b|\bremind me\b"
                   r"|\border in which\b|\bwhat (?:did|have) we\b", re.IGNORECASE)
_MANNERS = (
    ("reflective", Lazy(r"\bwhy\b|\breason(?:s|ing)?\b|\brationale\b|\bmotivat", re.IGNORECASE)),
    ("episodic", Lazy(r"\bhappened\b|\bdid (?:something|anything|it) (?:break|fail|go wrong)\b|\bincident\b|\bwent wrong\b|\bbroke\b", re.IGNORECASE)),
    ("procedural", Lazy(r"\bhow (?:do|can|should|could|would) (?:i|we|you)\b|\bhow to\b|\bsteps\b|\bprocedure\b|\bwhat is the (?:command|way) to\b",
                              re.IGNORECASE)),
)
_ALARM = Lazy(r"\b(?:urgent|asap|emergency|incident|outage|down|crash(?:ed|es|ing)?|broken|broke|fail(?:s|ed|ing)?|failure|furious|angry|panic|help|"
                    r"blocked|stuck|dead|lost|corrupt(?:ed)?|leak(?:ed)?|breach|on fire|immediately)\b", re.IGNORECASE)
_CALM = Lazy(r"\b(?:design(?:ed|ing)?|architecture|strategy|structured?|approach|plan(?:ning)?|draft(?:ing)?|review(?:ing)?|consider(?:ing)?|thinking|"
                   r"meant to|supposed to|intended|trade-?off|next version|proposal)\b", re.IGNORECASE)
_SHOUT = Lazy(r"\b[A-Z]{4,}\b(?=[:!])|\b(?:URGENT|INCIDENT|OUTAGE|DOWN|PROD)\b")
_NAME = Lazy(r"[^\W\d_][\w'\u2019-]*")
_CALENDAR = frozenset({*MONTHS, *DAYS})
_SENTENCE_END = Lazy(r"[.!?]\s+$")
_CALM_STATE = Affect()
CRISIS = Affect(valence=-0.8, arousal=0.9, complexity=0.0)
DESIGN = Affect(valence=0.0, arousal=0.0, complexity=0.6)


class Query(NamedTuple):
    """A query as read. `affect` and `sectors` may be replaced by those of a judge or of the mechanisms; `terms` come from Keywords."""

    text: str
    terms: tuple[str, ...] = ()
    affect: Affect = _CALM_STATE
    sectors: tuple[float, ...] = ()  # weights for the published presets; empty = no preference
    window: tuple[float, float] | None = None  # [from, to) in seconds UTC, if the query names a time
    names: tuple[str, ...] = ()  # lower case: who or what is called by name
    manner: str = ""  # sector that answers such a question: procedural (how), reflective (why), episodic (what happened)
    charged: bool = False  # a crisis or a design talk: like mood recalls like
    asks_time: bool = False
    asks_number: bool = False
    asks_latest: bool = False
    asks_current: bool = False  # a value as it is now: what took its place counts, not what it was
    asks_leave: bool = False  # may I, is it allowed: decisions bind too
    asks_advice: bool = False  # somebody is about to act: standing instructions and preferences apply
    expected: float | None = None  # log-odds that notes answer such a question (see inquiry); None: not known


def names_in(text: str) -> tuple[str, ...]:
    """Capitalised words that do not merely begin a sentence; no calendar words."""
    found = []
    for hit in _NAME.finditer(text):
        word = re.sub(r"['\u2019]s?$", "", hit.group())
        opening = hit.start() == 0 or _SENTENCE_END.search(text[: hit.start()])
        if len(word) > 1 and word[0].isupper() and not opening and word.lower() not in STOP | _CALENDAR:
            found.append(word.lower())
    return tuple(dict.fromkeys(found))


def mood_of(text: str) -> Affect | None:
    """The state that a query is written in, None for an ordinary one: words of alarm, shouting and exclamation marks against words of design."""
    alarm = 0.22 * len(_ALARM.findall(text)) + 0.12 * min(3, text.count("!")) + (0.25 if _SHOUT.search(text) else 0.0)
    if _CALM.search(text) and alarm < 0.6:  # one word of alarm in a design talk is its subject
        return DESIGN
    return CRISIS if alarm >= 0.3 else None


def manner_of(text: str) -> str:
    return next((sector for sector, cue in _MANNERS if cue.search(text)), "")


def read(text: str, as_of: float, *, terms: tuple[str, ...] = (), sectors: tuple[float, ...] = ()) -> Query:
    """Everything a query says about the answer it wants, seen from the moment `as_of`."""
    window = window_of(text, as_of)
    mood = mood_of(text)
    return Query(
        text=text, terms=terms, affect=mood or _CALM_STATE, sectors=sectors, window=window, names=names_in(text), manner=manner_of(text),
        charged=mood is not None, asks_time=bool(_WHEN.search(text)), asks_number=bool(_NUMBER.search(text)), asks_latest=bool(_LATEST.search(text)),
        asks_current=window is None and bool(_QUESTION.search(text)) and not _PAST.search(text),
        asks_leave=bool(_LEAVE.search(text)),
        asks_advice=bool(_ADVICE.search(text)) and not _SAID.search(text))
