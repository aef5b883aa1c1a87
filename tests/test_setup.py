"""`mnemos setup`: what it writes the clients can read, what others wrote stays byte for byte, and taking it out leaves no trace."""
import io
import json
import os
import stat
import sys
import tomllib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mnemos_mcp import cli
from mnemos_mcp.clients import blocks, files, jsonmerge, jsontext, launch, plan
from mnemos_mcp.clients.catalogue import CLIENTS, WRITTEN

OTHERS = {"model": "opus", "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "say done"}]}],
                                     "UserPromptSubmit": [{"hooks": [{"type": "command", "command": "lint"}], "unknown": 1}]}, "permissions": {"allow": ["Bash"]}}
STYLES = {
    "two spaces": json.dumps(OTHERS, indent=2) + "\n", "tabs": json.dumps(OTHERS, indent="\t"), "tight": json.dumps(OTHERS, separators=(",", ":")),
    "one line": json.dumps(OTHERS), "CRLF": (json.dumps(OTHERS, indent=4) + "\n").replace("\n", "\r\n"), "BOM": "\ufeff" + json.dumps(OTHERS, indent=2),
    "empty tables": '{\n  "mcpServers": {},\n  "hooks": {\n  },\n  "a": [ ]\n}\n', "empty": "", "blank": " \n", "braces": "{}", "open braces": "{\n}\n",
    "comments": '{\n  // mine\n  "a": 1, /* one */\n  "hooks": {\n    // none yet\n  } // end\n}\n', "trailing comma": '{\n  "a": [1, 2,],\n  "b": {"c": 1,},\n}\n'}
TOML = {"plain": 'model = "o4"  # mine\n\n[mcp_servers.other]\ncommand = "x"\n', "no line end": '[a]\nb = """\n[not.a.table]\n"""',
        "CRLF": "a = 1\r\n[b]\r\nc = 2\r\n", "empty": "", "dotted": 'mcp_servers.other.command = "x"\n', "BOM": "\ufeffa = 1\n"}


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A user with nothing set, standing in a project."""
    for name in list(os.environ):
        if name.startswith(("MNEMOS_", "CLAUDE_", "XDG_", "CODEX_")):
            monkeypatch.delenv(name)
    project = tmp_path / "ledger"
    (project / ".git").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(project)
    return tmp_path


@pytest.fixture
def setup(home, capsys, monkeypatch):
    """Runs `mnemos setup WORDS --json`; gives the code and the value."""
    def run(*words):
        monkeypatch.setattr(sys, "stdin", io.StringIO())
        code = cli.main(["setup", *words, "--json"])
        return code, json.loads(capsys.readouterr().out)
    return run


def outcomes(value):
    return [row["outcome"] for row in value["files"]]


def tree(folder):
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


@pytest.mark.parametrize("name", WRITTEN)
def test_twice_is_once_and_remove_leaves_no_trace(setup, home, name):
    code, value = setup(name)
    assert code == 0 and set(outcomes(value)) == {"created"}
    once = tree(home)
    assert outcomes(setup(name)[1]) == ["unchanged"] * len(value["files"]) and tree(home) == once
    assert set(outcomes(setup(name, "--remove")[1])) == {"deleted"} and tree(home) == {}


@pytest.mark.parametrize("name", [n for n in WRITTEN if "project" in CLIENTS[n].servers])
def test_a_project_gets_its_own_files_and_gives_them_back(setup, home, name):
    setup(name, "--scope", "project", "--rules")
    made = {p for p in tree(home) if not p.startswith(".config")}
    assert made and all(p.startswith("ledger" + os.sep) for p in made)
    setup(name, "--scope", "project", "--remove")
    assert tree(home) == {}


@pytest.mark.parametrize("text", STYLES.values(), ids=STYLES)
@pytest.mark.parametrize("name", ["claude", "cursor"])
def test_other_settings_stay_byte_for_byte_and_come_back_exactly(setup, home, text, name):
    server, hooks = {"claude": (".claude.json", ".claude/settings.json"), "cursor": (".cursor/mcp.json", ".cursor/hooks.json")}[name]
    for path in (server, hooks):
        (home / path).parent.mkdir(exist_ok=True)
        (home / path).write_bytes(text.encode())
    assert outcomes(setup(name)[1]) == ["written", "written"]
    made = jsontext.parse((home / hooks).read_text(encoding="utf-8")).value
    assert all(jsonmerge.own_commands(made, hook.event) for hook in CLIENTS[name].hooks)
    assert jsontext.parse((home / server).read_text(encoding="utf-8")).value["mcpServers"]["mnemos"]["command"] == sys.executable
    setup(name, "--remove")
    assert tree(home) == {server: text.encode(), hooks: text.encode()}


@pytest.mark.parametrize("text", STYLES.values(), ids=STYLES)
def test_what_others_add_after_setup_stays_and_ours_still_goes(setup, home, text):
    path = home / ".claude.json"
    path.write_bytes(text.encode())
    setup("claude")
    now = path.read_text(encoding="utf-8")
    path.write_text(jsontext.appended(now, jsontext.parse(now), {"x": [1]}, "theirs"), encoding="utf-8")
    setup("claude", "--remove")
    left = jsontext.parse(path.read_text(encoding="utf-8")).value
    before = jsontext.parse(text if text.strip() else "{}").value
    assert left == {**before, "theirs": {"x": [1]}}


JSON_VALUES = st.recursive(st.none() | st.booleans() | st.integers() | st.text(max_size=5),
                           lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3), max_leaves=8)


@settings(max_examples=150, deadline=None)
@given(st.dictionaries(st.sampled_from(["a", "b", "mcpServers", "hooks"]) | st.text(max_size=3), st.dictionaries(st.text(max_size=4), JSON_VALUES, max_size=3),
                       min_size=1, max_size=4), st.sampled_from([None, 1, 2, 4, "\t"]), st.booleans())
def test_put_in_and_taken_out_any_object_is_the_same_bytes(value, indent, tight):
    text = json.dumps(value, indent=indent, separators=(",", ":") if tight and indent is None else None, ensure_ascii=False)
    parsed = jsontext.parse(text)
    assert parsed.value == value
    made = jsontext.appended(text, parsed, {"k": [1, {"z": 2}]}, "ours-of-four")
    assert json.loads(made) == {**value, "ours-of-four": {"k": [1, {"z": 2}]}}
    root = jsontext.parse(made)
    assert jsontext.removed(made, root, root.member("ours-of-four")) == text


@given(JSON_VALUES, st.sampled_from([None, 2]))
def test_the_reader_of_json_reads_what_json_reads(value, indent):
    assert jsontext.parse(json.dumps(value, indent=indent)).value == value


@pytest.mark.parametrize("text", ["", "{", "[1,", '{"a" 1}', '{"a":1}}', "{'a':1}", '{"a":01}', '{"a":"\n"}', '{a:1}', "[" * 3000, '{"a":/* 1}', "nul", '"\\u12"'])
def test_what_is_no_json_is_said_to_be_none(text):
    with pytest.raises(jsontext.NotJson):
        jsontext.parse(text)


DAMAGED = {"torn": b'{"hooks": {"Stop": [', "not UTF-8": b'{"a": "\xff"}', "zero bytes": b"\0" * 50, "a list": b"[]", "servers a list": b'{"mcpServers": [], "hooks": []}'}


@pytest.mark.parametrize("raw", DAMAGED.values(), ids=DAMAGED)
def test_a_damaged_file_is_left_alone_with_the_block_to_paste(setup, home, raw):
    (home / ".claude").mkdir()
    for path in (".claude.json", ".claude/settings.json"):
        (home / path).write_bytes(raw)
    code, value = setup("claude")
    assert code == 1 and set(outcomes(value)) == {"refused"}
    assert all("left as it is" in row["reason"] and "mnemos" in row["paste"] for row in value["files"])
    assert (home / ".claude.json").read_bytes() == (home / ".claude" / "settings.json").read_bytes() == raw
    assert not (home / ".claude.json.before-mnemos").exists()
    sound = raw == DAMAGED["servers a list"]  # there is nothing of ours to take out
    assert setup("claude", "--remove")[0] == (0 if sound else 1) and (home / ".claude.json").read_bytes() == raw


def test_one_refused_file_does_not_hold_up_the_other(setup, home):
    (home / ".claude.json").write_text("{")
    code, value = setup("claude")
    assert (code, outcomes(value)) == (1, ["refused", "created"])


@pytest.mark.parametrize("text", TOML.values(), ids=TOML)
def test_toml_keeps_every_byte_of_the_rest_and_comes_back_exactly(setup, home, text):
    path = home / ".codex" / "config.toml"
    path.parent.mkdir()
    path.write_bytes(text.encode())
    assert setup("codex")[0] == 0
    made = path.read_bytes().decode()
    assert made.startswith(text) and tomllib.loads(made.removeprefix("\ufeff"))["mcp_servers"]["mnemos"]["command"] == sys.executable
    path.write_bytes((made + '[later]\nx = 1\n').encode())
    assert setup("codex", "--remove")[0] == 0
    left = path.read_bytes().decode()
    assert left.replace("\r\n", "\n").removesuffix("[later]\nx = 1\n").rstrip("\n") == text.replace("\r\n", "\n").rstrip("\n")
    assert tomllib.loads(left.removeprefix("\ufeff"))["later"] == {"x": 1}


@pytest.mark.parametrize("text", ["a = ", '[mcp_servers.mnemos]\ncommand = "mine"\n', "mcp_servers = {other = {command = 'x'}}\n", "# mnemos:begin\na = 1\n", "mcp_servers = 3\n"])
def test_toml_that_cannot_take_our_table_is_left_alone(setup, home, text):
    path = home / ".codex" / "config.toml"
    path.parent.mkdir()
    path.write_text(text)
    code, value = setup("codex")
    assert code == 1 and outcomes(value)[0] == "refused" and path.read_text() == text
    assert "[mcp_servers.mnemos]" in value["files"][0]["paste"]


def test_what_somebody_wrote_into_our_toml_block_is_not_taken_out_with_it(setup, home):
    setup("codex")
    path = home / ".codex" / "config.toml"
    path.write_text(path.read_text().replace("# mnemos:end", "[theirs]\nx = 1\n# mnemos:end"))
    before = path.read_text()
    code, value = setup("codex", "--remove")
    assert code == 1 and outcomes(value)[0] == "refused" and path.read_text() == before


def test_an_entry_of_ours_is_brought_up_to_date_in_its_place_and_keeps_what_was_added_to_it(setup, home):
    path = home / ".claude.json"
    path.write_text('{"mcpServers": {"mnemos": {"command": "mnemos-mcp", "args": [], "env": {"MNEMOS_INJECT": "prompt"}}, "z": {"command": "z"}}}')
    assert outcomes(setup("claude")[1])[0] == "written"
    servers = json.loads(path.read_text())["mcpServers"]
    assert list(servers) == ["mnemos", "z"] and servers["mnemos"]["env"] == {"MNEMOS_INJECT": "prompt"}
    assert servers["mnemos"]["command"] == sys.executable


def test_old_hooks_of_ours_are_replaced_and_those_of_others_in_the_same_group_stay(setup, home):
    path = home / ".claude" / "settings.json"
    path.parent.mkdir()
    old = [{"type": "command", "command": "/old/python -P -m mnemos_mcp.hook Stop"}, {"type": "command", "command": "say done"}]
    path.write_text(json.dumps({"hooks": {"Stop": [{"hooks": old}], "Notification": [{"hooks": [{"type": "command", "command": "mnemos hook Notification"}]}]}}))
    setup("claude")
    hooks = json.loads(path.read_text())["hooks"]
    assert [h["command"] for g in hooks["Stop"] for h in g["hooks"]] == ["say done", launch.hook_command(sys.executable, "Stop")]
    assert "Notification" not in hooks


@pytest.mark.skipif(os.name != "posix", reason="a script in the place of Python")
@pytest.mark.parametrize(("path", "end", "noted"), [("/src", 1, True), ("/src", 0, False), ("", 1, False)])
def test_a_python_that_has_mnemos_by_the_environment_alone_is_named(setup, home, monkeypatch, path, end, noted):
    python = home / "python"
    python.write_text(f"#!/bin/sh\nexit {end}\n")
    python.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(python))
    monkeypatch.setenv("PYTHONPATH", path)
    assert any("PYTHONPATH" in note for note in setup("claude")[1]["notes"]) is noted


@pytest.mark.parametrize(("command", "own"), [
    ('"/a b/python" -P -m mnemos_mcp.hook Stop', True), ('"/a b/python" -EP -m mnemos_mcp.hook Stop', True),
    ("mnemos hook Stop", True), ("/x/bin/mnemos hook Stop", True), ('"C:\\x\\mnemos.exe" hook Stop', True),
    ("${CLAUDE_PLUGIN_ROOT}/hooks/mnemos-hook Stop", True), ("echo mnemos", False), ("my-mnemos hook", False), ("python -m mnemos_mcp.hooks", False), (None, False)])
def test_only_our_own_hooks_are_taken_for_ours(command, own):
    assert jsonmerge.is_own(command) is own


@pytest.mark.skipif(os.name != "posix", reason="modes and links")
def test_a_link_stays_a_link_and_mode_stays(setup, home):
    real = home / "dotfiles" / "settings.json"
    real.parent.mkdir()
    real.write_text('{"a": 1}\n')
    real.chmod(0o640)
    (home / ".claude").mkdir()
    (home / ".claude" / "settings.json").symlink_to(real)
    setup("claude")
    link = home / ".claude" / "settings.json"
    assert link.is_symlink() and "mnemos_mcp.hook" in real.read_text() and stat.S_IMODE(real.stat().st_mode) == 0o640
    copy = home / ".claude" / "settings.json.before-mnemos"
    assert copy.read_text() == '{"a": 1}\n' and stat.S_IMODE(copy.stat().st_mode) == 0o600
    setup("claude", "--remove")
    assert link.is_symlink() and real.read_text() == '{"a": 1}\n' and not copy.exists()


@pytest.mark.skipif(os.name != "posix", reason="modes")
def test_new_files_are_private_and_a_read_only_one_is_left_alone(setup, home):
    (home / ".claude.json").write_text("{}")
    (home / ".claude.json").chmod(0o444)
    code, value = setup("claude")
    assert code == 1 and "read-only" in value["files"][0]["reason"] and (home / ".claude.json").read_text() == "{}"
    for path in (".claude/settings.json", ".config/mnemos/python"):
        assert stat.S_IMODE((home / path).stat().st_mode) == 0o600


def test_a_file_that_changed_since_it_was_read_is_thought_about_again(home):
    path = str(home / "mcp.json")
    part = plan.parts(CLIENTS["cursor"], "user", _places(home), "/py", rules=False)[0]
    edit = plan.adding(part)
    os.makedirs(os.path.dirname(part.path))
    with open(part.path, "w") as file:  # somebody was faster
        file.write('{"theirs": 1}')
    done, _ = plan.done(edit, plan.adding)
    assert done.outcome == "written" and list(json.loads(Path(part.path).read_text())) == ["theirs", "mcpServers"]
    with pytest.raises(files.Changed):
        files.write(part.path, b"{}", b"{}")
    assert not os.path.exists(path) and sorted(os.listdir(os.path.dirname(part.path))) == ["mcp.json", "mcp.json.before-mnemos"]


def _places(home):
    from mnemos_mcp.clients.shape import places
    return places(str(home), str(home / "ledger"), str(home / ".config" / "mnemos"), {})


def test_a_dry_run_shows_a_diff_hides_the_secrets_of_others_and_writes_nothing(setup, home):
    key = "sk-ant-api03-" + "Zq8" * 31 + "AA"
    (home / ".claude.json").write_text(json.dumps({"mcpServers": {"other": {"command": "x", "env": {"ANTHROPIC_API_KEY": key}}}}, indent=2))
    before = tree(home)
    code, value = setup("claude", "--dry-run")
    assert code == 0 and '+    "mnemos": {' in value["diff"].splitlines() and "+++ " in value["diff"]
    assert key not in value["diff"] and tree(home) == before


@pytest.mark.parametrize("name", CLIENTS)
def test_printed_blocks_are_what_the_clients_read_and_nothing_is_written(setup, home, name):
    code, value = setup(name, "--print")
    assert code == 0 and tree(home) == {}
    for block in value["blocks"]:
        parsed = tomllib.loads(block["text"]) if block["file"].endswith(".toml") else json.loads(block["text"])
        assert sys.executable in json.dumps(parsed)


def test_clients_that_are_only_printed_say_so(setup):
    code, value = setup("vscode", "--remove")
    assert code == 2 and "never written" in value["error"]["message"]
    assert setup("windsurf", "--scope", "project")[0] == 2


def test_a_home_folder_is_no_project(setup, home, monkeypatch):
    monkeypatch.chdir(home)
    code, value = setup("claude", "--scope", "project")
    assert code == 2 and "no project" in value["error"]["message"]


@pytest.mark.parametrize("text", ["# House rules\n\nUse make.", "# House rules\n", "", None, "a\r\nb\r\n"])
def test_rules_are_offered_never_forced_and_come_out_exactly(setup, home, text):
    path = home / "ledger" / "AGENTS.md"
    if text is not None:
        path.write_bytes(text.encode())
    assert any("--rules" in note for note in setup("codex", "--scope", "project")[1]["notes"]) and path.exists() is (text is not None)
    setup("codex", "--scope", "project", "--rules")
    said = path.read_bytes().decode()
    assert "mnemos_retrieve" in said and said.startswith(text or "")
    assert outcomes(setup("codex", "--scope", "project", "--rules")[1])[-1] == "unchanged"
    setup("codex", "--scope", "project", "--remove")
    assert (path.read_bytes().decode() if path.exists() else None) == text


def test_claudes_rules_do_not_hide_an_agents_file(setup, home):
    (home / "ledger" / "AGENTS.md").write_text("Use make.\n")
    setup("claude", "--scope", "project", "--rules")
    assert "mnemos" in (home / "ledger" / "AGENTS.md").read_text() and not (home / "ledger" / "CLAUDE.md").exists()


def test_with_the_plugin_enabled_nothing_is_written_twice_and_the_launcher_learns_the_python(setup, home):
    (home / ".claude").mkdir()
    (home / ".claude" / "settings.json").write_text('{"enabledPlugins": {"mnemos@mnemos": true}}')
    code, value = setup("claude")
    assert (code, value["files"]) == (0, []) and "plugin" in " ".join(value["notes"])
    assert (home / ".config" / "mnemos" / "python").read_text() == sys.executable + "\n"


def test_a_former_entry_by_hand_comes_back_and_a_second_remove_takes_it(setup, home):
    path = home / ".cursor" / "mcp.json"
    path.parent.mkdir()
    path.write_text('{"mcpServers": {"mnemos": {"command": "mnemos-mcp", "args": []}}}')
    before = path.read_text()
    setup("cursor")
    _, value = setup("cursor", "--remove")
    assert path.read_text() == before and "once more" in " ".join(value["notes"])
    setup("cursor", "--remove")
    assert not path.exists()  # nothing else was in it


def test_the_clients_own_variables_move_their_folders(setup, home, monkeypatch):
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(home / "cc"))
    monkeypatch.setenv("CODEX_HOME", str(home / "cx"))
    setup("claude")
    setup("codex")
    assert {"cc/.claude.json", "cc/settings.json", "cx/config.toml", "cx/hooks.json"} <= set(tree(home))


@pytest.mark.parametrize("path", ["/usr/bin/python3", "/a b/python", "/it's/py", "/do$lar/py", '/qu"ote/py', "/back`tick/py", "/back\\slash/py"])
@pytest.mark.skipif(os.name != "posix", reason="sh")
def test_the_shell_reads_any_interpreter_path_as_one_word(path):
    import subprocess
    said = subprocess.run(["sh", "-c", f"printf %s {launch.quoted(path)}"], capture_output=True, text=True, check=True).stdout
    assert said == path


def test_codex_is_told_to_hand_on_every_variable_of_ours(setup, home):
    from mnemos_mcp.options import BY_ENV
    setup("codex")
    entry = tomllib.loads((home / ".codex" / "config.toml").read_text())["mcp_servers"]["mnemos"]
    assert set(BY_ENV) <= set(entry["env_vars"]) and "env" not in entry  # names only: no value of theirs gets into the file


def test_marks_in_the_middle_of_a_line_are_no_marks():
    text = "see `<!-- mnemos:begin` in the docs\n"
    assert blocks.without_block(blocks.with_block(text, "x", blocks.RULES_MARKS), blocks.RULES_MARKS) == text


def test_on_a_terminal_files_and_diff_are_drawn_and_brackets_are_text_not_markup():
    from rich.console import Console

    from mnemos_mcp.commands import setup as command
    console = Console(file=io.StringIO(), width=120, force_terminal=True, color_system=None)
    command._draw(console, "Claude Code (user)", {"files": [{"what": "hooks", "file": "/a/[b]/settings.json", "outcome": "created"}], "notes": ["allow: [x]"]})
    command._draw_diff(console, "+  [mcp_servers.mnemos]")
    said = console.file.getvalue()
    assert all(text in said for text in ("/a/[b]/settings.json", "made", "allow: [x]", "[mcp_servers.mnemos]"))


def test_rules_that_another_client_still_reads_stay_until_it_goes_too(setup, home):
    for name in ("codex", "cursor"):
        setup(name, "--scope", "project", "--rules")
    _, said = setup("codex", "--scope", "project", "--remove")
    rules = home / "ledger" / "AGENTS.md"
    assert "Cursor reads it too" in " ".join(said["notes"]) and "mnemos_retrieve" in rules.read_text()
    setup("cursor", "--scope", "project", "--remove")
    assert not rules.exists()
