"""Stand-ins for the world outside: an Ollama and an OpenAI-compatible server on loopback, speaking the real protocols.

    with serving(FakeOllama()) as server:
        server.replies.append('{"same": true}')      # the next /api/chat answers this; a callable gets the request
        server.url, server.requests                  # http://127.0.0.1:port; [(path, headers, body)]

`fault` makes every POST fail: off-protocol answers, wrong sizes, silence. Silence lasts until the server closes, so a test of a
timeout gives a tiny timeout and never sleeps.
"""

import hashlib
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Vector = Callable[[str], list[float]]


def words_vector(text: str, size: int = 16) -> list[float]:
    """A repeatable vector of the words of a text; the same words, the same vector. Not of length 1 on purpose."""
    vector = [0.0] * size
    for word in text.lower().split() or [""]:
        vector[hashlib.sha256(word.encode()).digest()[0] % size] += 2.0
    return vector


class FakeServer:
    """What both share. `fault`: status number, "silent", "garbage", "not an object", "few", "short", "nan", "zero", "redirect"."""

    def __init__(self, vector: Vector = words_vector):
        self.vector, self.fault, self.replies, self.requests = vector, None, list[Any](), list[tuple[str, dict[str, str], Any]]()
        self.url, self.closing = "", threading.Event()

    def get(self, path: str) -> Any:
        """The reply to a GET; text is sent as it is, None is a 404."""
        return None

    def post(self, path: str, body: dict[str, Any]) -> Any:
        """The reply to a POST; a list is streamed line by line, None is a 404."""
        return None

    def vectors(self, texts: list[str]) -> list[list[float]]:
        """One vector a text, or what `fault` makes of them."""
        found = [self.vector(text) for text in texts]
        match self.fault:
            case "few":
                return found[1:]
            case "short":
                return [vector[:-1] for vector in found]
            case "nan":
                return [[float("nan")] * len(vector) for vector in found]
            case "zero":
                return [[0.0] * len(vector) for vector in found]
        return found


class FakeOllama(FakeServer):
    """`/api/embed`, `/api/chat` (scripted), `/api/tags`, `/api/show`, `/api/version`, `/api/ps`."""

    def __init__(self, models: tuple[str, ...] = ("qwen3:8b", "qwen3-embedding:4b"), vector: Vector = words_vector):
        super().__init__(vector)
        self.models = models

    def get(self, path: str) -> Any:
        stamp = {"modified_at": "2026-11-30T12:00:00.123456789+01:00", "size": 1, "digest": "0" * 64, "details": {"family": "fake"}}
        known = [{"name": name, "model": name, **stamp} for name in self.models]
        return {"/": "Ollama is running", "/api/version": {"version": "0.12.0"}, "/api/tags": {"models": known}, "/api/ps": {"models": []}}.get(path)

    def post(self, path: str, body: dict[str, Any]) -> Any:
        if body.get("model") not in self.models:
            return 404, {"error": f"model '{body.get('model')}' not found"}
        if path == "/api/show":
            return {"capabilities": ["completion", "embedding"], "model_info": {"fake.embedding_length": len(self.vector("size"))}, "details": {}}
        if path == "/api/embed":
            texts = [body["input"]] if isinstance(body["input"], str) else body["input"]
            return {"model": body["model"], "embeddings": self.vectors(texts), "prompt_eval_count": len(texts)}
        return self.chat(body) if path == "/api/chat" else None

    def chat(self, body: dict[str, Any]) -> Any:
        """The next of `replies` (text, a callable of the request, or (status, body)); {} as text when there is none left."""
        reply = self.replies.pop(0) if self.replies else "{}"
        reply = reply(body) if callable(reply) else reply
        if not isinstance(reply, str):
            return reply
        whole = {"model": body["model"], "created_at": "2026-11-30T12:00:00.123456789Z", "done_reason": "stop", "done": True}
        if body.get("stream", True):
            parts = [reply[: len(reply) // 2], reply[len(reply) // 2 :]]
            lines: list[Any] = [{**whole, "done": False, "message": {"role": "assistant", "content": part}} for part in parts]
            return [*lines, {**whole, "message": {"role": "assistant", "content": ""}}]
        return {**whole, "message": {"role": "assistant", "content": reply}}


class FakeOpenAI(FakeServer):
    """`/v1/embeddings` and `/v1/chat/completions` (scripted). With `key` every request must carry it."""

    def __init__(self, key: str = "", vector: Vector = words_vector):
        super().__init__(vector)
        self.key = key

    def post(self, path: str, body: dict[str, Any]) -> Any:
        if self.key and self.requests[-1][1].get("authorization") != f"Bearer {self.key}":
            return 401, {"error": {"message": f"Incorrect API key provided: {self.requests[-1][1].get('authorization')}"}}
        if path == "/v1/embeddings":
            texts = [body["input"]] if isinstance(body["input"], str) else body["input"]
            rows = [{"object": "embedding", "index": number, "embedding": row} for number, row in enumerate(self.vectors(texts))]
            return {"object": "list", "model": body["model"], "data": rows[::-1]}  # the order is the index, not the place
        if path == "/v1/chat/completions":
            reply = self.replies.pop(0) if self.replies else "{}"
            reply = reply(body) if callable(reply) else reply
            choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": reply}}
            return {"id": "fake", "object": "chat.completion", "choices": [choice]} if isinstance(reply, str) else reply
        return None


@contextmanager
def serving(fake: Any) -> Iterator[Any]:
    """Serves on a free port of loopback until the block ends."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (Handler,), {"fake": fake}))
    server.daemon_threads = True
    fake.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield fake
    finally:
        fake.closing.set()
        server.shutdown()
        thread.join()
        server.server_close()


class Handler(BaseHTTPRequestHandler):
    """HTTP around a FakeServer."""

    fake: FakeServer
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: Any) -> None:
        """Quiet."""

    def do_GET(self) -> None:
        self.fake.requests.append((self.path, self.lower_headers(), None))
        self.answer(self.fake.get(self.path))

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)) or b"{}")
        self.fake.requests.append((self.path, self.lower_headers(), body))
        fault = self.fake.fault
        if fault == "silent":
            self.fake.closing.wait()
            self.close_connection = True
        elif fault == "garbage":
            self.send(200, b"<html>a proxy says hello</html>", "text/html")
        elif fault == "not an object":
            self.send(200, b"[1, 2]")
        elif fault == "redirect":
            self.send(307, b"", location=f"{self.fake.url}/elsewhere")
        elif isinstance(fault, int):
            self.send(fault, json.dumps({"error": f"fault {fault}"}).encode())
        else:
            self.answer(self.fake.post(self.path, body))

    def lower_headers(self) -> dict[str, str]:
        return {name.lower(): value for name, value in self.headers.items()}

    def answer(self, reply: Any) -> None:
        """A fake's reply, see FakeServer.get and post."""
        if reply is None:
            self.send(404, b'{"error": "404 page not found"}')
        elif isinstance(reply, str):
            self.send(200, reply.encode(), "text/plain")
        elif isinstance(reply, tuple):
            self.send(reply[0], json.dumps(reply[1]).encode())
        elif isinstance(reply, list):
            self.send(200, b"".join(json.dumps(line).encode() + b"\n" for line in reply), "application/x-ndjson")
        else:
            self.send(200, json.dumps(reply).encode())

    def send(self, status: int, data: bytes, kind: str = "application/json", location: str = "") -> None:
        self.send_response(status)
        if location:
            self.send_header("Location", location)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)
