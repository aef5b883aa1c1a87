"""The memory behind the server: opened late, once, and looked after while nobody calls.

A store that cannot be opened does not stop the server: each call says why, and the next one tries again.
"""
from __future__ import annotations

import logging
import re
import secrets
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .errors import MnemosError, StoreUnavailable
from .results import Check, Health
from .tools import Verb

if TYPE_CHECKING:
    from .engine import Engine

AFTER_LISTING_S = 0.2  # the tools list is on its way before the imports of the engine take the interpreter
QUIET_S = 5.0  # without a call: time for one piece of background work
BETWEEN_PIECES_S = 0.1
PAUSE_S = 60.0  # until the next look when there was nothing to do
_PATH = re.compile(r"(?:[A-Za-z]:)?(?:[\\/][^\\/\s'\":;,]+)+[\\/]([^\\/\s'\":;,]+)")
log = logging.getLogger("mnemos_mcp.opening")


def _open() -> Engine:
    from .runtime import open_engine
    from .settings import load
    settings = load()
    logging.getLogger("mnemos_mcp").setLevel(settings.log_level.upper())
    return open_engine(settings, door="server")


class OpenMemory:
    """An engine when it is needed. `session` groups what is stored over this connection."""

    def __init__(self, open_engine: Callable[[], Engine] = _open):
        self.session = f"mcp-{secrets.token_hex(4)}"
        self._open = open_engine
        self._engine: Engine | None = None
        self._opening = threading.Lock()
        self._stopped = threading.Event()
        self._last_call = time.monotonic()
        self._calls = 0

    def engine(self) -> Engine:
        """The engine, opened now if it is not yet. Raises StoreUnavailable."""
        with self._opening:
            if self._engine is None:
                try:
                    self._engine = self._open()
                except MnemosError:
                    raise
                except Exception as bug:
                    log.error("opening the memory failed: %s", place_of(bug))
                    raise StoreUnavailable(f"The memory could not be opened ({type(bug).__name__}); stderr says where.") from None
            return self._engine

    def call(self, verb: Verb, values: dict[str, Any]) -> Any:
        """The result of a verb. Health is asked most when the store cannot be opened, so it answers then too."""
        self._touch()
        try:
            engine = self.engine()
        except MnemosError as reason:
            if verb.name != "health":
                raise StoreUnavailable(without_folders(str(reason))) from None
            return unopened(reason)
        if any(p.name == "session" for p in verb.params):
            values.setdefault("session", self.session)
        needed = [values.pop(p.name) for p in verb.params if p.required]
        try:
            return getattr(engine, verb.name)(*needed, **values)
        except StoreUnavailable as reason:
            raise StoreUnavailable(without_folders(str(reason))) from None
        finally:
            self._touch()

    def open_soon(self) -> None:
        """Open in the background, so that the first call need not wait."""
        if self._engine is None and not self._stopped.is_set():
            timer = threading.Timer(AFTER_LISTING_S, self._try_open)
            timer.daemon = True
            timer.start()

    def start_idling(self) -> None:
        """Look after the memory while it is quiet; the thread ends with the process."""
        threading.Thread(target=self._idle, name="mnemos-idle", daemon=True).start()

    def close(self) -> None:
        """Stop idling and close the store. What was answered is committed already."""
        self._stopped.set()
        if self._engine is not None:
            self._engine.close()

    def _touch(self) -> None:
        self._last_call = time.monotonic()
        self._calls += 1

    def _try_open(self) -> None:
        try:
            self.engine()
        except MnemosError as reason:
            log.warning("the memory cannot be opened: %s", reason)

    def _idle(self) -> None:
        """One bounded piece of work at a time, never within QUIET_S of a call; a long pause when nothing was due and nobody called."""
        seen, looked, wait = -1, 0.0, QUIET_S
        while not self._stopped.wait(wait):
            now, wait = time.monotonic(), QUIET_S
            paused = self._calls == seen and now - looked < PAUSE_S
            if self._engine is None or paused or now - self._last_call < QUIET_S:
                continue
            seen, looked = self._calls, now
            try:
                if self._engine.idle():
                    seen, wait = -1, BETWEEN_PIECES_S
            except Exception as bug:
                log.error("background work failed: %s", place_of(bug))


def unopened(reason: MnemosError) -> Health:
    """Health of a memory that cannot be opened."""
    return Health((Check("store", "fail", str(reason), "nothing can be stored or recalled", "repair what the detail names; the next call tries again"),),
                  {}, {}, {})


def without_folders(message: str) -> str:
    """A message with each path cut to its last name: where a store lies is for health only."""
    return _PATH.sub(r"\1", message)


def place_of(bug: BaseException) -> str:
    """Type and place of an exception, without its text: that may quote a memory."""
    trace = bug.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    where = f" at {Path(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno}" if trace else ""
    return f"{type(bug).__name__}{where}"
