"""What people look at beside the verbs: recalls taken apart, curves ahead, neighbourhoods, and what the gate let go."""
from __future__ import annotations

import pytest

from mnemos_mcp import overview
from mnemos_mcp.errors import BadInput, NotFound
from mnemos_mcp.model import SECTORS
from mnemos_mcp.writes import AddReceipt, MarkUsed, TimeHook

DAY = 86400.0


def told(engine, *texts, **more):
    return [engine.store(text, force=True, **more).id for text in texts]


@pytest.fixture
def four(engine):
    return told(engine, "The retry limit of the ledger is five.", "The cache of the ledger lives in Redis.", "Deploys of billing run on Monday.", "Petra owns the tax report.")


def test_every_candidate_has_one_gate_and_parts_that_sum_to_its_score(engine, four):
    found = overview.taken_apart(engine, "what is the retry limit of the ledger?")
    assert found.rows == 4 and {w.recalled.id for w in found.candidates} == set(four)
    assert found.candidates[0].gate == "recalled" and {w.recalled.id: w.gate for w in found.candidates}[four[0]] == "recalled"
    for w in found.candidates:
        assert sum(w.recalled.why.values()) == pytest.approx(w.recalled.score, abs=1e-9)
        assert (w.gate == "recalled") == (not w.reason) == (w.recalled.id in {m.id for m in found.retrieved.memories})


def test_what_is_taken_apart_is_what_retrieve_returns_and_nothing_is_counted(engine, four):
    apart = overview.taken_apart(engine, "retry limit of the ledger")
    assert engine.stats().recalls == 0
    same = engine.retrieve("retry limit of the ledger", reconsolidate=False)
    assert [(m.id, m.score) for m in apart.retrieved.memories] == [(m.id, m.score) for m in same.memories]


def test_off_topic_every_candidate_is_held_by_the_floor_with_its_evidence(engine, four):
    found = overview.taken_apart(engine, "how long does sourdough bread rise?")
    assert found.retrieved.memories == () and {w.gate for w in found.candidates} == {"floor"}
    measured = [w for w in found.candidates if w.evidence is not None]
    assert measured and all(w.evidence < w.needed for w in measured)


def test_packing_says_what_it_left_out(engine):
    told(engine, *(f"The invoice export of tenant {n} runs at {n} o'clock." for n in range(1, 7)))
    found = overview.taken_apart(engine, "when does the invoice export of a tenant run?", limit=2)
    assert len(found.retrieved.memories) == 2
    assert [w.gate for w in found.candidates].count("packing") >= 1 and all(w.reason for w in found.candidates if w.gate == "packing")


def test_as_of_takes_the_recall_of_that_day_apart(engine, clock):
    engine.store("The staging server is heron.", key="staging", force=True)
    clock.forward(days=100)
    engine.store("The staging server is ibis.", key="staging", force=True)
    then = overview.taken_apart(engine, "staging server", as_of=clock.now - 50 * DAY)
    assert [m.content for m in then.retrieved.memories] == ["The staging server is heron."]
    assert [m.content for m in overview.topics(engine)] == ["The staging server is ibis."]
    assert overview.since(engine) == clock.now - 100 * DAY


def test_a_curve_falls_crosses_the_floor_when_it_says_and_is_lifted_by_use(engine, clock):
    low = engine.store("The demo tenant is called Aalto Oy.", importance="low", force=True).id
    curve = overview.curves(engine, [low], days=365)[0]
    shares = [share for _, share in curve.points]
    assert shares == sorted(shares, reverse=True) and all(again >= once for (_, once), (_, again) in zip(curve.points, curve.reinforced, strict=True))
    assert curve.fades_at < curve.fades_at_reinforced
    going, months = overview.fading(engine, days=365)
    assert [(m.id, at) for m, at in going] == [(low, curve.fades_at)] and sum(months.values()) == 1
    clock.now = curve.fades_at + 1
    assert engine.consolidate().archived[0][0] == low


def test_what_is_protected_never_fades(engine):
    pinned = engine.store("Never log card numbers.", pinned=True, force=True).id
    assert overview.curves(engine, [pinned])[0].fades_at is None and overview.fading(engine, days=3650)[0] == []


def test_what_the_gate_let_go_is_kept_in_its_own_words_with_its_own_origin(engine):
    assert engine.store("ok thanks, looks good", origin="tool").outcome == "not_news"
    episode = overview.heard(engine)[0]
    kept = overview.keep(engine, episode.id)
    memory = engine.inspect(kept.id).memory
    assert (memory.content, memory.origin) == ("ok thanks, looks good", "tool")
    assert [(e.status, e.memory_id) for e in overview.heard(engine)] == [("consolidated", kept.id)]
    with pytest.raises(NotFound):
        overview.keep(engine, "nothing")


def test_the_neighbourhood_begins_with_the_memory_itself_and_holds_no_tie_to_what_is_not_in_it(engine, four):
    for _ in range(2):
        engine.retrieve("ledger retry limit and cache", limit=3)
    memories, edges = overview.around(engine, four[0])
    ids = {m.id for m in memories}
    assert memories[0].id == four[0] and edges and all(e.a in ids and e.b in ids for e in edges)


def test_a_sector_filter_keeps_what_leads_with_it_in_every_order(engine, four):
    everything = engine.list(limit=100)
    for sort in ("recent", "salience", "retention", "accessed"):
        found = [m.id for sector in SECTORS for m in overview.browse(engine, sector=sector, sort=sort, limit=100).memories]
        assert sorted(found) == sorted(m.id for m in everything.memories)
    with pytest.raises(BadInput):
        overview.browse(engine, sector="nowhere")


def test_another_project_is_not_looked_into(engine, four):
    assert overview.heard(engine, "elsewhere") == [] and overview.topics(engine, "elsewhere") == []
    with pytest.raises(NotFound):
        overview.around(engine, four[0], project="elsewhere")


def test_runs_tell_what_they_did_and_sizes_count_rows(engine, clock):
    low = engine.store("The demo tenant is called Aalto Oy.", importance="low", force=True).id
    clock.forward(days=400)
    run = engine.consolidate().run
    assert [r["id"] for r in overview.runs(engine)] == [run] and overview.named(engine, [low, "gone"])[low].status == "archived"
    assert overview.sizes(engine)["rows"]["memory"] == 1


def test_receipts_name_what_was_handed_over_and_used_and_hook_times_are_summed_up(engine, four):
    project = engine.place().identity
    engine.mind.store.apply([AddReceipt(1.0, project, "s", "SessionStart", 120, tuple(four[:2])), MarkUsed("s", (four[0],)),
                             AddReceipt(2.0, "another", "t", "SessionStart", 90, (four[2],)), *(TimeHook(ms, "Stop", ms) for ms in (10.0, 30.0, 20.0))])
    given = overview.receipts(engine)
    assert [[(m["id"], m["used"]) for m in r["memories"]] for r in given] == [[(four[0], True), (four[1], False)]]
    assert overview.hook_times(engine) == [{"event": "Stop", "count": 3, "median_ms": 20.0, "slowest_ms": 30.0}]
