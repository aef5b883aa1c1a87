"""The command line: one JSON value or plain text, exit codes that tell, likely meant names, and no step that destroys without being asked."""
import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from mnemos_mcp import cli, terminal
from mnemos_mcp.commands import arguments
from mnemos_mcp.tools import VERBS

ROOT = Path(__file__).resolve().parent.parent
CLOUD_KEY = "AKIA" + "Q7WJ4ZNB" + "T2KX5MVD"


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A user with nothing set, standing in a project folder; vectors off, for speed."""
    for name in list(os.environ):
        if name.startswith(("MNEMOS_", "CLAUDE_", "XDG_")):
            monkeypatch.delenv(name)
    project = tmp_path / "home" / "ledger"
    project.mkdir(parents=True)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("MNEMOS_SQLITE_PATH", str(tmp_path / "data" / "mnemos.db"))
    monkeypatch.setenv("MNEMOS_EMBEDDING_PROVIDER", "none")
    monkeypatch.chdir(project)
    return tmp_path


@pytest.fixture
def mnemos(home, capsys, monkeypatch):
    """Runs a command in this process; gives code, stdout and stderr."""
    def run(*words, stdin=""):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode() if isinstance(stdin, str) else stdin)))
        code = cli.main(words)
        said = capsys.readouterr()
        return code, said.out, said.err
    return run


@pytest.fixture
def as_json(mnemos):
    """Runs a command with --json; gives code and the one value."""
    def run(*words, stdin=""):
        code, out, _ = mnemos(*words, "--json", stdin=stdin)
        return code, json.loads(out)
    return run


def stored(as_json, text, *words):
    code, value = as_json("store", text, "--force", *words)
    assert (code, value["stored"]) == (0, True)
    return value["id"]


def test_what_is_stored_is_found_listed_and_its_origin_is_the_user(as_json):
    memory_id = stored(as_json, "We decided to use PostgreSQL 16 for the ledger.", "--tags", "db,75%", "--key", "database", "--pinned")
    _, found = as_json("retrieve", "ledger", "PostgreSQL")
    assert [m["id"] for m in found["memories"]] == [memory_id]
    _, listed = as_json("list", "--tags", "75%")
    assert (listed["total"], listed["memories"][0]["tags"]) == (1, ["75%", "db"]) or listed["memories"][0]["tags"] == ["db", "75%"]
    _, everything = as_json("inspect", memory_id[:6])
    assert (everything["provenance"]["origin"], everything["key"], everything["pinned"]) == ("user", "database", True)


def test_content_comes_from_the_standard_input_as_it_is(as_json):
    text = "A runbook:\n  1. drain the node – ünïcode\n  2. restart"
    code, value = as_json("store", "-", "--force", stdin=text + "\n")
    assert code == 0
    assert as_json("inspect", value["id"])[1]["content"] == text


def test_bytes_that_are_no_utf8_are_stored_as_something_printable(as_json):
    code, value = as_json("store", "-", "--force", stdin=b"caf\xe9 is decided")
    assert (code, as_json("inspect", value["id"])[1]["content"]) == (0, "caf\ufffd is decided")
    assert as_json("store", "caf\udce9 again", "--force")[0] == 0


def test_a_secret_is_refused_by_kind_and_never_printed(mnemos):
    code, out, err = mnemos("store", f"deploy with {CLOUD_KEY}")
    assert code == 1 and out.startswith("refused")
    assert CLOUD_KEY not in out + err


@pytest.mark.parametrize(("text", "outcome", "code"), [(f"deploy with {CLOUD_KEY}", "refused", 1), ("ok, thanks", "not_news", 0),
                                                       ("We decided to use PostgreSQL 16 for the ledger.", "stored", 0)])
def test_a_script_sees_by_the_exit_code_what_was_refused_and_the_reply_keeps_its_shape(as_json, text, outcome, code):
    assert as_json("store", text)[0] == code
    value = as_json("store", text)[1]
    assert value["outcome"] in (outcome, "reinforced") and value["stored"] == (outcome == "stored") and value["reason"]


def test_a_changed_fact_shows_in_the_timeline_and_as_it_was_in_january(as_json):
    stored(as_json, "The staging server is heron.", "--key", "staging", "--valid_from", "2026-01-10")
    stored(as_json, "The staging server is ibis.", "--key", "staging", "--valid-from=2026-06-01T12:00:00+02:00")
    _, chain = as_json("timeline", "--key", "staging")
    assert [(t["content"], t["valid_from"], t.get("valid_to")) for t in chain["chain"]] == [
        ("The staging server is heron.", "2026-01-10T00:00:00Z", "2026-06-01T10:00:00Z"), ("The staging server is ibis.", "2026-06-01T10:00:00Z", None)]
    _, then = as_json("retrieve", "staging server", "--as-of", "2026-01-31")
    assert [m["content"] for m in then["memories"]] == ["The staging server is heron."]


def test_why_prints_the_shares_that_sum_to_the_score(mnemos, as_json):
    stored(as_json, "The retry limit of the ledger is five.")
    _, value = as_json("why", "retry limit")
    memory = value["memories"][0]
    assert sum(memory["why"].values()) == pytest.approx(memory["score"], abs=0.001)
    code, out, _ = mnemos("why", "retry limit")
    assert code == 0 and "why" in out and memory["id"] in out


@pytest.mark.parametrize(("words", "code", "kind", "said"), [
    (("forget", "nope"), 1, "not_found", "nope"),
    (("forget", ""), 2, "usage", "id"),
    (("inspect", "%%%%%%"), 1, "not_found", ""),
    (("list", "--limit", "-1"), 2, "usage", "1 to 100"),
    (("list", "--offset", "-1"), 2, "usage", "offset"),
    (("retrieve", "x", "--limit", "x"), 2, "usage", "1 to 50"),
    (("retrieve", "x", "--mode", "fuzzy"), 2, "usage", "hybrid"),
    (("retrieve", "x", "--as-of", "once"), 2, "usage", "Allowed"),
    (("retrieve",), 2, "usage", "QUERY"),
    (("timeline",), 1, "bad_input", "exactly one"),
    (("import", "missing.jsonl"), 1, "store_unavailable", "missing.jsonl"),
    (("stor", "x"), 2, "usage", "`mnemos store`"),
    (("remember", "x"), 2, "usage", "`mnemos store`"),
    (("store", "x", "--vald-from", "2026"), 2, "usage", "--valid-from"),
    (("stats", "more"), 2, "usage", "too many"),
    (("consolidate", "--facts", "{nonsense"), 2, "usage", "facts"),
    (("consolidate", "--undo", "nothing"), 1, "not_found", "nothing"),
    (("project", "merge", "one"), 2, "usage", "merge A B"),
    (("backup", "."), 1, "bad_input", "folder"),
    (("recover",), 1, "store_unavailable", "no file"),
    (("reembed",), 1, "bad_input", "switched off"),
    (("profile", "fast"), 2, "usage", "starter"),
])
def test_every_failure_has_an_exit_code_and_is_one_json_value_or_a_sentence_on_stderr(mnemos, words, code, kind, said):
    found, out, _ = mnemos("--json", *words)
    error = json.loads(out)["error"]
    assert (found, error["kind"]) == (code, kind) and said in error["message"]
    found, out, err = mnemos(*words)
    assert (found, out) == (code, "") and said in err and "Traceback" not in err


def test_an_ambiguous_prefix_is_an_error_with_its_candidates(as_json, monkeypatch):
    from mnemos_mcp import runtime
    names = iter(f"abcdef{n:06d}" for n in range(100))
    monkeypatch.setattr(runtime, "new_id", lambda: next(names))
    ids = [stored(as_json, text) for text in ("The cache lives in Redis.", "Deploys run on Monday.")]
    code, value = as_json("forget", "abcdef")
    assert (code, value["error"]["kind"], set(value["error"]["candidates"])) == (1, "ambiguous", set(ids))
    assert as_json("list")[1]["total"] == 2


def test_a_bug_is_told_without_a_traceback_unless_debugging(mnemos, monkeypatch):
    def broken(session):
        raise RuntimeError("a bug")
    monkeypatch.setattr(cli, "_command", lambda name: broken)
    code, out, err = mnemos("stats")
    assert (code, out) == (1, "") and "RuntimeError: a bug" in err and "Traceback" not in err
    monkeypatch.setenv("MNEMOS_LOG_LEVEL", "debug")
    assert "Traceback" in mnemos("stats")[2]
    assert json.loads(mnemos("stats", "--json")[1])["error"]["kind"] == "internal"


def test_what_destroys_asks_and_without_a_terminal_needs_yes(as_json, mnemos, home):
    memory_id = stored(as_json, "Deploys run on Monday.")
    for words in (("forget", memory_id, "--erase"), ("erase-all",)):
        code, value = as_json(*words)
        assert (code, value["error"]["kind"]) == (2, "usage") and "--yes" in value["error"]["message"]
    assert as_json("list")[1]["total"] == 1
    code, value = as_json("forget", memory_id, "--erase", "--yes")
    assert (code, value["outcome"], value["bytes_found"]) == (0, "erased", 0)


def test_a_terminal_is_asked_and_no_means_no(as_json, mnemos, monkeypatch, home):
    memory_id = stored(as_json, "Deploys run on Monday.")
    from mnemos_mcp.commands import answer

    class Terminal(io.StringIO):
        def isatty(self):
            return True
    for said, expected in (("n\n", 1), ("yes\n", 0)):
        monkeypatch.setattr(answer.sys, "stdin", Terminal(said))
        monkeypatch.setattr(answer.sys, "stderr", Terminal())
        assert cli.main(["forget", memory_id, "--erase"]) == expected
        assert "for good" in answer.sys.stderr.getvalue()


def test_erase_all_proves_that_nothing_is_left_and_names_the_copies_it_did_not_touch(as_json, home):
    stored(as_json, "The zanzibar cluster is retired.")
    stored(as_json, "A global habit.", "--scope", "global")
    copy = home / "data" / "mnemos.db.damaged-1"
    copy.write_text("old")
    code, value = as_json("erase-all", "--yes")
    assert (code, value["rows"]["memory"], value["bytes_found"], value["copies"]) == (0, 2, 0, [str(copy)])
    assert b"zanzibar" not in (home / "data" / "mnemos.db").read_bytes()
    assert as_json("stats")[1]["memories"] == {} or as_json("list")[1]["total"] == 0


def test_export_import_and_backup_through_the_command_line(as_json, mnemos, monkeypatch, home):
    stored(as_json, "The cache lives in Redis.", "--tags", "a")
    assert as_json("export", "out.jsonl")[1]["memories"] == 1
    assert as_json("export", "out.jsonl")[1]["error"]["kind"] == "bad_input"
    code, out, _ = mnemos("export", "-")
    assert code == 0 and out.splitlines()[1:] == Path("out.jsonl").read_text().splitlines()[1:]
    assert as_json("backup", "copy.db")[0] == 0
    assert oct(os.stat("copy.db").st_mode)[-3:] == oct(os.stat("out.jsonl").st_mode)[-3:] == "600"
    monkeypatch.setenv("MNEMOS_SQLITE_PATH", str(home / "other" / "mnemos.db"))
    code, value = as_json("import", "out.jsonl")
    assert (code, value["taken"], value["without_vector"]) == (0, 1, 1)
    assert as_json("import", "-", stdin=out)[1]["already_there"] == 1
    assert as_json("retrieve", "cache Redis")[1]["memories"][0]["origin"] == "imported"


def test_a_database_that_may_not_be_written_is_exported_and_backed_up_by_way_of_a_private_copy(as_json, monkeypatch, home):
    from mnemos_mcp import runtime
    from mnemos_mcp.commands import answer
    from mnemos_mcp.errors import StoreUnavailable
    stored(as_json, "The cache lives in Redis.")
    database, opened = home / "data" / "mnemos.db", runtime.open_engine

    def only_elsewhere(settings, **more):
        if settings.sqlite_path == str(database):
            raise StoreUnavailable("attempt to write a readonly database")
        return opened(settings, **more)
    monkeypatch.setattr(runtime, "open_engine", only_elsewhere)
    assert as_json("export", "out.jsonl")[1]["error"]["kind"] == "store_unavailable"
    monkeypatch.setattr(answer.os, "access", lambda path, mode: mode == os.R_OK)
    assert as_json("export", "out.jsonl")[1]["memories"] == 1
    assert as_json("backup", "copy.db")[0] == 0
    assert as_json("store", "x", "--force")[0] == 1


def test_a_damaged_file_is_named_by_every_command_and_recovered_only_when_meant(as_json, mnemos, home):
    database = home / "data" / "mnemos.db"
    database.parent.mkdir()
    database.write_bytes(b"no database at all\n" * 300)
    for words in (("stats",), ("store", "x"), ("retrieve", "x")):
        code, value = as_json(*words)
        assert (code, value["error"]["kind"]) == (1, "store_unavailable") and str(database) in value["error"]["message"]
        assert "mnemos recover" in value["error"]["message"]
    assert as_json("recover", "--check")[0] == 1
    assert as_json("recover")[0] == 2
    assert database.read_bytes() == b"no database at all\n" * 300
    code, value = as_json("recover", "--yes")
    assert (code, value["state"]) == (0, "no_database")
    assert Path(value["aside"]).read_bytes() == b"no database at all\n" * 300
    assert as_json("recover", "--check")[1]["state"] == "whole"


def test_project_shows_merges_and_splits_without_moving_a_memory(as_json, mnemos, home, monkeypatch):
    stored(as_json, "The ledger uses PostgreSQL.")
    _, here = as_json("project")
    assert (here["project"]["name"], here["project"]["how"], here["memories"]) == ("ledger", "folder", 1)
    other = home / "home" / "billing"
    other.mkdir()
    monkeypatch.chdir(other)
    stored(as_json, "Billing uses MariaDB.")
    assert as_json("list")[1]["total"] == 1
    assert as_json("project", "merge", ".", here["project"]["identity"])[0] == 0
    assert as_json("list")[1]["total"] == 2
    assert as_json("project", "merge", ".", here["project"]["identity"])[1]["error"]["kind"] == "bad_input"
    code, said, _ = mnemos("project", "split", "billing")
    assert code == 0 and said.startswith("billing (")
    assert as_json("list")[1]["total"] == 1
    assert "known projects:" in mnemos("project")[1]


def test_who_wants_to_erase_one_memory_is_not_sent_to_erase_them_all(as_json):
    assert as_json("erase", "abc123")[1]["error"]["message"].endswith("Did you mean `mnemos forget ID --erase`?")


def test_a_misspelt_setting_is_named_on_stderr_and_stdout_stays_one_json_value(mnemos, monkeypatch):
    monkeypatch.setenv("MNEMOS_DB_PTH", "other.db")
    code, out, err = mnemos("stats", "--json")
    assert code == 0 and "MNEMOS_DB_PTH" in err and "MNEMOS_DB_PATH" in err
    json.loads(out)


def test_a_profile_is_a_dotenv_block_of_known_settings(mnemos):
    from mnemos_mcp.options import BY_ENV
    for name in ("starter", "local-performance"):
        lines = mnemos("profile", name)[1].splitlines()
        assert lines[0].startswith("# ") and all(line.split("=")[0] in BY_ENV for line in lines[1:])


def test_each_verb_has_its_mcp_parameters_as_options(home):
    _, parsers = arguments.build()
    for verb in VERBS:
        options = {text for action in parsers[verb.name]._actions for text in (*action.option_strings, action.dest)}
        for param in verb.params:
            assert param.name in options, (verb.name, param.name)


def test_on_a_terminal_replies_are_drawn_and_recalled_markup_stays_text():
    from rich.console import Console
    out = io.StringIO()
    console = Console(file=out, width=90, force_terminal=True, color_system=None)
    memory = {"id": "aaaa0001", "content": "[bold red]not markup[/]", "score": 0.5, "scope": "project", "age": "2 days ago",
              "why": {"semantic": 0.3, "keyword": 0.2}}
    reply = {"memories": [memory], "searched": {"scopes": ["project"], "mode": "hybrid", "candidates": 3}, "note": "n"}
    terminal.drawn("retrieve", reply)(console)
    terminal.drawn("list", {"total": 1, "showing": 1, "memories": [memory | {"retention": 0.9, "tags": ["x"]}]})(console)
    terminal.drawn("health", {"status": "warn", "checks": [{"name": "store", "status": "warn", "detail": "d", "effect": "e", "remedy": "r"}]})(console)
    terminal.drawn("timeline", {"chain": [{"id": "aaaa0001", "content": "[b]c", "valid_from": "2026-01-01T00:00:00Z", "reason": "r"}]})(console)
    terminal.drawn("stats", {"memories": {"global": {"active": 1}}, "sectors": {"semantic": 1.0}, "gate": {}, "episodes": {}})(console)
    terminal.drawn("store", {"outcome": "stored", "stored": True, "id": "aaaa0001", "scope": "global"})(console)
    assert out.getvalue().count("[bold red]not markup[/]") == 2 and "[b]c" in out.getvalue()
    assert max(map(len, out.getvalue().splitlines())) <= 90
    assert [terminal.bar(x, 8) for x in (0.0, 0.001, 0.5, 1.0, 2.0)] == ["", "▏", "████", "████████", "████████"]


def run_process(*words, env=None, **more):
    return subprocess.run([sys.executable, "-m", "mnemos_mcp", *words], capture_output=True, cwd=more.pop("cwd", None), timeout=60,
                          env={**os.environ, "PYTHONPATH": str(ROOT), **(env or {})}, **more)


def test_a_real_process_exits_non_zero_prints_one_value_and_is_quiet_when_its_reader_leaves(home):
    failed = run_process("forget", "nope", "--json")
    assert failed.returncode == 1 and json.loads(failed.stdout)["error"]["kind"] == "not_found" and failed.stderr == b""
    nothing = run_process()
    assert nothing.returncode == 2 and b"usage: mnemos" in nothing.stderr
    reading, writing = os.pipe()
    os.close(reading)
    gone = subprocess.run([sys.executable, "-m", "mnemos_mcp", "profile"], stdout=writing, stderr=subprocess.PIPE, timeout=60,
                          env={**os.environ, "PYTHONPATH": str(ROOT)})
    os.close(writing)
    assert (gone.returncode, gone.stderr) == (0, b"")


def test_the_command_line_itself_imports_nothing_heavy():
    code = ("import sys, mnemos_mcp.cli, mnemos_mcp.commands.arguments as a; a.read(['stats']); "
            "print(sorted({'mcp', 'pydantic', 'numpy', 'rich', 'apsw', 'onnxruntime', 'asyncio'} & set(sys.modules)))")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(ROOT)}, timeout=60)
    assert done.stdout.strip() == "[]"


def test_a_name_that_fits_this_folder_is_this_folder_and_a_slip_makes_no_project(as_json, home, monkeypatch):
    stored(as_json, "The ledger uses PostgreSQL.")
    other = home / "home" / "billing"
    other.mkdir()
    monkeypatch.chdir(other)
    _, value = as_json("project", "merge", "ledger", "billing")  # nothing was stored in billing yet
    assert value["into"] == as_json("project")[1]["project"]["identity"] and as_json("list")[1]["total"] == 1
    for words in (("merge", "ledgr", "billing"), ("merge", "billing", "nowhere"), ("split", "ledgr")):
        code, value = as_json("project", *words)
        assert (code, value["error"]["kind"]) == (1, "bad_input") and "is known here" in value["error"]["message"]
    assert "Did you mean 'ledger'" in as_json("project", "merge", "ledgr", "billing")[1]["error"]["message"]
    assert {p["name"] for p in as_json("project")[1]["known"]} == {"ledger", "billing"}
    assert as_json("project", "merge", "billing", "git:example.org/them/quay")[1]["into"] == "git:example.org/them/quay"


def test_a_project_name_in_other_capitals_is_that_project_and_a_folder_that_is_not_there_is_said(as_json, home):
    stored(as_json, "The ledger uses PostgreSQL.")
    stored(as_json, "Cranes are yellow.", "--project", "Ledger")
    assert as_json("list", "--project", "LEDGER")[1]["total"] == 2
    assert [(p["name"], p["root"]) for p in as_json("project")[1]["known"]] == [("ledger", str(home / "home" / "ledger"))]
    nowhere = str(home / "nowhere" / "quay")
    assert "project 'quay': the folder does not exist" in as_json("retrieve", "cranes", "--project", nowhere)[1]["note"]
    assert "new project 'quay': the folder does not exist" in as_json("store", "Quays are long.", "--project", nowhere)[1]["note"]
    assert "note" not in as_json("list", "--project", str(home / "home" / "ledger"))[1]


def test_a_mistyped_project_is_named_with_the_one_it_is_like(as_json):
    stored(as_json, "The ledger uses PostgreSQL.")
    assert "did you mean 'ledger'?" in as_json("retrieve", "which database", "--project", "ledgr")[1]["note"]
    for words in (("list",), ("timeline", "--key", "db"), ("consolidate",)):
        assert "the project 'ledgr' is unknown here; did you mean 'ledger'?" in as_json(*words, "--project", "ledgr")[1]["note"]
    assert "the project 'quay' is unknown here" in as_json("list", "--project", "quay")[1]["note"]
    assert "note" not in as_json("list", "--project", "ledger")[1]
    assert "Did you mean 'ledger'?" in as_json("export", "out.jsonl", "--project", "ledgr")[1]["error"]["message"] and not Path("out.jsonl").exists()
    assert as_json("export", "out.jsonl", "--project", "ledger")[1]["memories"] == 1
    fresh = as_json("store", "Cranes are yellow.", "--project", "ledgr", "--force")[1]
    assert fresh["outcome"] == "stored" and fresh["note"].endswith("new project 'ledgr'; did you mean 'ledger'?")
    assert "did you mean" not in as_json("store", "Cranes are tall.", "--project", "ledgr", "--force")[1].get("note", "")
    assert "project" not in as_json("store", "Piers are long.", "--project", "quay", "--force")[1].get("note", "")


def test_endless_texts_are_cut_on_a_terminal_and_whole_where_they_are_asked_for(mnemos, as_json):
    text = ("The glacier log: " + "ice " * 20_000).strip()
    id_ = stored(as_json, text)
    for words, most, mark in ((("list",), 1_000, "--json or `mnemos inspect ID --full` shows all"), (("inspect", id_), 9_000, "--full or --json shows all")):
        out = mnemos(*words)[1]
        assert len(out) < most and f"characters; {mark})" in out
        assert drawn_text(words[0], as_json(*words)[1]).count("characters; ") == 1
    assert text in mnemos("inspect", id_, "--full")[1]
    assert as_json("list")[1]["memories"][0]["content"] == as_json("inspect", id_)[1]["content"] == text
    short = stored(as_json, "Cranes are yellow.")
    assert "characters;" not in mnemos("inspect", short)[1]


def test_at_80_columns_a_table_leaves_room_for_the_text_and_a_path_stays_in_one_piece():
    text = "The staging server is heron, and it is restarted on every Tuesday."
    lines = drawn_text("list", {"total": 1, "showing": 1, "memories": [{"id": "aaaa0001bbbb", "content": text, "scope": "project", "age": "4 months ago", "retention": 0.9}]}, 80)
    assert max(sum(word in line for word in text.split()) for line in lines.splitlines()) > 7
    assert "aaaa0001bbbb · project · 4 months ago" in lines
    path = "/home/someone/.local/share/mnemos/a-rather-long-folder/mnemos.log"
    assert f"log                    {path}" in drawn_text("health", {"status": "ok", "checks": [], "paths": {"log": path}}, 80)


def drawn_text(verb, reply, width=200):
    """What a terminal would show of a reply."""
    from rich.console import Console

    from mnemos_mcp.fitting import for_people
    out = io.StringIO()
    terminal.drawn(verb, for_people(verb, reply))(Console(file=out, width=width, color_system=None))
    return out.getvalue()
