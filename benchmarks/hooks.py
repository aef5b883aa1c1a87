"""Wall time of each hook as a ratio to `python -I -c "import sqlite3, json"`, interleaved in one run, on a store of 5,000 memories.

    python benchmarks/hooks.py   (mnemos-mcp installed) [--memories 5000] [--runs 15] [--launcher]

"Something unread": another session was killed before the worker had judged what was said in it. Files are in
the system's cache; each hook is a process with the payload on stdin, as a client runs it. `--launcher` goes by hooks/mnemos-hook.
"""
from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from speed import question, statement

from mnemos_mcp import MnemosConfig
from mnemos_mcp.providers.embed import BuiltinEmbedder
from mnemos_mcp.runtime import open_for_python

BASELINE = [sys.executable, "-I", "-c", "import sqlite3, json"]
LAUNCHER = Path(__file__).resolve().parent.parent / "hooks" / "mnemos-hook"
BARS = {"prompt, not the first": 2.5, "failure": 2.5, "passing command": 2.5, "stop": 2.5, "session start": 3.0, "session start, something unread": 3.0, "first prompt": 9.0}


def events(rng: random.Random) -> dict[str, Callable[[int], dict[str, Any]]]:
    """Payloads by name; `n` makes each one new."""
    return {
        "prompt, not the first": lambda n: {"hook_event_name": "UserPromptSubmit", "session_id": "known", "prompt": statement(rng)},
        "failure": lambda n: {"hook_event_name": "PostToolUseFailure", "session_id": "known", "tool_name": "Bash", "tool_use_id": f"f{n}",
                              "tool_input": {"command": f"make part{n}"}, "error": "Exit code 2\nmake: *** No rule to make target. Stop."},
        "passing command": lambda n: {"hook_event_name": "PostToolUse", "session_id": "quiet", "tool_name": "Bash", "tool_use_id": f"p{n}",
                                      "tool_input": {"command": "ls"}, "tool_response": {"stdout": "a"}},
        "stop": lambda n: {"hook_event_name": "Stop", "session_id": "known", "last_assistant_message": "Done; all tests pass."},
        "session start": lambda n: {"hook_event_name": "SessionStart", "session_id": f"start{n}", "source": "startup"},
        "session start, something unread": lambda n: {"hook_event_name": "SessionStart", "session_id": f"unread{n}", "source": "startup"},
        "first prompt": lambda n: {"hook_event_name": "UserPromptSubmit", "session_id": f"first{n}", "prompt": question(rng)},
    }


def fill(path: str, count: int, folder: str) -> None:
    """A store of made-up statements, each with its vector."""
    rng = random.Random(7)
    engine = open_for_python(MnemosConfig(store=path), embedder=BuiltinEmbedder(), project=folder)
    for _ in range(count):
        engine.store(statement(rng), force=True)
    engine.close()


def took(command: list[str], payload: dict[str, Any] | None, env: dict[str, str], folder: str) -> float:
    """Milliseconds of a whole process."""
    data = json.dumps({"cwd": folder, "prompt_id": f"{time.time_ns()}", **payload}).encode() if payload else b""
    started = time.perf_counter()
    done = subprocess.run(command, input=data, capture_output=True, env=env, cwd=folder, check=True)
    assert not done.stderr, done.stderr
    return (time.perf_counter() - started) * 1000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])  # type: ignore[union-attr]
    parser.add_argument("--memories", type=int, default=5000)
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--launcher", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        repository, config = Path(folder, "repository"), Path(folder, "config", "mnemos")
        for made in (repository, config):
            made.mkdir(parents=True)
        (config / "python").write_text(sys.executable + "\n")
        path = str(Path(folder, "mnemos.db"))
        env = {**os.environ, "MNEMOS_SQLITE_PATH": path, "XDG_CONFIG_HOME": str(config.parent)}
        fill(path, given.memories, str(repository))
        hook = [str(LAUNCHER)] if given.launcher else [sys.executable, "-EP", "-m", "mnemos_mcp.hook"]
        made = events(random.Random(11))
        times: dict[str, list[float]] = {name: [] for name in ("baseline", *made)}
        for n in range(-2, given.runs):  # the first two warm the cache
            times["baseline"].append(took(BASELINE, None, env, str(repository)))
            for name, payload in made.items():
                event = payload(n)
                if name.startswith(("session start", "first prompt")):  # waits for one that was woken before: what is measured runs alone
                    subprocess.run([sys.executable, "-EP", "-m", "mnemos_mcp.worker", "session_end", str(repository)], env=env, check=True)
                if name == "session start, something unread":
                    took([*hook, "UserPromptSubmit"], {**made["prompt, not the first"](n), "session_id": "known"}, env, str(repository))
                times[name].append(took([*hook, event["hook_event_name"]], event, env, str(repository)))
        base = statistics.median(times.pop("baseline")[2:])
        print(f"baseline {base:.1f} ms, {given.memories} memories, {given.runs} runs{', by the launcher' if given.launcher else ''}\n")
        print("| hook | ms | ratio | bar |\n|---|---|---|---|")
        for name, values in times.items():
            middle = statistics.median(values[2:])
            print(f"| {name} | {middle:.0f} | {middle / base:.2f} | {BARS[name]} |")


if __name__ == "__main__":
    main()
