"""What can still be read of a damaged file, row by row, into a new one. Works on a copy: the damaged file itself is never opened for writing.

SQLite's own recovery API is not in this build (no dbpage table), so rows are read by number: a range that fails is halved
until the failing row stands alone. What belongs to a memory is then looked up memory by memory.
"""
from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import apsw

from .integrity import words_broken
from .rows import COLUMNS, EPISODE_COLUMNS, episode_of, memory_of
from .statement import one, run

PAGE_BYTES = 4096
ROWS_A_PAGE = 40  # more memories than this do not fit on a page: bounds the search when the file no longer knows its last number
STEP = 256  # rows read at once
SHOWN = 20  # findings of the check that are reported
# What belongs to a memory or a run, and the column that says to which.
PARTS = {"tag": "n", "vector": "n", "revision": "memory_id", "edge": "a", "note": "memory_id", "recall": "memory_id"}
SMALL = ("run", "project", "kept", "counter")
_DAMAGE = (apsw.Error, UnicodeDecodeError)


@dataclass(slots=True)
class Salvaged:
    """Rows saved and rows that could not be read, by table. Lost ones of parts are not counted: nobody knows how many there were."""

    rows: dict[str, int] = field(default_factory=dict)
    lost: dict[str, int] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return any(self.rows.values())


def _looked_at(path: str) -> apsw.Connection:
    """The file opened in a way that leaves it as it is: what waits in its log file is not folded in when the connection closes."""
    waiting = os.path.exists(path + "-wal") and os.path.getsize(path + "-wal") > 0
    db = apsw.Connection(path, flags=apsw.SQLITE_OPEN_READWRITE)
    if waiting:  # else closing just clears the side files away
        db.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
    return db


def in_use(path: str) -> bool:
    """Does another process have this file open? Asked by trying to have it alone; nothing is written, no log file is folded in."""
    try:
        db = _looked_at(path)
        try:
            db.execute("pragma locking_mode=exclusive").fetchall()
            db.execute("begin exclusive").fetchall()
            db.execute("rollback").fetchall()
        finally:
            db.close()
    except (apsw.BusyError, apsw.LockedError):
        return True
    except apsw.Error:
        return False  # damaged so far that SQLite does not read its head
    return False


def troubles(path: str) -> list[str]:
    """Everything that SQLite's check and the word index's own check find, in their words; empty means whole."""
    db = _looked_at(path)
    try:
        db.set_busy_timeout(20_000)
        found = [str(row[0]) for row in db.execute(f"pragma integrity_check({SHOWN})").fetchall() if row[0] != "ok"]
        if not found and one(db, "select 1 from sqlite_schema where name = 'fts'") and words_broken(db):
            found.append("the word index does not agree with the texts")
        return found
    except apsw.Error as error:
        return [str(error)]
    finally:
        db.close()


def layout(path: str) -> int:
    """The layout number as the head of the file tells it, 0 when it has no such head."""
    with open(path, "rb") as file:
        head = file.read(100)
    return int.from_bytes(head[60:64], "big") if head.startswith(b"SQLite format 3\0") else 0


def salvage(copy: str, target: apsw.Connection, fresh: str) -> Salvaged:
    """Every readable row of `copy` (changed at will) into `target`, an empty store at `fresh` with its log folded in."""
    source = _opened(copy, fresh)
    saved = Salvaged()
    if source is None:
        return saved
    try:
        run(target, "begin immediate")
        try:
            _numbered(source, target, "memory", saved)
            _numbered(source, target, "episode", saved)
            _parts(source, target, saved)
            for table in SMALL:
                _put(target, table, _both_ways(source, table), saved)
            run(target, "insert into fts(fts) values ('rebuild')")
            run(target, "commit")
        except BaseException:
            run(target, "rollback")
            raise
    finally:
        source.close()
    return saved


def _opened(copy: str, fresh: str) -> apsw.Connection | None:
    """The copy with a readable schema, or None. A lost first page is borrowed from a fresh file of the same layout."""
    for graft in (False, True):
        if graft and not _graft(copy, fresh):
            return None
        db = apsw.Connection(copy)
        try:
            # Lets SQLite open a file that is shorter than its head says.
            db.execute("pragma writable_schema=on").fetchall()
            if one(db, "select count(*) from sqlite_schema where name in ('memory', 'episode')") == 2:
                return db
        except _DAMAGE:
            pass
        db.close()
    return None


def _graft(copy: str, fresh: str) -> bool:
    """The same steps made the same tables at the same pages, so that a fresh file's first page fits. False when there are no pages."""
    if os.path.getsize(copy) < 2 * PAGE_BYTES:
        return False
    with open(fresh, "rb") as file:
        page = bytearray(file.read(PAGE_BYTES))
    page[24:28] = b"\xff\xff\xff\xfe"  # unlike the number at 92: SQLite then takes the size from the file itself
    page[32:40] = bytes(8)  # no free pages
    with open(copy, "r+b") as file:
        file.write(page)
    for side in ("-wal", "-shm"):
        if os.path.exists(copy + side):
            os.remove(copy + side)
    return True


def _columns(target: apsw.Connection, table: str) -> list[str]:
    return [str(row[1]) for row in target.execute(f"pragma table_info({table})").fetchall()]


def _last(db: apsw.Connection, table: str) -> int:
    """The highest number that a row can have."""
    for sql in (f"select max(n) from {table}", f"select seq from sqlite_sequence where name = '{table}'"):
        try:
            number = one(db, sql)
            if isinstance(number, int):
                return number
        except _DAMAGE:
            pass
    return int(one(db, "select page_count from pragma_page_count()") or 0) * ROWS_A_PAGE


def _numbered(source: apsw.Connection, target: apsw.Connection, table: str, saved: Salvaged) -> None:
    """A table whose rows are numbered by `n`."""
    names = _columns(target, table)
    last = _last(source, table)
    for low in range(1, last + 1, STEP):
        _put(target, table, _range(source, table, names, low, min(low + STEP - 1, last), saved), saved)


def _range(db: apsw.Connection, table: str, names: Sequence[str], low: int, high: int, saved: Salvaged) -> list[Any]:
    try:
        return db.execute(f"select {','.join(names)} from {table} where n between ? and ?", (low, high)).fetchall()
    except _DAMAGE:
        if low == high:
            saved.lost[table] = saved.lost.get(table, 0) + 1
            return []
    middle = (low + high) // 2
    return _range(db, table, names, low, middle, saved) + _range(db, table, names, middle + 1, high, saved)


def _parts(source: apsw.Connection, target: apsw.Connection, saved: Salvaged) -> None:
    for n, memory_id in target.execute("select n, id from memory").fetchall():
        for table, column in PARTS.items():
            _put(target, table, _belonging(source, table, column, n if column == "n" else memory_id), saved)


def _belonging(db: apsw.Connection, table: str, column: str, owner: Any) -> list[Any]:
    try:
        return db.execute(f"select * from {table} where {column} = ?", (owner,)).fetchall()
    except _DAMAGE:
        return []


def _both_ways(db: apsw.Connection, table: str) -> Iterator[Any]:
    """A small table from its front and from its end, each as far as it can be read."""
    for order in ("asc", "desc"):
        try:
            yield from db.execute(f"select * from {table} order by 1 {order}")
        except _DAMAGE:
            continue
        return


def _put(target: apsw.Connection, table: str, rows: Any, saved: Salvaged) -> None:
    for row in rows:
        try:
            saved.rows[table] = saved.rows.get(table, 0) + run(target, f"insert or ignore into {table} values ({','.join('?' * len(row))})", *row)
        except apsw.Error:
            saved.lost[table] = saved.lost.get(table, 0) + 1


def drop_nonsense(db: apsw.Connection) -> int:
    """Rows that SQLite could read and nobody can use: damaged inside a page that still looks like one. How many were removed."""
    gone = 0
    for table, columns, read in (("memory", COLUMNS, memory_of), ("episode", EPISODE_COLUMNS, episode_of)):
        for row in db.execute(f"select m.n, {columns} from {table} m").fetchall():
            try:
                read(row[1:])
            except (TypeError, ValueError):
                gone += run(db, f"delete from {table} where n = ?", row[0])
    return gone
