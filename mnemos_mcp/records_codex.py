"""A session record (rollout) of the Codex CLI, line by line."""
from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator
from typing import Any
from zlib import crc32

from .records import Edited, Happening, Ran, Reading, Said, list_of, object_of, parsed, text_of

_WANTED = re.compile(rb'"type"\s*:\s*"(?:session_meta|turn_context|task_started|item_completed|user_message|message|function_call|custom_tool_call|'
                     rb'function_call_output|custom_tool_call_output)"')
_MACHINE = ("<environment_context>", "<user_instructions>", "<permissions", "<turn_aborted>", "# AGENTS.md instructions for")
_EXITED = re.compile(r"^Process exited with code (\d+)$", re.MULTILINE)
_PATCHED = re.compile(r"^\*\*\* (?:Add|Update) File: (.+)$", re.MULTILINE)
_SHELLS = ("shell", "exec_command", "local_shell", "container.exec")
WAITING = 1_000  # tool calls without a result that are remembered


class _State:
    """Where the record stands: its session and folder, the turn, the calls that wait for their output, and which of them were told."""

    def __init__(self) -> None:
        self.session = self.folder = self.turn = ""
        self.child = False
        self.calls: dict[str, str] = {}
        self.told: dict[str, None] = {}
        self.spoke = False  # events tell what the human says: the messages to the model are then not needed

    def tell(self, use: str) -> bool:
        """False when this call was told before: an event and an output may tell the same."""
        if use in self.told:
            return False
        self.told[use] = None
        if len(self.told) > WAITING:
            del self.told[next(iter(self.told))]
        return True


def happenings(lines: Iterable[bytes], reading: Reading) -> Iterator[Happening]:
    """What the record tells. Words that only messages to the model hold come last, where no event told any."""
    state, messages = _State(), list[Said]()
    for raw in lines:
        line = parsed(raw, _WANTED, reading.skipped)
        payload = object_of(line.get("payload")) if line else {}
        if line is None or not payload:
            continue
        reading.time(line)
        kind = line.get("type")
        if kind == "session_meta":
            _begin(payload, state)
        elif kind == "turn_context":
            state.turn, state.folder = text_of(payload.get("turn_id")) or state.turn, text_of(payload.get("cwd")) or state.folder
        elif state.child:
            reading.skipped.aside += 1
        elif kind == "event_msg":
            yield from _event(payload, state, reading)
        elif kind == "response_item":
            for happening in _item(payload, state, reading):
                if not isinstance(happening, Said):
                    yield happening
                elif not state.spoke:
                    messages.append(happening)
    if not state.spoke:
        yield from messages


def _begin(payload: dict[str, Any], state: _State) -> None:
    """Of several, as in a record that goes on from another, the first is its own."""
    if state.session:
        return
    state.session = text_of(payload.get("session_id")) or text_of(payload.get("id"))
    state.folder = text_of(payload.get("cwd"))
    source = payload.get("source")
    state.child = "subagent" in (source if isinstance(source, dict) else str(source)) or bool(payload.get("parent_thread_id"))


def _event(payload: dict[str, Any], state: _State, reading: Reading) -> Iterator[Happening]:
    state.turn = text_of(payload.get("turn_id")) or state.turn
    if payload.get("type") == "user_message":
        yield from _said(text_of(payload.get("message")), state, reading)
        return
    item = object_of(payload.get("item"))
    kind, use = item.get("type"), text_of(item.get("id"))
    if kind == "UserMessage":
        texts = (text_of(object_of(part).get("text")) for part in list_of(item.get("content")))
        yield from _said("\n".join(filter(None, texts)), state, reading)
    elif kind == "CommandExecution" and isinstance(item.get("exit_code"), int) and state.tell(use):
        yield _ran(_command(item.get("command")), item["exit_code"], text_of(item.get("aggregated_output")), use, state, reading)
    elif kind == "McpToolCall" and object_of(item.get("result")).get("isError") is True and "mnemos" not in text_of(item.get("server")) and state.tell(use):
        output = "\n".join(filter(None, (text_of(object_of(part).get("text")) for part in list_of(item["result"].get("content")))))
        given = json.dumps(object_of(item.get("arguments")), ensure_ascii=False, sort_keys=True)[:300]
        yield Ran(reading.at, state.session, state.folder, f"mcp__{text_of(item.get('server'))}__{text_of(item.get('tool'))} {given}", output or "failed",
                  f"{state.session}/{use}/failure/")


def _item(payload: dict[str, Any], state: _State, reading: Reading) -> Iterator[Happening]:
    kind, use = payload.get("type"), text_of(payload.get("call_id"))
    if kind == "message" and payload.get("role") == "user":
        texts = [text_of(object_of(part).get("text")) for part in list_of(payload.get("content"))]
        text = "\n".join(filter(None, texts))
        if text and not text.lstrip().startswith(_MACHINE):
            yield _words(text, state, reading)
    elif kind in ("function_call", "custom_tool_call"):
        given = text_of(payload.get("arguments")) or text_of(payload.get("input"))
        for name in _PATCHED.findall(given.replace("\\n", "\n")):
            yield Edited(reading.at, state.session, os.path.basename(name.strip().replace("\\", "/")))
        if use and payload.get("name") in _SHELLS:
            state.calls[use] = given
            if len(state.calls) > WAITING:
                del state.calls[next(iter(state.calls))]
    elif kind in ("function_call_output", "custom_tool_call_output") and use in state.calls:
        given = state.calls.pop(use)
        code, output = _outcome(payload.get("output"))
        if code is not None and state.tell(use):
            yield _ran(_asked(given), code, output, use, state, reading)


def _said(text: str, state: _State, reading: Reading) -> Iterator[Said]:
    if text:
        state.spoke = True
        yield _words(text, state, reading)


def _words(text: str, state: _State, reading: Reading) -> Said:
    return Said(reading.at, state.session, state.folder, text, f"{state.session}/{state.turn}/prompt/{crc32(text.encode('utf-8', 'replace'))}")


def _ran(command: str, code: int, output: str, use: str, state: _State, reading: Reading) -> Ran:
    error = f"Exit code {code}\n{output}" if code else ""
    # A hook hears every command of Codex as one that returned: its events are named so.
    return Ran(reading.at, state.session, state.folder, command, error, f"{state.session}/{use}/success/")


def _command(given: Any) -> str:
    """What was run: of a shell that was handed a line, the line."""
    if isinstance(given, str):
        return text_of(given)
    words = [text_of(word) for word in list_of(given)]
    return words[2] if len(words) == 3 and words[1] in ("-c", "-lc") else " ".join(words)


def _asked(arguments: str) -> str:
    try:
        given = object_of(json.loads(arguments))
    except (ValueError, RecursionError):
        return ""
    return _command(given.get("cmd") or given.get("command"))


def _outcome(output: Any) -> tuple[int | None, str]:
    """Exit code and output of a call as the model was told; None where no code stands."""
    text = text_of(output)
    if found := _EXITED.search(text):
        return int(found[1]), text.partition("\nOutput:\n")[2]
    try:
        told = object_of(json.loads(text)) if text.startswith("{") else {}
    except (ValueError, RecursionError):
        told = {}
    code = object_of(told.get("metadata")).get("exit_code")
    return (code, text_of(told.get("output"))) if isinstance(code, int) else (None, "")
