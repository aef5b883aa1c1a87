"""What the pipelines pass around: a statement on its way in, and the mind that judges it."""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from .config import MnemosConfig
    from .known_files import KnownFiles
    from .mechanisms.scopes import Governance
    from .mechanisms.supersession import Known
    from .model import Importance, Origin, Role, Scope
    from .ports import LLM, Embedder, MemoryStore
    from .results import Stored
    from .writes import Write


class Statement(NamedTuple):
    """What a door hands over. `project` is the identity for the episode buffer; `origin` is the door's, never the caller's."""

    content: str
    scope: Scope
    origin: Origin
    project: str = ""
    key: str = ""
    importance: Importance = "auto"
    role: Role = "user"
    tags: tuple[str, ...] = ()
    supersedes: tuple[str, ...] = ()
    valid_from: float | None = None
    pinned: bool = False
    force: bool = False
    session: str = ""
    kind: str = ""  # set by sleep, which has judged already
    sources: tuple[str, ...] = ()  # episodes it was distilled from

    @property
    def addressed(self) -> bool:
        """Given an address, a predecessor or a pin: whoever says so has judged already, and small talk has none of them."""
        return bool(self.key or self.supersedes or self.pinned)


@dataclass(frozen=True, slots=True)
class Mind:
    """What a pipeline works with: the world's ports, the mechanisms, and the time and ids it is told."""

    store: MemoryStore
    embedder: Embedder | None
    llm: LLM | None
    config: MnemosConfig
    clock: Callable[[], float]
    new_id: Callable[[], str]
    govern: Callable[[Scope], Governance]
    files: KnownFiles | None = None  # what the client's own memory files say already
    cache: dict[str, Any] = field(default_factory=dict)  # derived values that any process can make again


class Embedded(NamedTuple):
    vectors: tuple[Any, ...] = ()
    identity: str = ""
    windows: int = 1
    note: str = ""


class Read(NamedTuple):
    """What one look into the store brought: the nearest of the same scope, and what the statement could be predicted from."""

    known: tuple[Known, ...] = ()
    topic: tuple[Any, ...] = ()


class Plan(NamedTuple):
    """What would be written for a statement, and the answer once it is."""

    result: Stored
    writes: tuple[Write, ...]
