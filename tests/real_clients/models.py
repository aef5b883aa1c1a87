"""Scripted models on loopback: the Anthropic Messages API (for Claude Code) and the OpenAI Responses API (for Codex).

A script is a list of turns in order: a request whose newest part has the pattern of the next turn gets its reply; any other request is a stray, answered
"Noted.". Every request is kept, with its time of arrival and of the reply's end. A free port of 127.0.0.1, standard library only, ends with the `with` block.
Made from a rig of two stand-alone servers: here they are threads of the test process, so that a test reads requests as values.
"""
from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Block = dict[str, Any]


def say(text: str) -> Block:
    """A reply of words."""
    return {"text": text}


def use(tool: str, /, namespace: str = "", **given: Any) -> Block:
    """A tool call. `namespace`: Codex's name for the tools of one MCP server."""
    return {"tool": tool, "namespace": namespace, "input": given}


@dataclass
class Turn:
    """What the model answers when the regular expression `when` is found in the newest part of a request. `input_tokens`: the usage it reports."""

    when: str
    reply: Block
    input_tokens: int = 0


@dataclass
class Request:
    """One request of the client. `newest`: what it added since the model last spoke, in words."""

    body: dict[str, Any]
    newest: str
    turn: Turn | None
    arrived: float
    answered: float = 0.0
    text: str = field(default="", repr=False)

    def __contains__(self, words: str) -> bool:
        return words in self.text


class Model(ThreadingHTTPServer):
    """A scripted model. `requests`: all generations asked for, in order; `strays`: those that the script did not expect; `script`: what is left of it."""

    daemon_threads = True
    endpoint = ""

    def __init__(self, *script: Turn):
        super().__init__(("127.0.0.1", 0), _Handler)
        self.script = list(script)
        self.requests: list[Request] = []
        self._lock, self._count = threading.Lock(), 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    @property
    def strays(self) -> list[Request]:
        return [request for request in self.requests if request.turn is None]

    def __enter__(self) -> Model:
        threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.shutdown()
        self.server_close()

    def take(self, body: dict[str, Any]) -> Request:
        """Record a request; it takes the next turn of the script if it is the one expected."""
        newest = self.newest(body)
        with self._lock:
            expected = bool(self.script) and re.search(self.script[0].when, newest, re.S)
            request = Request(body, newest, self.script.pop(0) if expected else None, time.monotonic(), text="\n".join(strings(body)))
            self.requests.append(request)
        return request

    def number(self) -> int:
        with self._lock:
            self._count += 1
            return self._count

    def newest(self, body: dict[str, Any]) -> str:
        raise NotImplementedError

    def events(self, request: Request) -> Iterator[dict[str, Any]]:
        """The reply as the events of a stream."""
        raise NotImplementedError


class Anthropic(Model):
    """The Messages API."""

    endpoint = "/v1/messages"

    def newest(self, body: dict[str, Any]) -> str:
        said = body.get("messages") or []
        start = max((i for i, message in enumerate(said) if message["role"] == "assistant"), default=-1) + 1
        return "\n".join(text for message in said[start:] for text in strings(message["content"]))

    def events(self, request: Request) -> Iterator[dict[str, Any]]:
        reply = request.turn.reply if request.turn else say("Noted.")
        tokens = (request.turn.input_tokens if request.turn else 0) or len(request.text) // 4
        usage = {"input_tokens": tokens, "output_tokens": 20, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}
        message: Block = {"id": f"msg_{self.number()}", "type": "message", "role": "assistant", "model": request.body.get("model"), "content": [],
                   "stop_reason": None, "stop_sequence": None, "usage": usage}
        if "tool" in reply:
            block = {"type": "tool_use", "id": f"toolu_{self.number()}", "name": reply["tool"], "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(reply["input"])}
        else:
            block, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": reply["text"]}
        yield {"type": "message_start", "message": message}
        yield {"type": "content_block_start", "index": 0, "content_block": block}
        yield {"type": "content_block_delta", "index": 0, "delta": delta}
        yield {"type": "content_block_stop", "index": 0}
        yield {"type": "message_delta", "delta": {"stop_reason": "tool_use" if "tool" in reply else "end_turn", "stop_sequence": None}, "usage": usage}
        yield {"type": "message_stop"}


class OpenAI(Model):
    """The Responses API."""

    endpoint = "/v1/responses"

    def newest(self, body: dict[str, Any]) -> str:
        items = body.get("input") or []
        start = max((i for i, item in enumerate(items) if item.get("role") == "assistant" or item.get("type") == "function_call"), default=-1) + 1
        return "\n".join(text for item in items[start:] for text in strings(item))

    def events(self, request: Request) -> Iterator[dict[str, Any]]:
        reply = request.turn.reply if request.turn else say("Noted.")
        tokens = (request.turn.input_tokens if request.turn else 0) or len(request.text) // 4
        number = self.number()
        if "tool" in reply:
            item: Block = {"type": "function_call", "id": f"fc_{number}", "call_id": f"call_{number}", "name": reply["tool"],
                           "arguments": json.dumps(reply["input"]), "status": "completed", **({"namespace": reply["namespace"]} if reply["namespace"] else {})}
        else:
            item = {"type": "message", "id": f"msg_{number}", "role": "assistant", "status": "completed",
                    "content": [{"type": "output_text", "text": reply["text"], "annotations": []}]}
        usage = {"input_tokens": tokens, "input_tokens_details": {"cached_tokens": 0}, "output_tokens": 20, "total_tokens": tokens + 20,
                 "output_tokens_details": {"reasoning_tokens": 0}}
        response = {"id": f"resp_{number}", "object": "response", "model": request.body.get("model"), "usage": usage}
        yield {"type": "response.created", "response": {**response, "status": "in_progress", "output": []}}
        yield {"type": "response.output_item.added", "output_index": 0, "item": item}
        yield {"type": "response.output_item.done", "output_index": 0, "item": item}
        yield {"type": "response.completed", "response": {**response, "status": "completed", "output": [item]}}


class _Handler(BaseHTTPRequestHandler):
    """HTTP around a script: generations as a stream of events, the rest as small JSON."""

    protocol_version = "HTTP/1.1"
    server: Model

    def log_message(self, *_: object) -> None:
        pass

    def do_GET(self) -> None:
        self._json({"object": "list", "data": [], "models": [], "has_more": False})

    do_HEAD = do_GET

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        path = self.path.split("?")[0]
        if path != self.server.endpoint:
            return self._json({"input_tokens": len(raw) // 4} if path.endswith("/count_tokens") else {})
        request = self.server.take(json.loads(raw))
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        self.close_connection = True
        for event in self.server.events(request):
            self.wfile.write(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode())
            self.wfile.flush()
        request.answered = time.monotonic()

    def _json(self, value: dict[str, Any]) -> None:
        data = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)


def strings(value: Any) -> list[str]:
    """All words in a JSON value, in order."""
    if isinstance(value, str):
        return [value]
    parts: Sequence[Any] = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for part in parts for text in strings(part)]
