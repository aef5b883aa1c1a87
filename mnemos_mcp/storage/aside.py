"""Writes that a hook could not bring into the file because it was held or damaged: put aside as lines, taken in by the next process that can."""
from __future__ import annotations

import json
import os
from collections.abc import Sequence
from typing import Any

from .. import buffered as union
from ..buffered import Applied, BufferWrite
from ..episode import Episode, Failure
from ..private import open_private
from .buffer import ASIDE

MOST_BYTES = 5_000_000  # beyond that nothing more is put aside: the fault is no passing one


class Aside:
    """The face of a file that cannot be opened or written now: it knows nothing, and what is applied lies beside it until a worker takes it in."""

    read_only = False
    hurried = True

    def __init__(self, database: str):
        self.path = database + ASIDE

    def kept(self, name: str) -> str:
        return ""

    def named(self, name: str) -> list[str]:
        return []

    def joined(self) -> dict[str, str]:
        return {}

    def failures(self, **_: Any) -> list[Failure]:
        return []

    def receipts(self, **_: Any) -> list[dict[str, Any]]:
        return []

    def told(self, session: str) -> frozenset[str]:
        return frozenset()

    def prompts(self, session: str) -> int:
        return 1_000  # nothing can be recalled either: no prompt is the first

    def pending(self, projects: Sequence[str], limit: int) -> list[Episode]:
        return []

    def gather(self, *_: Any) -> Any:
        return [], [], [], []

    def waiting(self, projects: Sequence[str], besides: str = "") -> int:
        return 0

    def last_told(self, projects: Sequence[str], besides: str) -> float:
        return 0.0

    def aside(self) -> bool:
        return False  # who cannot open the file cannot take anything in

    def hurry(self) -> None:
        """It never waits."""

    def strengths(self, ids: Sequence[str]) -> dict[str, float]:
        return {}

    def apply(self, writes: Sequence[BufferWrite]) -> Applied:
        """On the disk on return. OSError when it cannot be, or when too much lies there: the fault is no passing one."""
        if os.path.exists(self.path) and os.path.getsize(self.path) > MOST_BYTES:
            raise OSError(f"{self.path} has more than {MOST_BYTES} bytes; nothing more is put aside")
        line = json.dumps([[type(write).__name__, *write] for write in writes], ensure_ascii=False) + "\n"
        for _ in range(3):
            handle = open_private(self.path, append=True)
            try:
                os.write(handle, line.encode("utf-8", "replace"))
                os.fsync(handle)
                if self._is_still(handle):
                    break  # else a worker took the file meanwhile, and may have read it before this line came: twice is once
            finally:
                os.close(handle)
        return Applied()

    def _is_still(self, handle: int) -> bool:
        """Is the file that was written the one that lies there now?"""
        try:
            return os.path.samestat(os.fstat(handle), os.stat(self.path))
        except FileNotFoundError:
            return False


def waiting(database: str) -> int:
    """How many deliveries lie aside."""
    try:
        with open(database + ASIDE, "rb") as file:
            return sum(1 for _ in file)
    except OSError:
        return 0


def take(database: str) -> tuple[list[str], list[list[BufferWrite]]]:
    """Files claimed by this process with the deliveries in them, oldest first. For one taker at a time; call `done` once they are in."""
    import glob
    mine = f"{database}{ASIDE}.{os.getpid()}"
    if os.path.exists(database + ASIDE):
        os.rename(database + ASIDE, mine)
    claimed = sorted(glob.glob(f"{glob.escape(database + ASIDE)}.*"), key=os.path.getmtime)  # those of a taker that died are taken again
    lines = [line for path in claimed for line in _lines(path)]
    return claimed, [delivery for line in lines if (delivery := _read(line))]


def done(claimed: Sequence[str]) -> None:
    for path in claimed:
        os.unlink(path)


def _lines(path: str) -> list[str]:
    with open(path, encoding="utf-8", errors="replace", newline="\n") as file:
        return file.read().split("\n")  # not splitlines: what was said may hold other signs for the end of a line


def _read(line: str) -> list[BufferWrite]:
    """A line torn by a kill is no delivery, nor is one whose values no row can hold."""
    try:
        writes = [_write(name, fields) for name, *fields in json.loads(line)]
    except (ValueError, TypeError, AttributeError, KeyError, IndexError):
        return []
    return writes if all(isinstance(value, str | int | float | tuple | None) for write in writes for value in write) else []


def _write(name: str, fields: list[Any]) -> Any:
    if name == "AddEpisode":
        return union.AddEpisode(Episode(*fields[0]))
    return getattr(union, name)(*(tuple(field) if isinstance(field, list) else field for field in fields))
