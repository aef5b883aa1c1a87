"""A pattern that is compiled when it is first used: most processes meet few of the mechanisms' rules, and a hook pays for what it imports."""
from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

METHODS = ("findall", "finditer", "fullmatch", "match", "search", "split", "sub")
MADE: list[Lazy] = []  # all of this process


class Lazy:
    """Like re.compile(source, flags), but later."""

    __slots__ = ("flags", "pattern", *METHODS)
    if TYPE_CHECKING:  # an empty slot is filled with the compiled pattern's method
        _compiled = re.compile("")
        findall = _compiled.findall
        finditer = _compiled.finditer
        fullmatch = _compiled.fullmatch
        match = _compiled.match
        search = _compiled.search
        split = _compiled.split
        sub = _compiled.sub

    def __init__(self, pattern: str, flags: int = 0):
        self.pattern, self.flags = pattern, int(flags)
        MADE.append(self)

    def __getattr__(self, name: str) -> Any:
        # Called only while a slot is empty, which is before the first use.
        if name not in METHODS:
            raise AttributeError(name)
        compiled = _how(self.pattern, self.flags)
        for method in METHODS:
            setattr(self, method, getattr(compiled, method))
        return getattr(self, name)


_how: Callable[[str, int], re.Pattern[str]] = re.compile


def compile_by(how: Callable[[str, int], re.Pattern[str]]) -> None:
    """From now on patterns of this process are compiled so, `how(source, flags)`."""
    global _how
    _how = how
