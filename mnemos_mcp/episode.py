"""The raw material of sleep. On the ground by itself, because a hook writes it and needs none of the rest.

Times are seconds since 1970-01-01 UTC as float.
"""
# No `from __future__ import annotations` on this page: a named tuple compiles each annotation that is a string, and every prompt pays for it.
from typing import Literal, NamedTuple

Origin = Literal["user", "agent", "tool", "imported"]
Role = Literal["user", "assistant", "tool"]
Kind = Literal["instruction", "preference", "identity", "decision", "correction", "fix", "outcome", "fact", "note"]
# Most to least trusted; a fact takes the least trusted origin of its sources.
ORIGINS: tuple[Origin, ...] = ("user", "agent", "tool", "imported")
UNJUDGED = "unjudged"  # kind of an episode that a hook has put down and nobody has read yet


class Episode(NamedTuple):
    """Something said or done, screened, as it was."""

    id: str
    content: str
    project: str
    session: str
    role: Role
    origin: Origin
    at: float
    kind: str = ""  # a durable kind, "failure", "summary", "unjudged" or "" (chatter)
    durable: bool = False
    surprisal: float = 1.0
    status: Literal["pending", "consolidated"] = "pending"
    memory_id: str = ""  # the memory it became, if it was kept at once
    event: str = ""  # identity of the client event, so that the same event twice is one episode


class Failure(NamedTuple):
    """A command that failed before. `tried` did not help; `fix` did ('' and fixed: it passed when it was run again)."""

    n: int
    fingerprint: str
    command: str
    error: str
    session: str
    at: float
    times: int
    tried: tuple[str, ...]
    steps: tuple[str, ...]
    status: str  # open, fixed, left
    fix: str = ""
    fixed_at: float | None = None
    shape: str = ""  # the whole command as it is compared
