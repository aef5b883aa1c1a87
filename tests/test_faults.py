"""Kills, floods of writers, full disks and damage by the harness in benchmarks/: a quick round of each here, the stated numbers under `slow`."""
import json
import subprocess
import sys

import pytest
from mcp_rig import ROOT, environment

HARNESS = str(ROOT / "benchmarks" / "faults.py")
KINDS = ("kill -9 in store", "kill -9 in consolidate", "kill -9 in reembed, then run again", "kill -9 in import", "kill -9 while the layout is made or raised",
         "six first starts at once, no file and the oldest layout", "writers", "full disk or limit", "cut to half its length", "garbage in its place",
         "layout of a newer program", "docsize table of the index halved", "data table of the index halved", "config table of the index gone", "damaged vectors")


def harness(home, *words, timeout):
    done = subprocess.run([sys.executable, HARNESS, "--json", *words], capture_output=True, text=True, timeout=timeout, env=environment(home), check=False)
    assert done.stdout, done.stderr[-2000:]
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    found = harness(tmp_path_factory.mktemp("faults"), "--quick", timeout=300)
    return {"writers" if " writers x " in row["fault"] else "full disk or limit" if row["fault"].startswith(("full disk", "limit")) else row["fault"]: row
            for row in found}


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_acknowledged_is_lost_and_nothing_is_repaired_by_hand(rows, kind):
    assert (rows[kind]["lost"], rows[kind]["by_hand"]) == (0, 0), rows[kind]
    assert rows[kind]["tried"] and (rows[kind]["acknowledged"] or kind in ("kill -9 in import", KINDS[4])), rows[kind]


def test_no_caller_sees_a_lock(rows):
    assert "'locked' seen by a caller: 0" in rows["writers"]["seen"]


@pytest.mark.slow
def test_the_stated_numbers_of_kills_and_writers(tmp_path):
    for row in harness(tmp_path, timeout=3600):
        assert (row["lost"], row["by_hand"]) == (0, 0), row
        assert " writers x " not in row["fault"] or "'locked' seen by a caller: 0" in row["seen"], row
