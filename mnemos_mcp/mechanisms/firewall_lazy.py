"""A pattern that is compiled when it is first used: most texts meet few of the firewall's rules, and a hook pays for what it imports."""
from __future__ import annotations

import re
from typing import Any


class Lazy:
    """Like re.compile(source, flags), but later."""

    __slots__ = ("_flags", "_source", "findall", "finditer", "fullmatch", "match", "search", "sub")
    finditer: Any
    findall: Any
    fullmatch: Any
    match: Any
    search: Any
    sub: Any

    def __init__(self, source: str, flags: int = 0):
        self._source, self._flags = source, flags

    def __getattr__(self, name: str) -> Any:
        # Called only while a slot is empty, which is before the first use.
        if name not in ("findall", "finditer", "fullmatch", "match", "search", "sub"):
            raise AttributeError(name)
        compiled = re.compile(self._source, self._flags)
        for method in ("findall", "finditer", "fullmatch", "match", "search", "sub"):
            setattr(self, method, getattr(compiled, method))
        return getattr(self, name)
