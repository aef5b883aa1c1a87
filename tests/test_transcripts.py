"""Import of session records: the human's words and what failed, nothing of the assistant or of programs, each thing once, nothing secret."""
import io
import json
import os
import sys
import tracemalloc
from pathlib import Path

import pytest

from mnemos_mcp import cli, events, records
from mnemos_mcp.capture import numbered
from mnemos_mcp.settings import load
from mnemos_mcp.storage.buffer import Buffer
from mnemos_mcp.storage.sqlite import SqliteStore

RECORDS = Path(__file__).parent / "data" / "records"
CLOUD_KEY = "AKIA" + "Q7WJ4ZNB" + "T2KX5MVD"
SESSION = "5e551011-0000-4000-8000-000000000001"


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A user with one project folder; vectors off, for speed."""
    for name in list(os.environ):
        if name.startswith(("MNEMOS_", "CLAUDE_", "XDG_")):
            monkeypatch.delenv(name)
    (tmp_path / "home" / "ledger").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("MNEMOS_SQLITE_PATH", str(tmp_path / "data" / "mnemos.db"))
    monkeypatch.setenv("MNEMOS_EMBEDDING_PROVIDER", "none")
    monkeypatch.chdir(tmp_path / "home" / "ledger")
    return tmp_path / "home"


@pytest.fixture
def take(home, capsys, monkeypatch):
    """`mnemos ... --json` in this process; the one value."""
    def run(*words, stdin=b"", command="import"):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        code = cli.main([command, *map(str, words), "--json"])
        value = json.loads(capsys.readouterr().out)
        assert code == 0, value
        return value
    return run


@pytest.fixture
def put_down(home, clock):
    """Every episode of the file, oldest first."""
    def read():
        store = SqliteStore(os.environ["MNEMOS_SQLITE_PATH"], clock=clock)
        found = store.episodes(status="all", limit=-1)
        store.close()
        return sorted(found, key=lambda e: (e.at, e.id))
    return read


class Transcript:
    """Lines as Claude Code writes them."""

    def __init__(self, cwd, session=SESSION):
        self.cwd, self.session, self.lines = str(cwd), session, []

    def line(self, kind, content, **more):
        n = len(self.lines)
        self.lines.append({"type": kind, "isSidechain": False, "uuid": f"{self.session}-{n}", "promptId": f"p{n}", "timestamp": f"2026-10-01T09:{n:02d}:00.000Z",
                           "cwd": self.cwd, "sessionId": self.session, "message": {"role": kind, "content": content}, **more})
        return self

    def said(self, text, **more):
        return self.line("user", text, **({"promptSource": "typed", "origin": {"kind": "human"}} | more))

    def ran(self, command, output="", *, failed=False, name="Bash", given=None, **more):
        use = f"toolu_{len(self.lines)}"
        self.line("assistant", [{"type": "tool_use", "id": use, "name": name, "input": given or {"command": command}}])
        return self.line("user", [{"type": "tool_result", "tool_use_id": use, "content": output, "is_error": failed}], **more)

    def save(self, path):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"".join(json.dumps(line).encode() + b"\n" if isinstance(line, dict) else line for line in self.lines))
        return path


def test_of_a_transcript_the_typed_words_and_the_failed_commands_are_taken_and_nothing_else(take, put_down):
    value = take(RECORDS / "claude-transcript.jsonl")
    assert (value["said"], value["failures"], value["fixes"], value["skipped"]) == (1, 4, 0, {"machine_prompts": 1})
    episodes = put_down()
    assert [(e.role, e.kind, e.origin) for e in episodes] == [("user", "unjudged", "imported")] + [("tool", "failure", "imported")] * 4
    assert episodes[0].content.startswith("Fix add() in app.py") and episodes[0].at == 1796038270.787
    assert {e.session for e in episodes} == {"00000000-0000-4000-8000-000000000005"}


def test_of_an_interactive_session_neither_summary_nor_command_nor_denied_tool_is_taken(take, put_down):
    value = take(RECORDS / "claude-transcript-interactive-compact.jsonl")
    assert [e.content for e in put_down()] == ["HELLO there", "SECOND prompt", "LONG one"]
    assert value["failures"] == 0 and value["skipped"]["machine_prompts"] == 4


def test_of_a_codex_record_the_prompt_and_both_failures_are_taken(take, put_down):
    take(RECORDS / "codex-rollout.jsonl")
    assert [e.content.partition(" failed")[0] for e in put_down()] == [
        "START", "`echo to-out; echo to-err >&2; exit 3`", '`mcp__rig__memory_fail {"why": "scripted"}`']


def test_a_codex_record_without_events_is_read_by_its_messages_and_outputs(take, put_down, home):
    def item(**payload):
        return json.dumps({"timestamp": "2026-10-01T09:00:00Z", "type": "response_item", "payload": payload}) + "\n"
    def call(use, code):
        output = json.dumps({"output": "E: no such table\n", "metadata": {"exit_code": code}})
        return (item(type="function_call", name="shell", call_id=use, arguments=json.dumps({"command": ["bash", "-lc", "make db"]}))
                + item(type="function_call_output", call_id=use, output=output))
    record = home / "rollout.jsonl"
    record.write_text(json.dumps({"type": "session_meta", "payload": {"id": SESSION, "cwd": str(home / "ledger")}}) + "\n"
                      + item(type="message", role="user", content=[{"type": "input_text", "text": "<environment_context>x</environment_context>"}])
                      + item(type="message", role="user", content=[{"type": "input_text", "text": "We decided to keep SQLite."}])
                      + item(type="message", role="assistant", content=[{"type": "output_text", "text": "Fine."}]) + call("c1", 2) + call("c2", 0))
    assert take(record)["episodes"] == 3
    assert {e.kind for e in put_down()} == {"unjudged", "failure", "fix"} and "We decided to keep SQLite." in {e.content for e in put_down()}


@pytest.mark.parametrize("name", ["claude-transcript.jsonl", "claude-transcript-interactive-compact.jsonl", "codex-rollout.jsonl"])
def test_the_same_record_a_second_time_adds_nothing(take, put_down, name):
    first = take(RECORDS / name)
    before = put_down()
    second = take(RECORDS / name)
    assert (second["episodes"], second["already_there"]) == (0, first["episodes"])
    assert put_down() == before


def test_a_long_prompt_is_kept_whole_in_parts_and_is_one_prompt(take, put_down, home):
    said = " ".join(f"Room {n} is painted in the colour that was agreed." for n in range(400))
    Transcript(home / "ledger").said(said).save(home / "one.jsonl")
    assert [take(home / "one.jsonl")["episodes"] for _ in range(2)] == [1, 0]
    parts = sorted(put_down(), key=lambda e: e.event)
    assert len(parts) == 3 and " ".join(e.content for e in parts) == said
    event = events.read({"hook_event_name": "UserPromptSubmit", "session_id": SESSION, "prompt_id": "p0", "prompt": said})
    assert [e.event for e in parts] == [numbered(event.key, n) for n in range(3)]


def test_what_a_hook_put_down_has_the_name_that_the_record_gives_it(take, put_down, home):
    prompt = "We always squash before merging."
    Transcript(home / "ledger").said(prompt).ran("make lint", "Exit code 2\nno rule", failed=True).save(home / "one.jsonl")
    take(home / "one.jsonl")
    heard = [events.read({"hook_event_name": "UserPromptSubmit", "session_id": SESSION, "prompt_id": "p0", "prompt": prompt}),
             events.read({"hook_event_name": "PostToolUseFailure", "session_id": SESSION, "tool_use_id": "toolu_1", "tool_name": "Bash",
                          "tool_input": {"command": "make lint"}, "error": "Exit code 2\nno rule"})]
    assert [e.event for e in put_down()] == [event.key for event in heard]


def test_a_command_that_passes_later_closes_its_failure_and_tells_what_was_done(take, put_down, home):
    record = Transcript(home / "ledger").ran("pytest -q", "Exit code 1\nE: no module named apsw", failed=True)
    record.ran("pip install apsw", "ok").ran("", name="Edit", given={"file_path": "/x/setup.cfg"}).ran("pytest -q", "3 passed").save(home / "one.jsonl")
    assert take(home / "one.jsonl")["fixes"] == 1
    fix = put_down()[-1]
    assert (fix.kind, fix.origin, fix.durable) == ("fix", "imported", True)
    assert "`pytest -q` failed" in fix.content and "what fixed it: `pip install apsw`, edit of setup.cfg" in fix.content
    assert take(home / "one.jsonl")["episodes"] == 0


def test_a_record_that_has_grown_adds_only_what_is_new_and_closes_what_was_open(take, put_down, home):
    record = Transcript(home / "ledger").ran("make", "Exit code 2\nmissing header", failed=True)
    record.save(home / "one.jsonl")
    take(home / "one.jsonl", "--trust")
    record.ran("apt-get install libfoo-dev").ran("make", "ok").said("We build with make.").save(home / "one.jsonl")
    value = take(home / "one.jsonl", "--trust")
    assert (value["failures"], value["fixes"], value["said"], value["already_there"]) == (0, 1, 1, 1)
    assert [(f.status, f.fix) for f in failures_of(home)] == [("fixed", "`apt-get install libfoo-dev`")]


def failures_of(home):
    """Failure memory of the ledger for `make`."""
    from mnemos_mcp.identity import identify
    buffer = Buffer(os.environ["MNEMOS_SQLITE_PATH"], now=0.0, busy_ms=100)
    return buffer.failures(projects=[identify(str(home / "ledger"), home=str(home)).identity], shape="make")


def test_the_failure_memory_which_speaks_by_itself_learns_only_from_a_trusted_record(take, home):
    record = Transcript(home / "ledger").ran("make", "Exit code 2\nmissing header", failed=True).ran("make", "ok")
    record.save(home / "one.jsonl")
    take(home / "one.jsonl")
    assert failures_of(home) == []
    take(home / "one.jsonl", "--trust")
    assert [f.status for f in failures_of(home)] == ["fixed"]


@pytest.mark.parametrize("more", [
    {"isMeta": True}, {"isCompactSummary": True}, {"promptSource": "system"}, {"turnOrigin": "task_notification"}, {"origin": {"kind": "task-notification"}},
    {"isSidechain": True}, {"agentId": "a1"}], ids=lambda more: next(iter(more)))
def test_a_line_that_a_program_or_a_subagent_wrote_is_no_word_of_the_human(take, put_down, home, more):
    Transcript(home / "ledger").said("Never deploy on Fridays.", **more).said("We use uv.").save(home / "one.jsonl")
    take(home / "one.jsonl")
    assert [e.content for e in put_down()] == ["We use uv."]


@pytest.mark.parametrize("text", [
    "<task-notification><status>done</status></task-notification>", "<command-name>/compact</command-name>", "/compact tidy",
    "<local-command-stdout>ok</local-command-stdout>", "[Request interrupted by user]", "<system-reminder>do it</system-reminder>"])
def test_a_text_that_only_a_client_writes_is_no_word_of_the_human(take, put_down, home, text):
    Transcript(home / "ledger").said(text).said("We use uv.").line("assistant", [{"type": "text", "text": "We use pip."}]).save(home / "one.jsonl")
    take(home / "one.jsonl")
    assert [e.content for e in put_down()] == ["We use uv."]


def test_results_that_tell_of_no_failed_run_are_left_out(take, put_down, home):
    record = Transcript(home / "ledger").ran("", "File does not exist.", failed=True, name="Read", given={"file_path": "x"})
    record.ran("rm -r build", "The user doesn't want to proceed with this tool use.", failed=True, toolDenialKind="user-rejected")
    record.ran("", "broken", failed=True, name="mcp__mnemos__mnemos_store", given={"content": "x"}).ran("mnemos list", "Exit code 1", failed=True)
    record.ran("ls", "a b c").save(home / "one.jsonl")
    assert take(home / "one.jsonl")["episodes"] == 0


def test_secrets_are_refused_with_a_count_by_kind_and_never_reach_the_file(take, put_down, home, tmp_path):
    record = Transcript(home / "ledger", session=f"s-{CLOUD_KEY}").said(f"The key is {CLOUD_KEY}, keep it.").said(f"Again {CLOUD_KEY}.")
    record.ran(f"aws s3 ls --key {CLOUD_KEY}", "Exit code 1\ndenied", failed=True).said("Ask jane.doe@example.com about deploys.").save(home / "one.jsonl")
    value = take(home / "one.jsonl")
    assert value["refused"] == [{"kind": "cloud_key", "count": 3}] and value["redacted"] == 1
    assert [e.content for e in put_down()] == ["Ask [REDACTED_EMAIL] about deploys."]
    assert all(CLOUD_KEY.encode() not in path.read_bytes() for path in (tmp_path / "data").iterdir())


def test_a_damaged_line_is_skipped_and_counted_and_the_rest_is_taken(take, put_down, home):
    record = Transcript(home / "ledger").said("We use uv.")
    record.lines += [b'{"type":"user","message":{"cont\n', b"\x00\x00\x00\n", b'{"type":"user", "message": }\n', b"[1, 2]\n", b"\n"]
    record.said("We use ruff.").save(home / "one.jsonl")
    assert take(home / "one.jsonl")["skipped"]["damaged_lines"] == 4
    assert [e.content for e in put_down()] == ["We use uv.", "We use ruff."]


def test_odd_values_in_a_line_break_nothing(take, home):
    record = Transcript(home / "ledger")
    for content in (None, 7, [7, None, {"type": "text", "text": 3}], {"a": 1}, [{"type": "tool_result", "tool_use_id": 4, "is_error": True}]):
        record.line("user", content, timestamp=[], cwd=3, origin="x").line("assistant", content, sessionId=9)
    record.lines += [{"type": "user", "sessionId": "s"}, {"type": "user", "sessionId": "s", "message": "x"}]
    record.save(home / "one.jsonl")
    assert take(home / "one.jsonl")["episodes"] == 0


def test_a_line_that_is_too_long_is_passed_over_and_counted(take, put_down, home, monkeypatch):
    monkeypatch.setattr(records, "LONGEST_LINE", 5_000)
    Transcript(home / "ledger").said("We use uv.").said("x" * 20_000).said("We use ruff.").save(home / "one.jsonl")
    assert take(home / "one.jsonl")["skipped"]["long_lines"] == 1
    assert [e.content for e in put_down()] == ["We use uv.", "We use ruff."]


def test_the_memory_that_reading_takes_does_not_grow_with_the_record(home, tmp_path):
    path, blob = tmp_path / "big.jsonl", b'{"type":"api-request-blob","sessionId":"s","blob":"' + b"x" * 30_000 + b'"}\n'
    path.write_bytes(b"".join(blob for _ in range(1_000)))
    from mnemos_mcp.records_claude import happenings
    reading = records.Reading()
    tracemalloc.start()
    with open(path, "rb") as file:
        assert list(happenings(records.bounded(file, reading.skipped), reading)) == []
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1_000_000 < path.stat().st_size / 20


def test_each_session_goes_to_the_project_of_the_folder_where_it_began_unless_another_is_named(take, put_down, home):
    (home / "shop" / "src").mkdir(parents=True)
    (home / "shop" / "pyproject.toml").touch()
    record = Transcript(home / "shop" / "src").said("We use uv.")
    record.cwd = str(home / "ledger")  # the agent went elsewhere
    record.said("We use ruff.").save(home / "one.jsonl")
    assert take(home / "one.jsonl")["projects"] == ["shop"]
    assert len({e.project for e in put_down()}) == 1
    Transcript(home / "shop", "another").said("We use mypy.").save(home / "two.jsonl")
    assert take(home / "two.jsonl", "--project", "elsewhere")["projects"] == ["elsewhere"]
    assert {e.content for e in put_down() if e.project == "name:elsewhere"} == {"We use mypy."}


def test_what_was_said_in_no_project_is_counted_and_left_out(take, put_down, home):
    Transcript(home).said("We use uv.").save(home / "one.jsonl")
    assert take(home / "one.jsonl")["skipped"] == {"no_project_or_capture_off": 1} and put_down() == []


@pytest.mark.parametrize("folder", ["name:other", "git:example.org/acme/other", "other", "", "../other"])
def test_a_record_cannot_choose_a_project_by_its_name(take, put_down, home, folder):
    Transcript(folder).said("We use uv.").save(home / "one.jsonl")
    assert take(home / "one.jsonl")["episodes"] == 0 and put_down() == []


def test_a_folder_of_records_is_swept_without_projects_whose_capture_is_off(take, put_down, home, tmp_path):
    for name in ("ledger", "shop", "secretive"):
        (home / name).mkdir(exist_ok=True)
        Transcript(home / name, f"session-{name}").said(f"The {name} uses uv.").save(home / ".claude" / "projects" / f"-{name}" / "one.jsonl")
    (home / "secretive" / ".mnemos").mkdir()
    (home / "secretive" / ".mnemos" / "mnemos.toml").write_text('capture_mode = "manual_only"\n')
    (home / ".claude" / "projects" / "-shop" / "memory.jsonl").write_text('{"note": 1}\n')
    os.symlink(tmp_path / "outside.jsonl", home / ".claude" / "projects" / "-shop" / "link.jsonl")
    Transcript(home / "shop", "outside").said("Not mine.").save(tmp_path / "outside.jsonl")
    value = take(home / ".claude" / "projects")
    assert (value["records"], value["said"], value["projects"]) == (3, 2, ["ledger", "shop"])
    assert value["skipped"] == {"no_project_or_capture_off": 1, "other_files": 1}
    assert sorted(e.content for e in put_down()) == ["The ledger uses uv.", "The shop uses uv."]


def test_sleep_makes_facts_of_it_that_keep_their_origin_and_time(take, home):
    record = Transcript(home / "ledger").said("We decided to use PostgreSQL 16 for the ledger.").said("thanks, go on")
    record.ran("pytest -q", "Exit code 1\nE: connection refused", failed=True).ran("docker compose up -d").ran("pytest -q", "ok").save(home / "one.jsonl")
    take(home / "one.jsonl")
    facts = take(command="consolidate")["facts"]
    assert [fact["outcome"] for fact in facts] == ["stored", "stored"]
    found = take("database of the ledger PostgreSQL", command="retrieve")["memories"][0]
    assert (found["content"], found["origin"]) == ("We decided to use PostgreSQL 16 for the ledger.", "imported")
    texts = [m["content"] for m in take(command="list")["memories"]]
    assert sum(text.count("`pytest -q` failed") for text in texts) == 1, "the lesson tells its failure already"
    assert take(found["id"], command="inspect")["valid_from"].startswith("2026-10-01T09:00")
    assert "facts" not in take(command="consolidate")


def test_only_trusted_words_are_told_by_themselves(take, home):
    from mnemos_mcp.runtime import open_engine
    Transcript(home / "ledger").said("We decided to use PostgreSQL 16 for the ledger.").save(home / "one.jsonl")
    take(home / "one.jsonl")
    Transcript(home / "ledger", "two").said("Always run make lint before pushing.").save(home / "two.jsonl")
    take(home / "two.jsonl", "--trust")
    take(command="consolidate")
    engine = open_engine(load(), door="cli")
    told = engine.brief()
    engine.close()
    assert "make lint" in told and "PostgreSQL" not in told


def test_a_record_comes_by_the_standard_input_too(take, put_down, home):
    path = Transcript(home / "ledger").said("We use uv.").save(home / "one.jsonl")
    assert take("-", stdin=path.read_bytes())["said"] == 1
    assert take("-", stdin=(RECORDS / "codex-rollout.jsonl").read_bytes())["episodes"] == 3


def test_an_export_with_episodes_that_nobody_judged_yet_comes_back_whole(take, put_down, home):
    Transcript(home / "ledger").said("We use uv.").save(home / "one.jsonl")
    take(home / "one.jsonl")
    told = take(home / "all.jsonl", command="export")
    assert told["episodes"] == 1 and "failure memory" in told["left_out"]
    before = put_down()
    assert take(home / "all.jsonl")["already_there"] == 1
    assert put_down() == before


def test_times_that_lie_ahead_count_as_now_and_missing_ones_as_those_before(take, put_down, home):
    record = Transcript(home / "ledger").said("We use uv.").said("We use ruff.", timestamp="never").said("We use mypy.", timestamp="2999-01-01T00:00:00Z")
    record.save(home / "one.jsonl")
    take(home / "one.jsonl")
    first, second, third = put_down()
    assert first.at == second.at < third.at < 4_000_000_000
