"""`mnemos doctor`: a canary through every configured client, what is missing, and when hooks last captured and injected."""
from __future__ import annotations

from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from ..clients.canary import Canary, parts_missing, surroundings, twice
from ..clients.configured import Configured, found, switched_off
from ..model import GLOBAL, Scope
from ..moments import age
from ..results import Check
from ..terminal import health as draw_checks
from .answer import Answer, Session
from .setup import places_of

if TYPE_CHECKING:
    from ..engine import Engine

Row = dict[str, Any]


def run(session: Session) -> Answer:
    from ..settings import environment
    where, environ, only = places_of(session.settings), environment(), session.args.client or ""
    configured = found(where, only)
    last = last_signs(session.engine, session.now())  # before the canary leaves signs of its own
    rows = [_row("setup", "", twice(configured) + _nothing(configured, only) + _off(switched_off(where)))]
    with session.progress("canary", total=len(configured)) as progress:
        for one in configured:
            rows.append(_row(one.client.title, one.reach, parts_missing(one) + _flown(session, one, where.project or where.home, environ), one.files))
            progress(1)
    rows = [row for row in rows if row["checks"]]
    statuses = [check["status"] for row in rows for check in row["checks"]]
    status = "fail" if "fail" in statuses else "warn" if "warn" in statuses else "ok"
    value = {"status": status, "clients": rows, "last": last}
    return Answer(value, _text(value), lambda console: _draw(console, value), code=int(status == "fail"))


def last_signs(engine: Engine, now: float) -> dict[str, Any]:
    """Last capture, last injection and the 95th percentile of the last hooks in milliseconds; what never happened is left out."""
    seen = engine.hook_state()
    return {**({"last_capture": age(seen.last_capture, now)} if seen.last_capture else {}),
            **({"last_injection": age(seen.last_injection, now)} if seen.last_injection else {}),
            **({"hook_p95_ms": round(seen.p95_ms)} if seen.times_ms else {}), "injections": engine.stats().injections}


def _flown(session: Session, one: Configured, folder: str, environ: dict[str, str]) -> list[Check]:
    if one.problems and not (one.hooks or one.server):
        return []
    if session.engine.place().identity:
        return _canary(session.engine, one, folder, environ)
    # A home folder is no project, so that nothing is captured in it: the canary gets a project of its own for as long as it flies.
    with TemporaryDirectory(prefix="mnemos-doctor-") as made:
        return _canary(session.engine, one, made, environ, made)


def _canary(engine: Engine, one: Configured, folder: str, environ: dict[str, str], project: str = "") -> list[Check]:
    place = engine.place(project)
    scope = Scope("project", place.identity) if place.identity else GLOBAL
    capture = engine.mind.govern(scope).capture_mode
    return Canary(one, engine, folder, surroundings(one.client, environ), "project" if place.identity else "global", capture, project).fly()


def _nothing(configured: list[Configured], only: str) -> list[Check]:
    if configured:
        return []
    return [Check("clients", "fail", f"{only or 'no client'} is not configured" if only else "no client is configured", "nothing is remembered by itself",
                  f"`mnemos setup {only or 'claude'}`")]


def _off(path: str) -> list[Check]:
    return [Check("hooks", "warn", f"disableAllHooks is set in {path}", "Claude Code runs no hook", "take it out")] if path else []


def _row(client: str, reach: str, checks: list[Check], files: tuple[str, ...] = ()) -> Row:
    shown = [{"name": c.name, "status": c.status, "detail": c.detail, **({"effect": c.effect} if c.effect else {}),
              **({"remedy": c.remedy} if c.remedy else {})} for c in checks]
    return {"client": client, **({"scope": reach} if reach else {}), **({"files": list(files)} if files else {}), "checks": shown}


def _title(row: Row) -> str:
    return row["client"] + (f" ({row['scope']})" if "scope" in row else "")


def _signs(value: Row) -> str:
    return " · ".join(f"{name.replace('_', ' ')}: {shown}" for name, shown in value["last"].items())


def _text(value: Row) -> str:
    lines = []
    for row in value["clients"]:
        lines.append(_title(row))
        for check in row["checks"]:
            lines.append(f"  {check['status']:<4} {check['name']}: {check['detail']}")
            if check["status"] != "ok":
                lines += [f"       {name}: {check[name]}" for name in ("effect", "remedy") if name in check]
    return "\n".join([*lines, _signs(value)])


def worst(checks: list[dict[str, str]]) -> str:
    """The gravest status of these checks."""
    return max((check["status"] for check in checks), key=("ok", "warn", "fail").index, default="ok")


def _draw(console: Any, value: Row) -> None:
    from rich.text import Text
    for row in value["clients"]:
        console.print(Text(_title(row), style="bold"))
        draw_checks(console, {"checks": row["checks"], "status": row.get("status") or worst(row["checks"])})
    console.print(Text(_signs(value), style="dim"))
