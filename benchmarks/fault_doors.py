"""Servers, hooks and commands as the processes they are, all at once on one file: what each of them acknowledged is in the file afterwards, or lies
beside it where hooks put it when the file is held, until the worker takes it in."""
from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

HOOKS, COMMANDS, SERVERS = 6, 4, 2
HELLO = [{"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "harness", "version": "1"}}},
         {"jsonrpc": "2.0", "method": "notifications/initialized"}]


def decided(door: str, number: int) -> str:
    return f"We decided that pier {door}{number} is painted in colour {door}{number}c."


def started(words: list[str], given: bytes, env: dict[str, str], repository: Path) -> subprocess.Popen[bytes]:
    process = subprocess.Popen([sys.executable, "-P", *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=env, cwd=repository)
    assert process.stdin
    process.stdin.write(given)
    process.stdin.flush()
    return process


def all_at_once(folder: Path, number: int) -> tuple[Path, dict[str, str], list[str]]:
    """The database, what each door has acknowledged (its words -> the door), and what went wrong."""
    repository = folder / "repository"
    (repository / ".git").mkdir(parents=True, exist_ok=True)
    (repository / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    for part in ("objects", "refs"):
        (repository / ".git" / part).mkdir(exist_ok=True)
    database = folder / f"doors-{number}.db"
    env = {**{k: v for k, v in os.environ.items() if not k.startswith("MNEMOS_")}, "HOME": str(folder), "MNEMOS_SQLITE_PATH": str(database), "MNEMOS_INJECT": "off",
           "MNEMOS_EMBEDDING_PROVIDER": "none", "PYTHONPATH": str(Path(__file__).resolve().parent.parent)}
    running: list[tuple[str, str, subprocess.Popen[bytes]]] = []
    for n in range(max(HOOKS, COMMANDS, SERVERS)):
        if n < SERVERS:
            text = decided("server", n)
            call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "mnemos_store", "arguments": {"content": text, "force": True}}}
            running.append(("server", text, started(["-m", "mnemos_mcp", "serve"], "".join(json.dumps(m) + "\n" for m in (*HELLO, call)).encode(), env, repository)))
        if n < HOOKS:
            text = decided("hook", n)
            payload = {"hook_event_name": "UserPromptSubmit", "session_id": f"s{n}", "prompt_id": f"p{n}", "cwd": str(repository), "prompt": text}
            running.append(("hook", text, started(["-m", "mnemos_mcp.hook", "UserPromptSubmit"], json.dumps(payload).encode(), env, repository)))
        if n < COMMANDS:
            text = decided("command", n)
            running.append(("command", text, started(["-m", "mnemos_mcp", "--json", "store", text, "--force"], b"", env, repository)))
    said: dict[str, str] = {}
    wrong: list[str] = []
    for door, text, process in running:
        out = process.communicate()[0].decode("utf-8", "replace")
        if process.returncode == 0 and acknowledged(door, out):
            said[text] = door
        else:
            wrong.append(f"{door}: {out.strip()[-300:]}")
    return database, said, wrong


def acknowledged(door: str, out: str) -> bool:
    """A hook says nothing: that it ended well is its word."""
    if door == "hook":
        return not out
    lines = [json.loads(line) for line in out.splitlines() if line.startswith("{")]
    if door == "command":
        return bool(lines) and bool(lines[-1].get("stored"))
    return any(line.get("id") == 1 and line.get("result", {}).get("structuredContent", {}).get("stored") for line in lines)


def kept(database: Path) -> str:
    """Every text in the file and beside it, as one."""
    import apsw
    db = apsw.Connection(str(database))
    rows: list[tuple[Any, ...]] = db.execute("select content from memory union all select content from episode").fetchall()
    db.close()
    beside = [path.read_text("utf-8") for path in database.parent.glob(f"{database.name}-aside*")]
    return "\n".join([*(row[0] for row in rows), *beside])
