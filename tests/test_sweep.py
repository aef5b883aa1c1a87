"""`mnemos sweep`: what older rules let in is found wherever it lies, erased or masked, and its bytes are gone."""
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from mnemos_mcp import recovery
from mnemos_mcp.config import MnemosConfig
from mnemos_mcp.mechanisms.firewall import RULES, Firewall
from mnemos_mcp.storage import sweeping
from mnemos_mcp.storage.emptying import erase_everything
from mnemos_mcp.sweep import sweep
from mnemos_mcp.writes import AddEpisode, AddRevision, Keep, MarkRecalled, Reinforce

BLIND = MnemosConfig(firewall=Firewall(secret_action="allow", pii_action="allow"))
KEY = "ghp_" + "aB3dE6gH9k" * 3 + "Lm2nO5"
MAIL = "jana.hofer@" + "shopwerk.de"
PLAIN = "We chose SQLite because shipping a server was too heavy"


@pytest.fixture
def filled(open_engine, path):
    """A file in which rules that saw nothing let a key and an address in by every way there is."""
    engine = open_engine(path, config=BLIND.with_(store=path))
    ids = {name: engine.store(text, force=True, **more).id for name, text, more in (
        ("plain", PLAIN, {}), ("key", f"The deploy uses {KEY} since monday", {}), ("mail", f"Ask {MAIL} about the ledger port 5433", {}),
        ("tag", "Staging runs on heron with four workers", {"tags": [KEY, "ops"], "key": "staging"}))}
    store = engine.mind.store
    memory = store.find(ids["plain"], None)[0]
    episode = store.episodes(status="all")[0]._replace(id="e" * 12, content=f"export GH_TOKEN={KEY}", memory_id="", event="")
    store.apply([AddEpisode(episode), AddRevision(_revision(memory, f"We chose {KEY}")), Reinforce(memory.id, 1.0, 0.0, f"says {MAIL}"),
                 MarkRecalled((memory.id,), 0.0, False, f"what is {KEY}"), Keep("swept", "1"), Keep(f"expected:{KEY}", "x")])
    store.db.execute("create table diary(id text primary key, said text)").fetchall()
    store.db.execute("insert into diary values ('r1', ?)", (f"seen {KEY}",)).fetchall()
    engine.close()
    return ids


def _revision(memory, text):
    from mnemos_mcp.model import Revision
    return Revision(memory.id, 99, text, 0.0, 1.0, "made up")


def bytes_in(path, text):
    sides = [path + side for side in ("", "-wal") if os.path.exists(path + side)]
    return sum(open(side, "rb").read().lower().count(text.lower().encode()) for side in sides)


def test_what_today_would_be_refused_is_erased_and_what_would_be_masked_is_masked(open_engine, path, filled):
    engine = open_engine(path)
    done = sweep(engine.mind, engine.mind.store)
    assert done.bytes_found == 0 and not done.left and bytes_in(path, KEY) == bytes_in(path, MAIL) == 0
    kept = {m.id: m for m in engine.mind.store.browse(None, status="all", limit=-1)[1]}
    assert filled["key"] not in kept and kept[filled["plain"]].content == PLAIN and kept[filled["tag"]].tags != (KEY, "ops")
    assert kept[filled["mail"]].content == "Ask [REDACTED_EMAIL] about the ledger port 5433"
    assert {c.table for c in done.caught} >= {"memory", "revision", "episode", "note", "recall", "kept", "diary"}


def test_after_a_sweep_the_index_agrees_and_the_masked_memory_is_found_by_its_other_words(open_engine, path, filled):
    engine = open_engine(path)
    sweep(engine.mind, engine.mind.store)
    words = engine.mind.store.db.execute("select words from memory where id = ?", (filled["mail"],)).fetchall()[0][0]
    assert filled["mail"] in [m.id for m in engine.retrieve("ledger port", mode="keyword").memories] and "hofer" not in words
    assert all(c.status != "fail" for c in engine.health().checks)


def test_a_second_sweep_finds_nothing(open_engine, path, filled):
    engine = open_engine(path)
    sweep(engine.mind, engine.mind.store)
    again = sweep(engine.mind, engine.mind.store)
    assert again.caught == () and again.rows == {} and sum(again.scanned.values()) > 3


def test_a_dry_run_names_everything_and_changes_nothing(open_engine, path, filled):
    engine = open_engine(path)
    before = engine.mind.store.stats()["memories"], bytes_in(path, KEY)
    done = sweep(engine.mind, engine.mind.store, dry_run=True)
    assert (engine.mind.store.stats()["memories"], bytes_in(path, KEY)) == before and done.bytes_found is None
    assert {(c.id, c.does) for c in done.caught if c.table == "memory"} == {(filled["key"], "erase"), (filled["mail"], "mask"), (filled["tag"], "mask")}
    assert KEY not in repr(done) and MAIL not in repr(done)


def test_health_says_when_the_store_was_last_read_with_older_rules(open_engine, path, filled):
    engine = open_engine(path)
    check = {c.name: c for c in engine.health().checks}["firewall"]
    assert check.status == "warn" and "rules 1" in check.detail and "mnemos sweep" in check.remedy
    sweep(engine.mind, engine.mind.store)
    assert {c.name: c for c in engine.health().checks}["firewall"].status == "ok"


def test_a_new_file_needs_no_sweep(engine):
    engine.store(PLAIN, force=True)
    assert {c.name: c for c in engine.health().checks}["firewall"].status == "ok" and RULES > 1


def firewall_check(engine):
    return next(c for c in engine.health().checks if c.name == "firewall")


def test_after_everything_was_erased_what_comes_has_passed_the_rules_of_today(open_engine, path, filled):
    engine = open_engine(path)
    assert firewall_check(engine).status == "warn"
    erase_everything(engine.mind.store.db, path)
    engine.store(PLAIN, force=True)
    assert firewall_check(engine).status == "ok"


def test_what_was_saved_from_a_damaged_file_is_still_to_be_swept(open_engine, path, filled):
    whole = Path(path).read_bytes()
    Path(path).write_bytes(whole[:-4096] + b"\xa5" * 4096)
    assert recovery.recover(recovery.examine(path), now=0.0).state == "damaged"
    assert firewall_check(open_engine(path)).status == "warn"


def test_a_run_whose_kept_state_holds_a_secret_can_no_longer_be_undone(open_engine, path):
    engine = open_engine(path, config=BLIND.with_(store=path))
    store = engine.mind.store
    store.db.execute("insert into run values ('r', 1.0, '', '{}', null)").fetchall()
    store.db.execute("insert into run_change values ('r', 'episode', 'e', '', ?)", (json.dumps({"id": "e", "content": f"token {KEY}"}),)).fetchall()
    engine.close()
    engine = open_engine(path)
    assert sweep(engine.mind, engine.mind.store).bytes_found == 0 and bytes_in(path, KEY) == 0
    assert [run["undone_at"] for run in engine.mind.store.runs()] == [1.0]


def test_every_text_column_of_the_layout_is_read_or_named_as_no_text(engine):
    db = engine.mind.store.db
    tables = [row[0] for row in db.execute("select name from sqlite_schema where type = 'table' and name not like 'sqlite_%' and name not like 'fts%'")]
    assert set(tables) - set(sweeping.KEYS) - sweeping.NO_TEXT == set(sweeping._others(db))


def test_the_command_prints_one_json_value_and_leaves_nothing(path, filled, tmp_path):
    env = {**os.environ, "MNEMOS_SQLITE_PATH": path, "MNEMOS_EMBEDDING_PROVIDER": "none", "HOME": str(tmp_path)}
    command = [sys.executable, "-m", "mnemos_mcp", "sweep", "--json"]
    dry = json.loads(subprocess.run([*command, "--dry-run"], env=env, capture_output=True, check=True, cwd=tmp_path).stdout)
    done = json.loads(subprocess.run(command, env=env, capture_output=True, check=True, cwd=tmp_path).stdout)
    assert dry["dry_run"] and {c["id"] for c in dry["caught"]} == {c["id"] for c in done["caught"]}
    assert done["bytes_found"] == 0 and done["rows"]["memory"] == 1 and bytes_in(path, KEY) == 0
