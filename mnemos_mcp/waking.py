"""When a hook wakes the worker that thinks, and how: a process of its own that no client waits for or ends."""
from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from .mechanisms.due import Moment, due
from .patterns import missing

if TYPE_CHECKING:
    from .capture import Desk
    from .events import Event
    from .settings import Settings

REST_S = 2.0  # of the worker before it begins: the person gets the answer first, and events that follow each other closely share one night
MOMENTS: dict[str, Moment] = {"stop": "stop", "compacting": "precompact", "end": "session_end", "start": "session_end"}


def wake_if_due(event: Event, desk: Desk, settings: Settings) -> None:
    """At a stop when sleep is due, at an end or a compaction with one episode waiting, at a start with one that another session left; there also for
    what was put aside, and when this Python's patterns were never kept."""
    moment = MOMENTS.get(event.kind)
    if moment is None:
        return
    waiting = desk.buffer.waiting(desk.identities, event.session if event.kind == "start" else "")
    last = float(desk.buffer.kept(f"slept:{desk.project}") or 0.0)
    wanted = event.kind == "start" and (desk.buffer.aside() or missing(settings.data_dir))
    if (due(waiting, desk.now - last, moment) or wanted) and not at_rest(settings.database, moment, settings.folder):
        wake(moment, settings.folder)


def at_rest(database: str, moment: Moment, folder: str) -> bool:
    """Is there a worker for this already that has not begun? It will see what this hook has written."""
    try:
        import fcntl
        handle = os.open(f"{database}.lock", os.O_RDWR | getattr(os, "O_CLOEXEC", 0))
    except (ImportError, OSError):
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        waits_for, _, where = os.read(handle, 5000).decode("utf-8", "replace").partition(" ")
        return where == folder and (waits_for == moment or waits_for in ("precompact", "session_end"))
    finally:
        os.close(handle)
    return False


def command(moment: Moment, folder: str) -> list[str]:
    """The worker is as far from the working folder and the environment as this process is, no further: it must find the modules that this one has found."""
    return [sys.executable, "-EP" if sys.flags.ignore_environment else "-P", "-m", "mnemos_mcp.worker", moment, folder, str(REST_S)]


def wake(moment: Moment, folder: str) -> None:
    """Start the worker, detached: a new session, no streams, nothing inherited that the client could wait for."""
    words = command(moment, folder)
    if not hasattr(os, "fork"):
        import subprocess
        subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                         stderr=subprocess.DEVNULL, close_fds=True, creationflags=getattr(subprocess, "DETACHED_PROCESS", 0))
        return
    if os.fork():
        return
    try:
        os.setsid()
        os.nice(10)
        if os.fork():
            os._exit(0)
        nowhere = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(nowhere, stream)
        os.closerange(3, 256)
        os.execv(sys.executable, words)
    finally:
        os._exit(0)
