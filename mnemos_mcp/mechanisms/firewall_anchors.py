"""Patterns tried only where they can begin. A plain search for a word is fifty times as fast as a pattern tried at every character."""
from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from mnemos_mcp.mechanisms.lazy import Lazy


def lowered(text: str) -> str:
    """`text` in small letters, as long as it was."""
    return text.replace("\u0130", "I").lower()  # the one letter whose lower case is longer


def folded(low: str) -> str:
    """`low` as a pattern that overlooks case reads it: to such a pattern these two are an i and an s as well."""
    return low if low.isascii() else low.replace("\u0131", "i").replace("\u017f", "s")


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


class Led:
    """A pattern of which each match begins with one of `words`: these as they stand, in small letters when it overlooks case."""

    __slots__ = ("pattern", "words")

    def __init__(self, words: str, pattern: str, flags: int = 0):
        self.words, self.pattern = tuple(words.split("|")), Lazy(pattern, flags)

    def finditer(self, text: str, plain: str | None = None) -> Iterator[re.Match[str]]:
        """What the pattern's own finditer yields. `plain` is the folded text when the pattern overlooks case."""
        return tried(self.pattern, places(text if plain is None else plain, self.words), text)


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
