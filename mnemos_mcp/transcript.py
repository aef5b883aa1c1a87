"""What a client's own record of a session tells a hook: the exit code that Codex keeps there alone, and the files that were edited.

The formats are internal to the clients and may change: whatever does not fit is skipped, and nothing found is an ordinary answer.
"""
from __future__ import annotations

import json
import os
from collections.abc import Iterator
from typing import Any

READ_BYTES = 1_000_000  # from the end
EDITORS = frozenset({"Edit", "Write", "MultiEdit", "NotebookEdit"})
MOST_FILES = 4


def exit_code(path: str, use: str) -> int | None:
    """Exit code of a Codex command by the id of its tool call; None when the record does not tell."""
    if not use:
        return None
    for line in _lines(path, use):
        payload = line.get("payload")
        item = payload.get("item") if isinstance(payload, dict) else None
        if isinstance(item, dict) and item.get("id") == use and isinstance(item.get("exit_code"), int):
            return item["exit_code"]
    return None


def edited_since(path: str, command: str) -> list[str]:
    """Names of the files that Claude Code edited after the last failing run of this command, in order, the last few."""
    runs: list[list[str]] = [[]]
    for line in _lines(path, '"tool_use"'):
        message = line.get("message")
        parts = message.get("content") if isinstance(message, dict) else None
        for part in parts if isinstance(parts, list) else ():
            given = part.get("input") if isinstance(part, dict) and part.get("type") == "tool_use" else None
            if not isinstance(given, dict):
                continue
            if isinstance(given.get("command"), str) and given["command"].strip() == command.strip():
                runs.append([])
            name = given.get("file_path") or given.get("notebook_path")
            if part.get("name") in EDITORS and isinstance(name, str):
                runs[-1].append(os.path.basename(name))
    # The run that passed may be in the record already, with nothing behind it.
    last = next((run for run in reversed(runs[1:]) if run), [])
    return list(dict.fromkeys(last))[-MOST_FILES:]


def _lines(path: str, holding: str) -> Iterator[dict[str, Any]]:
    """The lines at the end of a JSONL file that hold this text, oldest first; none when it cannot be read."""
    try:
        with open(path, "rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - READ_BYTES))
            tail = file.read(READ_BYTES).decode("utf-8", "replace").split("\n")
    except (OSError, ValueError):
        return
    for text in tail:
        if holding in text:
            try:
                line = json.loads(text)
            except (ValueError, RecursionError):
                continue
            if isinstance(line, dict):
                yield line
