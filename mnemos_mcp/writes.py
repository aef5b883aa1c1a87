"""Everything that can change the database: the closed union Write. A list of them is applied whole or not at all.

Times are seconds since 1970-01-01 UTC as float. What a hook may write too stands in buffered.py.
"""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from .buffered import AddEpisode as AddEpisode
from .buffered import AddFailure as AddFailure
from .buffered import AddReceipt as AddReceipt
from .buffered import Applied as Applied
from .buffered import BufferWrite as BufferWrite
from .buffered import CloseFailure as CloseFailure
from .buffered import Count as Count
from .buffered import Keep as Keep
from .buffered import KnowProject as KnowProject
from .buffered import LeaveFailures as LeaveFailures
from .buffered import MarkUsed as MarkUsed
from .buffered import NoteStep as NoteStep
from .buffered import Reinforce as Reinforce
from .buffered import TimeHook as TimeHook
from .buffered import TouchSession as TouchSession

if TYPE_CHECKING:
    from .episode import Failure
    from .model import Edge, Memory, Revision, Status


class AddMemory(NamedTuple):
    """Insert; `words` are index tokens, `vectors` float32 rows (one a window) of embedder `identity`, empty when they come later."""

    memory: Memory
    words: str
    text_hash: str
    vectors: tuple[Any, ...] = ()
    identity: str = ""
    windows: int = 1  # how many the text has; fewer vectors than windows = backfill is due


class AddRevision(NamedTuple):
    """A former text that comes from elsewhere (import)."""

    revision: Revision


class SettleEpisodes(NamedTuple):
    """Episodes that a run has read: consolidated, optionally into a memory; `prune` removes the raw text."""

    ids: tuple[str, ...]
    memory_id: str = ""
    prune: bool = False


class Supersede(NamedTuple):
    """`id` stops being true at `valid_to` because of `by`. `version` is the one that was seen."""

    id: str
    by: str
    valid_to: float
    reason: str
    version: int


class Shorten(NamedTuple):
    """A superseded memory stopped being true earlier than was thought: a backdated value joined its chain."""

    id: str
    valid_to: float


class Revise(NamedTuple):
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


class Move(NamedTuple):
    """Change status: archive or restore."""

    id: str
    status: Status
    reason: str
    at: float
    retention: float | None = None


class Pin(NamedTuple):
    id: str
    pinned: bool


class MarkRecalled(NamedTuple):
    """These were returned together: recall counts, lability, coactivation of the first few pairs."""

    ids: tuple[str, ...]
    at: float
    labile: bool
    query: str  # screened, shortened
    amount: float = 0.0  # the smaller step of reinforcement for being recalled


class Link(NamedTuple):
    edges: tuple[Edge, ...]


class AddVectors(NamedTuple):
    id: str
    version: int
    identity: str
    vectors: tuple[Any, ...]
    windows: int


class RecordRun(NamedTuple):
    """A consolidation as a dated diff of ids and outcomes. Goes first in its list: the store keeps what it is about to change, for undo."""

    id: str
    at: float
    project: str
    diff: dict[str, Any]
    changes: tuple[str, ...] = ()  # memories that the following writes change
    adds: tuple[str, ...] = ()  # memories that they add
    settles: tuple[tuple[str, str], ...] = ()  # (episode, memory it leads to or '')


class UndoRun(NamedTuple):
    id: str
    at: float


class JoinProjects(NamedTuple):
    """`identity` counts as `into` from now on; empty `into` takes it apart again. No memory is rewritten."""

    identity: str
    into: str


class JudgeEpisode(NamedTuple):
    """What a hook put down unread has been read: its kind, whether it lasts, and how new it is (surprisal, 0..1)."""

    id: str
    kind: str
    durable: bool
    surprisal: float


class Remove(NamedTuple):
    """A row goes because of what its text holds; of a memory all that belongs to it."""

    table: str
    key: tuple[Any, ...]


class Mask(NamedTuple):
    """Columns of a row get other texts, and no former text is kept. `version`: the one of a memory that was seen."""

    table: str
    key: tuple[Any, ...]
    fields: dict[str, Any]
    version: int = 0


class RecordFailure(NamedTuple):
    """A failure with all that came of it, as the record of an old session tells. `events` are the identities of its occurrences: one that is known
    already is only closed, where the record has its fix."""

    failure: Failure
    project: str
    events: tuple[str, ...]


Write = (BufferWrite | AddMemory | AddRevision | SettleEpisodes | JudgeEpisode | Supersede | Shorten | Revise | Move | Pin | MarkRecalled
         | Link | AddVectors | RecordRun | UndoRun | JoinProjects | Remove | Mask | RecordFailure)
