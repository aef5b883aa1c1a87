"""`mnemos doctor`: a canary through hook and server as configured, nothing of it left, and a remedy for whatever is broken."""
import json
import os
import subprocess
import sys

import apsw
import pytest
from mcp_rig import ROOT, environment

from mnemos_mcp.clients.catalogue import CLIENTS

# A hook of the same interface: captures the prompt, hands over the brief.
HOOK = f"""#!{sys.executable}
import json, sys, time
sys.path.insert(0, {str(ROOT)!r})
from mnemos_mcp import runtime, settings
from mnemos_mcp.model import Episode
from mnemos_mcp.writes import AddEpisode
payload = json.loads(sys.stdin.buffer.read())
engine = runtime.open_engine(settings.load(), door="hook")
if sys.argv[1] in ("SessionStart", "sessionStart"):
    print(engine.brief())
elif "prompt" in payload:
    engine.mind.store.apply([AddEpisode(Episode(runtime.new_id(), payload["prompt"], engine.place().identity or "", payload.get("session_id", ""), "user", "user", time.time()))])
engine.close()
"""
posix = pytest.mark.skipif(os.name != "posix", reason="a script as a hook")
pytestmark = posix


@pytest.fixture
def user(tmp_path):
    """A user with a home, a project and a hook of ours; runs mnemos as a process."""
    class User:
        home = tmp_path
        env = environment(tmp_path, MNEMOS_EMBEDDING_PROVIDER="none")
        hook = tmp_path / "mnemos-hook"

        def run(self, *words, cwd="project", **env):
            done = subprocess.run([sys.executable, "-m", "mnemos_mcp", *words, "--json"], env={**self.env, **env}, cwd=tmp_path / cwd,
                                  capture_output=True, text=True, timeout=300)
            return done.returncode, json.loads(done.stdout)

        def hooked(self, name="claude", command="{hook} {event}"):
            """The client's hooks, each by our script or by another command line."""
            path = {"claude": ".claude/settings.json", "cursor": ".cursor/hooks.json"}[name]
            events = {h.event: command.format(hook=self.hook, event=h.event) for h in CLIENTS[name].hooks}
            groups = {e: [{"command": c}] if name == "cursor" else [{"hooks": [{"type": "command", "command": c}]}] for e, c in events.items()}
            (tmp_path / path).parent.mkdir(exist_ok=True)
            (tmp_path / path).write_text(json.dumps({"hooks": groups}))

        def served(self, path=".claude.json", **entry):
            (tmp_path / path).parent.mkdir(exist_ok=True)
            whole = {"command": sys.executable, "args": ["-P", "-m", "mnemos_mcp", "serve"], **entry}
            (tmp_path / path).write_text(json.dumps({"mcpServers": {"mnemos": whole}}))

    made = User()
    (tmp_path / "project").mkdir(exist_ok=True)
    made.hook.write_text(HOOK)
    made.hook.chmod(0o755)
    return made


def checks(value, client="Claude Code"):
    return {c["name"]: c for row in value["clients"] if row["client"] == client for c in row["checks"]}


def test_a_canary_is_captured_stored_recalled_injected_and_leaves_no_trace(user):
    user.hooked(command=f'"{sys.executable}" -EP -m mnemos_mcp.hook {{event}}')
    user.served()
    user.run("store", "The ledger is kept in PostgreSQL.", "--force")
    user.run("retrieve", "Where is the ledger kept?")
    code, value = user.run("doctor")
    found = checks(value)
    assert (code, value["status"]) == (0, "ok"), value
    assert list(found) == ["captured", "stored", "recalled", "injected", "removed"] and {c["status"] for c in found.values()} == {"ok"}
    assert "0 bytes left" in found["removed"]["detail"]
    kept = b"".join(file.read_bytes() for file in user.home.glob("mnemos.db*"))
    assert b"sings" not in kept and b"blue cage" not in kept
    db = apsw.Connection(str(next(user.home.glob("**/mnemos.db"))))
    db.execute("delete from episode where content = 'The ledger is kept in PostgreSQL.'")
    for table in ("session", "receipt", "hook_time", "episode", "failure"):
        assert db.execute(f"select count(*) from {table}").fetchall() == [(0,)], table
    assert db.execute("select name, value from counter where value <> 0").fetchall() == [("kept", 1), ("recalls", 1)], "what the user did"
    db.close()
    assert user.run("list")[1]["total"] == 1 and user.run("stats")[1]["episodes"].get("total", 0) == 0


def test_in_a_home_folder_the_canary_gets_a_project_of_its_own_and_takes_it_along(user):
    user.hooked(command=f'"{sys.executable}" -EP -m mnemos_mcp.hook {{event}}')
    user.served()
    code, value = user.run("doctor", cwd=".", CLAUDE_PROJECT_DIR="")
    assert (code, value["status"], list(checks(value))) == (0, "ok", ["captured", "stored", "recalled", "injected", "removed"]), value
    assert user.run("project")[1]["known"] == [] and user.run("stats")[1]["memories"] == {}


@pytest.mark.slow
def test_cursors_own_events_and_short_path_are_tried_too(user):
    user.hooked("cursor")
    user.served(".cursor/mcp.json")
    code, value = user.run("doctor", "cursor")
    assert code == 0 and set(checks(value, "Cursor")) == {"captured", "stored", "recalled", "injected", "removed"}


@pytest.mark.slow
def test_the_plugin_is_tried_through_its_launcher(user):
    python = user.home / "python of the plugin"
    python.write_text(f'#!/bin/sh\nif [ "$3" = mnemos_mcp.hook ]; then exec "{user.hook}" "$4"; fi\nexec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    for path, text in {".config/mnemos/python": f"{python}\n", ".claude/settings.json": '{"enabledPlugins": {"mnemos@mnemos": true}}',
                       ".claude/plugins/installed_plugins.json": json.dumps({"plugins": {"mnemos@mnemos": [{"installPath": str(ROOT)}]}})}.items():
        (user.home / path).parent.mkdir(parents=True, exist_ok=True)
        (user.home / path).write_text(text)
    code, value = user.run("doctor")
    assert (code, value["clients"][0]["scope"]) == (0, "plugin") and set(checks(value)) == {"captured", "stored", "recalled", "injected", "removed"}


def test_nothing_configured_is_a_failure_with_the_command_to_run(user):
    code, value = user.run("doctor")
    assert code == 1 and "mnemos setup claude" in value["clients"][0]["checks"][0]["remedy"]


@pytest.mark.parametrize(("command", "said"), [
    ("/gone/python -P -m mnemos_mcp.hook {event}", "ended with 127"), ("true # {hook} {event}", "not in this store")])
def test_a_broken_hook_is_named_with_its_remedy_and_the_server_still_tried(user, command, said):
    user.hooked(command=command)
    user.served()
    code, value = user.run("doctor")
    found = checks(value)
    assert code == 1 and found["captured"]["status"] == "fail" and said in found["captured"]["detail"] and found["captured"]["remedy"]
    assert found["recalled"]["status"] == "ok" and "0 bytes left" in found["removed"]["detail"]


@pytest.mark.parametrize(("entry", "said"), [
    ({"command": "/gone/python"}, "cannot be started"), ({"args": ["-c", "raise SystemExit('no module named mnemos')"]}, "no module named mnemos"),
    ({"args": ["-c", "print('hello')"]}, "something else than MCP")])
def test_a_broken_server_is_named_with_what_it_said(user, entry, said):
    user.served(**entry)
    code, value = user.run("doctor")
    found = checks(value)
    assert code == 1 and said in found["stored"]["detail"] and "mnemos setup claude" in found["stored"]["remedy"]
    assert found["captured"]["status"] == "fail" and "no hook" in found["captured"]["detail"]


def test_a_server_with_another_database_is_found_out_and_cleaned(user):
    user.served(env={"MNEMOS_SQLITE_PATH": str(user.home / "other.db")})
    code, value = user.run("doctor")
    assert code == 1 and "another store" in checks(value)["stored"]["detail"]
    assert user.run("list", MNEMOS_SQLITE_PATH=str(user.home / "other.db"))[1]["total"] == 0


def test_missing_events_and_doubled_hooks_are_named(user):
    user.hooked()
    path = user.home / ".claude" / "settings.json"
    value = json.loads(path.read_text())
    del value["hooks"]["PostToolUseFailure"]
    value["hooks"]["Stop"] *= 2
    path.write_text(json.dumps(value))
    user.served()
    said = json.dumps(user.run("doctor")[1])
    assert "no hook for PostToolUseFailure" in said and "more than one for Stop" in said


def test_capture_that_is_switched_off_is_no_fault(user):
    user.hooked(command="true # {hook} {event}")
    user.served()
    _, value = user.run("doctor", MNEMOS_MEMORY_CAPTURE_MODE="manual_only")
    assert checks(value)["captured"]["status"] == "ok" and "manual_only" in checks(value)["captured"]["detail"]


def test_a_damaged_configuration_is_named_and_all_hooks_switched_off_too(user):
    user.hooked()
    path = user.home / ".claude" / "settings.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "disableAllHooks": True}))
    (user.home / ".claude.json").write_text("{")
    code, value = user.run("doctor")
    said = json.dumps(value)
    assert code == 1 and ".claude.json" in said and "line 1, column 2" in said and "disableAllHooks" in said


@pytest.mark.slow
def test_codex_server_gets_only_what_codex_hands_on(user):
    folder = user.home / ".codex"
    folder.mkdir()
    table = f'[mcp_servers.mnemos]\ncommand = {json.dumps(sys.executable)}\nargs = ["-P", "-m", "mnemos_mcp", "serve"]\n'
    for names, status in ([], "fail"), (["MNEMOS_SQLITE_PATH", "MNEMOS_EMBEDDING_PROVIDER", "PYTHONPATH"], "ok"):
        (folder / "config.toml").write_text(table + f"env_vars = {json.dumps(names)}\n")
        found = checks(user.run("doctor", "codex")[1], "Codex CLI")
        assert (found["stored"]["status"], found["captured"]["status"]) == (status, "fail")  # without the names: another store, or no mnemos


def test_what_doctor_found_is_drawn_for_people():
    from rich.console import Console

    from mnemos_mcp.commands.doctor import _draw
    console = Console(record=True, width=100)
    bad = {"name": "captured", "status": "fail", "detail": "the hook did not run", "effect": "nothing is remembered", "remedy": "mnemos setup claude"}
    _draw(console, {"status": "fail", "last": {"injections": 0}, "clients": [{"client": "Claude Code", "reach": "user", "checks": [bad]}]})
    assert "the hook did not run" in console.export_text()
