"""The memory behind the server: opened late and once, its failure said without its place, looked after while it is quiet."""
from __future__ import annotations

import threading
from typing import Any

import pytest

from mnemos_mcp import opening
from mnemos_mcp.errors import StoreUnavailable
from mnemos_mcp.opening import OpenMemory, without_folders
from mnemos_mcp.tools import FORGET, HEALTH, STATS, STORE


class Engine:
    """Records what it is asked; `work` pieces are due."""

    def __init__(self, work: int = 0):
        self.asked: list[tuple[Any, ...]] = []
        self.work, self.looked, self.pieces = work, threading.Event(), 0

    def store(self, *args: Any, **kwargs: Any) -> str:
        self.asked.append((args, kwargs))
        return "stored"

    def forget(self, memory_id: str, *, erase: bool = False) -> str:
        return f"{memory_id} {erase}"

    def stats(self) -> str:
        return "stats"

    def idle(self) -> bool:
        self.pieces += 1
        if self.pieces > self.work:
            self.looked.set()
        return self.pieces <= self.work

    def close(self) -> None:
        self.asked.append(("closed",))


def memory_of(engine: Any) -> OpenMemory:
    return OpenMemory(lambda: engine)


def test_it_is_opened_once_by_the_first_call() -> None:
    opened: list[Engine] = []

    def open_engine() -> Any:
        opened.append(Engine())
        return opened[-1]

    memory = OpenMemory(open_engine)
    assert not opened
    assert memory.call(STATS, {}) == memory.call(STATS, {}) == "stats"
    assert memory.call(FORGET, {"id": "abc", "erase": True}) == "abc True"
    assert len(opened) == 1


def test_one_connection_is_one_session_unless_told_otherwise() -> None:
    engine = Engine()
    memory = memory_of(engine)
    memory.call(STORE, {"content": "a"})
    memory.call(STORE, {"content": "b", "session": "mine"})
    assert engine.asked == [(("a",), {"session": memory.session}), (("b",), {"session": "mine"})]
    assert memory.session != memory_of(engine).session


def test_a_store_that_cannot_be_opened_is_named_without_its_folder_and_tried_again() -> None:
    failures: list[Exception] = [StoreUnavailable("/home/ann/data/mnemos.db cannot be opened: disk full."), RuntimeError("/home/ann secret"),
                                 StoreUnavailable("/home/ann/data/mnemos.db cannot be opened: disk full.")]

    def open_engine() -> Any:
        if failures:
            raise failures.pop(0)
        return Engine()

    memory = OpenMemory(open_engine)
    with pytest.raises(StoreUnavailable, match=r"^mnemos.db cannot be opened: disk full\.$"):
        memory.call(STATS, {})
    with pytest.raises(StoreUnavailable, match=r"RuntimeError") as caught:
        memory.call(STATS, {})
    assert "secret" not in str(caught.value)
    health = memory.call(HEALTH, {})
    assert health.status == "fail" and "/home/ann/data/mnemos.db" in health.checks[0].detail
    assert memory.call(STATS, {}) == "stats"


def test_paths_of_every_kind_lose_their_folders() -> None:
    assert without_folders("/a/b.db is locked; 3/4 done") == "b.db is locked; 3/4 done"
    assert without_folders(r"C:\Users\ann\m.db is locked") == "m.db is locked"


def test_quiet_time_is_used_piece_by_piece_and_only_when_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening, "QUIET_S", 0.01)
    monkeypatch.setattr(opening, "BETWEEN_PIECES_S", 0.001)
    engine = Engine(work=3)
    memory = memory_of(engine)
    memory.start_idling()
    assert engine.pieces == 0
    memory.call(STATS, {})
    assert engine.looked.wait(10)
    memory.close()
    assert engine.pieces == 4 and engine.asked == [("closed",)]
