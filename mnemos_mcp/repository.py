"""A git repository read as files: its root, its remotes, its first commit. No process is started except by `ask_git`.

Not followed, on purpose: `include` and `insteadOf` of the configuration (they belong to a machine, not to a project), `config.worktree`,
GIT_DIR and its kin. Sources: gitrepository-layout(5), git-config(1), git-worktree(1), gitformat-pack(5).
"""
from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from typing import NamedTuple

from .mechanisms.scopes import is_no_project

_LARGEST_FILE = 1_000_000  # bytes of a configuration that are read
_FIRST_LINES = 16_000  # bytes of a reflog that are read: a first commit that was amended fifty times
_COMMIT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")


class Repository(NamedTuple):
    """Where a repository lives. Worktrees have their own `root` and share `common`."""

    root: str    # the working tree, or the bare repository itself
    common: str  # the git folder with configuration and objects
    main: str    # the main working tree, from which the project has its name
    bare: bool = False


def find(start: str, home: str) -> Repository | None:
    """The nearest repository at or above a real path; it need not exist. A home folder or "/" is never one."""
    for folder in upwards(start, home):
        inside = os.path.basename(folder) == ".git"
        found = None if inside else _working_tree(folder)
        if found is None and _is_git_folder(folder):
            # Inside .git of a working tree that working tree is meant.
            parent = os.path.dirname(folder)
            if inside and is_no_project(parent, home):
                continue
            found = Repository(parent, folder, parent) if inside else Repository(folder, folder, folder, bare=True)
        if found is not None:
            return found
    return None


def upwards(start: str, home: str) -> Iterator[str]:
    """`start` and its ancestors that may be the root of a project: no home, no "/", no folder shared by all users (/tmp)."""
    folder = start
    while True:
        if not is_no_project(folder, home) and (folder == start or not _shared_by_all(folder)):
            yield folder
        parent = os.path.dirname(folder)
        if parent == folder:
            return
        folder = parent


def remotes(repository: Repository) -> list[str]:
    """URLs of the remotes: origin first, then in the order of the file. Empty when the configuration cannot be read."""
    found: dict[str, str] = {}
    name: str | None = None
    for line in _read(os.path.join(repository.common, "config")).replace("\\\n", "").splitlines():
        line = line.strip()
        header = re.match(r'\[\s*remote\s*(?:\.([^\]"]+)|"((?:[^"\\]|\\.)*)")\s*\]\s*', line, re.IGNORECASE)
        if header:
            name = header[1] or header[2] or ""
            line = line[header.end():]
        elif line.startswith("["):
            name = None
        entry = re.match(r"url\s*=\s*(.*)", line, re.IGNORECASE)
        if entry and name is not None:
            found.setdefault(name, _config_value(entry[1]))
    return [url for name, url in sorted(found.items(), key=lambda item: item[0] != "origin") if url]


def is_shallow(repository: Repository) -> bool:
    """A shallow clone does not hold the first commit."""
    return os.path.exists(os.path.join(repository.common, "shallow"))


def first_commit_logged(repository: Repository) -> str:
    """The first commit as the reflog of the main HEAD tells it, "" when the log does not reach back that far."""
    commit = ""
    for line in _read(os.path.join(repository.common, "logs", "HEAD"), _FIRST_LINES).splitlines():
        stamps, _, message = line.partition("\t")
        old, new = [*stamps.split(" ", 2), "", ""][:2]
        if not commit:
            if old.strip("0") or not message.startswith("commit (initial)"):
                return ""
            commit = new
        elif old == commit and message.startswith("commit (amend)"):
            commit = new  # the first commit itself was amended
        else:
            break
    return commit if _COMMIT.fullmatch(commit) else ""


def holds(repository: Repository, commit: str) -> bool:
    """Is this object in the repository? Tells a remembered commit from that of another repository that took the same place."""
    if not _COMMIT.fullmatch(commit):
        return False
    objects = os.path.join(repository.common, "objects")
    borrowed = _read(os.path.join(objects, "info", "alternates")).splitlines()
    for folder in [objects, *(os.path.join(objects, line) for line in borrowed if line)]:
        if os.path.exists(os.path.join(folder, commit[:2], commit[2:])):
            return True
        packs = os.path.join(folder, "pack")
        try:
            names = [name for name in os.listdir(packs) if name.endswith(".idx")]
        except OSError:
            continue
        if any(_in_pack(os.path.join(packs, name), bytes.fromhex(commit)) for name in names):
            return True
    return False


def ask_git(repository: Repository, timeout_s: float = 3.0) -> str:
    """The first commit on the first-parent line of the main HEAD, "" when git cannot tell. Starts a process: never in a hook."""
    import subprocess
    # A repository is not trusted: its configuration must not make git fetch or start anything.
    never = [f"protocol.{name}.allow=never" for name in ("ext", "file", "git", "http", "https", "ssh")]
    options = [word for value in ("core.fsmonitor=false", "protocol.allow=never", *never) for word in ("-c", value)]
    command = ["git", "--no-replace-objects", *options, f"--git-dir={repository.common}",
               "rev-list", "--max-parents=0", "--first-parent", "HEAD", "--"]
    try:
        run = subprocess.run(command, capture_output=True, stdin=subprocess.DEVNULL, timeout=timeout_s, text=True, check=False)
    except (OSError, ValueError, subprocess.SubprocessError):
        return ""
    commits = run.stdout.split() if run.returncode == 0 else []
    return commits[-1] if commits and _COMMIT.fullmatch(commits[-1]) else ""


def real(path: str) -> str:
    """The real path of what may be missing or be no path at all. Never raises."""
    try:
        return os.path.realpath(path.replace("\0", ""))
    except (OSError, ValueError):
        return os.path.normpath(path.replace("\0", ""))


def _working_tree(folder: str) -> Repository | None:
    git = os.path.join(folder, ".git")
    if os.path.isdir(git):
        return Repository(folder, real(git), folder) if _is_git_folder(git) else None
    if not os.path.isfile(git):
        return None
    pointer = _read(git)
    if not pointer.startswith("gitdir:"):
        return None
    git = real(os.path.join(folder, pointer[7:].strip()))
    shared = _read(os.path.join(git, "commondir")).strip()
    if not shared:  # a submodule or a separate git folder: a project of its own
        return Repository(folder, git, folder)
    common = real(os.path.join(git, shared))
    return Repository(folder, common, os.path.dirname(common) if os.path.basename(common) == ".git" else common)


def _is_git_folder(path: str) -> bool:
    return os.path.isfile(os.path.join(path, "HEAD")) and all(os.path.isdir(os.path.join(path, name)) for name in ("objects", "refs"))


def _shared_by_all(path: str) -> bool:
    try:
        return bool(os.stat(path).st_mode & stat.S_ISVTX)
    except (OSError, ValueError):
        return False


def _config_value(text: str) -> str:
    """A value of a git configuration line: quotes and escapes resolved, comment cut off."""
    parts: list[str] = []
    quoted = False
    for match in re.finditer(r"\\(.)|(.)", text):
        escaped, char = match[1], match[2]
        if escaped is not None:
            parts.append({"n": "\n", "t": "\t", "b": "\b"}.get(escaped, escaped))
        elif char == '"':
            quoted = not quoted
        elif char in "#;" and not quoted:
            break
        else:
            parts.append(char)
    return "".join(parts).strip()


def _read(path: str, at_most: int = _LARGEST_FILE) -> str:
    """Text of a regular file, "" when there is none. Never raises."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            return ""
        with open(path, "rb") as file:
            return file.read(at_most).decode("utf-8-sig", "replace").replace("\r\n", "\n")
    except (OSError, ValueError):
        return ""


def _in_pack(index: str, name: bytes) -> bool:
    """Look an object up in a version 2 pack index: 256 cumulative counts, then the sorted names."""
    try:
        with open(index, "rb") as file:
            if file.read(8) != b"\xfftOc\x00\x00\x00\x02":
                return False
            counts = file.read(1024)
            low = int.from_bytes(counts[4 * name[0] - 4:4 * name[0]], "big") if name[0] else 0
            high = int.from_bytes(counts[4 * name[0]:4 * name[0] + 4], "big")
            file.seek(8 + 1024 + low * len(name))
            block = file.read((high - low) * len(name))
    except (OSError, ValueError):
        return False
    return any(block.startswith(name, at) for at in range(0, len(block), len(name)))
