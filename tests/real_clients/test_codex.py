"""Codex CLI alone: two installations of its hooks, and what they cost (Codex tells nothing of its hooks)."""
from __future__ import annotations

import json
import shutil
import statistics
from collections.abc import Callable
from pathlib import Path

import pytest

from .clients import Codex, ask
from .models import OpenAI, Turn
from .places import Place
from .players import CodexPlayer, quoted
from .test_story import DECISION, MORNING, RELEASE, Seen, first_script

pytestmark = pytest.mark.real_clients
CODEX = CodexPlayer()


def test_hooks_of_the_user_and_of_the_repository_together_are_one_installation(place: Place, seen: Seen) -> None:
    folder = place.repository("billing")
    place.set_up("codex", folder)
    (folder / ".codex").mkdir()
    shutil.copy(place.home / ".codex" / "hooks.json", folder / ".codex")
    assert CODEX.talk(place, folder, first_script(CODEX), DECISION, RELEASE).followed()
    texts = [episode.content for episode in place.episodes()]
    assert texts.count(DECISION) == 1
    again = CODEX.talk(place, folder, [MORNING], "Good morning.").requests[0]
    assert quoted(again).count(DECISION) == 1
    seen("one episode a prompt, one brief")


def test_the_client_itself_reads_the_configuration_as_it_was_meant(place: Place) -> None:
    folder = place.repository("billing")
    place.set_up("codex", folder)
    server = json.loads(ask(place, folder, "codex", "mcp", "get", "mnemos", "--json"))
    assert server["enabled"] and server["transport"]["args"][-1] == "serve", server
    place.set_up("codex", folder, "--remove")
    assert "mnemos" not in ask(place, folder, "codex", "mcp", "list")


def waits(place: Place, folder: Path) -> tuple[float, list[float]]:
    """Milliseconds from the start of the process to the first request, and from each answer of the model to the next request."""
    script = [Turn("Release it", CODEX.shell("true")), *[Turn(CODEX.ran, CODEX.shell("true")) for _ in range(5)]]
    with OpenAI(*script) as model, Codex(place, folder, model, RELEASE) as client:
        client.finish()
    assert not model.script and len(model.requests) == 7
    between = [(after.arrived - before.answered) * 1000 for before, after in zip(model.requests, model.requests[1:], strict=False)]
    return (model.requests[0].arrived - client.started) * 1000, between


def test_what_hooks_and_server_add_to_the_waits_of_a_session(place: Place, new_place: Callable[..., Place], seen: Seen) -> None:
    bare = new_place()
    folders = {id(bare): bare.repository("billing"), id(place): place.repository("billing")}
    place.set_up("codex", folders[id(place)])
    starts: dict[str, list[float]] = {"bare": [], "with": []}
    steps: dict[str, list[float]] = {"bare": [], "with": []}
    for _ in range(3):
        for name, where in (("bare", bare), ("with", place)):
            start, between = waits(where, folders[id(where)])
            starts[name].append(start)
            steps[name] += between
    middle = {name: (statistics.median(starts[name]), statistics.median(steps[name])) for name in starts}
    seen(f"first request after {middle['with'][0]:.0f} ms with mnemos, {middle['bare'][0]:.0f} ms without; a step with a command {middle['with'][1]:.0f} and "
         f"{middle['bare'][1]:.0f} ms (medians of 3 and 18)")
