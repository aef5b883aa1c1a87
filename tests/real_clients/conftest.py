"""Fixtures of the runs with the real clients, and the tables at the end of a run."""
from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from .clients import TIMES
from .places import Place

SEEN: list[tuple[str, str, str]] = []  # (client, what was to be shown, what the client's requests showed)


@pytest.fixture(scope="session", autouse=True)
def installed() -> str:
    """The folder of the clients. Whoever asks for these tests must have it: nothing is skipped."""
    folder = os.environ.get("REAL_CLIENTS", "")
    if not Path(folder, "node_modules").is_dir():
        pytest.exit("REAL_CLIENTS names no folder of clients: see tests/real_clients/README.md", returncode=2)
    return folder


@pytest.fixture(scope="module")
def new_place(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Place]:
    """Makes places: a home of its own and repositories beside it."""
    return lambda **env: Place(tmp_path_factory.mktemp("place"), env)


@pytest.fixture
def place(new_place: Callable[..., Place]) -> Place:
    return new_place()


@pytest.fixture
def seen(request: pytest.FixtureRequest) -> Callable[[str], None]:
    """Puts what a test saw into the table, beside its name."""
    given = request.node.callspec.params if hasattr(request.node, "callspec") else {}
    client = given["player"].name if "player" in given else "Codex" if "codex" in request.module.__name__ else "Claude Code"
    what = request.node.originalname.removeprefix("test_").replace("_", " ")
    more = "".join(f" ({value})" for key, value in given.items() if key != "player")
    return lambda value: SEEN.append((client, what + more, value))


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """The two tables of README.md."""
    if SEEN:
        terminalreporter.write_line("\n| client | shown | seen |\n|---|---|---|\n" + "\n".join(f"| {a} | {b} | {c} |" for a, b, c in SEEN))
    if TIMES:
        bare = _bare_ms()
        terminalreporter.write_line(f"\nHooks as Claude Code saw them; `python -I -c 'import sqlite3, json'` in the same minute: {bare:.0f} ms.\n\n"
                                    "| event | runs | median ms | longest ms | median / bare |\n|---|---|---|---|---|")
        for event, times in sorted(TIMES.items()):
            middle = statistics.median(times)
            terminalreporter.write_line(f"| {event} | {len(times)} | {middle:.0f} | {max(times):.0f} | {middle / bare:.1f} |")


def _bare_ms() -> float:
    """Median wall time of the bare interpreter."""
    taken = []
    for _ in range(15):
        start = time.perf_counter()
        subprocess.run([sys.executable, "-I", "-c", "import sqlite3, json"], check=True, timeout=60)
        taken.append((time.perf_counter() - start) * 1000)
    return statistics.median(taken)
