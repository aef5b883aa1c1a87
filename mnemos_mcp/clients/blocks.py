"""A block of ours between two marks, in files that are not JSON: TOML of Codex, Markdown of instructions. Text in, text out.

Codex's TOML is written so, not by a TOML library: a table at the end of the file is valid after anything, every comment and
every space of the rest stays, and taking it out gives back the bytes from before. What was made is checked by `tomllib`.
"""
from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping, Sequence
from typing import Any

from ..tools import INSTRUCTIONS
from .jsonmerge import SERVER, Unfit

TOML_MARKS = ("# mnemos:begin (made by `mnemos setup`; --remove takes it out)", "# mnemos:end")
RULES_MARKS = ("<!-- mnemos:begin (made by `mnemos setup`; --remove takes it out) -->", "<!-- mnemos:end -->")

RULES = "## Memory\n" + "\n".join(f"- {line}" for line in INSTRUCTIONS.splitlines())  # what the server says too, for clients that do not show it


def with_block(text: str, body: str, marks: tuple[str, str]) -> str:
    """The text with this block: in the place of the one that is there, else at the end, one line end after what was there."""
    newline = "\r\n" if "\r\n" in text else "\n"
    block = newline.join((marks[0], *body.splitlines(), marks[1]))
    found = _span(text, marks)
    if found:
        return text[:found[0]] + block + text[found[1]:]
    return text + (newline if text else "") + block + newline


def without_block(text: str, marks: tuple[str, str]) -> str:
    """The text without the block and without the line end that was put before it. Raises Unfit when one mark is missing."""
    found = _span(text, marks)
    if not found:
        return text
    before, after = text[:found[0]], _without_line_end(text[found[1]:], start=True)
    before = _without_line_end(before, start=False) if before else before
    if after and before and not before.endswith("\n"):
        before += "\r\n" if "\r\n" in text else "\n"  # somebody went on after our block
    return before + after


def block_in(text: str, marks: tuple[str, str]) -> bool:
    return _span(text, marks) is not None


def with_codex_server(text: str, entry: Mapping[str, Any]) -> str:
    """Codex's config.toml with our table. Raises Unfit for a table of that name that setup did not make, and for what would not be valid."""
    before = _toml(without_block(text, TOML_MARKS))
    if not isinstance(before.get("mcp_servers", {}), dict):
        raise Unfit("'mcp_servers' in it is not a table")
    if SERVER in before.get("mcp_servers", {}):
        raise Unfit(f"it has a [mcp_servers.{SERVER}] of its own already: take that out first, or edit it to be the block above")
    made = with_block(text, toml_table(("mcp_servers", SERVER), entry), TOML_MARKS)
    if _toml(made) != {**before, "mcp_servers": {**before.get("mcp_servers", {}), SERVER: dict(entry)}}:
        raise Unfit("the table could not be added without changing the meaning of the rest")
    return made


def without_codex_server(text: str) -> str:
    """Codex's config.toml without our table; whatever else was written into our block is a reason to refuse."""
    made = without_block(text, TOML_MARKS)
    if made == text:
        return text
    now = _toml(text)
    servers = {name: value for name, value in now.get("mcp_servers", {}).items() if name != SERVER}
    now.pop("mcp_servers", None)
    if _toml(made) != (now | {"mcp_servers": servers} if servers else now):
        raise Unfit("something else stands inside our block: take the block out by hand")
    return made


def toml_table(path: Sequence[str], entry: Mapping[str, Any]) -> str:
    """A table as text. A TOML basic string takes the escapes of JSON, DEL apart, which no path has."""
    return "\n".join((f"[{'.'.join(path)}]", *(f"{name} = {json.dumps(value, ensure_ascii=False)}" for name, value in entry.items())))


def _toml(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text.removeprefix("\ufeff").replace("\r\n", "\n"))
    except tomllib.TOMLDecodeError as error:
        raise Unfit(f"it is no valid TOML ({error})") from error


def _span(text: str, marks: tuple[str, str]) -> tuple[int, int] | None:
    """From the first mark to the end of the second. The marks are found by their first words: older releases may have said more."""
    opening, closing = (mark.split("(")[0].split("-->")[0].rstrip() for mark in marks)
    start = _line_that_begins(text, opening, 0)
    if start < 0:
        if _line_that_begins(text, closing, 0) >= 0:
            raise Unfit(f"it has the mark '{closing}' without the one before it: put that right by hand")
        return None
    end = _line_that_begins(text, closing, start)
    if end < 0 or 0 <= _line_that_begins(text, opening, start + 1) < end:
        raise Unfit(f"it has the mark '{opening}' without '{closing}': put that right by hand")
    stop = text.find("\n", end)
    stop = len(text) if stop < 0 else stop
    return start, stop - (text[stop - 1:stop] == "\r")


def _line_that_begins(text: str, start: str, after: int) -> int:
    if after == 0 and text.startswith(start):
        return 0
    found = text.find("\n" + start, max(after - 1, 0))
    return found + 1 if found >= 0 else -1


def _without_line_end(text: str, *, start: bool) -> str:
    for end in ("\r\n", "\n"):
        if (text.startswith if start else text.endswith)(end):
            return text[len(end):] if start else text[:-len(end)]
    return text
