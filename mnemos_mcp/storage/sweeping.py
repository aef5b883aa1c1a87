"""Every text of the file, wherever it lies, and the two ways to be rid of one: its row goes, or the text is masked where it stands.

Tables that this page does not name (newer ones) are found in the schema: all their text columns are read, and masked.
"""
from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import apsw

from ..writes import Mask, Remove
from .rawbytes import contents
from .runs import remove_memory
from .statement import Stale, fetch, one, run

AT_ONCE = 500  # rows read in one step
KEYS = {"memory": ("id",), "revision": ("memory_id", "version"), "episode": ("id",), "note": ("rowid",), "recall": ("rowid",), "run": ("id",),
        "run_change": ("run_id", "kind", "item_id"), "project": ("identity",), "kept": ("name",)}
FIELDS = {"memory": ("content", "key", "tags", "session", "reason"), "revision": ("content", "reason"), "episode": ("content", "session"),
          "note": ("detail",), "recall": ("query",), "run": ("diff",), "run_change": ("before",), "project": ("name", "root"), "kept": ("name",)}
# No text of anybody: numbers, ids, hashes and what the texts above are copied into (tags and words follow their memory).
NO_TEXT = frozenset({"tag", "vector", "edge", "counter", "migration"})
SHORTEST = 6  # bytes: what is shorter is found anywhere


class StoredText(NamedTuple):
    """One text as it lies in the file. `key` names its row, `version` that of a memory (0 elsewhere)."""

    table: str
    key: tuple[Any, ...]
    field: str
    text: str
    version: int = 0


def _others(db: apsw.Connection) -> dict[str, tuple[tuple[str, ...], tuple[str, ...]]]:
    """Key and text columns of ordinary tables that are not named above."""
    found = {}
    for (name,) in fetch(db, "select name from sqlite_schema where type = 'table' and name not like 'sqlite_%' and name not like 'fts%'"):
        if name in KEYS or name in NO_TEXT:
            continue
        columns = fetch(db, f'pragma table_info("{name}")')
        primary = tuple(c[1] for c in sorted(columns, key=lambda c: c[5]) if c[5])
        texts = tuple(c[1] for c in columns if "text" in str(c[2]).lower() and not c[5])
        if texts:
            found[name] = (primary or ("rowid",), texts)
    return found


def count(db: apsw.Connection) -> int:
    """Rows that hold texts."""
    return sum(int(one(db, f'select count(*) from "{table}"') or 0) for table in (*KEYS, *_others(db)))


def texts(db: apsw.Connection) -> Iterator[list[StoredText]]:
    """All texts, the rows of a step at a time, as they stood at one moment. Nothing else may use the connection meanwhile."""
    run(db, "begin")
    try:
        yield from _steps(db)
    finally:
        run(db, "rollback")


def _steps(db: apsw.Connection) -> Iterator[list[StoredText]]:
    tables = {table: (KEYS[table], FIELDS[table]) for table in KEYS} | _others(db)
    for table, (key, fields) in tables.items():
        version = ", version" if table == "memory" else ""
        sql = f'select {", ".join((*key, *fields))}{version} from "{table}" order by {", ".join(key)} limit ? offset ?'
        offset = 0
        while rows := fetch(db, sql, (AT_ONCE, offset)):
            offset += len(rows)
            yield [StoredText(table, tuple(row[:len(key)]), field, str(text), row[-1] if version else 0)
                   for row in rows for field, text in zip(fields, row[len(key):], strict=False) if text]


def _where(db: apsw.Connection, table: str) -> str:
    return " and ".join(f"{name} = ?" for name in (KEYS.get(table) or _others(db)[table][0]))


def remove(db: apsw.Connection, write: Remove) -> dict[str, int]:
    """Rows removed per table: of a memory all that belongs to it, of anything else its row."""
    if write.table == "memory":
        run(db, "update memory set superseded_by = '' where superseded_by = ?", write.key[0])
        return remove_memory(db, str(write.key[0]))
    gone = {write.table: run(db, f'delete from "{write.table}" where {_where(db, write.table)}', *write.key)}
    if write.table == "episode":
        gone["run_change"] = run(db, "delete from run_change where kind = 'episode' and item_id = ?", write.key[0])
    return gone


def mask(db: apsw.Connection, write: Mask) -> None:
    """Raises Stale when a memory was changed meanwhile. A run whose kept state holds such a text can no longer be undone."""
    if write.table == "run_change":
        run(db, "update run set undone_at = coalesce(undone_at, at) where id = ?", write.key[0])
        run(db, "delete from run_change where run_id = ?", write.key[0])
        return
    if write.table == "memory":
        _mask_memory(db, write)
        return
    sets = ", ".join(f'"{name}" = ?' for name in write.fields)
    try:
        run(db, f'update "{write.table}" set {sets} where {_where(db, write.table)}', *write.fields.values(), *write.key)
    except apsw.ConstraintError:  # a name that another row has already
        run(db, f'delete from "{write.table}" where {_where(db, write.table)}', *write.key)


def _mask_memory(db: apsw.Connection, write: Mask) -> None:
    rows = fetch(db, "select n from memory where id = ? and version = ?", (write.key[0], write.version))
    if not rows:
        raise Stale(str(write.key[0]))
    n = rows[0][0]
    sets = ", ".join(f"{name} = ?" for name in write.fields)
    sql = f"update memory set {sets}, version = version + 1"
    try:
        run(db, f"{sql} where n = ?", *write.fields.values(), n)
    except apsw.ConstraintError:  # masked, it says what an active memory says already
        run(db, f"{sql}, status = 'archived' where n = ?", *write.fields.values(), n)
    if "content" in write.fields:
        run(db, "delete from vector where n = ?", n)
    if "tags" in write.fields:
        run(db, "delete from tag where n = ?", n)
        run(db, "insert or ignore into tag select ?, value from json_each(?)", n, write.fields["tags"])


def settle(db: apsw.Connection) -> None:
    """What was removed leaves the word index, the free pages and the log file too."""
    run(db, "insert into fts(fts) values ('optimize')")
    run(db, "vacuum")
    db.execute("pragma wal_checkpoint(truncate)").fetchall()


def bytes_found(path: str, values: set[str]) -> int:
    """Bytes of these values in the file and its side files, as they were written and in lower case."""
    probes = {form.encode() for value in values for form in (value, value.lower()) if len(form.encode()) >= SHORTEST}
    data = contents(path) if path != ":memory:" else b""
    return sum(len(probe) * data.count(probe) for probe in probes)
