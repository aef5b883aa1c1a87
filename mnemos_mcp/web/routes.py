"""The routes of the page. The ten verbs take the parameters of the MCP tools, from the same table; what lies beside them is in overview.py and talk.py."""
from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping
from typing import Any

from .. import overview, talk
from ..engine import Engine
from ..errors import Ambiguous, BadInput, MnemosError, NotFound, StoreUnavailable
from ..mechanisms.firewall import Firewall
from ..model import SECTORS
from ..params import Param, read_all
from ..projects import here
from ..render import as_json, plain
from ..tools import PROJECT, VERBS, Verb
from . import shapes

MOST_BYTES = 1_000_000  # of a request
ELSEWHERE = ("forget", "inspect", "reinforce")  # a person may name another project
CHANGING = ("store", "consolidate", "forget", "reinforce")
SECTOR = Param("sector", "string", "Leading sector", choices=SECTORS)
log = logging.getLogger("mnemos_mcp.web")
Given = Mapping[str, Any]
Work = Callable[[Engine, Given], Any]


def _whole(name: str, default: int, low: int, high: int) -> Param:
    return Param(name, "integer", name, default=default, low=low, high=high)


def _verb(verb: Verb) -> Work:
    """A verb as every door has it; the reply is the one that all doors share."""
    params = (*verb.params, PROJECT) if verb.name in ELSEWHERE else verb.params

    def work(engine: Engine, given: Given) -> Any:
        values = read_all(params, given, verb.name)
        lead = [values.pop(p.name) for p in verb.params if p.required]
        more = {"origin": "user"} if verb.name == "store" else {}
        result = getattr(engine, verb.name)(*lead, **values, **more)
        return as_json(result, engine.mind.clock(), explain=bool(values.get("explain")))

    return work


def _list(engine: Engine, given: Given) -> Any:
    verb = next(v for v in VERBS if v.name == "list")
    return shapes.page(overview.browse(engine, **read_all((*verb.params, SECTOR), given, "list")))


def _timeline(engine: Engine, given: Given) -> Any:
    verb = next(v for v in VERBS if v.name == "timeline")
    return shapes.timeline(engine.timeline(**read_all(verb.params, given, "timeline")))


def _inspect(engine: Engine, given: Given) -> Any:
    values = read_all((*next(v for v in VERBS if v.name == "inspect").params, PROJECT), given, "inspect")
    found = engine.inspect(values.pop("id"), **values)
    tied = [i for e in found.edges for i in (e.a, e.b) if i != found.memory.id]
    texts = {m.id: plain(m.content) for m in engine.mind.store.load(tied, engine.view(**values))} if tied else {}
    return {**as_json(found, engine.mind.clock()), "memory": shapes.memory(found.memory, found.retention), "texts": texts}


def _start(engine: Engine, given: Given) -> Any:
    """What the page's frame needs: where it is, what there is to filter by, and whether a model can answer."""
    project = read_all((PROJECT,), given, "start").get("project", "")
    now = here(engine, project)
    place = now.place
    known = [{"identity": p["identity"], "name": p["name"], "memories": p["memories"]} for p in now.known if not p["into"]]
    decay = engine.mind.config.decay
    return {"project": {"identity": place.identity or "", "name": place.name, "how": place.how, "root": place.root}, "workspaces": list(place.workspaces),
            "projects": known, "tags": [{"tag": plain(t), "count": n} for t, n in overview.tags(engine, project)], "sectors": list(SECTORS),
            "since": overview.since(engine, project), "now": engine.mind.clock(), "faded_below": decay.faded_below,
            "threshold": engine.mind.config.surprisal.threshold, "model": engine.mind.llm.identity if engine.mind.llm else "",
            "read_only": bool(getattr(engine.mind.store, "read_only", False))}


def _why(engine: Engine, given: Given) -> Any:
    verb = next(v for v in VERBS if v.name == "retrieve")
    names = ("query", "limit", "scopes", "mode", "as_of", "tags", "budget_tokens", "project")
    values = read_all(tuple(p for p in verb.params if p.name in names), given, "why")
    return shapes.explained(overview.taken_apart(engine, values.pop("query"), **values))


def _topics(engine: Engine, given: Given) -> Any:
    return {"topics": [shapes.memory(m) for m in overview.topics(engine, **read_all((PROJECT,), given, "topics"))]}


def _forgetting(engine: Engine, given: Given) -> Any:
    values = read_all((Param("ids", "strings", "Memory ids", commas=True), _whole("days", 365, 1, 3650), PROJECT), given, "forgetting")
    made = overview.curves(engine, (values.pop("ids", None) or [])[:12], **values)
    going, months = overview.fading(engine, **values)
    decay, now = engine.mind.config.decay, engine.mind.clock()
    return {"now": now, "curves": [shapes.curve(c) for c in made], "months": months,
            "fading": [{**shapes.memory(m, decay.retention(m, now)), "fades_at": at} for m, at in going]}


def _sleep(engine: Engine, given: Given) -> Any:
    project = read_all((PROJECT,), given, "sleep").get("project", "")
    runs = overview.runs(engine, project)
    named = overview.named(engine, [i for run in runs for i in shapes.touched(run)])
    return {"runs": [shapes.run(run, named) for run in runs], "episodes": [shapes.episode(e) for e in overview.heard(engine, project)],
            "gate": engine.stats().gate}


def _keep(engine: Engine, given: Given) -> Any:
    values = read_all((Param("id", "string", "Episode id", required=True, low=1), PROJECT), given, "keep")
    return as_json(overview.keep(engine, values["id"], values.get("project", "")), engine.mind.clock())


def _graph(engine: Engine, given: Given) -> Any:
    values = read_all((Param("id", "string", "Memory id", required=True, low=1), _whole("hops", 2, 1, 3), PROJECT), given, "graph")
    memories, edges = overview.around(engine, values.pop("id"), **values)
    return {"memories": [shapes.memory(m) for m in memories], "edges": [shapes.edge(e) for e in edges]}


def _sizes(engine: Engine, given: Given) -> Any:
    project = read_all((PROJECT,), given, "sizes").get("project", "")
    return {**overview.sizes(engine), "receipts": [shapes.receipt(r) for r in overview.receipts(engine, project)], "hook_times": overview.hook_times(engine)}


def _talk(engine: Engine, given: Given) -> Any:
    said = given.get("before")
    before = tuple((str(t[0]), str(t[1])) for t in (said if isinstance(said, list) else ()) if isinstance(t, list) and len(t) == 2)
    values = read_all((Param("message", "string", "What you say", required=True, low=1), PROJECT, Param("session", "string", "session")),
                   {k: v for k, v in given.items() if k != "before"}, "talk")
    return shapes.turn(talk.turn(engine, values.pop("message"), before=before, **values), engine.mind.clock())


ASKED: dict[str, Work] = {
    **{v.name: _verb(v) for v in VERBS if v.name not in CHANGING}, "list": _list, "timeline": _timeline, "inspect": _inspect, "start": _start, "why": _why,
    "topics": _topics, "forgetting": _forgetting, "sleep": _sleep, "graph": _graph, "sizes": _sizes}
CHANGED: dict[str, Work] = {**{v.name: _verb(v) for v in VERBS if v.name in CHANGING}, "keep": _keep, "talk": _talk}
STATUS = ((Ambiguous, 409), (NotFound, 404), (StoreUnavailable, 503), (BadInput, 400), (MnemosError, 400))


def answered(engine: Engine, work: Work, given: Given) -> tuple[int, Any]:
    """HTTP status and JSON value of one call. No message quotes a secret that was sent."""
    try:
        return 200, work(engine, given)
    except MnemosError as error:
        status = next(code for kind, code in STATUS if isinstance(error, kind))
        return status, {"error": {"kind": type(error).__name__, "message": plain(Firewall().redact(str(error)))}}
    except Exception as bug:
        log.error("the page's call failed: %s", type(bug).__name__)
        return 500, {"error": {"kind": "internal", "message": f"mnemos failed inside ({type(bug).__name__}); this call may not have taken effect."}}


def body_of(raw: bytes) -> dict[str, Any]:
    """A request's JSON object. Raises BadInput."""
    if len(raw) > MOST_BYTES:
        raise BadInput("The request is too large.")
    try:
        value = json.loads(raw or b"{}")
    except (ValueError, RecursionError) as error:  # brackets without end
        raise BadInput("The request is no JSON.") from error
    if not isinstance(value, dict):
        raise BadInput("The request is no JSON object.")
    return value
