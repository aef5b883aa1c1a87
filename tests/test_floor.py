from __future__ import annotations

import pytest

from mnemos_mcp.mechanisms.floor import Floor
from mnemos_mcp.model import GLOBAL, Candidate, Found, Memory

DEFAULT = Floor()


def candidate(cosine: float | None, coverage: float, id_: str = "m") -> Candidate:
    return Candidate(Memory(id_, "text", GLOBAL), cosine=cosine, coverage=coverage)


def passes(cosine: float | None, coverage: float, rows: int, floor: Floor = DEFAULT) -> bool:
    one = candidate(cosine, coverage)
    return floor.passes(one, Found((one,), rows=rows))


def test_a_paraphrase_without_a_word_in_common_passes() -> None:
    assert passes(0.40, 0.0, 12)  # "which database did we choose" on "We picked SQLite WAL over Postgres ..."


def test_a_question_about_something_else_does_not_pass() -> None:
    assert not passes(0.12, 0.0, 5)  # "how tall is mount everest"
    assert not passes(0.25, 0.1, 60)


def test_words_help_likeness_and_never_veto_it() -> None:
    assert not passes(0.26, 0.0, 12) and passes(0.26, 0.3, 12)
    assert passes(0.7, 0.0, 400)


def test_a_rare_word_alone_is_enough() -> None:
    assert passes(0.02, 1.0, 5000)  # a bare error code


def test_a_larger_store_asks_for_more_up_to_a_bound() -> None:
    assert passes(0.36, 0.0, 12) and not passes(0.36, 0.0, 300)
    assert passes(0.47, 0.0, 400) is passes(0.47, 0.0, 100_000)


def test_without_vectors_words_decide() -> None:
    assert passes(None, 0.4, 30) and not passes(None, 0.2, 30)


def test_an_empty_store_has_no_nearest_miss() -> None:
    assert Floor().nearest(Found(())) is None


def test_the_nearest_miss_says_what_was_missing() -> None:
    near, far = candidate(0.2, 0.1, "near"), candidate(0.1, 0.0, "far")
    miss = Floor().nearest(Found((far, near), rows=20))
    assert miss is not None and miss.id == "near" and miss.evidence < miss.needed
    assert "likeness 0.20" in miss.reason and "10%" in miss.reason


def test_a_floor_is_calibrated_to_another_embedder() -> None:
    floor = Floor().calibrated([0.35, 0.45] * 10)
    assert not passes(0.5, 0.0, 12, floor) and passes(0.7, 0.0, 12, floor)
    with pytest.raises(ValueError, match="20 or more"):
        Floor().calibrated([0.1])
