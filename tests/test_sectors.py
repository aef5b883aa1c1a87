"""Sectors: how, why, when and what it felt like are different questions."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemos_mcp.mechanisms.sectors import Sectors
from mnemos_mcp.model import SECTORS

MIND = Sectors()


def main(text: str) -> str:
    weights = MIND.weigh(text)
    return SECTORS[weights.index(max(weights))]


@pytest.mark.parametrize(
    ("text", "sector"),
    [
        ("how do I deploy to staging?", "procedural"),
        ("Wie starte ich den Server?", "procedural"),
        ("comment lancer les tests ?", "procedural"),
        ("¿cómo se despliega?", "procedural"),
        ("怎么部署", "procedural"),
        ("why did we pick Kafka", "reflective"),
        ("warum nutzen wir Kafka?", "reflective"),
        ("pourquoi Kafka ?", "reflective"),
        ("¿por qué elegimos Kafka?", "reflective"),
        ("为什么用 Kafka", "reflective"),
        ("what happened on the payment outage", "episodic"),
        ("when did we drop node 16", "episodic"),
        ("wann haben wir umgestellt?", "episodic"),
        ("how did the team feel about the rewrite", "emotional"),
        ("what port does redis use", "semantic"),
        ("Redis listens on port 6390 in dev", "semantic"),
        ("", "semantic"),
        ("Run `pnpm build` then `pnpm deploy` to release", "procedural"),
        ("We chose SQLite rather than Postgres because the app is single-user", "reflective"),
        ("Outage on 2024-05-03: the gateway cert expired", "episodic"),
        ("I hate flaky tests, they make me so frustrated", "emotional"),
        ("I'm migrating from Python to Rust", "semantic"),
    ],
)
def test_the_heaviest_sector_is_the_one_that_is_meant(text, sector):
    assert main(text) == sector


def test_the_question_chooses_between_two_memories_on_one_subject():
    steps, reason = MIND.weigh("To deploy, run `make deploy` after the tests"), MIND.weigh("We deploy by hand because the pipeline was too slow, a trade-off")
    how, why = MIND.weigh("how do we deploy?"), MIND.weigh("why do we deploy by hand?")
    assert MIND.match(how, steps) > MIND.match(how, reason)
    assert MIND.match(why, reason) > MIND.match(why, steps)


@given(st.text(max_size=300))
def test_any_text_has_five_weights_that_sum_to_exactly_1_and_none_is_0(text):
    weights = MIND.weigh(text)
    assert len(weights) == 5 and sum(weights) == 1.0 and min(weights) > 0.0
    assert 0.0 < MIND.match(weights, weights) <= 1.0


@pytest.mark.parametrize(
    "reply",
    [
        {"sectors": {"semantic": 1, "reflective": "3"}},
        {"semantic": 1.0, "reflective": 1.0},
        {"sectors": [0.25, 0, 0, 0, 0.25]},
    ],
)
def test_a_models_reply_is_read_leniently(reply):
    weights = MIND.read(reply)
    assert sum(weights) == 1.0 and weights[0] == weights[4] == 0.5


@pytest.mark.parametrize("reply", [{}, {"sectors": "much"}, {"sectors": {"semantic": 0}}, {"semantic": "x"}, None, [], "semantic"])
def test_a_reply_of_the_wrong_shape_is_none(reply):
    assert MIND.read(reply) is None


@given(st.dictionaries(st.sampled_from([*SECTORS, "sectors"]), st.none() | st.floats() | st.text() | st.lists(st.floats(), max_size=5)))
def test_no_reply_raises(reply):
    weights = MIND.read(reply)
    assert weights is None or sum(weights) == 1.0


def test_the_question_to_a_model_can_stand_without_the_text():
    assert "some text" in MIND.prompt("some text") and "Text to judge" not in MIND.prompt()
    assert list(MIND.schema()["sectors"]["properties"]) == list(SECTORS)
