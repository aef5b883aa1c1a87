"""Cosine and mean of vectors. Lists and arrays alike; numpy is imported inside, so that a caller without vectors pays nothing."""
from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np


def cosine(a: Any, b: Any) -> float:
    """Cosine of two vectors, -1..1; 0.0 when one has no length, is not finite or their dimensions differ (other embedders)."""
    import numpy as np

    x, y = np.asarray(a, dtype=np.float64).ravel(), np.asarray(b, dtype=np.float64).ravel()
    if x.size != y.size or not x.size or not (np.isfinite(x).all() and np.isfinite(y).all()):
        return 0.0
    # Scaled by the largest part first: squares of huge or tiny numbers would leave the range of a float.
    top_x, top_y = np.abs(x).max(), np.abs(y).max()
    if not top_x or not top_y:
        return 0.0
    x, y = x / top_x, y / top_y
    return float(min(1.0, max(-1.0, x @ y / (np.linalg.norm(x) * np.linalg.norm(y)))))


def mean(vectors: Sequence[Any]) -> np.ndarray | None:
    """Unit vector of the middle of the directions (float32), None when there is none: no vectors, or they cancel out."""
    import numpy as np

    rows = [np.asarray(one, dtype=np.float64).ravel() for one in vectors if one is not None]
    rows = [row / np.abs(row).max() for row in rows if row.size and np.isfinite(row).all() and row.any()]  # scaled first, as in cosine
    rows = [row / np.linalg.norm(row) for row in rows if row.size == rows[0].size]
    if not rows:
        return None
    middle = np.sum(rows, axis=0)
    length = np.linalg.norm(middle)
    return (middle / length).astype(np.float32) if length > 1e-12 else None
