"""The demo speaks to the real server, prints what it answered, and leaves nothing behind."""
import os
import subprocess
import sys
from pathlib import Path

import pytest

from mnemos_mcp import demo

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """One run of the demo in a process of its own: its output, and what is left of its folder."""
    folder = tmp_path_factory.mktemp("demo")
    done = subprocess.run([sys.executable, "-m", "mnemos_mcp", "demo"], capture_output=True, text=True, encoding="utf-8", timeout=60, cwd=folder,
                          env={**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(folder), "HOME": str(folder)})
    return done, os.listdir(folder)


def test_it_shows_what_was_kept_not_kept_superseded_reinforced_and_refused(played):
    done, _ = played
    assert (done.returncode, done.stderr) == (0, "")
    for outcome in ("→ stored", "→ superseded", "→ not_news", "→ reinforced", "→ refused"):
        assert outcome in done.stdout, outcome


def test_it_answers_other_words_the_past_and_is_silent_off_topic(played):
    out = played[0].stdout
    answers = out.split("Asked later")[1]
    for text in ("We decided to keep the ledger in PostgreSQL 16", "I prefer small pull requests", "Fixed the flaky checkout test",
                 "The staging server is ibis", "The staging server is heron"):
        assert f"→ {text}" in answers, text
    assert "nothing is returned" in answers and "note:" in answers


def test_it_never_prints_or_keeps_the_pasted_key_and_leaves_nothing_behind(played):
    done, left = played
    assert demo.CLOUD_KEY not in done.stdout
    assert [name for name in left if name.startswith("mnemos-demo-")] == []


def test_it_says_how_each_client_gets_the_server(played):
    out = played[0].stdout
    for text in ("mnemos setup claude", "mnemos doctor", ".cursor/mcp.json", "~/.codeium/windsurf/mcp_config.json", "~/.codex/config.toml"):
        assert text in out
    readme = (ROOT / "README.md").read_text().splitlines()
    assert [line for line in demo.adding() if line.startswith("  ") and line.strip() not in readme] == []
    assert max(map(len, out.splitlines())) <= demo.WIDEST
    assert [line for line in out.splitlines() if line != line.rstrip()] == []
    assert "\x1b" not in out
