"""Fixtures: a clock that is an argument, a store on a real file, an engine with the built-in model."""
from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from mnemos_mcp.blas import single_thread

# Before any test module is collected: one of them that loads numpy first leaves the whole process with a thread a core, which costs embeddings four times the time.
single_thread()

DAY = 86400.0
NOVEMBER = 1793491200.0  # 2026-11-01T00:00:00Z


class Clock:
    """A clock that only a test moves."""

    def __init__(self, now: float = NOVEMBER):
        self.now = now

    def __call__(self) -> float:
        return self.now

    def forward(self, days: float = 0.0, seconds: float = 0.0) -> float:
        self.now += days * DAY + seconds
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def ids() -> Callable[[], str]:
    """Ids that a test can foresee."""
    counter = itertools.count(1)
    return lambda: f"{next(counter):012x}"


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "mnemos.db")


@pytest.fixture
def open_store(clock: Clock) -> Iterator[Callable[..., Any]]:
    """Opens stores that are closed at the end."""
    from mnemos_mcp.storage.sqlite import SqliteStore
    opened: list[SqliteStore] = []

    def make(where: str, **kwargs: Any) -> SqliteStore:
        opened.append(SqliteStore(where, clock=clock, **kwargs))
        return opened[-1]

    yield make
    for store in opened:
        store.close()


@pytest.fixture(scope="session")
def builtin() -> Any:
    """The built-in model, loaded once a test process. The routine phrases, of which every new file wants the vectors, are embedded once too:
    that alone is half a second a test."""
    from mnemos_mcp.mechanisms.routines import ROUTINES
    from mnemos_mcp.providers.embed import BuiltinEmbedder
    routines: list[Any] = []

    class Builtin(BuiltinEmbedder):
        def embed(self, texts: Any, *, deadline_s: float | None = None) -> Any:
            if list(texts) != list(ROUTINES):
                return super().embed(texts, deadline_s=deadline_s)
            routines[:] = routines or super().embed(texts)
            return list(routines)

    return Builtin()


@pytest.fixture
def open_engine(clock: Clock, builtin: Any) -> Iterator[Callable[..., Any]]:
    """Engines of the Python door on a file or ':memory:', with the built-in model unless told otherwise."""
    from mnemos_mcp.config import MnemosConfig
    from mnemos_mcp.runtime import open_for_python
    opened: list[Any] = []

    def make(where: str = ":memory:", **kwargs: Any) -> Any:
        config = kwargs.pop("config", None) or MnemosConfig(store=where)
        kwargs.setdefault("embedder", builtin)
        opened.append(open_for_python(config, clock=clock, **kwargs))
        return opened[-1]

    yield make
    for engine in opened:
        engine.close()


@pytest.fixture
def engine(open_engine: Callable[..., Any]) -> Any:
    return open_engine()


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user with nothing set, standing in a project folder of their own; the database is tmp_path/data/mnemos.db."""
    for name in list(os.environ):
        if name.startswith(("MNEMOS_", "CLAUDE", "XDG_", "OLLAMA")):
            monkeypatch.delenv(name)
    folder = tmp_path / "home" / "ledger"
    folder.mkdir(parents=True)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("MNEMOS_SQLITE_PATH", str(tmp_path / "data" / "mnemos.db"))
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def open_doors(place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, builtin: Any) -> Iterator[Callable[..., Any]]:
    """Tool, command and API on one file, with the built-in model (loaded once) or without an embedder."""
    import doors
    opened: list[Any] = []

    def make(*, words_only: bool = False) -> Any:
        monkeypatch.setenv("MNEMOS_EMBEDDING_PROVIDER", "none" if words_only else "builtin")
        monkeypatch.setattr("mnemos_mcp.providers.embed.BuiltinEmbedder", lambda **_: builtin)
        found = doors.open_doors(str(tmp_path / "data" / "mnemos.db"), place, None if words_only else builtin)
        opened.append(found["api"].engine)
        return found

    yield make
    for engine in opened:
        engine.close()
