"""A line client for MCP servers over stdio, just enough to time them: requests one after the other, memory of the process."""
from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from typing import Any

# The baseline of every figure: one tool that gives back what it got, on the same SDK.
EMPTY = """
from typing import Any
from mcp.server.mcpserver import MCPServer
server = MCPServer("empty")
@server.tool()
def echo(text: str) -> dict[str, Any]:
    return {"text": text}
server.run()
"""


class Wire:
    """One server process."""

    def __init__(self, args: list[str], env: dict[str, str], cwd: str):
        self.started = time.perf_counter()
        self.process = subprocess.Popen([sys.executable, *args], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                        env={**os.environ, **env}, cwd=cwd)
        self.count = 0

    def request(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        self.count += 1
        line = json.dumps({"jsonrpc": "2.0", "id": self.count, "method": method, "params": params or {}}) + "\n"
        self.process.stdin.write(line.encode())
        self.process.stdin.flush()
        while True:
            reply = json.loads(self.process.stdout.readline())
            if reply.get("id") == self.count:
                return reply["result"]

    def start(self) -> float:
        """Handshake and tools/list; seconds since the process was started."""
        self.request("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}})
        self.process.stdin.write(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
        self.request("tools/list")
        return time.perf_counter() - self.started

    def call(self, tool: str, **arguments: Any) -> tuple[float, dict[str, Any]]:
        """Seconds and the structured reply."""
        begin = time.perf_counter()
        reply = self.request("tools/call", {"name": tool, "arguments": arguments})
        return time.perf_counter() - begin, reply.get("structuredContent") or reply

    def rss(self) -> float:
        """Resident memory, MiB (Linux)."""
        with open(f"/proc/{self.process.pid}/status") as status:
            return next(int(line.split()[1]) for line in status if line.startswith("VmRSS")) / 1024

    def stop(self) -> None:
        self.process.stdin.close()
        self.process.wait(10)
