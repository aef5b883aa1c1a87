"""The two ends of the stdio wire, cleaned: whatever line comes in, the SDK reads a message, or the sender is told why not.

The SDK drops a line that it cannot validate (half of a surrogate pair is enough) and the caller waits for ever. Here every
line is read as JSON, repaired or answered with a JSON-RPC error. Nothing but messages leaves on stdout: the real descriptors
are taken at the start and fd 1 becomes stderr, before anything that may print is imported.
"""
from __future__ import annotations

import json
import os
import re
import select
import threading
import time
from collections.abc import Callable
from typing import Any

LONGEST_LINE = 16 * 1024 * 1024  # bytes; a longer one is answered and thrown away without being held
DEEPEST = 150  # levels of nesting; the SDK's parser gives up at 200, without a word
KEPT_ENDS = 4096  # bytes of the beginning and end of a line too long, where its id stands
READ_FOR_ID = 256 * 1024  # bytes of a broken line that are read for its id; beyond them its end is looked at
ANSWER_S = 4.0  # after the end of stdin, for what was asked before it
PARSE_ERROR, INVALID_REQUEST = -32700, -32600
_HALVES = re.compile("[\ud800-\udfff]")
_TOKENS = re.compile(rb'"(?:[^"\\]|\\.)*"?|[{}\[\],:]|[^\s"{}\[\],:]+', re.DOTALL)
_ID = re.compile(rb'-?\d{1,18}|"[^"\\]{1,200}"')
_TAIL_ID = re.compile(rb'[}\]"\w]\s*,(?:\s*"(?:jsonrpc|method)"\s*:\s*"[^"\\]*"\s*,)*\s*"id"\s*:\s*(-?\d{1,18}|"[^"\\]{1,200}")'
                      rb'(?:\s*,\s*"(?:jsonrpc|method)"\s*:\s*"[^"\\]*")*\s*\}\s*$')
# The SDK says this of any params that it cannot read, and of whatever comes before the handshake; it does not say which or what instead.
_THIN = '"Invalid request parameters"'
_PARAMS = {"initialize": "protocolVersion (a text), capabilities and clientInfo (objects)", "tools/call": "name (a text) and arguments (an object)",
           "prompts/get": "name (a text) and arguments (an object of texts)", "resources/read": "uri (a text)"}
_BEFORE = "The connection has not begun: send initialize first, or with each request the _meta of a protocol that has no handshake."
# Answered only when the client lets go: the end of stdin does not wait for it.
_STREAMS = frozenset({"subscriptions/listen"})


class Unreadable(Exception):
    """A line that is no message; `reply` is the JSON-RPC error for its sender."""

    def __init__(self, code: int, message: str, request_id: Any = None):
        super().__init__(message)
        error = {"code": code, "message": message}
        self.reply = json.dumps({"jsonrpc": "2.0", "id": request_id, "error": error}, ensure_ascii=False)


def read_message(line: bytes) -> tuple[dict[str, Any], str]:
    """The message of a line and how it is handed on. Invalid UTF-8 and lone surrogates become U+FFFD, raw control characters
    in texts are taken. Raises Unreadable."""
    try:
        # Python joins valid pairs of escapes while it reads; the halves that are left stand alone.
        message = _mended(json.loads(line.decode("utf-8-sig", "replace"), strict=False, parse_constant=_refuse))
        text = json.dumps(message, ensure_ascii=False, allow_nan=False)
    except (ValueError, RecursionError):
        said = "Parse error: the line is not JSON that can be read. Send one JSON-RPC message a line, in UTF-8."
        raise Unreadable(PARSE_ERROR, said, _id_in(line[:READ_FOR_ID], line[-KEPT_ENDS:])) from None
    if not isinstance(message, dict):
        what = "batches are not supported" if isinstance(message, list) else "a message is a JSON object"
        raise Unreadable(INVALID_REQUEST, f"Invalid request: {what}; send one message a line.")
    _check(message)
    return message, text


def _refuse(constant: str) -> Any:
    raise ValueError(constant)


def _mended(value: Any, depth: int = 0) -> Any:
    """The value with every half of a surrogate pair replaced, in keys too."""
    if depth > DEEPEST:
        raise RecursionError
    if isinstance(value, str):
        return _HALVES.sub("\ufffd", value)
    if isinstance(value, dict):
        return {_HALVES.sub("\ufffd", k): _mended(v, depth + 1) for k, v in value.items()}
    return [_mended(v, depth + 1) for v in value] if isinstance(value, list) else value


def _check(message: dict[str, Any]) -> None:
    """What the SDK would drop without a word: ids and params of a wrong type, no method, no version."""
    request_id = message.get("id")
    known = request_id if isinstance(request_id, str | int) and not isinstance(request_id, bool) else None
    wrong = []
    if message.get("jsonrpc") != "2.0":
        wrong.append('jsonrpc must be "2.0"')
    if "method" in message:
        wrong += ["method must be a text"] if not isinstance(message["method"], str) else []
        wrong += ["id must be a text or a whole number"] if "id" in message and known is None else []
        wrong += ["params must be an object"] if not isinstance(message.get("params"), dict | None) else []
    elif not ("result" in message or "error" in message):
        wrong.append("method is missing")
    if wrong:
        raise Unreadable(INVALID_REQUEST, f"Invalid request: {'; '.join(wrong)}.", known)


def too_long(head: bytes, tail: bytes) -> Unreadable:
    """The answer to a line that was not kept."""
    said = f"Message too long: the limit is {LONGEST_LINE // 1024 ** 2} MB a line, and 100,000 characters a memory."
    return Unreadable(INVALID_REQUEST, said, _id_in(head, tail))


def _id_in(head: bytes, tail: bytes) -> str | int | None:
    """The id of a message that cannot be parsed, for its sender waits for it: the value after "id" in the outermost object, wherever it stands."""
    depth, before = 0, (b"", b"")
    for found in _TOKENS.finditer(head):
        token = found[0]
        if depth == 1 and before == (b'"id"', b":") and _ID.fullmatch(token):
            return _id_of(token)
        depth += (token in (b"{", b"[")) - (token in (b"}", b"]"))
        before = (before[1], token)
    late = _TAIL_ID.search(tail)
    return _id_of(late[1]) if late else None


def _id_of(token: bytes) -> str | int:
    value: str | int = json.loads(token.decode("utf-8", "replace"), strict=False)
    return value


class Wire:
    """stdin and stdout of this process, taken from it. `lines` and `out` are the two files that the SDK is given."""

    def __init__(self, on_end: Callable[[], None]):
        """`on_end` is called once, when nobody reads or writes at the other end any more."""
        self._stdin, self._stdout = _taken(0, os.O_RDONLY), _taken(1, os.O_WRONLY)
        _diverted(0, os.open(os.devnull, os.O_RDONLY))
        _diverted(1, _taken(2, os.O_WRONLY))
        self._on_end = on_end
        self._buffer = bytearray()
        self._writing = threading.Lock()
        self._answered = threading.Condition()
        self._unanswered: dict[str | int, str] = {}  # id -> method
        self._begun = False  # initialize was answered, or a request brought its own _meta

    # ---- in

    def readline(self) -> str:
        """The next good message as a line, '' at the end. Bad lines are answered on the way."""
        while (line := self._line()) is not None:
            try:
                if isinstance(line, Unreadable):
                    raise line
                if not line.strip():
                    continue
                message, text = read_message(line)
            except Unreadable as bad:
                self.write(bad.reply + "\n")
                continue
            self._note_request(message)
            return text + "\n"
        self._finish()
        return ""

    def _finish(self) -> None:
        """After the end of stdin: wait for the answers that somebody still reads, then say that it is over."""
        until = time.monotonic() + ANSWER_S
        with self._answered:
            while self._unanswered and time.monotonic() < until and not self._reader_gone():
                self._answered.wait(0.1)
        self._on_end()

    def _line(self) -> bytes | Unreadable | None:
        """One raw line; None at the end of stdin. Of a line too long only the ends are kept."""
        searched, head = 0, b""
        while (end := self._buffer.find(b"\n", searched)) < 0:
            if len(self._buffer) > LONGEST_LINE:
                head = head or bytes(self._buffer[:KEPT_ENDS])
                del self._buffer[:-KEPT_ENDS]
            searched = len(self._buffer)
            if not (chunk := self._read()):
                break
            self._buffer += chunk
        if end < 0 and not self._buffer:
            return None
        end = end if end >= 0 else len(self._buffer)
        line = bytes(self._buffer[:end])
        del self._buffer[:end + 1]
        return too_long(head, line[-KEPT_ENDS:]) if head else line

    def _read(self) -> bytes:
        try:
            return os.read(self._stdin, 65536)
        except OSError:  # the other end was torn away
            return b""

    def _note_request(self, message: dict[str, Any]) -> None:
        with self._answered:
            method = message.get("method", "")
            if "id" in message and method not in _STREAMS | {""}:
                self._unanswered[message["id"]] = method
                self._begun = self._begun or "_meta" in (message.get("params") or {})
            elif method == "notifications/cancelled":
                self._unanswered.pop((message.get("params") or {}).get("requestId"), None)

    # ---- out

    def write(self, text: str) -> None:
        """One whole line, not torn by another."""
        if _THIN in text[:300]:
            text = self._explained(text)
        with self._writing:
            data = memoryview(text.encode("utf-8", "replace"))
            try:
                while data:
                    data = data[os.write(self._stdout, data):]
            except OSError:  # nobody reads any more
                self._on_end()
        self._note_answer(text)

    def _reader_gone(self) -> bool:
        """Whether the other end of stdout is closed; False where it cannot be asked (Windows)."""
        if not hasattr(select, "poll"):
            return False
        poll = select.poll()
        poll.register(self._stdout, 0)  # errors are reported without asking for them
        return any(event & (select.POLLERR | select.POLLNVAL) for _, event in poll.poll(0))

    def flush(self) -> None:
        """Nothing is held back."""

    def _explained(self, text: str) -> str:
        """An error of the SDK that says only that params are invalid, with what is awaited."""
        message = json.loads(text)
        method = self._unanswered.get(message.get("id"), "")
        if "error" not in message or not method:
            return text
        awaited = f"Invalid parameters of {method}" + (f": it takes {_PARAMS[method]}." if method in _PARAMS else ".")
        message["error"] = {"code": message["error"]["code"], "message": awaited if self._begun or method == "initialize" else _BEFORE}
        return json.dumps(message, ensure_ascii=False) + "\n"

    def _note_answer(self, text: str) -> None:
        message = json.loads(text)
        if "method" not in message:
            with self._answered:
                method = self._unanswered.pop(message.get("id"), "")
                self._begun = self._begun or (method == "initialize" and "result" in message)
                self._answered.notify_all()


def _taken(fd: int, mode: int) -> int:
    """A private copy of a standard descriptor, blocking, not handed to children; the null device when there is none."""
    try:
        copy = os.dup(fd)
        if os.name == "posix":
            os.set_blocking(copy, True)
        return copy
    except OSError:
        return os.open(os.devnull, mode)


def _diverted(fd: int, to: int) -> None:
    """Let a standard descriptor lead elsewhere: stray reads see the end, stray prints go to stderr."""
    os.dup2(to, fd)
    os.close(to)
