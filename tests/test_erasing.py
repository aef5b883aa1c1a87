"""Erased means gone: no row, no index word, no vector, no byte in any file, looked for by eyes other than the program's own."""
import gc
from pathlib import Path

import apsw
import pytest

from mnemos_mcp import encode
from mnemos_mcp.model import Episode
from mnemos_mcp.storage.aside import Aside, waiting
from mnemos_mcp.storage.emptying import erase_everything
from mnemos_mcp.sweep import sweep
from mnemos_mcp.writes import AddEpisode

TEXT = "The vault of the heron archive opens with the phrase quicksilver-lantern."
FULLER = "The vault of the heron archive opens with the phrase quicksilver-lantern, on Mondays only."
WORDS = (b"quicksilver", b"lantern", b"heron archive")


@pytest.fixture
def lived(open_engine, path, clock):
    """A memory with a whole life: revised, recalled word for word, noted, heard again, slept over, undone, tied to others."""
    engine = open_engine(path)
    other = engine.store("The lighthouse at the harbour is green.", force=True)
    found = engine.store(TEXT, force=True, tags=("vault",), key="vault/phrase", session="s")
    memory = engine.inspect(found.id).memory
    engine.mind.store.apply([encode.revision(memory, FULLER, "fuller", encode.embedded(FULLER, engine.mind), clock.now, engine.mind)])
    place = engine.place().identity
    engine.mind.store.apply([AddEpisode(Episode("h1", f"they said: {TEXT} Twice.", place, "s", "user", "user", clock.now))])
    engine.retrieve(TEXT)
    engine.retrieve("lighthouse at the harbour")
    engine.reinforce(other.id, note=TEXT)
    engine.reinforce(found.id, note="it worked")
    clock.forward(days=2)
    engine.consolidate()
    return engine, found.id, other.id


def left(path):
    """Words of the text in the file and everything beside it."""
    return [word for file in Path(path).parent.iterdir() for word in WORDS if word in file.read_bytes()]


def test_erase_leaves_no_row_and_no_byte_and_says_what_it_removed(lived, path):
    engine, memory_id, other = lived
    assert left(path)
    gone = engine.forget(memory_id, erase=True)
    assert gone.bytes_found == 0 and gone.rows["memory"] == 1 and gone.rows["revision"] >= 1 and gone.rows["episode"] >= 2 and gone.rows["recall"] >= 1
    assert left(path) == []
    assert [m.id for m in engine.list(status="all").memories] == [other]
    db = apsw.Connection(path)
    terms = {row[0] for row in db.execute("select term from fts_at where 1")}
    assert not {"quicksilv", "lantern", "heron"} & terms and db.execute("select count(*) from vector v left join memory m on m.n = v.n where m.n is null").fetchall() == [(0,)]


def test_an_archived_memory_and_one_under_a_run_that_can_be_undone_are_erased_too(lived, path):
    engine, memory_id, _ = lived
    engine.forget(memory_id)
    engine.store("Hm, and then?", session="t")
    pending = engine.consolidate(dry_run=True).pending
    engine.consolidate(facts=[{"content": "They asked and then what", "from": [pending[0]["id"]]}])
    assert engine.forget(memory_id, erase=True).bytes_found == 0 and left(path) == []


def test_what_another_process_holds_open_does_not_keep_erased_bytes_in_the_log(lived, open_engine, path):
    engine, memory_id, _ = lived
    reader = open_engine(path, embedder=None)
    assert reader.list().total == 2
    gone = engine.forget(memory_id, erase=True)
    gc.collect()
    assert gone.bytes_found == len(left(path)) == 0


def test_former_forms_with_the_same_words_go_too_and_other_values_and_likenesses_are_named(open_engine, path):
    engine = open_engine(path)
    first = engine.store("The vault phrase of the heron archive is quicksilver lantern", force=True, key="vault/phrase").id
    second = engine.store("The vault phrase of the heron archive is quicksilver lantern, known to two people", force=True, supersedes=(first,), key="").id
    note = engine.store("Ask Ines before the vault phrase of the heron archive is used", force=True).id
    engine.store("The lighthouse at the harbour is green.", force=True)
    assert engine.list(status="superseded").memories[0].id == first
    gone = engine.forget(second, erase=True)
    assert (gone.also, gone.like, gone.bytes_found) == ((first,), (note,), 0) and gone.rows["memory"] == 2
    assert not any(b"quicksilver" in file.read_bytes() for file in Path(path).parent.iterdir())
    assert [m.id for m in engine.list(status="all").memories if "lighthouse" not in m.content] == [note]


def test_a_former_value_is_history_and_is_named_not_erased(open_engine):
    engine = open_engine()
    old = engine.store("The ledger database listens on port 5432 in staging", force=True, key="ledger/port").id
    new = engine.store("The ledger database listens on port 6543 in staging", force=True, key="ledger/port").id
    gone = engine.forget(new, erase=True)
    assert gone.also == () and gone.like == (old,)
    assert [m.id for m in engine.list(status="all").memories] == [old] and engine.list().memories == ()


def put_aside(engine, path, text, claimed=""):
    """As a hook does that finds the file held; with `claimed` as a taker leaves it that died."""
    Aside(path).apply([AddEpisode(Episode(f"a{claimed}", text, engine.place().identity, "s", "user", "user", 1.0))])
    if claimed:
        Path(f"{path}-aside.jsonl").rename(f"{path}-aside.jsonl.{claimed}")


def test_what_hooks_put_aside_is_erased_too_and_no_night_brings_it_back(open_engine, path):
    engine = open_engine(path)
    found = engine.store(TEXT, force=True).id
    put_aside(engine, path, TEXT, claimed="77")
    put_aside(engine, path, TEXT)
    gone = engine.forget(found, erase=True)
    assert (gone.bytes_found, gone.rows["episode"], waiting(path), left(path)) == (0, 3, 0, [])
    engine.consolidate()
    assert engine.list(status="all").total == 0


def test_bytes_that_lie_aside_are_found(open_engine, path, monkeypatch):
    engine = open_engine(path)
    found = engine.store(TEXT, force=True).id
    put_aside(engine, path, TEXT)
    monkeypatch.setattr("mnemos_mcp.storage.aside.take_in", lambda *_: 0)
    assert engine.forget(found, erase=True).bytes_found > 0


def test_erasing_everything_takes_what_lies_aside_and_what_a_waiting_worker_wrote(open_engine, path):
    engine = open_engine(path)
    put_aside(engine, path, TEXT, claimed="77")
    put_aside(engine, path, TEXT)
    Path(f"{path}.lock").write_text("stop /home/heron archive")
    gone = erase_everything(engine.mind.store.db, path)
    assert (gone["aside"], gone["bytes_found"], left(path)) == (2, 0, [])


def test_a_sweep_reads_what_lies_aside(open_engine, path):
    engine = open_engine(path)
    key = "ghp_" + "aB3dE6gH9k" * 3 + "Lm2nO5"
    put_aside(engine, path, f"The deploy uses {key} since monday")
    dry = sweep(engine.mind, engine.mind.store, dry_run=True)
    assert [(c.table, c.does) for c in dry.caught] == [("aside", "mask")] and waiting(path) == 1
    assert sweep(engine.mind, engine.mind.store).bytes_found == 0
    assert not any(key.encode() in file.read_bytes() for file in Path(path).parent.iterdir())


def test_a_pending_episode_that_says_the_same_goes_too_and_one_that_says_something_like_it_is_named(open_engine, path):
    engine = open_engine(path)
    found = engine.store("The vault of the heron archive opens with quicksilver in Oslo", force=True).id
    place = engine.place().identity
    for name, text in (("same", "Morning! The vault of the heron archive opens with QUICKSILVER. Thanks."), ("like", "we always open the heron vault by quicksilver"),
                       ("other", "The lighthouse at the harbour is always green. And the vault?")):
        engine.mind.store.apply([AddEpisode(Episode(name, text, place, "s", "user", "user", 1.0))])
    gone = engine.forget(found, erase=True)
    assert (gone.rows["episode"], gone.like) == (2, ("like",))
    assert [e.id for e in engine.mind.store.episodes()] == ["like", "other"]
    assert engine.forget("like", erase=True).bytes_found == 0 and [e.id for e in engine.mind.store.episodes()] == ["other"]
    assert left(path) == []


@pytest.mark.parametrize(("old", "new"), [
    ("request logs of the gateway are kept in the european region", "request logs of the gateway are kept in the american region"),
    ("deployments are frozen during the red phase of the release", "deployments are frozen during the green phase of the release"),
    ("das Deployment der Kasse macht immer die Abteilung blau", "das Deployment der Kasse macht immer die Abteilung gelb"),
    ("database migrations run automatically on staging before release", "database migrations run manually on staging before release"),
    ("Alice reviews code of Bob", "Bob reviews code of Alice")])
def test_a_former_value_that_differs_in_one_word_or_in_the_order_stays(open_engine, old, new):
    engine = open_engine()
    first, second = (engine.store(text, force=True, key="one/key").id for text in (old, new))
    assert engine.list(status="superseded").memories[0].id == first
    gone = engine.forget(second, erase=True)
    assert gone.also == () and gone.like == (first,)
