"""One line of an export: a memory with its former texts, or an episode, as JSON; and back, with every value checked.

Vectors are not in it: any embedder makes them anew. Times are ISO 8601 to the microsecond, so that a second round changes nothing.
"""
from __future__ import annotations

import math
import re
from typing import Any, get_args

from .episode import UNJUDGED
from .errors import BadInput
from .mechanisms.firewall import Firewall, Refusal
from .model import GLOBAL, LONGEST_CONTENT, LONGEST_LABEL, ORIGINS, SECTORS, Affect, Episode, Kind, Level, Memory, Revision, Role, Scope, Status
from .moments import iso, parse

_WALL = Firewall()

ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{3,63}")
NAME_LONGEST = 2000  # characters of a project or workspace
KINDS = get_args(Kind)
EPISODE_KINDS = ("", "failure", "summary", UNJUDGED, *KINDS)
HUMAN = ("user", "agent")  # origins that `--trust` keeps
Line = dict[str, Any]


def memory_line(memory: Memory, revisions: list[Revision]) -> Line:
    """Every field of a memory by its name. What is empty stays in: a reader should see the whole form."""
    m = memory
    return {
        "id": m.id, "content": str(m.content), **_scope_fields(m.scope), "origin": m.origin, "kind": m.kind, "role": m.role, "key": m.key,
        "tags": list(m.tags), "session": m.session, "importance": m.importance, "surprisal": m.surprisal,
        "affect": {"valence": m.affect.valence, "arousal": m.affect.arousal, "complexity": m.affect.complexity},
        "sectors": dict(zip(SECTORS, m.sectors, strict=True)), "pinned": m.pinned, "status": m.status, "version": m.version,
        "created_at": _iso(m.created_at), "valid_from": _iso(m.valid_from), "valid_to": _iso(m.valid_to), "superseded_by": m.superseded_by,
        "reason": m.reason, "reinforcements": m.reinforcements, "reinforced_at": _iso(m.reinforced_at), "recalls": m.recalls,
        "recalled_at": _iso(m.recalled_at),
        "revisions": [{"version": r.version, "content": r.content, "valid_from": _iso(r.valid_from), "valid_to": _iso(r.valid_to), "reason": r.reason}
                      for r in revisions if r.version < m.version]}


def episode_line(episode: Episode) -> Line:
    e = episode
    return {"id": e.id, "content": str(e.content), "project": e.project, "session": e.session, "role": e.role, "origin": e.origin, "at": _iso(e.at),
            "kind": e.kind, "durable": e.durable, "surprisal": e.surprisal, "event": e.event}


def memory_of(line: Line) -> tuple[Memory, tuple[Revision, ...]]:
    """Raises BadInput naming the field and what it may hold. The texts are not screened yet."""
    created = _time(line, "created_at", required=True)
    valid_from = _time(line, "valid_from", created)
    valid_to = _time(line, "valid_to", None)
    if valid_to is not None and valid_to < valid_from:
        raise BadInput("valid_to lies before valid_from")
    affect, sectors = _object(line, "affect"), _object(line, "sectors")
    memory = Memory(
        id=_id(line, "id"), content=_text(line, "content", required=True), scope=_scope(line), origin=_word(line, "origin", ORIGINS, "imported"),
        kind=_word(line, "kind", KINDS, "fact"), role=_word(line, "role", get_args(Role), "user"), key=_text(line, "key", longest=LONGEST_LABEL), tags=_tags(line),
        session=_text(line, "session", longest=LONGEST_LABEL), importance=_number(line, "importance", 0.5, 0, 1), surprisal=_number(line, "surprisal", 1.0, 0, 1),
        affect=Affect(_number(affect, "valence", 0.0, -1, 1), _number(affect, "arousal", 0.0, 0, 1), _number(affect, "complexity", 0.0, 0, 1)),
        sectors=tuple(_number(sectors, name, float(name == "semantic" and not sectors), 0, 1) for name in SECTORS), pinned=_flag(line, "pinned"),
        status=_word(line, "status", get_args(Status), "active"), version=int(_number(line, "version", 1, 1, 1e9)), created_at=created,
        valid_from=valid_from, valid_to=valid_to, superseded_by=_id(line, "superseded_by", required=False), reason=_text(line, "reason"),
        reinforcements=_number(line, "reinforcements", 0.0, 0, 1e9), reinforced_at=_time(line, "reinforced_at", created),
        recalls=int(_number(line, "recalls", 0, 0, 1e12)), recalled_at=_time(line, "recalled_at", None))
    return memory, tuple(_revision(memory, r) for r in _list(line, "revisions"))


def episode_of(line: Line) -> Episode:
    return Episode(
        id=_id(line, "id"), content=_text(line, "content", required=True), project=_text(line, "project", longest=NAME_LONGEST),
        session=_text(line, "session", longest=LONGEST_LABEL), role=_word(line, "role", get_args(Role), "user"), origin=_word(line, "origin", ORIGINS, "imported"),
        at=_time(line, "at", required=True),
        kind=_word(line, "kind", EPISODE_KINDS, ""), durable=_flag(line, "durable"), surprisal=_number(line, "surprisal", 1.0, 0, 1),
        event=_text(line, "event"))


def screened_memory(memory: Memory, revisions: tuple[Revision, ...], firewall: Firewall) -> tuple[Memory, tuple[Revision, ...], int] | Refusal:
    """Every text field through the firewall, former texts included, and how many values were masked."""
    screen = _Screen(firewall)
    memory = memory._replace(content=screen(memory.content), key=" ".join(screen(memory.key).casefold().split()), session=screen(memory.session),
                     reason=screen(memory.reason), tags=tuple(screen(tag) for tag in memory.tags))
    revisions = tuple(r._replace(content=screen(r.content), reason=screen(r.reason)) for r in revisions)
    screen.name(memory.scope.name)
    return screen.refusal or (memory, revisions, screen.masked)


def screened_episode(episode: Episode, firewall: Firewall) -> tuple[Episode, int] | Refusal:
    screen = _Screen(firewall)
    episode = episode._replace(content=screen(episode.content), session=screen(episode.session), event=screen(episode.event))
    screen.name(episode.project)
    return screen.refusal or (episode, screen.masked)


class _Screen:
    """The firewall over the fields of one line: the first refusal, and the count of masked values."""

    def __init__(self, firewall: Firewall):
        self.firewall, self.masked = firewall, 0
        self.refusal: Refusal | None = None

    def __call__(self, text: str) -> str:
        if not text or self.refusal:
            return text
        result = self.firewall.screen(text)
        if isinstance(result, Refusal):
            self.refusal = result
            return ""
        self.masked += sum(r.count for r in result.redactions)
        return result.text

    def name(self, text: str) -> None:
        """A name that would be masked is another name: refused instead."""
        before = self.masked
        self(text)
        if self.masked > before and not self.refusal:
            self.refusal = Refusal("name", "the name of its project or workspace holds what must not be kept")


def _scope_fields(scope: Scope) -> Line:
    return {"scope": scope.level} | ({scope.level: scope.name} if scope.name else {})


def _scope(line: Line) -> Scope:
    level = _word(line, "scope", get_args(Level), None)
    if level == "global":
        return GLOBAL
    name = _text(line, level, longest=NAME_LONGEST).strip()
    if not name:
        raise BadInput(f"a memory of scope {level} needs '{level}', the name of it")
    return Scope(level, name)


def _revision(memory: Memory, line: Any) -> Revision:
    if not isinstance(line, dict):
        raise BadInput("each of revisions must be an object")
    begin = _time(line, "valid_from", required=True)
    return Revision(memory.id, int(_number(line, "version", None, 1, 1e9)), _text(line, "content", required=True), begin, _time(line, "valid_to", begin),
                    _text(line, "reason"))


def _iso(at: float | None) -> str | None:
    return None if at is None else iso(at, exact=True)


def _text(line: Line, name: str, *, required: bool = False, longest: int = LONGEST_CONTENT) -> str:
    value = line.get(name)
    if value is None and not required:
        return ""
    if not isinstance(value, str) or len(value) > longest or (required and not value.strip()):
        raise BadInput(f"{name} must be a text of at most {longest:,} characters" + (", not empty" if required else ""))
    return value.encode("utf-8", "replace").decode("utf-8")  # halves of a surrogate pair cannot be stored


def _id(line: Line, name: str, *, required: bool = True) -> str:
    value = line.get(name)
    if value in (None, "") and not required:
        return ""
    if not isinstance(value, str) or not ID.fullmatch(value):
        raise BadInput(f"{name} must be 4 to 64 letters, digits, '.', '_' or '-'")
    if isinstance(_WALL.screen(value), Refusal):
        raise BadInput(f"{name} looks like a secret")
    return value


def _word(line: Line, name: str, allowed: tuple[str, ...], default: Any) -> Any:
    value = line.get(name, default)
    if value not in allowed:
        raise BadInput(f"{name} must be one of {', '.join(w or 'empty' for w in allowed)}")
    return value


def _number(line: Line, name: str, default: float | None, low: float, high: float) -> float:
    value = line.get(name, default)
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value) or not low <= value <= high:
        raise BadInput(f"{name} must be a number from {low:g} to {high:g}")
    return value


def _flag(line: Line, name: str) -> bool:
    value = line.get(name, False)
    if not isinstance(value, bool):
        raise BadInput(f"{name} must be true or false")
    return value


def _time(line: Line, name: str, default: Any = None, *, required: bool = False) -> Any:
    value = line.get(name)
    if value is None and not required:
        return default
    try:
        return parse(value)  # type: ignore[arg-type]
    except BadInput as error:
        raise BadInput(f"{name}: {error}") from error


def _object(line: Line, name: str) -> Line:
    value = line.get(name) or {}
    if not isinstance(value, dict):
        raise BadInput(f"{name} must be an object")
    return value


def _list(line: Line, name: str) -> list[Any]:
    value = line.get(name) or []
    if not isinstance(value, list):
        raise BadInput(f"{name} must be a list")
    return value


def _tags(line: Line) -> tuple[str, ...]:
    tags = _list(line, "tags")
    if not all(isinstance(tag, str) and len(tag) <= LONGEST_LABEL for tag in tags):
        raise BadInput("tags must be a list of texts")
    return tuple(dict.fromkeys(t for t in (tag.strip().encode("utf-8", "replace").decode("utf-8") for tag in tags) if t))
