"""Everything that can change the database: the closed union Write. A list of them is applied whole or not at all.

Times are seconds since 1970-01-01 UTC as float. Named tuples, not dataclasses: a hook imports this page, and the machinery of dataclasses alone
costs as much as starting Python.
"""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from .episode import Episode
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


class AddEpisode(NamedTuple):
    episode: Episode


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


class Reinforce(NamedTuple):
    id: str
    amount: float
    at: float
    note: str = ""


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


class Count(NamedTuple):
    name: str
    by: int = 1


class Keep(NamedTuple):
    """A small durable value of the mind (a session's prediction, a last sleep)."""

    name: str
    value: str


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


class KnowProject(NamedTuple):
    """A project was met here: its name and folder, for people to read."""

    identity: str
    name: str
    root: str
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


class AddFailure(NamedTuple):
    """A command failed. The same one, still open in this session: once more, and what was done since did not help."""

    fingerprint: str
    shape: str
    command: str
    error: str
    project: str
    session: str
    at: float
    event: str


class NoteStep(NamedTuple):
    """A command that passed while failures of the session are open; the last `most` are remembered."""

    session: str
    command: str
    most: int


class CloseFailure(NamedTuple):
    """The command passes again; `fix` says what was done between ('' when nothing was)."""

    n: int
    fix: str
    at: float


class LeaveFailures(NamedTuple):
    """A session has ended: what it left open was not fixed."""

    session: str


class AddReceipt(NamedTuple):
    """What a hook put before the agent: ids of memories and episodes, and how many characters."""

    at: float
    project: str
    session: str
    event: str
    chars: int
    ids: tuple[str, ...]


class MarkUsed(NamedTuple):
    """Memories of this session's receipts that the agent has cited."""

    session: str
    ids: tuple[str, ...]


class TouchSession(NamedTuple):
    """A session gave a sign of life. `prompts` is added; a `fresh` one (started, cleared, compacted) begins to count anew; `over` is its end."""

    session: str
    project: str
    at: float
    prompts: int = 0
    fresh: bool = False
    over: bool = False


class TimeHook(NamedTuple):
    """How long a hook took, milliseconds from the start of its process; the last `most` are kept."""

    at: float
    event: str
    ms: float
    most: int = 500


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


# What a hook writes: rows of the buffer, without a look at a memory.
BufferWrite = (AddEpisode | Count | Keep | KnowProject | Reinforce | AddFailure | NoteStep | CloseFailure | LeaveFailures | AddReceipt | MarkUsed
               | TouchSession | TimeHook)
Write = (BufferWrite | AddMemory | AddRevision | SettleEpisodes | JudgeEpisode | Supersede | Shorten | Revise | Move | Pin | MarkRecalled
         | Link | AddVectors | RecordRun | UndoRun | JoinProjects | Remove | Mask)


class Applied(NamedTuple):
    """What became of a list of writes. `stale`: ids whose version had moved on; then nothing was written."""

    stale: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()

    @property
    def done(self) -> bool:
        return not self.stale
