from __future__ import annotations

from mnemos_mcp.mechanisms.packing import Packing
from mnemos_mcp.model import GLOBAL, Memory, Recalled


def recalled(id_: str, score: float, content: str = "four words of text") -> Recalled:
    return Recalled(Memory(id_, content, GLOBAL), score, {"semantic": score})


def alike(*groups: str):
    return lambda a, b: 0.95 if any(a in group and b in group for group in groups) else 0.1


def words(text: str) -> int:
    return len(text.split())


def test_near_identical_memories_do_not_fill_the_limit() -> None:
    found = [recalled("a", 0.9), recalled("b", 0.89), recalled("c", 0.88), recalled("d", 0.7), recalled("e", 0.65)]
    kept, left = Packing().pack(found, limit=3, budget_tokens=1000, similarity=alike("abc"), tokens=words)
    assert [r.id for r in kept] == ["a", "d", "e"]
    assert {w.id: w.reason for w in left} == {"b": "like a", "c": "like a"}


def test_order_is_by_score_whatever_the_choice() -> None:
    found = [recalled("a", 0.9), recalled("b", 0.89), recalled("d", 0.7)]
    kept, _ = Packing().pack(found, limit=3, budget_tokens=1000, similarity=alike("ab"), tokens=words)
    assert [r.id for r in kept] == ["a", "b", "d"]


def test_related_facts_are_no_crowd() -> None:
    found = [recalled("a", 0.9), recalled("b", 0.5), recalled("c", 0.48)]
    kept, _ = Packing().pack(found, limit=2, budget_tokens=1000, similarity=lambda a, b: 0.45 if {a, b} == {"a", "b"} else 0.0, tokens=words)
    assert [r.id for r in kept] == ["a", "b"]


def test_the_budget_holds_and_a_shorter_memory_may_still_fit() -> None:
    found = [recalled("a", 0.9), recalled("long", 0.8, "word " * 50), recalled("c", 0.7)]
    kept, left = Packing().pack(found, limit=9, budget_tokens=10, similarity=alike(), tokens=words)
    assert [r.id for r in kept] == ["a", "c"]
    assert [(w.id, w.reason) for w in left] == [("long", "budget")]
    assert sum(r.tokens for r in kept) <= 10


def test_the_best_memory_is_kept_even_if_it_alone_breaks_the_budget() -> None:
    kept, _ = Packing().pack([recalled("a", 0.9, "word " * 50)], limit=3, budget_tokens=10, similarity=alike(), tokens=words)
    assert kept[0].truncated and kept[0].tokens == 10


def test_nothing_in_nothing_out_and_no_vectors_no_penalty() -> None:
    assert Packing().pack([], limit=3, budget_tokens=10, similarity=alike(), tokens=words) == ([], [])
    kept, _ = Packing().pack([recalled("a", 0.9), recalled("b", 0.8)], limit=2, budget_tokens=100, similarity=lambda a, b: None, tokens=words)
    assert [r.id for r in kept] == ["a", "b"]
