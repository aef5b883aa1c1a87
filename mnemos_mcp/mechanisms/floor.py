"""Floor: is there anything to recall at all? Nothing is a better answer than the nearest of what does not fit."""
from __future__ import annotations

from dataclasses import dataclass, replace
from math import log
from typing import TYPE_CHECKING

from ..model import Candidate, Found
from . import statements

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .cues import Query


@dataclass(frozen=True, slots=True)
class Miss:
    """The candidate that came nearest, how much it showed and how much was needed."""

    id: str
    evidence: float
    needed: float
    reason: str


@dataclass(frozen=True, slots=True)
class Field:
    """What all candidates of one search have in common. Rarity is counted in words that stand in no memory: a common word is worth less than one."""

    rows: float  # logarithm of the visible memories
    asked: float  # rarity of all words of the query
    unseen: float  # rarity of those that no candidate has: something that was never spoken of here
    kind: float  # log-odds of what the query tells by itself
    likest: float  # best cosine
    fullest: float  # best coverage


@dataclass(frozen=True, slots=True)
class Floor:
    """A memory passes when its evidence, the log-odds that the question is answered at all, reaches the bar.

    Likeness and the share of the query's rare words speak for it; words that no memory has, a large store (chance works in each memory) and a number or
    time that is asked for and not told speak against it, and so does a question of a kind that notes seldom answer (see inquiry; the built-in embedder
    only). None of them has a veto. Weights and bars are fitted to questions that the notes of invented projects and people answer or cannot know, and
    checked on those that were left out: python benchmarks/fit_floor.py.
    """

    null_mean: float = 0.04  # cosine of unrelated texts under the built-in MiniLM-L6; see `calibrated` for another embedder
    null_std: float = 0.08
    # log-odds with vectors: for one standard deviation of likeness, full coverage, one rare word found, one unseen, best by both, lacking form, ln rows
    likeness: float = 1.02
    coverage: float = 3.35
    shared: float = -1.39
    unseen: float = -0.30
    agreement: float = -0.59
    lacking: float = -0.37
    growth: float = -0.26
    bar: float = 1.50
    kind: float = 1.0  # weight of what a question tells by itself, see inquiry
    few: int = 60  # rows up to which it counts in full, above as few / rows: a large store, and a chat, answers questions of all kinds
    # log-odds without vectors: coverage, ln rows. Long questions share little with anything, so they are told apart less well here
    blind_coverage: float = 4.71
    blind_growth: float = -0.46
    blind_bar: float = -0.52
    blind_most: int = 60  # rows, as `most`
    most: int = 400  # rows; a larger store is judged as one of so many, since it holds several subjects
    words_alone: float = 0.85  # coverage that passes whatever the likeness, 0..1
    trailing: float = 0.3  # share of the best score below which a memory that does not pass by itself is left out, 0..1

    def opens(self, found: Found, query: Query | None = None) -> frozenset[str]:
        """Ids of the memories that may open a recall; their neighbours ride on them."""
        if query is not None and not any(map(str.isalnum, query.text)):
            return frozenset()  # signs alone ask for nothing
        field = self.field(found, query)
        return frozenset(c.memory.id for c in found.candidates if self._passes(c, field, query))

    def passes(self, candidate: Candidate, found: Found, query: Query | None = None) -> bool:
        """True if this candidate may open a recall."""
        return self._passes(candidate, self.field(found, query), query)

    def rides(self, score: float, best: float) -> bool:
        """True if a memory of a recall that has opened comes along although it would not open one: its score is near enough to the best."""
        return score >= self.trailing * best

    def field(self, found: Found, query: Query | None = None) -> Field:
        rows = max(1, found.rows)
        never = log(1 + (rows + 0.5) / 0.5)  # rarity of a word that stands nowhere
        seen = {term for c in found.candidates for term in c.terms}
        return Field(log(min(rows, self.most)), sum(found.rarity.values()) / never,
                     sum(rarity for term, rarity in found.rarity.items() if term not in seen) / never,
                     self._kind(query, rows), max((c.cosine for c in found.candidates if c.cosine is not None), default=0.0),
                     max((c.coverage for c in found.candidates), default=0.0))

    def _kind(self, query: Query | None, rows: int) -> float:
        """0.0 where the embedder is not the one that was fitted, or there is none."""
        return 0.0 if query is None or query.expected is None else self.kind * query.expected * min(1.0, self.few / rows)

    def signs(self, candidate: Candidate, field: Field, query: Query | None = None) -> tuple[float, ...]:
        """What the weights are put on: likeness, coverage, shared, unseen, agreement, lacking, growth. Also read by the fit."""
        cosine = candidate.cosine if candidate.cosine is not None else self.null_mean
        both = candidate.coverage > 0 and cosine >= field.likest and candidate.coverage >= field.fullest
        return ((cosine - self.null_mean) / self.null_std, candidate.coverage, min(1.0, candidate.coverage * field.asked), min(4.0, field.unseen),
                float(both), float(query is not None and lacks(candidate.memory.content, query)), field.rows)

    def evidence(self, candidate: Candidate, field: Field, query: Query | None = None) -> tuple[float, float]:
        """(evidence, needed), both log-odds."""
        if candidate.cosine is None:
            return self.blind_coverage * candidate.coverage + self.blind_growth * min(field.rows, log(self.blind_most)), self.blind_bar
        signs = self.signs(candidate, field, query)
        weights = (self.likeness, self.coverage, self.shared, self.unseen, self.agreement, self.lacking, self.growth)
        told = sum(weight * sign for weight, sign in zip(weights, signs, strict=True))
        return told + field.kind, self.bar

    def nearest(self, found: Found, query: Query | None = None) -> Miss | None:
        """What came nearest, for the note of an empty answer. None where nothing was like it at all, as in an empty store."""
        field = self.field(found, query)
        measured = [(*self.evidence(c, field, query), c) for c in found.candidates if c.cosine is not None or c.coverage]
        if not measured:
            return None
        evidence, needed, best = max(measured, key=lambda one: one[0] - one[1])
        seen = f"likeness {best.cosine:.2f}, " if best.cosine is not None else ""
        return Miss(best.memory.id, evidence, needed, f"{seen}{best.coverage:.0%} of the words; evidence {evidence:.1f} of {needed:.1f} needed")

    def calibrated(self, unrelated: Sequence[float]) -> Floor:
        """This floor for another embedder: `unrelated` are its cosines between texts that have nothing to do with each other (20 or more)."""
        if len(unrelated) < 20:
            raise ValueError(f"{len(unrelated)} cosines are too few to calibrate a floor; 20 or more are needed")
        from statistics import fmean, pstdev  # 9 ms that no recall needs
        return replace(self, null_mean=fmean(unrelated), null_std=max(0.02, pstdev(unrelated)))

    def _passes(self, candidate: Candidate, field: Field, query: Query | None) -> bool:
        if candidate.cosine is None and not candidate.coverage:
            return False  # reached by a tie only
        evidence, needed = self.evidence(candidate, field, query)
        return evidence >= needed or candidate.coverage >= self.words_alone


def lacks(text: str, query: Query) -> bool:
    """True if a number or a time is asked for and the text tells none."""
    return (query.asks_number and not statements.tells_number(text)) or (query.asks_time and not statements.tells_time(text))
