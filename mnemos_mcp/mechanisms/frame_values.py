"""The value of a short statement: which words it has, of what type it is, and whether two of them exclude each other. Words are folded, stemmed, without articles."""

from __future__ import annotations

import re
from functools import lru_cache

from .frame_words import ARTICLES, COMPOUNDS, ENGLISH, MARK, PREPOSITIONS, STATE_ENDING, STATES, TAIL, TIMES
from .lazy import Lazy
from .quantities import NUMBER_WORDS
from .rivals import KIND, kind_of
from .wording import DATES, NEGATORS, STOP, names, stem, tokens

MAX_VALUE = 4  # words
NUMBER = Lazy(r"v?\d+(?:[.,:/-]\d+)*(?:st|nd|rd|th|am|pm|%|[smhd]|ms)?\.?")
Value = tuple[tuple[str, str], ...]  # (compared, as written) of each word


@lru_cache(maxsize=1024)
def words_of(text: str) -> Value:
    """(compared, as written) of every word but articles and marks of time."""
    said = TAIL.sub("", MARK.sub(" ", text).strip(" .!"))
    return tuple((stem(word.casefold()), word) for word in tokens(said) if word.casefold() not in ARTICLES)


def plain(value: Value) -> bool:
    """A value and nothing that narrows it."""
    if any(re.search(r"['’]s?$", written) for _, written in value):
        return False  # "Carol's" tells whose it is
    words = [written.casefold() for _, written in value if not written[0].isupper()]  # Go is a name, go is none
    return 0 < len(value) <= MAX_VALUE and not any(word in STOP or word in PREPOSITIONS or word in NEGATORS for word in words)


def one_type(value: Value, former: Value) -> bool:
    """Numbers with numbers of the same label, days with days, names with names."""
    numbered = [[word for word, _ in side if NUMBER.fullmatch(word) or word in NUMBER_WORDS] for side in (value, former)]
    labels = [{word for word, _ in side if not NUMBER.fullmatch(word) and word not in NUMBER_WORDS} for side in (value, former)]
    if any(numbered):
        bare = not labels[0] or not labels[1]
        return all(numbered) and (labels[0] == labels[1] or bare)
    return timed(value) == timed(former)


def timed(value: Value) -> bool:
    return any(word in TIMES or written.casefold() in DATES or word in DATES for word, written in value)


def named(value: str) -> bool:
    return bool(names(f"x {value}")) or bool(re.match(r"\.[a-z]", value))  # .editorconfig


def kind_of_value(value: str) -> str:
    """The row of rivals in which the whole value stands."""
    return KIND.get(value.casefold(), "") or COMPOUNDS.get(value.casefold(), "") or ("" if " " in value else kind_of(value.casefold(), value))


def state(value: Value, frame: list[str]) -> bool:
    """An adjective or participle: how the thing is, not which it is. Outside English only names count as values."""
    if named(" ".join(written for _, written in value)):
        return False
    if not ENGLISH & set(frame):
        return not any(NUMBER.fullmatch(word) for word, _ in value)
    return any(written.casefold() in STATES or STATE_ENDING.search(written) for _, written in value) and not all(word in TIMES for word, _ in value)


def names_it(left: str, former: Value) -> bool:
    """What is called left is the former value, whole."""
    gone = {word for word, _ in words_of(left) if word not in PREPOSITIONS}
    return bool(gone) and gone == {word for word, _ in former}


def became(value: Value, former: Value) -> str:
    return f"{' '.join(word for _, word in former)} became {' '.join(word for _, word in value)}"
