"""What the pipelines need from the world. `storage/` and `providers/` fit these structurally; `runtime.py` is where the type checker proves it."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from .model import Edge, Episode, Found, Memory, Revision, Search, View
from .writes import Applied, Write


class Embedder(Protocol):
    """Text to unit vectors. Vectors of different `identity` are never compared."""

    @property
    def identity(self) -> str: ...
    @property
    def dimensions(self) -> int: ...
    def embed(self, texts: Sequence[str], *, deadline_s: float | None = None) -> list[Any]:
        """One float32 unit vector (dimensions,) a text. Raises EmbedderUnavailable."""
    def windows(self, text: str) -> list[str]:
        """Pieces of at most 256 model tokens; a short text is its own only piece."""
    def probe(self) -> str | None:
        """None if usable now, else one sentence why not; at most 50 ms."""


class LLM(Protocol):
    """One question, one JSON object that fits `schema`. Raises LLMUnavailable (off, slow, chatty, cut off, wrong)."""

    @property
    def identity(self) -> str: ...
    def ask(self, prompt: str, schema: dict[str, Any], *, deadline_s: float = 3.0) -> dict[str, Any]: ...
    def probe(self) -> str | None: ...


Ask = Callable[[str, dict[str, Any]], "dict[str, Any] | None"]
Clock = Callable[[], float]


class MemoryStore(Protocol):
    """One file of memories. Reads see what every other process has committed; `apply` is the only way in.

    Every method may raise StoreUnavailable. Ids and prefixes are looked up inside the view that is given.
    """

    def search(self, search: Search) -> Found:
        """Candidates inside the view: the best by vector, the best by words, their neighbours in session."""
    def edges(self, ids: Sequence[str], view: View) -> list[Edge]:
        """Ties between these and other visible memories, both ends visible."""
    def find(self, prefix: str, view: View | None) -> list[Memory]:
        """Memories of any status whose id starts with `prefix` (six characters or more, else only the whole id)."""
    def load(self, ids: Sequence[str], view: View) -> list[Memory]:
        """These memories, as far as the view shows them."""
    def revisions(self, memory_id: str) -> list[Revision]:
        """Former texts, oldest first."""
    def vectors_of(self, ids: Sequence[str], identity: str) -> dict[str, Any]:
        """First window of each of these, as far as this embedder has it."""
    def recent_vectors(self, session: str, identity: str, limit: int) -> list[Any]:
        """Vectors of the last memories of a session, newest first: its running topic."""
    def alike(self, ids: Sequence[str], identity: str, least: float) -> dict[tuple[str, str], float]:
        """Cosine of every pair of these that is at least `least`; each pair once, smaller id first."""
    def same(self, view: View, *, text_hash: str = "", key: str = "") -> list[Memory]:
        """Active memories in the view with exactly this text hash, or this key."""
    def browse(self, view: View | None, *, status: str = "active", limit: int = 20, offset: int = 0, order: str = "recent") -> tuple[int, list[Memory]]:
        """Total and one page. `order`: recent, accessed or sequence."""
    def life(self, memory: Memory) -> dict[str, Any]:
        """What happened to one memory: revisions, chain of supersession, edges, recalls, notes, vectors."""
    def chain(self, memory: Memory) -> list[tuple[Memory, list[Revision]]]:
        """The supersession chain through this memory, oldest first, each with its former texts."""
    def episodes(self, *, project: str | None = None, session: str | None = None, status: str = "pending", limit: int = 500) -> list[Episode]: ...
    def kept(self, name: str) -> str:
        """A value written by Keep, or ''."""
    def unembedded(self, identity: str, limit: int) -> list[tuple[Memory, int]]:
        """Memories whose windows lack vectors of this embedder, with how many they have."""
    def apply(self, writes: Sequence[Write]) -> Applied:
        """All or nothing, durable on return."""
    def erase(self, memories: Sequence[Memory], episodes: Sequence[Episode] = ()) -> dict[str, int]:
        """Remove every trace of these; rows per table and `bytes_found` afterwards."""
    def stats(self) -> dict[str, Any]: ...
    def check(self) -> list[dict[str, str]]:
        """Health of the file: {name, status, detail, effect, remedy}."""
    def close(self) -> None: ...
