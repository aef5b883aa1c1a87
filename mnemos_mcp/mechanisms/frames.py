"""The same frame with another value: 'the linter is pylint' and 'the linter is now ruff', 'Bob is the new release manager', 'the wiki moved to Notion'.

Two short clauses are held against each other word by word. Where everything is the same but the place of the value, and the newer one says that this
is how it is now, or names the older value as left, the older stopped being true. What may be true beside it is left alone: another preposition, another
kind of thing, a state ('the queue is now full'), an additional value, a plan, a narrower case. Words in frames are folded, stemmed, without articles.
"""

# No `from __future__ import annotations` on this page: a named tuple compiles each annotation that is a string, and a start of a session pays for it.
import re
from functools import lru_cache
from typing import NamedTuple

from .frame_events import framed, gone, happened, moved, stopped, succeeded
from .frame_values import NUMBER, Value, became, kind_of_value, named, names_it, one_type, plain, state, timed, words_of
from .frame_words import (
    ADDS,
    AT,
    BLAND,
    CONTRAST,
    COPULA,
    FLEETING,
    GERMAN,
    KEPT,
    LINKS,
    MARK,
    MOVES,
    OPENING,
    PASSING,
    PREFERRED,
    PREFERS,
    PREPOSITIONS,
    SEVERAL,
    SEVERAL_AT_ONCE,
    STATES,
)
from .lazy import Lazy
from .phrases import CONDITION, INTENT
from .wording import STOP, is_question, opposed, sentences

MAX_CLAUSE = 160  # characters; a longer clause says more than one value
MAX_SUBJECT = 3  # words; a longer subject tells of a case
_COMMA = Lazy(r"(?:[,:;，：；。]|\s[-–—])\s+")
_ROLE_IN = Lazy(r"\b(?:is|are|ist|sind|est|sont|es|son)\s+(?:the|an?|our|der|die|das|eine?|unser|unsere|le|la|une?|notre|el|los|las|un[oa]s?|nuestr[oa])\s", re.IGNORECASE)


class News(NamedTuple):
    """One clause that tells a value as new: the words to be compared, and the value it calls left ('' = not said)."""

    clause: str
    left: str = ""
    marked: bool = False


def successor(newer: str, old: str) -> str:
    """Why the statement `old` stopped being true by `newer`, or ''."""
    news_of = heard(newer)
    if not news_of or len(old) > 2 * MAX_CLAUSE or is_question(old):
        return ""
    for news in news_of:
        for clause in _clauses(old):
            if reason := _aligned(news, clause) or moved(news.clause, clause) or succeeded(news.clause, clause) or stopped(news.clause, clause) or gone(news.clause, clause):
                return reason
    return ""


@lru_cache(maxsize=256)
def heard(newer: str) -> tuple[News, ...]:
    """What a text tells as new. Most texts tell nothing so, and are not held against each of the memories that are near."""
    if len(newer) > 10 * MAX_CLAUSE:
        return ()
    return tuple(news for statement in sentences(newer) for news in told(statement) if news.marked or news.left or happened(news.clause))


def another_value(newer: str, old: str) -> bool:
    """Both tell a value of one subject, in one frame and not the same: one of the two is out of date, and neither says which."""
    said = _asserted(newer)
    return bool(said) and any(_aligned(News(clause, marked=True), before) for before in _clauses(old) for clause in said)


@lru_cache(maxsize=64)
def _asserted(text: str) -> tuple[str, ...]:
    """The clauses of a short text that says how it is, not how it may be, nor what comes beside."""
    open_ = len(text) > MAX_CLAUSE or is_question(text) or INTENT.search(text) or CONDITION.search(text) or ADDS.search(text)
    return () if open_ else _clauses(text)


def tells_value(text: str) -> bool:
    """One short clause that says which thing something is, or became, by its name or place: 'the queue is SQS', 'editor config is in .editorconfig'."""
    news = told(text) if len(text) <= MAX_CLAUSE and len(sentences(text)) == 1 else ()
    if len(news) != 1:
        return False
    clause = news[0].clause
    moves = [(words_of(met["s"]), words_of(met["b"]), False) for met in (move.fullmatch(clause.strip(" .!")) for move in MOVES) if met]
    states = [(words_of(clause)[:len(subject)], value, len(subject) > 1 and link[-1] in PREPOSITIONS)
              for subject, link, value in framed(clause) if set(link) & COPULA]
    return any(_lasting(subject) and plain(value) and (_by_name(value, clause) or (placed and not state(value, ["is"])))
               for subject, value, placed in moves or states)


def _by_name(value: Value, clause: str) -> bool:
    """A capital makes no name in German."""
    written = " ".join(written for _, written in value)
    return named(written.lower() if GERMAN.search(clause) else written)


def _lasting(subject: Value) -> bool:
    """A thing of the project by its name, not what work of the hour is about."""
    return (0 < len(subject) <= MAX_SUBJECT and subject[-1][0] not in PASSING
            and not any(word in FLEETING or word in STOP or word in SEVERAL for word, _ in subject))


@lru_cache(maxsize=256)
def told(statement: str) -> tuple[News, ...]:
    """The clauses of a statement with what each calls left; those that may be, are denied or add a value are none."""
    found: list[News] = []
    if len(statement) > 2 * MAX_CLAUSE or is_question(statement) or CONDITION.search(statement) or ADDS.search(statement):
        return ()
    contrast = CONTRAST.search(statement) or (PREFERRED.search(statement) if PREFERS.search(statement) else None)
    left = contrast["gone"].strip() if contrast else ""
    said = statement[:contrast.start()] + " " + statement[contrast.end():] if contrast else statement
    marked = False
    for clause in _COMMA.split(said):
        if INTENT.search(clause):
            continue
        if OPENING.fullmatch(clause.strip(" .!")):
            marked = True
            continue
        if clause.strip(" .!"):
            found.append(News(clause.strip(), left, marked or bool(MARK.search(clause))))
    return tuple(found)


@lru_cache(maxsize=1024)
def _clauses(text: str) -> tuple[str, ...]:
    """An older statement without what it denies; one of many clauses says more than a value."""
    clauses = [clause for clause in _COMMA.split(CONTRAST.sub(" ", text)) if clause.strip(" .!") and not OPENING.fullmatch(clause.strip(" .!"))]
    return tuple(clauses) if len(clauses) <= 2 and len(text) <= MAX_CLAUSE else ()


def _aligned(news: News, old: str) -> str:
    """Word for word the same, but for the value at one place behind a verb or preposition."""
    if not (news.marked or news.left):
        return ""
    new_words, old_words = words_of(news.clause), words_of(old)
    start = 0
    while start < min(len(new_words), len(old_words)) and new_words[start][0] == old_words[start][0]:
        start += 1
    end = 0
    while end < min(len(new_words), len(old_words)) - start and new_words[-1 - end][0] == old_words[-1 - end][0]:
        end += 1
    frame = [word for word, _ in (*new_words[:start], *new_words[len(new_words) - end:])]
    value, former = new_words[start:len(new_words) - end], old_words[start:len(old_words) - end]
    if not start or not _led(new_words[:start]) or not value or not former:
        return ""
    if frame[start - 1] in KEPT and value[0][0] in AT and former[0][0] in AT:  # stored on A, stored in B: where it is
        value, former = value[1:], former[1:]
    if frame[start - 1] in COPULA and not news.left and (_ROLE_IN.search(MARK.sub(" ", news.clause)) or _ROLE_IN.search(MARK.sub(" ", old))):
        return ""  # "Carol is the reviewer": somebody may be several things
    if news.left:
        return became(value, former) if names_it(news.left, former) and plain(value) else ""
    anchored = any(word not in STOP and word not in BLAND and word not in PREPOSITIONS for word in frame)
    return became(value, former) if _rivals(value, former, frame, start, anchored) else ""


def _led(before: Value) -> bool:
    """The value stands behind a verb: a copula, a preposition, a word of use, or the verb of 'we' and 'I'."""
    last = before[-1][0]
    return last in COPULA or last in LINKS or (last in PREPOSITIONS and len(before) > 1) or (len(before) > 1 and before[0][0] in SEVERAL)


def _rivals(value: Value, former: Value, frame: list[str], start: int, anchored: bool) -> bool:
    """Both are values of one type, so that only one of them can be it."""
    new, old = " ".join(word for _, word in value), " ".join(word for _, word in former)
    if not plain(value) or not plain(former) or not one_type(value, former):
        return False
    kinds, verb = (kind_of_value(new), kind_of_value(old)), frame[start - 1]
    counted = timed(value) or any(NUMBER.fullmatch(word) for word, _ in value)
    # "uses", "runs in", "is on" lead to many things: without a common row both may be so
    loose = set(frame[:start]) & BLAND - COPULA or (verb not in COPULA and verb not in PREPOSITIONS and verb not in LINKS) \
        or (verb in PREPOSITIONS and frame[start - 2] in COPULA and any(kinds))
    if not anchored or (any(kinds) and kinds[0] != kinds[1] and (all(kinds) or loose)) or (loose and not counted):
        return bool(kinds[0] and kinds[0] == kinds[1])
    if set(frame) & SEVERAL_AT_ONCE:
        return False
    if verb in COPULA and not opposed(new, old):
        return not state(value, frame) and not state(former, frame)
    passing = any(word in STATES or written.casefold() in STATES for word, written in value)
    return counted or (not passing and (named(new) or not named(old)))  # a thing after a name may be of another type
