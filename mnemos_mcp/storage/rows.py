"""Rows to values and back. Text that comes out of the file was screened when it went in."""
from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from ..mechanisms.firewall import CleanText
from ..model import Affect, Episode, Memory, Scope

COLUMNS = ("m.id, m.content, m.scope, m.origin, m.kind, m.role, m.key, m.tags, m.session, m.importance, m.surprisal, m.valence, m.arousal, "
           "m.complexity, m.sectors, m.pinned, m.status, m.version, m.created_at, m.valid_from, m.valid_to, m.superseded_by, m.reason, "
           "m.reinforcements, m.reinforced_at, m.recalls, m.recalled_at, m.n")


def scope_of(text: str) -> Scope:
    level, _, name = text.partition(":")
    return Scope(level, name)  # type: ignore[arg-type]


def memory_of(row: Sequence[Any]) -> Memory:
    """A row of COLUMNS as a Memory."""
    return Memory(
        id=row[0], content=CleanText(row[1]), scope=scope_of(row[2]), origin=row[3], kind=row[4], role=row[5], key=row[6],
        tags=tuple(json.loads(row[7])) if row[7] != "[]" else (), session=row[8], importance=row[9], surprisal=row[10], affect=Affect(row[11], row[12], row[13]),
        sectors=tuple(map(float, row[14].split())), pinned=bool(row[15]), status=row[16], version=row[17], created_at=row[18], valid_from=row[19],
        valid_to=row[20], superseded_by=row[21], reason=row[22], reinforcements=row[23], reinforced_at=row[24], recalls=row[25],
        recalled_at=row[26], sequence=row[27])


def row_of(memory: Memory) -> dict[str, Any]:
    """A Memory as column values, `n`, `words`, `length`, `text_hash` and `windows` apart."""
    return {
        "id": memory.id, "content": str(memory.content), "scope": str(memory.scope),
        "origin": memory.origin, "kind": memory.kind, "role": memory.role, "key": memory.key, "tags": json.dumps(memory.tags, ensure_ascii=False),
        "session": memory.session, "importance": memory.importance, "surprisal": memory.surprisal, "valence": memory.affect.valence,
        "arousal": memory.affect.arousal, "complexity": memory.affect.complexity, "sectors": " ".join(f"{s:.4g}" for s in memory.sectors),
        "pinned": int(memory.pinned), "status": memory.status, "version": memory.version, "created_at": memory.created_at,
        "valid_from": memory.valid_from, "valid_to": memory.valid_to, "superseded_by": memory.superseded_by, "reason": memory.reason,
        "reinforcements": memory.reinforcements, "reinforced_at": memory.reinforced_at, "recalls": memory.recalls, "recalled_at": memory.recalled_at}


def episode_of(row: Sequence[Any]) -> Episode:
    """A row of EPISODE_COLUMNS as an Episode."""
    return Episode(id=row[0], content=CleanText(row[1]), project=row[2], session=row[3], role=row[4], origin=row[5], at=row[6], kind=row[7],
                   durable=bool(row[8]), surprisal=row[9], status=row[10], memory_id=row[11], event=row[12])
