"""What a payload says, in one form, whatever the client."""
import json

import pytest
from cases import case
from hook_rig import PAYLOADS
from hypothesis import given
from hypothesis import strategies as st

from mnemos_mcp import events


def payload(name):
    return json.loads((PAYLOADS / f"{name}.json").read_text())


@pytest.mark.parametrize(("name", "kind"), [
    ("claude-SessionStart-startup", "start"), ("claude-SessionStart-compact", "start"), ("claude-UserPromptSubmit-plain", "prompt"),
    ("claude-PostToolUseFailure-bash-exit1", "failure"), ("claude-PostToolUseFailure-mcp", "failure"), ("claude-PostToolUse-bash", "success"),
    ("claude-PreCompact-auto", "compacting"), ("claude-PostCompact-manual", "compacted"), ("claude-Stop", "stop"), ("claude-SessionEnd-other", "end"),
    ("codex-SessionStart-startup", "start"), ("codex-UserPromptSubmit-plain", "prompt"), ("codex-PostToolUse-bash", "success"), ("codex-Stop", "stop"),
    ("docs-cursor-beforeSubmitPrompt", "prompt"), ("docs-cursor-afterShellExecution", "success"), ("docs-windsurf-pre_user_prompt", "prompt"),
    ("docs-windsurf-post_cascade_response", "stop"),
    # What tells nothing: a search without a hit, other tools, subagents, what the client only announces.
    ("claude-PostToolUse-edit", ""), ("claude-PostToolUseFailure-bash-exit9-subagent", ""), ("claude-SubagentStop", ""), ("claude-Notification", ""),
    ("claude-PreToolUse-bash", ""), ("claude-UserPromptExpansion", "")])
def test_every_recorded_payload_is_one_kind_of_event_or_none(name, kind):
    assert events.read(payload(name)).kind == kind


def test_a_search_without_a_hit_is_no_failure():
    assert events.read(payload("claude-PostToolUse-bash-returnCodeInterpretation")).kind == "success"


@case("hook-failed-tool-event")
def test_a_failure_is_known_by_its_event_or_by_its_exit_code():
    told = {"hook_event_name": "PostToolUseFailure", "tool_name": "Bash", "tool_input": {"command": "npm test"}, "error": "Exit code 1: 3 tests failed"}
    seen = {"hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_input": {"command": "npm test"}, "tool_response": {"stderr": "3 failed", "exit_code": 1}}
    fine = {"hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_response": {"stdout": "a"}}
    assert [events.read(p).kind for p in (told, seen, fine)] == ["failure", "failure", "success"]
    assert events.read(seen).error == "Exit code 1\n3 failed"


@pytest.mark.parametrize("own", [{"tool_name": "mcp__mnemos__mnemos_store"}, {"tool_name": "mcp__plugin_mnemos_mnemos__mnemos_store"},
                                 {"tool_name": "mcp__x__y", "mcp_server": {"name": "plugin:mnemos:mnemos"}},
                                 {"tool_name": "Bash", "tool_input": {"command": "/opt/bin/mnemos recover"}}])
def test_what_mnemos_itself_does_is_no_event(own):
    assert events.read({"hook_event_name": "PostToolUseFailure", "error": "x", **own}) == events.NOTHING


@case("capture-client-text")
@pytest.mark.parametrize(("typed", "said"), [
    ("<system-reminder>The plan file has changed.</system-reminder>", ""), ("<task-notification>done</task-notification>", ""), ("/compact", ""),
    ("/mcp__rig__recall builds", ""), ("<local-command-stdout>ok</local-command-stdout>", ""), ("[Request interrupted by user]", ""),
    ("<system-reminder>x</system-reminder> We use yarn, not npm.", "We use yarn, not npm."),
    ("We use yarn.\n<ide_selection>secret line</ide_selection>", "We use yarn."), ("<system-reminder>never closed We use", ""),
    ("/usr/bin/python3 is the interpreter here", "/usr/bin/python3 is the interpreter here"), ("/deploy staging", ""), ("/git:commit all", ""),
    ("<div>hello</div> breaks", "<div>hello</div> breaks")])
def test_only_what_the_user_said_is_left_of_a_prompt(typed, said):
    assert events.prompt(typed) == said


@pytest.mark.parametrize("said", ["/tmp is full again, we must clean it nightly.", "/var grows by 2 GB a day", "/Users holds the homes", "/swagger.json must list every route",
                                  "/checkout must answer 402 when the card is declined", "/health ist ohne Anmeldung erreichbar", "/opt\nholds all of it"])
def test_a_path_or_a_route_at_the_beginning_is_no_command(said):
    assert events.prompt(said) == said


def test_the_same_event_has_the_same_key_and_two_prompts_of_a_turn_have_two():
    one = payload("claude-UserPromptSubmit-plain")
    assert events.read(one).key == events.read(dict(one)).key != ""
    assert events.read({**one, "prompt": "another"}).key != events.read(one).key
    assert events.read({"hook_event_name": "UserPromptSubmit", "prompt": "x"}).key == ""


def test_sessions_and_turns_of_any_length_have_keys_of_their_own():
    one = payload("claude-UserPromptSubmit-plain")
    pairs = [("a" * 200, "t"), ("b" + "a" * 199, "t"), ("a" * 199 + "b", "t"), ("s", "a" * 200), ("s", "b" + "a" * 199), ("s/t", "u"), ("s", "t/u")]
    keys = {events.read({**one, "session_id": session, "prompt_id": turn}).key for session, turn in pairs}
    assert len(keys) == len(pairs) and max(map(len, keys)) < 250


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(
    ["hook_event_name", "agent_action_name", "tool_name", "tool_input", "tool_response", "prompt", "cwd", "session_id", "mcp_server", "workspace_roots",
     "tool_info", "command", "error"]), inner | st.sampled_from(["PostToolUse", "UserPromptSubmit", "Bash"])), max_leaves=20))
def test_no_payload_is_too_odd(odd):
    event = events.read(odd)
    assert (events.context(event, "x") != "") == event.prints
    assert isinstance(events.prompt(event.text).encode(), bytes)


@pytest.mark.parametrize("fields", [{}, {"tool_input": {}}, {"tool_name": "Bash"}, {"tool_name": "Bash", "tool_input": {"command": " "}}])
def test_a_failure_of_nothing_that_is_named_is_no_event(fields):
    assert events.read({"hook_event_name": "PostToolUseFailure", "session_id": "s", **fields}) == events.NOTHING
