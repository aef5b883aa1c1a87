"""What counts as said: no quotation of mnemos' own output, no word of a model's own, and never more trust than the least trusted source."""
from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from ..model import ORIGINS, Origin
from .lazy import Lazy
from .quantities import numbers
from .rivals import KIND
from .wording import content_set, fold, names

_TAG = Lazy(r"<\s*(/?)\s*mnemos-recall\b[^>\n]*>?", re.IGNORECASE)


def strip_injected(text: str) -> str:
    """The text without the blocks that mnemos injected (`<mnemos-recall ...>` to `</mnemos-recall>`), nested or cut off at their end.

    A block without its end reaches to the end of the text: what may be ours is no evidence. An end without its beginning is only taken out itself, for
    what stands before it may be all that the user said.
    """
    kept, depth, position = [], 0, 0
    for tag in _TAG.finditer(text):
        if depth == 0:
            kept.append(text[position:tag.start()])
        depth = max(0, depth + (-1 if tag[1] else 1))
        position = tag.end()
    if depth == 0:
        kept.append(text[position:])
    whole = "".join(kept) if position == 0 else " ".join(bare for piece in kept if (bare := piece.strip(" \t>")))
    return whole.strip()


def unsaid(text: str, sources: Sequence[str]) -> tuple[str, ...]:
    """Numbers, names and identifiers of a text that stand in none of its sources: invented."""
    said = fold("\n".join(sources))
    spoken = {number for source in sources for number in numbers(source)}
    words = {word for source in sources for word in content_set(source)}
    named = (*names(text), *(word for word in content_set(text) if word in KIND))
    return tuple(dict.fromkeys([number for number in numbers(text) if number not in spoken]
                               + [name for name in named if name not in words and not _stands(name, said)]))


def spoken_share(text: str, sources: Sequence[str]) -> float:
    """Share of a text's content words that its sources hold, 0..1; a text without content words: 0."""
    words = content_set(text)
    return len(words & frozenset().union(*(content_set(source) for source in sources))) / len(words) if words else 0.0


def least_trusted(origins: Iterable[Origin]) -> Origin:
    """The origin of a fact with these sources; of none: 'imported', the least trusted of all."""
    return max(origins, key=ORIGINS.index, default="imported")


def _stands(name: str, said: str) -> bool:
    return bool(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", said))
