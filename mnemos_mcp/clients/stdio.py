"""A client of a stdio MCP server that speaks the plain lines of protocol 2025-11-25: start, list, call, end."""
from __future__ import annotations

import json
import queue
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from ..errors import MnemosError

PROTOCOL = "2025-11-25"
START_S = 30.0  # what clients allow
CALL_S = 15.0


class ServerFault(MnemosError):
    """The server did not start or did not answer; the message says what it said."""


class Stdio:
    """One server process. Use as a context; leaving it ends the process."""

    def __init__(self, command: Sequence[str], env: Mapping[str, str], cwd: str):
        try:
            self._process = subprocess.Popen(command, env=dict(env), cwd=cwd, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        except OSError as error:
            raise ServerFault(f"{command[0]} cannot be started ({error.strerror})") from error
        self._lines: queue.Queue[bytes | None] = queue.Queue()
        self._said = b""
        self._id = 0
        self._threads = [threading.Thread(target=work, daemon=True) for work in (self._read, self._listen)]
        for thread in self._threads:
            thread.start()

    def __enter__(self) -> Stdio:
        return self

    def __exit__(self, *_: Any) -> None:
        with suppress(OSError):  # it ended by itself
            self._process.stdin.close()  # type: ignore[union-attr]
        try:
            self._process.wait(2)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def start(self) -> dict[str, Any]:
        """The handshake; what the server says of itself. Raises ServerFault."""
        about = self.ask("initialize", {"protocolVersion": PROTOCOL, "capabilities": {}, "clientInfo": {"name": "mnemos-doctor", "version": "1"}}, START_S)
        self._send({"method": "notifications/initialized"})
        return about

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """The structured reply of a tool. Raises ServerFault, with the tool's own sentence when it refused."""
        result = self.ask("tools/call", {"name": tool, "arguments": arguments})
        if result.get("isError"):
            raise ServerFault(" ".join(part.get("text", "") for part in result.get("content", ())) or f"{tool} failed")
        reply = result.get("structuredContent")
        return reply if isinstance(reply, dict) else {}

    def ask(self, method: str, params: dict[str, Any], patience_s: float = CALL_S) -> dict[str, Any]:
        """The result of a request. Raises ServerFault."""
        self._id += 1
        self._send({"id": self._id, "method": method, "params": params})
        until = time.monotonic() + patience_s
        while True:
            try:
                line = self._lines.get(timeout=max(0.0, until - time.monotonic()))
            except queue.Empty:
                raise ServerFault(f"no answer to {method} within {patience_s:.0f} s") from None
            if line is None:
                raise ServerFault(self._last_words(method))
            try:
                message = json.loads(line)
            except ValueError:
                raise ServerFault(f"something else than MCP came on its stdout: {line[:80]!r}") from None
            if message.get("id") == self._id:
                if "error" in message:
                    raise ServerFault(str(message["error"].get("message", message["error"])))
                result = message.get("result")
                return result if isinstance(result, dict) else {}

    def _send(self, message: dict[str, Any]) -> None:
        try:
            self._process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")  # type: ignore[union-attr]
            self._process.stdin.flush()  # type: ignore[union-attr]
        except OSError:
            raise ServerFault(self._last_words(str(message["method"]))) from None

    def _last_words(self, method: str) -> str:
        self._process.wait(5)
        self._threads[1].join(1)
        last = self._said.decode("utf-8", "replace").strip().splitlines()[-1:]
        return f"it ended with code {self._process.returncode} before it answered {method}" + (f": {last[0][:200]}" if last else "")

    def _read(self) -> None:
        for line in self._process.stdout or ():
            self._lines.put(line)
        self._lines.put(None)

    def _listen(self) -> None:
        for line in self._process.stderr or ():
            self._said = (self._said + line)[-4000:]
