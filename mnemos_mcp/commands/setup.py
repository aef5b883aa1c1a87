"""`mnemos setup CLIENT`: put the server and the hooks into a client's configuration, show what would be done, or take them out again."""
from __future__ import annotations

import difflib
import os
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from ..clients import files, launch, plan, plugin
from ..clients.catalogue import CLIENTS, WRITTEN
from ..clients.configured import found
from ..clients.shape import Client, Places, Reach, places
from ..identity import root_of
from .answer import Answer, Session, UsageError, count

if TYPE_CHECKING:
    from ..settings import Settings

TOLD = {"created": "made", "written": "changed", "unchanged": "as it was", "deleted": "removed (setup had made it)", "refused": "left alone"}


def run(session: Session) -> Answer:
    args = session.args
    client, reach = CLIENTS[args.client], args.scope
    where = places_of(session.settings)
    python = launch.interpreter(sys.executable)
    _check(client, reach, where, args)
    if args.print or client.print_only:
        return _printed(client, reach, where, python, rules=args.rules)
    brought = client.name == "claude" and bool(plugin.enabled(where))
    wanted = plan.parts(client, reach, where, python, rules=args.rules, plugin=brought and not args.remove)
    if args.remove:
        shared = _shared_rules(client, reach, where)
        wanted = plan.parts(client, reach, where, python, rules=False) + [p for p in plan.old_rules(client, reach, where) if p.path not in shared]
    think = plan.removing if args.remove else plan.adding
    edits = [think(part) for part in wanted]
    if args.dry_run:
        return _diff(edits)
    finished = [plan.done(edit, think) for edit in edits]
    notes = _recorded(client, where, python, remove=args.remove)
    if not args.remove:
        notes += [*client.notes.get(reach, ()), *_environment_note(python), *_plugin_note(brought), *_rules_note(client, reach, where, asked=args.rules)]
    if args.remove:
        notes += [*_left(edits, where, python, client, reach), *(f"the block in {path} stays: {title} reads it too" for path, title in shared.items())]
    return _told(client, reach, finished, notes)


def places_of(settings: Settings) -> Places:
    """Where this user's clients keep their files, and the project of this folder ("" for none)."""
    from ..settings import environment
    project = root_of(settings.folder, home=settings.home)
    return places(settings.home, project, os.path.dirname(settings.user_file) if settings.user_file else "", environment())


def _check(client: Client, reach: Reach, where: Places, args: Any) -> None:
    if args.remove and args.print:
        raise UsageError("--print shows the blocks to paste, --remove takes them out of the files: give one of them. --remove --dry-run shows a diff.")
    if client.print_only and (args.remove or args.dry_run):
        raise UsageError(f"The files of {client.title} are never written: --print shows the block to paste. Files are written for: {', '.join(WRITTEN)}.")
    if not where.home:
        raise UsageError("No home folder is known: set HOME.")
    if reach == "project" and not where.project:
        raise UsageError("This folder is no project (a home folder or '/' is none): go to one, or leave --scope project out.")
    if reach not in client.servers and not (args.rules or args.remove):
        raise UsageError(f"{client.title} has no file of servers for --scope {reach}; it has: --scope {', '.join(client.servers)}.")


def _printed(client: Client, reach: Reach, where: Places, python: str, *, rules: bool) -> Answer:
    wanted = plan.parts(client, reach, where, python, rules=rules)
    blocks = [{"file": part.path, "what": part.what, "text": part.block} for part in wanted]
    if client.print_only and reach == "user" and "{" not in client.servers[reach]:
        blocks[0]["file"] = client.servers[reach]  # words, not a path
    text = "\n\n".join(f"# {block['file']}\n{block['text']}" for block in blocks)
    return Answer({"client": client.name, "scope": reach, "blocks": blocks}, text)


def _diff(edits: list[plan.Edit]) -> Answer:
    """A unified diff. Lines that stay may hold the tokens of others: they go through the firewall."""
    from ..mechanisms.firewall import Firewall
    redact = Firewall().redact
    shown: list[str] = []
    for edit in edits:
        before, after = ((raw or b"").decode("utf-8", "replace").splitlines() for raw in (edit.before, edit.after))
        path = edit.part.path
        lines = difflib.unified_diff(before, after, path if edit.before is not None else os.devnull, path if edit.after is not None else os.devnull,
                                     n=2, lineterm="")
        shown += [line if line[:1] in "+-@" else " " + redact(line[1:]) for line in lines]
    refused = [edit.reason for edit in edits if edit.reason]
    value = {"diff": "\n".join(shown), "refused": refused}
    text = "\n".join(shown + [f"# {reason}" for reason in refused]) or "Nothing would change."
    return Answer(value, text, lambda console: _draw_diff(console, text), code=int(bool(refused)))


def _recorded(client: Client, where: Places, python: str, *, remove: bool) -> list[str]:
    """Tell the plugin's launcher which Python has mnemos; forget it with the last of Claude Code's set-up."""
    path = launch.record_path(where)
    if client.name != "claude" or not path:
        return []
    if remove:
        with suppress(OSError, files.Refused):
            if (files.read(path) or b"").decode("utf-8", "replace").strip() == python:
                os.unlink(path)
        return []
    try:
        before, after = files.read(path), f"{python}\n".encode()
        if before != after:
            files.write(path, before, after)
    except (files.Refused, files.Changed) as reason:
        return [f"the plugin's launcher could not be told of this Python: {reason}"]
    return []


def _plugin_note(brought: bool) -> list[str]:
    return ["the plugin is enabled and brings server and hooks, so none were written; its launcher now starts this Python"] if brought else []


def _environment_note(python: str) -> list[str]:
    from ..settings import environment
    if launch.finds_us(python, environment()):
        return []
    return [f"{python} has mnemos by PYTHONPATH or another variable only, and what was written does not look at these: `{python} -m pip install mnemos-mcp`"]


def _shared_rules(client: Client, reach: Reach, where: Places) -> dict[str, str]:
    """Files with our block that another client which is still configured reads, and that client's title."""
    others = [one.client for one in found(where) if one.client.name != client.name]
    read = {where.path(template): other.title for other in others for template in other.rules.get(reach, ())}
    return {part.path: read[part.path] for part in plan.old_rules(client, reach, where) if part.path in read}


def _rules_note(client: Client, reach: Reach, where: Places, *, asked: bool) -> list[str]:
    path = plan.rules_file(client, reach, where)
    if asked:
        return [] if path else [f"{client.title} has no file of instructions for --scope {reach}"]
    return [f"--rules would also add a block to {path} that tells agents when to recall and what to store"] if path else []


def _left(edits: list[plan.Edit], where: Places, python: str, client: Client, reach: Reach) -> list[str]:
    """Something of mnemos that setup had not made came back with the former file."""
    back = [edit.part.path for edit in edits if edit.outcome == "written" and plan.removing(edit.part).outcome in ("written", "deleted")]
    return [f"{path} is again as it was before setup, with the mnemos entry it had then; --remove once more takes that out too" for path in back]


def _told(client: Client, reach: Reach, finished: list[tuple[plan.Edit, str]], notes: list[str]) -> Answer:
    rows = [{"file": edit.part.path, "what": edit.part.what, "outcome": edit.outcome, **({"copy": kept} if kept else {}),
             **({"reason": edit.reason, "paste": edit.part.block} if edit.reason else {})} for edit, kept in finished]
    refused = [edit for edit, _ in finished if edit.outcome == "refused"]
    lines = [f"{client.title} ({reach}): {count(len(rows), 'file')}" if rows else f"{client.title} ({reach}): nothing to do"]
    for row in rows:
        lines.append(f"  {row['what']:<7} {row['file']}: {TOLD[str(row['outcome'])]}" + (f"; before: {row['copy']}" if "copy" in row else ""))
        if "reason" in row:
            lines += [f"          {row['reason']}. To do it by hand:", *(f"          {line}" for line in str(row["paste"]).splitlines())]
    lines += [f"  note: {note}" for note in notes]
    value = {"client": client.name, "scope": reach, "files": rows, "notes": notes}
    return Answer(value, "\n".join(lines), None if refused else lambda console: _draw(console, f"{client.title} ({reach})", value), code=int(bool(refused)))


def _draw(console: Any, title: str, value: dict[str, Any]) -> None:
    """A table of the files; a refusal is plain text, for its block is there to be copied."""
    from rich import box
    from rich.table import Table
    from rich.text import Text
    table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    for name in ("what", "file", "outcome", "as it was before"):
        table.add_column(name, overflow="fold")
    for row in value["files"]:
        style = "dim" if row["outcome"] == "unchanged" else "green"
        table.add_row(Text(row["what"]), Text(row["file"]), Text(TOLD[row["outcome"]], style=style), Text(row.get("copy", "")))
    console.print(table if value["files"] else Text(f"{title}: nothing to do"))
    for note in value["notes"]:
        console.print(Text(f"note: {note}", style="dim"))


def _draw_diff(console: Any, text: str) -> None:
    from rich.text import Text
    for line in text.splitlines():
        console.print(Text(line, style={"+": "green", "-": "red", "@": "cyan"}.get(line[:1], "")), soft_wrap=True)
