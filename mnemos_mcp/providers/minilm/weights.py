"""The model file, written by benchmarks/build_model.py.

    8 bytes   MNEMOSQ8
    4 bytes   length of the header, u32 little-endian
    header    JSON: model, source_sha256, license, layers, heads, arrays {name: {dtype, shape, offset}}, padded with spaces
    data      the arrays, little-endian, row by row; offsets count from the end of the header; each starts at a multiple of 64

A matrix M (rows = outputs) is stored as `M.q` int8 (rows, columns) and `M.scale` float32 (rows, groups): M = q * scale, each scale for
columns / groups neighbours of its row. The position rows hold the
token type as well, and the query rows the 1/sqrt(32) of attention.
"""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any, BinaryIO

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np

MAGIC = b"MNEMOSQ8"


class Packed:
    """A matrix that stays int8 in the mapped file and is expanded into a buffer each time it multiplies."""

    def __init__(self, rows: np.ndarray, scale: np.ndarray, buffer: np.ndarray):
        """`rows` (outputs, inputs) int8, `scale` (outputs, groups), `buffer` float32 of the largest matrix, shared by all."""
        self.rows, self.scale, self.buffer = rows, scale, buffer

    def __matmul__(self, x: np.ndarray) -> np.ndarray:
        whole = self.buffer[: self.rows.size]
        grouped = whole.reshape(*self.scale.shape, -1)
        grouped[:] = self.rows.reshape(grouped.shape)
        grouped *= self.scale[:, :, None]
        product: np.ndarray = whole.reshape(self.rows.shape) @ x
        return product


class Weights:
    """Arrays by name. Word rows stay int8 on disk (11.7 MB, mapped); the dense matrices become float32 once (42 MB):
    expanding them at each use cost 25 ms a text against 11 ms for the multiplication itself.

    `once`, for a process that embeds one text: all stay where they are (Packed), since to fill 42 MB of new memory takes 29 ms, and to
    expand each of them once into the same 2 MB takes 10."""

    def __init__(self, path: str | Path, once: bool = False):
        """Reads the header and all arrays but the words. ValueError when the file is not a model, OSError when unreadable."""
        import numpy

        with open(path, "rb") as file:
            if file.read(len(MAGIC)) != MAGIC:
                raise ValueError(f"{path} is not a mnemos model file")
            header = json.loads(file.read(int.from_bytes(file.read(4), "little")))
            self.entries: dict[str, dict[str, Any]] = header["arrays"]
            self.layers: int = header["layers"]
            self.heads: int = header["heads"]
            self._start = file.tell()
            word = self.entries["word.q"]
            self.word_rows = numpy.memmap(path, "i1", "r", self._start + word["offset"], tuple(word["shape"]))
            self.arrays: dict[str, Any] = {name: self._read(file, name) for name in self.entries if not name.endswith(".q")}
            matrices = [name for name in self.entries if name.endswith(".q") and name != "word.q"]
            if once:
                mapped = numpy.memmap(path, "i1", "r", self._start)
                buffer = numpy.empty(max(self._size(name) for name in matrices), "f4")
                for name in matrices:
                    begin = self.entries[name]["offset"]
                    rows = mapped[begin : begin + self._size(name)].reshape(self.entries[name]["shape"])
                    self.arrays[name[:-2]] = Packed(rows, self.arrays.pop(name[:-1] + "scale"), buffer)
                return
            for name in matrices:
                matrix = self._read(file, name)
                scale = self.arrays.pop(name[:-1] + "scale")
                grouped = matrix.reshape(*scale.shape, -1)
                self.arrays[name[:-2]] = numpy.multiply(grouped, scale[:, :, None], dtype="f4").reshape(matrix.shape)

    def _size(self, name: str) -> int:
        return math.prod(self.entries[name]["shape"])

    def _read(self, file: BinaryIO, name: str) -> np.ndarray:
        import numpy

        entry, count = self.entries[name], self._size(name)
        file.seek(self._start + entry["offset"])
        dtype = numpy.dtype(entry["dtype"]).newbyteorder("<")
        array = numpy.frombuffer(file.read(count * dtype.itemsize), dtype)
        return array.reshape(entry["shape"]).astype(dtype.newbyteorder("="), copy=False)

    def words(self, ids: np.ndarray) -> np.ndarray:
        """(n, 384) float32 rows of the word table for (n,) ids."""
        rows: np.ndarray = self.word_rows[ids] * self.arrays["word.scale"][ids]
        return rows
