"""What the client's own memory files say already: text known to the gate, never written and never kept.

Of a project: CLAUDE.md, AGENTS.md and their like at its root, .claude/rules/*.md, and the folder where Claude Code keeps its memory of it. Of the user:
~/.claude/CLAUDE.md and ~/.codex/AGENTS.md. What a repository holds is somebody's: only regular files inside it count, bounded in number and size.
"""
from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from .mechanisms.known_text import Told

AT_ROOT = ("CLAUDE.md", "AGENTS.md", "CLAUDE.local.md", ".claude/CLAUDE.md")
OF_USER = (".claude/CLAUDE.md", ".codex/AGENTS.md")
MOST_FILES = 20  # of a project, and of the user
LARGEST = 65_536  # bytes of a file that are read: a client's memory is short, or its model would not read it either
LOOK_AGAIN_S = 5.0  # between two looks at the same folder
MOST_BYTES = 262_144  # of all files of a place: a third of a second of reading when all of them are new


class Folder(NamedTuple):
    """The files of one place: how each looked, and what it says."""

    looked: float
    states: dict[str, tuple[int, int, int]]  # path -> (inode, size, time of the last change)
    said: dict[str, list[Told]]


class KnownFiles:
    """`root_of` gives the folder of a project's identity, '' where none is known. `clock` in seconds."""

    def __init__(self, home: str, root_of: Callable[[str], str], clock: Callable[[], float]):
        self.home, self._root_of, self._clock = home, root_of, clock
        self._folders: dict[str, Folder] = {}

    def say(self, text: str, project: str, *, alike: Callable[[str, str], bool] | None = None) -> str:
        """The name of a file that says this already, else ''. `project` '' asks those of the user alone; `alike` as in `holders`."""
        from .mechanisms.known_text import holders
        found = holders(text, list(self._all(project)), alike)
        return found[0] if found and all(found) else ""

    def _all(self, project: str) -> Iterator[tuple[str, Told]]:
        root = self._root_of(project) if project else ""
        places = [(root, of_project)] if root else []
        places += [(self.home, of_user)] if self.home else []
        for folder, find in places:
            for path, said in self._read(folder, find).said.items():
                name = self._name(path, root)
                for statement in said:
                    yield name, statement

    def _name(self, path: str, root: str) -> str:
        """As people know it."""
        if root and path.startswith(root.rstrip(os.sep) + os.sep):
            return os.path.relpath(path, root)
        return f"~{os.sep}{os.path.relpath(path, self.home)}"

    def _read(self, folder: str, find: Callable[[str, str], Iterator[str]]) -> Folder:
        """What the files of a place say, looked at again after a while, read again when they changed."""
        from .mechanisms.known_text import statements
        now = self._clock()
        known = self._folders.get(f"{find.__name__} {folder}")
        if known and abs(now - known.looked) < LOOK_AGAIN_S:
            return known
        states = _fitting(find(folder, self.home))
        said = {path: known.said[path] if known and known.states.get(path) == state else statements(_text(path)) for path, state in states.items()}
        self._folders[f"{find.__name__} {folder}"] = Folder(now, states, said)
        return self._folders[f"{find.__name__} {folder}"]


def of_project(root: str, home: str) -> Iterator[str]:
    """Files at the root and in its rules, then those that Claude Code keeps of it in the user's home."""
    inside = [os.path.join(root, name) for name in AT_ROOT] + _markdown(os.path.join(root, ".claude", "rules"))
    yield from (path for path in inside if _within(path, root))
    for name in dict.fromkeys((re.sub(r"[^A-Za-z0-9]", "-", root), root.replace(os.sep, "-"))) if home else ():
        yield from (path for path in _markdown(os.path.join(home, ".claude", "projects", name, "memory")) if _within(path, home))


def of_user(home: str, _: str) -> Iterator[str]:
    yield from (path for path in (os.path.join(home, name) for name in OF_USER) if _within(path, home))


def _markdown(folder: str) -> list[str]:
    try:
        return [os.path.join(folder, name) for name in sorted(os.listdir(folder)) if name.endswith(".md")]
    except OSError:
        return []


def _fitting(paths: Iterator[str]) -> dict[str, tuple[int, int, int]]:
    """The first of these that are files, as many as may be read, each with how it looks now."""
    states: dict[str, tuple[int, int, int]] = {}
    left = MOST_BYTES
    for path in paths:
        state = _state(path)
        if state is None:
            continue
        left -= min(state[1], LARGEST)
        if left < 0 or len(states) == MOST_FILES:
            break
        states[path] = state
    return states


def _within(path: str, folder: str) -> bool:
    """There, and inside the folder wherever links lead."""
    try:
        return os.path.lexists(path) and os.path.realpath(path).startswith(os.path.realpath(folder).rstrip(os.sep) + os.sep)
    except (OSError, ValueError):
        return False


def _state(path: str) -> tuple[int, int, int] | None:
    try:
        state = os.stat(path)
    except (OSError, ValueError):
        return None
    return (state.st_ino, state.st_size, state.st_mtime_ns) if stat.S_ISREG(state.st_mode) else None


def _text(path: str) -> str:
    """The beginning of a regular file; '' for anything else, and where it cannot be read."""
    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0))
        with open(handle, "rb") as file:
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                return ""
            raw = file.read(LARGEST + 1)
    except (OSError, ValueError):
        return ""
    whole = raw if len(raw) <= LARGEST else raw[:LARGEST].rpartition(b"\n")[0]
    return whole.decode("utf-8-sig", "replace")
