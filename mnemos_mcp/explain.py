"""A recall taken apart: every candidate with the parts of its score, the gate that decided about it, and the ties that energy ran along.

The same course as `retrieve` takes, so that what is shown is what happens; nothing is written.
"""
from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

from .mind import Mind
from .model import Edge, Recalled, View
from .results import Retrieved
from .retrieve import Course, Question, answer, as_then, course, tokens

Gate = Literal["recalled", "floor", "trailing", "packing"]
DRAWN = 40  # memories whose ties are read


@dataclass(frozen=True, slots=True)
class Weighed:
    """One candidate. `evidence` and `needed` are the floor's log-odds (None: reached by a tie only, the floor does not measure it)."""

    recalled: Recalled
    gate: Gate
    reason: str = ""  # why it was not recalled
    evidence: float | None = None
    needed: float | None = None
    cosine: float | None = None
    coverage: float = 0.0  # share of the question's rare words that it holds
    terms: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Explained:
    """`candidates` are all of them, best first; `edges` tie those that energy reached."""

    retrieved: Retrieved
    candidates: tuple[Weighed, ...]
    edges: tuple[Edge, ...]
    rows: int  # memories searched
    budget_tokens: int

    @property
    def tokens(self) -> int:
        return sum(r.tokens for r in self.retrieved.memories)


def explain(question: Question, mind: Mind) -> Explained:
    """Every candidate of a question and what became of it."""
    went = course(question, mind)
    weighed = tuple(_weighed(r, went, question, mind) for r in went.ranked)
    return Explained(answer(question, went), weighed, tuple(_ties(went, question.view, mind)), went.found.rows, question.budget_tokens)


def _weighed(ranked: Recalled, went: Course, question: Question, mind: Mind) -> Weighed:
    kept = next((r for r in went.kept if r.id == ranked.id), None)
    held = next((w.reason for w in went.withheld if w.id == ranked.id), "")
    left = next((w.reason for w in went.left_out if w.id == ranked.id), "")
    gate: Gate = "recalled" if kept else "packing" if left else "trailing" if held.startswith("far") else "floor"
    shown = kept or as_then(replace(ranked, tokens=tokens(ranked.content), retention=mind.config.decay.retention(ranked.memory, went.at)), question.view, mind)
    candidate = next(c for c in went.found.candidates if c.memory.id == ranked.id)
    evidence, needed = mind.config.floor.evidence(candidate, mind.config.floor.field(went.found), went.query) \
        if candidate.cosine is not None or candidate.coverage else (None, None)
    return Weighed(shown, gate, held or left, evidence, needed, candidate.cosine, candidate.coverage, candidate.terms)


def _ties(went: Course, view: View, mind: Mind) -> Iterable[Edge]:
    """Ties between the memories that energy reached, and to what was said just before and after."""
    reached = sorted(went.energy, key=lambda i: -went.energy[i])[:DRAWN]
    inside = set(reached)
    for edge in mind.store.edges(reached, view) if reached else ():
        if edge.a in inside and edge.b in inside:
            yield edge
    for c in went.found.candidates:
        for other in (c.before, c.after):
            if c.memory.id in inside and other in inside and c.memory.id < other:
                yield Edge(c.memory.id, other, "adjacency")
