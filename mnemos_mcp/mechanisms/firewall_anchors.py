"""Patterns tried only where they can begin. A plain search for a word is fifty times as fast as a pattern tried at every character."""
from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import islice

from mnemos_mcp.mechanisms.lazy import Lazy


def lowered(text: str) -> str:
    """`text` in small letters, as long as it was."""
    return text.replace("\u0130", "I").lower()  # the one letter whose lower case is longer


def folded(low: str) -> str:
    """`low` as a pattern that overlooks case reads it: to such a pattern these two are an i and an s as well."""
    return low if low.isascii() else low.replace("\u0131", "i").replace("\u017f", "s")


def narrowed(text: str) -> str:
    """`text` with "?" for what is not ASCII: a word of ASCII is found in it twice as fast."""
    return text if text.isascii() else text.encode("ascii", "replace").decode()


def places(text: str, words: Iterable[str]) -> list[int]:
    """Where any of `words` begins in `text`, in order."""
    found: set[int] = set()
    for word in words:
        at = text.find(word)
        while at >= 0:
            found.add(at)
            at = text.find(word, at + 1)
    return sorted(found)


def tried(pattern: Lazy, starts: Iterable[int], text: str) -> Iterator[re.Match[str]]:
    """What pattern.finditer(text) yields, when no match begins elsewhere than at `starts` (in order) and none is empty."""
    end = 0
    for at in starts:
        if at >= end and (match := pattern.match(text, at)):
            end = match.end()
            yield match


def _many(text: str) -> int:
    return len(text) // 16 + 4


def few(starts: Iterable[int], text: str) -> list[int]:
    """`starts`, or the first of them, as many as make trying each dearer than searching."""
    return list(islice(starts, _many(text)))


def tried_if_few(pattern: Lazy, starts: Iterable[int], text: str) -> Iterator[re.Match[str]]:
    """The same as tried, by a plain search where `starts` are nearly everywhere."""
    chosen = few(starts, text)
    return tried(pattern, chosen, text) if len(chosen) < _many(text) else pattern.finditer(text)


class Led:
    """A pattern of which each match begins with one of `words`: these as they stand, in small letters when it overlooks case."""

    __slots__ = ("pattern", "words")

    def __init__(self, words: str, pattern: str, flags: int = 0):
        self.words, self.pattern = tuple(words.split("|")), Lazy(pattern, flags)

    def finditer(self, text: str, plain: str | None = None) -> Iterator[re.Match[str]]:
        """What the pattern's own finditer yields. The words are looked for in `plain`: the narrowed text, folded when the pattern overlooks case."""
        return tried(self.pattern, places(text if plain is None else plain, self.words), text)


def runs(text: str, signs: str, least: int) -> Iterator[tuple[int, str]]:
    """The stretches of `text` that are of ASCII letters, digits and these signs alone, of `least` or more characters: where each begins, and it."""
    marks, run = text.encode("ascii", "replace").translate(_marks(signs)) + b" ", b"a" * least
    at = marks.find(run)
    while at >= 0:
        end = marks.find(b" ", at)
        yield at, text[at:end]
        at = marks.find(run, end)


@cache
def _marks(signs: str) -> bytes:
    """A table for bytes.translate: letters, digits and these signs become an a, all else a blank."""
    return bytes(97 if chr(code) in signs or (code < 128 and chr(code).isalnum()) else 32 for code in range(256))


def lines_with(sign: Lazy, text: str) -> str:
    """The lines of `text` in which `sign` is found, joined."""
    kept, done = [], 0
    for match in sign.finditer(text):
        if match.start() >= done:
            end = text.find("\n", match.end())
            end = len(text) if end < 0 else end
            kept.append(text[text.rfind("\n", done, match.start()) + 1 or done:end])
            done = end
    return "\n".join(kept)
