"""Health breaks each part in turn: every fault is named with its effect and its remedy, nothing else is, and what works is called ready."""
import json
import os
import re
from dataclasses import replace

import apsw
import pytest
from cases import case
from fakes import FakeOllama, serving

from mnemos_mcp import reembed
from mnemos_mcp.providers.embed import BuiltinEmbedder, OllamaEmbedder
from mnemos_mcp.providers.llm import OllamaLLM
from mnemos_mcp.runtime import open_engine as open_from_settings
from mnemos_mcp.settings import load

QUIET = {"sqlite", "store", "file", "word_index", "vector_search", "vector_rows", "embedder", "vectors", "llm", "project", "settings"}


def dead(make):
    """A client of a service that has stopped."""
    with serving(FakeOllama(models=("m",))) as fake:
        return make("m", fake.url)


def index_gone(engine, *_):
    engine.mind.store.db.execute("delete from fts_docsize")


def vectors_of_another(engine, *_):
    engine.mind.store.db.execute("update vector set identity = 'another-model/384'")


def vectors_damaged(engine, *_):
    engine.mind.store.db.execute("update vector set vec = x'00'  where id = (select min(id) from vector)")


def vectors_missing(engine, *_):
    engine.mind.store.db.execute("delete from vector")


def log_deleted(engine, path, *_):
    os.remove(path + "-wal")



BROKEN = {
    "embedder": lambda engine, *_: setattr(engine, "mind", replace(engine.mind, embedder=dead(OllamaEmbedder))),
    "llm": lambda engine, *_: setattr(engine, "mind", replace(engine.mind, llm=dead(OllamaLLM))),
    "word_index": index_gone, "vectors": vectors_of_another, "vectors (missing)": vectors_missing, "vector_rows": vectors_damaged, "store": log_deleted}


@case("honest-health")
@pytest.mark.parametrize("part", BROKEN)
def test_a_broken_part_is_named_with_its_effect_and_remedy(open_engine, path, part):
    engine = open_engine(path)
    for n in range(3):
        engine.store(f"Pier {n} has {n + 4} cranes.", force=True)
    reembed.fill(engine.mind)  # a busy machine may have put off the first of them
    assert {c.name for c in engine.health().checks if c.status == "ok"} >= QUIET - {"project"}
    BROKEN[part](engine, path)
    name = part.split()[0]
    health = engine.health()
    wrong = {c.name: c for c in health.checks if c.status != "ok"}
    assert name in wrong and set(wrong) <= {name, "vectors", "store"}, wrong
    assert all(c.detail and c.effect and c.remedy for c in wrong.values()) and health.status != "ok"


def test_a_model_file_that_is_missing_is_put_back_by_installing_again(open_engine, path, tmp_path):
    engine = open_engine(path)
    engine.mind = replace(engine.mind, embedder=BuiltinEmbedder(folder=tmp_path / "emptied"))
    check = next(c for c in engine.health().checks if c.name == "embedder")
    assert (check.status, "is missing" in check.detail) == ("fail", True) and "reinstall" in check.remedy and "service" not in check.remedy


def test_a_file_that_may_not_be_written_is_recalled_from_and_said(open_engine, path, open_store):
    engine = open_engine(path)
    engine.store("The lighthouse is green.", force=True)
    reader = open_store(path, read_only=True)
    engine.mind, engine._store = replace(engine.mind, store=reader), reader
    assert [m.content for m in engine.retrieve("lighthouse").memories] == ["The lighthouse is green."]
    check = {c.name: c for c in engine.health().checks}["store"]
    assert check.status == "fail" and check.effect == "nothing new is kept" and "permission" in check.remedy


def test_another_database_and_odd_settings_are_shown(place, tmp_path, monkeypatch):
    monkeypatch.setenv("MNEMOS_EMBEDDING_PROVIDER", "none")
    monkeypatch.setenv("MNEMOS_SQLITE_PATH", str(tmp_path / "other" / "else.db"))
    monkeypatch.setenv("MNEMOS_LLM_MODELL", "x")
    engine = open_from_settings(load(), door="cli")
    health = engine.health()
    assert health.paths["store"] == str(tmp_path / "other" / "else.db") and "sqlite_path" in json.dumps(health.differs)
    settings = next(c for c in health.checks if c.name == "settings")
    assert settings.status == "warn" and "MNEMOS_LLM_MODELL" in settings.detail and settings.effect and settings.remedy
    monkeypatch.chdir(tmp_path / "home")
    engine.close()
    away = open_from_settings(load(), door="cli")
    project = next(c for c in away.health().checks if c.name == "project")
    assert project.status == "warn" and project.effect and project.remedy
    away.close()


def test_a_memory_in_the_process_and_a_switched_off_embedder_are_said(open_engine):
    checks = {c.name: c for c in open_engine(embedder=None).health().checks}
    assert checks["store"].status == "warn" and "in memory" in checks["store"].detail and checks["store"].effect and checks["store"].remedy
    assert "switched off" in checks["embedder"].detail and checks["embedder"].effect and "vectors" not in checks


def test_a_full_disk_is_named_and_the_check_leaves_no_transaction_open(open_engine, path):
    engine = open_engine(path, embedder=None)
    engine.store("The lighthouse is green.", force=True)
    db = engine.mind.store.db
    db.execute("create trigger full before insert on kept begin select raise(abort, 'stand-in for a full disk'); end").fetchall()
    check = {c.name: c for c in engine.health().checks}["store"]
    assert check.status == "fail" and check.remedy and db.get_autocommit()
    db.execute("drop trigger full").fetchall()
    assert {c.name: c for c in engine.health().checks}["store"].status == "ok"


def test_health_changes_no_memory_and_every_message_ends_within_a_line(open_engine, path):
    engine = open_engine(path)
    engine.store("The lighthouse is green.", force=True)
    dump = "select * from memory"
    before = apsw.Connection(path).execute(dump).fetchall()
    said = [c for _ in range(3) for c in engine.health().checks]
    assert apsw.Connection(path).execute(dump).fetchall() == before
    assert all(not re.search(r"[\n\r]|Traceback", f"{c.detail}{c.effect}{c.remedy}") for c in said)
