"""Is the file that a connection holds still the one that its path leads to? A file can be deleted or replaced under a running server, and
what is written to it then is lost with the process. SQLite itself does not look in write-ahead mode; this looks before each use."""
from __future__ import annotations

import os
from contextlib import suppress

import apsw

from ..private import open_private
from .integrity import SIDE_FILES

Seen = tuple[tuple[int, int] | None, ...]


def seen(path: str) -> Seen:
    """Device and number of the file and its side files, None where there is none (two microseconds each)."""
    return tuple(_identity(path + side) for side in SIDE_FILES)


def _identity(path: str) -> tuple[int, int] | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino


def what_moved(before: Seen, now: Seen) -> str:
    """'' when nothing did; "file" when the database is another one or gone, "log" when only its side files are."""
    if before[0] != now[0]:
        return "file"
    # Side files that appear are SQLite's own doing; once there they stay as long as anybody holds the file.
    return "log" if any(old is not None and old != new for old, new in zip(before[1:], now[1:], strict=True)) else ""


def unsaved(db: apsw.Connection) -> bool:
    """Whether the log of this connection holds commits that are not in the database file yet. Looks, changes nothing."""
    _, frames, moved = db.execute("pragma wal_checkpoint(noop)").fetchall()[0]
    return int(frames) > max(0, int(moved))


def let_go(db: apsw.Connection, path: str, before: Seen, now: Seen) -> str:
    """Bring what this connection has committed to safety, close it, and say what happened.

    What stands in the log goes into the file that the connection holds, wherever that was moved to. Where others may have begun
    anew under this name that would mix two histories: then all that this connection sees goes into a file of its own beside it.
    """
    moved = what_moved(before, now)
    others = now[0] is not None if moved == "file" else now[1] not in (None, before[1]) and os.path.getsize(path + "-wal") > 0
    kept = ""
    try:
        if unsaved(db):
            if others:
                kept = _copied(db, path)
            else:
                db.execute("pragma wal_checkpoint(truncate)").fetchall()
        db.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        if moved == "file":
            _without_sides(path, before, now)
    finally:
        db.close()
    then = f"what was not in the file yet is kept in {kept}: set MNEMOS_SQLITE_PATH to it and `mnemos export`, then `mnemos import` here" if kept else ""
    if moved == "file":
        here = "the one that is there now is used" if now[0] else "a new, empty one was begun"
        return "; ".join(filter(None, (f"the database was deleted or replaced while it was open; {here}", then)))
    return f"the log of the database was deleted while it was open; {then or 'nothing was lost'}"


def _without_sides(path: str, before: Seen, now: Seen) -> None:
    """The log of a database that is gone must not be read into the one that comes in its place."""
    for side, old, new in zip(SIDE_FILES[1:], before[1:], now[1:], strict=True):
        if old is not None and old == new:
            with suppress(OSError):
                os.remove(path + side)


def _copied(db: apsw.Connection, path: str) -> str:
    number = next(n for n in range(1, 1000) if not os.path.exists(f"{path}.apart-{n}"))
    target = f"{path}.apart-{number}"
    os.close(open_private(target))
    copy = apsw.Connection(target)
    try:
        with copy.backup("main", db, "main") as work:
            while not work.done:
                work.step(1000)
        copy.execute("pragma journal_mode=delete").fetchall()
    finally:
        copy.close()
    return target
