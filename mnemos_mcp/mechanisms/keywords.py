"""Keywords: the tokens by which a memory is found, and what a match in them is worth (BM25).

Text and query pass through the same hand: Unicode folded, identifiers kept whole and taken apart, English stemmed, scripts without spaces cut into
pairs of characters. A token holds only letters and digits, so that any tokenizer in the store keeps it together.
"""
from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from math import log

from .lazy import Lazy
from .porter import stem
from .stopwords import LIGHT, STOP

# Scripts written without spaces: Thai, Lao, Khmer, kana, Han, Hangul (where a particle clings to the noun).
_DENSE = r"\u0e00-\u0eff\u1780-\u17ff\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\U00020000-\U0003ffff"
_DENSE_RUN = Lazy(f"[{_DENSE}]+")
# Names of languages and platforms whose sign is part of the name.
_SIGNED = (("c++", "cplusplus"), ("c#", "csharp"), ("f#", "fsharp"), (".net", "dotnet"))
_SIGNED_NAME = Lazy(r"(?<!\w)(?:c\+\+|[cf]\#|\.net)(?!\w)", re.IGNORECASE)
# Something glued together by what a programmer glues with: paths, flags, snake_case, dotted and dashed names, versions, apostrophes.
_CHUNK = Lazy(r"[\w][\w./:\\@+-]*[\w]|\w")
_PIECE = Lazy(r"[^\W_]+")
_HUMPS = Lazy(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_DIGITS_DOT = Lazy(r"(?<=\d)[.](?=\d)")


def _fold(text: str) -> str:
    """Compatibility forms made one, accents off where they are marks on a Latin, Greek or Cyrillic letter; case is kept for the humps."""
    text = unicodedata.normalize("NFKC", text)
    if text.isascii():
        return text
    apart = unicodedata.normalize("NFD", text)
    bare = "".join(c for c in apart if not (unicodedata.category(c) == "Mn" and ord(c) < 0x370))
    return unicodedata.normalize("NFC", bare)


@lru_cache(maxsize=1)
def _light() -> frozenset[str]:
    return frozenset(stem(word) for word in LIGHT)


def _dense(run: str, *, whole: bool) -> Iterator[str]:
    """Pairs of characters; single ones too for the index, and for a query of one."""
    if whole or len(run) == 1:
        yield from run
    for i in range(len(run) - 1):
        yield run[i : i + 2]


def _chunk(chunk: str, *, whole: bool) -> Iterator[str]:
    """One glued thing: its pieces, their humps, and all of it as one token when it has more than one piece."""
    pieces = _PIECE.findall(chunk)
    for piece in pieces:
        at = 0
        for run in _DENSE_RUN.finditer(piece):
            yield from _word(piece[at : run.start()])
            yield from _dense(run.group(), whole=whole)
            at = run.end()
        yield from _word(piece[at:])
    if len(pieces) > 1 and chunk.isascii():
        versioned = _DIGITS_DOT.sub("p", chunk)
        yield stem("".join(_PIECE.findall(versioned)).lower())


def _word(piece: str) -> Iterator[str]:
    """A run of letters and digits, and the humps of a name in camelCase. A code in capitals (57P01) has none."""
    humps = _HUMPS.split(piece) if piece.upper() != piece else [piece]
    for word in [piece, *humps] if len(humps) > 1 else humps:
        word = word.casefold()
        if word and word not in STOP:
            yield stem(word)


@dataclass(frozen=True, slots=True)
class Keywords:
    """Tokens and BM25 (Robertson and Zaragoza 2009). Measured on LoCoMo and BEAM: short texts want little saturation and little length penalty."""

    k1: float = 0.9  # saturation of a repeated word, >= 0; 1.2 in the textbooks
    b: float = 0.4  # penalty for length, 0..1; .75 in the textbooks
    light: float = 0.5  # weight of a word of the LIGHT list, 0..1
    longest_token: int = 64  # characters; a longer run (a hash, base64) is cut

    def tokens(self, text: str, *, whole: bool = True) -> Iterator[str]:
        """Index tokens in order, stop words out. `whole` adds single characters of scripts without spaces."""
        text = _SIGNED_NAME.sub(lambda hit: f" {dict(_SIGNED)[hit.group().lower()]} ", _fold(text))
        for chunk in _CHUNK.findall(text.replace("'", " ").replace("\u2019", " ")):
            for token in _chunk(chunk, whole=whole):
                yield token[: self.longest_token]

    def index(self, text: str) -> str:
        """What the store keeps for a memory: its tokens, joined by spaces."""
        return " ".join(self.tokens(text))

    def terms(self, query: str) -> tuple[str, ...]:
        """What to look for: each token once, in order; of a query of nothing but stop words nothing."""
        return tuple(dict.fromkeys(self.tokens(query, whole=False)))

    def idf(self, df: int, n: int, term: str = "") -> float:
        """Rarity of a term that stands in `df` of `n` visible memories (the form that never turns negative); half of it for a light word."""
        rarity = log(1 + (n - df + 0.5) / (df + 0.5))
        return rarity * self.light if term in _light() else rarity

    def bm25(self, tf: float, length: float, mean_length: float, idf: float) -> float:
        """Worth of one term that stands `tf` times in a memory of `length` tokens."""
        norm = 1 - self.b + self.b * length / mean_length if mean_length > 0 else 1.0
        return idf * tf * (self.k1 + 1) / (tf + self.k1 * norm) if tf > 0 else 0.0

    @staticmethod
    def coverage(present: Iterable[str], rarity: dict[str, float]) -> float:
        """Share of the query's rarity that stands in a text, 0..1; a term that no memory has counts as missed."""
        total = sum(rarity.values())
        return sum(rarity.get(term, 0.0) for term in set(present)) / total if total > 0 else 0.0
