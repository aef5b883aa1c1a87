"""Published cases about what is kept, what is served, and what replies say of it; by the built-in model unless said otherwise."""
import json
import re
import subprocess
import sys
import threading

import pytest
from cases import case, given, kept
from mcp_rig import environment

from mnemos_mcp import reembed, transfer
from mnemos_mcp.config import MnemosConfig
from mnemos_mcp.mechanisms.scopes import Governance
from mnemos_mcp.moments import iso, parse
from mnemos_mcp.runtime import open_for_python

DOORS = ("tool", "command", "api")
TRADES = ("lint", "unit test", "release build", "type check", "bundle", "smoke test", "coverage report", "docker image", "changelog", "nightly build")


# ---- time (stamps ahead of the clock: test_validity.py)


@case("time-mixed-stamps")
def test_stamps_in_every_form_mean_one_moment_and_are_shown_with_their_zone(open_engine, clock):
    stamps = given("time-mixed-stamps")["stamps"]
    assert {parse(stamp) for stamp in stamps} == {1774747800.0, 1774751400.0}, "without a zone UTC is meant"
    engine = open_engine(embedder=None)
    head = json.dumps({"mnemos_export": 1, "exported_at": "2026-11-01", "version": "1", "memories": 5, "episodes": 0})
    lines = [head, *(json.dumps({"memory": {"id": f"aaaa000{n}", "content": f"Pier {n} has {n + 20} cranes.", "scope": "global", "created_at": stamp, "valid_from": stamp,
                                            "reinforced_at": stamp}}) for n, stamp in enumerate(stamps)), json.dumps({"mnemos_end": 1})]
    done = transfer.import_(engine.mind, [line.encode() + b"\n" for line in lines])
    assert done.taken == 5
    engine.consolidate()
    found = engine.retrieve("how many cranes has pier 3", as_of=clock.now)
    assert found.memories and all(iso(m.memory.created_at).endswith("Z") for m in found.memories)
    assert {iso(m.created_at) for m in engine.list().memories} == {"2026-03-29T01:30:00Z", "2026-03-29T02:30:00Z"}


# ---- ranking


@case("ranking-no-floor")
@pytest.mark.parametrize("question", given("ranking-no-floor")["prompts"] + ["", "   ", "?!", "the of and", "qzx vbn"])
def test_what_has_nothing_to_do_with_anything_finds_nothing(hundred, question):
    result = hundred.retrieve(question) if question.strip() else hundred.retrieve(question or " ")
    assert result.memories == () and "nothing stored answers this" in result.note


@pytest.fixture(scope="module")
def hundred(builtin):
    """A hundred memories about builds and tests."""
    engine = open_for_python(MnemosConfig(), embedder=builtin)
    for n in range(100):
        engine.store(f"The {TRADES[n % 10]} of module m{n} runs on runner {n // 10} with a limit of {n + 3} minutes.", force=True)
    reembed.fill(engine.mind)  # a busy machine may have put off the first of them
    yield engine
    engine.close()


def repeated(engine, times):
    """Ten queries over and over; the first and the last answers, and the words in the index before and after."""
    queries = [f"where does the {trade} of module m{n} run" for n, trade in enumerate(TRADES)]
    index = engine.mind.store.db.execute("select id, block from fts_data").fetchall()
    first = {q: [m.id for m in engine.retrieve(q, limit=5).memories] for q in queries}
    for _ in range(times):
        for q in queries:
            last = engine.retrieve(q, limit=5)
    last = {q: [m.id for m in engine.retrieve(q, limit=5).memories] for q in queries}
    assert engine.mind.store.db.execute("select id, block from fts_data").fetchall() == index
    return first, last


@case("ranking-use-wears-index")
def test_the_same_questions_over_and_over_find_the_same_and_wear_nothing(hundred):
    first, last = repeated(hundred, 2)
    assert {q: ids[:1] for q, ids in first.items()} == {q: ids[:1] for q, ids in last.items()} and all(first.values())
    assert all(set(first[q]) & set(last[q]) for q in first)


@pytest.mark.slow
def test_five_hundred_rounds_of_the_same_questions_find_the_same(hundred):
    first, last = repeated(hundred, 500)
    assert {q: ids[:1] for q, ids in first.items()} == {q: ids[:1] for q, ids in last.items()}


# ---- fact-life


@case("fact-same-text-twice")
@pytest.mark.parametrize("name", DOORS)
def test_the_same_text_by_any_door_is_one_memory_and_the_reply_says_so(open_doors, name):
    doors, texts = open_doors(words_only=True), given("fact-same-text-twice")["texts"]
    first = kept(doors["tool"], texts[0])
    for text in (*texts, "REDIS LISTENS ON PORT 6390 IN DEV", "\n Redis listens\ton port 6390 in dev\n"):
        reply = doors[name].ask("store", content=text, force=True)
        assert (reply["outcome"], reply["id"]) == ("reinforced", first) and first in reply["reason"]
    assert doors["command"].ask("store", content=texts[0], force=True, project="another-project")["id"] != first


@case("fact-one-digit-apart")
@pytest.mark.parametrize("pair", given("fact-one-digit-apart")["pairs"] + [
    ["Retry 3 times before giving up", "Retry 30 times before giving up"], ["Deploys run at 09:00 UTC", "Deploys run at 19:00 UTC"],
    ["The build needs Java 17", "The build needs Java 21"], ["Staging is in eu-west-1", "Staging is in eu-west-2"],
    ["The cache is never cleared on deploy", "The cache is always cleared on deploy"]])
def test_texts_that_differ_in_a_number_a_name_or_a_negation_are_two_or_one_retires_the_other(open_engine, pair):
    engine = open_engine()
    first, second = (engine.store(text, force=True) for text in pair)
    assert second.outcome in ("stored", "superseded") and second.id != first.id
    assert pair[1] in [m.content for m in engine.list().memories]
    assert pair[0] in [m.content for m in engine.list().memories] or second.superseded == (first.id,)


@case("fact-superseded-still-served")
@pytest.mark.parametrize("how", ["supersedes", "consolidation", "a plain later store"])
def test_only_the_correction_is_served_and_the_former_is_there_when_asked_for(open_engine, clock, how):
    old, new = given("fact-superseded-still-served")["old"], given("fact-superseded-still-served")["new"]
    engine = open_engine()
    first = engine.store(old, force=True).id
    for _ in range(5):
        engine.reinforce(first)  # however well used, it cannot outrank its correction
    before = clock.now
    clock.forward(days=3)
    if how == "consolidation":
        engine.store("Hm, let me see", session="s")
        episode = engine.consolidate(dry_run=True).pending[0]["id"]
        engine.mind.store.db.execute("update episode set content = ?, durable = 1, kind = 'decision' where id = ?", (new, episode)).fetchall()
        assert engine.consolidate().facts[0].outcome == "superseded"
    else:
        engine.store(new, supersedes=(first,) if how == "supersedes" else ())
    for found in (engine.retrieve("which package manager does this repo use"), engine.retrieve("npm in this repo", mode="keyword")):
        assert [m.content for m in found.memories] == [new]
    assert [m.content for m in engine.list().memories] == [new] and old not in engine.brief() and new in engine.brief()
    assert engine.list(status="superseded").memories[0].id == first
    assert [m.content for m in engine.retrieve("which package manager does this repo use", as_of=before).memories] == [old]


# ---- honest-result


@case("honest-saved-but-lost")
@pytest.mark.parametrize("name", DOORS)
def test_what_is_called_stored_another_process_finds_and_what_is_not_says_why(open_doors, place, tmp_path, name):
    doors, marker = open_doors(words_only=True), given("honest-saved-but-lost")["text"]
    reply = doors[name].ask("store", content=f"{marker} is the name of the release", force=True)
    assert reply["stored"] and reply["outcome"] == "stored"
    other = subprocess.run([sys.executable, "-m", "mnemos_mcp", "--json", "retrieve", marker], capture_output=True, text=True, cwd=place, check=True,
                           env={**environment(tmp_path, MNEMOS_EMBEDDING_PROVIDER="none"), "CLAUDE_PROJECT_DIR": str(place), "HOME": str(place.parent),
                                "MNEMOS_SQLITE_PATH": str(tmp_path / "data" / "mnemos.db")})
    assert [m["id"] for m in json.loads(other.stdout)["memories"]] == [reply["id"]]
    key = "AKIA" + "Q7WJ4ZNB" + "T2KX5MVD"
    for text, outcome in (("ok, thanks a lot", "not_news"), (f"deploy with {key}", "refused"), (f"{marker} IS the name of the release", "reinforced"),
                          ("<private>only mine</private>", "refused")):
        reply = doors[name].ask("store", content=text)
        assert (reply["outcome"], reply["stored"]) == (outcome, outcome == "reinforced") and len(reply["reason"]) > 10, reply
    assert doors[name].ask("list")["total"] == 1


def test_what_a_full_scope_turns_out_is_said_by_the_store_that_filled_it(open_engine):
    engine = open_engine(config=MnemosConfig(governance=Governance(cap=1)), embedder=None)
    first = engine.store("Pier 1 has 4 cranes.", force=True)
    second = engine.store("The lighthouse is green.", force=True)
    assert second.stored and first.id in second.note and [m.id for m in engine.list().memories] == [second.id]


def test_numbers_of_stats_agree_with_the_tables(open_engine):
    engine = open_engine(embedder=None)
    ids = [engine.store(f"Pier {n} has {n + 4} cranes.", force=True).id for n in range(6)]
    engine.store("ok, thanks")
    engine.forget(ids[0])
    engine.store("Pier 1 has 50 cranes.", supersedes=(ids[1],))
    stats, db = engine.stats(), engine.mind.store.db
    tables = dict(db.execute("select status, count(*) from memory group by 1").fetchall())
    assert stats.memories == {"project": tables} == {"project": {"active": 5, "archived": 1, "superseded": 1}}
    assert stats.gate == {"kept": 7, "dropped": 1} and stats.episodes["total"] == db.execute("select count(*) from episode").fetchall()[0][0] == 8


def test_stores_of_the_same_fact_at_once_leave_one_memory_and_no_caller_is_told_otherwise(open_engine, path):
    engines = [open_engine(path, embedder=None) for _ in range(4)]
    replies = []
    threads = [threading.Thread(target=lambda e=e: replies.append(e.store("Redis listens on port 6390 in dev", force=True))) for e in engines]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(r.outcome for r in replies) == ["reinforced", "reinforced", "reinforced", "stored"] and len({r.id for r in replies}) == 1


def test_no_reply_calls_a_memory_by_an_id_that_does_not_work(open_engine):
    engine = open_engine()
    first = engine.store("We use npm in this repo", force=True)
    second = engine.store("We moved from npm to yarn in this repo")
    said = f"{second.reason} {second.note} {second.superseded} {engine.timeline(id=second.id)} {engine.retrieve('zebra opera', explain=True).note}"
    for memory_id in {*re.findall(r"\b[0-9a-f]{12}\b", said), first.id}:
        assert engine.inspect(memory_id).memory.id == memory_id
