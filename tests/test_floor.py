from __future__ import annotations

import pytest

from mnemos_mcp import MnemosConfig
from mnemos_mcp.mechanisms import cues
from mnemos_mcp.mechanisms.floor import Floor
from mnemos_mcp.model import GLOBAL, Candidate, Found, Memory
from mnemos_mcp.runtime import open_for_python

DEFAULT = Floor()
NOTES = ("We picked SQLite WAL over Postgres because shipping a server was too heavy", "The lead of the firmware is Marta", "Please write small commits",
         "Battery alarms fire below 3.4 volts", "The dashboard is an Elm app behind Caddy")


def candidate(cosine: float | None, coverage: float, id_: str = "m", text: str = "text") -> Candidate:
    return Candidate(Memory(id_, text, GLOBAL), cosine=cosine, coverage=coverage, terms=("seen",) if coverage else ())


def passes(cosine: float | None, coverage: float, rows: int, floor: Floor = DEFAULT) -> bool:
    one = candidate(cosine, coverage)
    return floor.passes(one, Found((one,), rows=rows))


def evidence(found: Found, question: str = "") -> float:
    return DEFAULT.evidence(found.candidates[0], DEFAULT.field(found), cues.read(question, 0.0) if question else None)[0]


def test_a_paraphrase_without_a_word_in_common_passes() -> None:
    assert passes(0.40, 0.0, 12)  # "which database did we choose" on "We picked SQLite WAL over Postgres ..."


def test_a_question_about_something_else_does_not_pass() -> None:
    assert not passes(0.12, 0.0, 5)  # "how tall is mount everest"
    assert not passes(0.2, 0.1, 60)


def test_words_help_likeness_and_never_veto_it() -> None:
    assert not passes(0.20, 0.0, 12) and passes(0.20, 0.5, 12)
    assert passes(0.7, 0.0, 400)


def test_a_rare_word_alone_is_enough() -> None:
    assert passes(0.02, 1.0, 5000)  # a bare error code


def test_a_larger_store_asks_for_more_up_to_a_bound() -> None:
    evidences = [evidence(Found((candidate(0.3, 0.0),), rows=rows)) for rows in (12, 400, 100_000)]
    assert evidences[0] > evidences[1] == evidences[2]


def test_a_word_that_was_never_stored_speaks_against_an_answer() -> None:
    known = Found((candidate(0.3, 0.5), candidate(0.1, 0.5, "other")), rows=20, rarity={"seen": 2.0, "light": 2.0})
    one, other = known.candidates
    elsewhere = Found((one, Candidate(other.memory, 0.1, coverage=0.5, terms=("light",))), rows=20, rarity=known.rarity)
    assert evidence(known) < evidence(elsewhere)


def test_a_number_that_is_asked_for_and_not_told_speaks_against_an_answer() -> None:
    told, untold = (Found((candidate(0.3, 0.2, text=text),), rows=20) for text in ("the queue holds 40 jobs", "the queue holds jobs"))
    assert evidence(untold, "how many jobs does the queue hold") < evidence(told, "how many jobs does the queue hold")
    assert evidence(untold, "what does the queue hold") == evidence(told, "what does the queue hold")


def test_without_vectors_words_decide() -> None:
    assert passes(None, 0.6, 30) and not passes(None, 0.05, 30)
    assert not passes(None, 0.0, 1)  # reached by a tie, without a word: it may ride, never open


def test_every_candidate_is_judged_as_it_would_be_alone() -> None:
    found = Found((candidate(0.6, 0.2, "a"), candidate(0.1, 0.0, "b"), candidate(None, 0.0, "c")), rows=30)
    assert DEFAULT.opens(found) == {c.memory.id for c in found.candidates if DEFAULT.passes(c, found)} == {"a"}
    assert DEFAULT.opens(Found(())) == frozenset()


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


@pytest.mark.parametrize("count", [1, 2, 3, 5])
def test_a_handful_of_memories_answers_a_paraphrase_and_stays_silent_otherwise(count: int) -> None:
    engine = open_for_python(MnemosConfig())
    for note in NOTES[:count]:
        engine.store(note, force=True)
    found = engine.retrieve("which database did we choose", reconsolidate=False).memories
    assert found and found[0].content == NOTES[0]
    assert not engine.retrieve("how tall is mount everest", reconsolidate=False).memories
    engine.close()


def test_with_the_embedder_off_shared_words_answer_and_others_do_not() -> None:
    engine = open_for_python(MnemosConfig(), embedder=None)
    for note in NOTES:
        engine.store(note, force=True)
    assert engine.retrieve("why SQLite and not Postgres?", reconsolidate=False).memories[0].content == NOTES[0]
    assert not engine.retrieve("how tall is mount everest", reconsolidate=False).memories
    engine.close()
