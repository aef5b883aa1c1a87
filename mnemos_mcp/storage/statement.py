"""One statement, run to its end. apsw is lazy: a statement that is not fetched to the end keeps its lock."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import apsw


class Stale(Exception):
    """The row that a write saw is no longer that row."""

    def __init__(self, memory_id: str):
        super().__init__(memory_id)
        self.memory_id = memory_id


def run(db: apsw.Connection, sql: str, *args: Any) -> int:
    """Rows changed."""
    db.execute(sql, args).fetchall()
    return db.changes()


def fetch(db: apsw.Connection, sql: str, args: Sequence[Any] = ()) -> list[Any]:
    """All rows."""
    return db.execute(sql, args).fetchall()


def one(db: apsw.Connection, sql: str, *args: Any) -> Any:
    """The first column of the first row, or None."""
    rows = db.execute(sql, args).fetchall()
    return rows[0][0] if rows else None
