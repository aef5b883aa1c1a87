"""The records that clients keep of their sessions, as what mnemos may learn from them: what the human said, what failed, what passed.

Nothing else comes out: no words of the assistant or of programs, no output of a tool that worked, no subagents. The formats are internal to the
clients and may change: what does not fit is skipped, and what was skipped is counted. Read from records of Claude Code 2.1.332 and Codex CLI 0.171.0.
"""
from __future__ import annotations

import json
import os
import re
import stat
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import IO, Any, Literal, NamedTuple

from .errors import BadInput
from .moments import parse
from .transcript import EDITORS as EDITORS

Client = Literal["", "export", "claude", "codex"]
LONGEST_LINE = 4_000_000  # bytes: a prompt with a screenshot is shorter
SNIFFED = 40  # lines that may show whose record it is
SNIFFED_BYTES = 1_000_000


class Said(NamedTuple):
    """Words of the human, as they came. `key` is the identity that a hook gives the same event."""

    at: float
    session: str
    folder: str
    text: str
    key: str


class Ran(NamedTuple):
    """A command or tool call that ended: `error` is '' when it passed."""

    at: float
    session: str
    folder: str
    command: str
    error: str
    key: str


class Edited(NamedTuple):
    """A file was changed; the last part of its name."""

    at: float
    session: str
    name: str


Happening = Said | Ran | Edited


@dataclass
class Skipped:
    """What a record held that was left out."""

    machine: int = 0  # prompts that programs wrote: notifications, commands, summaries
    aside: int = 0  # lines of subagents
    damaged: int = 0
    long: int = 0  # lines over LONGEST_LINE, never read


@dataclass
class Reading:
    """One record being read. `at` is the last time that it gave."""

    skipped: Skipped = field(default_factory=Skipped)
    at: float = 0.0

    def time(self, line: dict[str, Any]) -> float:
        """When this line was written; the line before it where it does not tell."""
        with suppress(KeyError, BadInput):
            self.at = parse(line["timestamp"])
        return self.at


def recognised(lines: Iterable[bytes]) -> Client:
    """Whose file begins like this: an export of mnemos, a record of Claude Code or of Codex, or ''."""
    for raw in lines:
        try:
            line = json.loads(raw)
        except (ValueError, RecursionError):
            continue
        if not isinstance(line, dict):
            continue
        kind = line.get("type")
        if "mnemos_export" in line:
            return "export"
        if kind in ("session_meta", "response_item", "event_msg", "turn_context") and isinstance(line.get("payload"), dict):
            return "codex"
        if isinstance(kind, str) and (isinstance(line.get("sessionId"), str) or "leafUuid" in line or kind == "file-history-snapshot"):
            return "claude"
    return ""


def client_of(path: str) -> Client:
    """The same of a file; '' for one that cannot be read."""
    try:
        with open(path, "rb") as file:
            return recognised(beginning(file))
    except OSError:
        return ""


def beginning(file: IO[bytes]) -> Iterator[bytes]:
    read = 0
    for _ in range(SNIFFED):
        raw = file.readline(SNIFFED_BYTES)
        read += len(raw)
        if not raw or read > SNIFFED_BYTES:
            return
        yield raw


class Begun:
    """A stream whose first line has been looked at, whole again: lines as from a file."""

    def __init__(self, file: IO[bytes]):
        self._file, self._first = file, file.readline(SNIFFED_BYTES)
        self.client = recognised([self._first])

    def readline(self, longest: int = -1) -> bytes:
        first, self._first = self._first, b""
        if not first or first.endswith(b"\n"):
            return first or self._file.readline(longest)
        return first + self._file.readline(longest - len(first) if longest > 0 else -1)

    def __iter__(self) -> Iterator[bytes]:
        return iter(self.readline, b"")


def bounded(file: IO[bytes] | Begun, skipped: Skipped, progress: Any = None) -> Iterator[bytes]:
    """The lines of a file, those over LONGEST_LINE apart: they are passed over in pieces and counted."""
    while raw := file.readline(LONGEST_LINE):
        if progress:
            progress(len(raw))
        if len(raw) < LONGEST_LINE or raw.endswith(b"\n"):
            yield raw
            continue
        skipped.long += 1
        while raw and not raw.endswith(b"\n"):
            raw = file.readline(LONGEST_LINE)
            if progress:
                progress(len(raw))


def parsed(raw: bytes, wanted: re.Pattern[bytes], skipped: Skipped) -> dict[str, Any] | None:
    """The object of a line that holds what is looked for. Others, the client's own long ones among them, are not parsed."""
    text = raw.strip()
    if not text:
        return None
    if not (text.startswith(b"{") and text.endswith(b"}")):
        skipped.damaged += 1
        return None
    if not wanted.search(text):
        return None
    try:
        line = json.loads(text)
    except (ValueError, RecursionError):
        skipped.damaged += 1
        return None
    return line if isinstance(line, dict) else None


def files(path: str) -> list[str]:
    """The JSON Lines files of a path: itself, or all below a folder, the one written last at the end. Links are not followed."""
    if not os.path.isdir(path):
        return [path]
    found: list[tuple[float, str]] = []
    for folder, _, names in os.walk(path):
        for name in names:
            one = os.path.join(folder, name)
            try:
                state = os.lstat(one)
            except OSError:
                continue
            if name.endswith(".jsonl") and stat.S_ISREG(state.st_mode):
                found.append((state.st_mtime, one))
    return [one for _, one in sorted(found)]


def text_of(value: Any) -> str:
    """A text, without halves of characters; '' for anything else."""
    return value.encode("utf-8", "replace").decode("utf-8") if isinstance(value, str) else ""


def object_of(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def list_of(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
