"""What each verb answers: plain values, the same for every door. `render.py` turns them into JSON and text."""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from .model import Affect, Edge, Memory, Revision, Scope
from .model import Retrieved as Retrieved

Outcome = Literal["stored", "reinforced", "superseded", "not_news", "refused"]


@dataclass(frozen=True, slots=True)
class Conflict:
    """A memory that may say otherwise; both stay until somebody decides."""

    id: str
    content: str
    similarity: float


@dataclass(frozen=True, slots=True)
class Stored:
    """Answer of store. `stored` means: another process finds it now."""

    outcome: Outcome
    reason: str
    id: str = ""  # the memory that knows it; '' when not_news or refused
    surprisal: float | None = None
    importance: float | None = None
    affect: Affect | None = None
    sectors: tuple[float, ...] = ()
    scope: Scope | None = None
    project: str = ""  # display name
    superseded: tuple[str, ...] = ()
    possible_conflicts: tuple[Conflict, ...] = ()
    redactions: tuple[tuple[str, int], ...] = ()
    note: str = ""  # a declared fallback, e.g. that the vector comes later

    @property
    def stored(self) -> bool:
        return self.outcome in ("stored", "reinforced", "superseded")


@dataclass(frozen=True, slots=True)
class FactOutcome:
    """What became of one distilled fact."""

    outcome: str
    id: str
    sources: tuple[str, ...]
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Slept:
    """Answer of consolidate: a diff. `run` is '' when nothing was to be written."""

    run: str = ""
    episodes: int = 0
    facts: tuple[FactOutcome, ...] = ()
    merged: tuple[tuple[str, str], ...] = ()  # (gone, kept)
    revised: tuple[str, ...] = ()
    archived: tuple[tuple[str, float], ...] = ()  # (id, retention)
    pruned: int = 0
    pending: tuple[dict[str, str], ...] = ()  # {id, role, text} for the agent to distil
    waiting: dict[str, int] = field(default_factory=dict)  # why they are pending still -> how many of all
    dry_run: bool = False
    undone: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Forgotten:
    outcome: Literal["archived", "erased"]
    id: str
    rows: dict[str, int] = field(default_factory=dict)
    bytes_found: int | None = None  # after erase
    also: tuple[str, ...] = ()  # its superseded forms with the same words, erased with it
    like: tuple[str, ...] = ()  # memories and pending episodes with similar text, which stay: the closest of them
    like_more: int = 0  # how many beside those


@dataclass(frozen=True, slots=True)
class Inspected:
    """Everything about one memory."""

    memory: Memory
    retention: float
    ahead: dict[int, float]  # days -> retention
    half_life_days: float
    stability_days: float
    revisions: tuple[Revision, ...]
    edges: tuple[Edge, ...]
    recalls: tuple[tuple[float, str], ...]
    notes: tuple[tuple[float, str, str], ...]
    vectors: dict[str, int]
    chain: tuple[Memory, ...]
    episodes: tuple[tuple[str, str, float], ...]
    receipts: tuple[dict[str, Any], ...] = ()  # when a hook put it before an agent, and whether it was used: {at, event, session, chars, ids, used}


@dataclass(frozen=True, slots=True)
class Page:
    total: int
    offset: int
    memories: tuple[Memory, ...]
    retention: dict[str, float]
    note: str = ""


@dataclass(frozen=True, slots=True)
class Reinforced:
    id: str
    signal: str
    salience: tuple[float, float]  # before, after
    retention: tuple[float, float]
    status: str


@dataclass(frozen=True, slots=True)
class Turn:
    """One state of a fact on its timeline."""

    id: str
    content: str
    valid_from: float
    valid_to: float | None
    superseded_by: str
    reason: str
    version: int
    status: str


@dataclass(frozen=True, slots=True)
class Timeline:
    turns: tuple[Turn, ...]  # oldest first
    subject: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Check:
    name: str
    status: Literal["ok", "warn", "fail"]
    detail: str
    effect: str = ""
    remedy: str = ""


@dataclass(frozen=True, slots=True)
class Health:
    checks: tuple[Check, ...]
    versions: dict[str, str]
    paths: dict[str, str]
    differs: dict[str, str]  # setting -> value and where it came from

    @property
    def status(self) -> str:
        states = {c.status for c in self.checks}
        return "fail" if "fail" in states else "warn" if "warn" in states else "ok"


@dataclass(frozen=True, slots=True)
class Stats:
    memories: dict[str, dict[str, int]]
    sectors: dict[str, float]
    gate: dict[str, int]  # kept, dropped
    episodes: dict[str, int]  # pending, total
    recalls: int
    injections: int
    file_bytes: int
    extra: dict[str, Any] = field(default_factory=dict)
