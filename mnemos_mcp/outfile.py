"""A file that is about to be written: not over something else, private, and whole or not at all."""
from __future__ import annotations

import os

from .errors import BadInput, StoreUnavailable
from .private import make_folder, open_private

SIDES = ("-wal", "-shm")  # what SQLite keeps beside a database


def beside(target: str) -> str:
    """An empty private file next to `target`, to be written whole and then moved into its place. Raises StoreUnavailable."""
    folder = os.path.dirname(os.path.abspath(target))
    partial = os.path.join(folder, f".{os.path.basename(target)}.{os.getpid()}.part")
    trouble = make_folder(folder)
    if trouble:
        raise StoreUnavailable(f"{trouble}. Nothing was written.")
    try:
        os.close(open_private(partial, replace=True))
    except OSError as error:
        raise StoreUnavailable(f"{target} cannot be written: {error.strerror}. Nothing was written.") from error
    return partial


def refuse_existing(target: str, database: str, *, force: bool) -> None:
    """Raises BadInput for an existing file without `force`, and always for the database itself and for folders."""
    if not target.strip():
        raise BadInput("The name of the file to write is empty.")
    if os.path.isdir(target):
        raise BadInput(f"{target} is a folder; name a file.")
    kin = {os.path.realpath(database + side) for side in ("", *SIDES)} if database != ":memory:" else set()
    if os.path.realpath(target) in kin:
        raise BadInput(f"{target} is the database itself; name another file.")
    if os.path.lexists(target) and not force:
        raise BadInput(f"{target} exists and was left as it is; name another file or give --force.")
