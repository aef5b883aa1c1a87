"""Erase everything with proof: all rows, the index, free pages, the log file; then look for the bytes."""
from __future__ import annotations

import os

import apsw

from ..errors import StoreUnavailable
from ..mechanisms.firewall import RULES
from . import aside
from .erasure import PROBE_BYTES
from .integrity import explain
from .rawbytes import contents
from .statement import run

TABLES = ("tag", "vector", "revision", "edge", "note", "recall", "episode", "run_change", "run", "project", "kept", "counter",
          "failure", "receipt", "session", "hook_time", "memory")
TEXTS = (("memory", "content"), ("revision", "content"), ("episode", "content"), ("failure", "error"), ("failure", "command"))
SHORTEST = 4  # characters: what is shorter is found anywhere


def erase_everything(db: apsw.Connection, path: str) -> dict[str, int]:
    """Rows removed per table and `bytes_found` of their texts afterwards. The file stays, empty: other processes may have it open."""
    try:
        return _erased(db, path)
    except apsw.Error as error:
        raise StoreUnavailable(explain(path, error)) from error


def _erased(db: apsw.Connection, path: str) -> dict[str, int]:
    layout = "\n".join(str(sql) for (sql,) in db.execute("select sql from sqlite_schema where sql is not null").fetchall()).encode()
    texts = [line for line in aside.lines(path) if len(line) > PROBE_BYTES]
    texts += [str(text) for table, column in TEXTS for (text,) in db.execute(f"select {column} from {table}").fetchall()]
    # What the layout itself says ("content", "not null") would be found for ever.
    probes = {piece for text in texts for piece in _pieces(text) if piece not in layout}
    run(db, "begin immediate")
    try:
        gone = {table: run(db, f"delete from {table}") for table in TABLES}
        run(db, "insert into kept values ('swept', ?)", str(RULES))  # as in a new file: all that will be in it passes the rules of today
        run(db, "insert into fts(fts) values ('rebuild')")
        run(db, "insert into fts(fts) values ('optimize')")
        run(db, "commit")
    except BaseException:
        run(db, "rollback")
        raise
    run(db, "vacuum")
    db.execute("pragma wal_checkpoint(truncate)").fetchall()
    gone["aside"] = aside.drop(path)
    _empty(f"{path}.lock")
    gone["bytes_found"] = _found(path, probes) if path != ":memory:" else 0
    return gone


def _empty(lock: str) -> None:
    """A worker that waits writes its folder there."""
    if os.path.exists(lock):
        os.truncate(lock, 0)


def _pieces(text: str) -> list[bytes]:
    """Beginning, middle and end: a text that is left over shows at least one of them."""
    raw = text.encode()
    cuts = {raw[start:start + PROBE_BYTES] for start in (0, max(0, (len(raw) - PROBE_BYTES) // 2), max(0, len(raw) - PROBE_BYTES))}
    return [cut for cut in cuts if len(cut) >= SHORTEST]


def _found(path: str, probes: set[bytes]) -> int:
    data = contents(path)
    return sum(len(probe) * data.count(probe) for probe in probes)
