"""Texts without an end: what is linear stays linear, counted in steps of the clock of the processor against a text half as long."""
import time

import pytest

from mnemos_mcp import SurprisalGate
from mnemos_mcp.mechanisms.quantities import quantities

GATE = SurprisalGate()


def cost(text: str, read=quantities) -> float:
    best = 9.9
    for n in range(3):
        began = time.process_time()
        read(f"{text} {n}")
        best = min(best, time.process_time() - began)
    return best


@pytest.mark.parametrize("piece", ["x", "a1", "aB3d/", "12,", "v1.", "- "])
def test_numbers_of_an_endless_text_are_read_in_linear_time(piece):
    short, long = piece * (8_000 // len(piece)), piece * (64_000 // len(piece))
    assert cost(long) < 40 * max(cost(short), 1e-4)  # eight times the text; by the square it would be sixty-four


@pytest.mark.parametrize("piece", ["x", "a1", "aB3d/", "a-", "a."])
def test_the_gate_judges_an_endless_text_in_linear_time(piece):
    GATE.classify("We use yarn, not npm.")  # patterns are made
    short, long = piece * (1_000 // len(piece)), piece * (8_000 // len(piece))
    assert cost(long, GATE.classify) < 40 * max(cost(short, GATE.classify), 1e-4)


def test_a_number_keeps_the_word_before_it():
    assert [(q.value, q.label) for q in quantities("The port: 5433, retries = 5 and v2.1")] == [("5433", "port"), ("5", "retry"), ("2.1", "")]
