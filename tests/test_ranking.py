from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from mnemos_mcp.mechanisms import cues, signals
from mnemos_mcp.mechanisms.ranking import PRESETS, Ranking
from mnemos_mcp.mechanisms.timewords import window_of
from mnemos_mcp.model import GLOBAL, Affect, Candidate, Found, Memory

DAY = 86_400.0
NOW = datetime(2026, 6, 3, 9, tzinfo=UTC).timestamp()


def candidate(id_: str, content: str = "text", cosine: float | None = 0.3, keyword: float = 0.0, coverage: float = 0.0, before: str = "",
              after: str = "", terms: tuple[str, ...] = (), days_old: float = 10.0, **memory: Any) -> Candidate:
    at = NOW - days_old * DAY
    made = Memory(id_, content, GLOBAL, valid_from=at, created_at=at, reinforced_at=at, **memory)
    return Candidate(made, cosine=cosine, keyword=keyword, coverage=coverage, before=before, after=after, terms=terms)


def found(*candidates: Candidate, **rarity: float) -> Found:
    return Found(candidates, rows=len(candidates), rarity=rarity or {"term": 2.0})


def order(query: str, *candidates: Candidate, **keywords: Any) -> list[str]:
    return [r.id for r in Ranking().score(cues.read(query, NOW), found(*candidates), now=NOW, **keywords)]


def test_the_published_presets_are_exact() -> None:
    assert PRESETS["composite"] == {"semantic": .35, "keyword": .20, "salience": .15, "recency": .15, "coactivation": .10, "sector": .05}
    assert PRESETS["generative"] == {"semantic": .55, "recency": .20, "importance": .15, "frequency": .10}
    assert PRESETS["affective"] == {"semantic": .70, "affect": .30}


def test_composite_is_its_formula() -> None:
    one = candidate("a", cosine=0.6, keyword=3.0, days_old=30, importance=0.8, sectors=(0.0, 1.0, 0.0, 0.0, 0.0))
    query = cues.read("x", NOW)._replace(sectors=(0.0, 0.5, 0.5, 0.0, 0.0))
    got = Ranking("composite").score(query, found(one), now=NOW, joint={"a": 5}, retention={"a": 0.5})[0]
    assert got.score == pytest.approx(.35 * .6 + .20 * 1 + .15 * .8 * .5 + .15 * .5 + .10 * (1 - 2.718281828 ** -1) + .05 * .5)


def test_generative_and_affective_are_their_formulas() -> None:
    one = candidate("a", cosine=0.5, days_old=30, importance=0.4, recalls=5, affect=Affect(-1.0, 1.0, 0.0))
    query = cues.read("x", NOW)
    assert Ranking("generative").score(query, found(one), now=NOW)[0].score == pytest.approx(.55 * .5 + .20 * .5 + .15 * .4 + .10 * (1 - 2.718281828 ** -1))
    assert Ranking("affective").score(query, found(one), now=NOW)[0].score == pytest.approx(.7 * .5 + .3 * (1 - (1.25 ** .5) / 3 ** .5))


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("text", ["x", "URGENT: it is down!!", "how do I deploy?", "what changed last week?", "what is the limit?", "may I push?",
                                  "the latest?"])
def test_parts_sum_to_a_score_between_nought_and_one(preset: str, text: str) -> None:
    several = [candidate("a", "Always push 3 times since May, no longer by hand", 1.0, 9.0, 1.0, after="b", kind="instruction", importance=1.0),
               candidate("b", "What? Really?", 0.9, 8.0, 0.5, before="a", after="c", importance=1.0), candidate("c", "now 12", -0.2, 7.0, 0.5, before="b")]
    for r in Ranking(preset).score(cues.read(text, NOW), found(*several), now=NOW, energy={"c": 0.8}, similarity=lambda a, b: 0.9):
        assert r.score == pytest.approx(sum(r.why.values())) and 0 <= r.score <= 1
        assert set(r.why) <= set(signals.NAMES) and all(part >= 0 for part in r.why.values())


def test_a_strong_likeness_beats_a_weak_word() -> None:
    assert order("x", candidate("word", cosine=0.1, keyword=0.4, coverage=0.1), candidate("meaning", cosine=0.6)) == ["meaning", "word"]


def test_what_a_turn_leaves_out_its_neighbour_completes() -> None:
    turns = [candidate("asked", "Which city?", 0.2, 1.0, 1.0, after="said", terms=("term",)), candidate("said", "Lisbon.", 0.2, before="asked"),
             candidate("other", "Tea.", 0.2)]
    assert order("term", *turns)[1] == "said"


def test_only_what_is_missing_is_completed() -> None:
    def pair(own: tuple[str, ...]) -> float:
        beside, own_turn = candidate("a", terms=("term",), coverage=0.5, after="b"), candidate("b", terms=own, coverage=0.5 * len(own), before="a")
        return signals.completed(own_turn, {"a": beside, "b": own_turn}, {"term": 1.0, "other": 1.0}, (1.0, 0.6, 0.4))
    assert pair(()) == pytest.approx(0.5) and pair(("other",)) == pytest.approx(0.5) and pair(("term",)) == 0.0


def test_context_falls_with_distance_and_reaches_no_farther_than_told() -> None:
    turns = [candidate(str(i), terms=("term",) if i == 0 else (), coverage=float(i == 0), before=str(i - 1) if i else "", after=str(i + 1)) for i in range(5)]
    by_id = {c.memory.id: c for c in turns}
    assert [signals.completed(c, by_id, {"term": 1.0}, (1.0, 0.6, 0.4)) for c in turns] == [0.0, 1.0, 0.6, 0.4, 0.0]


def test_updates_are_told_by_shared_terms_where_there_are_no_vectors() -> None:
    old = candidate("old", "The limit is 60.", None, 2.0, 1.0, days_old=90, terms=("term",))
    new = candidate("new", "The limit was raised to 300.", None, 1.5, 0.8, days_old=5, terms=("term",))
    assert order("what is the limit?", old, new)[0] == "new"
    assert order("what is the limit?", old, new._replace(terms=("else",)))[0] == "old"


def test_without_vectors_words_and_context_rank() -> None:
    turns = [candidate("a", cosine=None, keyword=2.0, coverage=0.9), candidate("b", cosine=None, keyword=1.0, coverage=0.4), candidate("c", cosine=None)]
    assert order("term", *turns) == ["a", "b", "c"]


def test_a_time_in_the_query_prefers_what_was_said_then() -> None:
    assert order("what did we change last week?", candidate("old", cosine=0.5, days_old=90), candidate("week", cosine=0.4, days_old=7)) == ["week", "old"]


def test_the_latest_is_the_newest_on_topic_not_the_newest_at_all() -> None:
    several = [candidate("old", cosine=0.55, days_old=500), candidate("new", cosine=0.45, days_old=400), candidate("off", cosine=0.05, days_old=1)]
    assert order("what was the latest change?", *several) == ["new", "old", "off"]


def test_when_wants_times_and_how_many_wants_numbers() -> None:
    assert order("when did it break?", candidate("a", "It broke."), candidate("b", "It broke on Monday."))[0] == "b"
    assert order("how many nodes?", candidate("a", "The nodes are large."), candidate("b", "There are 12 nodes."))[0] == "b"


def test_a_statement_of_change_stands_above_the_older_value() -> None:
    old, new = candidate("old", "The limit is 60.", 0.6, 2.0, 0.9, days_old=90), candidate("new", "The limit was raised to 300.", 0.5, 1.5, 0.7, days_old=5)
    assert order("what is the limit?", old, new, similarity=lambda a, b: 0.8)[0] == "new"
    assert order("what was the limit in March?", old, new, similarity=lambda a, b: 0.8)[0] == "old"
    assert order("what is the limit?", old, new, similarity=lambda a, b: 0.2)[0] == "old"


def test_likeness_without_a_word_of_change_moves_nothing() -> None:
    several = [candidate("old", "The limit is 60.", 0.6, 2.0, 0.9, days_old=90), candidate("new", "The limit is 300.", 0.5, 1.5, 0.7, days_old=5)]
    assert order("what is the limit?", *several, similarity=lambda a, b: 0.9)[0] == "old"


def test_who_asks_for_advice_hears_standing_instructions_first() -> None:
    several = [candidate("fact", "We wrote a form.", 0.5), candidate("rule", "Always label the fields of a form.", 0.45, kind="instruction")]
    assert order("how should I write a form?", *several)[0] == "rule"
    assert order("who wrote the form?", *several)[0] == "fact"


def test_an_instruction_about_something_else_stays_down() -> None:
    assert order("how should I write a form?", candidate("fact", cosine=0.5), candidate("rule", "Never push.", 0.02, kind="instruction"))[0] == "fact"


def test_crisis_recalls_crisis_and_design_recalls_design() -> None:
    crisis, design = candidate("crisis", cosine=0.4, affect=cues.CRISIS), candidate("design", cosine=0.4, affect=cues.DESIGN)
    assert order("URGENT: payments are down, help!!", design, crisis)[0] == "crisis"
    assert order("I am drafting the next version", crisis, design)[0] == "design"


@pytest.mark.parametrize(("text", "sector"), [("how do I add one?", 1), ("what happened, did it break?", 2), ("why did we pick it?", 4)])
def test_the_manner_of_a_question_picks_the_sector(text: str, sector: int) -> None:
    several = [candidate(str(i), sectors=tuple(float(i == j) for j in range(5))) for i in range(5)]
    assert order(text, *several)[0] == str(sector)


def test_energy_lifts_what_a_seed_brings_along() -> None:
    assert order("x", candidate("a"), candidate("tied"), energy={"tied": 0.8})[0] == "tied"


def test_seeds_are_the_few_that_are_about_the_query() -> None:
    several = found(candidate("best", cosine=0.7), candidate("near", cosine=0.6), candidate("far", cosine=0.1))
    assert Ranking().seeds(cues.read("x", NOW), several) == {"best": 1.0, "near": 1.0}
    assert Ranking().seeds(cues.read("x", NOW), found()) == {}


def test_equals_go_by_what_was_stored_last_and_nothing_gives_nothing() -> None:
    assert order("x", candidate("a", sequence=1), candidate("b", sequence=2)) == ["b", "a"]
    assert order("x") == []


def test_unknown_presets_and_weights_are_refused_by_name() -> None:
    with pytest.raises(ValueError, match="composite"):
        Ranking("best")
    with pytest.raises(ValueError, match="likeness"):
        Ranking(weights={"likeness": 1.0})


@pytest.mark.parametrize(("text", "start", "end"), [
    ("last week", "2026-05-25", "2026-06-01"), ("in February", "2026-02-01", "2026-03-01"), ("in April 2025", "2025-04-01", "2025-05-01"),
    ("in early March 2026", "2026-03-01", "2026-03-11"), ("late March", "2026-03-20", "2026-04-01"), ("on 1 March 2026", "2026-03-01", "2026-03-02"),
    ("on December 24", "2025-12-24", "2025-12-25"), ("2026-02-10", "2026-02-10", "2026-02-11"), ("yesterday", "2026-06-02", "2026-06-03"),
    ("last month", "2026-05-01", "2026-06-01"), ("in 2024", "2024-01-01", "2025-01-01"), ("two weeks ago", "2026-05-16", "2026-05-24"),
    ("q1 2026", "2026-01-01", "2026-04-01")])
def test_a_named_time_is_read(text: str, start: str, end: str) -> None:
    window = window_of(f"what did we do {text}?", NOW)
    assert window is not None
    days = [datetime.fromtimestamp(moment, UTC).strftime("%Y-%m-%d") for moment in window]
    assert days[0] == start and days[1] in (end, datetime.fromtimestamp(window[1] - DAY / 2, UTC).strftime("%Y-%m-%d"))


@pytest.mark.parametrize("text", ["may I push?", "march on", "in 9999-12", "", "call 2026", "\u00b2 days ago"])
def test_what_is_no_time_is_no_window(text: str) -> None:
    assert window_of(text, NOW) is None
