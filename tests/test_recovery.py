"""Backup and recovery: copies have what was stored last, and a damaged file is kept aside untouched while its readable rows live on."""
import os
import stat

import apsw
import pytest

from mnemos_mcp.config import MnemosConfig
from mnemos_mcp.errors import BadInput, StoreUnavailable
from mnemos_mcp.model import Memory, Revision, Scope
from mnemos_mcp.recovery import backup, examine, recover
from mnemos_mcp.storage import salvage
from mnemos_mcp.storage.emptying import erase_everything
from mnemos_mcp.storage.sqlite import SqliteStore
from mnemos_mcp.writes import AddMemory, AddRevision

NOW = 1_790_000_000.0
KEYWORDS = MnemosConfig().keywords
PAGE = 4096


def open_store(path):
    return SqliteStore(str(path), clock=lambda: NOW, keywords=KEYWORDS)


def fill(store, count):
    store.apply([write for i in range(count) for write in (
        AddMemory(Memory(f"m{i:05d}", f"Fact {i}: the ledger service writes journal {i * 7} of tenant {i % 13}. " + "Detail. " * 20, Scope("global"),
                         tags=(f"t{i}",), created_at=NOW, valid_from=NOW, reinforced_at=NOW), f"fact ledger journal tenant {i}", f"h{i}"),
        AddRevision(Revision(f"m{i:05d}", 0, f"former text {i}", NOW - 10, NOW, "said anew")))])


@pytest.fixture
def damaged(tmp_path):
    """A file of 600 memories, closed, and its bytes; the test damages it."""
    path = tmp_path / "mnemos.db"
    store = open_store(path)
    fill(store, 600)
    store.close()
    return path


def ids_in(path):
    store = open_store(path)
    try:
        total, memories = store.browse(None, status="all", limit=-1, order="sequence")
        assert [m.status for m in memories] == ["active"] * total
        return [m.id for m in memories]
    finally:
        store.close()


def recovered(path):
    seen = examine(str(path))
    return recover(seen, now=NOW)


def test_a_backup_has_the_last_store_while_the_database_is_in_use_and_is_private(tmp_path):
    store = open_store(tmp_path / "mnemos.db")
    fill(store, 3)
    target = tmp_path / "copies" / "copy.db"
    assert backup(store, str(target)) == os.path.getsize(target)
    assert stat.S_IMODE(os.stat(target).st_mode) == 0o600
    assert os.listdir(target.parent) == ["copy.db"]
    store.close()
    assert ids_in(target) == ["m00000", "m00001", "m00002"]


def test_a_backup_replaces_no_file_without_force_and_never_the_database(tmp_path):
    store = open_store(tmp_path / "mnemos.db")
    target = tmp_path / "copy.db"
    target.write_text("mine")
    with pytest.raises(BadInput, match="exists"):
        backup(store, str(target))
    assert target.read_text() == "mine"
    backup(store, str(target), force=True)
    assert target.read_bytes().startswith(b"SQLite format 3")
    link = tmp_path / "link.db"
    link.symlink_to(store.path)
    for itself in (store.path, str(link), store.path + "-wal"):
        with pytest.raises(BadInput, match="the database itself"):
            backup(store, itself, force=True)
    store.close()


def test_a_whole_file_is_left_alone(damaged):
    before = damaged.read_bytes()
    assert recovered(damaged).state == "whole"
    assert damaged.read_bytes() == before
    assert os.listdir(damaged.parent) == ["mnemos.db"]


def test_from_the_first_half_of_a_file_what_is_readable_is_saved_and_the_half_is_kept_untouched(damaged):
    half = damaged.read_bytes()[:damaged.stat().st_size // 2]
    damaged.write_bytes(half)
    done = recovered(damaged)
    assert done.state == "damaged"
    with open(done.aside, "rb") as file:
        assert file.read() == half
    ids = ids_in(damaged)
    assert len(ids) == done.rows["memory"] > 30
    assert stat.S_IMODE(damaged.stat().st_mode) == 0o600
    assert sorted(os.listdir(damaged.parent)) == ["mnemos.db", os.path.basename(done.aside)]


def test_rows_around_overwritten_pages_are_saved_with_their_tags_and_former_texts(damaged):
    data = bytearray(damaged.read_bytes())
    pages = [n for n in range(1, len(data) // PAGE) if b"Detail. Detail." in data[n * PAGE:(n + 1) * PAGE] and data[n * PAGE] == 0x0D]
    for n in pages[3:5] + pages[-2:-1]:
        data[n * PAGE:(n + 1) * PAGE] = b"\xa5" * PAGE
    damaged.write_bytes(data)
    done = recovered(damaged)
    ids = ids_in(damaged)
    assert 500 < len(ids) < 600 and len(ids) + done.lost["memory"] == 600
    store = open_store(damaged)
    assert store.find(ids[0], None)[0].tags == ("t0",)
    assert [r.content for r in store.revisions(ids[-1])] == ["former text 599"]
    assert store.check()[3]["status"] == "ok"
    store.close()


def test_a_lost_first_page_costs_no_memory(damaged):
    data = damaged.read_bytes()
    damaged.write_bytes(b"\0" * PAGE + data[PAGE:])
    assert recovered(damaged).state == "damaged"
    assert len(ids_in(damaged)) == 600


def test_a_few_memories_are_saved_from_a_file_whose_schema_lies_in_the_lost_half(tmp_path):
    path = tmp_path / "mnemos.db"
    store = open_store(path)
    fill(store, 5)
    store.close()
    half = path.read_bytes()[:path.stat().st_size // 2]
    path.write_bytes(half)
    assert b"Fact 4: the ledger" in half
    assert recovered(path).state == "damaged"
    assert len(ids_in(path)) == 5


def test_memories_whose_branch_of_the_tree_is_lost_are_found_on_their_leaves(damaged):
    data = bytearray(damaged.read_bytes())
    assert data[PAGE] == 0x05  # the root of the table of memories
    data[PAGE:2 * PAGE] = b"\xa5" * PAGE
    damaged.write_bytes(data)
    done = recovered(damaged)
    assert (done.rows["memory"], done.lost.get("memory")) == (600, 0)
    store = open_store(damaged)
    assert store.find("m00123", None)[0].tags == ("t123",)
    store.close()


def test_a_text_with_a_damaged_byte_is_found_by_the_check_and_kept_with_a_mark(damaged):
    data = damaged.read_bytes().replace(b"Fact 77: the ledger", b"Fact 77: the l\xffdger")
    damaged.write_bytes(data)
    assert examine(str(damaged)).troubles[0].startswith("a text is damaged")
    done = recovered(damaged)
    assert done.rows["memory"] == 600
    store = open_store(damaged)
    assert store.find("m00077", None)[0].content.startswith("Fact 77: the l\ufffddger")
    store.close()


def test_the_latest_memories_in_the_log_file_are_saved_and_it_is_kept_aside_too(damaged, tmp_path):
    data = bytearray(damaged.read_bytes())
    store = open_store(damaged)
    fill_more = AddMemory(Memory("latest", "Said a moment ago.", Scope("global"), created_at=NOW, valid_from=NOW, reinforced_at=NOW), "said moment", "latest")
    store.apply([fill_more])
    log = (tmp_path / "mnemos.db-wal").read_bytes()
    store.close()
    page = next(n for n in range(20, len(data) // PAGE) if data[n * PAGE] == 0x0D)
    data[page * PAGE:(page + 1) * PAGE] = b"\xa5" * PAGE
    damaged.write_bytes(data)
    (tmp_path / "mnemos.db-wal").write_bytes(log)
    done = recovered(damaged)
    with open(done.aside + "-wal", "rb") as kept, open(done.aside, "rb") as aside:
        assert (kept.read(), aside.read()) == (log, data)
    assert ids_in(damaged)[-1] == "latest"


@pytest.mark.parametrize("content", [b"x" * 2000, b"some text that is no database\n" * 1000], ids=["2,000 bytes", "many pages"])
def test_a_file_that_is_no_database_is_said_to_be_none_and_kept_aside(tmp_path, content):
    path = tmp_path / "mnemos.db"
    path.write_bytes(content)
    seen = examine(str(path))
    assert seen.state == "no_database" and "not a database" in seen.troubles[0]
    assert path.read_bytes() == content
    done = recover(seen, now=NOW)
    with open(done.aside, "rb") as file:
        assert file.read() == content
    assert done.aside.endswith(".damaged-20260921-141320")
    assert ids_in(path) == []


def test_a_damaged_word_index_is_found_by_the_full_check_though_sqlite_says_ok(damaged):
    db = apsw.Connection(str(damaged))
    db.execute("delete from fts_docsize where id % 2")
    said = db.execute("pragma quick_check").fetchall()
    db.close()
    assert said == [("ok",)]
    assert examine(str(damaged)).state == "damaged"
    assert recovered(damaged).rows["memory"] == 600


def test_a_file_of_a_newer_program_is_no_damage_and_stays_as_it_is(damaged):
    db = apsw.Connection(str(damaged))
    db.execute("pragma user_version=999")
    db.close()
    before = damaged.read_bytes()
    with pytest.raises(StoreUnavailable, match="layout 999"):
        examine(str(damaged))
    assert damaged.read_bytes() == before


def test_a_file_that_another_connection_has_open_is_not_taken_away_from_it(damaged):
    store = open_store(damaged)
    store.browse(None)
    assert salvage.in_use(str(damaged))
    store.close()
    assert not salvage.in_use(str(damaged))


def test_no_file_is_an_error_not_an_empty_database(tmp_path):
    with pytest.raises(StoreUnavailable, match="no file"):
        examine(str(tmp_path / "missing.db"))
    assert os.listdir(tmp_path) == []


def test_erasing_everything_leaves_no_row_and_no_byte_of_a_text(tmp_path):
    path = tmp_path / "mnemos.db"
    store = open_store(path)
    fill(store, 40)
    gone = erase_everything(store.db, store.path)
    assert (gone["memory"], gone["tag"], gone["revision"], gone["bytes_found"]) == (40, 40, 40, 0)
    assert store.browse(None, status="all")[0] == 0
    fill(store, 2)
    assert store.browse(None)[0] == 2
    store.close()
    assert b"journal 7 of tenant" in path.read_bytes() and b"journal 70 of tenant" not in path.read_bytes()
