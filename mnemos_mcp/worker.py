"""The worker that a hook wakes: takes in what was put aside, judges what was said, sleeps if it is due, and leaves hooks the patterns it has compiled.

One at a time for a file; nobody waits for it."""
from __future__ import annotations

import os
import sys
import time
from typing import TYPE_CHECKING, get_args

from . import patterns
from .mechanisms.due import Moment

if TYPE_CHECKING:
    from .engine import Engine
    from .settings import Settings

PATIENCE_S = 60.0  # for a worker before us; its run may have begun before our episodes came
LOOK_S = 0.25
PIECES = 50  # of missing vectors in one night


def main(argv: list[str] | None = None) -> int:
    """`moment folder [seconds]`: after so many seconds of rest. 0 when it slept or had nothing to do."""
    moment, folder, rest = [*(given := sys.argv[1:] if argv is None else argv), *("idle", "", "0")[len(given):]][:3]
    if moment not in get_args(Moment):
        return 2
    from . import settings as layer
    settings = layer.load(cwd=folder if folder and os.path.isdir(folder) else None)
    if settings.store_type == "memory":
        return 0
    lock = _alone(settings.database)
    if lock is None:
        return 0
    try:
        _rest(lock, float(rest), f"{moment} {folder}")
        night(settings, moment)  # type: ignore[arg-type]
        patterns.keep(settings.data_dir)
    finally:
        os.close(lock)
    return 0


def _rest(lock: int, seconds: float, waits_for: str) -> None:
    """With what it waits for in the lock's file, for hooks that would wake another (waking.at_rest)."""
    os.ftruncate(lock, 0)
    if seconds:
        os.write(lock, waits_for.encode())
        time.sleep(seconds)
        os.ftruncate(lock, 0)


def night(settings: Settings, moment: Moment) -> None:
    """One pass. The engine is opened after the lock is held, so that it sees what the worker before has left."""
    from .runtime import open_engine
    engine = open_engine(settings, door="cli")
    try:
        take_in(engine, settings.database)
        engine.sleep(moment)
        for _ in range(PIECES):
            if not engine.mend():
                break
    finally:
        engine.close()


def take_in(engine: Engine, database: str) -> int:
    """Deliveries that hooks put aside because the file was held, into the file. How many."""
    from .storage import aside
    return aside.take_in(database, engine.mind.store.apply)


def _alone(database: str) -> int | None:
    """The lock of this file's worker, waited for a while; None when another keeps it. It ends with the process, however that ends."""
    from .private import make_private, open_private
    make_private(database, create=False)
    handle = open_private(f"{database}.lock", append=True)
    try:
        import fcntl
    except ImportError:
        return handle
    until = time.monotonic() + PATIENCE_S
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return handle
        except OSError:
            if time.monotonic() > until:
                os.close(handle)
                return None
            time.sleep(LOOK_S)


if __name__ == "__main__":
    sys.exit(main())
