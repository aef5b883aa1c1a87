"""The ten verbs and `why`: read the parameters, call the verb, render its answer."""
from __future__ import annotations

from contextlib import nullcontext
from typing import Any

from .. import prose
from ..errors import BadInput
from ..fitting import for_people
from ..params import Param, read_all
from ..render import as_json, plain
from ..terminal import drawn
from ..tools import VERBS, Verb
from .answer import Answer, Session, UsageError, stdin_text
from .arguments import ELSEWHERE


def run(session: Session) -> Answer:
    name = "retrieve" if session.args.command == "why" else session.args.command
    verb = next(v for v in VERBS if v.name == name)
    values = _values(session, verb)
    why = session.args.command == "why"
    if why:
        values |= {"explain": True, "reconsolidate": bool(session.args.reconsolidate)}  # looking is not recalling
    if values.get("erase"):
        session.confirm(f"Erase memory '{values['id']}' for good? It cannot be restored.")
    lead = [values.pop(p.name) for p in verb.params if p.required]
    with session.progress("sleeping") if name == "consolidate" else nullcontext():
        result = getattr(session.engine, name)(*lead, **values, **({"origin": "user"} if name == "store" else {}))
    reply = as_json(result, session.now(), explain=bool(values.get("explain")))
    if why and result.withheld:
        reply["withheld"] = _held(session, result)
    # What was refused is not kept: a script that goes on would lose it. What is no news was heard, which is what was asked.
    failed = reply.get("status") == "fail" if name == "health" else reply.get("outcome") == "refused"
    shown = reply if vars(session.args).get("full") else for_people(name, reply)
    return Answer(reply, prose.as_text(name, shown), drawn("why" if why else name, shown), code=int(failed))


def _held(session: Session, result: Any) -> list[dict[str, Any]]:
    """What a recall withheld, with its score and text: an id alone tells a person nothing."""
    from ..overview import named
    known = named(session.engine, [w.id for w in result.withheld])
    return [{"id": w.id, "reason": plain(w.reason), "score": round(w.score, 2), "content": plain(known[w.id].content)} for w in result.withheld if w.id in known]


def _values(session: Session, verb: Verb) -> dict[str, Any]:
    """What was given on the command line, read as the MCP server reads it. Raises UsageError."""
    args = vars(session.args)
    given = {p.name: _given(p, args[p.name]) for p in verb.params if args.get(p.name) is not None}
    if args.get("words"):
        given["query"] = " ".join(args["words"])
    try:
        values = read_all(verb.params, given, f"mnemos {verb.name}")
    except BadInput as error:
        raise UsageError(str(error)) from error
    if verb.name in ELSEWHERE and args.get("project"):
        values["project"] = args["project"]
    return values


def _given(param: Param, value: Any) -> Any:
    if param.kind == "strings":
        return [part for text in value for part in text.split(",")]
    if (param.required and value in (["-"], "-")) or (param.kind == "objects" and value == "-"):
        return stdin_text()
    return " ".join(value) if isinstance(value, list) else value
