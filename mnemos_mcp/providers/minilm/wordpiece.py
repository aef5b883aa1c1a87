"""BERT's uncased tokenizer, of the standard library alone.

Same ids as the `tokenizers` package with this model's tokenizer.json (BertNormalizer, BertPreTokenizer, WordPiece) on ordinary
text: control characters go, accents go, letters become small, each CJK character and each punctuation mark is a word.
"""

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

UNKNOWN, START, END = 100, 101, 102
WORD_CHARACTERS = 100  # longer words are unknown, as upstream
CJK = ((0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F), (0x2B740, 0x2B81F), (0x2B820, 0x2CEAF),
       (0xF900, 0xFAFF), (0x2F800, 0x2FA1F))
# What str.split takes for a space but BERT removes as a control character must not end a word here.
BETWEEN_SPACES = re.compile(r"(?:\S|[\x0b\x0c\x1c-\x1f\x85])+")


class Characters(dict[int, str]):
    """Code point -> what BERT reads, with spaces around what stands alone. Filled as characters turn up."""

    def __missing__(self, code: int) -> str:
        self[code] = read = self.read(chr(code))
        return read

    @staticmethod
    def read(character: str) -> str:
        """One character cleaned, unaccented, lowered and, where BERT splits, set off by spaces."""
        if character in " \t\n\r":
            return " "
        category = unicodedata.category(character)
        if category in ("Cc", "Cf", "Cs", "Co") or character == "\ufffd":
            return ""
        if category[0] == "Z":
            return " "
        bare = [part for part in unicodedata.normalize("NFD", character) if unicodedata.category(part) != "Mn"]
        text = "".join(f" {part} " if punctuation(part) else part.lower() for part in bare)
        ideograph = any(first <= ord(character) <= last for first, last in CJK)
        return f" {text} " if ideograph else text


def punctuation(character: str) -> bool:
    """BERT's idea of it: every ASCII character that is no letter, digit or space, and Unicode's own."""
    if character.isascii():
        return character.isprintable() and not character.isalnum() and character != " "
    return unicodedata.category(character)[0] == "P"


class WordPiece:
    """Text -> ids of the vocabulary, without the marks for start and end."""

    def __init__(self, vocabulary: "str | Path"):
        """`vocabulary`: one piece a line, its line number is its id."""
        with open(vocabulary, encoding="utf-8") as file:
            pieces = file.read().rstrip("\n").split("\n")
        self.ids = dict(zip(pieces, range(len(pieces)), strict=True))
        self.longest = max(map(len, self.ids))
        self.characters = Characters()
        # Texts repeat their words; 4,096 of them cost under 1 MB and save most of the search.
        self.word = lru_cache(4096)(self._word)

    def _word(self, word: str) -> tuple[int, ...]:
        """Longest pieces first from the left; a word that does not come out even is unknown as a whole."""
        if len(word) > WORD_CHARACTERS:
            return (UNKNOWN,)
        found, start, mark = [], 0, ""
        while start < len(word):
            for end in range(min(len(word), start + self.longest), start, -1):
                number = self.ids.get(mark + word[start:end])
                if number is not None:
                    break
            else:
                return (UNKNOWN,)
            found.append(number)
            start, mark = end, "##"
        return tuple(found)

    def words(self, text: str) -> list[str]:
        """What BERT takes for words."""
        return text.translate(self.characters).split()

    def encode(self, text: str, limit: int) -> list[int]:
        """At most `limit` ids."""
        ids: list[int] = []
        for word in self.words(text):
            ids += self.word(word)
            if len(ids) >= limit:
                break
        return ids[:limit]

    def count(self, text: str) -> int:
        """Number of ids of the whole text."""
        return sum(len(self.word(word)) for word in self.words(text))

    def atoms(self, text: str, limit: int) -> Iterator[tuple[int, int, int]]:
        """(first, last, ids) of the pieces a window may not cut: what stands between spaces, or, where that alone has more
        than `limit` ids, single words. No atom has more than 100 ids then: a longer word is one unknown."""
        for match in BETWEEN_SPACES.finditer(text):
            ids = self.count(match[0])
            if ids <= limit:
                yield match.start(), match.end(), ids
            else:
                yield from self._pieces(text, *match.span())

    def _pieces(self, text: str, first: int, last: int) -> Iterator[tuple[int, int, int]]:
        start = first
        for position in range(first, last):
            if " " in self.characters[ord(text[position])]:
                if start < position:
                    yield start, position, self.count(text[start:position])
                yield position, position + 1, self.count(text[position])
                start = position + 1
        if start < last:
            yield start, last, self.count(text[start:last])

    def windows(self, text: str, limit: int) -> list[str]:
        """Cuts of the text in order, each of at most `limit` (at least 100) ids, ending with a sentence where one ends in the
        second half. Nothing but space between them is left out; a text that fits is returned as it is."""
        atoms = list(self.atoms(text, limit))
        if sum(ids for _, _, ids in atoms) <= limit:
            return [text]
        found, begin = [], 0
        while begin < len(atoms):
            end = self._end(text, atoms, begin, limit)
            found.append(text[atoms[begin][0] : atoms[end - 1][1]])
            begin = end
        return found

    @staticmethod
    def _end(text: str, atoms: list[tuple[int, int, int]], begin: int, limit: int) -> int:
        """Index after the last atom of the window that starts with `begin`."""
        filled, end, sentence = 0, begin, begin
        while end < len(atoms) and (end == begin or filled + atoms[end][2] <= limit):
            first, last, ids = atoms[end]
            filled, end = filled + ids, end + 1
            if filled > limit / 2 and (text[first:last].rstrip("\"')]*`")[-1:] in set(".!?。！？") or text[last : last + 1] == "\n"):
                sentence = end
        return sentence if sentence > begin and end < len(atoms) else end
