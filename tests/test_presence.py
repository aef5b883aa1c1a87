"""A file that is deleted, moved or replaced under running processes: noticed before the next use, nothing acknowledged lost, said by health."""
import json
import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from mcp_rig import ROOT, environment

WORKER = """
import json, sys
from mnemos_mcp import MnemosConfig
from mnemos_mcp.runtime import open_for_python
engine = open_for_python(MnemosConfig(store=sys.argv[1]), embedder=None, project="p")
print("ready", flush=True)
for line in sys.stdin:
    verb, *words = line.split()
    try:
        answer = {"store": lambda: engine.store(f"The staging server is {words[0]}", force=True).outcome,
                  "note": lambda: engine.store(f"The staging server is {words[0]}", force=True).note, "ask": lambda: engine.retrieve("which server").note,
                  "list": lambda: sorted(m.content.split()[-1] for m in engine.list(limit=100).memories),
                  "health": lambda: {c.name: [c.status, c.detail, c.remedy] for c in engine.health().checks}}[verb]()
    except Exception as error:
        answer = str(error)
    print(json.dumps(answer), flush=True)
"""


class Worker:
    """A process with the file open that does one verb a line."""

    def __init__(self, path):
        self.process = subprocess.Popen([sys.executable, "-c", WORKER, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT,
                                        env=environment(Path(path).parent.parent))
        assert self.process.stdout.readline() == "ready\n"

    def __call__(self, *words):
        self.process.stdin.write(" ".join(words) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())


@pytest.fixture
def path(tmp_path):
    (tmp_path / "data").mkdir()
    return str(tmp_path / "data" / "mnemos.db")


@pytest.fixture
def two(path):
    """Two processes that have stored heron and ibis."""
    workers = Worker(path), Worker(path)
    for worker, name in zip(workers, ("heron", "ibis"), strict=True):
        assert worker("store", name) == "stored"
    yield workers
    for worker in workers:
        worker.process.kill()
        worker.process.wait()


def test_a_deleted_log_is_written_into_the_file_and_both_go_on(two, path):
    one, other = two
    os.remove(path + "-wal")
    os.remove(path + "-shm")
    assert one("store", "stork") == "stored" and other("list") == ["heron", "ibis", "stork"]
    assert other("store", "crane") == "stored" and one("list") == ["crane", "heron", "ibis", "stork"]
    checks = one("health")
    assert checks["store"][0] == "warn" and "log of the database was deleted" in checks["store"][1] and "nothing was lost" in checks["store"][1]
    assert checks["file"][0] == checks["word_index"][0] == "ok"


def test_a_deleted_log_that_others_have_begun_anew_is_kept_beside_not_mixed_in(two, path):
    one, _ = two
    os.remove(path + "-wal")
    os.remove(path + "-shm")
    late = Worker(path)
    assert late("store", "egret") == "stored"
    assert one("store", "stork") == "stored" and one("list") == late("list")
    store = one("health")["store"]
    kept = store[1].split("kept in ")[1].split(":")[0]
    assert store[0] == "warn" and stat.S_IMODE(os.stat(kept).st_mode) == 0o600
    assert {"heron", "ibis"} <= set(Worker(kept)("list"))
    late.process.kill()


def test_a_deleted_database_is_begun_anew_by_both_and_private(two, path):
    one, other = two
    os.remove(path)
    assert one("store", "stork") == "stored" and one("list") == other("list") == ["stork"]
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
    assert "deleted" in one("health")["store"][1]


def test_the_next_reply_says_once_that_the_database_was_deleted(two, path):
    one, other = two
    assert "deleted" not in one("note", "egret") + other("ask")
    os.remove(path)
    said = one("note", "stork")
    assert "the database was deleted or replaced while it was open; a new, empty one was begun; mnemos_health says more" in said and path not in said
    assert "deleted" not in one("note", "crane")
    asked = other("ask")
    assert "the database was deleted or replaced while it was open; the one that is there now is used" in asked and path not in asked
    assert "deleted" not in other("ask")


def test_a_database_that_was_moved_takes_its_latest_stores_along(two, path, tmp_path):
    one, other = two
    os.rename(path, tmp_path / "data" / "old.db")
    assert other("store", "stork") == "stored" and one("list") == ["stork"]
    assert Worker(str(tmp_path / "data" / "old.db"))("list") == ["heron", "ibis"]


def test_a_database_put_in_its_place_is_used_and_the_former_one_is_kept(two, path, tmp_path):
    one, other = two
    backup = str(tmp_path / "data" / "backup.db")
    restored = Worker(backup)
    restored("store", "egret")
    restored.process.stdin.close()
    restored.process.wait()
    os.replace(backup, path)
    assert one("list") == other("list") == ["egret"]
    kept = one("health")["store"][1].split("kept in ")[1].split(":")[0]
    assert Worker(kept)("list") == ["heron", "ibis"]


def test_a_folder_that_is_gone_is_said_and_looked_for_again(two, path):
    one, _ = two
    folder = os.path.dirname(path)
    shutil.rmtree(folder)
    Path(folder).write_text("a file where the folder was")
    assert "cannot be opened" in one("store", "stork")
    os.remove(folder)
    assert one("store", "crane") == "stored" and one("list") == ["crane"] and stat.S_IMODE(os.stat(folder).st_mode) == 0o700
