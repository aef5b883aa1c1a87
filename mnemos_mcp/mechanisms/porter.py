"""Stem of an English word: M. F. Porter, "An algorithm for suffix stripping", Program 14(3), 1980, as the FTS5 `porter` tokenizer does it.

Written out here because mechanisms know no SQLite driver and because queries and memories must be cut by the same hand.
"""
from __future__ import annotations

from functools import lru_cache

from .lazy import Lazy

_STEP2 = {"ational": "ate", "tional": "tion", "enci": "ence", "anci": "ance", "izer": "ize", "logi": "log", "bli": "ble",
          "alli": "al", "entli": "ent", "eli": "e", "ousli": "ous", "ization": "ize", "ation": "ate", "ator": "ate",
          "alism": "al", "iveness": "ive", "fulness": "ful", "ousness": "ous", "aliti": "al", "iviti": "ive", "biliti": "ble"}
_STEP3 = {"icate": "ic", "ative": "", "alize": "al", "iciti": "ic", "ical": "ic", "ful": "", "ness": ""}
_STEP4 = dict.fromkeys(("al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ou", "ism", "ate", "iti", "ous", "ive", "ize", "ion"), "")
_LONGEST = 7  # letters of a suffix
_RUNS = Lazy(r"v+c+")


_LETTERS = {ord(letter): "v" if letter in "aeiou" else "c" for letter in "abcdefghijklmnopqrstuvwxyz"}


def _shape(word: str) -> str:
    """'c' and 'v' for every letter; y is a vowel after a consonant."""
    shape = word.translate(_LETTERS)
    if "y" in word[1:]:
        for i, letter in enumerate(word):
            if letter == "y" and i and shape[i - 1] == "c":
                shape = f"{shape[:i]}v{shape[i + 1:]}"
    return shape


def _measure(stem: str) -> int:
    return len(_RUNS.findall(_shape(stem)))


def _ends_cvc(stem: str) -> bool:
    return _shape(stem)[-3:] == "cvc" and stem[-1] not in "wxy"


def _plural(word: str) -> str:
    if word.endswith(("sses", "ies")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _past(word: str) -> str:
    """-eed, -ed and -ing, with the repair of what they leave behind."""
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    for suffix in ("ed", "ing"):
        if word.endswith(suffix) and "v" in _shape(word[: -len(suffix)]):
            stem = word[: -len(suffix)]
            if stem.endswith(("at", "bl", "iz")):
                return stem + "e"
            if len(stem) > 1 and stem[-1] == stem[-2] and _shape(stem)[-1] == "c" and stem[-1] not in "lsz":
                return stem[:-1]
            return stem + "e" if _measure(stem) == 1 and _ends_cvc(stem) else stem
    return word


def _suffix(word: str, table: dict[str, str]) -> str:
    """The longest listed suffix, or ''."""
    return next((word[-size:] for size in range(min(_LONGEST, len(word)), 1, -1) if word[-size:] in table), "")


def _swap(word: str, table: dict[str, str]) -> str:
    """Replace the longest listed suffix if something is left before it."""
    suffix = _suffix(word, table)
    if not suffix:
        return word
    stem = word[: -len(suffix)]
    return stem + table[suffix] if _measure(stem) > 0 else word


def _strip(word: str) -> str:
    suffix = _suffix(word, _STEP4)
    if not suffix:
        return word
    stem = word[: -len(suffix)]
    return stem if _measure(stem) > 1 and (suffix != "ion" or stem.endswith(("s", "t"))) else word


def _tidy(word: str) -> str:
    if word.endswith("e"):
        measure = _measure(word[:-1])
        if measure > 1 or (measure == 1 and not _ends_cvc(word[:-1])):
            word = word[:-1]
    return word[:-1] if word.endswith("ll") and _measure(word) > 1 else word


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """Stem of a lower-case ASCII word; words of one or two letters and anything else come back as they are."""
    if len(word) < 3 or not (word.isascii() and word.isalpha()):
        return word
    word = _past(_plural(word))
    if word.endswith("y") and "v" in _shape(word[:-1]):
        word = word[:-1] + "i"
    return _tidy(_strip(_swap(_swap(word, _STEP2), _STEP3)))
