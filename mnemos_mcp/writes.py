"""Everything that can change the database: the closed union Write. A list of them is applied whole or not at all.

Times are seconds since 1970-01-01 UTC as float.
"""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .model import Edge, Episode, Memory, Revision, Status


@dataclass(frozen=True, slots=True)
class AddMemory:
    """Insert; `words` are index tokens, `vectors` float32 rows (one a window) of embedder `identity`, empty when they come later."""

    memory: Memory
    words: str
    text_hash: str
    vectors: tuple[Any, ...] = ()
    identity: str = ""
    windows: int = 1  # how many the text has; fewer vectors than windows = backfill is due


@dataclass(frozen=True, slots=True)
class AddRevision:
    """A former text that comes from elsewhere (import)."""

    revision: Revision


@dataclass(frozen=True, slots=True)
class AddEpisode:
    episode: Episode


@dataclass(frozen=True, slots=True)
class SettleEpisodes:
    """Episodes that a run has read: consolidated, optionally into a memory; `prune` removes the raw text."""

    ids: tuple[str, ...]
    memory_id: str = ""
    prune: bool = False


@dataclass(frozen=True, slots=True)
class Supersede:
    """`id` stops being true at `valid_to` because of `by`. `version` is the one that was seen."""

    id: str
    by: str
    valid_to: float
    reason: str
    version: int


@dataclass(frozen=True, slots=True)
class Shorten:
    """A superseded memory stopped being true earlier than was thought: a backdated value joined its chain."""

    id: str
    valid_to: float


@dataclass(frozen=True, slots=True)
class Revise:
    """Replace the text of `id`; the former text goes to the history. `version` is the one that was seen."""

    id: str
    version: int
    content: str
    words: str
    text_hash: str
    at: float
    reason: str
    vectors: tuple[Any, ...] = ()
    identity: str = ""
    windows: int = 1


@dataclass(frozen=True, slots=True)
class Move:
    """Change status: archive or restore."""

    id: str
    status: Status
    reason: str
    at: float
    retention: float | None = None


@dataclass(frozen=True, slots=True)
class Reinforce:
    id: str
    amount: float
    at: float
    note: str = ""


@dataclass(frozen=True, slots=True)
class Pin:
    id: str
    pinned: bool


@dataclass(frozen=True, slots=True)
class MarkRecalled:
    """These were returned together: recall counts, lability, coactivation of the first few pairs."""

    ids: tuple[str, ...]
    at: float
    labile: bool
    query: str  # screened, shortened
    amount: float = 0.0  # the smaller step of reinforcement for being recalled


@dataclass(frozen=True, slots=True)
class Link:
    edges: tuple[Edge, ...]


@dataclass(frozen=True, slots=True)
class AddVectors:
    id: str
    version: int
    identity: str
    vectors: tuple[Any, ...]
    windows: int


@dataclass(frozen=True, slots=True)
class Count:
    name: str
    by: int = 1


@dataclass(frozen=True, slots=True)
class Keep:
    """A small durable value of the mind (a session's prediction, a last sleep)."""

    name: str
    value: str


@dataclass(frozen=True, slots=True)
class RecordRun:
    """A consolidation as a dated diff of ids and outcomes. Goes first in its list: the store keeps what it is about to change, for undo."""

    id: str
    at: float
    project: str
    diff: dict[str, Any]
    changes: tuple[str, ...] = ()  # memories that the following writes change
    adds: tuple[str, ...] = ()  # memories that they add
    settles: tuple[tuple[str, str], ...] = ()  # (episode, memory it leads to or '')


@dataclass(frozen=True, slots=True)
class UndoRun:
    id: str
    at: float


@dataclass(frozen=True, slots=True)
class KnowProject:
    """A project was met here: its name and folder, for people to read."""

    identity: str
    name: str
    root: str
    at: float


@dataclass(frozen=True, slots=True)
class JoinProjects:
    """`identity` counts as `into` from now on; empty `into` takes it apart again. No memory is rewritten."""

    identity: str
    into: str


Write = (AddMemory | AddRevision | AddEpisode | SettleEpisodes | Supersede | Shorten | Revise | Move | Reinforce | Pin | MarkRecalled | Link | AddVectors
         | Count | Keep | RecordRun | UndoRun | KnowProject | JoinProjects)


@dataclass(frozen=True, slots=True)
class Applied:
    """What became of a list of writes. `stale`: ids whose version had moved on; then nothing was written."""

    stale: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()

    @property
    def done(self) -> bool:
        return not self.stale
