"""Which project this is, which others are known here, and making two of them one or taking them apart. No memory is rewritten by that."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .engine import Engine
from .errors import BadInput
from .place import Place
from .remarks import near_names
from .writes import JoinProjects, KnowProject


@dataclass(frozen=True, slots=True)
class Here:
    """The caller's project, all identities that count as it, and every project met by this file."""

    place: Place
    joined: tuple[str, ...]
    memories: int
    known: tuple[dict[str, Any], ...]


def here(engine: Engine, project: str = "") -> Here:
    place = engine.place(project)
    joined = tuple(engine.group(place))
    memories = engine.list(project=project, scope="project", limit=1).total if place.identity else 0
    return Here(place, joined, memories, tuple(engine.mind.store.projects()))  # type: ignore[attr-defined]


def merge(engine: Engine, one: str, into: str) -> tuple[Place, Place]:
    """`one`, with all that is joined to it, counts as `into` from now on. Raises BadInput when that says nothing new."""
    a, b = known(engine, one), known(engine, into)
    head, group = engine.group(b)[0], engine.group(a)
    if head in group:
        raise BadInput(f"'{a.name}' and '{b.name}' are one project already.")
    met = {p["identity"] for p in engine.mind.store.projects()} | {a.identity}  # type: ignore[attr-defined]
    engine.mind.store.apply([*_meet(engine, a), *_meet(engine, b), *(JoinProjects(identity, head) for identity in group if identity in met)])
    return a, b


def split(engine: Engine, one: str) -> Place:
    """Take a joined project out again. Raises BadInput when it is not joined to another."""
    rows = engine.mind.store.projects()  # type: ignore[attr-defined]
    # By its name a joined project answers as the one it is joined to; here the name means itself.
    named = [p["identity"] for p in rows if p["name"].casefold() == one.casefold() and p["into"]]
    place = known(engine, named[0] if len(named) == 1 else one)
    joined = {p["identity"]: p["into"] for p in rows}
    identity = str(place.identity)
    place = place._replace(name=next((p["name"] for p in rows if p["identity"] == identity), place.name))
    if joined.get(identity):
        engine.mind.store.apply([JoinProjects(identity, "")])
        return place
    others = [i for i, into in joined.items() if into == identity]
    if not others:
        raise BadInput(f"'{place.name}' is not merged with another project.")
    engine.mind.store.apply([JoinProjects(other, "") for other in others])
    return place


def known(engine: Engine, project: str) -> Place:
    """The project that is meant. A name is that of one met here, or of this folder though nothing was stored in it yet: a slip makes no new project."""
    place = engine.place(project)
    if not place.identity:
        raise BadInput(f"'{project}' is no project (a home folder or '/' is none): give a folder, a name or an identity as `mnemos project` shows it.")
    store, own = engine.mind.store, engine.place()
    # A remote or an identity is spelt out: it may be joined before its folder was ever met.
    met = not place.identity.startswith("name:") or store.knows(place.identity)  # type: ignore[attr-defined]
    if place.how == "name" and own.identity and own.name.casefold() == project.casefold() and own.identity not in engine.group(place) and not store.knows(own.identity):  # type: ignore[attr-defined]
        if met:
            raise BadInput(f"'{project}' is the name of this folder's project and of another: {own.identity}, {place.identity}. Give one of these, or the folder.")
        return own
    if not met:
        near = near_names(place.name, [p["name"] for p in store.projects()])  # type: ignore[attr-defined]
        raise BadInput(f"No project '{project[:80]}' is known here." + (f" Did you mean {near}?" if near else " `mnemos project` lists them."))
    return place


def _meet(engine: Engine, place: Place) -> list[KnowProject]:
    """Only a project that this file knows can be joined; one named by a typing error should not be remembered with a folder."""
    met = {p["identity"] for p in engine.mind.store.projects()}  # type: ignore[attr-defined]
    return [] if place.identity in met else [KnowProject(str(place.identity), place.name, place.root, engine.mind.clock())]
