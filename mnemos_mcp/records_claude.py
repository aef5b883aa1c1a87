"""A session transcript of Claude Code, line by line."""
from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator
from typing import Any
from zlib import crc32

from .events import SHELLS
from .records import EDITORS, Edited, Happening, Ran, Reading, Said, list_of, object_of, parsed, text_of

# An unescaped mark: inside a text the quotes are escaped, so that the client's long lines are told apart unread.
_WANTED = re.compile(rb'"type"\s*:\s*"(?:user|assistant)"')
_DENIED = ("The user doesn't want to proceed", "[Request interrupted", "<tool_use_error>", "Permission to use")
WAITING = 1_000  # tool calls without a result that are remembered


def happenings(lines: Iterable[bytes], reading: Reading) -> Iterator[Happening]:
    """What the transcript tells, in its order."""
    calls: dict[str, tuple[str, dict[str, Any]]] = {}
    for raw in lines:
        line = parsed(raw, _WANTED, reading.skipped)
        if line is None or line.get("type") not in ("user", "assistant"):
            continue
        reading.time(line)
        if line.get("isSidechain") or line.get("agentId"):
            reading.skipped.aside += 1
        elif line["type"] == "assistant":
            _remember(line, calls)
        else:
            yield from _user(line, calls, reading)


def _remember(line: dict[str, Any], calls: dict[str, tuple[str, dict[str, Any]]]) -> None:
    """Calls of tools; what the assistant says is not looked at."""
    for part in list_of(object_of(line.get("message")).get("content")):
        if isinstance(part, dict) and part.get("type") == "tool_use" and isinstance(part.get("id"), str):
            calls[part["id"]] = (text_of(part.get("name")), object_of(part.get("input")))
            if len(calls) > WAITING:
                del calls[next(iter(calls))]


def _user(line: dict[str, Any], calls: dict[str, tuple[str, dict[str, Any]]], reading: Reading) -> Iterator[Happening]:
    """A line of role user: the human's, a program's in the human's place, or results of tools."""
    content = object_of(line.get("message")).get("content")
    parts = [part for part in list_of(content) if isinstance(part, dict)]
    results = [part for part in parts if part.get("type") == "tool_result"]
    if results:
        for part in results:
            yield from _result(line, part, calls, reading)
        return
    text = text_of(content) or "\n".join(filter(None, (text_of(part.get("text")) for part in parts if part.get("type") == "text")))
    if not text:
        return
    if not _human(line):
        reading.skipped.machine += 1
        return
    session, turn = text_of(line.get("sessionId")), text_of(line.get("promptId"))
    key = f"{session}/{turn}/prompt/{crc32(text.encode('utf-8', 'replace'))}" if turn else f"{text_of(line.get('uuid'))}/prompt/"
    yield Said(reading.at, session, text_of(line.get("cwd")), text, key)


def _human(line: dict[str, Any]) -> bool:
    """Typed, or handed over by the program that drives the client; nothing that the client wrote by itself."""
    origin = object_of(line.get("origin")).get("kind", "human")
    written = line.get("isMeta") or line.get("isCompactSummary") or line.get("isVisibleInTranscriptOnly")
    return not written and origin == "human" and line.get("promptSource") != "system" and line.get("turnOrigin") != "task_notification"


def _result(line: dict[str, Any], part: dict[str, Any], calls: dict[str, tuple[str, dict[str, Any]]], reading: Reading) -> Iterator[Happening]:
    use = text_of(part.get("tool_use_id"))
    name, given = calls.pop(use, ("", {}))
    failed = part.get("is_error") is True
    session = text_of(line.get("sessionId"))
    if name in EDITORS and not failed:
        path = text_of(given.get("file_path") or given.get("notebook_path"))
        yield Edited(reading.at, session, os.path.basename(path.replace("\\", "/")))
    if not _counts(name, given, object_of(line.get("toolUseResult")), failed):
        return
    error = ""
    if failed:
        error = _words(part.get("content")) or "failed"
        if line.get("toolDenialKind") or error.startswith(_DENIED):
            return
    command = text_of(given.get("command")) or f"{name} {json.dumps(given, ensure_ascii=False, sort_keys=True)[:300]}"
    yield Ran(reading.at, session, text_of(line.get("cwd")), command, error, f"{session}/{use}/{'failure' if failed else 'success'}/")


def _counts(name: str, given: dict[str, Any], result: dict[str, Any], failed: bool) -> bool:
    """Commands, and failures of other servers' tools. A command sent to the background, or cut off, has neither failed nor passed."""
    if name in SHELLS:
        own = re.match(r"\s*(?:\S*/)?mnemos(?:-mcp|-hook)?(?:\s|$)", text_of(given.get("command")))
        return not own and not result.get("interrupted") and not result.get("backgroundTaskId")
    return failed and name.startswith("mcp__") and "mnemos" not in name


def _words(content: Any) -> str:
    return text_of(content) or "\n".join(filter(None, (text_of(object_of(part).get("text")) for part in list_of(content))))
