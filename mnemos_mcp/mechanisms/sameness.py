"""Whether two texts are one fact in two wordings. Numbers, names, versions and negations that differ make two facts, however alike they look."""
from __future__ import annotations

from .instead import turned_down
from .quantities import counts_differ
from .wording import contains, content, fold, names, negations, opposed, swapped, text_hash, tokens

__all__ = ["differing", "fuller", "same_words", "text_hash"]


def differing(a: str, b: str) -> bool:
    """A number, name, version, negation or opposite differs, or one turns down what the other holds. A name on one side only is more detail, no difference."""
    if counts_differ(a, b) or negations(a) != negations(b) or opposed(a, b) or turned_down(a, b):
        return True
    words = [frozenset(content(text)) | frozenset(token.casefold() for token in tokens(text)) for text in (a, b)]
    own = [[name for name in names(text) if name not in words[1 - i] and name not in fold((b, a)[i])] for i, text in enumerate((a, b))]
    return bool(own[0] and own[1])


def same_words(a: str, b: str) -> bool:
    """The same words in the same order, whatever stands between them."""
    first, second = ([token.casefold() for token in tokens(text)] for text in (a, b))
    return bool(first) and first == second


def fuller(a: str, b: str) -> str | None:
    """The wording that drops no content word of the other, `a` when both hold the same; None when neither does or the order of words tells another fact."""
    if swapped(a, b):
        return None
    if contains(a, b):
        return a
    return b if contains(b, a) else None
