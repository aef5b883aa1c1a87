"""The bytes of a database as they lie on the disk, for those who look whether an erased text is still there.

POSIX drops every lock that a process has on a file when the process closes any descriptor of it. So the database is never closed here: SQLite would
go on without its locks, another process would take itself for the last one and remove the log under us, and what we write then would be lost.
"""
from __future__ import annotations

import os

from . import aside

_AT_ONCE = 1 << 20
_held: dict[tuple[int, int], int] = {}  # (device, inode) -> descriptor, open until the process ends


def contents(path: str) -> bytes:
    """Database, log, and what hooks put aside, one after the other. (The -shm file holds page numbers and locks, no text.)"""
    found = _held_bytes(path) if os.name == "posix" else _read(path)
    beside = b"".join(_read(each) for each in aside.files(path))
    return found + _read(path + "-wal") + beside  # SQLite locks nothing in its log


def _held_bytes(path: str) -> bytes:
    try:
        status = os.stat(path)
    except FileNotFoundError:
        return b""
    key = (status.st_dev, status.st_ino)
    if key not in _held:
        _held[key] = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    pieces, at = [], 0
    while piece := os.pread(_held[key], _AT_ONCE, at):
        pieces.append(piece)
        at += len(piece)
    return b"".join(pieces)


def _read(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return b""
