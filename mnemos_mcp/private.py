"""What mnemos writes is for its user alone: folders 0700, files 0600. Nothing here raises; what fails comes back as a sentence.

A folder is only tightened when it is mnemos' own: a database that was put beside other files must not lock a team out of them.
On Windows a profile folder is private by its access list and nothing is done.
"""
from __future__ import annotations

import os
import stat

FOLDER_MODE = 0o700
FILE_MODE = 0o600
# What stands beside a database of ours: backups, exports, logs, locks, quarantined files.
_OUR_ENDINGS = (".db", ".sqlite", ".sqlite3", ".log", ".lock", ".jsonl", ".bak", ".gz", "-wal", "-shm", "-journal")
_OUR_FOLDERS = frozenset({"backups", "exports", "logs", "models", "damaged"})


def only_readable(path: str) -> bool:
    """A file that is there and that this user may not write, or whose folder may not be written: recall goes on, health says so."""
    return os.path.exists(path) and not (os.access(path, os.W_OK) and os.access(os.path.dirname(path) or ".", os.W_OK))


def make_private(path: str, *, create: bool = False) -> str | None:
    """Make the folder of a database and tighten it with all that stands in it, or, among other files, the database and its side files.

    With `create` a missing file is made empty with mode 0600, so that SQLite gives its -wal and -shm the same. None, or one sentence of warning.
    """
    path = os.path.realpath(path)  # SQLite puts side files beside the file that a link means
    folder, name = os.path.split(path)
    troubles = [make_folder(folder)]
    if create and troubles[0] is None:
        troubles.append(_create(path))
    if os.name == "posix":
        names = _names(folder)
        own = is_our_folder(folder, name)
        if own:
            troubles.append(_tighten(folder, FOLDER_MODE))
            for inner in (one for one in names if one in _OUR_FOLDERS and os.path.isdir(os.path.join(folder, one))):
                troubles.append(_tighten(os.path.join(folder, inner), FOLDER_MODE))
                names += [os.path.join(inner, one) for one in _names(os.path.join(folder, inner))]
        elif not _is_closed(folder):
            troubles.append(f"The folder {folder} holds other files too, so its mode is left as it is; the files of mnemos in it are private")
        troubles += [_tighten(os.path.join(folder, one), FILE_MODE) for one in names if own or _is_kin(one, name)]
    said = [trouble for trouble in troubles if trouble]
    return "; ".join(said[:3]) + "." if said else None


def make_folder(folder: str) -> str | None:
    """Make a folder with its missing parents, each 0700. None, or one sentence."""
    missing: list[str] = []
    while folder and not os.path.isdir(folder) and os.path.dirname(folder) != folder:
        missing.append(folder)
        folder = os.path.dirname(folder)
    for one in reversed(missing):
        try:
            os.mkdir(one, FOLDER_MODE)
        except FileExistsError:
            if not os.path.isdir(one):
                return f"{one} is a file, so no folder can be made there"
        except OSError as error:
            return f"The folder {one} could not be made ({error.strerror})"
    return None


def open_private(path: str, *, append: bool = False, replace: bool = False) -> int:
    """File descriptor for writing a new file with mode 0600 (log, export, backup). FileExistsError unless `append` or `replace`."""
    flags = os.O_WRONLY | os.O_CREAT | (os.O_APPEND if append else os.O_TRUNC if replace else os.O_EXCL) | getattr(os, "O_CLOEXEC", 0)
    descriptor = os.open(path, flags, FILE_MODE)
    if os.name == "posix" and stat.S_ISREG(os.fstat(descriptor).st_mode):
        try:  # noqa: SIM105 - contextlib would be one more import on the hook path
            os.fchmod(descriptor, FILE_MODE)  # an older file that someone loosened
        except OSError:
            pass  # not ours to change, still ours to write
    return descriptor


def is_our_folder(folder: str, database: str) -> bool:
    """Does a folder hold nothing but what mnemos writes? A folder of the name mnemos does, unless it is a checkout; home and /tmp never."""
    try:
        found = os.stat(folder)
    except OSError:
        return False
    # For root in a container, an empty /tmp or another user's folder would be easy to close by mistake.
    if found.st_mode & stat.S_ISVTX or found.st_uid != os.geteuid() or folder in ("/", os.path.realpath(os.path.expanduser("~"))):
        return False
    names = _names(folder)
    if os.path.basename(folder) == "mnemos" and not {".git", "pyproject.toml"} & set(names):
        return True
    return all(_is_kin(name, database) or name.endswith(_OUR_ENDINGS) or name in _OUR_FOLDERS for name in names)


def _is_kin(name: str, database: str) -> bool:
    """The database, its side files, and what is called after it: mnemos.db, mnemos.db-wal, mnemos.log, mnemos-2026-01-02.jsonl."""
    stem = os.path.splitext(database)[0]
    return name == database or name.startswith((f"{database}-", f"{database}.")) or (
        name.startswith((f"{stem}.", f"{stem}-")) and name.endswith(_OUR_ENDINGS))


def _names(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []


def _create(path: str) -> str | None:
    try:
        os.close(open_private(path))
    except FileExistsError:
        pass
    except OSError as error:
        return f"{path} could not be made ({error.strerror})"
    return None


def _is_closed(folder: str) -> bool:
    try:
        return not stat.S_IMODE(os.stat(folder).st_mode) & 0o077
    except OSError:
        return True


def _tighten(path: str, mode: int) -> str | None:
    """Take from others what they may do; the owner gets no more than before. Links and what is neither file nor folder are left alone."""
    try:
        found = os.lstat(path)
        before = stat.S_IMODE(found.st_mode)
        if before & ~mode and (stat.S_ISDIR if mode == FOLDER_MODE else stat.S_ISREG)(found.st_mode):
            os.chmod(path, before & mode or mode)
    except FileNotFoundError:
        return None  # a side file that SQLite just removed
    except OSError as error:
        return f"The mode of {path} could not be tightened ({error.strerror}): others on this machine may read it"
    return None
