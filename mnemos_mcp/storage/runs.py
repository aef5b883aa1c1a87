"""A consolidation run and the way back: what the run is about to change is kept beside it, inside the same transaction."""
from __future__ import annotations

import base64
import json
from typing import Any

import apsw

from ..errors import NotFound
from ..writes import RecordRun
from .statement import Stale, fetch, one, run


def _table_row(db: apsw.Connection, table: str, column: str, value: Any) -> dict[str, Any] | None:
    cursor = db.execute(f"select * from {table} where {column} = ?", (value,))
    rows = cursor.fetchall()
    if not rows:
        return None
    names = [r[1] for r in fetch(db, f"pragma table_info({table})")]
    return dict(zip(names, rows[0], strict=True))


def _memory_before(db: apsw.Connection, memory_id: str) -> dict[str, Any] | None:
    row = _table_row(db, "memory", "id", memory_id)
    if row is None:
        return None
    vectors = fetch(db, "select part, identity, vec from vector where n = ?", (row["n"],))
    revisions = fetch(db, "select * from revision where memory_id = ?", (memory_id,))
    return {"row": row, "vectors": [[p, i, base64.b64encode(v).decode()] for p, i, v in vectors], "revisions": [list(r) for r in revisions]}


def record_run(db: apsw.Connection, write: RecordRun) -> None:
    """The diff and the state before it."""
    run(db, "insert into run values (?, ?, ?, ?, null)", write.id, write.at, write.project, json.dumps(write.diff, ensure_ascii=False))
    for memory_id in write.changes:
        before = _memory_before(db, memory_id)
        if before is None:
            raise Stale(memory_id)
        run(db, "insert into run_change values (?, 'memory', ?, '', ?)", write.id, memory_id, json.dumps(before, ensure_ascii=False))
    for memory_id in write.adds:
        run(db, "insert into run_change values (?, 'added', ?, '', '')", write.id, memory_id)
    for episode_id, leads_to in write.settles:
        before = _table_row(db, "episode", "id", episode_id)
        if before is None or before["status"] != "pending":
            raise Stale(episode_id)
        run(db, "insert into run_change values (?, 'episode', ?, ?, ?)", write.id, episode_id, leads_to, json.dumps(before, ensure_ascii=False))


def _put_back(db: apsw.Connection, table: str, row: dict[str, Any]) -> None:
    sets = ",".join(f"{name} = ?" for name in row)
    if not run(db, f"update {table} set {sets} where id = ?", *row.values(), row["id"]):
        run(db, f"insert into {table}({','.join(row)}) values ({','.join('?' * len(row))})", *row.values())


def remove_memory(db: apsw.Connection, memory_id: str) -> dict[str, int]:
    """Every row that belongs to one memory; rows removed per table."""
    n = one(db, "select n from memory where id = ?", memory_id)
    gone = {
        "vector": run(db, "delete from vector where n = ?", n),
        "tag": run(db, "delete from tag where n = ?", n),
        "revision": run(db, "delete from revision where memory_id = ?", memory_id),
        "edge": run(db, "delete from edge where a = ? or b = ?", memory_id, memory_id),
        "note": run(db, "delete from note where memory_id = ?", memory_id),
        "recall": run(db, "delete from recall where memory_id = ?", memory_id),
        "episode": run(db, "delete from episode where memory_id = ?", memory_id),
        "run_change": run(db, "delete from run_change where item_id = ? or leads_to = ?", memory_id, memory_id),
        "memory": run(db, "delete from memory where n = ?", n),
    }
    return gone


def undo_run(db: apsw.Connection, run_id: str, at: float) -> None:
    """Memories and episodes as they were before the run, byte for byte. Raises NotFound for an unknown or undone run."""
    if not run(db, "update run set undone_at = ? where id = ? and undone_at is null", at, run_id):
        raise NotFound(f"No run '{run_id}' that could be undone.")
    changes: list[Any] = fetch(db, "select kind, item_id, before from run_change where run_id = ?", (run_id,))
    for kind, memory_id, _ in changes:
        if kind == "added":
            run(db, "update episode set memory_id = '' where memory_id = ?", memory_id)
            remove_memory(db, memory_id)
    for kind, _, before in changes:
        if kind == "episode":
            _put_back(db, "episode", json.loads(before))
        elif kind == "memory":
            state = json.loads(before)
            _put_back(db, "memory", state["row"])
            run(db, "delete from vector where n = ?", state["row"]["n"])
            for part, identity, vec in state["vectors"]:
                run(db, "insert into vector(n, part, identity, vec) values (?, ?, ?, ?)", state["row"]["n"], part, identity, base64.b64decode(vec))
            run(db, "delete from revision where memory_id = ?", state["row"]["id"])
            for revision in state["revisions"]:
                run(db, "insert into revision values (?, ?, ?, ?, ?, ?)", *revision)
