"""Decay: the numbers of the contract, and that nothing put in makes it fail."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemos_mcp.mechanisms.decay import DAY_SECONDS, Decay
from mnemos_mcp.mechanisms.vectors import cosine, mean
from mnemos_mcp.model import GLOBAL, Memory

DECAY = Decay()
NOW = 1_700_000_000.0
anything = st.floats(allow_nan=True, allow_infinity=True)


def remembered(days: float = 0.0, **life) -> Memory:
    return Memory(**{"id": "a", "content": "x", "scope": GLOBAL, "created_at": NOW - days * DAY_SECONDS, "reinforced_at": NOW - days * DAY_SECONDS, **life})


@pytest.mark.parametrize(("importance", "days"), [(0.2, 30.0), (0.5, 150.0), (0.75, 730.0)])
def test_half_lives_are_exact_at_the_three_levels(importance, days):
    assert DECAY.half_life_days(importance) == days
    assert DECAY.retention(remembered(days, importance=importance), NOW) == pytest.approx(0.5)


def test_half_life_is_log_linear_between_the_levels_and_goes_on_beyond():
    assert DECAY.half_life_days(0.35) == pytest.approx(math.sqrt(30 * 150))
    assert DECAY.half_life_days(0.625) == pytest.approx(math.sqrt(150 * 730))
    assert DECAY.half_life_days(0.0) < 30 < 730 < DECAY.half_life_days(1.0) == DECAY.half_life_days(7.0)


def test_the_published_ebbinghaus_form_is_a_preset():
    assert [Decay.ebbinghaus().half_life_days(importance) for importance in (0.0, 0.5, 1.0)] == [15.0, 30.0, 45.0]


def test_use_strengthens_by_the_logarithm():
    assert DECAY.stability_days(0.5, 0) == 150.0
    assert DECAY.stability_days(0.5, math.e - 1) == pytest.approx(300.0)


def test_a_reinforced_memory_outlives_its_twin():
    assert DECAY.faded(remembered(200, importance=0.2), NOW)
    assert not DECAY.faded(remembered(200, importance=0.2, reinforcements=3.0), NOW)


def test_retention_counts_from_the_last_reinforcement_and_a_future_stamp_is_just_now():
    assert DECAY.retention(remembered(300, reinforced_at=NOW), NOW) == 1.0
    assert DECAY.retention(remembered(-40), NOW) == 1.0
    assert DECAY.ahead(remembered(0, importance=0.5), NOW, 150) == pytest.approx(0.5)


@pytest.mark.parametrize("guard", [{"pinned": True}, {"kind": "instruction"}, {"kind": "preference"}, {"kind": "identity"}, {"importance": 0.8}])
def test_the_protected_never_fade(guard):
    assert DECAY.faded(remembered(100_000, importance=0.2), NOW)
    assert not DECAY.faded(remembered(100_000, **{"importance": 0.2, **guard}), NOW)


def test_reinforcement_saturates_and_a_recall_is_the_smaller_step():
    held, steps = 0.0, []
    for _ in range(200):
        steps.append(DECAY.reinforced(held, DECAY.explicit_step) - held)
        held += steps[-1]
    assert steps[0] == 1.0 and steps == sorted(steps, reverse=True) and held <= DECAY.ceiling
    assert DECAY.reinforced(0.0, DECAY.shown_step) == 0.0 < DECAY.reinforced(0.0, DECAY.recalled_step) < 1.0
    assert DECAY.reinforced(2.0, -1.0) == 1.0 and DECAY.reinforced(0.5, -1.0) == 0.0


@given(anything, anything, anything, anything)
def test_every_input_gives_finite_numbers_in_range(importance, reinforcements, stamp, now):
    memory = remembered(importance=importance, reinforcements=reinforcements, reinforced_at=stamp, created_at=stamp)
    assert 0.0 <= DECAY.retention(memory, now) <= 1.0
    assert 0.0 <= DECAY.ahead(memory, now, stamp) <= 1.0
    assert 0.0 < DECAY.half_life_days(importance) < math.inf and 0.0 < DECAY.stability_days(importance, reinforcements) < math.inf
    assert 0.0 <= DECAY.reinforced(reinforcements, stamp) <= DECAY.ceiling


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 5000))
def test_more_important_never_fades_sooner(a, b, days):
    low, high = sorted((a, b))
    assert DECAY.retention(remembered(days, importance=low), NOW) <= DECAY.retention(remembered(days, importance=high), NOW) + 1e-12


def test_vectors_compare_and_average_as_directions():
    assert cosine([1, 0], [5, 0]) == 1.0 and cosine([1, 0], [-2, 0]) == -1.0 and cosine([1e300, 1e300], [1e-300, 1e-300]) == pytest.approx(1.0)
    assert cosine([1, 0], [1, 0, 0]) == cosine([], []) == cosine([0, 0], [1, 1]) == cosine([math.nan, 1], [1, 1]) == 0.0
    assert mean([[2, 0], [0, 1]]).tolist() == pytest.approx([math.sqrt(0.5)] * 2)
    assert mean([]) is None and mean([[1, 0], [-1, 0]]) is None


@given(st.lists(anything, max_size=4), st.lists(anything, max_size=4))
def test_cosine_never_leaves_its_range(a, b):
    assert -1.0 <= cosine(a, b) <= 1.0
    mean([a, b])
