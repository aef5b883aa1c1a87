"""Floor: is there anything to recall at all? Nothing is a better answer than the nearest of what does not fit."""
from __future__ import annotations

from dataclasses import dataclass, replace
from math import log, sqrt
from statistics import fmean, pstdev
from typing import TYPE_CHECKING

from ..model import Candidate, Found

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
class Floor:
    """A memory passes when it stands out from what chance alone brings up.

    Evidence = cosine in standard deviations above that of unrelated texts, plus the share of the query's rare words that stand in the text. The largest of
    n chance values grows as sqrt(2 ln n): that is what is asked of a store of n memories. So one rule serves five memories and five hundred; words alone
    never veto a paraphrase, and a rare word found needs no likeness. Calibrated on questions put to stores that cannot know the answer (benchmarks).
    """

    null_mean: float = 0.04  # cosine of unrelated texts under the built-in MiniLM-L6; see `calibrated` for another embedder
    null_std: float = 0.08
    reach: float = 1.40  # standard deviations asked for, as a multiple of sqrt(2 ln n)
    word_worth: float = 3.0  # standard deviations that full coverage of the query is worth
    few: int = 8  # smaller stores are judged as if they had so many memories
    many: int = 400  # and larger ones as if they had so many: a big store holds several subjects, chance works in each
    words_alone: float = 0.60  # coverage that passes whatever the likeness, 0..1
    trailing: float = 0.3  # share of the best score below which a memory that does not pass by itself is left out, 0..1
    # without vectors: coverage asked for, 0..1, growing with the logarithm of the rows
    blind_coverage: float = 0.17
    blind_growth: float = 0.025

    def passes(self, candidate: Candidate, found: Found, query: Query | None = None) -> bool:
        """True if this candidate may open a recall; its neighbours ride on it."""
        evidence, needed = self.measure(candidate, found)
        return evidence >= needed or candidate.coverage >= self.words_alone

    def rides(self, score: float, best: float) -> bool:
        """True if a memory of a recall that has opened comes along although it would not open one: its score is near enough to the best."""
        return score >= self.trailing * best

    def measure(self, candidate: Candidate, found: Found) -> tuple[float, float]:
        """(evidence, needed) in the same unit: standard deviations with a vector, coverage without one."""
        rows = min(max(found.rows, self.few), self.many)
        if candidate.cosine is None:
            return candidate.coverage, self.blind_coverage + self.blind_growth * log(rows)
        likeness = (candidate.cosine - self.null_mean) / self.null_std
        return likeness + self.word_worth * candidate.coverage, self.reach * sqrt(2 * log(rows))

    def nearest(self, found: Found) -> Miss | None:
        """What came nearest, for the note of an empty answer. None in an empty store."""
        measured = [(*self.measure(c, found), c) for c in found.candidates]
        if not measured:
            return None
        evidence, needed, best = max(measured, key=lambda one: one[0] / one[1])
        seen = f"likeness {best.cosine:.2f}, " if best.cosine is not None else ""
        return Miss(best.memory.id, evidence, needed, f"{seen}{best.coverage:.0%} of the words; evidence {evidence:.1f} of {needed:.1f} needed")

    def calibrated(self, unrelated: Sequence[float]) -> Floor:
        """This floor for another embedder: `unrelated` are its cosines between texts that have nothing to do with each other (20 or more)."""
        if len(unrelated) < 20:
            raise ValueError(f"{len(unrelated)} cosines are too few to calibrate a floor; 20 or more are needed")
        return replace(self, null_mean=fmean(unrelated), null_std=max(0.02, pstdev(unrelated)))
