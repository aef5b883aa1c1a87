"""Commands about the file as a whole: export, import, backup, recover, erase-all, reembed, sweep."""
from __future__ import annotations

import os
import sys
from contextlib import nullcontext
from glob import escape, glob
from typing import TYPE_CHECKING, Any

from ..errors import BadInput, StoreUnavailable
from .answer import Answer, Session, UsageError, count

if TYPE_CHECKING:
    from ..engine import Engine

LEFT_OUT = ("Left out: vectors (any embedder makes them anew), episodes that sleep has read, the failure memory, ties by joint recall and counts of recalls "
            "in sessions, receipts of what hooks told, past runs of sleep with their undo; `mnemos backup` copies all of it.")
EMBED_AT_ONCE = 256  # imported memories whose vectors are made in the import's own time


def run(session: Session) -> Answer:
    return {"export": _export, "import": _import, "backup": _backup, "recover": _recover, "erase-all": _erase_all,
            "reembed": _reembed, "sweep": _sweep}[session.args.command](session)


def _export(session: Session) -> Answer:
    with session.reading() as engine:
        return _exported(session, engine)


def _exported(session: Session, engine: Engine) -> Answer:
    from .. import projects, transfer
    args = session.args
    place = projects.known(engine, args.project) if args.project else None
    chosen = transfer.Chosen(args.scope or "", tuple(engine.group(place)) if place else ())
    store = engine.mind.store
    if args.file == "-":
        if args.json:
            raise UsageError("`export -` writes the export itself to the standard output; leave --json out.")
        transfer.write(store, sys.stdout, chosen, now=session.now())
        return Answer(None)
    done = transfer.export(store, args.file, chosen, now=session.now(), force=args.force)
    value = {"file": os.path.abspath(done.path), "memories": done.memories, "revisions": done.revisions, "episodes": done.episodes, "left_out": LEFT_OUT}
    return Answer(value, f"{count(done.memories, 'memory', 'memories')}, {count(done.revisions, 'former text')} and "
                         f"{count(done.episodes, 'pending episode')} written to {done.path} "
                         f"(mode 0600). {LEFT_OUT}")


def _import(session: Session) -> Answer:
    from .. import records, reembed, transfer
    from . import sessions
    args, engine = session.args, session.engine
    place = engine.place(args.project) if args.project else None
    if place and not place.identity:
        raise BadInput(f"'{args.project}' is no project: a home folder or '/' is none.")
    try:
        stream = records.Begun(sys.stdin.buffer) if args.file == "-" else None
        client = stream.client if stream else records.client_of(args.file)
        if client in ("claude", "codex") or os.path.isdir(args.file):
            return sessions.take(session, place, (stream, client) if stream else None)
        with (nullcontext(stream) if stream else open(args.file, "rb")) as lines, session.progress("importing") as progress:
            done = transfer.import_(engine.mind, lines, project=engine.group(place)[0] if place else "", trust=args.trust,
                                    progress=progress)
    except OSError as error:
        raise StoreUnavailable(f"{args.file} cannot be read: {error.strerror}. Nothing was imported.") from error
    filled = None
    if engine.mind.embedder is not None and done.taken + done.updated:
        with session.progress("vectors", min(done.taken + done.updated, EMBED_AT_ONCE)) as progress:
            filled = reembed.fill(engine.mind, at_most=EMBED_AT_ONCE, progress=progress)
    value: dict[str, Any] = {
        "taken": done.taken, "updated": done.updated, "episodes": done.episodes, "already_there": done.present, "kept_newer": list(done.newer),
        "refused": [{"line": line, "kind": kind} for line, kind in done.refused], "redacted": done.masked, "superseded": list(done.superseded),
        "already_elsewhere": list(done.elsewhere), "archived": done.archived, "without_vector": filled.left if filled else done.taken + done.updated}
    return Answer(value, "\n".join(_account(value, args.trust)))


def _account(value: dict[str, Any], trust: bool) -> list[str]:
    lines = [f"taken {count(value['taken'], 'memory', 'memories')} and {count(value['episodes'], 'episode')}, updated {value['updated']}, "
             f"already there {value['already_there']}"]
    lines += [f"{len(value['already_elsewhere'])} of these belong to another project here and stay there: `mnemos project merge A B` lets two projects count as one"] \
        if value["already_elsewhere"] else []
    lines += [f"{value['archived']} went to the archive by the rules of their scope (restorable)"] if value["archived"] else []
    lines += [f"kept as they are, because newer here: {', '.join(value['kept_newer'][:20])}"] if value["kept_newer"] else []
    lines += [f"refused by the firewall: line {r['line']} ({r['kind']})" for r in value["refused"][:20]]
    lines += [f"redacted: {value['redacted']} values"] if value["redacted"] else []
    lines += [f"superseded here by a newer value of their key: {', '.join(value['superseded'][:20])}"] if value["superseded"] else []
    lines += [f"{value['without_vector']} are found by keyword until they have their vectors: an idle server makes them, `mnemos reembed` at once"] \
        if value["without_vector"] else []
    lines += [] if trust or not value["taken"] else ["their origin is 'imported': recalled when asked, never injected by itself (--trust keeps human words)"]
    return lines


def _backup(session: Session) -> Answer:
    from ..recovery import backup
    args = session.args
    with session.reading() as engine:
        size = backup(engine.mind.store, args.file, force=args.force)  # type: ignore[arg-type]
    return Answer({"file": os.path.abspath(args.file), "bytes": size}, f"{size:,} bytes written to {args.file} (mode 0600); open it by MNEMOS_SQLITE_PATH")


def _recover(session: Session) -> Answer:
    from .. import recovery
    path = session.settings.sqlite_path
    if not path:
        raise BadInput("The memory of these settings is in the process itself (MNEMOS_STORE_TYPE=memory): there is no file.")
    seen = recovery.examine(path)
    value: dict[str, Any] = {"file": path, "state": seen.state, "troubles": list(seen.troubles)}
    found = "\n".join(f"  {trouble}" for trouble in seen.troubles[:10])
    if seen.state == "whole":
        return Answer(value, f"{path} is whole: every page and the word index pass their checks. Nothing to recover.")
    if session.args.check:
        return Answer(value, f"{path} is {_STATES[seen.state]}:\n{found}\n`mnemos recover` saves what can be read; this check changed nothing.", code=1)
    session.confirm(f"{path} is {_STATES[seen.state]}. {_PLANS[seen.state]} The old file is kept aside, untouched. Go on?")
    done = recovery.recover(seen, now=session.now())
    value |= {"aside": done.aside, "rows": done.rows, "unreadable": done.lost}
    saved = ", ".join(f"{count} {table}" for table, count in done.rows.items() if count) or "nothing"
    lost = ", ".join(f"{count} {table}" for table, count in done.lost.items()) or "none"
    return Answer(value, f"saved into a new {path}: {saved}\nrow numbers that could not be read (some may never have been used): {lost}\n"
                         f"the old file lies untouched at {done.aside}")


_STATES = {"damaged": "damaged", "no_database": "no database at all, or nothing in it can be read"}
_PLANS = {"damaged": "Every memory that can be read goes into a new file.", "no_database": "A new, empty file takes its place."}


def _erase_all(session: Session) -> Answer:
    from ..storage.emptying import erase_everything
    store: Any = session.engine.mind.store
    counts = session.engine.stats().memories
    total = sum(n for states in counts.values() for n in states.values())
    session.confirm(f"Erase everything in {store.path}: {count(total, 'memory', 'memories')} of every project, their history, and all episodes? "
                    "It cannot be restored.")
    gone = erase_everything(store.db, store.path)
    found = gone.pop("bytes_found")
    copies = sorted([file for file in glob(escape(store.path) + ".*") if not file.endswith(".lock")] + glob(escape(os.path.join(os.path.dirname(store.path), "backups")) + "/*"))
    value = {"outcome": "erased", "file": store.path, "rows": gone, "bytes_found": found, "copies": copies}
    rows = ", ".join(f"{table} {count}" for table, count in gone.items() if count) or "none"
    lines = [f"erased: {count(total, 'memory', 'memories')}; rows removed: {rows}; bytes found afterwards: {found}"]
    lines += [f"not touched, remove it yourself if you mean it: {copy}" for copy in copies]
    return Answer(value, "\n".join(lines), code=int(found > 0))


def _reembed(session: Session) -> Answer:
    from .. import reembed
    mind = session.engine.mind
    with session.progress("vectors", reembed.missing(mind)) as progress:
        done = reembed.fill(mind, progress=progress)
    value = {"embedder": done.identity, "done": done.done, "left": done.left} | ({"reason": done.reason} if done.reason else {})
    text = f"{count(done.done, 'memory has', 'memories have')} new vectors of {done.identity}, {done.left} left" + (f": {done.reason}" if done.reason else "")
    return Answer(value, text, code=int(bool(done.reason)))


def _sweep(session: Session) -> Answer:
    from .. import sweep
    mind, store = session.engine.mind, session.engine.mind.store
    dry_run = session.args.dry_run
    with session.progress("texts", store.rows_with_texts()) as progress:  # type: ignore[attr-defined]
        done = sweep.sweep(mind, store, dry_run=dry_run, progress=progress)  # type: ignore[arg-type]
    value: dict[str, Any] = {
        "dry_run": dry_run, "rules": done.rules, "scanned": done.scanned,
        "caught": [{"table": c.table, "id": c.id, "field": c.field, "kinds": list(c.kinds), "does": c.does} for c in done.caught],
        "rows": done.rows, "bytes_found": done.bytes_found, "left": list(done.left)}
    lines = [f"{count(sum(done.scanned.values()), 'row')} read with rules {done.rules}: " + (sweep.described(done.caught) or "nothing that may not be there")]
    lines += [f"  {'would ' if dry_run else ''}{c.does} {c.table} {c.id} ({c.field}: {', '.join(c.kinds)})" for c in done.caught[:50]]
    lines += [f"  and {len(done.caught) - 50} more (--json names all)"] if len(done.caught) > 50 else []
    if done.caught and not dry_run:
        lines.append("rows removed: " + (", ".join(f"{table} {n}" for table, n in done.rows.items()) or "none") + f"; bytes found afterwards: {done.bytes_found}")
    lines += [f"not done, other processes kept changing it (run it again): {', '.join(done.left)}"] if done.left else []
    return Answer(value, "\n".join(lines), code=int(bool(done.left or done.bytes_found)))
