"""Writes that a hook could not bring into the file because it was held or damaged: put aside as lines, taken in by the next process that can."""
from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from .. import buffered as union
from ..buffered import Applied, BufferWrite
from ..episode import Episode, Failure
from ..private import open_private
from .buffer import ASIDE

LOCK = "-aside.lock"  # ending of the file that a taker holds
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


def files(database: str) -> list[str]:
    """The queue beside the file and those that a taker has claimed, oldest first."""
    import glob
    found = glob.glob(f"{glob.escape(database + ASIDE)}*") if database != ":memory:" else []
    return sorted(found, key=_written)


def take_in(database: str, apply: Callable[[Sequence[BufferWrite]], object]) -> int:
    """Every delivery that lies aside through `apply`, oldest first; how many. Whatever `apply` raises, what lies there stays; a line that only looks like
    a delivery (TypeError, ValueError) does not hold up those behind it."""
    with _claimed(database) as said:
        deliveries = [delivery for line in said if (delivery := _read(line))]
        for writes in deliveries:
            try:
                apply(writes)
            except (TypeError, ValueError):
                continue
    return len(deliveries)


def lines(database: str) -> list[str]:
    """What lies aside, as it is written there; nothing is taken."""
    return [line for path in files(database) for line in _lines(path) if line]


def drop(database: str) -> int:
    """Everything that lies aside goes, unread; how many deliveries."""
    with _claimed(database) as said:
        return len(said)


@contextmanager
def _claimed(database: str) -> Iterator[list[str]]:
    """The lines that lie aside; hooks begin a new queue from now on. When the block ends well the files go, else they stay for the next taker."""
    if not files(database):
        yield []
        return
    with _alone(database):  # who finds another taker's files claimed waits until they are in: nothing may come in behind one who erases
        if os.path.exists(database + ASIDE):
            os.rename(database + ASIDE, f"{database}{ASIDE}.{os.getpid()}-{time.time_ns()}")
        paths = files(database)  # those of a taker that died are taken again
        yield [line for path in paths for line in _lines(path) if line]
        for path in paths:
            os.unlink(path)


@contextmanager
def _alone(database: str) -> Iterator[None]:
    """One taker at a time, also in other processes."""
    handle = open_private(f"{database}{LOCK}", append=True)
    try:
        try:
            import fcntl
            fcntl.flock(handle, fcntl.LOCK_EX)
        except ImportError:
            pass
        yield
    finally:
        os.close(handle)


def _written(path: str) -> float:
    try:
        return os.path.getmtime(path)
    except FileNotFoundError:
        return 0.0


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
