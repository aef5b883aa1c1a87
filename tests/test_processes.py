"""Several processes on one file: each sees the other's stores at once, racing writers and first starts lose nothing, a kill loses nothing acknowledged."""
import json
import subprocess
import sys
from pathlib import Path

import apsw
import pytest
from mcp_rig import ROOT, Server, environment

from mnemos_mcp.storage.emptying import erase_everything
from mnemos_mcp.storage.schema import LAYOUT

WRITER = """
import sys
from mnemos_mcp import MnemosConfig
from mnemos_mcp.runtime import open_for_python
engine = open_for_python(MnemosConfig(store=sys.argv[1]), embedder=None, project="p")
print("ready", flush=True)
sys.stdin.readline()
for n in range(int(sys.argv[3])):
    result = engine.store(f"Worker {sys.argv[2]} writes fact number {n} of its list", force=True)
    print(result.outcome, result.id, flush=True)
"""
COUNTER = """
import sys
from mnemos_mcp import MnemosConfig
from mnemos_mcp.runtime import open_for_python
print(open_for_python(MnemosConfig(store=sys.argv[1]), embedder=None, project="p").mind.store.browse(None)[0])
"""
READER = """
import sys
from mnemos_mcp import MnemosConfig
from mnemos_mcp.runtime import open_for_python
engine = open_for_python(MnemosConfig(store=sys.argv[1]), embedder=None, project="p")
for n in range(int(sys.argv[2])):
    engine.retrieve("which fact did worker 3 write", explain=True)
print("read", flush=True)
"""


def spawn(code, *args):
    return subprocess.Popen([sys.executable, "-c", code, *map(str, args)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                            env=environment(Path(args[0]).parent), cwd=ROOT)


def start_together(writers):
    for writer in writers:
        assert writer.stdout.readline() == "ready\n", writer.stderr.read()
    for writer in writers:
        writer.stdin.write("\n")
        writer.stdin.flush()


def stored_texts(path):
    db = apsw.Connection(path)
    return [row[0] for row in db.execute("select content from memory where status = 'active'")]


def whole(path):
    """Text, index and vectors agree."""
    db = apsw.Connection(path)
    db.execute("insert into fts(fts, rank) values ('integrity-check', 1)").fetchall()
    return db.execute("pragma integrity_check").fetchall() == [("ok",)]


def test_two_servers_and_a_command_see_each_others_stores_at_once(tmp_path):
    words_only = {"MNEMOS_EMBEDDING_PROVIDER": "none"}  # whose the store is does not depend on meaning
    with Server(tmp_path, **words_only) as one, Server(tmp_path, **words_only) as two:
        one.start()
        two.start()
        first = one.call("store", content="MARKER-QX-4417 is the code name of the release", session="a")
        assert [m["id"] for m in two.call("retrieve", query="MARKER-QX-4417")["memories"]] == [first["id"]]
        said = subprocess.run([sys.executable, "-m", "mnemos_mcp", "--json", "store", "The staging server is ibis"], capture_output=True, text=True,
                              env=environment(tmp_path, **words_only), cwd=tmp_path / "project", check=True)
        second = json.loads(said.stdout)["id"]
        assert {m["id"] for m in one.call("list")["memories"]} == {first["id"], second} == {m["id"] for m in two.call("list")["memories"]}
        two.call("forget", id=second)
        assert [m["id"] for m in one.call("list")["memories"]] == [first["id"]]


def test_six_writers_and_a_reader_lose_nothing_and_see_no_lock(tmp_path):
    path = str(tmp_path / "mnemos.db")
    writers = [spawn(WRITER, path, n, 10) for n in range(6)]
    start_together(writers)
    reader = spawn(READER, path, 15)
    for writer in writers:
        out, err = writer.communicate(timeout=120)
        assert writer.returncode == 0 and out.count("stored") == 10, err
    assert reader.communicate(timeout=120)[0] == "read\n" and reader.returncode == 0
    assert len(stored_texts(path)) == 60 and whole(path)


def test_six_first_starts_at_once_make_the_layout_once(tmp_path):
    path = str(tmp_path / "fresh.db")
    writers = [spawn(WRITER, path, n, 1) for n in range(6)]
    start_together(writers)
    for writer in writers:
        assert "stored" in writer.communicate(timeout=120)[0]
    assert apsw.Connection(path).execute("select count(*) from migration").fetchall() == [(LAYOUT,)] and len(stored_texts(path)) == 6


def test_a_kill_loses_nothing_that_was_acknowledged(tmp_path):
    path = str(tmp_path / "mnemos.db")
    acknowledged = []
    for round_number in range(3):
        writer = spawn(WRITER, path, round_number, 100_000)
        start_together([writer])
        acknowledged += [writer.stdout.readline().split()[1] for _ in range(3 + 8 * round_number)]
        writer.kill()
        writer.communicate()
    ids = {row[0] for row in apsw.Connection(path).execute("select id from memory")}
    assert set(acknowledged) <= ids and whole(path)


def test_two_values_for_one_key_from_two_processes_leave_one_current_value(tmp_path):
    path = str(tmp_path / "mnemos.db")
    code = WRITER.replace('engine.store(f"Worker {sys.argv[2]} writes fact number {n} of its list", force=True)',
                          'engine.store(f"The deploy host is worker-{sys.argv[2]}-{n}", key="deploy-host")')
    writers = [spawn(code, path, n, 15) for n in range(3)]
    start_together(writers)
    for writer in writers:
        out, err = writer.communicate(timeout=120)
        assert writer.returncode == 0 and "refused" not in out, err
    db = apsw.Connection(path)
    assert len(stored_texts(path)) == 1 and db.execute("select count(*) from memory where valid_to is null").fetchall() == [(1,)]


@pytest.mark.parametrize("erasing", ["one", "everything"])
def test_after_an_erasure_processes_still_see_each_other(path, open_engine, erasing):
    """Looking for left-over bytes must not cost SQLite its locks: the next process would take the log away, and later writes would be lost."""
    engine = open_engine(path, embedder=None)
    first = engine.store("The first statement of this test", force=True).id
    gone = engine.forget(first, erase=True).bytes_found if erasing == "one" else erase_everything(engine.mind.store.db, path)["bytes_found"]
    assert gone == 0
    writer = spawn(WRITER, path, 1, 1)
    start_together([writer])
    assert writer.communicate(timeout=60)[0].startswith("stored ") and writer.returncode == 0
    assert [m.content for m in engine.mind.store.browse(None)[1]] == ["Worker 1 writes fact number 0 of its list"]
    engine.store("What this process says afterwards", force=True)
    again = spawn(COUNTER, path)
    assert again.communicate(timeout=60)[0] == "2\n"
