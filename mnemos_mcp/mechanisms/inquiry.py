"""Inquiry: how much a question, by itself, is of the kind that notes answer, before anything was searched.

A store of notes answers "which port does staging use" far more often than "how do I learn to sail", "what does one cost" or "lkjh", although the likest
note may be equally like all of them. One direction in the space of the built-in embedder tells these kinds apart; it was fitted to questions about
invented projects and people that their notes answer or cannot know, and checked on those of another author (benchmarks/fit_floor.py).
"""
from __future__ import annotations

from binascii import a2b_base64
from functools import lru_cache
from operator import mul
from struct import unpack
from typing import TYPE_CHECKING

from . import floor_weights

if TYPE_CHECKING:
    from collections.abc import Iterable

MOST = 2.5  # log-odds either way: a strong likeness or full coverage must still be able to answer, and nothing is answered by its kind alone


def expected(vector: Iterable[float], identity: str) -> float | None:
    """Log-odds that a note answers such a question, -MOST..MOST, around 0; None for another embedder than the one that was fitted.

    `vector` is the (384,) unit vector of the question.
    """
    if identity != floor_weights.IDENTITY:
        return None
    told = floor_weights.OFFSET + sum(map(mul, _direction(), map(float, vector)))
    return max(-MOST, min(MOST, told))


@lru_cache(maxsize=1)
def _direction() -> tuple[float, ...]:
    packed = a2b_base64("".join(floor_weights.DIRECTION))
    return tuple(floor_weights.SCALE * step for step in unpack(f"{len(packed)}b", packed))
