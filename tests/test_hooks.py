"""The hooks as processes: what they put down, what they tell, and that they never hold up or steer a client."""
import json
import os
import re
import shutil
import subprocess
import sys

import apsw
import hook_rig
import pytest
from cases import case
from hook_rig import PATIENT, PAYLOADS, Client

from mnemos_mcp import capture
from mnemos_mcp.clients import launch
from mnemos_mcp.clients.catalogue import CLIENTS

MISSING = "Exit code 1\nTraceback (most recent call last):\n  File \"app.py\", line 3, in <module>\nModuleNotFoundError: No module named 'requests'"
SILENT = ("PreCompact", "Stop", "SessionEnd", "PostCompact", "PostToolUse")


@pytest.fixture
def client(tmp_path):
    return Client(tmp_path)


def rows(client, sql):
    db = apsw.Connection(str(client.store))
    try:
        return db.execute(sql).fetchall()
    finally:
        db.close()


def test_the_next_session_starts_with_what_the_last_one_was_told_though_nobody_slept(client):
    assert client.start("s1") == ""
    assert client.prompt("We deploy the billing service with Nomad, not Kubernetes. Can you fix the flaky test?", "s1") == ""
    brief = client.start("s2")
    assert "We deploy the billing service with Nomad, not Kubernetes. [user said, just now" in brief
    assert "flaky" not in brief
    assert len(brief) <= 6000


def test_what_the_brief_told_is_not_told_again_when_sleep_has_made_it_a_memory(client):
    client.prompt("We deploy the billing service with Nomad, not Kubernetes.", "s1")
    assert "Nomad" in client.start("s2")
    client.sleep()
    assert "Nomad" not in client.prompt("How do we deploy the billing service?", "s2")
    assert "Nomad" in client.prompt("How do we deploy the billing service?", "s3"), "a session that was not told is the control"


def test_a_step_that_two_installations_tell_of_stands_in_the_fix_once(client):
    client.fails("python3 app.py", MISSING)
    client.passes("pip install requests"), client.passes("pip install requests")
    client.passes("python3 app.py")
    assert client.fails("python3 app.py", MISSING, "s2").count("pip install requests") == 1


def test_after_sleep_it_is_a_memory_and_still_in_the_brief(client):
    client.prompt("Always run the linter before you commit.")
    client.prompt("ok thanks")
    client.sleep()
    listed = client.mnemos("list")["memories"]
    assert [m["content"] for m in listed] == ["Always run the linter before you commit."]
    assert "Always run the linter" in client.start("s2")


def test_a_failure_met_again_comes_with_its_fix(client):
    assert client.fails("python3 app.py", MISSING) == ""
    assert client.passes("pip install --dry-run requests") == ""
    assert client.fails("python3 app.py", MISSING) == ""
    assert client.passes("pip install requests") == ""
    assert client.passes("python3 app.py") == ""
    told = client.fails("cd . && python3 app.py", MISSING.replace("line 3", "line 9"), "s2")
    assert "What fixed it: `pip install requests`. Did not help: `pip install --dry-run requests`." in told
    assert "ModuleNotFoundError" not in told


def test_the_fix_becomes_a_memory_of_tool_origin_which_is_never_put_before_an_agent_by_itself(client):
    client.fails("python3 app.py", MISSING)
    client.passes("pip install requests")
    client.passes("python3 app.py")
    client.sleep()
    (memory,) = client.mnemos("list")["memories"]
    assert "what fixed it: `pip install requests`" in memory["content"] and memory["origin"] == "tool"
    assert client.start("s2") == ""


def test_the_first_prompt_recalls_and_the_second_does_not(client):
    client.mnemos("store", "The staging database listens on port 5433.")
    said = client.prompt("Which port does the staging database listen on?")
    assert "port 5433" in said and len(said) <= 2000
    assert client.prompt("Which port does the staging database listen on?") == ""
    client.send("PreCompact", trigger="auto")
    assert client.prompt("What is the weather like in Paris today?") == ""


@pytest.mark.parametrize(("broken_off", "told"), [(1, True), (2, False)])
def test_a_recall_that_did_not_come_to_its_end_is_tried_once_more(client, monkeypatch, broken_off, told):
    client.mnemos("store", "The staging database listens on port 5433.")
    with monkeypatch.context() as slow:
        slow.setattr(hook_rig, "PATIENT", f"import os, mnemos_mcp.telling as t; t.told = lambda *_: os._exit(0)\n{PATIENT}")
        for _ in range(broken_off):
            assert client.prompt("Which port does the staging database listen on?") == ""
    assert ("port 5433" in client.prompt("Which port does the staging database use?")) is told
    assert client.prompt("Which port is the one of the staging database?") == ""


def test_what_was_told_before_a_compaction_is_told_again_after_it_and_after_a_resume_is_not(client):
    client.mnemos("store", "The kestrel index is rebuilt by the osprey job", "--importance", "low")
    client.start("s2")
    assert "osprey" in client.prompt("what rebuilds the kestrel index?", "s2")
    client.start("s2", "resume")
    assert "osprey" not in client.prompt("what rebuilds the kestrel index?", "s2")
    client.send("PreCompact", "s2", trigger="auto")
    client.start("s2", "compact")
    assert "osprey" in client.prompt("what rebuilds the kestrel index?", "s2")


def test_where_nothing_is_captured_the_first_prompt_alone_recalls(client, monkeypatch):
    (client.repository / ".mnemos").mkdir()
    (client.repository / ".mnemos" / "mnemos.toml").write_text('capture_mode = "manual_only"\n')
    client.mnemos("store", "The staging database listens on port 5433.")
    assert "port 5433" in client.prompt("Which port does the staging database listen on?")
    monkeypatch.setattr(hook_rig, "PATIENT", f"import mnemos_mcp.telling as t; t.told = None\n{PATIENT}")
    log = client.store.with_name("mnemos.log")
    for session, asked in (("s1", False), ("s2", True)):
        client.prompt("Which port is the one of the staging database?", session)
        assert (log.exists() and "TypeError" in log.read_text()) is asked


def test_inject_off_tells_nothing_and_a_repository_can_switch_all_off(tmp_path):
    client = Client(tmp_path, MNEMOS_INJECT="off")
    client.prompt("We use yarn, not npm.")
    assert client.start("s2") == ""
    loud = Client(tmp_path)
    (loud.repository / ".mnemos").mkdir()
    (loud.repository / ".mnemos" / "mnemos.toml").write_text('inject = "off"\ncapture_mode = "manual_only"\n')
    loud.prompt("We deploy with Nomad.")
    assert loud.start("s3") == ""
    assert [r[0] for r in rows(loud, "select content from episode")] == ["We use yarn, not npm."]


def test_nothing_of_one_repository_turns_up_in_another(tmp_path):
    one, other = Client(tmp_path, "clients"), Client(tmp_path, "hobby")
    one.prompt("We deploy with Nomad, not Kubernetes.")
    one.fails("make", "Exit code 2\nerror: no rule")
    one.passes("apt install make")
    one.passes("make")
    assert other.start() == "" and other.prompt("What do we deploy with?") == "" and other.fails("make", "Exit code 2\nerror: no rule") == ""


def test_secrets_and_private_parts_are_never_put_down(client):
    key = "AKIA" + "Z7RQ2M5KTX4WBN3L"
    client.prompt(f"Use the key {key} for the upload.")
    client.prompt("We use yarn. <private>my salary is 12345 coins</private>")
    client.fails(f"curl -H 'Authorization: Bearer {'ghp_' + 'a1B2' * 9}' x.test", "Exit code 22\nerror: 403")
    everything = client.store.read_bytes() + client.store.with_name("mnemos.db-wal").read_bytes()
    assert key.encode() not in everything and b"12345 coins" not in everything and b"ghp_" not in everything
    assert [r[0] for r in rows(client, "select content from episode")] == ["We use yarn."]


def test_a_session_id_that_is_a_key_is_put_down_by_its_hash_and_still_groups_what_was_said(client):
    key = "ghp_" + "a1B2c3D4" * 4 + "wXyZ"
    client.start(session=key)
    client.prompt("We use yarn, not npm.", session=key)
    client.prompt("The importer reads each file twice.", session=key)
    client.fails("make", "Exit code 2\nerror: no rule", session=key)
    assert key.encode() not in client.store.read_bytes() + client.store.with_name("mnemos.db-wal").read_bytes()
    assert len({r[0] for r in rows(client, "select session from episode")}) == 1


def test_no_id_folder_or_source_of_a_client_brings_a_key_or_a_text_without_end_into_the_file(tmp_path, client):
    key = "ghp_" + "a1B2c3D4" * 4 + "wXyZ"
    endless = "toolu_" + "ab1" * 300_000
    client.repository = tmp_path / f"key={key}"
    client.repository.mkdir()
    client.start(session=endless, source=f"say {key}")
    for name in ("prompt_id", "turn_id", "generation_id"):
        client.prompt(f"We use yarn, not npm, says {name}.", session=endless, **{"prompt_id": "", name: key})
    client.fails("make", "Exit code 2\nerror: no rule", session=endless, tool_use_id=key)
    data = client.store.read_bytes() + client.store.with_name("mnemos.db-wal").read_bytes()
    assert key.encode() not in data and len(data) < 800_000
    assert len({r[0] for r in rows(client, "select session from episode")}) == 1 and rows(client, "select count(*) from project") == [(1,)]


@case("capture-event-twice")
def test_the_same_event_from_two_hooks_is_one_episode_and_told_once(client):
    payload = json.dumps({"session_id": "s", "prompt_id": "p1", "cwd": str(client.repository), "hook_event_name": "UserPromptSubmit",
                          "prompt": "We use yarn, not npm."}).encode()
    client.raw(payload), client.raw(payload)
    assert rows(client, "select count(*) from episode") == [(1,)]
    start = json.dumps({"session_id": "s2", "cwd": str(client.repository), "hook_event_name": "SessionStart", "source": "startup"}).encode()
    assert [bool(client.raw(start).stdout) for _ in range(2)] == [True, False]


def test_the_project_is_the_one_the_client_was_started_in_though_the_agent_walks(client):
    below = client.repository / "services" / "billing"
    below.mkdir(parents=True)
    client.environment["CLAUDE_PROJECT_DIR"] = str(client.repository)
    client.prompt("We deploy with Nomad.", cwd=str(client.home))
    client.prompt("We use yarn, not npm.", cwd=str(below))
    assert len({r[0] for r in rows(client, "select project from episode")}) == 1


@case("hook-compaction-blocked")
@pytest.mark.parametrize("name", sorted(p.stem for p in PAYLOADS.glob("*.json") if not p.stem.endswith("-env")))
def test_every_recorded_payload_ends_well_and_prints_only_where_it_may(client, name):
    payload = (PAYLOADS / f"{name}.json").read_bytes()
    done = client.raw(payload)
    assert (done.returncode, done.stderr) == (0, b"")
    event = json.loads(payload).get("hook_event_name", "")
    assert done.stdout == b"" or (event not in SILENT and json.loads(done.stdout)["hookSpecificOutput"]["hookEventName"] == event)


@case("hook-bad-stdin")
@pytest.mark.parametrize("stdin", [b"", b"not json", b"[]", b"null", b"{}", b'{"hook_event_name":"SomethingNew"}', bytes(range(256)) * 40,
                                   b'{"hook_event_name":"Stop","stop_hook_active":true}', b"[" * 100_000, b'{"a":"' + b"x" * 10_000_000 + b'"}'],
                         ids=["empty", "no json", "list", "null", "object", "unknown", "binary", "stop", "deep", "10 MB"])
def test_bad_input_is_no_event(client, stdin):
    done = client.raw(stdin, "PostToolUseFailure")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


@case("hook-prompt-held-up")
def test_a_held_file_is_waited_for_once(client):
    client.mnemos("store", "The staging database listens on port 5433.")
    holder = apsw.Connection(str(client.store))
    holder.execute("begin immediate").fetchall()
    code = ("import mnemos_mcp.hook as h; from mnemos_mcp.storage import buffer; h.LAST_S, h.DEADLINE_S = 50.0, {}\n"
            "apply, waits = buffer.Buffer.apply, []\n"
            "buffer.Buffer.apply = lambda self, w: (waits.append(self.db.execute('pragma busy_timeout').fetchall()[0][0]), apply(self, w))[1]\n"
            "h.main(); import sys; sys.stderr.write(repr(waits))")
    for event, waits in (("UserPromptSubmit", b"[400]"), ("SessionStart", b"[400, 0]")):
        payload = {"session_id": "s", "cwd": str(client.repository), "hook_event_name": event, "source": "startup", "prompt": "Which port does the staging database use?"}
        done = subprocess.run([sys.executable, "-P", "-c", code], input=json.dumps(payload).encode(), capture_output=True, env=client.environment, timeout=60)
        assert done.stderr == waits and (b"port 5433" in done.stdout) is (event == "SessionStart")
    holder.close()


def test_a_command_is_screened_before_it_is_cut(client):
    client.fails("make db", "Exit code 2\nerror: no database")
    client.passes("export PAD=" + "x" * 367 + " postgres://app:Tr0ub4dorAx9k2Lm4@db.internal/x")
    client.fails("make other", "Exit code 2\nerror: no database")
    client.passes("make db")
    told = client.fails("make db", "Exit code 2\nerror: no database", "s2")
    everything = client.store.read_bytes() + client.store.with_name("mnemos.db-wal").read_bytes()
    assert b"Tr0ub4dorAx9k2Lm4" not in everything and "a command that is not kept" in told


def test_a_failure_stays_in_its_repository_though_the_session_walks(tmp_path):
    one, other = Client(tmp_path, "one"), Client(tmp_path, "other")
    one.fails("make test", "Exit code 2\nerror: SECRETPROJECT")
    other.passes("./run-elsewhere")
    other.passes("make test")
    assert rows(one, "select status, steps from failure") == [("open", "[]")]
    assert rows(one, "select count(*) from episode where content like '%SECRETPROJECT%' and kind = 'fix'") == [(0,)]


def test_what_stands_in_the_middle_of_a_long_prompt_is_kept_and_what_is_left_out_is_counted(client):
    line = "2026-11-30 12:00:01 worker {} took 12 ms for the batch\n"
    log = "".join(line.format(n) for n in range(280))
    payload = {"session_id": "s1", "prompt_id": "p", "cwd": str(client.repository), "hook_event_name": "UserPromptSubmit",
               "prompt": f"Look:\n```\n{log}```\nWe deploy the billing service with Nomad, not Kubernetes.\n```\n{log}```\nWhat is slow?"}
    for _ in range(2):
        client.raw(json.dumps(payload).encode())
    parts = [r[0] for r in rows(client, "select content from episode order by n")]
    assert len(parts) == 4 and all(len(part) <= 8_010 and part.count("```") % 2 == 0 for part in parts)
    assert "Nomad, not Kubernetes" in client.start("s2")
    client.prompt(said := f"{log * 5} Always run the linter before you commit.", "s3")
    (hooks,) = [c for c in client.mnemos("health")["checks"] if c["name"] == "hooks"]
    (left_out,) = re.findall(r"(\d+) characters of texts that were too long", hooks["detail"])
    assert 0 <= int(left_out) - (len(said) - 40_000) < 2 * len(line)  # cut between lines


def test_a_question_is_not_told_as_known(client):
    client.prompt("Is it true that we deploy from the release branch only?")
    client.prompt("¿Siempre usamos tabulaciones?")
    assert client.start("s2") == ""


def test_a_held_file_is_not_waited_for_and_what_was_said_lies_aside_until_the_worker_comes(client):
    client.start()
    holder = apsw.Connection(str(client.store))
    holder.execute("begin immediate").fetchall()
    client.prompt("Look at this:\u2028it is\x85odd.", "s2")
    client.prompt("We deploy with Nomad, not Kubernetes.")
    aside = client.store.with_name("mnemos.db-aside.jsonl")
    assert aside.exists() and aside.stat().st_mode & 0o777 == 0o600
    holder.execute("rollback").fetchall()
    holder.close()
    client.sleep()
    assert not aside.exists()
    assert rows(client, "select count(*) from episode where content like 'Look at this:%'") == [(1,)]
    assert [m["content"] for m in client.mnemos("list")["memories"]] == ["We deploy with Nomad, not Kubernetes."]


@pytest.mark.parametrize("damage", [b"no database at all, just text" * 100, b""], ids=["foreign", "empty file"])
def test_a_damaged_file_costs_the_client_nothing(client, damage):
    client.store.parent.mkdir(mode=0o700)
    client.store.write_bytes(damage)
    assert client.prompt("We deploy with Nomad.") == "" and client.start("s2") in ("", client.start("s3"))
    if damage:
        assert client.store.read_bytes() == damage
        assert "hook open: StoreUnavailable" in client.store.with_name("mnemos.log").read_text()


def test_without_a_home_a_folder_or_room_it_ends_all_the_same(client):
    payload = json.dumps({"session_id": "s", "cwd": "/nowhere/at/all", "hook_event_name": "UserPromptSubmit", "prompt": "We use yarn."}).encode()
    client.environment |= {"HOME": "/nowhere/at/all", "MNEMOS_SQLITE_PATH": "/proc/no/such.db"}
    done = client.raw(payload)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


@pytest.mark.skipif(not shutil.which("setpriv"), reason="needs setpriv to be an ordinary user")
def test_a_session_begins_with_what_is_known_where_nothing_may_be_written(client):
    client.mnemos("store", "We deploy with Nomad, never on Fridays.", "--importance", "high")
    plain = ["setpriv", "--bounding-set=-dac_override,-dac_read_search", "--"] if os.getuid() == 0 else []
    payload = json.dumps({"session_id": "s", "cwd": str(client.repository), "hook_event_name": "SessionStart", "source": "startup"}).encode()
    os.chmod(client.store.parent, 0o555)
    try:
        done = subprocess.run([*plain, sys.executable, "-P", "-c", PATIENT, "SessionStart"], input=payload, capture_output=True, env=client.environment, timeout=60)
    finally:
        os.chmod(client.store.parent, 0o755)
    assert (done.returncode, done.stderr) == (0, b"") and b"never on Fridays" in done.stdout


def test_stdin_that_stays_open_is_left_after_the_deadline(client):
    code = "import mnemos_mcp.hook as h; h.LAST_S = 0.2; h.script()"
    process = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=client.environment)
    assert process.wait(30) == 0
    assert process.stdout.read() == b""
    process.stdin.close()


def test_health_knows_of_what_a_client_captured_that_numbers_no_events(client):
    client.start()
    client.mnemos("store", "The staging database listens on port 5433.")
    assert "nothing captured yet" in json.dumps(client.mnemos("health"))
    client.send("UserPromptSubmit", prompt_id=None, prompt="We deploy with Nomad.")
    assert rows(client, "select event from episode order by n desc limit 1") == [("",)]
    assert "last capture just now" in json.dumps(client.mnemos("health"))


def test_a_cited_memory_is_reinforced_and_its_receipt_says_so(client):
    stored = client.mnemos("store", "The staging database listens on port 5433.")
    assert stored["id"] in client.prompt("Which port does the staging database listen on?")
    client.send("Stop", last_assistant_message=f"It listens on 5433 (memory {stored['id']}).")
    assert rows(client, "select used from receipt") == [(json.dumps([stored["id"]]),)]
    assert rows(client, f"select reinforcements from memory where id = '{stored['id']}'")[0][0] == pytest.approx(1.0)


def test_a_citation_counts_as_much_as_the_user_has_set(client):
    file = client.home / ".config" / "mnemos" / "mnemos.toml"
    file.parent.mkdir(parents=True)
    file.write_text("[decay]\nceiling = 0.5\n")
    stored = client.mnemos("store", "The staging database listens on port 5433.")
    client.prompt("Which port does the staging database listen on?")
    client.send("Stop", last_assistant_message=f"It listens on 5433 (memory {stored['id']}).")
    assert rows(client, f"select reinforcements from memory where id = '{stored['id']}'")[0][0] == pytest.approx(0.5)


def test_every_hook_leaves_one_time_the_whole_one(client, monkeypatch):
    client.mnemos("store", "The staging database listens on port 5433.")
    monkeypatch.setattr(hook_rig, "PATIENT", f"import itertools, mnemos_mcp.hook as h; h._since_start = itertools.count(1).__next__\n{PATIENT}")
    assert client.prompt("Which port does the staging database listen on?", "s1")
    assert client.prompt("What is the weather like in Paris today?", "s2") == "", "what looked for something and found nothing has taken its time too"
    client.prompt("Always run the linter before you commit.", "s2")
    assert client.start("s3")
    client.send("Stop", last_assistant_message="It listens on 5433.")
    assert rows(client, "select event, ms from hook_time order by n") == [
        ("UserPromptSubmit", 2000.0), ("UserPromptSubmit", 2000.0), ("UserPromptSubmit", 1000.0), ("SessionStart", 2000.0), ("Stop", 1000.0)]


def test_the_command_that_is_configured_is_the_hook(client):
    payload = json.dumps({"session_id": "s", "cwd": str(client.repository), "hook_event_name": "UserPromptSubmit", "prompt": "We use yarn, not npm."}).encode()
    for words in (["mnemos_mcp.hook", "UserPromptSubmit"], ["mnemos_mcp", "hook", "UserPromptSubmit"]):
        done = subprocess.run([sys.executable, "-P", "-m", *words], input=payload, capture_output=True, cwd=client.repository, env=client.environment, timeout=60)
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert [r[0] for r in rows(client, "select content from episode")] == ["We use yarn, not npm."] * 2


def test_modules_of_the_repository_are_never_taken_for_ours_whatever_the_environment_says(client):
    for module in ("json", "apsw", "mnemos_mcp", "sitecustomize"):
        (client.repository / f"{module}.py").write_text("raise SystemExit(3)\n")
    client.environment |= {"PYTHONPATH": ".", "PYTHONSTARTUP": "json.py"}
    line = launch.hook_command(sys.executable, "UserPromptSubmit")
    payload = {"session_id": "s", "prompt_id": "p", "cwd": str(client.repository), "hook_event_name": "UserPromptSubmit", "prompt": "We use yarn, not npm."}
    done = subprocess.run(line, shell=True, input=json.dumps(payload).encode(), capture_output=True, cwd=client.repository, env=client.environment, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert [r[0] for r in rows(client, "select content from episode")] == ["We use yarn, not npm."]
    entry = launch.server_entry(CLIENTS["claude"], sys.executable)
    served = subprocess.run([entry["command"], *entry["args"]], input=b"", capture_output=True, cwd=client.repository, env=client.environment, timeout=60)
    assert served.returncode == 0, served.stderr


@pytest.mark.parametrize("flags", ["-P", "-EP"])
def test_the_worker_is_kept_from_the_environment_as_the_hook_is_that_wakes_it(client, flags):
    code = "from mnemos_mcp.waking import command; print(*command('stop', '/a')[1:])"
    done = subprocess.run([sys.executable, flags, "-c", code], env=client.environment, capture_output=True, text=True, timeout=60)
    assert done.stdout.split() == [flags, "-m", "mnemos_mcp.worker", "stop", "/a", "2.0"]


@case("hook-stop-loop")
def test_a_stop_never_asks_for_more_however_often_it_comes(client):
    for active in (True, False, True):
        assert client.send("Stop", stop_hook_active=active, last_assistant_message="The next steps are: fix the tests, then release.") == ""


@pytest.mark.parametrize(("unit", "ends"), [
    ("is the ledger deployed on fridays? ", "?"), ("deploy the ledger on fridays! ", "!"), ("ledger" * 40 + " ", "r"), ("发布在星期五。", "。")])
def test_long_texts_are_cut_behind_a_question_an_exclamation_or_a_word(unit, ends):
    text = unit * (60_000 // len(unit))
    parts, cut = capture.pieces(text)
    assert cut > 0 and all(len(part) <= capture.LONGEST_EPISODE for part in parts)
    pieces = [piece.strip() for part in parts for piece in part.split("\n...") if piece.strip()]
    assert all(piece.endswith(ends) and piece.startswith(unit.strip()) for piece in pieces)


def test_a_text_without_spaces_is_cut_at_the_bound_and_an_opened_fence_is_no_part_of_its_own():
    parts, _ = capture.pieces("``` " + "x" * 20_000)
    assert all(part.count("```") in (1, 2) and len(part) > 1000 for part in parts)
