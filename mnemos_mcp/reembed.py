"""Vectors for every memory by the embedder in use: what came without one, and what another model's vectors cannot answer for."""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from .errors import BadInput, EmbedderUnavailable
from .maintain import backfill
from .mind import Mind


@dataclass(frozen=True, slots=True)
class Filled:
    """What was done and what is left; `reason` why it is left, '' when nothing is."""

    identity: str
    done: int
    left: int
    reason: str = ""


def missing(mind: Mind) -> int:
    """Memories without vectors of the embedder in use. Raises BadInput when there is none, EmbedderUnavailable when it cannot say."""
    if mind.embedder is None:
        raise BadInput("The embedder is switched off (MNEMOS_EMBEDDING_PROVIDER=none): there is nothing to make vectors with.")
    return int(mind.store.vector_state(mind.embedder.identity)[0])  # type: ignore[attr-defined]


def fill(mind: Mind, *, at_most: int | None = None, progress: Callable[[int], None] | None = None) -> Filled:
    """A few memories at a time, each safe once it is done: stop it at any moment and start again."""
    try:
        before = missing(mind)
        assert mind.embedder is not None
        identity = mind.embedder.identity
        done = 0
        while at_most is None or done < at_most:
            step = backfill(mind, progress=progress)
            done += step
            if not step:
                break
        left = missing(mind) if before else 0
    except EmbedderUnavailable as error:
        return Filled("", 0, 0, str(error))
    stopped = left and (at_most is None or done < at_most)
    return Filled(identity, done, left, (mind.embedder.probe() or "they were changed meanwhile; run it again") if stopped else "")
