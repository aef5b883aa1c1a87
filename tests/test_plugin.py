"""The plugin of Claude Code: its files fit together, its launcher finds mnemos and never troubles the client; the real client accepts it."""
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from mnemos_mcp import __version__
from mnemos_mcp.clients import claude

ROOT = Path(__file__).resolve().parent.parent
PLUGIN = ROOT / ".claude-plugin"
LAUNCHER = ROOT / "hooks" / "mnemos-hook"
HOOKS = json.loads((ROOT / "hooks" / "hooks.json").read_text())["hooks"]
MANIFEST = json.loads((PLUGIN / "plugin.json").read_text())
PAYLOAD = b'{"hook_event_name":"Stop","session_id":"s"}'
posix = pytest.mark.skipif(os.name != "posix", reason="a POSIX shell script")


def test_the_plugin_has_the_events_matchers_and_timeouts_that_setup_writes():
    wanted = {h.event: (h.matcher, h.timeout_s) for h in claude.EVENTS}
    assert {event: (groups[0].get("matcher", ""), groups[0]["hooks"][0]["timeout"]) for event, groups in HOOKS.items()} == wanted
    for event, groups in HOOKS.items():
        assert [h["command"] for g in groups for h in g["hooks"]] == [f'"${{CLAUDE_PLUGIN_ROOT}}/hooks/mnemos-hook" {event}']
        assert all("args" not in h for g in groups for h in g["hooks"])  # Cursor passes `command` of foreign hooks only


def test_failed_tools_and_the_end_of_a_session_are_registered():
    assert {"PostToolUseFailure", "SessionEnd"} <= set(HOOKS) and HOOKS["SessionEnd"][0]["hooks"][0]["timeout"] >= 3


def test_manifest_and_marketplace_name_the_same_plugin_in_this_version():
    market = json.loads((PLUGIN / "marketplace.json").read_text())
    assert (MANIFEST["name"], MANIFEST["version"]) == ("mnemos", __version__)
    assert [(p["name"], p["source"]) for p in market["plugins"]] == [("mnemos", "./")]


def test_every_path_of_the_manifest_is_there_and_stays_inside():
    for path in (MANIFEST["skills"], MANIFEST["commands"]):
        assert path.startswith("./") and ".." not in path and (ROOT / path).is_dir()
    assert {p.stem for p in (ROOT / MANIFEST["commands"]).iterdir()} == {"recall", "distil"}
    server = MANIFEST["mcpServers"]["mnemos"]
    assert server == {"command": "${CLAUDE_PLUGIN_ROOT}/hooks/mnemos-hook", "args": ["serve"]}


def test_skill_and_commands_have_a_description_and_name_only_tools_that_exist():
    import re

    from mnemos_mcp.tools import VERBS
    files = [*(ROOT / MANIFEST["skills"]).rglob("SKILL.md"), *(ROOT / MANIFEST["commands"]).glob("*.md")]
    assert len(files) == 3
    for file in files:
        text = file.read_text()
        assert re.match(r"---\n(?:[\w-]+: .+\n)*description: .+\n", text)
        assert set(re.findall(r"(?<!mnemos_)\bmnemos_(?!mnemos)(\w+)", text)) <= {v.name for v in VERBS}


def test_the_launcher_is_executable_in_git_too():
    assert os.access(LAUNCHER, os.X_OK)
    if (ROOT / ".git").exists():
        listed = subprocess.run(["git", "ls-files", "-s", "hooks/mnemos-hook"], cwd=ROOT, capture_output=True, text=True).stdout
        assert listed.startswith("100755")


@pytest.fixture
def launch(tmp_path):
    """Runs the launcher with a home of its own; `python` is a script that takes the place of the recorded interpreter, `mnemos` that on the PATH."""
    def run(event, *, python=None, mnemos=None, stdin=PAYLOAD, **env):
        tools = tmp_path / "bin"
        tools.mkdir(exist_ok=True)
        record = tmp_path / ".config" / "mnemos" / "python"
        if python is not None:
            record.parent.mkdir(parents=True, exist_ok=True)
            record.write_text(f"{_script(tmp_path / 'a python', python)}\n")
        if mnemos is not None:
            _script(tools / "mnemos", mnemos)
        environ = {"HOME": str(tmp_path), "PATH": f"{tools}:/usr/bin:/bin", **env}
        return subprocess.run([LAUNCHER, event], input=stdin, env={k: v for k, v in environ.items() if v}, capture_output=True, cwd=tmp_path, timeout=30)
    return run


def _script(path, body):
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    return path


@posix
def test_the_recorded_python_runs_the_hook_with_the_payload_and_its_words_are_passed_on(launch, tmp_path):
    done = launch("Stop", python='echo "$@" > seen; cat >> seen; echo said', mnemos="echo wrong; exit 1")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"said\n", b"")
    assert (tmp_path / "seen").read_bytes() == b"-EP -m mnemos_mcp.hook Stop\n" + PAYLOAD


@posix
@pytest.mark.parametrize("place", ["XDG", ".config", "Library/Application Support"])
def test_the_record_is_found_where_setup_puts_it(launch, tmp_path, place):
    folder = tmp_path / place / "mnemos"
    folder.mkdir(parents=True)
    (folder / "python").write_text(f"{_script(tmp_path / 'py', 'echo found')}\n")
    assert launch("SessionStart", XDG_CONFIG_HOME=str(tmp_path / "XDG") if place == "XDG" else "").stdout == b"found\n"


@posix
@pytest.mark.parametrize("record", ["/no/such/python", "", "relative/python", "/tmp"])
def test_without_a_usable_record_the_mnemos_of_the_path_runs(launch, tmp_path, record):
    (tmp_path / ".config" / "mnemos").mkdir(parents=True)
    (tmp_path / ".config" / "mnemos" / "python").write_text(record)
    done = launch("Stop", mnemos='echo "$@"; cat > seen')
    assert (done.returncode, done.stdout) == (0, b"hook Stop\n")
    assert (tmp_path / "seen").read_bytes() == PAYLOAD


@posix
def test_where_nothing_is_found_it_says_so_once_and_reads_its_input_to_the_end(launch):
    first, second = (launch("PreCompact", stdin=b"x" * 10_000_000) for _ in range(2))
    assert (first.returncode, first.stdout, second.returncode, second.stdout, second.stderr) == (0, b"", 0, b"", b"")
    assert first.stderr.count(b"\n") == 1 and b"mnemos setup claude" in first.stderr
    assert launch("PreCompact", mnemos="exit 0").stderr == b""
    assert launch("PreCompact", mnemos="exit 3").stderr.count(b"\n") == 1  # it was found in between: said anew


@posix
@pytest.mark.parametrize("end", ["exit 1", "kill -9 $$", "echo Traceback >&2; exit 2"])
def test_a_python_that_dies_neither_fails_nor_steers_the_client(launch, end):
    first, second = (launch("Stop", python=end, stdin=b"x" * 1_000_000) for _ in range(2))
    assert (first.returncode, first.stdout, second.returncode, second.stderr) == (0, b"", 0, b"")
    assert first.stderr.count(b"\n") == 1 and b"mnemos doctor" in first.stderr


@posix
@pytest.mark.parametrize("env", [{"HOME": ""}, {"HOME": "", "PATH": "/nowhere"}, {"HOME": "/proc/no"}])
def test_it_ends_well_without_a_home_or_a_path(launch, env):
    done = launch("SessionEnd", **env)
    assert (done.returncode, done.stdout) == (0, b"") and done.stderr.count(b"\n") <= 1


@posix
def test_a_mnemos_of_the_working_folder_is_never_run(launch, tmp_path):
    _script(tmp_path / "mnemos", "echo stolen")
    assert launch("Stop", PATH=".:/usr/bin:/bin").stdout == b""


@posix
@pytest.mark.parametrize("event", ["Stop", "serve"])
def test_variables_that_put_foreign_modules_before_ours_do_not_reach_the_mnemos_of_the_path(launch, event):
    done = launch(event, mnemos='echo "${PYTHONPATH-}${PYTHONHOME-}${PYTHONSTARTUP-}."', PYTHONPATH=".", PYTHONHOME="/x", PYTHONSTARTUP="x.py")
    assert done.stdout == b".\n"


@posix
def test_the_server_starts_by_the_same_launcher_and_says_plainly_when_it_cannot(launch, tmp_path):
    assert launch("serve", python='echo "$@"').stdout == b"-EP -m mnemos_mcp serve\n"
    (tmp_path / ".config" / "mnemos" / "python").unlink()
    done = launch("serve")
    assert done.returncode != 0 and done.stdout == b"" and b"mnemos setup claude" in done.stderr


@pytest.fixture
def client(tmp_path):
    """The real Claude Code (CLAUDE_BIN, else `claude` of the PATH) with an empty home and no network."""
    binary = os.environ.get("CLAUDE_BIN") or shutil.which("claude")
    assert binary, "put Claude Code on the PATH or name it in CLAUDE_BIN"

    def run(*words):
        env = {"HOME": str(tmp_path), "PATH": os.environ["PATH"], "HTTPS_PROXY": "http://127.0.0.1:9", "ANTHROPIC_API_KEY": "none",
               "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "MNEMOS_SQLITE_PATH": str(tmp_path / "mnemos.db")}
        done = subprocess.run([binary, *words], env=env, cwd=tmp_path, capture_output=True, text=True, timeout=120, stdin=subprocess.DEVNULL)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout
    return run


@pytest.mark.real_clients
def test_the_clients_own_validator_accepts_the_plugin(client):
    said = client("plugin", "validate", "--strict", str(ROOT))
    assert "Validation passed" in said and "commands: mnemos:distil" in said and "skills: mnemos:memory" in said


@pytest.mark.real_clients
def test_the_plugin_installs_offline_with_its_hooks_and_a_server_that_connects(client, tmp_path):
    record = tmp_path / ".config" / "mnemos" / "python"
    record.parent.mkdir(parents=True)
    record.write_text(sys.executable + "\n")
    lines = [line.split()[1:] for line in (ROOT / "README.md").read_text().splitlines() if line.startswith("claude plugin")]
    for words in lines:  # as the README has them, from a checkout
        client(*[str(ROOT) if word == "." else word for word in words])
    details = client("plugin", "details", "mnemos")
    assert "Hooks (8)" in details and "MCP servers (1)  mnemos" in details
    assert "Connected" in client("mcp", "list")


@pytest.mark.real_clients
def test_the_server_that_setup_writes_connects_in_the_real_client(client, tmp_path):
    env = {**{k: v for k, v in os.environ.items() if not k.startswith(("CLAUDE", "XDG"))}, "HOME": str(tmp_path)}
    subprocess.run([sys.executable, "-m", "mnemos_mcp", "setup", "claude"], env=env, cwd=ROOT, check=True, capture_output=True)
    assert "Connected" in client("mcp", "list")
