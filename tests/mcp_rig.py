"""The real MCP server as a process: a raw line client that sees every byte, and the SDK's client in both protocol eras."""
from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
SERVE = ("-c", "from mnemos_mcp.server import main; main()")
# A server whose memory answers no retrieve before the process ends: a call that is under way when the client leaves.
STUCK = ("-c", """
import threading
from mnemos_mcp import opening, server

class Engine:
    def retrieve(self, query, **rest):
        threading.Event().wait()

    def close(self):
        pass

server.main(opening.OpenMemory(Engine))
""")
TIMEOUT_S = 90.0
INITIALIZE = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "rig", "version": "1"}}


def environment(home: Path, **more: str) -> dict[str, str]:
    """The environment of a server that lives in `home` alone: no setting of the person who runs the tests reaches it."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("MNEMOS_", "CLAUDE", "XDG_", "OLLAMA"))}
    project = home / "project"
    project.mkdir(exist_ok=True)
    return {**kept, "HOME": str(home), "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "", "MNEMOS_SQLITE_PATH": str(home / "mnemos.db"),
            "CLAUDE_PROJECT_DIR": str(project), **more}


class Server:
    """One server process and a client that speaks lines. `lines` are all that it ever wrote to stdout."""

    def __init__(self, home: Path, args: Sequence[str] = SERVE, **env: str):
        self.process = subprocess.Popen([sys.executable, *args], cwd=home / "project" if (home / "project").exists() else home,
                                        env=environment(home, **env), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.lines: list[bytes] = []
        self.errors = bytearray()
        self._waiting: queue.Queue[dict[str, Any]] = queue.Queue()
        self._seen: dict[Any, dict[str, Any]] = {}
        self._next, self._reading = 0, True
        self._readers = [threading.Thread(target=self._read, daemon=True), threading.Thread(target=self._drain, daemon=True)]
        for reader in self._readers:
            reader.start()

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: Any) -> None:
        self.process.kill()
        self.process.wait(TIMEOUT_S)

    def _read(self) -> None:
        for line in iter(self.process.stdout.readline, b""):  # type: ignore[union-attr]
            self.lines.append(line)
            if not self._reading:
                return
            self._waiting.put(json.loads(line) if line[:1] == b"{" else {"stray": line.decode("utf-8", "replace")})

    def _drain(self) -> None:
        for line in self.process.stderr:  # type: ignore[union-attr]
            self.errors += line

    def raw(self, data: bytes) -> None:
        self.process.stdin.write(data)  # type: ignore[union-attr]
        self.process.stdin.flush()  # type: ignore[union-attr]

    def ask(self, method: str, params: dict[str, Any] | None = None) -> int:
        """Send a request; its id."""
        self._next += 1
        message = {"jsonrpc": "2.0", "id": self._next, "method": method, "params": params or {}}
        self.raw(json.dumps(message).encode() + b"\n")
        return self._next

    def ask_raw(self, arguments: bytes, tool: str = "mnemos_store") -> int:
        """A tool call whose arguments are exactly these bytes."""
        self._next += 1
        self.raw(b'{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"%s","arguments":%s}}\n' % (self._next, tool.encode(), arguments))
        return self._next

    def answer(self, request_id: Any) -> dict[str, Any]:
        """The message with this id, whenever it comes."""
        while request_id not in self._seen:
            message = self._waiting.get(timeout=TIMEOUT_S)
            self._seen[message.get("id")] = message
        return self._seen.pop(request_id)

    def start(self) -> dict[str, Any]:
        """The legacy handshake; its result."""
        result = self.answer(self.ask("initialize", INITIALIZE))["result"]
        self.raw(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
        return result

    def call(self, verb: str, **arguments: Any) -> dict[str, Any]:
        """The structured reply of a tool that must succeed."""
        result = self.answer(self.ask("tools/call", {"name": f"mnemos_{verb}", "arguments": arguments}))["result"]
        assert not result.get("isError"), result
        return result["structuredContent"]

    def refusal(self, verb: str, **arguments: Any) -> str:
        """The sentence of a tool that must fail."""
        result = self.answer(self.ask("tools/call", {"name": f"mnemos_{verb}", "arguments": arguments}))["result"]
        assert result.get("isError") is True, result
        return result["content"][0]["text"]

    def close_stdout(self) -> None:
        """Nobody reads any more: the reader ends with its descriptor, which closes the pipe."""
        self._reading = False
        self.ask("ping")  # wakes the reader
        self._readers[0].join(TIMEOUT_S)
        self.process.stdout.close()  # type: ignore[union-attr]

    def close_stdin(self) -> int:
        """End of stdin; the exit code."""
        self.process.stdin.close()  # type: ignore[union-attr]
        return self.process.wait(TIMEOUT_S)


@asynccontextmanager
async def sdk_client(home: Path, mode: str, **env: str) -> AsyncIterator[Any]:
    """The SDK's own client on a real server process. `mode`: "legacy" or "auto"."""
    from mcp import Client, StdioServerParameters, stdio_client
    environ = environment(home, **env)
    params = StdioServerParameters(command=sys.executable, args=list(SERVE), env=environ, cwd=environ["CLAUDE_PROJECT_DIR"])
    async with Client(stdio_client(params), mode=mode) as client:
        yield client
