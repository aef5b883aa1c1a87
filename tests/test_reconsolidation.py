"""Recalled memories are open to revision by what was said since, in the words that were said."""
# ruff: noqa: SIM905 - one case a line
from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemos_mcp.mechanisms.reconsolidation import MutableRAG, Revised
from mnemos_mcp.mechanisms.wording import tokens
from mnemos_mcp.model import Episode, Memory, Scope

RAG = MutableRAG()


def memory(content: str = "We use npm in this repo", **given: object) -> Memory:
    return Memory("m", content, Scope("project", "p"), **{"origin": "user", "created_at": 100.0, "recalled_at": 1000.0, **given})  # type: ignore[arg-type]


def said(content: str, at: float = 200.0, id: str = "e", **given: object) -> Episode:
    return Episode(id, content, "p", "s", "user", **{"origin": "user", "at": at, **given})  # type: ignore[arg-type]


def test_a_memory_is_labile_after_a_recall_and_not_just_after_a_revision() -> None:
    assert RAG.labile(memory(), 1000.0) and RAG.labile(memory(), 1000.0 + RAG.window_s)
    assert not RAG.labile(memory(), 1001.0 + RAG.window_s) and not RAG.labile(memory(recalled_at=None), 1000.0)
    assert not RAG.labile(memory(), 1050.0, revised_at=1000.0) and RAG.labile(memory(), 1060.0, revised_at=1000.0)


def test_one_recall_opens_twenty_at_most_and_none_within_the_cooldown() -> None:
    many = [Memory(str(i), "", Scope("global"), recalled_at=None if i else 990.0) for i in range(30)]
    assert RAG.marks(many, 1000.0) == tuple(str(i) for i in range(1, 21))


def test_a_later_statement_of_change_revises_in_its_own_words() -> None:
    assert RAG.revise(memory(), [said("We moved from npm to yarn in this repo.")]) == Revised("We moved from npm to yarn in this repo.", "'npm' is left", ("e",))


def test_what_the_change_leaves_untouched_stays() -> None:
    revised = RAG.revise(memory("We use npm in this repo. Logs are JSON lines."), [said("Thanks. We moved from npm to yarn in this repo. Go on.")])
    assert revised and revised.content == "We moved from npm to yarn in this repo. Logs are JSON lines."


def test_a_statement_that_holds_every_word_and_more_extends() -> None:
    revised = RAG.revise(memory("Logs are JSON lines"), [said("Logs are JSON lines with a trace id")])
    assert revised == Revised("Logs are JSON lines with a trace id", "said more fully", ("e",))


CHANGE = "We moved from npm to yarn in this repo"


@pytest.mark.parametrize("episode", [
    said("Did we move from npm to yarn in this repo?"), said(CHANGE, at=50.0), said(CHANGE, memory_id="m2"), said(CHANGE, kind="failure"), said(CHANGE, origin="tool"),
    said(f"<mnemos-recall n=1>\n{CHANGE}\n</mnemos-recall> continue"), said("We moved the docs to docs/"), said("ok, deploy it")])
def test_no_query_no_older_no_kept_no_less_trusted_and_no_unrelated_episode_is_evidence(episode: Episode) -> None:
    assert RAG.revise(memory(), [episode]) is None


def test_the_latest_of_several_changes_holds_whatever_the_order_of_the_list() -> None:
    episodes = [said(CHANGE, 200.0, "e1"), said("We moved from yarn to pnpm in this repo", 300.0, "e2")]
    both = [RAG.revise(memory(), order) for order in (episodes, episodes[::-1])]
    assert both[0] == both[1] and both[0] and both[0].episode_ids[-1] == "e2" and "pnpm" in both[0].content


@pytest.mark.parametrize("reply", [{}, {"changed": False, "content": "x"}, {"changed": True, "content": 3}, {"changed": True, "content": "We use yarn 9", "from": ["e"]},
                                   {"changed": True, "content": "We use bun in this repo", "from": ["e"]}, {"changed": True, "content": "We use yarn", "from": ["other"]},
                                   {"changed": True, "content": "We use yarn", "from": "e"}])
def test_a_synthesis_with_anything_that_nobody_said_is_refused(reply: dict) -> None:
    assert RAG.read(reply, memory(), [said(CHANGE)]) is None


def test_a_synthesis_in_the_words_of_its_sources_is_taken() -> None:
    reply = {"changed": True, "content": "We use yarn in this repo, moved from npm", "from": ["e"], "reason": "moved"}
    assert RAG.read(reply, memory(), [said(CHANGE)]) == Revised(reply["content"], "moved", ("e",))
    assert CHANGE in RAG.prompt(memory(), [said(CHANGE)]) and RAG.prompt(memory(), [said("why?")]) == ""


WORDS = st.sampled_from("we moved from npm to yarn use redis postgres 14 16 the api listens on port is gone no longer now . ? ,".split())
TEXT = st.lists(WORDS, min_size=1, max_size=14).map(" ".join)


@given(TEXT, st.lists(TEXT, max_size=4))
def test_no_word_appears_that_was_not_said(content: str, lines: list[str]) -> None:
    revised = RAG.revise(memory(content), [said(line, 200.0 + i, f"e{i}") for i, line in enumerate(lines)])
    if revised:
        assert set(tokens(revised.content)) <= {word for text in (content, *lines) for word in tokens(text)}
