"""What a person looks at beside the ten verbs: what changed, what will fade, what the gate let go, and what lies around a memory.

Reads through the engine's own view, so that nothing shows that the verbs would hide. The one write is `keep`.
"""
from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from . import encode, explain
from .engine import Engine
from .errors import BadInput, NotFound
from .mechanisms.decay import DAY_SECONDS
from .mechanisms.firewall import Refusal
from .mind import Statement
from .model import GLOBAL, SECTORS, Edge, Episode, Memory, Mode, Scope
from .results import Page, Stored
from .retrieve import Question
from .storage import glance
from .writes import SettleEpisodes

EPISODES = 300  # of the gate's log
POINTS = 61  # of a retention curve
AROUND = 48  # memories of a neighbourhood
HOPS = 3


@dataclass(frozen=True, slots=True)
class Curve:
    """Retention of a memory ahead in time: `points` of (days from now, retention 0..1), and the same had it been reinforced just now."""

    memory: Memory
    points: tuple[tuple[float, float], ...]
    reinforced: tuple[tuple[float, float], ...]
    fades_at: float | None
    fades_at_reinforced: float | None


def browse(engine: Engine, *, project: str = "", sector: str = "", **more: Any) -> Page:
    """A page of `list`, cut to memories whose leading sector this is. Where the file cannot put them in order, outlines are read and one page whole."""
    sort = more.get("sort", "recent")
    if not sector and sort in ("recent", "accessed"):
        return engine.list(project=project, **more)
    if sector and sector not in SECTORS:
        raise BadInput(f"sector '{sector}' is unknown; allowed: {', '.join(SECTORS)}.")
    limit, offset, scope = more.get("limit", 20), more.get("offset", 0), more.get("scope", "all")
    view = engine.view(project, () if scope == "all" else (scope,), tags=more.get("tags", ()))
    if not view.scopes:
        return Page(0, offset, (), {})
    found = glance.outlines(_store(engine), view, status=more.get("status", "active"), accessed=sort == "accessed")
    if sector:
        found = [o for o in found if o.leads == SECTORS.index(sector)]
    kept = _retention(engine)
    if sort in ("salience", "retention"):
        found.sort(key=lambda o: kept(o) * (o.importance if sort == "salience" else 1.0), reverse=True)
    whole = named(engine, [o.id for o in found[offset:offset + limit]])
    return Page(len(found), offset, tuple(whole.values()), {m.id: kept(m) for m in whole.values()})


def _store(engine: Engine) -> Any:
    return engine.mind.store


def _retention(engine: Engine) -> Callable[[Any], float]:
    """Retention now of a memory or its outline."""
    decay, now = engine.mind.config.decay, engine.mind.clock()
    return lambda m: decay.retention(m, now)


def taken_apart(engine: Engine, query: str, *, project: str = "", scopes: Sequence[str] = (), mode: Mode = "hybrid", as_of: float | None = None,
                tags: Sequence[str] = (), limit: int = 8, budget_tokens: int = 2000) -> explain.Explained:
    """A recall with everything about it. It leaves no trace: looking is not recalling."""
    if not (1 <= limit <= 50 and 100 <= budget_tokens <= 5000):
        raise BadInput(f"limit {limit} and budget_tokens {budget_tokens} are not allowed: limit 1 to 50, budget_tokens 100 to 5000.")
    view = engine.view(project, scopes, as_of=as_of, tags=tags)
    return explain.explain(Question(query, view, limit, mode, budget_tokens=budget_tokens, explain=True, reconsolidate=False), engine.mind)


def topics(engine: Engine, project: str = "", limit: int = 60) -> list[Memory]:
    """What holds now and once read otherwise."""
    view = engine.view(project)
    return glance.changed(_store(engine), view, limit) if view.scopes else []


def tags(engine: Engine, project: str = "", limit: int = 60) -> list[tuple[str, int]]:
    view = engine.view(project)
    return glance.tags(_store(engine), view, limit) if view.scopes else []


def since(engine: Engine, project: str = "") -> float | None:
    """From when on something is known: where an as_of begins to make sense."""
    view = engine.view(project)
    return glance.since(_store(engine), view) if view.scopes else None


def sizes(engine: Engine) -> dict[str, Any]:
    return glance.sizes(_store(engine))


def receipts(engine: Engine, project: str = "", limit: int = 30) -> list[dict[str, Any]]:
    """What hooks put before agents in this project, the latest first, each memory with its text as far as it is still there."""
    mine = set(engine.group(engine.place(project)))
    given = [r for r in _store(engine).receipts(limit=limit * 4) if r["project"] in mine or not mine][:limit]
    known = named(engine, [i for r in given for i in r["ids"]])
    return [{**r, "memories": [{"id": i, "content": known[i].content, "used": i in r["used"]} for i in r["ids"] if i in known]} for r in given]


def hook_times(engine: Engine) -> list[dict[str, Any]]:
    """How long hooks held a client up: runs, median and slowest of each event in milliseconds, of the last that are kept."""
    by_event: dict[str, list[float]] = {}
    for event, ms in glance.hook_times(_store(engine)):
        by_event.setdefault(event, []).append(ms)
    return [{"event": event, "count": len(ms), "median_ms": median(ms), "slowest_ms": max(ms)} for event, ms in sorted(by_event.items())]


def curves(engine: Engine, ids: Sequence[str], *, days: int = 365, project: str = "") -> list[Curve]:
    """Retention of these memories over the next `days`. NotFound for an unknown id."""
    if not 1 <= days <= 3650:
        raise BadInput(f"days {days} is not allowed: 1 to 3650.")
    decay, now = engine.mind.config.decay, engine.mind.clock()

    def ahead(memory: Memory) -> tuple[tuple[float, float], ...]:
        return tuple((step, decay.ahead(memory, now, step)) for step in (days * i / (POINTS - 1) for i in range(POINTS)))

    made = []
    for memory_id in ids:
        memory = engine.inspect(memory_id, project=project).memory
        again = memory._replace(reinforcements=decay.reinforced(memory.reinforcements, decay.explicit_step), reinforced_at=now)
        made.append(Curve(memory, ahead(memory), ahead(again), decay.fades_at(memory), decay.fades_at(again)))
    return made


def fading(engine: Engine, *, days: int = 365, project: str = "", limit: int = 200) -> tuple[list[tuple[Memory, float]], dict[str, int]]:
    """What sleep will archive and when, the soonest first; and how many in each month ahead ('2026-12' -> 3)."""
    from .moments import iso
    view = engine.view(project)
    if not view.scopes:
        return [], {}
    now, decay = engine.mind.clock(), engine.mind.config.decay
    outlines: list[Any] = glance.outlines(_store(engine), view)
    going = sorted(((o.id, at) for o in outlines if (at := decay.fades_at(o)) is not None and at <= now + days * DAY_SECONDS), key=lambda pair: pair[1])
    months: dict[str, int] = {}
    for _, at in going:
        month = iso(max(at, now))[:7]
        months[month] = months.get(month, 0) + 1
    whole = named(engine, [memory_id for memory_id, _ in going[:limit]])
    return [(whole[memory_id], at) for memory_id, at in going[:limit] if memory_id in whole], months


def heard(engine: Engine, project: str = "", limit: int = EPISODES) -> list[Episode]:
    """The episodic buffer, newest first: what the gate kept, and what it let go."""
    place = engine.place(project)
    found = [e for identity in dict.fromkeys(("", *engine.group(place))) for e in engine.mind.store.episodes(project=identity, status="all", limit=limit)]
    return sorted(found, key=lambda e: e.at, reverse=True)[:limit]


def keep(engine: Engine, episode_id: str, project: str = "") -> Stored:
    """Keep after all what the gate let go: in its own words, with its own origin, and the episode is settled with it."""
    episode = next((e for e in heard(engine, project, 10_000) if e.id == episode_id), None)
    if episode is None:
        raise NotFound(f"No episode '{episode_id[:40]}' here: sleep may have settled it.")
    if isinstance(engine.mind.config.firewall.screen(episode.content), Refusal):
        raise BadInput("The firewall does not let this text in any more.")
    scope = Scope("project", engine.group(engine.place(project))[0]) if episode.project else GLOBAL
    statement = Statement(episode.content, scope, episode.origin, project=episode.project, role=episode.role, session=episode.session, force=True,
                          sources=(episode.id,))
    planned = encode.plan(statement, engine.mind)
    if planned.result.stored and not engine.mind.store.apply([*planned.writes, SettleEpisodes((episode.id,), planned.result.id)]).done:
        raise BadInput("Another process changed the same memory meanwhile; nothing was written. Try again.")
    return planned.result


def runs(engine: Engine, project: str = "", limit: int = 30) -> list[dict[str, Any]]:
    """Sleep's runs, the latest first, each with its diff of ids."""
    mine = set(engine.group(engine.place(project))) | {""}
    return [run for run in _store(engine).runs(limit=limit * 4) if run["project"] in mine][:limit]


def named(engine: Engine, ids: Sequence[str]) -> dict[str, Memory]:
    """Memories of these ids, whatever their status, as far as they are still there."""
    return {m.id: m for memory_id in dict.fromkeys(ids) for m in engine.mind.store.find(memory_id, None) if m.id == memory_id}


def around(engine: Engine, memory_id: str, *, project: str = "", hops: int = 2) -> tuple[list[Memory], list[Edge]]:
    """The neighbourhood of a memory: what can be reached over the strongest ties, at most AROUND of them, itself first."""
    view = engine.view(project)
    first = engine.inspect(memory_id, project=project).memory
    ids, front = [first.id], [first.id]
    edges: dict[tuple[str, str, str], Edge] = {}
    for _ in range(min(max(hops, 1), HOPS)):
        found = sorted(engine.mind.store.edges(front, view), key=lambda e: -e.weight) if front else []
        edges |= {(e.a, e.b, e.kind): e for e in found}
        met = [i for e in found for i in (e.a, e.b) if i not in ids]
        front = list(dict.fromkeys(met))[:AROUND - len(ids)]
        ids += front
    memories = {m.id: m for m in (first, *engine.mind.store.load(ids, view))}
    return [memories[i] for i in ids if i in memories], [e for e in edges.values() if e.a in memories and e.b in memories]
