"""What a memory is: the values that every floor above passes around. Standard library only.

Named tuples rather than dataclasses: a class of these is made in a sixth of the time, and hooks make them all while somebody waits.
No `from __future__ import annotations` for the same reason: a named tuple compiles each annotation that is a string.
Times are seconds since 1970-01-01 UTC as float. Shares, weights and scores are 0..1 unless said otherwise.
"""
from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal, NamedTuple

from .episode import ORIGINS as ORIGINS
from .episode import Episode as Episode
from .episode import Kind as Kind
from .episode import Origin as Origin
from .episode import Role as Role
from .scope import GLOBAL as GLOBAL
from .scope import Level as Level
from .scope import Scope as Scope

if TYPE_CHECKING:
    import numpy as np

Status = Literal["active", "archived", "superseded"]
Importance = Literal["auto", "low", "medium", "high"]
Mode = Literal["hybrid", "semantic", "keyword"]
IMPORTANCE_LEVELS = {"low": 0.2, "medium": 0.5, "high": 0.75}
LONGEST_CONTENT = 100_000  # characters of a memory, whatever door it comes in by
LONGEST_LABEL = 1_000  # of a key, a tag, the name of a session
SECTORS = ("semantic", "procedural", "episodic", "emotional", "reflective")
PROTECTED_KINDS: frozenset[str] = frozenset({"instruction", "preference", "identity"})


class Affect(NamedTuple):
    """Circumplex state of a text: valence -1..1, arousal 0..1, complexity 0..1."""

    valence: float = 0.0
    arousal: float = 0.0
    complexity: float = 0.0


class Memory(NamedTuple):
    """One kept statement with its life so far. `sequence` is the order of storing and decides what is newer, not the clock."""

    id: str
    content: str
    scope: Scope
    origin: Origin = "agent"
    kind: Kind = "fact"
    role: Role = "user"
    key: str = ""
    tags: tuple[str, ...] = ()
    session: str = ""
    importance: float = 0.5
    surprisal: float = 1.0
    affect: Affect = Affect()
    sectors: tuple[float, ...] = (1.0, 0.0, 0.0, 0.0, 0.0)
    pinned: bool = False
    status: Status = "active"
    version: int = 1
    created_at: float = 0.0
    valid_from: float = 0.0
    valid_to: float | None = None
    superseded_by: str = ""
    reason: str = ""  # why it left the active ones
    reinforcements: float = 0.0
    reinforced_at: float = 0.0  # stored or last reinforced: decay counts from here
    recalls: int = 0
    recalled_at: float | None = None  # labile from here on
    sequence: int = 0

    @property
    def protected(self) -> bool:
        """Never fades and never leaves by a cap."""
        return self.pinned or self.importance >= 0.8 or self.kind in PROTECTED_KINDS


class Revision(NamedTuple):
    """A former text of a memory and the time it was valid."""

    memory_id: str
    version: int
    content: str
    valid_from: float
    valid_to: float
    reason: str


EdgeKind = Literal["likeness", "coactivation", "identifier", "adjacency"]


class Edge(NamedTuple):
    """An undirected tie between two memories, weight 0..1 (coactivation: number of joint recalls)."""

    a: str
    b: str
    kind: EdgeKind
    weight: float = 1.0


class View(NamedTuple):
    """What a caller may see: these scopes, at this time, with these filters. The gates of every read."""

    scopes: tuple[Scope, ...]
    as_of: float | None = None  # None: what is active now
    tags: tuple[str, ...] = ()


class Search(NamedTuple):
    """A query as the store needs it: `terms` are index tokens (see keywords), `vector` a unit vector or None."""

    view: View
    terms: tuple[str, ...] = ()
    vector: "np.ndarray | None" = None
    identity: str = ""  # embedder of `vector`
    limit: int = 200  # best of each list
    rarest: int = 0  # look up only so many of the terms, the rarest that are not everywhere; 0 = all
    neighbours: bool = True  # bring what stood beside the best in their sessions


class Candidate(NamedTuple):
    """A memory inside the view that may answer, with the raw figures of the search."""

    memory: Memory
    cosine: float | None = None  # best window; None: no vector of this embedder
    keyword: float = 0.0  # BM25, 0 = no term in common
    coverage: float = 0.0  # share of the query's idf mass that stands in the text
    terms: tuple[str, ...] = ()  # the query's terms that stand in it
    before: str = ""  # ids of the visible memories stored before and after it in its session
    after: str = ""


class Found(NamedTuple):
    """What a search met: candidates (unordered) and the field they stand out from."""

    candidates: tuple[Candidate, ...]
    rows: int = 0  # visible rows searched
    cosine_mean: float = 0.0  # over every visible row with a vector
    cosine_std: float = 0.0
    rarity: Mapping[str, float] = {}


class Recalled(NamedTuple):
    """A memory as a recall returns it; `why` maps signal to share and sums to `score`."""

    memory: Memory
    score: float
    why: dict[str, float]
    retention: float = 1.0
    tokens: int = 0
    truncated: bool = False
    energy: float = 0.0  # activation that reached it; a seed has 1.0

    @property
    def content(self) -> str:
        return self.memory.content

    @property
    def id(self) -> str:
        return self.memory.id


class Withheld(NamedTuple):
    """A candidate that was not returned, and the gate that held it."""

    id: str
    reason: str
    score: float = 0.0


class Retrieved(NamedTuple):
    """Answer of retrieve, best first."""

    memories: tuple[Recalled, ...]
    scopes: tuple[str, ...]
    mode: str
    as_of: float | None
    candidates: int
    note: str = ""
    withheld: tuple[Withheld, ...] = ()
    now: float = 0.0
