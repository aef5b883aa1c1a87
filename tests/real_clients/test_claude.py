"""Claude Code alone: what its hooks print, what is no prompt of the user, a resumed, a killed and a drifting session, two installations."""
from __future__ import annotations

import json
from pathlib import Path

import pytest

from .clients import Claude
from .models import Anthropic, Turn, say, use
from .places import Place
from .players import ClaudePlayer, quoted
from .screen import Screen
from .test_story import DECISION, FIX, MORNING, RELEASE, Seen, first_script

pytestmark = pytest.mark.real_clients
CLAUDE = ClaudePlayer()
ROOT = Path(__file__).parents[2]
UNDERSTOOD = Turn("We deploy", say("Understood."))


@pytest.fixture
def billing(place: Place) -> Path:
    folder = place.repository("billing")
    place.set_up("claude", folder)
    return folder


def morning(place: Place, folder: Path) -> str:
    """What a new session is told."""
    return quoted(CLAUDE.talk(place, folder, [MORNING], "Good morning.").requests[0])


def test_after_remove_a_session_has_no_hook_and_no_server_of_ours(place: Place, billing: Path) -> None:
    place.set_up("claude", billing, "--remove")
    with Anthropic(UNDERSTOOD) as model, Claude(place, billing, model) as client:
        client.say(DECISION)
    assert not client.hooks()
    assert "mnemos" not in json.dumps([event.data for event in client.events])


def test_every_hook_exits_clean_and_only_those_print_that_may(place: Place, billing: Path, seen: Seen) -> None:
    CLAUDE.talk(place, billing, first_script(CLAUDE), DECISION, RELEASE)
    (billing / "config" / "nomad.hcl").unlink()
    hooks = CLAUDE.talk(place, billing, first_script(CLAUDE), DECISION, RELEASE).hooks
    assert len(hooks) >= 8
    assert {(hook["exit_code"], hook["stderr"]) for hook in hooks} == {(0, "")}
    printing = sorted({hook["hook_event"] for hook in hooks if hook["stdout"]})
    assert set(printing) <= {"SessionStart", "UserPromptSubmit", "PostToolUseFailure"}
    seen(f"{len(hooks)} runs; printed: {', '.join(printing)}")


def test_the_summary_of_a_compaction_is_kept(place: Place, billing: Path) -> None:
    session = CLAUDE.compact(place, billing, UNDERSTOOD, Turn("What next", say("Rest.")), DECISION, "What next?")
    assert session.followed()
    assert place.holds("The release went well.")


def test_a_resumed_session_gets_the_brief(place: Place, billing: Path) -> None:
    CLAUDE.talk(place, billing, [UNDERSTOOD], DECISION)
    resumed = CLAUDE.talk(place, billing, [Turn("Go on", say("Gladly."))], "Go on.", extra=("--continue",))
    assert DECISION in quoted(resumed.requests[0])


def test_prompts_of_the_machine_are_not_captured(place: Place, billing: Path, seen: Seen) -> None:
    script = [Turn("Start it", CLAUDE.shell("sleep 2; echo finished-behind", run_in_background=True)),
              Turn("tool_result", say("Started.")),
              Turn("task-notification", say("It is done."))]
    with Anthropic(*script) as model, Claude(place, billing, model) as client:
        client.say("Start it behind my back: the word is marzipan.")
        client.turn()  # the notification's own
        client.say("/cost")
        texts = [episode.content for episode in place.episodes()]
    assert not model.script
    assert len(client.hooks("UserPromptSubmit")) >= 2, "the notification came through the hook"
    assert any("marzipan" in text for text in texts), "the user's own prompt is the control"
    assert not place.holds("task-notification") and not place.holds("/cost")
    seen(f"UserPromptSubmit ran {len(client.hooks('UserPromptSubmit'))} times for one prompt of the user; {len(texts)} episodes, no other prompt in them")


def test_what_a_subagent_is_told_and_fails_at_is_not_captured(place: Place, billing: Path) -> None:
    script = [Turn("Ask another", use("Agent", description="sub", prompt="Find the pistachio file.", subagent_type="general-purpose",
                                      run_in_background=False)),
              Turn("pistachio", CLAUDE.shell("ls /no/such/walnut")),
              Turn("walnut", say("There is none.")),
              Turn("There is none", say("Nothing found."))]
    assert CLAUDE.talk(place, billing, script, "Ask another agent: the word is marzipan.").followed()
    assert place.holds("marzipan"), "the user's own prompt is the control"
    assert not place.holds("pistachio") and not place.holds("walnut")


def test_settings_and_plugin_together_are_one_installation(place: Place, billing: Path, seen: Seen) -> None:
    plugin = ("--plugin-dir", str(ROOT))
    with Anthropic(*first_script(CLAUDE)) as model, Claude(place, billing, model, *plugin) as client:
        client.say(DECISION)
        client.say(RELEASE)
        episodes = place.episodes()
    assert len(client.hooks("UserPromptSubmit")) == 4, "both installations ran"
    assert not model.strays
    assert [episode.content for episode in episodes].count(DECISION) == 1
    assert [episode.kind for episode in episodes if episode.role == "tool"] == ["failure", "fix"]
    assert all(episode.content.count(FIX) == 1 for episode in episodes if episode.kind == "fix")
    again = CLAUDE.talk(place, billing, [MORNING], "Good morning.", extra=plugin).requests[0]
    assert quoted(again).count(DECISION) == 1
    seen("both ran at each event: one episode a prompt, one failure, one fix, one brief")


def test_what_was_said_before_a_kill_is_known_to_the_next_session(place: Place, billing: Path) -> None:
    with Anthropic(UNDERSTOOD) as model, Claude(place, billing, model) as client:
        client.say(DECISION)
        client.process.kill()
        client.process.wait(30)
    assert DECISION in morning(place, billing)


@pytest.mark.parametrize("where", ["config", "../ledger"])
def test_a_session_that_walks_elsewhere_stays_in_its_project(place: Place, billing: Path, where: str) -> None:
    ledger = place.repository("ledger")
    script = [Turn("Look there", CLAUDE.shell(f"cd {where} && pwd && echo moved")), Turn("moved", say("Here.")), UNDERSTOOD]
    assert CLAUDE.talk(place, billing, script, "Look there.", DECISION).followed()
    assert DECISION in morning(place, billing)
    assert DECISION not in morning(place, ledger)


def test_sessions_on_a_terminal_remember_too(place: Place, billing: Path, seen: Seen) -> None:
    with Anthropic(UNDERSTOOD) as model, Screen(place, billing, model) as screen:
        screen.say(DECISION)
        screen.until(lambda: "Understood." in screen.words(screen.shown))
        screen.say("/exit")
        screen.until(lambda: screen.process.poll() is not None)
    with Anthropic(MORNING) as model, Screen(place, billing, model) as screen:
        screen.say("Good morning.")
        screen.until(lambda: not model.script)
    assert DECISION in quoted(model.requests[-1])
    seen("the first request of a second session on a terminal has the decision")
