"""The README cannot drift: its snippets run, its commands exist, its settings are those of the program, its JSON and TOML parse."""
import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from mcp_rig import ROOT, environment

TEXT = (ROOT / "README.md").read_text()
BLOCKS = re.findall(r"```(\w+)\n(.*?)```", TEXT, re.S)
COMMANDS = [line for kind, block in BLOCKS if kind == "console" for line in block.splitlines()]


def run(tmp_path: Path, *command: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True, env=environment(tmp_path), cwd=tmp_path / "project")
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("snippet", [block for kind, block in BLOCKS if kind == "python"], ids=lambda s: s.splitlines()[-1][:30])
def test_a_python_snippet_runs_as_printed_and_leaves_no_file_but_the_one_it_names(tmp_path, snippet):
    before = set(tmp_path.rglob("*"))
    named = set(re.findall(r'store="([^"]+)"', snippet))
    env = environment(tmp_path)
    done = subprocess.run([sys.executable, "-c", snippet], capture_output=True, text=True, env={**env, "MNEMOS_SQLITE_PATH": ""}, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    left = {str(path.relative_to(tmp_path)) for path in set(tmp_path.rglob("*")) - before}
    assert {name.removesuffix("-wal").removesuffix("-shm") for name in left - {"project"}} == named and done.stdout


def test_what_the_python_snippet_with_a_file_keeps_the_next_run_finds(tmp_path):
    snippet = next(block for kind, block in BLOCKS if kind == "python" and "store=" in block)
    asking = "\n".join(line for line in snippet.splitlines() if "engine.store" not in line)
    for code in (snippet, asking):
        said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment(tmp_path), cwd=tmp_path, check=True).stdout
        assert said == "['Release branches are cut on Thursdays']\n"


def test_the_python_snippet_of_the_contract_keeps_and_finds(tmp_path):
    snippet = next(block for kind, block in BLOCKS if kind == "python" and "migrating" in block)
    out = subprocess.run([sys.executable, "-c", snippet], capture_output=True, text=True, env=environment(tmp_path), cwd=tmp_path, check=True).stdout
    assert out.startswith("True 0.") and "I'm migrating from Python to Rust {'" in out


def test_the_json_and_toml_blocks_parse_and_name_the_server():
    for kind, block in BLOCKS:
        if kind == "json":
            servers = json.loads(block)
            assert next(iter(next(iter(servers.values())).values()))["command"] == "mnemos-mcp"
        elif kind == "toml" and "mcp_servers" in block:
            assert tomllib.loads(block)["mcp_servers"]["mnemos"]["command"] == "mnemos-mcp"
    assert json.loads((ROOT / ".mcp.json.example").read_text())["mcpServers"]["mnemos"]["command"] == "mnemos-mcp"


def test_the_off_switch_of_a_repository_is_one_it_may_set_and_it_works(tmp_path):
    from mnemos_mcp.model import Scope
    from mnemos_mcp.settings import load
    (tmp_path / "repo" / ".mnemos").mkdir(parents=True)
    block = next(block for kind, block in BLOCKS if kind == "toml" and "inject" in block)
    (tmp_path / "repo" / ".mnemos" / "mnemos.toml").write_text(block)
    settings = load({"HOME": str(tmp_path)}, cwd=str(tmp_path / "repo"), home=str(tmp_path))
    assert settings.problems == () and settings.inject == "off"
    assert settings.govern(Scope("project", "here"), "here").capture_mode == "manual_only"


def test_what_the_readme_says_of_switching_off_for_good_leaves_nothing(tmp_path):
    environment(tmp_path)
    for words in (["setup", "claude"], ["setup", "claude", "--remove"], ["erase-all", "--yes"]):
        run(tmp_path, sys.executable, "-m", "mnemos_mcp", *words)
    assert not [p for p in tmp_path.rglob("*") if p.is_file() and not p.name.startswith("mnemos.db") and p.parent.name != "mnemos"]


def test_every_client_of_the_table_is_one_that_setup_knows():
    from mnemos_mcp.clients.catalogue import CLIENTS
    titles = re.findall(r"^\| ([^|`]*?) \| (?:`|printed)", TEXT, re.M)
    assert {title for cell in titles for title in cell.split(", ")} == {c.title for c in CLIENTS.values()}
    shown = " ".join(line for line in TEXT.splitlines() if line.startswith("| "))
    for client in CLIENTS.values():
        for path in (*client.servers.values(), *client.hook_files.values()) if not client.print_only else ():
            assert os.path.basename(path.replace("{claude_json}", ".claude.json")) in shown


@pytest.mark.parametrize("examined", [["claude"], pytest.param([], marks=pytest.mark.slow)], ids=["one client", "every client"])
def test_the_mnemos_commands_run_in_their_order(tmp_path, examined):
    """As they are printed; doctor, which starts hook and server of each client, looks at one of them unless the run is slow."""
    environment(tmp_path)
    lines = [line for line in COMMANDS if line.startswith("mnemos ")]
    assert len(lines) >= 7 and "mnemos doctor" in lines
    for line in lines:
        words = [a or b for a, b in re.findall(r'"([^"]*)"|(\S+)', line)][1:]
        run(tmp_path, sys.executable, "-m", "mnemos_mcp", *words, *(examined if words == ["doctor"] else []))
    assert (tmp_path / "project" / "memories.jsonl").read_text().startswith("{")


def test_the_two_commands_of_the_first_screen_are_those_that_ci_and_demo_run():
    first = [line for line in COMMANDS if line.startswith("pip install")]
    assert first[:2] == ["pip install . && mnemos demo", "pip install '.[test]' && pytest"]
    assert first[1] in (ROOT / ".ci" / "run").read_text()


def test_every_setting_of_the_table_is_known_and_has_the_default_it_says():
    from mnemos_mcp.options import BY_ENV
    rows = re.findall(r"^\| (`MNEMOS_[^|]*)\|([^|]*)\|", TEXT, re.M)
    names = {name: default for cell, default in rows for name in re.findall(r"`(\w+)`", cell)}
    assert set(names) <= set(BY_ENV) and len(names) >= 12
    for name in ("MNEMOS_STORE_TYPE", "MNEMOS_EMBEDDING_PROVIDER", "MNEMOS_LLM_PROVIDER", "MNEMOS_MEMORY_CAPTURE_MODE", "MNEMOS_LOG_LEVEL"):
        assert names[name].strip("` ") == BY_ENV[name].default


def test_the_default_path_is_the_one_it_says():
    from mnemos_mcp.settings import load
    assert load({"HOME": "/home/somebody"}, cwd=os.sep).sqlite_path.endswith("/mnemos/mnemos.db")
