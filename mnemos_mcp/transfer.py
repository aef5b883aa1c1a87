"""Export and import. The file is JSON Lines: a header, a memory or an episode a line, an end mark, so that a cut file shows.

An import is read and checked whole before anything is written, then written in one transaction: all of it or nothing.
"""
from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import IO, Any

from . import __version__
from .arrivals import Arrivals, Imported
from .errors import BadInput, EmbedderUnavailable, StoreUnavailable
from .keeping import keep_within
from .mechanisms.firewall import Refusal
from .mind import Mind
from .model import Episode, Memory, Origin, Revision, Scope
from .moments import iso
from .outfile import beside, refuse_existing
from .transfer_lines import HUMAN, episode_line, episode_of, memory_line, memory_of, screened_episode, screened_memory
from .writes import AddMemory

FORMAT = 1
EVERYTHING = -1  # no limit, said to the store


@dataclass(frozen=True, slots=True)
class Exported:
    """What went into the file. `path` is '-' for the standard output."""

    path: str
    memories: int
    revisions: int
    episodes: int


@dataclass(frozen=True, slots=True)
class Chosen:
    """Which part of the memory is exported. Empty: all of it. `projects` are identities that count as one."""

    level: str = ""
    projects: tuple[str, ...] = ()

    def has(self, scope: Scope) -> bool:
        return self.level in ("", scope.level) and (not self.projects or (scope.level == "project" and scope.name in self.projects))


def export(store: Any, path: str, chosen: Chosen = Chosen(), *, now: float, force: bool = False) -> Exported:
    """Write to a private file, whole or not at all. An existing file is left alone without `force`."""
    refuse_existing(path, store.path, force=force)
    partial = beside(path)
    try:
        with open(partial, "w", encoding="utf-8", newline="\n") as file:
            done = write(store, file, chosen, now=now)
            file.flush()
            os.fsync(file.fileno())
        os.replace(partial, path)
    except OSError as error:
        raise StoreUnavailable(f"{path} cannot be written: {error.strerror}. Nothing was written.") from error
    finally:
        if os.path.exists(partial):
            os.remove(partial)
    return replace(done, path=path)


def write(store: Any, file: IO[str], chosen: Chosen = Chosen(), *, now: float) -> Exported:
    """All lines. Memories come from one read, so that what others store meanwhile is in it whole or not at all."""
    _, memories = store.browse(None, status="all", limit=EVERYTHING, order="sequence")
    memories = [m for m in memories if chosen.has(m.scope)]
    episodes = [e for e in store.episodes(limit=EVERYTHING) if _chosen_episode(e, chosen)]
    _line(file, {"mnemos_export": FORMAT, "exported_at": iso(now), "version": __version__, "memories": len(memories), "episodes": len(episodes)})
    revisions = 0
    for memory in memories:
        line = memory_line(memory, store.revisions(memory.id) if memory.version > 1 else [])
        revisions += len(line["revisions"])
        _line(file, {"memory": line})
    for episode in episodes:
        _line(file, {"episode": episode_line(episode)})
    _line(file, {"mnemos_end": FORMAT})
    return Exported("-", len(memories), revisions, len(episodes))


def _chosen_episode(episode: Episode, chosen: Chosen) -> bool:
    return chosen.level in ("", "project") and (not chosen.projects or episode.project in chosen.projects)


def _line(file: IO[str], value: dict[str, Any]) -> None:
    file.write(json.dumps(value, ensure_ascii=False) + "\n")


def import_(mind: Mind, lines: Iterable[bytes], *, project: str = "", trust: bool = False, progress: Callable[[int], None] | None = None) -> Imported:
    """Take what is new. Raises BadInput naming the line when one is broken: then nothing was written.

    `project`: identity that the file's project memories go to instead of their own. `trust`: words of the user and of
    agents keep their origin; else all of it counts as imported and is never injected by itself.
    """
    arrivals = Arrivals(mind.store, mind.config.supersession.text_hash)
    for number, item in _checked(lines):
        if progress:
            progress(1)
        item = _resettled(item, project, trust)
        if isinstance(item, Episode):
            _admit_episode(arrivals, number, item, mind)
        else:
            _admit_memory(arrivals, number, *item, mind)
    if arrivals.writes and not mind.store.apply(arrivals.final()).done:
        raise StoreUnavailable("Another process changed one of these memories meanwhile; nothing was imported. Run it again.")
    scopes = {w.memory.scope for w in arrivals.writes if isinstance(w, AddMemory)}
    return replace(arrivals.account(), archived=sum(len(keep_within(scope, "", mind)) for scope in sorted(scopes, key=str)))


def _admit_memory(arrivals: Arrivals, number: int, memory: Memory, revisions: tuple[Revision, ...], mind: Mind) -> None:
    result = screened_memory(memory, revisions, mind.config.firewall)
    if isinstance(result, Refusal):
        arrivals.refuse(number, result.kind)
        return
    memory, revisions, masked = result
    arrivals.masked += masked
    arrivals.memory(memory, revisions, words=mind.config.keywords.index, windows=lambda text: _windows(text, mind))


def _admit_episode(arrivals: Arrivals, number: int, episode: Episode, mind: Mind) -> None:
    result = screened_episode(episode, mind.config.firewall)
    if isinstance(result, Refusal):
        arrivals.refuse(number, result.kind)
        return
    arrivals.masked += result[1]
    arrivals.episode(result[0])


def _windows(text: str, mind: Mind) -> int:
    try:
        return len(mind.embedder.windows(text)) if mind.embedder else 1
    except EmbedderUnavailable:
        return 1


Item = tuple[Memory, tuple[Revision, ...]] | Episode


def _checked(lines: Iterable[bytes]) -> list[tuple[int, Item]]:
    """Every line read and checked before the first is used. Raises BadInput with the line's number."""
    items: list[tuple[int, Item]] = []
    seen: dict[str, int] = {}
    number, ended = 0, False
    for number, value in _values(lines):
        if number == 1:
            _header(value)
        elif ended:
            raise _broken(number, "something follows the end mark")
        elif "mnemos_end" in value:
            ended = True
        else:
            item = _item(number, value)
            name = item.id if isinstance(item, Episode) else item[0].id
            if name in seen:
                raise _broken(number, f"the id '{name}' stands in line {seen[name]} already")
            seen[name] = number
            items.append((number, item))
    if not ended:
        raise _broken(number + 1, "the file ends here without its end mark: it was cut off")
    return items


def _values(lines: Iterable[bytes]) -> Iterator[tuple[int, dict[str, Any]]]:
    for number, raw in enumerate(lines, start=1):
        try:
            text = raw.decode("utf-8-sig" if number == 1 else "utf-8").strip()
        except UnicodeDecodeError as error:
            raise _broken(number, "it is no UTF-8 text") from error
        if not text and number > 1:
            continue
        try:
            value = json.loads(text)
        except (ValueError, RecursionError) as error:
            cut = "" if raw.endswith(b"\n") else " (the file ends in the middle of it: it was cut off)"
            raise _broken(number, f"it is no JSON{cut}") from error
        if not isinstance(value, dict):
            raise _broken(number, "it is no JSON object")
        yield number, value


def _header(value: dict[str, Any]) -> None:
    found = value.get("mnemos_export")
    if found is None:
        raise _broken(1, 'it is not the header of an export, {"mnemos_export": 1, ...}')
    if found != FORMAT:
        raise _broken(1, f"the export has format {str(found)[:20]}; this program reads format {FORMAT}. Update mnemos-mcp")


def _item(number: int, value: dict[str, Any]) -> Item:
    try:
        for name, read in (("memory", memory_of), ("episode", episode_of)):
            if isinstance(value.get(name), dict):
                return read(value[name])  # type: ignore[no-any-return, operator]
    except BadInput as error:
        raise _broken(number, str(error).rstrip(".")) from error
    raise _broken(number, "it holds neither a memory nor an episode")


def _broken(number: int, why: str) -> BadInput:
    return BadInput(f"Line {number}: {why}. Nothing was imported.")


def _resettled(item: Item, project: str, trust: bool) -> Item:
    """The item with the origin and project it has here."""
    def origin(exported: Origin) -> Origin:
        return exported if trust and exported in HUMAN else "imported"

    if isinstance(item, Episode):
        return item._replace(origin=origin(item.origin), project=project if project and item.project else item.project)
    memory, revisions = item
    scope = Scope("project", project) if project and memory.scope.level == "project" else memory.scope
    return memory._replace(origin=origin(memory.origin), scope=scope), revisions
