"""One call at a time on each line of a page. Who types asks faster than a large store answers: of those that wait the newest is taken up, the
others are not, and neither is one whose page has given it up."""
from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any


class Lines:
    """All lines of a server; used on its event loop alone."""

    def __init__(self) -> None:
        self._newest: dict[str, int] = {}
        self._turns: dict[str, Any] = {}

    async def call(self, line: str, gone: Callable[[], Awaitable[bool]], work: Callable[[], Any]) -> Any:
        """The value of `work`, done on a worker thread; None when it was not begun. `line` '' waits for nobody."""
        import anyio
        import anyio.to_thread
        if not line:
            return await anyio.to_thread.run_sync(work)
        mine = self._newest[line] = self._newest.get(line, 0) + 1
        try:
            async with self._turns.setdefault(line, anyio.Lock()):
                if self._newest[line] != mine or await gone():
                    return None
                return await anyio.to_thread.run_sync(work)
        finally:
            if self._newest.get(line) == mine:  # nobody came after: the line is not remembered
                del self._newest[line], self._turns[line]
