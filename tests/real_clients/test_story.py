"""The story that both clients play: a decision, a command that fails, what mends it, the same command that passes; then another session."""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from .models import Turn, say
from .places import Place
from .players import FRAME, ClaudePlayer, CodexPlayer, Player, Session, quoted, steady

pytestmark = pytest.mark.real_clients

DECISION = "We deploy the billing service with Nomad, not Kubernetes."
FAILING = "sh deploy.sh"
FIX = "cp config/nomad.example.hcl config/nomad.hcl"
RELEASE = "Release it, please."
MORNING = Turn("Good morning", say("Good morning."))
Seen = Callable[[str], None]


@pytest.fixture(scope="module", params=[ClaudePlayer(), CodexPlayer()], ids=lambda player: player.key)
def player(request: pytest.FixtureRequest) -> Player:
    return request.param


def first_script(player: Player) -> list[Turn]:
    return [Turn("We deploy", say("Understood.")),
            Turn("Release it", player.shell(FAILING)),
            Turn(player.failed, player.shell(FIX)),
            Turn(player.ran, player.shell(FAILING)),
            Turn("deployed billing", say("Released."))]


def again_script(player: Player) -> list[Turn]:
    return [MORNING, Turn("Release it", player.shell(FAILING)), Turn(player.failed, say("It failed again."))]


@dataclass
class Story:
    """Two sessions in one repository and one in another; the home they share."""

    first: Session
    second: Session
    other: Session


@pytest.fixture(scope="module")
def story(player: Player, new_place: Callable[..., Place]) -> Story:
    place = new_place()
    here, there = place.repository("billing"), place.repository("ledger")
    place.set_up(player.key, here)
    first = player.talk(place, here, first_script(player), DECISION, RELEASE)
    (here / "config" / "nomad.hcl").unlink()
    second = player.talk(place, here, again_script(player), "Good morning.", RELEASE)
    return Story(first, second, player.talk(place, there, again_script(player), "Good morning.", RELEASE))


@pytest.fixture
def billing(player: Player, place: Place) -> Path:
    """A repository in a home where mnemos is set up for the client."""
    folder = place.repository("billing")
    place.set_up(player.key, folder)
    return folder


def test_a_new_session_knows_the_decision_in_its_first_request(story: Story, seen: Seen) -> None:
    request = story.second.requests[0]
    assert DECISION in quoted(request)
    seen(f"{len(quoted(request))} characters beside \"Good morning.\", the decision word for word")


def test_the_same_failure_brings_the_fix_that_worked(player: Player, story: Story, seen: Seen) -> None:
    before, after = story.second.requests[1:3]
    assert player.failed in after.newest
    assert FIX in quoted(after)
    assert FIX not in quoted(before), "it was there before the failure"
    seen(next(line for line in quoted(after).splitlines() if FIX in line)[:200])


def test_the_first_failure_brings_nothing(player: Player, story: Story) -> None:
    assert player.failed in story.first.requests[2].newest
    assert FRAME not in story.first.requests[2].newest


def test_the_agent_stops_when_its_model_stops(story: Story, seen: Seen) -> None:
    assert story.first.followed() and story.second.followed() and story.other.followed()
    seen("5, 3 and 3 requests for scripts of 5, 3 and 3 turns")


def test_another_repository_gets_nothing_of_the_first(player: Player, story: Story, seen: Seen) -> None:
    assert player.failed in story.other.requests[2].newest, "it met the same failure"
    assert not [words for request in story.other.requests for words in (DECISION, FIX) if words in request]
    seen("0 of 3 requests, the same failure among them, has the decision or the fix")


def test_what_the_agent_stores_the_next_session_is_told(player: Player, place: Place, billing: Path) -> None:
    script = [Turn("Keep it", player.shell("sleep 5")),  # the server may still be starting
              *(Turn(player.ran, call) for call in player.store("The billing service listens on port 8443 behind the gateway.")),
              Turn('"outcome": ?"stored"', say("Kept."))]
    assert player.talk(place, billing, script, "Keep it in the memory.").followed()
    assert "port 8443" in quoted(player.talk(place, billing, [MORNING], "Good morning.").requests[0])


def test_a_compaction_is_asked_for_in_the_same_words_as_without_mnemos(player: Player, place: Place, billing: Path, new_place: Callable[..., Place],
                                                                      seen: Seen) -> None:
    bare = new_place()
    turns = Turn("We deploy", say("Understood.")), Turn("What next", say("Rest."))
    without = player.compact(bare, bare.repository("billing"), *turns, DECISION, "What next?")
    with_mnemos = player.compact(place, billing, *turns, DECISION, "What next?")
    assert with_mnemos.followed() and without.followed()
    assert without.requests[1].newest.strip() and FRAME not in without.requests[1].newest
    assert steady(with_mnemos.requests[1].newest) == steady(without.requests[1].newest)
    seen(f"{len(without.requests[1].newest)} characters, the same ones")


def test_after_a_compaction_the_brief_comes_again(player: Player, place: Place, billing: Path, seen: Seen) -> None:
    session = player.compact(place, billing, Turn("We deploy", say("Understood.")), Turn("What next", say("Rest.")), DECISION, "What next?")
    after = session.requests[2]
    assert DECISION in quoted(after)
    seen(f"the request after it quotes the memory in {after.newest.count(FRAME)} block(s)")


@pytest.mark.parametrize("switch", ["environment", "repository"])
def test_a_switch_turns_it_off(player: Player, place: Place, billing: Path, switch: str, seen: Seen) -> None:
    env = {}
    if switch == "environment":
        env = {"MNEMOS_MEMORY_CAPTURE_MODE": "manual_only", "MNEMOS_INJECT": "off"}
    else:
        (billing / ".mnemos").mkdir()
        (billing / ".mnemos" / "mnemos.toml").write_text('capture_mode = "manual_only"\ninject = "off"\n')
    player.talk(place, billing, first_script(player), DECISION, RELEASE, env=env)
    (billing / "config" / "nomad.hcl").unlink()
    again = player.talk(place, billing, again_script(player), "Good morning.", RELEASE, env=env)
    assert not [request for request in again.requests if FRAME in request]
    player.talk(place, place.repository("ledger"), [Turn("Only here", say("Yes."))], "Only here: we always use marzipan.")
    assert place.holds("marzipan"), "the repository that is not switched off is the control"
    assert not place.holds("Nomad") and not place.holds(FIX)
    seen("two sessions: nothing in the file, no request quotes the memory")


