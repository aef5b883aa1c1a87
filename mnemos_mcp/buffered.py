"""What a hook may write: rows of the buffer, without a look at a memory. On a page of its own, because every prompt pays for what is imported.

Times are seconds since 1970-01-01 UTC as float. Named tuples, not dataclasses: the machinery of dataclasses alone costs as much as starting Python.
"""
# No `from __future__ import annotations` on this page: a named tuple compiles each annotation that is a string, and every prompt pays for it.
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from .episode import Episode


class AddEpisode(NamedTuple):
    episode: "Episode"


class Count(NamedTuple):
    name: str
    by: int = 1


class Keep(NamedTuple):
    """A small durable value of the mind (a session's prediction, a last sleep)."""

    name: str
    value: str


class KnowProject(NamedTuple):
    """A project was met here: its name and folder, for people to read."""

    identity: str
    name: str
    root: str
    at: float


class Reinforce(NamedTuple):
    id: str
    amount: float
    at: float
    note: str = ""


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
    """A command that passed while these failures (their `n`) are open; the last `most` are remembered."""

    failures: tuple[int, ...]
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
    """A session gave a sign of life. `prompts` is added: one for a prompt, more for a recall that came to its end; a `fresh` one (started, cleared,
    compacted) begins to count anew; an `emptied` one no longer knows what it was told before; `over` is its end."""

    session: str
    project: str
    at: float
    prompts: int = 0
    fresh: bool = False
    over: bool = False
    emptied: bool = False


class ForgetSessions(NamedTuple):
    """Sessions that were none (a test of the hooks): their rows, receipts and times go, what they told is not counted; with them the `projects` that
    were met for them alone."""

    sessions: tuple[str, ...]
    projects: tuple[str, ...] = ()


class TimeHook(NamedTuple):
    """How long a hook took, milliseconds from the start of its process; the same event at the same moment is the same hook, whose last word counts.
    The last `most` hooks are kept."""

    at: float
    event: str
    ms: float
    most: int = 500


BufferWrite = (AddEpisode | Count | Keep | KnowProject | Reinforce | AddFailure | NoteStep | CloseFailure | LeaveFailures | AddReceipt | MarkUsed
               | TouchSession | ForgetSessions | TimeHook)


class Applied(NamedTuple):
    """What became of a list of writes. `stale`: ids whose version had moved on; then nothing was written."""

    stale: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()

    @property
    def done(self) -> bool:
        return not self.stale
