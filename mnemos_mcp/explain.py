"""A recall taken apart: every candidate with the parts of its score, the gate that decided about it, and the ties that energy ran along.

The same course as `retrieve` takes, so that what is shown is what happens; nothing is written.
"""
from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
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
    met, field = {c.memory.id: c for c in went.found.candidates}, mind.config.floor.field(went.found, went.query)
    kept, held = {r.id: r for r in went.kept}, {w.id: w.reason for w in went.withheld}
    left = {w.id: w.reason for w in went.left_out}

    def weigh(ranked: Recalled) -> Weighed:
        candidate, at = met[ranked.id], went.at
        gate: Gate = ("recalled" if ranked.id in kept else "packing" if ranked.id in left else
                      "trailing" if held.get(ranked.id, "").startswith("far") else "floor")
        shown = kept.get(ranked.id) or as_then(ranked._replace(tokens=tokens(ranked.content), retention=mind.config.decay.retention(ranked.memory, at)),
                                               question.view, mind)
        evidence, needed = mind.config.floor.evidence(candidate, field, went.query) if candidate.cosine is not None or candidate.coverage else (None, None)
        return Weighed(shown, gate, held.get(ranked.id) or left.get(ranked.id, ""), evidence, needed, candidate.cosine, candidate.coverage, candidate.terms)

    weighed = tuple(map(weigh, went.ranked))
    return Explained(answer(question, went), weighed, tuple(_ties(went, question.view, mind)), went.found.rows, question.budget_tokens)


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
