"""Erase with proof: rows, index, log file; then look for the bytes."""
from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from typing import Any

import apsw

from ..model import Episode, Memory
from .rawbytes import contents
from .runs import remove_memory
from .statement import one, run

SHORTEST = 8  # characters: a shorter text stands in others by chance
# Where a text may have been written down again: heard once more, asked for word for word, kept for an undo, noted.
ECHOES = (("episode", "content"), ("recall", "query"), ("run_change", "before"), ("note", "detail"))
PROBE_BYTES = 24  # shorter than what a database page may cut a text into


def _probes(db: apsw.Connection, texts: list[str]) -> list[bytes]:
    """Pieces of the erased texts that no remaining row holds, so that finding one means a left-over."""
    probes = []
    for text in texts:
        raw = text.encode()
        for start in range(0, max(1, len(raw) - PROBE_BYTES + 1), max(1, len(raw) // 8)):
            piece = raw[start:start + PROBE_BYTES].decode("utf-8", "ignore")
            used = any(one(db, f"select 1 from {table} where instr(content, ?) limit 1", piece) for table in ("memory", "revision", "episode"))
            if len(piece) >= 4 and not used:
                probes.append(piece.encode())
    return probes


def _found(path: str, probes: list[bytes]) -> int:
    data = contents(path)
    return sum(len(probe) * data.count(probe) for probe in probes)


def _forget_receipts(db: apsw.Connection, memory_id: str) -> int:
    """The id out of every receipt; how many named it."""
    return run(db, "update receipt set ids = (select json_group_array(value) from json_each(ids) where value <> ?), "
                   "used = (select json_group_array(value) from json_each(used) where value <> ?) where instr(ids, ?)", memory_id, memory_id, memory_id)


def erase(db: apsw.Connection, path: str, memories: Sequence[Memory], episodes: Sequence[Episode] = ()) -> dict[str, int]:
    """Of these, all or none. Rows removed per table and `bytes_found` of its texts in the file and its side files afterwards.

    secure_delete overwrites the rows, the index is merged so that no segment keeps the words, the log file is cut to nothing.
    """
    held = "select content from revision where memory_id = ?1 union all select content from episode where memory_id = ?1"
    texts: list[Any] = [text for m in memories for text in (m.content, *(r[0] for r in db.execute(held, (m.id,)).fetchall()))]
    texts += [e.content for e in episodes]
    run(db, "begin immediate")
    try:
        gone: Counter[str] = Counter()
        for memory in memories:
            gone.update(remove_memory(db, memory.id))
            gone["receipt"] += _forget_receipts(db, memory.id)
            # What it superseded stays in the past: it must not come back because its successor is gone.
            run(db, "update memory set superseded_by = '' where superseded_by = ?", memory.id)
        for episode in episodes:
            gone["episode"] += run(db, "delete from episode where id = ?", episode.id)
            gone["run_change"] += run(db, "delete from run_change where kind = 'episode' and item_id = ?", episode.id)
        # The failure that a memory tells of holds the same words.
        gone["failure"] = sum(run(db, "delete from failure where command <> '' and instr(?, command) and instr(?, error)", text, text) for text in texts)
        for text in dict.fromkeys(str(text) for text in texts if len(text) >= SHORTEST):
            for table, column in ECHOES:
                written = json.dumps(text, ensure_ascii=False)[1:-1] if column == "before" else text
                gone[table] += run(db, f"delete from {table} where instr({column}, ?)", written)
        run(db, "commit")
    except BaseException:
        run(db, "rollback")
        raise
    run(db, "insert into fts(fts) values ('optimize')")
    db.execute("pragma wal_checkpoint(truncate)").fetchall()
    gone["bytes_found"] = _found(path, _probes(db, texts)) if path != ":memory:" else 0
    return dict(gone)
