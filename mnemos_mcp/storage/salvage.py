"""What can still be read of a damaged file, row by row, into a new one. Works on a copy: the damaged file itself is never opened for writing.

SQLite's own recovery API is not in this build (no dbpage table), so rows are read by number: a range that fails is halved
until the failing row stands alone. Leaves whose branch is lost are then read one page at a time. What belongs to a memory is
looked up memory by memory.
"""
from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import apsw

from .buffer import EPISODE_COLUMNS
from .integrity import words_broken
from .rows import COLUMNS, episode_of, memory_of
from .statement import one, run

PAGE_BYTES = 4096
ROWS_A_PAGE = 40  # more memories than this do not fit on a page: bounds the search when the file no longer knows its last number
STEP = 256  # rows read at once
SHOWN = 20  # findings of the check that are reported
# What belongs to a memory or a run, and the column that says to which.
PARTS = {"tag": "n", "vector": "n", "revision": "memory_id", "edge": "a", "note": "memory_id", "recall": "memory_id"}
SMALL = ("run", "project", "kept", "counter", "failure", "receipt", "session", "hook_time")
LEAF = 0x0D  # first byte of a page that holds rows
# What tells a row of this table from one of another that lies on a page like it.
OWN = {"memory": "status in ('active', 'archived', 'superseded') and origin in ('user', 'agent', 'tool', 'imported')",
       "episode": "status in ('pending', 'consolidated') and role in ('user', 'assistant', 'tool')"}
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
    """Everything that SQLite's check, the reading of every text and the word index's own check find; empty means whole."""
    try:
        db = _read_only(path)
        try:
            found = [str(row[0]) for row in db.execute(f"pragma integrity_check({SHOWN})").fetchall() if row[0] != "ok"]
            ours = one(db, "select count(*) from sqlite_schema where name in ('memory', 'fts')") == 2
            for table in ("memory", "episode", "revision") if ours and not found else ():
                for _ in db.execute(f"select * from {table}"):
                    pass
        finally:
            db.close()
        return found or (["the word index does not agree with the texts"] if ours and _words_broken(path) else [])
    except UnicodeDecodeError as error:
        return [f"a text is damaged ({error.reason})"]
    except apsw.Error as error:
        return [str(error)]


def _read_only(path: str) -> apsw.Connection:
    """Without a log file nobody has it open: then not even side files are made."""
    if os.path.exists(path + "-wal"):
        return apsw.Connection(path, flags=apsw.SQLITE_OPEN_READONLY)
    return apsw.Connection(Path(path).absolute().as_uri() + "?immutable=1", flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)


def _words_broken(path: str) -> bool:
    """The index can only be asked by a connection that may write; the file is known to be sane by now."""
    db = _looked_at(path)
    try:
        db.set_busy_timeout(20_000)
        return words_broken(db)
    finally:
        db.close()


def layout(path: str) -> int:
    """The layout number as the head of the file tells it, 0 when it has no such head."""
    with open(path, "rb") as file:
        head = file.read(100)
    return int.from_bytes(head[60:64], "big") if head.startswith(b"SQLite format 3\0") else 0


def salvage(copy: str, target: apsw.Connection, fresh: str) -> Salvaged:
    """Every readable row of `copy` (changed at will) into `target`, an empty store at `fresh` with its log folded in."""
    source = _opened(copy, target, fresh)
    saved = Salvaged()
    if source is None:
        return saved
    try:
        run(target, "begin immediate")
        try:
            run(target, "delete from kept where name = 'swept'")  # what is saved passed the rules that its own mark names, not those of the new file
            for table in OWN:
                _numbered(source, target, table, saved)
                _loose(copy, target, table, saved)
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


def _opened(copy: str, target: apsw.Connection, fresh: str) -> apsw.Connection | None:
    """The copy with a readable schema, or None. A lost schema is borrowed from a fresh file of the same layout."""
    for graft in (False, True):
        if graft and not _graft(copy, target, fresh):
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


def _graft(copy: str, target: apsw.Connection, fresh: str) -> bool:
    """The same steps made the same tables at the same pages, so that a fresh file's schema pages fit. False when the copy has no pages."""
    if os.path.getsize(copy) < 2 * PAGE_BYTES:
        return False
    with open(fresh, "rb") as file, open(copy, "r+b") as damaged:
        for (number,) in target.execute("select pageno from dbstat where name = 'sqlite_schema'").fetchall():
            start = (int(number) - 1) * PAGE_BYTES  # type: ignore[arg-type]
            file.seek(start)
            page = file.read(PAGE_BYTES)
            damaged.seek(start)
            damaged.write(_timeless(page) if start == 0 else page)
    for side in ("-wal", "-shm"):
        if os.path.exists(copy + side):
            os.remove(copy + side)
    return True


def _timeless(first: bytes) -> bytes:
    """A first page that fits other pages than its own."""
    page = bytearray(first)
    page[24:28] = b"\xff\xff\xff\xfe"  # unlike the number at 92: SQLite then takes the size from the file itself
    page[32:40] = bytes(8)  # no free pages
    return bytes(page)


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
    except _DAMAGE as error:
        if low == high:
            row = _mended(db, table, names, low) if isinstance(error, UnicodeDecodeError) else []
            saved.lost[table] = saved.lost.get(table, 0) + 1 - len(row)
            return row
    middle = (low + high) // 2
    return _range(db, table, names, low, middle, saved) + _range(db, table, names, middle + 1, high, saved)


def _mended(db: apsw.Connection, table: str, names: Sequence[str], n: int) -> list[Any]:
    """A row whose text is no UTF-8 any more, with marks in the place of the damaged bytes."""
    raw = ",".join(f"case typeof({name}) when 'text' then cast({name} as blob) else {name} end" for name in names)
    try:
        rows = db.execute(f"select {raw} from {table} where n = ?", (n,)).fetchall()
    except _DAMAGE:
        return []
    return [tuple(value.decode("utf-8", "replace") if isinstance(value, bytes) else value for value in row) for row in rows]


def _loose(copy: str, target: apsw.Connection, table: str, saved: Salvaged) -> None:
    """Rows on leaves that no branch leads to any more: each leaf in turn is read as if it were the whole table."""
    carrier, names = copy + ".leaves", ",".join(_columns(target, table))
    leaves = _carry(copy, carrier, str(one(target, "select sql from sqlite_schema where name = ?", table)))
    before = saved.rows.get(table, 0)
    db = apsw.Connection(carrier)
    try:
        for pragma in ("journal_mode=off", "synchronous=off"):  # the carrier is thrown away
            db.execute(f"pragma {pragma}").fetchall()
        for number in leaves:
            with suppress(*_DAMAGE):
                db.execute("pragma writable_schema=on").fetchall()
                run(db, "update sqlite_schema set rootpage = ? where name = ?", number, table)
                db.execute("pragma writable_schema=reset").fetchall()  # reads anew where the table begins
            for order in ("asc", "desc"):  # from both ends of the leaf to its damage
                with suppress(*_DAMAGE):
                    _put(target, table, db.execute(f"select {names} from {table} where {OWN[table]} order by n {order}"), saved)
    finally:
        db.close()
    os.remove(carrier)
    if table in saved.lost:
        saved.lost[table] = max(0, saved.lost[table] - (saved.rows.get(table, 0) - before))


def _carry(copy: str, carrier: str, sql: str) -> list[int]:
    """The pages of the copy under a first page that knows one table only; the numbers of its leaves."""
    db = apsw.Connection(carrier)
    db.execute(sql).fetchall()
    db.close()
    with open(carrier, "rb") as file:
        head = _timeless(file.read(PAGE_BYTES))
    with open(copy, "rb") as file:
        rest = file.read()[PAGE_BYTES:]
    with open(carrier, "wb") as file:
        file.write(head + rest)
    return [2 + start // PAGE_BYTES for start in range(0, len(rest), PAGE_BYTES) if rest[start] == LEAF]


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


def tags_again(db: apsw.Connection) -> None:
    """Tags stand in the memory too: those whose own rows were lost."""
    for n, tags in db.execute("select n, tags from memory where tags <> '[]'").fetchall():
        for tag in json.loads(str(tags)):
            run(db, "insert or ignore into tag values (?, ?)", n, tag)


def drop_nonsense(db: apsw.Connection) -> int:
    """Rows that SQLite could read and nobody can use: damaged inside a page that still looks like one. How many were removed."""
    run(db, "update memory set status = 'archived', reason = 'recovered: its status could not be read' "
            "where status not in ('active', 'archived', 'superseded')")
    gone = 0
    for table, columns, read in (("memory", COLUMNS, memory_of), ("episode", EPISODE_COLUMNS, episode_of)):
        for row in db.execute(f"select m.n, {columns} from {table} m").fetchall():
            try:
                read(row[1:])
            except (TypeError, ValueError):
                gone += run(db, f"delete from {table} where n = ?", row[0])
    return gone
