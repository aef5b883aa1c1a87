"""Compiled patterns kept between processes, as Python keeps its bytecode: what a worker has compiled no hook compiles again.

A start that must judge what was said needs some ninety patterns, 110 ms of compiling; out of the file they take 3. `re` has no public way to keep them,
so this uses what re.compile itself calls, `_sre.compile`. Whatever goes wrong (another Python, a damaged file, one that others may write), a
pattern is compiled as ever: the file may be deleted at any time.
"""
from __future__ import annotations

import marshal
import os
import re
import sys
from functools import cache

from .mechanisms import lazy

Index = dict[tuple[int, int], tuple[int, int]]  # checksum of the source, flags: where after the index, how many bytes
HEAD = 8  # bytes: the length of the index, which stands next
ABLE = sys.implementation.name == "cpython" and hasattr(os, "pread")


class Kept:
    """re.compile, but from the file of this folder where it has the pattern. The file is looked at when the first pattern is wanted."""

    def __init__(self, folder: str):
        self.path = path_in(folder)
        self._index: Index | None = None
        self._file, self._base = -1, 0

    @property
    def index(self) -> Index:
        if self._index is None:
            self._file, self._base, self._index = _opened(self.path)
        return self._index

    def __call__(self, source: str, flags: int = 0) -> re.Pattern[str]:
        return self.stored(source, flags) or re.compile(source, flags)

    def stored(self, source: str, flags: int) -> re.Pattern[str] | None:
        place = self.index.get(_key(source, flags))
        if not place:
            return None
        try:
            return _unpacked(source, self.read(place))
        except Exception:  # damaged, or of another kind of Python after all
            self._index = {}
            return None

    def read(self, place: tuple[int, int]) -> bytes:
        return os.pread(self._file, place[1], self._base + place[0])

    def close(self) -> None:
        if self._file >= 0:
            os.close(self._file)
        self._file, self._index = -1, {}


def path_in(folder: str) -> str:
    """One file for each Python: its code is of no use to another."""
    return os.path.join(folder, f"patterns-{sys.implementation.cache_tag}-{sys.hexversion:x}.cache")


def use(folder: str) -> None:
    """From now on this process takes its patterns from there ("": from nowhere)."""
    lazy.compile_by(_kept(folder) if folder and ABLE else re.compile)


_kept = cache(Kept)  # one of a folder: a process that opens an engine again does not open the file again


def keep(folder: str) -> int:
    """Write down what the patterns of this process compile to, with those that are in the file and sound. How many were new; 0 also where nothing can be
    written."""
    if not folder or not ABLE:
        return 0
    from .mechanisms import cues, durable_cues, failures, firewall, surprisal  # noqa: F401 - hooks use theirs, this process may not have met them
    for name in durable_cues.CUES:
        durable_cues.pattern(name), durable_cues.pattern(name, "en")
    kept = Kept(folder)
    wanted = {_key(one.pattern, one.flags): one for one in lazy.MADE}
    try:
        blobs = {key: blob for key, place in kept.index.items() if _sound(blob := kept.read(place))}
        new = wanted.keys() - blobs.keys()
        if new:
            _write(kept.path, {**blobs, **{key: _packed(wanted[key].pattern, wanted[key].flags) for key in new}})
    except Exception:  # a full disk, a Python that keeps its code elsewhere: hooks compile for themselves
        return 0
    finally:
        kept.close()
    return len(new)


def missing(folder: str) -> bool:
    """No file of this Python is there yet, and there could be one."""
    return bool(folder) and ABLE and not os.path.exists(path_in(folder))


def _key(source: str, flags: int) -> tuple[int, int]:
    return _sum(source.encode("utf-8", "surrogatepass")), flags


def _sum(data: bytes) -> int:
    from binascii import crc32  # half a millisecond that a hook without patterns does not need
    return crc32(data)


def _sound(packed: bytes) -> bool:
    return len(packed) > 4 and _sum(packed[4:]) == int.from_bytes(packed[:4], "little")


def _packed(source: str, flags: int) -> bytes:
    """A checksum, then what _sre.compile takes."""
    from re import _compiler, _parser  # type: ignore[attr-defined]
    parsed = _parser.parse(source, flags)
    state = parsed.state
    names: list[str | None] = [None] * state.groups
    for name, group in state.groupdict.items():
        names[group] = name
    code = [int(one) for one in _compiler._code(parsed, flags)]  # some are named integers, which marshal does not take
    packed = marshal.dumps((source, int(flags | state.flags), code, state.groups - 1, dict(state.groupdict), tuple(names)))
    return _sum(packed).to_bytes(4, "little") + packed


def _unpacked(source: str, packed: bytes) -> re.Pattern[str] | None:
    """None for a pattern that only has the same key. Raises ValueError where a byte is not as it was written: a firewall must not run on a pattern that
    is nearly right."""
    import _sre
    if not _sound(packed):
        raise ValueError("damaged")
    its, flags, code, groups, index, names = marshal.loads(packed[4:])
    return _sre.compile(source, flags, code, groups, index, names) if its == source else None  # type: ignore[attr-defined]


def _opened(path: str) -> tuple[int, int, Index]:
    """(descriptor, where the index ends, index); (-1, 0, {}) for none, a damaged one, and one that somebody else may have written."""
    file = -1
    try:
        file = os.open(path, os.O_RDONLY | getattr(os, "O_CLOEXEC", 0))
        found = os.fstat(file)
        if found.st_uid == os.geteuid() and not found.st_mode & 0o022:
            size = min(int.from_bytes(os.pread(file, HEAD, 0), "little"), found.st_size)
            return file, HEAD + size, dict(marshal.loads(os.pread(file, size, HEAD)))
    except Exception:
        pass
    if file >= 0:
        os.close(file)
    return -1, 0, {}


def _write(path: str, blobs: dict[tuple[int, int], bytes]) -> None:
    from .outfile import beside
    index: Index = {}
    at = 0
    for key, blob in blobs.items():
        index[key] = (at, len(blob))
        at += len(blob)
    listed = marshal.dumps(index)
    partial = beside(path)
    try:
        with open(partial, "wb") as file:
            file.write(b"".join((len(listed).to_bytes(HEAD, "little"), listed, *blobs.values())))
        os.replace(partial, path)
    except OSError:
        os.unlink(partial)
        raise
