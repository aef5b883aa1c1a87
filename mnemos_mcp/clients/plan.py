"""What setup would do to each file of a client, as values; and doing it.

Adding and removing are functions of texts (`jsonmerge`, `blocks`), so that a diff can be shown before anything is written, and
a file that changed meanwhile is thought about again.
"""
from __future__ import annotations

import json
import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Literal

from . import blocks, jsonmerge
from .files import Changed, Refused, backup_of, delete, keep, read, text_of, write
from .jsontext import NotJson
from .launch import hook_entry, server_entry
from .shape import Client, Places, Reach

Outcome = Literal["created", "written", "unchanged", "deleted", "refused"]
AGAIN = 3  # times to think about a file that others write at the same moment
Change = Callable[[str, "str | None"], str]  # (its text, that of the copy from before setup) -> its new text


@dataclass(frozen=True, slots=True)
class Part:
    """One file, what setup puts there (`block`, to show), and the two changes of its text."""

    path: str
    what: Literal["server", "hooks", "rules"]
    block: str
    add: Change
    remove: Change
    empty: str = ""  # what stands in for the text of a missing or empty file


@dataclass(frozen=True, slots=True)
class Edit:
    """A file before and after; `after` None: it goes."""

    part: Part
    before: bytes | None
    after: bytes | None
    reason: str = ""  # of a refusal

    @property
    def outcome(self) -> Outcome:
        if self.reason:
            return "refused"
        if self.after == self.before:
            return "unchanged"
        return "deleted" if self.after is None else "created" if self.before is None else "written"


def parts(client: Client, reach: Reach, where: Places, python: str, *, rules: bool, plugin: bool = False) -> list[Part]:
    """The files of a client for this reach. With `plugin`, server and hooks come with the plugin and are not wanted twice."""
    found: list[Part] = []
    if reach in client.servers and not plugin:
        found.append(_server(client, where.path(client.servers[reach]), python))
    if reach in client.hook_files and not plugin:
        found.append(_hooks(client, where.path(client.hook_files[reach]), python))
    if rules and reach in client.rules:
        found.append(_rules(rules_file(client, reach, where)))
    return [part for part in found if part.path]


def rules_file(client: Client, reach: Reach, where: Places) -> str:
    """The file of instructions that the client reads: the first of its candidates that is there, else the first."""
    candidates = [where.path(template) for template in client.rules.get(reach, ())]
    return next((path for path in candidates if os.path.exists(path)), candidates[0] if candidates else "")


def old_rules(client: Client, reach: Reach, where: Places) -> list[Part]:
    """Every candidate that holds our block."""
    found = []
    for path in (where.path(template) for template in client.rules.get(reach, ())):
        with suppress(Refused, jsonmerge.Unfit):
            if path and blocks.block_in(text_of(read(path) or b"", path), blocks.RULES_MARKS):
                found.append(_rules(path))
    return found


def adding(part: Part) -> Edit:
    """What adding would make of the file now."""
    return _edit(part, lambda text, former, _: part.add(text if text.strip("\ufeff \t\r\n") else part.empty, former))


def removing(part: Part) -> Edit:
    """What removing would make of the file now: exactly what it was before setup where nothing else changed, else the file without
    our part of it. A file that holds nothing any more and was not there before goes."""
    def change(text: str, former: str | None, missing: bool) -> str | None:
        if missing:
            return None
        if former is not None and text != former and _same(part, former, text):
            return former
        made = part.remove(text, former) if text.strip() else text
        gone = made != text and former is None and made.strip("\ufeff \t\r\n") == part.empty.strip()
        return None if gone else made
    return _edit(part, change)


def _same(part: Part, former: str, now: str) -> bool:
    try:
        return part.add(former if former.strip("\ufeff \t\r\n") else part.empty, None) == now
    except (NotJson, jsonmerge.Unfit):
        return False


def _edit(part: Part, change: Callable[[str, str | None, bool], str | None]) -> Edit:
    before: bytes | None = None
    try:
        before = read(part.path)
        kept = read(backup_of(part.path))
        former = text_of(kept, backup_of(part.path)) if kept is not None else None
        after = change(text_of(before or b"", part.path), former, before is None)
    except (Refused, NotJson, jsonmerge.Unfit) as reason:
        told = str(reason) if isinstance(reason, Refused) else f"{part.path}: {reason}"
        return Edit(part, before, before, f"{told}. It was left as it is")
    return Edit(part, before, None if after is None else after.encode())


def done(edit: Edit, again: Callable[[Part], Edit]) -> tuple[Edit, str]:
    """Carry an edit out; what became of it, and the name of the copy of what was there ('' for none).

    The copy is made once, of the file as it was before setup, and goes with the last of what setup made. It is made anew when the file
    holds nothing of ours (setup after a removal by hand).
    """
    for _ in range(AGAIN):
        if edit.outcome in ("unchanged", "refused"):
            return edit, ""
        try:
            return edit, _carried(edit, adding_=again is adding)
        except Changed:
            edit = again(edit.part)
        except Refused as reason:
            return Edit(edit.part, edit.before, edit.before, f"{reason}. It was left as it is"), ""
    return Edit(edit.part, edit.before, edit.before, f"{edit.part.path} is being changed by another program all the time; try again"), ""


def _carried(edit: Edit, *, adding_: bool) -> str:
    path, kept = edit.part.path, ""
    copy = read(backup_of(path))
    if edit.before is not None and adding_ and (copy is None or _is_free(edit)):
        kept = keep(path, edit.before)
    elif copy is not None:
        kept = backup_of(path)
    if edit.after is None:
        assert edit.before is not None
        delete(path, edit.before)
        _drop_empty_folder(path)
    else:
        write(path, edit.before, edit.after)
    if not adding_ and copy is not None and copy == edit.after:
        os.unlink(backup_of(path))  # it says nothing more than the file itself
        kept = ""
    return kept


def _is_free(edit: Edit) -> bool:
    """Does the file hold nothing of ours yet?"""
    text = text_of(edit.before or b"", edit.part.path)
    return not text.strip() or edit.part.remove(text, None) == text


def _drop_empty_folder(path: str) -> None:
    """`.cursor` or `.codex` that was made for this file. A folder of the user himself is not empty."""
    folder = os.path.dirname(path)
    if os.path.basename(folder) in (".cursor", ".codex", ".claude"):
        with suppress(OSError):
            os.rmdir(folder)


def _server(client: Client, path: str, python: str) -> Part:
    entry, key = server_entry(client, python), client.server_key
    if client.style == "toml":
        return Part(path, "server", blocks.toml_table((key, jsonmerge.SERVER), entry), lambda text, _: blocks.with_codex_server(text, entry),
                    lambda text, _: blocks.without_codex_server(text))
    return Part(path, "server", shown({key: {jsonmerge.SERVER: entry}}), lambda text, _: jsonmerge.with_server(text, key, entry),
                lambda text, former: jsonmerge.without_server(text, key, former), "{}\n")


def _hooks(client: Client, path: str, python: str) -> Part:
    wanted: dict[str, dict[str, object]] = {hook.event: hook_entry(client, hook, python) for hook in client.hooks}
    block = shown({**client.hook_more, "hooks": {event: [entry] for event, entry in wanted.items()}})
    return Part(path, "hooks", block, lambda text, _: jsonmerge.with_hooks(text, wanted, client.hook_more),
                lambda text, former: jsonmerge.without_hooks(text, client.hook_more, former), "{}\n")


def _rules(path: str) -> Part:
    body = blocks.RULES
    return Part(path, "rules", body, lambda text, _: blocks.with_block(text, body, blocks.RULES_MARKS),
                lambda text, _: blocks.without_block(text, blocks.RULES_MARKS))


def shown(value: object) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)
