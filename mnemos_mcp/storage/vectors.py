"""Cosine of a query with every visible vector. The rows are cut down by SQL first; only they are compared.

A process that searches once (a hook, a command) lets sqlite-vec's function do it inside SQLite. One that goes on searching keeps the
vectors of its embedder in a matrix and reads only what was added since (measured at 5,000 rows of 384: 5 to 9 ms against 0.5 ms).
Where the extension does not load the matrix is the only way. Both give the same figures.
"""
from __future__ import annotations

import heapq
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import apsw

from ..blas import single_thread
from .statement import fetch

if TYPE_CHECKING:
    import numpy as np


class Near(NamedTuple):
    """Cosine of every visible row that has a vector; `rows` ascend."""

    rows: np.ndarray
    cosines: np.ndarray

    def best(self, count: int) -> list[int]:
        """Row numbers, best first."""
        import numpy as np
        top = np.argpartition(-self.cosines, count)[:count] if len(self.rows) > count else np.arange(len(self.rows))
        return self.rows[top[np.argsort(-self.cosines[top], kind="stable")]].tolist()

    def of(self, rows: Sequence[int]) -> dict[int, float]:
        """The cosines of these rows, where there are any."""
        import numpy as np
        if not len(self.rows):
            return {}
        at = np.searchsorted(self.rows, rows).clip(max=len(self.rows) - 1)
        return {n: float(self.cosines[i]) for n, i in zip(rows, at.tolist(), strict=True) if self.rows[i] == n}

    def spread(self) -> tuple[float, float]:
        """Mean and standard deviation over all of them."""
        return (float(self.cosines.mean()), float(self.cosines.std())) if len(self.rows) else (0.0, 0.0)


class NearOnce(NamedTuple):
    """The same for a process that searches once: as SQLite gave it, without numpy, which alone would take longer to import than all of the search."""

    cosines: dict[int, float]

    def best(self, count: int) -> list[int]:
        return heapq.nlargest(count, self.cosines, key=self.cosines.__getitem__)

    def of(self, rows: Sequence[int]) -> dict[int, float]:
        return {n: self.cosines[n] for n in rows if n in self.cosines}

    def spread(self) -> tuple[float, float]:
        mean = sum(self.cosines.values()) / max(1, len(self.cosines))
        return mean, (sum((c - mean) ** 2 for c in self.cosines.values()) / max(1, len(self.cosines))) ** 0.5


class VectorSearch:
    """`near` over the rows that a view has left. `functions`: sqlite-vec is loaded."""

    def __init__(self, *, functions: bool):
        self.functions = functions
        self._matrix: _Matrix | None = None
        self._searches = 0

    def near(self, db: apsw.Connection, vector: Any, identity: str, where: str, args: Sequence[Any], visible: str) -> Near | NearOnce:
        """The cosine of the best window, for every visible row with a vector of this embedder.

        `where` with `args` are the view as SQL, `visible` the row numbers that it leaves, as one text with commas (a tenth of the time of tuples).
        """
        self._searches += 1
        if self.functions and self._searches == 1:
            sql = ("select m.n, max(1.0 - vec_distance_cosine(v.vec, ?)) from memory m join vector v on v.n = m.n and v.identity = ? "
                   f"and length(v.vec) = {4 * len(vector)} where {where} group by m.n order by m.n")
            return NearOnce({n: cosine for n, cosine in fetch(db, sql, [array("f", vector).tobytes(), identity, *args]) if cosine is not None})
        single_thread()
        import numpy as np
        if self._matrix is None or self._matrix.identity != identity:
            self._matrix = _Matrix(identity, 4 * len(vector))
        self._matrix.refresh(db)
        return Near(*self._matrix.cosines(np.asarray(vector, dtype=np.float32), np.fromstring(visible, dtype=np.int64, sep=",")))

    def pairs(self, db: apsw.Connection, ids: Sequence[str], identity: str) -> list[tuple[str, str, float]] | None:
        """Cosine of every two of these memories by their first windows, smaller id first; None where there is a matrix, which is faster, or no function."""
        if self._matrix is not None or not self.functions:
            return None
        sql = ("with one(id, vec) as materialized (select m.id, v.vec from memory m join vector v on v.n = m.n and v.identity = ? and v.part = 0 "
               f"where m.id in ({','.join('?' * len(ids))}) and length(v.vec) > 0 and length(v.vec) % 4 = 0) "
               "select a.id, b.id, 1.0 - vec_distance_cosine(a.vec, b.vec) from one a join one b on b.id > a.id and length(b.vec) = length(a.vec)")
        return [row for row in fetch(db, sql, [identity, *ids]) if row[2] is not None]

    def first_windows(self, db: apsw.Connection, rows: Sequence[int], identity: str) -> dict[int, np.ndarray] | None:
        """Vectors of the first window by row number, from the matrix; None where there is none yet."""
        if self._matrix is None or self._matrix.identity != identity:
            return None
        self._matrix.refresh(db)
        return {n: self._matrix.data[at] for n in rows if (at := self._matrix.place.get((n, 0))) is not None}


def of_one_size(blobs: Iterable[bytes]) -> list[np.ndarray | None]:
    """The blobs as vectors, None for one that is damaged: of another size than most."""
    import numpy as np
    blobs = list(blobs)
    size = Counter(map(len, blobs)).most_common(1)[0][0] if blobs else 0
    return [np.frombuffer(blob, dtype=np.float32) if len(blob) == size and size % 4 == 0 else None for blob in blobs]


def pairs_above(vectors: Sequence[np.ndarray], least: float, block: int = 512) -> Iterator[tuple[int, int, float]]:
    """(i, j, cosine) of every pair i < j of unit vectors whose cosine is at least `least`, a block of rows at a time."""
    single_thread()
    import numpy as np
    if len(vectors) < 2:
        return
    matrix = np.stack(vectors)
    for start in range(0, len(matrix), block):
        cosines = matrix[start:start + block] @ matrix.T
        for i, j in np.argwhere(cosines >= least).tolist():
            if start + i < j:
                yield start + i, j, float(cosines[i, j])


class _Matrix:
    """The vectors of one embedder, grown as the file grows. A window that was replaced is dead from then on."""

    def __init__(self, identity: str, size: int):
        """`size`: bytes of a vector; others are damaged and left out, as if they were not there yet."""
        self.identity, self.size, self.last, self.used = identity, size, 0, 0
        self.place: dict[tuple[int, int], int] = {}
        self.windowed = False  # some memory has more than one window
        self.data: Any = None
        self.rows: Any = None  # row number of the memory, 0 = dead

    def refresh(self, db: apsw.Connection) -> None:
        import numpy as np
        new = fetch(db, "select id, n, part, vec from vector where identity = ? and id > ? order by id", (self.identity, self.last))
        if new:
            self.last = new[-1][0]
        new = [row for row in new if len(row[3]) == self.size]
        if not new:
            return
        block = np.frombuffer(b"".join(r[3] for r in new), dtype=np.float32).reshape(len(new), -1)
        if self.data is None or self.used + len(new) > len(self.data):
            size = max(256, 2 * self.used, self.used + len(new))
            data, rows = np.zeros((size, block.shape[1]), dtype=np.float32), np.zeros(size, dtype=np.int64)
            if self.data is not None:
                data[:self.used], rows[:self.used] = self.data[:self.used], self.rows[:self.used]
            self.data, self.rows = data, rows
        self.data[self.used:self.used + len(new)] = block
        for offset, (_, n, part, _) in enumerate(new):
            old = self.place.get((n, part))
            if old is not None:
                self.rows[old] = 0
            self.place[n, part] = self.used + offset
            self.windowed = self.windowed or part > 0
            self.rows[self.used + offset] = n
        self.used += len(new)

    def cosines(self, vector: np.ndarray, visible: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        import numpy as np
        if self.data is None or not len(visible):
            return np.zeros(0, dtype=np.int64), np.zeros(0)
        rows = self.rows[:self.used]
        seen = np.zeros(max(int(rows.max()), int(visible.max())) + 1, dtype=bool)
        seen[visible] = True
        seen[0] = False
        mask = seen[rows]
        chosen = np.flatnonzero(mask)
        sparse = len(chosen) * 4 < self.used
        cosines = self.data[chosen] @ vector if sparse else (self.data[:self.used] @ vector)[chosen]
        if not self.windowed:
            order = rows[chosen].argsort()
            return rows[chosen][order], cosines[order].astype(np.float64)
        best = np.full(len(seen), -2.0)
        np.maximum.at(best, rows[chosen], cosines)
        found = np.unique(rows[chosen])
        return found, best[found]
