"""Sleep: when it is due, and facts that are made of what was said and of nothing else."""
# ruff: noqa: E501, SIM905 - one case a line
from __future__ import annotations

import json
from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemos_mcp.mechanisms.consolidation import ARROW, Fact, SleepDaemon
from mnemos_mcp.mechanisms.evidence import least_trusted, strip_injected
from mnemos_mcp.mechanisms.wording import tokens
from mnemos_mcp.model import Episode, Memory, Scope

SLEEP = SleepDaemon()


def said(content: str, at: float = 0.0, id: str = "", session: str = "s", **given: object) -> Episode:
    return Episode(id or f"e{at:g}", content, "p", session, "user", **{"origin": "user", "at": at, **given})  # type: ignore[arg-type]


@pytest.mark.parametrize(("pending", "seconds", "moment", "due"), [
    (10, 3600, "stop", True), (9, 9e9, "stop", False), (10, 3599, "idle", False), (10, inf, "idle", True), (10, -5, "idle", True),
    (1, 0, "precompact", True), (1, 0, "session_end", True), (0, inf, "session_end", False)])
def test_sleep_is_due_as_the_contract_says(pending: int, seconds: float, moment: str, due: bool) -> None:
    assert SLEEP.due(pending, seconds, moment) is due  # type: ignore[arg-type]


def test_durable_statements_become_facts_and_chatter_does_not() -> None:
    episodes = [said("We decided on Postgres for billing", 1, durable=True, kind="decision"), said("ok, deploy it", 2), said("why?", 3),
                said("Kept already", 4, durable=True, kind="fact", memory_id="m"), said("Is it durable?", 5, durable=True, kind="fact")]
    assert SLEEP.distil(episodes) == [Fact("We decided on Postgres for billing", "decision", ("e1",))]


def test_what_is_said_in_two_sessions_in_near_words_becomes_one_fact() -> None:
    episodes = [said("The staging database is reset every night", 1, session="a"), said("The staging database is reset each night.", 9000, session="b"),
                said("please run the whole test suite again", 1, "r1", "a"), said("please run the whole test suite again", 9000, "r2", "b")]
    facts = SLEEP.distil(episodes)
    assert [(f.sources, f.kind) for f in facts] == [(("e1", "e9000"), "fact")]


def test_a_statement_repeated_at_once_or_with_another_number_does_not_recur() -> None:
    assert SLEEP.distil([said("The build cache is kept for a week", 1), said("The build cache is kept for a week", 60)]) == []
    assert SLEEP.distil([said("The build cache is kept 5 days", 1, session="a"), said("The build cache is kept 7 days", 9000, session="b")]) == []
    assert SLEEP.distil([said("The build cache is kept for a week", 1, event="x"), said("The build cache is kept for a week", 9000, "dup", "b", event="x")]) == []


def test_a_failure_and_its_fix_are_one_fact_of_their_own_words() -> None:
    episodes = [said("make check: ECONNREFUSED on port 5432", 1, kind="failure"), said("other", 2, session="t"),
                said("Fixed it by starting the database on port 5432 before make check", 50, durable=True, kind="fix")]
    assert SLEEP.distil(episodes) == [Fact(episodes[0].content + ARROW + episodes[2].content, "fix", ("e1", "e50"))]
    assert SLEEP.distil(episodes[:2]) == []


BLOCK = "<mnemos-recall count=3>\n- The cache is kept in Redis for a week\n</mnemos-recall>"


def test_what_mnemos_injected_is_no_evidence_however_often_it_is_quoted() -> None:
    assert SLEEP.distil([said(f"{BLOCK} Please continue.", i * 9000.0, f"q{i}", f"s{i}", durable=True, kind="fact") for i in range(5)]) == [
        Fact("Please continue.", "fact", tuple(f"q{i}" for i in range(5)))]
    assert SLEEP.distil([said(BLOCK, 1, durable=True, kind="fact")]) == []


@pytest.mark.parametrize(("text", "left"), [
    (f"before {BLOCK} after", "before after"), (f"a {BLOCK} b {BLOCK} c", "a b c"), ("x <mnemos-recall> cut off", "x"), ("Always tag </mnemos-recall> y", "Always tag y"),
    (f"Always tag </mnemos-recall> {BLOCK} y", "Always tag y"),
    ("a <mnemos-recall><mnemos-recall>i</mnemos-recall>j</mnemos-recall> b", "a b"), ("a <b> c\n d", "a <b> c\n d"), ("> <MNEMOS-RECALL>\n> i\n> </mnemos-recall>\nq", "q")])
def test_injected_blocks_are_cut_out_nested_quoted_or_broken(text: str, left: str) -> None:
    assert strip_injected(text) == left


HEARD = [said("This project uses yarn 4 since March", 1), said("The API listens on port 8080", 2)]


@pytest.mark.parametrize("reply", [{"facts": ["Uses yarn"]}, {"facts": [{"content": "Uses yarn", "from": ["e1"]}]}, {"facts": [{"fact": "Uses yarn", "sources": "e1"}]},
                                   ["Uses yarn"], {"facts": ["Uses yarn", "uses  YARN"]}])
def test_the_same_fact_is_read_from_every_form_of_reply(reply: object) -> None:
    read = SLEEP.read(reply, HEARD)
    assert read and [(f.content, f.sources) for f in read.facts] == [("Uses yarn", ("e1",))]


@pytest.mark.parametrize("reply", [{"facts": {"a": 1}}, {"facts": "Uses yarn"}, {}, None, 3, {"facts": [1, None]}, {"facts": [{"a": 1}]}])
def test_a_reply_of_the_wrong_shape_is_a_failed_run(reply: object) -> None:
    assert SLEEP.read(reply, HEARD) is None


def test_an_empty_list_is_a_run_without_facts() -> None:
    assert SLEEP.read({"facts": []}, HEARD).facts == ()  # type: ignore[union-attr]


@pytest.mark.parametrize("invented", ["The API listens on port 9090", "This project uses pnpm", "The API_KEY listens on port 8080", "Unicorns graze beside quiet rivers", "Uses yarn?"])
def test_what_nobody_said_is_rejected_by_itself_with_a_reason(invented: str) -> None:
    read = SLEEP.read({"facts": [invented, "The API listens on port 8080"]}, HEARD)
    assert read and [f.content for f in read.facts] == ["The API listens on port 8080"] and read.rejected[0][0] == invented and read.rejected[0][1]


def test_importance_is_read_as_word_or_number_and_else_left_to_the_gate() -> None:
    facts = [{"content": "Uses yarn 4", "importance": given} for given in ("High", 0.5, "dunno", True, 7)]
    levels = [SLEEP.read([fact], HEARD).facts[0].importance for fact in facts]  # type: ignore[union-attr]
    assert levels == ["high", "medium", "auto", "auto", "auto"]
    assert json.dumps(SLEEP.schema()) and "yarn 4" in SLEEP.prompt(HEARD) and SLEEP.prompt([]) == ""


def test_a_fact_is_as_trusted_as_its_least_trusted_source() -> None:
    assert least_trusted(["user", "tool", "agent"]) == "tool" and least_trusted(["user"]) == "user" and least_trusted([]) == "imported"


def kept(content: str, sequence: int, **given: object) -> Memory:
    return Memory(f"m{sequence}", content, Scope("project", "p"), sequence=sequence, **given)  # type: ignore[arg-type]


def test_duplicates_keep_the_fullest_then_the_oldest_and_never_join_two_numbers() -> None:
    field = [kept("The API listens on a port", 1), kept("The API listens on port 8080", 2), kept("The API listens on port 8081", 3), kept("the api listens on port 8080", 4)]
    assert {(d.representative, d.others) for d in SLEEP.duplicates(field, lambda a, b: 0.99)} == {("m2", ("m1", "m4"))}
    assert SLEEP.duplicates(field[:2], lambda a, b: 0.8) == [] == SLEEP.duplicates([kept("x y", 1, key="a"), kept("x y", 2, key="b")], lambda a, b: 1.0)


PIECES = st.lists(st.sampled_from(["cache", "port 80", "port 81", "not", "Redis", "worker", "fast"]), min_size=1, max_size=4).map(" ".join)


@given(st.lists(PIECES, max_size=8), st.randoms())
def test_groups_of_duplicates_do_not_depend_on_the_order_of_the_input(texts: list[str], random: object) -> None:
    field = [kept(text, i) for i, text in enumerate(texts)]
    mixed = random.sample(field, len(field))  # type: ignore[attr-defined]
    groups = SLEEP.duplicates(field, lambda a, b: 0.9)
    assert groups == SLEEP.duplicates(mixed, lambda a, b: 0.9)
    gone = [i for g in groups for i in g.others]
    assert len(gone) == len(set(gone)) and not set(gone) & {g.representative for g in groups}


LINES = st.lists(st.sampled_from("we fixed the cache is always on port 80 error redis prefer decided ? . , 重启".split()), min_size=1, max_size=10).map(" ".join)


@given(st.lists(st.tuples(LINES, st.sampled_from(["", "failure", "fix", "fact"]), st.booleans(), st.sampled_from("ab")), max_size=8), st.randoms())
def test_every_word_of_a_fact_was_said_and_the_order_of_reading_changes_nothing(rows: list[tuple[str, str, bool, str]], random: object) -> None:
    episodes = [said(text, i * 1000.0, f"e{i}", session, kind=kind, durable=durable) for i, (text, kind, durable, session) in enumerate(rows)]
    facts = SLEEP.distil(episodes)
    assert facts == SLEEP.distil(random.sample(episodes, len(episodes)))  # type: ignore[attr-defined]
    for fact in facts:
        words = {word for e in episodes if e.id in fact.sources for word in tokens(e.content)}
        assert set(tokens(fact.content.replace(ARROW, " "))) <= words
