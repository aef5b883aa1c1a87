"""The real programs, each in a fresh home and repository, offline: their only address is a scripted model on loopback."""
from __future__ import annotations

import json
import os
import queue
import subprocess
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .models import Model
from .places import END_S, Place

TURN_S = 180.0  # the longest that one turn may take on a busy machine
DUMMY_KEY = "sk-ant-dummy-for-an-offline-run"
TIMES: dict[str, list[float]] = {}  # milliseconds of every hook that Claude Code ran, by event, as its own output tells

def program(folder: str, name: str) -> str:
    """The client's own binary inside the folder that install.sh filled."""
    pattern = {"claude": "@anthropic-ai/claude-code-*/claude", "codex": "@openai/codex-*/vendor/*/bin/codex"}[name]
    found = sorted((Path(folder) / "node_modules").glob(pattern))
    if not found:
        raise FileNotFoundError(f"no {name} in {folder}: run install.sh {folder}")
    return str(found[0])


@dataclass
class Event:
    """One line of a client's JSON output and when it came."""

    at: float
    data: dict[str, Any]


class Client:
    """A running client whose stdout is lines of JSON. Every wait has a deadline; it is ended by its pid."""

    def __init__(self, argv: list[str], cwd: Path, env: dict[str, str]):
        self.started = time.monotonic()
        self.events: list[Event] = []
        self.errors: list[str] = []
        self._lines: queue.Queue[Event | None] = queue.Queue()
        self.process = subprocess.Popen(argv, cwd=cwd, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for work in (self._read, self._drain):
            threading.Thread(target=work, daemon=True).start()

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.leave()

    def until(self, wanted: Callable[[dict[str, Any]], bool], seconds: float = TURN_S) -> dict[str, Any]:
        """The next event that is wanted. TimeoutError, with what stood on stderr, when none comes."""
        deadline = time.monotonic() + seconds
        while True:
            try:
                event = self._lines.get(timeout=max(0.0, deadline - time.monotonic()))
            except queue.Empty:
                raise TimeoutError(f"the client said nothing in {seconds:.0f} s; stderr: {self.errors[-20:]}") from None
            if event is None:
                raise EOFError(f"the client ended; stderr: {self.errors[-20:]}")
            self.events.append(event)
            if wanted(event.data):
                return event.data

    def leave(self) -> int:
        """Close its stdin and let it go by itself, so that its last hooks run; the exit code."""
        assert self.process.stdin
        self.process.stdin.close()
        try:
            return self.process.wait(END_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return self.process.wait(END_S)

    def _read(self) -> None:
        for line in self.process.stdout or ():
            self._lines.put(Event(time.monotonic(), json.loads(line) if line.startswith("{") else {"stray": line}))
        self._lines.put(None)

    def _drain(self) -> None:
        self.errors += self.process.stderr or ()


def ask(place: Place, folder: Path, name: str, *words: str) -> str:
    """What a client's own command prints, such as `claude mcp list`."""
    done = subprocess.run([program(os.environ["REAL_CLIENTS"], name), *words], cwd=folder, env=place.environment(), capture_output=True, text=True,
                          timeout=END_S)
    return done.stdout


def claude_environment(place: Place, model: Model) -> dict[str, str]:
    return place.environment(ANTHROPIC_BASE_URL=model.url, ANTHROPIC_API_KEY=DUMMY_KEY, IS_SANDBOX="1", DISABLE_AUTOUPDATER="1", DISABLE_TELEMETRY="1",
                             DISABLE_ERROR_REPORTING="1", CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC="1")


class Claude(Client):
    """Claude Code, many turns in one process: stream-json both ways."""

    def __init__(self, place: Place, folder: Path, model: Model, *options: str, **env: str):
        super().__init__([program(os.environ["REAL_CLIENTS"], "claude"), "-p", "--verbose", "--input-format", "stream-json", "--output-format", "stream-json",
                          "--include-hook-events", "--dangerously-skip-permissions", "--debug-file", str(place.root / "claude.log"), *options],
                         folder, {**claude_environment(place, model), **env})

    def say(self, text: str) -> dict[str, Any]:
        """One turn of the user; the result event."""
        assert self.process.stdin
        self.process.stdin.write(json.dumps({"type": "user", "message": {"role": "user", "content": text}}) + "\n")
        self.process.stdin.flush()
        return self.turn()

    def turn(self) -> dict[str, Any]:
        """The end of a turn that is under way or starts by itself; the result event."""
        return self.until(lambda data: data.get("type") == "result")

    def hooks(self, event: str = "") -> list[dict[str, Any]]:
        """What the hooks of an event (of all) answered, in order: stdout, stderr, exit_code. Not told of PreCompact, PostCompact and SessionEnd."""
        return [e.data for e in self.events if e.data.get("subtype") == "hook_response" and event in ("", e.data["hook_event"])]

    def leave(self) -> int:
        started: dict[str, float] = {}
        prompts = 0
        for e in self.events:
            if e.data.get("subtype") == "hook_started":
                started[e.data["hook_id"]] = e.at
            if e.data.get("subtype") == "hook_response":
                prompts += e.data["hook_event"] == "UserPromptSubmit"
                name = e.data["hook_name"] + (" (first prompt)" if e.data["hook_name"] == "UserPromptSubmit" and prompts == 1 else "")
                TIMES.setdefault(name, []).append((e.at - started[e.data["hook_id"]]) * 1000)
        return super().leave()


class Codex(Client):
    """Codex CLI, one turn a process (`codex exec`). `resume`: the id of the session that goes on."""

    def __init__(self, place: Place, folder: Path, model: Model, prompt: str, *settings: str, resume: str = "", **env: str):
        provider = {"name": "rig", "base_url": f"{model.url}/v1", "wire_api": "responses", "env_key": "RIG_KEY", "request_max_retries": 0,
                    "stream_max_retries": 0, "supports_websockets": False}
        pairs = ['model="rig-model"', 'model_provider="rig"', "check_for_update_on_startup=false", "analytics.enabled=false",
                 f'projects."{folder}".trust_level="trusted"', *(f"model_providers.rig.{k}={json.dumps(v)}" for k, v in provider.items()), *settings]
        words = ["exec", "--json", "--dangerously-bypass-approvals-and-sandbox", "--dangerously-bypass-hook-trust"]
        words += [word for pair in pairs for word in ("-c", pair)]
        words += ["resume", resume, prompt] if resume else [prompt]
        super().__init__([program(os.environ["REAL_CLIENTS"], "codex"), *words], folder, place.environment(RIG_KEY="dummy", **env))
        assert self.process.stdin
        self.process.stdin.close()

    def finish(self) -> int:
        """Wait for the end of the turn and of the process; the exit code."""
        try:
            self.until(lambda data: False)
        except EOFError:
            return self.process.wait(END_S)
        raise AssertionError("unreachable")
