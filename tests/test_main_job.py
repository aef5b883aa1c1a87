"""The main job with the built-in model: what one session stored the next recalls, in scope, with a reason; every verb changes what survives."""
import subprocess
import sys
from pathlib import Path

import pytest

from mnemos_mcp.errors import Ambiguous, BadInput, NotFound

CHOICE = "We picked SQLite WAL over Postgres because shipping a server was too heavy"
OTHERS = ("Redis listens on port 6390 in dev", "Never push directly to main; open a draft pull request first",
          "The nightly build runs on arm64 runners since the kernel update", "Tests are run with pytest -x before each commit",
          "Fixed the login loop by clearing the stale session cookie")
KEY_ID, KEY = "AKIA" + "Q3EGRJ7KLMNP2XYZ", "vT9kLmPq" + "R7sWx2Yz4AbCdEfGhIjKlMnOpQrSt" + "UvW"


def filled(engine):
    for text in (CHOICE, *OTHERS):
        assert engine.store(text).stored, text
    return engine


def contents(engine, query, **arguments):
    return [m.content for m in engine.retrieve(query, **arguments).memories]


def test_a_paraphrase_finds_the_decision_first(open_engine, path):
    filled(open_engine(path)).close()
    assert contents(open_engine(path), "which database did we choose")[0] == CHOICE


def test_an_off_topic_question_gets_nothing_and_is_told_what_was_searched(engine):
    result = filled(engine).retrieve("how tall is mount everest")
    assert result.memories == () and "searched 6 memories in project, global" in result.note


@pytest.mark.parametrize("text", [f"{KEY_ID} {KEY}", f"aws_access_key_id={KEY_ID}\naws_secret_access_key={KEY}", f"use {KEY_ID} for the deploy"])
def test_a_bare_cloud_key_pair_is_refused_and_its_bytes_are_in_no_file(open_engine, path, text):
    engine = open_engine(path)
    result = engine.store(text)
    assert (result.outcome, result.stored, result.id) == ("refused", False, "") and "key" in result.reason.lower() and KEY_ID not in result.reason
    engine.retrieve(text)
    for file in Path(path).parent.iterdir():
        assert KEY_ID.encode() not in file.read_bytes() and KEY.encode() not in file.read_bytes(), file.name


@pytest.mark.parametrize("field", ["key", "tags", "session", "note"])
def test_a_secret_in_any_field_never_reaches_the_file(open_engine, path, field):
    engine = open_engine(path)
    if field == "note":
        known = engine.store(CHOICE)
        engine.reinforce(known.id, note=f"see {KEY_ID}")
    else:
        value = (f"deploy {KEY_ID}",) if field == "tags" else f"deploy {KEY_ID}"
        assert engine.store(CHOICE, **{field: value}).outcome == "refused"
    assert all(KEY_ID.encode() not in file.read_bytes() for file in Path(path).parent.iterdir())


def test_the_shares_of_a_score_sum_to_it_and_explain_shows_what_was_withheld(engine):
    result = filled(engine).retrieve("which database did we choose", explain=True)
    for memory in result.memories:
        assert sum(memory.why.values()) == pytest.approx(memory.score) and 0 <= memory.score <= 1
    assert all(w.reason for w in result.withheld)


def test_the_same_text_in_three_spellings_is_one_memory_and_says_so(engine):
    first = engine.store("Redis listens on port 6390 in dev")
    for text in ("Redis  listens on port 6390 in dev ", "redis listens on port 6390 in dev"):
        again = engine.store(text)
        assert (again.outcome, again.id) == ("reinforced", first.id) and first.id in again.reason
    assert engine.list().total == 1 and engine.inspect(first.id).memory.reinforcements > 0
    assert engine.store("Redis listens on port 6390 in dev", project="another").outcome == "stored"


@pytest.mark.parametrize("pair", [("The code freeze starts on 3 May", "The code freeze starts on 4 May"),
                                  ("The API listens on port 8080", "The API listens on port 8081"), ("Pin numpy to 1.26.4", "Pin numpy to 1.26.5")])
def test_two_facts_that_differ_in_a_digit_are_never_one(engine, pair):
    results = [engine.store(text) for text in pair]
    assert results[0].id != results[1].id
    assert (engine.list().total == 2 and results[1].possible_conflicts[0].id == results[0].id) or results[1].superseded == (results[0].id,)


@pytest.mark.parametrize("how", ["supersedes", "key", "phrase"])
def test_only_the_new_value_is_served_and_the_old_is_there_as_of_its_time(engine, clock, how):
    old = engine.store("We use npm in this repo", key="package-manager" if how == "key" else "")
    then = clock()
    clock.forward(days=30)
    texts = {"supersedes": "Dependencies are installed with yarn here", "key": "yarn is the package manager", "phrase": "We moved from npm to yarn in this repo"}
    new = engine.store(texts[how], key="package-manager" if how == "key" else "", supersedes=[old.id] if how == "supersedes" else [])
    assert (new.outcome, new.superseded) == ("superseded", (old.id,))
    clock.forward(days=1)
    question = "which package manager do we use in this repo, npm or yarn"
    assert contents(engine, question) == [texts[how]]
    assert contents(engine, question, as_of=then) == ["We use npm in this repo"]
    assert [t.id for t in engine.timeline(id=new.id).turns] == [old.id, new.id]
    assert [m.id for m in engine.list().memories] == [new.id] and engine.list(status="superseded").total == 1


def test_small_talk_is_not_news_unless_forced(engine):
    assert [engine.store("sounds good").outcome for _ in range(2)] == ["not_news", "not_news"]
    assert engine.list().total == 0 and engine.stats().gate["dropped"] == 2 and engine.stats().episodes["total"] == 2
    assert engine.store("sounds good", force=True).outcome == "stored"


def test_nothing_crosses_from_one_project_to_another(engine):
    secret = engine.store("The ledger service runs on Postgres 16", project="ledger")
    shared = engine.store("Answer in short paragraphs", scope="global")
    assert contents(engine, "which Postgres version does the ledger run on", project="portal") == []
    assert [m.id for m in engine.list(project="portal").memories] == [shared.id]
    for verb in (engine.inspect, engine.forget, engine.reinforce):
        with pytest.raises(NotFound):
            verb(secret.id, project="portal")
    with pytest.raises(NotFound):
        engine.store("supersedes what it cannot see", supersedes=[secret.id], project="portal")


def test_a_forgotten_memory_is_archived_restored_and_erased_with_proof(open_engine, path):
    engine = open_engine(path)
    kept = engine.store("Use port 5433 for the local database")
    assert engine.forget(kept.id[:6]).outcome == "archived" and contents(engine, "local database port") == []
    again = open_engine(path)
    assert again.list(status="archived").total == 1 and again.reinforce(kept.id, signal="restore").status == "active"
    assert contents(again, "local database port") == ["Use port 5433 for the local database"]
    gone = again.forget(kept.id, erase=True)
    assert (gone.outcome, gone.bytes_found, gone.rows["memory"]) == ("erased", 0, 1) and b"5433" not in Path(path).read_bytes()
    assert again.store("Use port 5433 for the local database").outcome == "stored"


def test_ids_are_found_by_six_characters_and_never_by_wildcards(engine):
    for n in range(12):
        engine.store(f"Service number {n} listens on port {7000 + n}")
    some = engine.list(limit=1).memories[0]
    assert engine.inspect(some.id[:6]).memory.id == some.id
    for wrong in ("a", "%", "_", "*", some.id[:5], "ffffffffffff0"):
        with pytest.raises(NotFound):
            engine.forget(wrong)
    for empty in ("", " "):
        with pytest.raises(BadInput):
            engine.forget(empty)
    assert engine.list().total == 12


def test_an_ambiguous_prefix_is_refused_with_its_candidates(engine):
    ids = iter(["abcdef000001", "e00000000001", "abcdef000002", "e00000000002"])
    object.__setattr__(engine.mind, "new_id", lambda: next(ids))
    for text in ("Service one listens on port 7001", "Service two listens on port 7002"):
        engine.store(text)
    with pytest.raises(Ambiguous, match=r"abcdef000001.*abcdef000002"):
        engine.forget("abcdef")
    assert engine.list().total == 2


def test_reinforcing_pinning_and_timeline_survive_a_restart(open_engine, path, clock):
    engine = open_engine(path)
    kept = engine.store("Redis listens on port 6390 in dev", importance="low")
    clock.forward(days=60)
    before, after = engine.reinforce(kept.id, note="used it").retention
    assert after > before
    engine.reinforce(kept.id, signal="pin")
    again = open_engine(path).inspect(kept.id)
    assert again.memory.pinned and again.memory.reinforcements >= 1 and again.ahead[30] < 1 and ("used it" in str(again.notes))
    assert open_engine(path).reinforce(kept.id, signal="wrong", note="it is 6391").status == "archived"


def test_consolidation_turns_what_was_said_into_facts_once_and_undo_takes_them_back(open_engine, path, clock):
    engine = open_engine(path)
    engine.store("thanks, that worked")
    pending = engine.consolidate(dry_run=True).pending
    assert [p["text"] for p in pending] == ["thanks, that worked"]
    episode = engine.mind.store.episodes()[0].id
    given = [{"content": "Thanks, that worked on Fridays", "from": []}]
    run = engine.consolidate(facts=given)
    assert run.run and run.facts[0].outcome == "stored" and open_engine(path).list().total == 1
    assert open_engine(path).consolidate().run == ""
    assert open_engine(path).consolidate(undo=run.run).undone == run.run
    assert open_engine(path).list().total == 0 and [e.id for e in open_engine(path).mind.store.episodes()] == [episode]


def test_what_had_low_importance_fades_into_the_archive_and_what_was_used_stays(engine, clock):
    note = engine.store("Had the network tab open while looking at the first render today, it took 900 ms", importance="low", force=True)
    fix = engine.store("Fixed ECONNREFUSED ::1 by using 127.0.0.1 in .env.local", scope="global")
    for _ in range(4):
        clock.forward(days=40)
        engine.reinforce(fix.id)
    clock.forward(days=40)
    run = engine.consolidate()
    assert [i for i, _ in run.archived] == [note.id]
    assert contents(engine, "connection refused on localhost", project="elsewhere") == ["Fixed ECONNREFUSED ::1 by using 127.0.0.1 in .env.local"]


def test_without_the_embedder_words_still_find(open_engine):
    engine = filled(open_engine(embedder=None))
    assert contents(engine, "Postgres server too heavy")[0] == CHOICE
    assert contents(engine, "how tall is mount everest") == []


@pytest.mark.parametrize(("text", "query"), [
    ("Timeout is raised in src/auth/token.ts for slow clients", "src/auth/token.ts"), ("Build with --no-cache on CI", "--no-cache"),
    ("parseUserToken returns null for guests", "user token"), ("E1234 means the pooler restarted", "E1234"), ("The engine is written in C++ 20", "C++"),
    ("snake_case_name is required by the linter", "snake_case_name"), ("部署脚本在预发布环境超时", "预发布环境"), ("昨日はデータベースの引っ越しを終えた", "引っ越し"),
    ("어제 데이터베이스를 옮겼다", "데이터베이스"), ("The cafe\u0301 menu cache is warmed at six", "café"), ("Use node-gyp 10 for the native build.", "node-gyp"),
    ("Release owner: ops team, after the cache flush.", "owner: ops"), ("Migrations are applied at startup", "migration"),
])
def test_keyword_search_finds_what_people_type(open_engine, text, query):
    engine = open_engine(embedder=None)
    for other in OTHERS:
        engine.store(other, force=True)
    engine.store(text, force=True)
    assert contents(engine, query, mode="keyword")[0] == engine.list(limit=1).memories[0].content


@pytest.mark.parametrize("query", ["backoff OR", "AND", "NOT", "NEAR(", 'cache "miss', "(backoff", 'note "ok', "std::vector", "a*", "col:val", "^x", "-", "'", "\x00", ""])
def test_no_query_is_grammar(engine, query):
    engine.store("Retry policy: exponential backoff, give up after five.")
    found = contents(engine, query)
    assert found == (["Retry policy: exponential backoff, give up after five."] if "backoff" in query else [])


def test_the_python_without_loadable_extensions_gives_the_same_answer(tmp_path):
    """In a process of its own, numpy alone compares the vectors."""
    code = ("from mnemos_mcp.storage import schema; schema.vector_extension = lambda: None\n"
            "from mnemos_mcp.runtime import open_for_python; from mnemos_mcp import MnemosConfig\n"
            f"e = open_for_python(MnemosConfig(store={str(tmp_path / 'm.db')!r}), project='p')\n"
            f"[e.store(t) for t in {(CHOICE, *OTHERS)!r}]\n"
            "print(e.retrieve('which database did we choose').memories[0].content)\n"
            "print([c.detail for c in e.health().checks if c.name == 'vector_search'][0])")
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=Path(__file__).parent.parent, check=True).stdout.splitlines()
    assert out[0] == CHOICE and out[1].startswith("by numpy: the sqlite-vec package is not installed")


TOKEN = "ghp_" + "aB3dE5gH7jK9" * 3


def test_a_project_name_that_is_a_secret_is_refused_and_kept_nowhere(open_engine, path):
    engine = open_engine(path)
    with pytest.raises(BadInput, match="looks like a secret"):
        engine.store(CHOICE, project=TOKEN)
    assert all(TOKEN.casefold().encode() not in file.read_bytes().lower() for file in Path(path).parent.iterdir())


def test_two_facts_of_one_run_that_say_the_same_are_one_memory(engine):
    engine.store("hm ok, one sec")
    run = engine.consolidate(facts=[{"content": "The gateway hangs on TLS."}, {"content": "the gateway hangs on  TLS."}, {"content": "The queue is NATS."}])
    assert [f.outcome for f in run.facts] == ["stored", "reinforced", "stored"] and run.facts[0].id == run.facts[1].id
    assert engine.list().total == 2


def test_two_values_for_one_key_in_one_run_keep_the_first_and_say_so(engine):
    run = engine.consolidate(facts=[{"content": "The queue is NATS.", "key": "queue"}, {"content": "The queue is SQS.", "key": "queue"}])
    assert [f.outcome for f in run.facts] == ["stored", "refused"] and engine.list().total == 1


def test_a_fact_that_its_episodes_do_not_hold_is_refused(engine):
    engine.store("can you look at why the gateway hangs")
    (episode,) = engine.consolidate(dry_run=True).pending
    run = engine.consolidate(facts=[{"content": "The gateway hangs on port 4711", "from": [episode["id"]]}])
    assert run.facts[0].outcome == "refused" and "4711" in run.facts[0].reason


def test_sleep_goes_on_without_the_embedder(open_engine):
    from mnemos_mcp.providers.embed import OllamaEmbedder
    engine = open_engine(embedder=OllamaEmbedder("any", "127.0.0.1:9"))
    assert engine.store(CHOICE).note.startswith("found by keyword now") and "doubles were not looked for" in engine.consolidate().note


def test_what_was_said_and_not_slept_on_is_counted_when_nothing_is_found(engine, clock):
    from mnemos_mcp.episode import UNJUDGED
    from mnemos_mcp.model import Episode
    from mnemos_mcp.writes import AddEpisode
    project = engine.place().identity
    engine.mind.store.apply([AddEpisode(Episode(f"e{n}", text, project, "s", "user", "user", clock.now, UNJUDGED))
                             for n, text in enumerate(("We decided to deploy with Kamal", "Never push to main", "thanks!"))])
    assert "3 statements from sessions wait for sleep" in engine.retrieve("how do we deploy").note
    engine.consolidate()
    found = engine.retrieve("how do we deploy")
    assert "We decided to deploy with Kamal" in [m.content for m in found.memories] and found.note == ""
    assert "sleep" not in engine.retrieve("how tall is mount everest").note, "small talk waits for nothing"


def test_a_run_says_why_what_was_heard_still_waits(engine, clock):
    from mnemos_mcp import prose, render
    from mnemos_mcp.model import Episode
    from mnemos_mcp.writes import AddEpisode
    said = [("thanks, that worked", "user", "", False), ("Hm, let me see", "user", "", False), ("npm test failed: ECONNREFUSED", "tool", "failure", False),
            ("Released.", "assistant", "outcome", True), ("We talked about the release.", "assistant", "summary", False),
            ("We decided to ship on Mondays.", "user", "decision", True)]
    engine.mind.store.apply([AddEpisode(Episode(f"e{n}", text, engine.place().identity, "s", role, "user", clock.now, kind, durable))
                             for n, (text, role, kind, durable) in enumerate(said)])
    slept = engine.consolidate()
    assert (slept.episodes, slept.pruned, sum(slept.waiting.values()), len(slept.pending)) == (6, 1, 5, 5)
    assert slept.waiting == {"small talk, which stays 7 days for the agent to distil": 2, "a failure without its fix": 1, "a summary of a session": 1,
                             "a question, or too few words to be a fact by themselves": 1}
    reply = render.as_json(slept, clock.now)
    assert reply["waiting"] == slept.waiting and "waiting 2: small talk, which stays 7 days" in prose.as_text("consolidate", reply)


def test_chatter_waits_a_week_for_the_agent_to_distil_it(engine, clock):
    engine.store("hm ok, one sec")
    assert len(engine.consolidate().pending) == 1 and engine.consolidate().run == ""
    clock.forward(days=8)
    assert engine.consolidate().pruned == 1 and engine.stats().episodes["pending"] == 0


@pytest.mark.parametrize("value", ["hunter2SuperSecret99", "MyCompanySecret99", "SuperSecret2024", "kT9vExample2mZx7"])
def test_a_password_that_holds_a_telling_word_is_refused(engine, value):
    assert engine.store(f"We decided password={value}", force=True).outcome == "refused"


def test_a_light_remark_that_changes_what_is_known_is_kept_and_retires_it(engine):
    engine.store("The office printer is in Berlin")
    reply = engine.store("now the office printer is in Munich")
    assert reply.outcome == "superseded" and contents(engine, "where is the office printer") == ["now the office printer is in Munich"]


def test_another_value_of_what_is_known_is_kept_and_reported_as_a_conflict(engine):
    engine.store("The team tracker is linear", force=True)
    reply = engine.store("The team tracker is trello")
    assert reply.stored and [c.content for c in reply.possible_conflicts] == ["The team tracker is linear"]
