"""Compiled patterns kept between processes are those that would be compiled, or are not used."""
import importlib
import os
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import pytest
from hook_rig import Client

from mnemos_mcp import mechanisms, patterns
from mnemos_mcp.mechanisms import failures, gate_features, lazy
from mnemos_mcp.mechanisms.durable_cues import pattern


@pytest.fixture
def kept(tmp_path):
    for module in pkgutil.iter_modules(mechanisms.__path__):
        importlib.import_module(f"mnemos_mcp.mechanisms.{module.name}")
    assert patterns.keep(str(tmp_path)) > 300
    return tmp_path


def test_every_pattern_comes_out_of_the_file_as_it_would_be_compiled(kept):
    stored = patterns.Kept(str(kept))
    for one in lazy.MADE:
        assert stored.stored(one.pattern, one.flags) == re.compile(one.pattern, one.flags)
    assert stored.stored("never seen (a|b)", 0) is None
    assert stored("never seen (a|b)").fullmatch("never seen b")


def test_named_groups_come_out_of_the_file_too(tmp_path, monkeypatch):
    monkeypatch.setattr(lazy, "MADE", [lazy.Lazy(r"(?P<host>\w+)(:(?P<port>\d+))?", re.ASCII)])
    patterns.keep(str(tmp_path))
    found = patterns.Kept(str(tmp_path)).stored(r"(?P<host>\w+)(:(?P<port>\d+))?", re.ASCII)
    assert found is not None and found.fullmatch("db:5432").groupdict() == {"host": "db", "port": "5432"}


def test_what_is_there_is_kept_and_only_what_is_new_is_added(kept):
    assert patterns.keep(str(kept)) == 0
    late = lazy.Lazy("a pattern that was made (late|later)")
    assert patterns.keep(str(kept)) == 1
    assert patterns.Kept(str(kept)).stored(late.pattern, 0) == re.compile(late.pattern)
    assert patterns.Kept(str(kept)).stored(pattern("lasting").pattern, 0) == re.compile(pattern("lasting").pattern)


@pytest.mark.parametrize("part", ["head", "index", "code", "cut", "empty"])
def test_a_damaged_file_gives_no_pattern_that_is_nearly_right(kept, part):
    path = Path(patterns.path_in(str(kept)))
    data = bytearray(path.read_bytes())
    listed = int.from_bytes(data[:8], "little")
    if part in ("cut", "empty"):
        data = data[:len(data) // 2 if part == "cut" else 0]
    else:
        for at in {"head": range(8), "index": range(8, 8 + listed), "code": range(8 + listed, len(data), 7)}[part]:
            data[at] ^= 0xFF
    path.write_bytes(data)
    stored = patterns.Kept(str(kept))
    for one in lazy.MADE:
        assert stored.stored(one.pattern, one.flags) in (None, re.compile(one.pattern, one.flags))
        assert stored(one.pattern, one.flags) == re.compile(one.pattern, one.flags)
    assert patterns.keep(str(kept)) > 0  # the next worker mends it
    mended = patterns.Kept(str(kept))
    assert all(mended.stored(one.pattern, one.flags) for one in lazy.MADE)


def test_a_pattern_of_the_same_checksum_is_not_taken_for_it(kept, tmp_path, monkeypatch):  # with `kept` every pattern is made already
    monkeypatch.setattr(lazy, "MADE", [lazy.Lazy("one")])
    monkeypatch.setattr(patterns, "_key", lambda source, flags: (1, flags))
    patterns.keep(str(tmp_path))
    assert patterns.Kept(str(tmp_path)).stored("one", 0) and patterns.Kept(str(tmp_path)).stored("another", 0) is None


def test_a_file_that_others_may_write_is_not_read(kept):
    os.chmod(patterns.path_in(str(kept)), 0o620)
    assert patterns.Kept(str(kept)).stored(pattern("lasting").pattern, 0) is None


def test_where_nothing_can_be_written_nothing_is_kept_and_nobody_is_told(tmp_path):
    (tmp_path / "file").write_text("")
    assert patterns.keep(str(tmp_path / "file")) == 0 and patterns.keep("") == 0


def test_the_first_worker_leaves_its_patterns_private_and_a_start_finds_all_it_needs(tmp_path):
    client = Client(tmp_path)
    client.prompt("We deploy the billing service with Nomad, not Kubernetes.", "killed")
    client.sleep()
    folder = os.path.join(client.environment["HOME"], ".local", "share", "mnemos")
    path = patterns.path_in(folder)
    assert os.stat(path).st_mode & 0o777 == 0o600 and os.stat(folder).st_mode & 0o777 == 0o700
    stored = patterns.Kept(folder)
    assert stored.stored(pattern("lasting").pattern, 0) and stored.stored(pattern("lasting", "en").pattern, 0)
    assert stored.stored(failures._EXIT.pattern, failures._EXIT.flags) and stored.stored(gate_features._TOKEN.pattern, 0)


def test_a_start_wakes_a_worker_for_patterns_that_were_never_kept_and_for_none_that_are(tmp_path):
    client = Client(tmp_path)
    code = ("from mnemos_mcp import hook, waking; waking.wake = lambda moment, folder: print(moment); hook.main(['SessionStart'])")
    words = [sys.executable, "-P", "-c", code]
    start = b'{"session_id": "s", "hook_event_name": "SessionStart", "source": "startup"}'
    assert subprocess.run(words, input=start, capture_output=True, cwd=client.repository, env=client.environment, check=True).stdout == b"session_end\n"
    client.sleep()
    assert subprocess.run(words, input=start, capture_output=True, cwd=client.repository, env=client.environment, check=True).stdout == b""
