"""What 'instead of' and its kin tell of two texts: the value behind it is the one that was left."""

from __future__ import annotations

import re

from .lazy import Lazy
from .wording import content, content_set

_INSTEAD = Lazy(r"\b(?:instead of|rather than|in place of|anstelle von|anstatt|statt|au lieu de|plutôt que|en lugar de|en vez de)\b|\bau lieu d['’]", re.IGNORECASE)
_REACH = 60  # characters behind the phrase in which its value begins


def turned_down(text: str, other: str) -> bool:
    """One text turns down what the other holds: 'on Tuesdays instead of Fridays' against 'on Fridays'."""
    first, second = _left(text), _left(other)
    return bool((first - second) & content_set(other) or (second - first) & content_set(text))


def in_its_place(statement: str, gone: str, old: str) -> bool:
    """The older text is this statement with the value that was left where the new one stands, and says nothing besides."""
    left, held, said = content_set(gone), content_set(old), content_set(_INSTEAD.sub(" ", statement))
    return bool(left) and left <= held and bool(held - left) and held - left <= said and 0 < len(said - held) <= len(left)


def _left(text: str) -> frozenset[str]:
    """The first word of substance behind every such phrase."""
    return frozenset(word for match in _INSTEAD.finditer(text) for word in content(text[match.end():match.end() + _REACH])[:1])
