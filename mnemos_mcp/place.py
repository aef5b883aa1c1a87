"""Where a caller stands: its project, the workspaces that hold it, and all that counts as the same project."""
from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple, Protocol

from .buffered import Keep, KnowProject
from .identity import ProjectIdentity, resolve, workspaces_of

if TYPE_CHECKING:
    from .settings import Settings


PLAIN_NAME = 16  # characters of a folder's name up to which nothing is looked for in it
_ODD = frozenset("@=:%")


class Known(Protocol):
    """What the file remembers of projects: of both its faces, the store and the buffer of the hooks."""

    read_only: bool

    def kept(self, name: str) -> str: ...
    def named(self, name: str) -> list[str]: ...
    def apply(self, writes: list[Keep], /) -> object: ...


class Place(NamedTuple):
    """Where a caller stands: its project (None: a home folder or '/'), and the workspaces that hold it."""

    identity: str | None
    name: str = ""
    root: str = ""
    how: str = ""
    workspaces: tuple[str, ...] = ()
    former: tuple[str, ...] = ()  # weaker identities of the same folder: memories stored before it got a remote


def place_of(project: ProjectIdentity | None, workspaces: tuple[str, ...]) -> Place:
    if project is None:
        return Place(None, workspaces=workspaces)
    return Place(project.identity, project.name, project.root, project.how, workspaces, project.former)


def group(place: Place, joined: Mapping[str, str]) -> list[str]:
    """Identities that are one project: what the place is, what it was, and all that are joined to it. The first is where it writes."""
    if place.identity is None:
        return []
    head = joined.get(place.identity, place.identity)
    others = [i for i, h in joined.items() if h == head or h in place.former]
    return list(dict.fromkeys([head, *others, place.identity, *place.former]))


def acquainted(place: Place, now: float, screen: Callable[[str], str | None]) -> KnowProject:
    """The place as it may be kept: a folder may be named after a key. `screen` gives the clean text, None for what may not be kept; it is not asked about
    a path of short plain names."""
    def clean(text: str) -> str:
        plain = all(len(name) <= PLAIN_NAME and not _ODD & set(name) for name in text.split("/"))
        return text if plain else screen(text) or ""
    return KnowProject(place.identity or "", clean(place.name), clean(place.root), now)


def remembered(store: Known) -> Callable[[str], str | None]:
    """An identity that was once computed by git, so that a hook need not."""
    return lambda key: store.kept(f"identity:{key}") or None


def locator(settings: Settings, store: Known, *, allow_git: bool) -> Callable[[str], Place]:
    """From a project parameter ('' = the caller's own) to a place. What git had to find out is kept for the hooks."""
    def find(asked: str) -> ProjectIdentity | None:
        project = resolve(asked or settings.project, cwd=settings.folder, home=settings.home, known=store.named, allow_git=allow_git,
                          cached=remembered(store), name=settings.project_name)
        if project and project.key and allow_git and not store.read_only and store.kept(f"identity:{project.key}") != project.identity:
            store.apply([Keep(f"identity:{project.key}", project.identity)])
        return project

    def locate(asked: str) -> Place:
        project = find(asked)
        return place_of(project, workspaces_of(project, settings.workspaces, home=settings.home, chosen=settings.workspace, cached=remembered(store)))

    return locate
