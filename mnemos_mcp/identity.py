"""Which project a folder is. Reads the file system; starts git only where the caller allows it (never in a hook).

Order: normalised remote (origin, else the first), else the first commit of a full clone, else the folder.
  - Worktrees and clones share one identity, forks (another remote) do not; moves and renames change nothing. A submodule is its own project.
  - A remote that is a working repository on this machine is followed (a clone of it is the same project); a bare one is a hub of its own.
  - A repository is one project from its root to its last subfolder. A plain folder belongs to the nearest ancestor with a marker
    (MARKERS) below home; without one it is a project by itself, and so is its subfolder.
  - A home folder, "/" and a drive root are no project (None), nor is a repository or a marker found there.
  - The name in a repository's file is for display only: an identity that a file could choose would open other projects' memories.
"""
from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Literal, NamedTuple

from . import repository as git
from .errors import BadInput
from .mechanisms import scopes
from .repository import Repository

Cached = Callable[[str], "str | None"]
Known = Callable[[str], "list[str]"]
MARKERS = (".mnemos", ".hg", ".svn", ".jj", ".project-root", "pyproject.toml", "setup.py", "package.json", "deno.json", "Cargo.toml",
           "go.mod", "pom.xml", "build.gradle", "build.gradle.kts", "composer.json", "Gemfile", "mix.exs", "CMakeLists.txt")
_WINDOWS = re.compile(r"[A-Za-z]:[\\/]|[A-Za-z]:$|\\\\")
_HOPS = 4  # local remotes followed: a clone of a clone of a clone


class ProjectIdentity(NamedTuple):
    """A project as a folder gives it. `former` are weaker identities of the same folder: memories stored before it got a remote."""

    identity: str
    name: str
    root: str
    how: Literal["remote", "root-commit", "folder", "name"]
    key: str = ""  # for the cache: the git folder; "" when there is nothing to remember
    main: str = ""  # the main working tree, when `root` is a linked one
    former: tuple[str, ...] = ()
    provisional: bool = False  # a first commit was not found without git: ask again with allow_git and remember `identity` under `key`


def _nothing(_: str) -> None:
    return None


def identify(folder: str, *, home: str, allow_git: bool = False, cached: Cached = _nothing, name: str = "") -> ProjectIdentity | None:
    """The project of a folder, None when it is none. Missing folders and odd paths do not raise.

    `cached` maps a `key` to the identity remembered for it; `name` is the display name of the repository's own file.
    """
    project = _identify(folder, home, allow_git, cached, _HOPS)
    given = " ".join(scopes.plain(name).split())[:100]
    return project._replace(name=given) if project and given else project


def resolve(project: str, *, cwd: str, home: str, known: Known = lambda _: [], allow_git: bool = False,
            cached: Cached = _nothing, name: str = "") -> ProjectIdentity | None:
    """The project that a parameter means: a folder, a name, an identity or a remote; "" is the working folder.

    `known` gives the identities that have this display name. BadInput when a name fits several. `name` is the display name that the file
    of the working folder's project gives.
    """
    text = project.strip()
    if not text or is_folder(text, cwd, home):
        place = os.path.join(cwd, _expanded(text.removeprefix("file://"), home)) if text and not _foreign(text) else text or cwd
        own = not text or (bool(name) and root_of(place, home=home) == root_of(cwd, home=home))
        return identify(place, home=home, allow_git=allow_git, cached=cached, name=name if own else "")
    if text.startswith(scopes.IDENTITY_FORMS) and "://" not in text:
        clean = scopes.given_identity(text)
        return ProjectIdentity(clean, scopes.display_name(clean), "", "name")
    remote = scopes.remote_identity(text) if "://" in text or re.match(r"[\w.-]+@[\w.-]+:", text) else ""
    fitting = [remote] if remote else list(dict.fromkeys(known(text)))
    if len(fitting) > 1:
        raise BadInput(f"'{text[:80]}' is the name of {len(fitting)} projects: {', '.join(fitting[:8])}. Give one of these, or the folder.")
    identity = fitting[0] if fitting else scopes.name_identity(text)
    shown = scopes.display_name(identity) if remote else text
    return ProjectIdentity(identity, " ".join(scopes.plain(shown).split())[:100], "", "name")


def is_folder(text: str, cwd: str, home: str) -> bool:
    """Is this parameter a folder, not a name? Written as a path, or with a separator and there."""
    if text in (".", "..", "~") or text.startswith(("/", "./", "../", "~/", ".\\", "..\\", "~\\", "file://")) or _WINDOWS.match(text):
        return True
    if text.startswith(scopes.IDENTITY_FORMS) or ("/" not in text and "\\" not in text):
        return False
    try:
        return os.path.isdir(os.path.join(cwd, _expanded(text, home)))
    except ValueError:
        return False


def root_of(folder: str, *, home: str) -> str:
    """Root of the project a folder belongs to, where its .mnemos/mnemos.toml is looked for; "" for no project."""
    if _foreign(folder):
        return ""
    start = git.real(folder)
    if _nowhere(start, _real_home(home)):
        return ""
    found = git.find(start, _real_home(home))
    return found.root if found else _marked_root(start, _real_home(home))


def workspaces_of(project: ProjectIdentity | None, workspaces: Mapping[str, Sequence[str]], *, home: str, chosen: str = "",
                  cached: Cached = _nothing) -> tuple[str, ...]:
    """Names of the workspaces that a project is in, `chosen` first. A member is an identity, a remote, or a folder with all below it.

    A chosen workspace that the user's file does not list has whoever chooses it; one that it lists has only its members.
    """
    if project is None:
        return ()
    names = [name for name, members in workspaces.items() if any(_is_member(project, text, home, cached) for text in members)]
    if chosen and chosen not in workspaces:
        names.append(chosen)
    return tuple(sorted(names, key=lambda name: name != chosen))


def _is_member(project: ProjectIdentity, member: str, home: str, cached: Cached) -> bool:
    if member == project.identity or (scopes.remote_identity(member) or "-") == project.identity:
        return True
    if not is_folder(member, home, home):
        return False
    folder = git.real(os.path.join(home, _expanded(member, home)))
    if any(place == folder or place.startswith(folder.rstrip(os.sep) + os.sep) for place in (project.root, project.main) if place):
        return True
    listed = identify(folder, home=home, cached=cached)
    return listed is not None and listed.identity == project.identity


def _identify(folder: str, home: str, allow_git: bool, cached: Cached, hops: int) -> ProjectIdentity | None:
    if _foreign(folder):
        text = scopes.plain(folder).replace("\\", "/").rstrip("/").lower()
        return None if scopes.is_no_project(text, home) else _by_folder(text)
    home = _real_home(home)
    start = git.real(folder)
    if _nowhere(start, home):
        return None
    found = git.find(start, home)
    if found is None:
        return _by_folder(_marked_root(start, home))
    former = (scopes.folder_identity(found.main),)
    remembered = cached(found.common) or ""
    by_remote = _remote(found, home, allow_git, cached, hops)
    commit = "" if by_remote or git.is_shallow(found) else _first_commit(found, remembered, allow_git)
    identity = by_remote or (commit and f"root:{commit}") or former[0]
    how: Literal["remote", "root-commit", "folder"] = (
        "root-commit" if identity.startswith("root:") else "remote" if by_remote else "folder")
    logged = git.first_commit_logged(found)
    earlier = dict.fromkeys((*former, f"root:{logged}" if logged else "", remembered))
    return ProjectIdentity(identity, scopes.display_name(identity, found.main), found.root, how, key=found.common, main=found.main,
                           former=tuple(one for one in earlier if one and one != identity),
                           provisional=how == "folder" and not git.is_shallow(found))


def _by_folder(root: str) -> ProjectIdentity:
    identity = scopes.folder_identity(root)
    return ProjectIdentity(identity, scopes.display_name(identity, root), root, "folder", main=root)


def _remote(found: Repository, home: str, allow_git: bool, cached: Cached, hops: int) -> str:
    for url in git.remotes(found):
        identity = scopes.remote_identity(url) or _local_remote(found, scopes.local_path(url), home, allow_git, cached, hops)
        if identity:
            return identity
    return ""


def _local_remote(found: Repository, path: str, home: str, allow_git: bool, cached: Cached, hops: int) -> str:
    """Identity of a remote on this machine: a working repository is followed, a bare one is a hub. "" when it is gone."""
    if not path or hops == 0:
        return ""
    path = git.real(os.path.join(found.main, _expanded(path, home)))
    there = git.find(path, home) if os.path.isdir(path) else None
    if there is None:
        return scopes.hub_identity(path) if path.endswith(".git") and os.path.basename(path) != ".git" else ""
    if there.bare:
        return scopes.hub_identity(there.root)
    source = None if there.common == found.common else _identify(there.main, home, allow_git, cached, hops - 1)
    # A source known by its folder only is no better than the first commit that the clone has too.
    return source.identity if source and source.how != "folder" else ""


def _first_commit(found: Repository, remembered: str, allow_git: bool) -> str:
    """Remembered, else told by git if allowed, else by the reflog. What is remembered must be an object of this repository."""
    commit = remembered.removeprefix("root:") if remembered.startswith("root:") else ""
    if commit and git.holds(found, commit):
        return commit
    return (git.ask_git(found) if allow_git else "") or git.first_commit_logged(found)


def _nowhere(start: str, home: str) -> bool:
    """No project, and neither is the git folder of a home that is under version control."""
    dotfiles = os.path.join(home, ".git") if home else ""
    return scopes.is_no_project(start, home) or (bool(dotfiles) and (start + os.sep).startswith(dotfiles + os.sep))


def _marked_root(start: str, home: str) -> str:
    for folder in git.upwards(start, home):
        if any(os.path.exists(os.path.join(folder, marker)) for marker in MARKERS):
            return folder
    return start


def _foreign(path: str) -> bool:
    """A Windows path on a system that has none: it names a folder elsewhere, nothing here may be looked up by it."""
    return os.sep == "/" and _WINDOWS.match(path) is not None


def _expanded(path: str, home: str) -> str:
    return home + path[1:] if home and (path == "~" or path[:2] in ("~/", "~\\")) else path


def _real_home(home: str) -> str:
    return git.real(home) if home else ""
