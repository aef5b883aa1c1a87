"""A pattern that is compiled when it is first used: most processes meet few of the mechanisms' rules, and a hook pays for what it imports."""
from __future__ import annotations

import re
from typing import Any

METHODS = ("findall", "finditer", "fullmatch", "match", "search", "split", "sub")


class Lazy:
    """Like re.compile(source, flags), but later."""

    __slots__ = ("flags", "pattern", *METHODS)
    findall: Any
    finditer: Any
    fullmatch: Any
    match: Any
    search: Any
    split: Any
    sub: Any

    def __init__(self, pattern: str, flags: int = 0):
        self.pattern, self.flags = pattern, flags

    def __getattr__(self, name: str) -> Any:
        # Called only while a slot is empty, which is before the first use.
        if name not in METHODS:
            raise AttributeError(name)
        compiled = re.compile(self.pattern, self.flags)
        for method in METHODS:
            setattr(self, method, getattr(compiled, method))
        return getattr(self, name)
