"""Reads for people who look at the whole: what changed, which tags there are, since when, and how large the file is."""
from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, NamedTuple

from ..model import PROTECTED_KINDS, Memory, View
from .integrity import SIDE_FILES
from .rows import COLUMNS, memory_of
from .search import inside
from .statement import one

if TYPE_CHECKING:
    from .sqlite import SqliteStore

TABLES = ("memory", "vector", "revision", "episode", "edge", "recall", "run")


class Outline(NamedTuple):
    """What decay and the sectors ask of a memory: a large store is put in order by these, and only a page of it is read whole."""

    id: str
    importance: float
    reinforcements: float
    reinforced_at: float
    created_at: float
    pinned: int
    kind: str
    sectors: str

    @property
    def protected(self) -> bool:
        return bool(self.pinned) or self.importance >= 0.8 or self.kind in PROTECTED_KINDS

    @property
    def leads(self) -> int:
        """The place of the sector that weighs most."""
        weights = [float(w) for w in self.sectors.split()]
        return weights.index(max(weights))


def outlines(store: SqliteStore, view: View, *, status: str = "active", accessed: bool = False) -> list[Outline]:
    """Every memory of a view in outline, the one stored or recalled last first."""
    where, args = store._any_time(view)
    if status != "all":
        where, args = f"{where} and m.status = ?", [*args, status]
    order = "coalesce(m.recalled_at, 0) desc, m.n desc" if accessed else "m.n desc"
    return [Outline(*row) for row in store._rows(
        f"select m.id, m.importance, m.reinforcements, m.reinforced_at, m.created_at, m.pinned, m.kind, m.sectors from memory m where {where} order by {order}", *args)]


def changed(store: SqliteStore, view: View, limit: int) -> list[Memory]:
    """What holds now and once read otherwise: it superseded another or was revised. The latest change first."""
    where, args = inside(view)
    sql = (f"select {COLUMNS} from memory m where {where} and (m.version > 1 or exists (select 1 from memory o where o.superseded_by = m.id and o.scope = m.scope)) "
           "order by m.n desc limit ?")
    return [memory_of(row) for row in store._rows(sql, *args, limit)]


def tags(store: SqliteStore, view: View, limit: int) -> list[tuple[str, int]]:
    """Tags of what is visible and active, the commonest first."""
    where, args = inside(view)
    sql = f"select t.tag, count(*) from tag t join memory m on m.n = t.n where {where} group by t.tag order by 2 desc, 1 limit ?"
    return [tuple(row) for row in store._rows(sql, *args, limit)]


def since(store: SqliteStore, view: View) -> float | None:
    """The moment from which the oldest visible statement holds; None for an empty view."""
    where, args = store._any_time(view)
    found = store._rows(f"select min(m.valid_from) from memory m where {where}", *args)[0][0]
    return None if found is None else float(found)


def hook_times(store: SqliteStore) -> list[tuple[str, float]]:
    """(event, milliseconds) of the last hooks, oldest first."""
    return store._rows("select event, ms from hook_time order by n")


def sizes(store: SqliteStore) -> dict[str, Any]:
    """Bytes of the file and its side files, rows of each table, and the share of pages that are free."""
    files = {} if store.path == ":memory:" else {side or "file": os.path.getsize(store.path + side) for side in SIDE_FILES if os.path.exists(store.path + side)}
    rows = {table: store._rows(f"select count(*) from {table}")[0][0] for table in TABLES}
    with store._lock:
        pages, free = int(one(store.db, "pragma page_count") or 0), int(one(store.db, "pragma freelist_count") or 0)
    return {"files": files, "rows": rows, "free": free / pages if pages else 0.0}
