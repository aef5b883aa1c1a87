"""What a question tells by itself: whether it is of the kind that notes answer."""
from __future__ import annotations

import pytest

from mnemos_mcp import MnemosConfig
from mnemos_mcp.engine import Engine
from mnemos_mcp.mechanisms import cues, inquiry
from mnemos_mcp.mechanisms.floor import Floor
from mnemos_mcp.model import GLOBAL, Candidate, Found, Memory
from mnemos_mcp.providers.embed import BuiltinEmbedder
from mnemos_mcp.runtime import open_for_python

EMBEDDER = BuiltinEmbedder()
NOTES = ("The bakery's till runs on port 7431", "Rosa signs off every new recipe", "Loaves are priced in cents, never in euros",
         "We left Mongo for Postgres because joins were slow", "Deliveries start at 4:30", "Please use tabs in Makefiles",
         "The oven firmware is written in Ada", "On 3 May the scale froze since its clock jumped", "Tests run with make check",
         "Backups go to the box in the cellar", "Sourdough orders close at noon", "Receipts are printed by an Epson TM-20")


def expected(text: str) -> float:
    told = inquiry.expected(EMBEDDER.embed([text])[0], EMBEDDER.identity)
    assert told is not None
    return told


@pytest.fixture(scope="module")
def bakery() -> Engine:
    engine = open_for_python(MnemosConfig(), embedder=EMBEDDER, project="bakery")
    for note in NOTES:
        engine.store(note, force=True)
    return engine


@pytest.mark.parametrize(("own", "general"), [("which port does the till use", "how do I learn to sail"), ("who signs off recipes", "who wrote Faust"),
                                              ("why did we drop mongo", "why is the sea salty"), ("can I use spaces in the makefile", "lkjh poiu")])
def test_what_notes_answer_is_expected_more_than_general_knowledge_and_noise(own: str, general: str) -> None:
    assert expected(own) > expected(general)


def test_what_a_question_tells_by_itself_is_bounded() -> None:
    assert inquiry.expected([100.0] * 384, EMBEDDER.identity) in (-inquiry.MOST, inquiry.MOST)


def test_the_vector_of_another_embedder_tells_nothing() -> None:
    assert inquiry.expected([0.05] * 384, "ollama:nomic/768") is None


def test_the_floor_asks_for_more_likeness_when_notes_seldom_answer_such_a_question() -> None:
    floor, found = Floor(), Found((Candidate(Memory("m", "text", GLOBAL), cosine=0.3),), rows=20)
    seldom, often = (cues.read("which one", 0.0)._replace(expected=told) for told in (-1.5, 1.5))
    assert not floor.opens(found, seldom) and floor.opens(found, often)


@pytest.mark.parametrize("text", ["asdf qwer", "🎉🎉", "lkjh", "?!", "hmm", "qwertz uiop yxcv", "👍", "blah blah"])
def test_noise_recalls_nothing_however_many_memories_there_are(bakery: Engine, text: str) -> None:
    assert bakery.retrieve(text).memories == ()


@pytest.mark.parametrize(("text", "start"), [("on which port is the till", "The bakery's till"), ("makefile tabs or spaces", "Please use tabs"),
                                             ("who approves a recipe", "Rosa")])
def test_a_question_of_its_own_recalls_its_note(bakery: Engine, text: str, start: str) -> None:
    assert bakery.retrieve(text).memories[0].content.startswith(start)
