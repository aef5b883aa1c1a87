"""Rules of a scope at the time of a store: caps and retention days send the least retained to the archive, in that scope alone, and say so."""
from dataclasses import replace

import pytest

from mnemos_mcp.config import MnemosConfig
from mnemos_mcp.keeping import keep_within
from mnemos_mcp.mechanisms.scopes import Governance
from mnemos_mcp.model import GLOBAL

FACTS = [f"The {name} service listens on port {port}." for name, port in (("ledger", 7101), ("search", 7102), ("mail", 7103), ("report", 7104), ("auth", 7105), ("cache", 7106))]


def governed(open_engine, **rules):
    return open_engine(config=MnemosConfig(governance=Governance(**rules)), embedder=None)


def active(engine, **view):
    return {m.content for m in engine.list(limit=100, **view).memories}


def test_a_store_beyond_the_cap_archives_the_least_retained_and_says_which(open_engine, clock):
    engine = governed(open_engine, cap=3)
    ids = [engine.store(text, force=True, importance=level).id for text, level in zip(FACTS, ("medium", "low", "high"), strict=False)]
    clock.forward(days=5)
    reply = engine.store(FACTS[3], force=True)
    assert reply.stored and ids[1] in reply.note and active(engine) == {FACTS[0], FACTS[2], FACTS[3]}
    assert engine.inspect(ids[1]).memory.reason == "beyond the cap of 3"
    engine.forget(ids[0])
    assert engine.reinforce(ids[1], signal="restore").status == "active"


def test_what_was_just_stored_and_what_is_protected_never_leave_by_the_cap(open_engine):
    engine = governed(open_engine, cap=2)
    for text in FACTS[:3]:
        engine.store(text, pinned=True)
    reply = engine.store(FACTS[3], force=True, importance="low")
    assert reply.stored and active(engine) == set(FACTS[:4])


def test_a_project_that_fills_up_never_touches_a_global_memory(open_engine):
    engine = governed(open_engine)
    engine.mind = replace(engine.mind, govern=lambda scope: Governance(cap=2 if scope.level == "project" else 1))
    engine.store("Prefer tabs in Go files.", scope="global", force=True)
    for text in FACTS:
        engine.store(text, force=True)
    assert active(engine, scope="global") == {"Prefer tabs in Go files."} and len(active(engine, scope="project")) == 2


def test_retention_days_are_looked_at_once_a_day_by_a_store(open_engine, clock):
    engine = governed(open_engine, retention_days=30)
    engine.store(FACTS[0], force=True)
    clock.forward(days=31)
    reply = engine.store(FACTS[1], force=True)
    assert active(engine) == {FACTS[1]} and "to the archive" in reply.note
    clock.forward(seconds=60)
    assert "to the archive" not in engine.store(FACTS[2], force=True).note


def test_a_scope_with_room_costs_one_count_and_a_large_one_is_read_once_for_several_stores(open_engine):
    engine = governed(open_engine, cap=400)
    for n in range(401):
        engine.store(f"Shard {n} of the index is kept on host h{n * 7}.", force=True)
    assert engine.list().total == 398  # two more than had to go, for the next stores
    writes, store = [], engine.mind.store
    engine.mind = replace(engine.mind, store=type("Watched", (), {"__getattr__": lambda _, name: (writes.append(name), getattr(store, name))[1]})())
    assert keep_within(GLOBAL, "", engine.mind) == () and writes == ["browse"]


@pytest.mark.parametrize("cap", [0, 5])
def test_sleep_keeps_to_the_cap_with_the_facts_of_the_same_run(open_engine, clock, cap):
    engine = governed(open_engine, cap=cap)
    for text in FACTS[:5]:
        engine.store(text, force=True)
    clock.forward(days=1)
    engine.store("Yes, go on", session="s")
    pending = engine.consolidate(dry_run=True).pending
    engine.consolidate(facts=[{"content": "They said to go on", "from": [pending[0]["id"]]}])
    assert engine.list().total == (cap or 6)
