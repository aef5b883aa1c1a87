"""Fixtures: a clock that is an argument, a store on a real file, an engine with the built-in model."""
from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

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
    """The built-in model, loaded once a test process."""
    from mnemos_mcp.providers.embed import BuiltinEmbedder
    return BuiltinEmbedder()


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
