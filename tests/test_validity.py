"""What is true when: changed facts, dates ahead and dates behind, on the rules alone and by the real server."""
import pytest
from cases import case, given
from mcp_rig import Server

from mnemos_mcp.moments import iso
from mnemos_mcp.render import as_json

REACT, SVELTE = "The web client is built with React.", "The web client is built with Svelte."


def asked(server, times):
    """The distinct answers of so many recalls, in their order."""
    seen = set()
    for _ in range(times):
        reply = server.call("retrieve", query="what is the web client built with?")
        seen.add(tuple((m["id"], m["content"]) for m in reply["memories"]))
    return seen


def react_then_svelte(server, times):
    """React in November, Svelte in March, asked over and over."""
    server.start()
    first = server.call("store", content=REACT, key="web-client/framework", valid_from="2025-11-03")
    second = server.call("store", content=SVELTE, key="web-client/framework", valid_from="2026-03-09")
    assert (second["outcome"], second["superseded"]) == ("superseded", [first["id"]])
    assert asked(server, times) == {((second["id"], SVELTE),)}
    january = server.call("retrieve", query="what is the web client built with?", as_of="2026-01-15")
    assert [m["content"] for m in january["memories"]] == [REACT]
    chain = server.call("timeline", key="web-client/framework")["chain"]
    assert [(t["content"], t["valid_from"], t.get("valid_to", "")) for t in chain] == [
        (REACT, "2025-11-03T00:00:00Z", "2026-03-09T00:00:00Z"), (SVELTE, "2026-03-09T00:00:00Z", "")]


def test_react_in_november_svelte_in_march_asked_thirty_times_without_a_model(tmp_path):
    with Server(tmp_path) as server:
        react_then_svelte(server, 30)


@pytest.mark.slow
def test_react_in_november_svelte_in_march_asked_500_times_without_a_model(tmp_path):
    with Server(tmp_path) as server:
        react_then_svelte(server, 500)


def test_what_is_true_only_later_is_recalled_with_its_date_and_the_reply_says_so(engine, clock):
    old = engine.store("Node 20 is the version in production.", key="node-version")
    later = clock.now + 40 * 86400
    new = engine.store("Node 22 is the version in production.", key="node-version", valid_from=later)
    assert f"becomes true only at {iso(later)}" in new.note and old.id in new.note
    shown = as_json(engine.retrieve("which node version is in production"), clock.now)["memories"]
    assert [(m["id"], m["valid_from"]) for m in shown] == [(new.id, iso(later))]
    assert [m.id for m in engine.retrieve("which node version is in production", as_of=clock.now).memories] == [old.id]
    assert as_json(engine.list(), clock.now)["memories"][0]["valid_from"] == iso(later)
    assert f"true only from {iso(later)}" in engine.brief()
    clock.forward(days=41)
    assert "valid_from" not in as_json(engine.retrieve("which node version is in production"), clock.now)["memories"][0]


def test_a_backdated_value_says_what_it_rewrites(engine, clock):
    first = engine.store("The queue is RabbitMQ.", key="queue")
    clock.forward(days=10)
    second = engine.store("The queue is NATS.", key="queue")
    assert second.note == ""
    third = engine.store("The queue is Kafka.", key="queue", valid_from=clock.now - 5 * 86400)
    assert "backdated" in third.note and f"never true any more: {second.id}" in third.note and f"ending earlier: {first.id}" in third.note
    assert [t.content for t in engine.timeline(key="queue").turns if t.valid_to is None or t.valid_to > t.valid_from] == [
        "The queue is RabbitMQ.", "The queue is Kafka."]


@case("time-future-stamp")
@pytest.mark.parametrize("days", given("time-future-stamp")["ahead_days"])
def test_stamps_ahead_of_the_clock_score_no_better_than_just_now(engine, clock, days):
    texts = ["Grafana dashboards live in the ops repository.", "Grafana alerts are sent to the ops channel."]
    early = engine.store(texts[0], force=True)
    ahead = engine.store(texts[1], force=True)
    row = "update memory set created_at = ?, reinforced_at = ?, recalled_at = ? where id = ?"
    engine.mind.store.db.execute(row, (clock.now + days * 86400,) * 3 + (ahead.id,)).fetchall()
    for memory in engine.retrieve("where do grafana dashboards and alerts go", explain=True).memories:
        assert 0 <= memory.score <= 1 and 0 <= memory.retention <= 1 and all(0 <= share <= 1 for share in memory.why.values())
    assert engine.consolidate().archived == () and {m.id for m in engine.list().memories} == {early.id, ahead.id}


def test_a_clock_that_goes_back_does_not_revive_the_older_value(engine, clock):
    engine.store("The queue is RabbitMQ.", key="queue")
    clock.forward(seconds=-3600)
    new = engine.store("The queue is Kafka.", key="queue")
    assert [m.id for m in engine.retrieve("which queue").memories] == [new.id]
    assert [t.content for t in engine.timeline(key="queue").turns if t.valid_to is None] == ["The queue is Kafka."]
