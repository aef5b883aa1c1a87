"""Published cases about the store and the models beside it: many callers, damage, changed embedders, services that are off or talkative."""
import json
import subprocess
import sys
import threading
import time
from dataclasses import replace

import apsw
import numpy as np
import pytest
from cases import case, given
from fakes import FakeOllama, serving, words_vector
from hook_rig import Client
from mcp_rig import Server, environment

from mnemos_mcp import maintain, reembed
from mnemos_mcp.config import MnemosConfig
from mnemos_mcp.errors import EmbedderUnavailable, LLMUnavailable, StoreUnavailable
from mnemos_mcp.model import Episode, Memory, Scope
from mnemos_mcp.options import ollama_url
from mnemos_mcp.providers.embed import OllamaEmbedder
from mnemos_mcp.runtime import open_engine as open_from_settings
from mnemos_mcp.settings import load
from mnemos_mcp.storage.schema import LAYOUT
from mnemos_mcp.writes import AddEpisode, AddMemory


class Toy:
    """An embedder of any size and name: the same words, the same vector."""

    def __init__(self, size, name):
        self.dimensions, self.identity = size, f"{name}/{size}"

    def embed(self, texts, *, deadline_s=None):
        rows = [np.array(words_vector(text, self.dimensions), dtype=np.float32) for text in texts]
        return [row / np.linalg.norm(row) for row in rows]

    def windows(self, text):
        return [text]

    def probe(self):
        return None


class Says:
    """A model whose next reply is given; it counts its calls."""

    identity = "stub"

    def __init__(self, *replies):
        self.replies, self.calls = list(replies), 0

    def ask(self, prompt, schema, *, deadline_s=3.0):
        self.calls += 1
        reply = self.replies.pop(0) if self.replies else {}
        if isinstance(reply, Exception):
            raise reply
        return reply

    def probe(self):
        return None


def checks(engine):
    return {c.name: c for c in engine.health().checks}


# ---- concurrency (writers, first starts, kills: test_faults.py, test_processes.py)


@case("concurrency-many-writers")
@case("concurrency-fresh-file-race")
@pytest.mark.parametrize("old", [False, True], ids=["no file", "the oldest layout"])
def test_servers_commands_and_hooks_that_start_at_once_on_one_file_all_keep_what_they_were_given(tmp_path, old):
    if old:
        (tmp_path / "mnemos.db").touch()
    servers = [Server(tmp_path, MNEMOS_EMBEDDING_PROVIDER="none") for _ in range(2)]
    commands = [subprocess.Popen([sys.executable, "-m", "mnemos_mcp", "--json", "store", f"Pier {n} has {n + 5} cranes", "--force"], stdout=subprocess.PIPE,
                                 text=True, env=environment(tmp_path, MNEMOS_EMBEDDING_PROVIDER="none"), cwd=tmp_path / "project") for n in range(2)]
    hook = Client(tmp_path, "project", MNEMOS_SQLITE_PATH=str(tmp_path / "mnemos.db"))
    said = [f"We decided that berth {n} is painted blue." for n in range(2)]
    for n, text in enumerate(said):
        hook.prompt(text, f"s{n}")
    for server in servers:
        server.start()
    asked = [(server, server.ask("tools/call", {"name": "mnemos_store", "arguments": {"content": f"Dock {n} is {n * 11 + 3} metres deep.", "force": True}}))
             for n, server in enumerate(servers)]
    assert all(server.answer(i)["result"]["structuredContent"]["stored"] for server, i in asked)
    for command in commands:
        assert json.loads(command.communicate(timeout=120)[0])["stored"] and command.returncode == 0
    assert servers[0].call("list", limit=100)["total"] == 4
    db = apsw.Connection(str(tmp_path / "mnemos.db"))
    assert db.execute("select count(*), count(distinct number) from migration").fetchall()[0] == (LAYOUT, LAYOUT)
    beside = "".join(path.read_text() for path in tmp_path.glob("mnemos.db-aside*"))
    kept = {text for (text,) in db.execute("select content from episode")}
    assert all(text in kept or text in beside for text in said)
    for server in servers:
        assert b"locked" not in server.errors and server.close_stdin() == 0


@case("concurrency-parallel-tool-calls")
def test_calls_sent_without_waiting_are_all_answered_again_after_a_rest(tmp_path):
    arguments = {"store": {"content": "The harbour has nine cranes.", "force": True}, "search": {"query": "cranes"}, "list": {}, "stats": {}, "forget": {"id": "000000"}}
    verbs = [{"search": "retrieve"}.get(verb, verb) for verb in given("concurrency-parallel-tool-calls")["calls"]]
    with Server(tmp_path, MNEMOS_EMBEDDING_PROVIDER="none") as server:
        server.start()
        for _ in range(3):
            ids = [server.ask("tools/call", {"name": f"mnemos_{verb}", "arguments": arguments["search" if verb == "retrieve" else verb]}) for verb in verbs]
            replies = [server.answer(i)["result"] for i in ids]
            assert [reply.get("isError", False) for reply in replies] == [verb == "forget" for verb in verbs]
        text = json.dumps(replies) + server.errors.decode()
        assert "thread" not in text and "locked" not in text and "Traceback" not in text


def test_a_hundred_threads_on_one_engine_see_no_error(open_engine):
    engine, failed = open_engine(embedder=None), []

    def work(n):
        try:
            assert engine.store(f"Pier {n} has {n * 3 + 1} bollards.", force=True).stored
            engine.retrieve("how many bollards")
        except Exception as error:
            failed.append(error)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(40)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed and engine.list().total == 40


# ---- durability (index damage, recovery, newer layouts by the store: test_storage.py, test_recovery.py, test_faults.py)


@case("durability-hidden-index-damage")
def test_damage_that_sqlite_does_not_see_is_seen_mended_and_costs_no_memory(open_engine, path):
    engine = open_engine(path, embedder=None)
    for n in range(50):
        engine.store(f"Pier {n} has {n * 3 + 1} bollards.", force=True)
    engine.close()
    db = apsw.Connection(path)
    db.execute("delete from fts_data where id > 1")
    db.close()
    again = open_engine(path, embedder=None)
    assert "rebuilt" in checks(again)["word_index"].detail
    assert again.retrieve("pier 7 bollards", mode="keyword").memories and again.store("Pier 99 has no bollard.", force=True).stored
    victim = again.list(limit=1).memories[0].id
    assert again.forget(victim, erase=True).bytes_found == 0 and again.list().total == 50
    again.close()
    assert checks(open_engine(path, embedder=None))["word_index"].status == "ok"


@case("durability-garbage-file")
@case("durability-newer-layout")
@pytest.mark.parametrize("damage", ["garbage", "half", "newer"])
def test_a_file_that_cannot_be_used_is_named_by_server_and_command_and_left_as_it_is(tmp_path, open_engine, damage):
    path = tmp_path / "mnemos.db"
    engine = open_engine(str(path), embedder=None)
    for n in range(60):
        engine.store(f"Pier {n} has {n * 3 + 1} bollards, {'and a very long remark ' * 8}.", force=True)
    engine.mind.store.db.execute("pragma wal_checkpoint(truncate)").fetchall()
    if damage == "newer":
        engine.mind.store.db.execute("pragma user_version=999").fetchall()
        engine.mind.store.db.execute("pragma wal_checkpoint(truncate)").fetchall()
    engine.close()
    if damage != "newer":
        path.write_bytes(b"garbage, " * 223 if damage == "garbage" else path.read_bytes()[:path.stat().st_size // 2])
    before = path.read_bytes()
    remedy = "update mnemos-mcp" if damage == "newer" else "mnemos recover"
    with Server(tmp_path) as server:
        server.start()
        for verb, arguments in (("store", {"content": "The crane is yellow."}), ("retrieve", {"query": "crane"})):
            said = server.refusal(verb, **arguments)
            assert "mnemos.db" in said and remedy in said
        health = server.call("health")
        assert health["status"] == "fail" and remedy in json.dumps(health)
    for words in (("store", "The crane is yellow"),):
        done = subprocess.run([sys.executable, "-m", "mnemos_mcp", "--json", *words], capture_output=True, text=True, env=environment(tmp_path),
                              cwd=tmp_path / "project", check=False)
        assert done.returncode == 1 and remedy in json.loads(done.stdout)["error"]["message"]
    assert path.read_bytes() == before


# ---- vector-index


@case("vector-model-switch")
@pytest.mark.parametrize(("first", "second"), [(Toy(384, "a"), Toy(256, "b")), (Toy(256, "b"), Toy(256, "c"))], ids=["another size", "the same size"])
def test_another_embedder_is_noticed_named_and_made_good_by_one_command(open_engine, path, first, second):
    engine = open_engine(path, embedder=first)
    for n in range(20):
        engine.store(f"Pier {n} has {n * 3 + 1} bollards.", force=True)
    engine.close()
    engine = open_engine(path, embedder=second)
    check = checks(engine)["vectors"]
    assert check.status == "warn" and first.identity in check.detail and second.identity in check.detail and check.remedy == "mnemos reembed"
    assert engine.retrieve("pier 7", mode="keyword").memories
    assert engine.store("The lighthouse is green.", force=True).stored
    found = engine.retrieve("lighthouse green", mode="semantic", explain=True)
    assert [m.content for m in found.memories] == ["The lighthouse is green."], "vectors of two models are never compared"
    assert reembed.fill(engine.mind).left == 0 and checks(engine)["vectors"].status == "ok"


@case("vector-small-scope-starved")
@pytest.mark.parametrize("narrow", ["scope", "tag", "date"])
def test_the_one_text_of_a_small_scope_is_found_among_six_hundred_nearer_ones(open_engine, path, clock, narrow):
    crowd, lone = "The deploy window of the web shop is Friday at noon.", "The deploy window is Tuesday."
    there = open_engine(path, embedder=Toy(64, "t"), project="git:example.org/b/b")
    here = open_engine(path, embedder=Toy(64, "t"), project="git:example.org/b/b" if narrow != "scope" else "git:example.org/a/a")
    alone = here.store(lone, force=True, tags=["mine"])
    as_of = clock.now
    clock.forward(days=1)
    vector = tuple(Toy(64, "t").embed([crowd]))
    words = there.mind.config.keywords
    there.mind.store.apply([AddMemory(Memory(f"b{n:011x}", f"{crowd} Note {n}.", Scope("project", "git:example.org/b/b"), created_at=clock.now, valid_from=clock.now),
                                      words.index(f"{crowd} Note {n}."), str(n), vector, "t/64") for n in range(600)])
    narrowed = {"scope": {}, "tag": {"tags": ["mine"]}, "date": {"as_of": as_of}}[narrow]
    for _ in range(2):
        found = here.retrieve("when is the deploy window of the web shop", limit=5, **narrowed)
        assert [m.id for m in found.memories] == [alone.id]


@case("vector-extension-missing")
def test_without_the_vector_extension_all_works_and_health_says_why_in_one_sentence(tmp_path):
    code = ("import importlib.util as u; find = u.find_spec; u.find_spec = lambda name, *a: None if name == 'sqlite_vec' else find(name, *a)\n"
            "from mnemos_mcp.server import main; main()")
    with Server(tmp_path, ("-c", code)) as server:
        assert server.start()["serverInfo"]["name"] == "mnemos"
        stored = server.call("store", content="We picked SQLite over Postgres because a server was too heavy.", force=True)
        assert server.call("retrieve", query="which database did we choose")["memories"][0]["id"] == stored["id"]
        check = next(c for c in server.call("health")["checks"] if c["name"] == "vector_search")
        assert "not installed" in check["detail"] and check["effect"] and check["remedy"]


# ---- model-service


@case("service-down")
def test_a_dead_embedder_costs_no_store_and_its_vectors_come_by_themselves(open_engine):
    with serving(FakeOllama(models=("m",))) as fake:
        url = fake.url
    embedder = OllamaEmbedder("m", url)
    engine = open_engine(embedder=embedder)
    for n in range(5):
        began = time.monotonic()
        reply = engine.store(f"Pier {n} has {n * 3 + 1} bollards.", force=True)
        assert reply.stored and "vector comes later" in reply.note and time.monotonic() - began < 2.0
    assert len(engine.retrieve("bollards").memories) == 5 and "words only" in engine.retrieve("bollards").note
    check = checks(engine)["embedder"]
    assert check.status == "fail" and check.effect and check.remedy
    engine.mind = replace(engine.mind, embedder=Toy(16, "back"))
    while engine.idle():
        pass
    assert checks(engine)["vectors"].status == "ok"


def test_health_says_when_the_gate_judges_without_its_routine_phrases(open_engine):
    class Small(Toy):
        def embed(self, texts, *, deadline_s=None):
            if len(texts) > 10:
                raise EmbedderUnavailable("too many texts at once")
            return super().embed(texts)

    engine = open_engine(embedder=Small(16, "small"))
    assert "gate" not in checks(engine)
    engine.store("The crane is yellow.", force=True)
    gate = checks(engine)["gate"]
    assert gate.status == "warn" and "too many texts" in gate.detail and gate.effect and gate.remedy
    engine.mind = replace(engine.mind, embedder=Toy(16, "small"))
    engine.store("The lighthouse is green.", force=True)
    assert "gate" not in checks(engine)


@case("service-fenced-or-chatty-json")
@pytest.mark.parametrize("reply", given("service-fenced-or-chatty-json")["replies"])
def test_a_fenced_or_chatty_reply_is_the_same_single_fact_by_one_call(open_engine, reply):
    from mnemos_mcp.providers.llm import OllamaLLM
    with serving(FakeOllama(models=("m",))) as fake:
        engine = open_engine(llm=OllamaLLM("m", fake.url))
        pend(engine, "We use yarn in this repository.")
        fake.replies.append(json.dumps({"facts": [{"content": "Uses yarn", "from": ["e0"]}]}).join(reply.split('{"facts":["Uses yarn"]}')))
        before = len(fake.requests)
        slept = engine.consolidate()
        chats = [path for path, _, _ in fake.requests[before:] if path == "/api/chat"]
    assert [(f.outcome, f.sources) for f in slept.facts] == [("stored", ("e0",))] and len(chats) <= 2
    assert [m.content for m in engine.list().memories] == ["Uses yarn"]


@case("service-host-forms")
@pytest.mark.parametrize("form", given("service-host-forms")["OLLAMA_HOST"] + [":{port}", "0.0.0.0", "[::]:{port}", "localhost"])
def test_every_form_of_a_host_reaches_loopback_past_a_dead_proxy(form, monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", given("service-host-forms")["HTTP_PROXY"])
    monkeypatch.setenv("http_proxy", given("service-host-forms")["HTTP_PROXY"])
    url = ollama_url(form.replace("{port}", "11434"))
    assert url in ("http://127.0.0.1:11434", "http://localhost:11434", "http://[::1]:11434")
    with serving(FakeOllama(models=("m",))) as fake:
        port = fake.url.rsplit(":", 1)[1]
        embedder = OllamaEmbedder("m", ollama_url(form.replace("{port}", port).replace("11434", port)) if "11434" in form or "{port}" in form else fake.url)
        if "[::]" not in form:
            assert embedder.probe() is None and len(embedder.embed(["text"])) == 1


# ---- consolidation


def pend(engine, *texts):
    place = engine.place()
    engine.mind.store.apply([AddEpisode(Episode(f"e{n}", text, place.identity or "", "s", "user", "user", engine.mind.clock(), "decision", True))
                             for n, text in enumerate(texts)])


@case("consolidation-deletes-before-saving")
@pytest.mark.parametrize("reply", [given("consolidation-deletes-before-saving")["reply"], {"facts": "all"}, {"facts": [1, None]}, {}, {"facts": [{"content": 5}]},
                                   LLMUnavailable("the reply was no JSON")], ids=str)
def test_a_reply_of_the_wrong_shape_takes_no_source_away(open_engine, reply):
    model = Says(reply)
    engine = open_engine(llm=model)
    pend(engine, *(f"We decided that pier {n} closes at {n} o'clock." for n in range(30)))
    slept = engine.consolidate()
    there = {e.id: e for e in engine.mind.store.episodes(status="all", limit=100)}
    facts = {m.id for m in engine.list(limit=100).memories}
    assert len(there) == 30 and all(e.status == "pending" or e.memory_id in facts for e in there.values()) and model.calls <= 2
    assert slept.note and slept.episodes == 30 and slept.pruned == sum(e.status != "pending" for e in there.values())


@case("consolidation-eats-its-own-output")
def test_what_was_recalled_does_not_come_back_as_memory(open_engine, clock):
    engine = open_engine()
    for text in ("Always run the linter before a commit.", "We prefer tabs in Go files.", "Never deploy on Fridays."):
        engine.store(text, force=True)
    before = {m.id: (m.importance, m.reinforcements, m.version) for m in engine.list().memories}
    for n in range(5):
        block = engine.brief()
        assert block.count("\n- ") == 3
        place = engine.place()
        engine.mind.store.apply([AddEpisode(Episode(f"q{n}", f"{block}\nPlease continue.", place.identity or "", "s", "user", "user", clock.forward(days=1)))])
        engine.store(f"{block} Please continue.", origin="user", role="user", session=f"s{n}")
        engine.consolidate()
    assert {m.id: (m.importance, m.reinforcements, m.version) for m in engine.list(limit=100).memories} == before


def test_a_run_that_another_process_overtook_writes_nothing(open_engine, monkeypatch):
    engine = open_engine(embedder=None)
    pend(engine, "We decided that pier 7 closes at noon.")
    commit = maintain._commit

    def overtaken(*args):
        engine.mind.store.db.execute("update episode set status = 'consolidated'").fetchall()
        return commit(*args)

    monkeypatch.setattr(maintain, "_commit", overtaken)
    slept = engine.consolidate()
    assert "nothing was written" in slept.note and slept.pruned == 0 and engine.list().total == 0


def test_a_store_that_is_held_longer_than_the_time_out_says_so_and_the_next_works(place, monkeypatch):
    monkeypatch.setattr("mnemos_mcp.runtime.BUSY_MS", 50)
    monkeypatch.setenv("MNEMOS_EMBEDDING_PROVIDER", "none")
    engine = open_from_settings(load(), door="cli")
    holder = apsw.Connection(engine.mind.store.path)
    holder.execute("begin immediate").fetchall()
    with pytest.raises(StoreUnavailable, match="held by another process"):
        engine.store("The crane is yellow.", force=True)
    assert engine.retrieve("crane").memories == ()
    holder.execute("rollback").fetchall()
    assert engine.store("The crane is yellow.", force=True).stored
    engine.close()


def test_the_memory_of_the_python_door_needs_no_file():
    from mnemos_mcp.runtime import open_for_python
    engine = open_for_python(MnemosConfig(), embedder=None)
    assert engine.store("The crane is yellow.", force=True).stored
    engine.close()
