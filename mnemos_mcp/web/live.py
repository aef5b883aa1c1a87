"""Server-sent events: a page hears within a second that the file has changed, whichever process wrote. Nobody looks while no page is open."""
from __future__ import annotations

from collections.abc import AsyncIterator, Callable

EVERY_S = 0.3  # one cheap pragma, while a page is connected
BEAT = 40  # looks without news until a comment keeps the line open


class Live:
    """`changes` grows with every commit of any process (SqliteStore.changes)."""

    def __init__(self, changes: Callable[[], int], every_s: float = EVERY_S):
        self._changes, self._every_s = changes, every_s
        self.closing = False

    async def events(self) -> AsyncIterator[bytes]:
        """`hello` at once, then `changed` whenever the file has."""
        import anyio
        import anyio.to_thread
        seen = await anyio.to_thread.run_sync(self._changes)
        yield f"retry: 1000\nevent: hello\ndata: {seen}\n\n".encode()
        quiet = 0
        while not self.closing:
            await anyio.sleep(self._every_s)
            now = await anyio.to_thread.run_sync(self._changes)
            quiet = 0 if now != seen else quiet + 1
            if now != seen:
                seen = now
                yield f"event: changed\ndata: {seen}\n\n".encode()
            elif quiet % BEAT == 0:
                yield b": still here\n\n"
