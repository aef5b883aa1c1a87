"""A copy to fall back on, and a way back from a damaged file. A damaged file is kept aside, never changed, never emptied."""
from __future__ import annotations

import os
import shutil
import tempfile
import time
from dataclasses import dataclass, field
from typing import Literal

from .errors import MnemosError, StoreUnavailable
from .outfile import SIDES, beside, refuse_existing
from .private import make_private, open_private
from .storage import salvage
from .storage.schema import LAYOUT, connect
from .storage.sqlite import SqliteStore

State = Literal["whole", "damaged", "no_database"]


@dataclass(frozen=True, slots=True)
class Examined:
    """What a full check found. `troubles` are SQLite's own words."""

    path: str
    state: State
    troubles: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Recovered:
    """What was saved into the new file, and where the old one lies."""

    path: str
    state: State
    aside: str = ""
    rows: dict[str, int] = field(default_factory=dict)
    lost: dict[str, int] = field(default_factory=dict)


def examine(path: str) -> Examined:
    """Every page and the word index. Raises StoreUnavailable when there is no file, or a newer program's."""
    if not os.path.isfile(path):
        raise StoreUnavailable(f"There is no file {path}; nothing to recover.")
    number = salvage.layout(path)
    if number > LAYOUT:
        raise StoreUnavailable(f"{path} has layout {number}; this program knows layouts up to {LAYOUT}. Nothing was changed: update mnemos-mcp to open it.")
    found = tuple(salvage.troubles(path))
    if not found:
        return Examined(path, "whole")
    with tempfile.TemporaryDirectory(dir=os.path.dirname(path), prefix=".mnemos-recover-") as folder:
        return Examined(path, "damaged" if _rescued(path, folder, 0.0) else "no_database", found)


def recover(seen: Examined, *, now: float) -> Recovered:
    """A new file in the place of a damaged one, with every memory that can still be read; the damaged one beside it, untouched.

    A whole file is left alone. A file that is no database is kept aside too, and an empty one takes its place: ask before.
    """
    path = seen.path
    if seen.state == "whole":
        return Recovered(path, "whole")
    if salvage.in_use(path):
        raise StoreUnavailable(f"{path} is open in another process (a server, the web page). Nothing was changed: close the clients that use it and "
                               "run this again.")
    with tempfile.TemporaryDirectory(dir=os.path.dirname(path), prefix=".mnemos-recover-") as folder:
        saved = _rescued(path, folder, now)
        aside = _set_aside(path, time.strftime("%Y%m%d-%H%M%S", time.gmtime(now)))
        os.replace(_new(folder), path)
    make_private(path)
    return Recovered(path, seen.state, aside, dict(saved.rows), dict(saved.lost))


def backup(store: SqliteStore, target: str, *, force: bool = False) -> int:
    """A consistent copy while others write; bytes of it. Mode 0600; an existing file is only replaced with `force`."""
    refuse_existing(target, store.path, force=force)
    partial = beside(target)
    try:
        store.backup(partial)
        os.chmod(partial, 0o600)
        os.replace(partial, target)
    finally:
        if os.path.exists(partial):
            os.remove(partial)
    return os.path.getsize(target)


def _new(folder: str) -> str:
    return os.path.join(folder, "new.db")


def _rescued(path: str, folder: str, now: float) -> salvage.Salvaged:
    """What can be read of a copy of the file, written to a new store in `folder` and checked."""
    copy, fresh = os.path.join(folder, "copy.db"), _new(folder)
    for name in (copy, fresh):
        os.close(open_private(name, replace=True))
    shutil.copyfile(path, copy)
    if os.path.exists(path + "-wal"):
        shutil.copyfile(path + "-wal", copy + "-wal")
    target, _ = connect(fresh, now=now, vector_functions=False)
    try:
        target.execute("pragma wal_checkpoint(truncate)").fetchall()
        saved = salvage.salvage(copy, target, fresh)
        nonsense = salvage.drop_nonsense(target)
        salvage.tags_again(target)
        if nonsense:
            saved.lost["memory"] = saved.lost.get("memory", 0) + nonsense
        target.execute("pragma wal_checkpoint(truncate)").fetchall()
    finally:
        target.close()
    remains = salvage.troubles(fresh)
    if remains:
        raise MnemosError(f"The new file does not pass its check ({remains[0]}); {path} was left as it is.")
    return saved


def _set_aside(path: str, stamp: str) -> str:
    """Rename the file and its side files; the log file may hold the latest memories. The new name."""
    aside = f"{path}.damaged-{stamp}"
    for number in range(1, 1000):
        if not os.path.lexists(aside):
            break
        aside = f"{path}.damaged-{stamp}-{number}"
    for side in SIDES:
        if os.path.exists(path + side):
            os.rename(path + side, aside + side)
    os.rename(path, aside)
    return aside
