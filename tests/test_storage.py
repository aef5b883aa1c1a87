"""The store: one file, searched inside scope and time, whole after damage, the same by both ways of comparing vectors."""
import os
from pathlib import Path

import apsw
import numpy as np
import pytest

from mnemos_mcp.errors import StoreUnavailable
from mnemos_mcp.mechanisms.keywords import Keywords
from mnemos_mcp.model import GLOBAL, Episode, Memory, Scope, Search, View
from mnemos_mcp.storage import schema
from mnemos_mcp.storage.buffer import Buffer
from mnemos_mcp.storage.rows import row_of
from mnemos_mcp.writes import (
    AddEpisode,
    AddMemory,
    AddVectors,
    Count,
    JoinProjects,
    Keep,
    KnowProject,
    MarkRecalled,
    Move,
    RecordRun,
    Reinforce,
    Revise,
    SettleEpisodes,
    Supersede,
    UndoRun,
)

HERE = Scope("project", "git:example.com/a/b")
THERE = Scope("project", "git:example.com/c/d")
ALL = View((HERE, GLOBAL))
WORDS = Keywords()


def unit(*numbers: float) -> np.ndarray:
    vector = np.zeros(8, dtype=np.float32)
    vector[:len(numbers)] = numbers
    return vector / np.linalg.norm(vector)


def memory(number: int, content: str, scope: Scope = HERE, **fields) -> Memory:
    return Memory(id=f"{number:012x}", content=content, scope=scope, created_at=number, valid_from=number, reinforced_at=number, **fields)


def add(m: Memory, *vectors: np.ndarray, identity: str = "toy/8") -> AddMemory:
    return AddMemory(m, WORDS.index(m.content), m.content.casefold(), vectors, identity, max(1, len(vectors)))


def found(store, text: str = "", vector: np.ndarray | None = None, view: View = ALL) -> list[str]:
    result = store.search(Search(view, WORDS.terms(text), vector, "toy/8"))
    hits = [c for c in result.candidates if c.keyword or c.cosine is not None]
    return [c.memory.content for c in sorted(hits, key=lambda c: (-(c.cosine or 0.0), -c.keyword))]


@pytest.fixture(params=[True, False], ids=["sqlite-vec", "numpy"])
def store(request, open_store, path):
    return open_store(path, vector_functions=request.param)


def test_what_one_connection_writes_another_finds_at_once(store, open_store, path):
    other = open_store(path)
    store.apply([add(memory(1, "Redis listens on port 6390"), unit(1))])
    assert found(other, "redis port") == ["Redis listens on port 6390"]


def test_vectors_are_searched_inside_the_scope_not_cut_first(store):
    store.apply([add(memory(n, f"noise {n}", THERE), unit(1, 0.001 * n)) for n in range(1, 601)])
    store.apply([add(memory(999, "the only one here"), unit(0.1, 1))])
    for _ in range(2):  # the first search of a process and a later one go different ways
        result = store.search(Search(ALL, (), unit(1), "toy/8", limit=5))
        assert [c.memory.content for c in result.candidates] == ["the only one here"]


def test_both_ways_of_comparing_give_the_same_figures(open_store, path):
    rng = np.random.default_rng(7)
    vectors = [unit(*rng.normal(size=8)) for _ in range(60)]
    one = open_store(path)
    one.apply([add(memory(n + 1, f"text {n}"), vectors[n], vectors[(n * 7) % 60]) for n in range(60)])
    query = Search(ALL, (), unit(*rng.normal(size=8)), "toy/8")
    cold, warm = one.search(query), one.search(query)
    plain = open_store(path, vector_functions=False).search(query)
    figures = [{c.memory.id: c.cosine for c in f.candidates} for f in (cold, warm, plain)]
    assert all(figures[0][i] == pytest.approx(figures[k][i], abs=1e-5) for i in figures[0] for k in (1, 2))
    assert cold.cosine_mean == pytest.approx(plain.cosine_mean, abs=1e-5)


def test_a_warm_search_sees_new_revised_and_erased_vectors(store, open_store, path):
    store.apply([add(memory(1, "first"), unit(1)), add(memory(2, "second"), unit(0, 1))])
    assert found(store, vector=unit(1))[0] == "first"
    other = open_store(path)
    other.apply([Revise("000000000001", 1, "first, revised", "first revised", "h", 5.0, "why", (unit(0, 0, 1),), "toy/8")])
    other.apply([add(memory(3, "third"), unit(1, 0.1))])
    assert found(store, vector=unit(1))[0] == "third"
    assert found(store, vector=unit(0, 0, 1))[0] == "first, revised"
    other.erase([other.find("000000000003", ALL)[0]])
    assert "third" not in found(store, vector=unit(1))


def test_vectors_of_another_model_are_never_compared(store):
    store.apply([add(memory(1, "old model"), unit(1), identity="other/8"), add(memory(2, "new model"), unit(0, 1))])
    assert found(store, vector=unit(1)) == ["new model"]
    assert store.vector_state("toy/8") == (1, ["other/8"])
    assert [m.id for m, _ in store.unembedded("toy/8", 10)] == ["000000000001"]


def test_the_best_window_of_a_long_text_counts(store):
    store.apply([add(memory(1, "long"), unit(0, 1), unit(1, 0.05)), add(memory(2, "short"), unit(1, 0.3))])
    assert found(store, vector=unit(1)) == ["long", "short"]


def test_a_superseded_memory_is_found_as_of_its_time_and_never_now(store):
    store.apply([add(memory(1, "npm is used"), unit(1))])
    store.apply([Supersede("000000000001", "000000000005", 50.0, "changed", 1), add(memory(50, "pnpm is used"), unit(1, 0.1))])
    assert found(store, vector=unit(1)) == ["pnpm is used"]
    assert found(store, vector=unit(1), view=View((HERE,), as_of=49.0)) == ["npm is used"]
    assert found(store, vector=unit(1), view=View((HERE,), as_of=50.0)) == ["pnpm is used"]


def test_one_active_memory_holds_a_key_and_a_text(store):
    assert store.apply([add(memory(1, "npm", key="package-manager"))]).done
    assert store.apply([add(memory(2, "pnpm", key="package-manager"))]).stale == ("000000000002",)
    assert store.apply([add(memory(3, "NPM"))]).stale == ("000000000003",)
    assert store.apply([add(memory(4, "npm", THERE, key="package-manager"))]).done


def test_a_write_that_saw_an_older_version_changes_nothing(store):
    store.apply([add(memory(1, "one"))])
    store.apply([Revise("000000000001", 1, "one, fuller", "one fuller", "h", 5.0, "fuller")])
    applied = store.apply([Count("kept"), Supersede("000000000001", "x", 9.0, "late", 1)])
    assert applied.stale == ("000000000001",) and store.stats()["counters"] == {}
    assert [r.content for r in store.life(store.find("000000000001", ALL)[0])["revisions"]] == ["one"]


def test_tags_match_exactly_and_are_never_patterns(store):
    for n, tag in enumerate(["75%", "ci_fast", "ciXfast", "%", "other"], 1):
        store.apply([add(memory(n, f"tagged {tag}", tags=(tag,)))])
    for tag in ["75%", "ci_fast", "ciXfast", "%", "other"]:
        assert found(store, "tagged", view=View((HERE,), tags=(tag,))) == [f"tagged {tag}"]


def test_neighbours_in_the_session_come_along(store):
    store.apply([add(memory(n, text, session="s")) for n, text in enumerate(["what port?", "it is 6390", "thanks"], 1)])
    result = store.search(Search(ALL, WORDS.terms("6390")))
    by_text = {c.memory.content: c for c in result.candidates}
    assert set(by_text) == {"what port?", "it is 6390", "thanks"}
    assert (by_text["it is 6390"].before, by_text["it is 6390"].after) == ("000000000001", "000000000003")


def test_counting_a_recall_does_not_touch_the_word_index(store):
    store.apply([add(memory(1, "retry policy"))])
    before = store.db.execute("select block from fts_data").fetchall()
    store.apply([MarkRecalled(("000000000001",), 5.0, True, "q", 0.1), Reinforce("000000000001", 1.0, 6.0)])
    assert store.db.execute("select block from fts_data").fetchall() == before
    assert store.find("000000000001", ALL)[0].recalls == 1


@pytest.mark.parametrize("damage", [
    "delete from fts_docsize where id % 2 = 0", "delete from fts_data where id > 10", "update fts_data set block = zeroblob(40) where id > 10", "drop table fts_data",
])
def test_a_damaged_word_index_is_rebuilt_from_the_texts(open_store, path, damage):
    store = open_store(path)
    store.apply([add(memory(n, f"port number {n}")) for n in range(1, 51)])
    store.close()
    raw = apsw.Connection(path)
    raw.pragma("writable_schema", True)
    raw.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 0)
    raw.execute(damage)
    raw.close()
    again = open_store(path)
    assert len(found(again, "port")) == 50
    again.erase([again.find("000000000007", ALL)[0]])
    assert again.apply([add(memory(60, "port number 60"))]).done
    check = {c["name"]: c for c in again.check()}
    assert check["word_index"]["status"] == "warn" and "rebuilt" in check["word_index"]["detail"]


def test_a_file_of_a_newer_layout_is_left_alone(open_store, path):
    open_store(path).close()
    raw = apsw.Connection(path)
    raw.execute("pragma user_version = 999")
    raw.close()
    with pytest.raises(StoreUnavailable, match="layout 999"):
        open_store(path)
    assert apsw.Connection(path).pragma("user_version") == 999


def test_garbage_is_named_and_kept(open_store, path):
    with open(path, "w") as file:
        file.write("no database " * 200)
    with pytest.raises(StoreUnavailable, match=r"mnemos\.db.*recover"):
        open_store(path)
    with open(path) as file:
        assert file.read().startswith("no database")


def test_a_database_of_another_program_is_left_alone(open_store, path):
    raw = apsw.Connection(path)
    raw.execute("create table theirs(x)")
    raw.close()
    before = Path(path).read_bytes()
    with pytest.raises(StoreUnavailable, match="another program"):
        open_store(path)
    assert Path(path).read_bytes() == before and os.listdir(os.path.dirname(path)) == [os.path.basename(path)]


@pytest.mark.parametrize("first", [True, False], ids=["no file", "an empty file"])
@pytest.mark.parametrize("after", range(1, 7))
def test_the_file_opens_when_another_process_lays_it_out_between_any_two_statements(open_store, path, monkeypatch, first, after):
    if not first:
        Path(path).touch(mode=0o600)
    seen = []

    def watched(db):
        def between(_cursor, sql, _bindings):
            seen.append(sql)
            if len(seen) == after:
                monkeypatch.setattr(apsw, "connection_hooks", [])
                open_store(path).close()
            return True
        db.exec_trace = between

    monkeypatch.setattr(apsw, "connection_hooks", [watched])
    assert open_store(path).browse(ALL)[0] == 0 and len(seen) >= after


def test_a_hook_does_not_wait_for_those_who_begin_the_file(path, monkeypatch):
    other = apsw.Connection(path)
    other.execute("begin immediate")
    rests = []
    monkeypatch.setattr(schema.time, "sleep", rests.append)
    with pytest.raises(StoreUnavailable):
        Buffer(path, now=0.0, busy_ms=400)
    assert len(rests) == 20 and sum(rests) < 0.41
    other.close()


def test_without_shared_memory_the_rollback_journal_does_and_health_names_it(open_store, path):
    one = open_store(path)
    one.apply([add(memory(1, "heron"))])
    one.close()
    os.symlink("nowhere", path + "-shm")  # SQLite follows no link there: the shared memory cannot be had
    again, other = open_store(path), open_store(path)
    again.apply([add(memory(2, "ibis"))])
    other.apply([add(memory(3, "crane"))])
    assert again.browse(ALL)[0] == 3 and again.db.pragma("journal_mode") == "delete"
    check = {c["name"]: c for c in again.check()}["sqlite"]
    assert check["status"] == "warn" and "shared memory" in check["detail"] and check["effect"] and check["remedy"]
    again.close()
    other.close()
    os.remove(path + "-shm")
    assert open_store(path).db.pragma("journal_mode") == "wal"


def test_damaged_vectors_are_left_out_named_and_made_again(store):
    store.apply([add(memory(1, "heron"), unit(1)), add(memory(2, "ibis"), unit(0, 1)), add(memory(3, "crane"), unit(1, 1))])
    store.db.execute("update vector set vec = x'00112233' where n = 1")
    store.db.execute("pragma foreign_keys=off")
    store.db.execute("insert into vector(n, part, identity, vec) values (99, 0, 'toy/8', zeroblob(32))")
    for _ in range(2):
        assert found(store, vector=unit(1)) == ["crane", "ibis"]
    assert set(store.vectors_of(["000000000001", "000000000002", "000000000003"], "toy/8")) == {"000000000002", "000000000003"}
    check = {c["name"]: c for c in store.check()}["vector_rows"]
    assert check["status"] == "warn" and "2 vectors were damaged" in check["detail"] and "reembed" in check["remedy"]
    assert {c["name"]: c for c in store.check()}["vector_rows"]["status"] == "ok"
    assert [m.content for m, _ in store.unembedded("toy/8", 5)] == ["heron"]


def test_every_migration_step_is_recorded_with_itself(open_store, path):
    store = open_store(path)
    assert store.db.execute("select number from migration order by number").fetchall() == [(n,) for n in range(1, schema.LAYOUT + 1)]
    assert store.db.pragma("user_version") == schema.LAYOUT and store.db.pragma("journal_mode") == "wal" and store.db.pragma("synchronous") == 2


def test_erase_leaves_no_byte_in_file_or_log(store, path):
    store.apply([add(memory(1, "the zebra password hint lives here"), unit(1)), AddEpisode(Episode(
        "e1", "the zebra password hint lives here", "p", "s", "user", "user", 1.0, memory_id="000000000001"))])
    store.apply([Revise("000000000001", 1, "the zebra hint was moved elsewhere", "zebra hint moved", "h2", 2.0, "fuller")])
    gone = store.erase([store.find("000000000001", ALL)[0]])
    assert gone["bytes_found"] == 0 and gone["memory"] == gone["episode"] == gone["revision"] == 1
    for side in ("", "-wal"):
        with open(path + side, "rb") as file:
            assert b"zebra" not in file.read()


def test_a_run_is_undone_to_the_byte(store):
    store.apply([add(memory(1, "kept as it was"), unit(1)), add(memory(2, "goes to the archive"), unit(0, 1)),
                 AddEpisode(Episode("e1", "said", "p", "s", "user", "user", 1.0))])
    before = [row_of(m) for m in store.browse(None, status="all")[1]]
    run = RecordRun("r1", 9.0, "p", {}, ("000000000001", "000000000002"), ("000000000003",), (("e1", "000000000003"),))
    store.apply([run, Revise("000000000001", 1, "rewritten", "rewritten", "h", 9.0, "x", (unit(0, 0, 1),), "toy/8"), Move("000000000002", "archived", "faded", 9.0, 0.01),
                 add(memory(3, "a new fact"), unit(1, 1)), SettleEpisodes(("e1",), "000000000003")])
    assert len(store.episodes()) == 0 and found(store, vector=unit(1))[0] != "kept as it was"
    assert store.apply([UndoRun("r1", 10.0)]).done
    assert [row_of(m) for m in store.browse(None, status="all")[1]] == before
    assert [e.id for e in store.episodes()] == ["e1"] and found(store, vector=unit(1))[0] == "kept as it was"


def test_the_same_event_is_one_episode(store):
    for n in range(2):
        store.apply([AddEpisode(Episode(f"e{n}", "npm test failed", "p", "s", "tool", "tool", 1.0, event="session/tool-use-1"))])
    assert len(store.episodes()) == 1


def test_small_values_projects_and_joins_survive_a_restart(open_store, path):
    store = open_store(path)
    store.apply([Keep("slept:p", "1.0"), KnowProject("git:a/b/c", "c", "/c", 1.0), KnowProject("dir:1", "c", "/old/c", 1.0), JoinProjects("dir:1", "git:a/b/c")])
    store.close()
    again = open_store(path)
    assert again.kept("slept:p") == "1.0" and again.joined() == {"dir:1": "git:a/b/c"} and len(again.projects()) == 2
    again.apply([JoinProjects("dir:1", "")])
    assert again.joined() == {}


def test_a_backup_holds_what_was_stored_last(store, open_store, tmp_path):
    store.apply([add(memory(1, "stored just now"))])
    store.backup(str(tmp_path / "copy.db"))
    assert found(open_store(str(tmp_path / "copy.db")), "stored") == ["stored just now"]


def test_a_store_for_reading_only_refuses_to_write(open_store, path):
    open_store(path).apply([add(memory(1, "readable"))])
    reader = open_store(path, read_only=True)
    assert found(reader, "readable") == ["readable"]
    with pytest.raises(StoreUnavailable, match="reading only"):
        reader.apply([Count("kept")])


def test_vectors_that_come_later_belong_to_the_version_they_were_made_from(store):
    store.apply([add(memory(1, "text"))])
    assert store.apply([AddVectors("000000000001", 2, "toy/8", (unit(1),), 1)]).stale == ("000000000001",)
    assert store.apply([AddVectors("000000000001", 1, "toy/8", (unit(1),), 1)]).done
    assert store.unembedded("toy/8", 5) == []
