"""What a client's hook payload says, in one form. Pure: a payload in, an Event out; whatever does not fit is no event.

Read from payloads of Claude Code 2.1.332 and Codex CLI 0.171.0 as measured, and from the documents of Cursor and Windsurf (unverified there).
"""
# No `from __future__ import annotations` on this page: a named tuple compiles each annotation that is a string, and every hook pays for it.
import json
import re
from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

Kind = Literal["", "start", "prompt", "failure", "success", "compacting", "compacted", "stop", "end"]
LONGEST_ID = 100  # characters of a session's, turn's or call's id in a key
LONGEST_KEY = 200  # characters of a session's id or an event's key that is kept as it came
_SOURCES = ("startup", "resume", "clear", "compact", "fork")
LONGEST_PROMPT = 200_000  # characters: what is longer was pasted, not said
_NAMES: dict[str, Kind] = {
    "SessionStart": "start", "UserPromptSubmit": "prompt", "PostToolUseFailure": "failure", "PostToolUse": "success", "PreCompact": "compacting",
    "PostCompact": "compacted", "Stop": "stop", "SessionEnd": "end",
    # Cursor
    "sessionStart": "start", "beforeSubmitPrompt": "prompt", "postToolUseFailure": "failure", "afterShellExecution": "success",
    "afterAgentResponse": "stop", "preCompact": "compacting", "stop": "stop", "sessionEnd": "end",
    # Windsurf
    "pre_user_prompt": "prompt", "post_run_command": "success", "post_cascade_response": "stop",
}
# Clients whose output is read as hook JSON with additionalContext; the others get nothing, whatever the event.
_READS = frozenset({"SessionStart", "UserPromptSubmit", "PostToolUseFailure", "PostToolUse"})
SHELLS = frozenset({"Bash", "Shell", "shell", "run_terminal_cmd"})
# Blocks that the client or another tool wrote into what the user typed.
_BLOCKS = (r"<(system-reminder|task-notification|local-command-[\w-]+|command-(?:name|message|args|contents)|bash-(?:input|stdout|stderr)|"
                     r"ide_[\w-]+|user-prompt-submit-hook|mnemos-recall)\b[^>]*>.*?</\1\s*>")
_OPENED = r"<(?:system-reminder|task-notification|local-command-[\w-]+|command-(?:name|message|args|contents))\b"
# A command as it is typed: measured, Claude Code hands on its own and MCP's (`/deploy staging`, `/mcp__srv__prompt args`), keeps /compact and the like to itself,
# and hands on as a prompt what it does not know. A folder at the root of the file system (FHS 3.0, macOS) or a route of which something is told is none.
_SLASH = (r"/(?!(?:bin|boot|dev|etc|home|lib\w*|media|mnt|opt|proc|root|run|sbin|srv|sys|tmp|usr|var|Applications|Library|System|Users|Volumes|private|cores)(?:\s|$))"
          r"[\w:-]+(?=\s|$)(?!\s+(?:is|are|was|were|has|have|had|must|should|may|can|cannot|will|does|do|isn't|mustn't|doesn't|ist|sind|war|hat|muss|soll|kann|darf|wird"
          r"|est|sont|doit|peut|va|es|son|debe|tiene|puede|deve|tem)\b)")
_MACHINE = ("[Request interrupted", "Caveat: The messages below were generated", "This session is being continued from a previous conversation")


class Event(NamedTuple):
    """One event. `key` is its identity: the same event delivered twice has the same. `prints` says whether the client reads context from it."""

    kind: Kind
    name: str = ""  # as the client calls it
    session: str = ""
    folder: str = ""  # '' where the client does not say
    text: str = ""  # prompt, last message or summary, as it came
    command: str = ""
    error: str = ""  # of a failure; '' for a success
    tool: str = ""
    source: str = ""  # of a start: startup, resume, clear, compact, fork
    key: str = ""
    transcript: str = ""
    use: str = ""  # id of the tool call
    prints: bool = False
    client: str = "claude"


NOTHING = Event("")


def read(payload: Any, name: str = "") -> Event:
    """The event of a parsed payload; NOTHING for what is none, for subagents, and for mnemos' own tools. `name` stands in for a missing event name."""
    if not isinstance(payload, Mapping):
        return NOTHING
    given = payload.get("hook_event_name") or payload.get("agent_action_name") or name
    kind = _NAMES.get(given, "") if isinstance(given, str) else ""
    if not kind or payload.get("agent_id") or _own(payload):
        return NOTHING
    info = payload.get("tool_info")
    info = info if isinstance(info, Mapping) else {}
    tool = "Bash" if given in ("afterShellExecution", "post_run_command") else _text(payload, "tool_name")
    event = Event(
        kind, given, session=_text(payload, "session_id", "conversation_id", "trajectory_id"), folder=_folder(payload, info),
        text=_said(payload, info), command=_command(payload, info), tool=tool,
        source=source if (source := _text(payload, "source")) in _SOURCES else "",
        transcript=_text(payload, "transcript_path"), use=_text(payload, "tool_use_id"), prints=given in _READS,
        client="codex" if "turn_id" in payload else "cursor" if "conversation_id" in payload else "windsurf" if "trajectory_id" in payload else "claude")
    event = _judged(event, payload)
    return event._replace(key=_key(event, payload))


def _judged(event: Event, payload: Mapping[str, Any]) -> Event:
    """A success whose response tells of a failure is one; a failure by the user's own interruption is none, nor is one of nothing that is named."""
    if event.kind == "failure":
        if payload.get("is_interrupt") or event.command.strip() in ("", "{}"):
            return NOTHING
        return event._replace(error=_text(payload, "error", "error_message") or "failed")
    if event.kind == "success":
        if event.tool not in SHELLS or not event.command:
            return NOTHING
        answer = payload.get("tool_response")
        if isinstance(answer, Mapping) and (answer.get("interrupted") or answer.get("backgroundTaskId")):
            return NOTHING  # it has not passed: it was broken off, or has only been started
        return event._replace(kind="failure", error=error) if (error := failed(payload)) else event
    return event


def failed(payload: Mapping[str, Any]) -> str:
    """Of a tool that returned: the error as 'Exit code N' and its output, '' when nothing marks a failure."""
    answer = payload.get("tool_response")
    answer = answer if isinstance(answer, Mapping) else payload
    if answer.get("returnCodeInterpretation") or answer.get("interrupted") or answer.get("backgroundTaskId"):
        return ""
    code = next((answer[name] for name in ("exit_code", "exitCode", "returncode", "return_code") if isinstance(answer.get(name), int)), 0)
    if not code and not answer.get("is_error") and answer.get("success") is not False:
        return ""
    output = "\n".join(filter(None, (_text(answer, "stdout", "output"), _text(answer, "stderr"))))
    return f"Exit code {code or 1}\n{output}"


def prompt(text: str) -> str:
    """What the user said: without the blocks that programs put in; '' for a command, a notification, an interruption."""
    said = shortened(text).lstrip()
    if said.startswith(_MACHINE) or (said.startswith("/") and re.match(_SLASH, said)):
        return ""
    if said.startswith("<command-") or (said.startswith("<") and re.match(_OPENED, said) and not re.match(_BLOCKS, said, flags=re.DOTALL | re.IGNORECASE)):
        return ""  # a command's own text, or a block of a program that never ends
    if "<" in said:
        said = re.sub(_BLOCKS, " ", said, flags=re.DOTALL | re.IGNORECASE)
    return said.strip()


def shortened(text: str, most: int = LONGEST_PROMPT) -> str:
    """Beginning and end of a text that is too long to be read whole, cut between lines where it has any: half of a key must not be left at the cut."""
    if len(text) <= most:
        return text
    head, tail = text[:most // 2], text[-most // 2:]
    return f"{head[:head.rfind(chr(10)) + 1] or head}...\n{tail[tail.find(chr(10)) + 1:]}"


def context(event: Event, text: str) -> str:
    """What to print so that the client hands `text` to its model; '' prints nothing."""
    if not text or not event.prints:
        return ""
    return json.dumps({"hookSpecificOutput": {"hookEventName": event.name, "additionalContext": text}}, ensure_ascii=True)


def _own(payload: Mapping[str, Any]) -> bool:
    server = payload.get("mcp_server")
    name = f"{server.get('name', '') if isinstance(server, Mapping) else ''} {_text(payload, 'tool_name')}".lower()
    if re.search(r"(?<![a-z])mnemos(?![a-z])", name):
        return True
    given = payload.get("tool_input")
    command = given.get("command") if isinstance(given, Mapping) else ""
    first = command.split(maxsplit=1)[:1] if isinstance(command, str) else []
    return bool(first) and first[0].rpartition("/")[2] in ("mnemos", "mnemos-mcp", "mnemos-hook")


def _folder(payload: Mapping[str, Any], info: Mapping[str, Any]) -> str:
    roots = payload.get("workspace_roots")
    first = roots[0] if isinstance(roots, list) and roots and isinstance(roots[0], str) else ""
    return _text(payload, "cwd") or first or _text(info, "cwd")


def _said(payload: Mapping[str, Any], info: Mapping[str, Any]) -> str:
    return _text(payload, "prompt", "last_assistant_message", "compact_summary", "text") or _text(info, "user_prompt", "response")


def _command(payload: Mapping[str, Any], info: Mapping[str, Any]) -> str:
    given = payload.get("tool_input")
    if isinstance(given, Mapping):
        command = given.get("command")
        if isinstance(command, list):
            return " ".join(part for part in command if isinstance(part, str))
        if isinstance(command, str):
            return command
        return f"{_text(payload, 'tool_name')} {json.dumps(given, ensure_ascii=False, sort_keys=True)}"
    return _text(payload, "command") or _text(info, "command_line")


def ordinary(name: str) -> bool:
    """Whether a client's name of a session or event is of the common kind, made of UUIDs and short words: it needs no screen."""
    return len(name) <= LONGEST_KEY and all(_plain(piece) for piece in name.split("/"))


def _plain(piece: str) -> bool:
    bare = piece.replace("-", "").replace("_", "")
    uuid = len(piece) == 36 and piece[8] == piece[23] == "-" and not bare.strip("0123456789abcdefABCDEF")
    return not bare or (bare.isalnum() and (len(piece) <= 12 or uuid or piece.startswith(("toolu_", "call_"))))


def _key(event: Event, payload: Mapping[str, Any]) -> str:
    """Session, turn or tool call, and event. '' where the client gives nothing that tells two events apart."""
    turn = event.use or _text(payload, "prompt_id", "turn_id", "generation_id", "execution_id")
    if not turn or not event.kind:
        return ""
    # Several stops may belong to one prompt, and a queued prompt may come under the id of the last: the words tell them apart.
    words = "" if event.use else str(_sum(event.text))
    return f"{_name(event.session)}/{_name(turn)}/{event.kind}/{words}"


def _name(given: str) -> str:
    """An id as part of a key: one that no client gives, too long or with the sign that parts, by its hash."""
    if len(given) <= LONGEST_ID and "/" not in given:
        return given
    import hashlib
    return hashlib.sha256(given.encode("utf-8", "replace")).hexdigest()[:32]


def _sum(text: str) -> int:
    from zlib import crc32
    return crc32(text.encode("utf-8", "replace"))


def _text(values: Mapping[str, Any], *names: str) -> str:
    """The first of these that is a text, without halves of characters."""
    for name in names:
        value = values.get(name)
        if isinstance(value, str) and value:
            return value.encode("utf-8", "replace").decode("utf-8")
    return ""
