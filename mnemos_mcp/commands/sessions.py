"""`mnemos import` of the session records of Claude Code and Codex: one, or all in a folder."""
from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal

from ..errors import BadInput
from .answer import Answer, Session, count

if TYPE_CHECKING:
    from ..place import Place
    from ..records import Client
    from ..replay import Replay, Replayed

KB = 1024
SHOWN = 12  # projects named in the answer


def take(session: Session, given: Place | None, stream: tuple[Any, Client] | None = None) -> Answer:
    """`given`: the project that all of it goes to. `stream`: an open record in place of the path. Raises OSError when a single record cannot be
    read; in a folder such a one is counted."""
    from .. import records, replay
    args = session.args
    many = stream is None and os.path.isdir(args.file)
    work = replay.Replay(session.engine.mind, _Here(session, given, "hook" if many and given is None else "manual"), trust=args.trust)
    paths = records.files(args.file) if stream is None else []
    with session.progress("importing, KB", sum(_size(path) for path in paths) // KB or None) as bar:
        progress = _Pieces(bar)
        if stream is not None:
            work.take(*stream, progress)
        for path in paths:
            _take_file(path, work, progress, many)
    value = _value(work.done)
    return Answer(value, "\n".join(_account(value, args.trust)))


def _take_file(path: str, work: Replay, progress: Callable[[int], None], many: bool) -> None:
    from .. import records
    client = records.client_of(path)
    if client not in ("claude", "codex"):
        work.done.strangers += 1
        return
    try:
        with open(path, "rb") as file:
            work.take(file, client, progress)
    except OSError:
        if not many:
            raise
        work.done.strangers += 1


class _Here:
    """Where what was said in a folder goes: None where that is no project, or where capture is off. A sweep of a whole folder takes what hooks would
    have taken; a record that somebody names is theirs to import."""

    def __init__(self, session: Session, given: Place | None, door: Literal["hook", "manual"]):
        self.session, self.given, self.door = session, given, door

    def __call__(self, folder: str) -> tuple[Place, str] | None:
        from ..model import Scope
        from ..settings import load_at
        engine = self.session.engine
        if not self.given and not os.path.isabs(folder) and folder[1:3] not in (":\\", ":/"):
            return None  # a record names a folder; a name or an identity would open any project
        try:
            place = self.given or engine.place(folder)
        except BadInput:  # its name looks like a secret
            return None
        if not place.identity:
            return None
        identity = engine.group(place)[0]
        screened = engine.mind.config.firewall.screen(identity)
        if getattr(screened, "redactions", True):
            return None  # refused, or another name once it is masked
        settings = self.session.settings if self.given else load_at(place.root or folder)
        return (place, identity) if settings.govern(Scope("project", identity), identity).admits(self.door) else None


class _Pieces:
    """Bytes read, told to a bar in whole kilobytes."""

    def __init__(self, bar: Any):
        self.bar, self.left = bar, 0

    def __call__(self, size: int) -> None:
        whole, self.left = divmod(self.left + size, KB)
        if whole:
            self.bar(whole)


def _size(path: str) -> int:
    try:
        return os.path.getsize(path)
    except OSError:
        return 0


def _value(done: Replayed) -> dict[str, Any]:
    skipped = {"machine_prompts": done.skipped.machine, "subagent_lines": done.skipped.aside, "damaged_lines": done.skipped.damaged,
               "long_lines": done.skipped.long, "no_project_or_capture_off": done.nowhere, "other_files": done.strangers}
    return {"records": done.records, "episodes": done.said + done.failed + done.fixed, "said": done.said, "failures": done.failed, "fixes": done.fixed,
            "already_there": done.present, "refused": [{"kind": kind, "count": n} for kind, n in sorted(done.refused.items()) if n],
            "redacted": done.masked, "skipped": {name: n for name, n in skipped.items() if n}, "projects": sorted(set(done.projects.values()))}


def _account(value: dict[str, Any], trust: bool) -> list[str]:
    fixes = f" ({value['fixes']} with the fix)" if value["fixes"] else ""
    lines = [f"{count(value['records'], 'record')} read: {count(value['episodes'], 'episode')} taken, {count(value['said'], 'thing')} said and "
             f"{count(value['failures'], 'failure')}{fixes}; already there {value['already_there']}"]
    refused = ", ".join(f"{one['count']} {one['kind']}" for one in value["refused"])
    lines += [f"refused by the firewall: {refused}"] if refused else []
    lines += [f"redacted: {value['redacted']} values"] if value["redacted"] else []
    skipped = ", ".join(f"{n:,} {name.replace('_', ' ')}" for name, n in value["skipped"].items())
    lines += [f"skipped: {skipped}"] if skipped else []
    if value["episodes"]:
        names = value["projects"]
        more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
        lines.append(f"for {', '.join(names[:SHOWN])}{more}: sleep makes facts of it, when it is due or by `mnemos consolidate` there")
        lines += [] if trust else ["their origin is 'imported': recalled when asked, never told by itself (--trust keeps human words)"]
    return lines
