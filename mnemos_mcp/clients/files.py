"""A configuration file of a client on disk: read whole, written whole or not at all, with a copy of what was there beside it.

A link stays a link (what it means is written), owner and mode stay. The copy is private: such files hold tokens. Nothing is written
over a file that changed since it was read: clients write theirs while they run.
"""
from __future__ import annotations

import os
import stat
import tempfile
from contextlib import suppress

from ..errors import MnemosError
from ..private import FILE_MODE, make_folder, open_private

BACKUP = ".before-mnemos"
LARGEST = 32_000_000  # bytes; a history that Claude Code keeps in its settings can be some megabytes


class Refused(MnemosError):
    """A file that is left as it is; the message says why."""


class Changed(MnemosError):
    """Somebody wrote the file between reading and writing."""


def read(path: str) -> bytes | None:
    """The whole file, None when there is none. Raises Refused."""
    try:
        found = os.stat(path)
        if not stat.S_ISREG(found.st_mode):
            raise Refused(f"{path} is no file")
        if found.st_size > LARGEST:
            raise Refused(f"{path} is larger than {LARGEST:,} bytes")
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise Refused(f"{path} cannot be read ({error.strerror})") from error


def text_of(raw: bytes, path: str) -> str:
    """Its text; a byte order mark stays in it. Raises Refused."""
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        raise Refused(f"{path} is not UTF-8") from None
    if "\0" in text:
        raise Refused(f"{path} holds zero bytes")
    return text


def backup_of(path: str) -> str:
    return path + BACKUP


def write(path: str, before: bytes | None, after: bytes) -> None:
    """Put `after` in the place of `before` (None: no file yet). Raises Refused or Changed; then nothing was written."""
    target = os.path.realpath(path)
    trouble = make_folder(os.path.dirname(target))
    if trouble:
        raise Refused(trouble)
    found = _writable(path, target)
    try:
        handle, partial = tempfile.mkstemp(prefix=f".{os.path.basename(target)}.", suffix=".mnemos", dir=os.path.dirname(target))
    except OSError as error:
        raise Refused(f"{os.path.dirname(target)} cannot be written ({error.strerror})") from error
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(after)
            file.flush()
            os.fsync(file.fileno())
        _like(partial, path, found)
        if read(path) != before:
            raise Changed(f"{path} was changed by another program meanwhile")
        os.replace(partial, target)
    except OSError as error:
        raise Refused(f"{path} cannot be written ({error.strerror})") from error
    finally:
        with suppress(OSError):
            os.unlink(partial)


def keep(path: str, raw: bytes) -> str:
    """A private copy beside the file; its name. Raises Refused."""
    name = backup_of(path)
    try:
        if os.path.lexists(name) and not os.path.isfile(name):
            raise Refused(f"{name} is no file, so no copy can be kept there")
        with suppress(FileNotFoundError):
            os.unlink(name)  # a link there must not lead elsewhere
        with os.fdopen(open_private(name), "wb") as file:
            file.write(raw)
    except OSError as error:
        raise Refused(f"a copy at {name} cannot be written ({error.strerror}), so {path} is left as it is") from error
    return name


def delete(path: str, before: bytes) -> None:
    """Take the file away. Raises Refused or Changed."""
    target = os.path.realpath(path)
    _writable(path, target)
    if read(path) != before:
        raise Changed(f"{path} was changed by another program meanwhile")
    try:
        os.unlink(target)
    except OSError as error:
        raise Refused(f"{path} cannot be removed ({error.strerror})") from error


def _writable(path: str, target: str) -> os.stat_result | None:
    """The file as it is, None for a new one. A file that its owner closed to writing stays closed, though a rename would get round it."""
    try:
        found = os.stat(target)
    except OSError:
        return None
    if not found.st_mode & stat.S_IWUSR or not os.access(target, os.W_OK):
        raise Refused(f"{path} is read-only")
    return found


def _like(partial: str, path: str, found: os.stat_result | None) -> None:
    """Mode and owner of the file that was there; 0600 for a new one."""
    if os.name != "posix":
        return
    if found is None:
        os.chmod(partial, FILE_MODE)
        return
    os.chmod(partial, stat.S_IMODE(found.st_mode))
    ours = os.stat(partial)
    if (ours.st_uid, ours.st_gid) != (found.st_uid, found.st_gid):
        try:
            os.chown(partial, found.st_uid, found.st_gid)
        except OSError:
            raise Refused(f"{path} belongs to another user or group, and that could not be kept") from None
        os.chmod(partial, stat.S_IMODE(found.st_mode))
