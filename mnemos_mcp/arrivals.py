"""What an import does to the memories that are here already: nothing newer is overwritten, nothing is taken twice."""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from .model import Episode, Memory, Revision, Scope
from .writes import AddEpisode, AddMemory, AddRevision, Revise, Supersede, Write

SHOWN = 20  # refused lines that are named one by one


@dataclass(frozen=True, slots=True)
class Imported:
    """The account of an import: every line of the file is in exactly one of taken, updated, present, newer and refused."""

    taken: int = 0
    updated: int = 0
    present: int = 0
    newer: tuple[str, ...] = ()  # ids whose memory here is newer than the file's and was kept
    episodes: int = 0
    refused: tuple[tuple[int, str], ...] = ()  # (line, kind of what the firewall met)
    masked: int = 0
    superseded: tuple[str, ...] = ()  # memories here that gave way to a newer value of their key
    elsewhere: tuple[str, ...] = ()  # ids, counted as present or newer, whose memory belongs to another scope here than the one asked for
    archived: int = 0  # sent to the archive by the rules of a scope that the import filled


@dataclass
class Arrivals:
    """The memory as it will be, line by line, and the writes that lead there. `store` is read once."""

    store: Any
    text_hash: Callable[[str], str]
    writes: list[Write] = field(default_factory=list)
    masked: int = 0
    _taken: int = 0
    _updated: int = 0
    _present: int = 0
    _episodes: int = 0
    _newer: list[str] = field(default_factory=list)
    _refused: list[tuple[int, str]] = field(default_factory=list)
    _superseded: list[str] = field(default_factory=list)
    _elsewhere: list[str] = field(default_factory=list)
    _same: dict[str, str] = field(default_factory=dict)  # id in the file -> id here of the same text

    def __post_init__(self) -> None:
        self._known: dict[str, Memory] = {}
        self._texts: dict[tuple[Scope, str], str] = {}
        self._keys: dict[tuple[Scope, str], str] = {}
        for memory in self.store.browse(None, status="all", limit=-1, order="sequence")[1]:
            self._remember(memory)
        episodes = self.store.episodes(status="all", limit=-1)
        self._heard = {e.id for e in episodes} | {e.event for e in episodes if e.event}

    def refuse(self, number: int, kind: str) -> None:
        self._refused.append((number, kind))

    def episode(self, episode: Episode) -> None:
        if episode.id in self._heard or (episode.event and episode.event in self._heard):
            self._present += 1
            return
        self._heard |= {episode.id, episode.event} - {""}
        self.writes.append(AddEpisode(episode))
        self._episodes += 1

    def memory(self, memory: Memory, revisions: tuple[Revision, ...], *, words: Callable[[str], str], windows: Callable[[str], int]) -> None:
        """Take it, or hold it against the one of its id, its text or its key."""
        here = self._known.get(memory.id)
        if here is not None:
            if here.scope != memory.scope:
                self._elsewhere.append(here.id)
            self._meet(here, memory, revisions, words, windows)
            return
        if memory.status == "active":
            twin = self._texts.get((memory.scope, self.text_hash(memory.content)))
            if twin:
                self._same[memory.id] = twin
                self._present += 1
                return
            memory = self._yield_or_replace(memory)
        self.writes.append(AddMemory(memory, words(memory.content), self.text_hash(memory.content), windows=windows(memory.content)))
        self.writes += [AddRevision(r) for r in revisions]
        self._remember(memory)
        self._taken += 1

    def final(self) -> list[Write]:
        """All writes, with references to a text that has another id here led to that one."""
        def led(write: Write) -> Write:
            if isinstance(write, AddMemory) and write.memory.superseded_by in self._same:
                return write._replace(memory=write.memory._replace(superseded_by=self._same[write.memory.superseded_by]))
            return write
        return [led(write) for write in self.writes]

    def account(self) -> Imported:
        return Imported(self._taken, self._updated, self._present, tuple(self._newer), self._episodes, tuple(self._refused), self.masked,
                        tuple(self._superseded), tuple(self._elsewhere))

    def _yield_or_replace(self, memory: Memory) -> Memory:
        """One current value for a key: the one that became true later. The other is its past."""
        rival = self._known.get(self._keys.get((memory.scope, memory.key), "")) if memory.key else None
        if rival is None:
            return memory
        turn = max(memory.valid_from, rival.valid_from)
        if rival.valid_from >= memory.valid_from:
            return memory._replace(status="superseded", valid_to=turn, superseded_by=rival.id, reason="an older value of its key, imported later")
        self._retire(rival, memory.id, turn, "a newer value of its key was imported")
        self._superseded.append(rival.id)
        return memory

    def _meet(self, here: Memory, memory: Memory, revisions: tuple[Revision, ...], words: Callable[[str], str], windows: Callable[[str], int]) -> None:
        same_text = self.text_hash(here.content) == self.text_hash(memory.content)
        if here.version < memory.version and not same_text and here.status == memory.status == "active" and here.scope == memory.scope:
            self._advance(here, memory, revisions, words, windows)
        elif same_text and memory.status == "superseded" and here.status == "active" and here.reinforced_at <= (memory.valid_to or 0.0):
            self._retire(here, memory.superseded_by, memory.valid_to or memory.valid_from, memory.reason)
            self._updated += 1
        elif not same_text or here.version > memory.version or here.reinforcements > memory.reinforcements or here.recalls > memory.recalls:
            self._newer.append(here.id)
        else:
            self._present += 1

    def _advance(self, here: Memory, memory: Memory, revisions: tuple[Revision, ...], words: Callable[[str], str], windows: Callable[[str], int]) -> None:
        """The file's later versions, one after the other, on top of the one that is here."""
        if (memory.scope, self.text_hash(memory.content)) in self._texts:
            self._newer.append(here.id)
            return
        later = [r for r in sorted(revisions, key=lambda r: r.version) if r.version > here.version]
        steps = [(r.content, r.valid_from, r.reason) for r in later] + [(memory.content, later[-1].valid_to if later else memory.reinforced_at, "imported")]
        version = here.version
        for content, at, reason in steps:
            self.writes.append(Revise(here.id, version, content, words(content), self.text_hash(content), at, reason, windows=windows(content)))
            version += 1
        self._forget(here)
        self._remember(here._replace(content=memory.content, version=version))
        self._updated += 1

    def _retire(self, memory: Memory, by: str, valid_to: float, reason: str) -> None:
        self.writes.append(Supersede(memory.id, by, valid_to, reason, memory.version))
        self._forget(memory)
        self._remember(memory._replace(status="superseded", valid_to=valid_to, superseded_by=by))

    def _remember(self, memory: Memory) -> None:
        self._known[memory.id] = memory
        if memory.status == "active":
            self._texts[(memory.scope, self.text_hash(memory.content))] = memory.id
            if memory.key:
                self._keys[(memory.scope, memory.key)] = memory.id

    def _forget(self, memory: Memory) -> None:
        self._texts.pop((memory.scope, self.text_hash(memory.content)), None)
        self._keys.pop((memory.scope, memory.key), None)
