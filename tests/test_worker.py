"""The worker: one at a time for a file, gone without a trace, and nothing lost between an event and its sleep."""
import fcntl
import os
import subprocess
import sys

import apsw
from hook_rig import PATIENT, Client

from mnemos_mcp import transcript
from mnemos_mcp.waking import at_rest

START = b'{"session_id": "next", "hook_event_name": "SessionStart", "source": "startup"}'


def test_what_was_said_before_a_kill_is_slept_over_at_the_next_start(tmp_path):
    client = Client(tmp_path)
    client.prompt("We deploy the billing service with Nomad, not Kubernetes.", "killed")
    client.start("next")  # wakes a worker, for the session that never ended
    client.sleep()  # waits for that one, and finds nothing left to do
    assert [m["content"] for m in client.mnemos("list")["memories"]] == ["We deploy the billing service with Nomad, not Kubernetes."]


def test_an_agents_last_word_is_no_fact_but_its_statement_is(tmp_path):
    client = Client(tmp_path)
    client.send("Stop", last_assistant_message="Released.")
    client.send("Stop", last_assistant_message="The flaky test failed because the fixture shares one temporary folder between workers.")
    client.sleep()
    assert [m["content"][:14] for m in client.mnemos("list")["memories"]] == ["The flaky test"]
    client.prompt("Released only on Mondays.")
    client.sleep()
    assert "Released." not in [m["content"] for m in client.mnemos("list")["memories"]]


def test_a_second_run_writes_nothing(tmp_path):
    client = Client(tmp_path)
    client.prompt("We deploy the billing service with Nomad, not Kubernetes.")
    client.sleep(), client.sleep()
    db = apsw.Connection(str(client.store))
    assert db.execute("select count(*) from run").fetchall() == [(1,)]
    db.close()


def test_while_another_works_on_the_file_a_worker_waits(tmp_path):
    client = Client(tmp_path)
    client.prompt("We deploy the billing service with Nomad, not Kubernetes.")
    lock = os.open(f"{client.store}.lock", os.O_RDWR | os.O_CREAT, 0o600)
    fcntl.flock(lock, fcntl.LOCK_EX)
    code = f"import mnemos_mcp.worker as w; w.PATIENCE_S = 0.1; raise SystemExit(w.main(['session_end', {str(client.repository)!r}]))"
    assert subprocess.run([sys.executable, "-c", code], env=client.environment, check=False, timeout=60).returncode == 0
    os.close(lock)
    assert client.mnemos("list")["total"] == 0


def test_a_hook_wakes_no_second_worker_for_what_one_at_rest_will_read(tmp_path):
    database = str(tmp_path / "mnemos.db")
    (tmp_path / "mnemos.db.lock").write_text("session_end /shop")
    assert not at_rest(database, "session_end", "/shop")  # what a killed one has left
    lock = os.open(f"{database}.lock", os.O_RDWR)
    fcntl.flock(lock, fcntl.LOCK_EX)
    assert at_rest(database, "session_end", "/shop") and at_rest(database, "stop", "/shop")
    assert not at_rest(database, "stop", "/other")
    os.pwrite(lock, b"stop /shop\0\0\0\0\0\0\0", 0), os.ftruncate(lock, 10)
    assert at_rest(database, "stop", "/shop") and not at_rest(database, "session_end", "/shop")
    os.ftruncate(lock, 0)  # it has begun
    assert not at_rest(database, "session_end", "/shop")
    os.close(lock)


def test_what_is_said_while_the_worker_rests_is_in_the_same_night(tmp_path):
    client = Client(tmp_path)
    client.prompt("We deploy the billing service with Nomad, not Kubernetes.")
    later = b'{"session_id": "s2", "prompt_id": "p9", "hook_event_name": "UserPromptSubmit", "prompt": "The staging database listens on port 6543."}'
    code = f"import subprocess, sys, time, types; import mnemos_mcp.worker as w, mnemos_mcp.waking as g\n" \
           f"def rest(seconds):\n  print(seconds, g.at_rest({str(client.store)!r}, 'stop', {str(client.repository)!r}))\n" \
           f"  subprocess.run([sys.executable, '-c', {PATIENT!r}], input={later!r}, check=True)\n" \
           f"w.time = types.SimpleNamespace(sleep=rest, monotonic=time.monotonic); raise SystemExit(w.main(['session_end', {str(client.repository)!r}, '1.5']))"
    seen = subprocess.run([sys.executable, "-c", code], env=client.environment, cwd=client.repository, capture_output=True, check=True, timeout=120, text=True).stdout
    assert seen == "1.5 True\n" and client.mnemos("list")["total"] == 2


def test_until_its_fact_is_written_what_was_said_is_told_as_it_was_said(tmp_path):
    client = Client(tmp_path)
    client.prompt("We deploy the billing service with Nomad, not Kubernetes.")
    peek = f"print(subprocess.run([sys.executable, '-c', {PATIENT!r}], input={START!r}, capture_output=True).stdout.decode())"
    code = f"import subprocess, sys; import mnemos_mcp.encode as e, mnemos_mcp.worker as w; plan = e.plan\ndef looked(*given):\n  {peek}\n  return plan(*given)\n" \
           f"e.plan = looked; raise SystemExit(w.main(['session_end', {str(client.repository)!r}]))"
    seen = subprocess.run([sys.executable, "-c", code], env=client.environment, cwd=client.repository, capture_output=True, check=True, timeout=120).stdout
    assert b"with Nomad, not Kubernetes" in seen
    assert client.mnemos("list")["total"] == 1


def test_a_transcript_tells_the_exit_code_and_the_edits(tmp_path):
    record = tmp_path / "rollout.jsonl"
    record.write_text('not json\n{"payload": {"item": {"id": "call_1", "exit_code": 3}}}\n{"payload": {"item": {"id": "call_2", "exit_code": 0}}}\n')
    assert [transcript.exit_code(str(record), use) for use in ("call_1", "call_2", "call_9", "")] == [3, 0, None, None]
    edits = tmp_path / "claude.jsonl"
    edits.write_text("".join(f'{{"message": {{"content": [{{"type": "tool_use", "name": "{name}", "input": {given}}}]}}}}\n' for name, given in (
        ("Edit", '{"file_path": "/a/before.py"}'), ("Bash", '{"command": "make"}'), ("Edit", '{"file_path": "/a/fix.py"}'), ("Bash", '{"command": "make"}'))))
    assert transcript.edited_since(str(edits), "make") == ["fix.py"]
    assert transcript.edited_since("/nowhere", "make") == []
