"""The signals of a recall: each candidate's reasons, every one 0..1. Ranking weighs them; here they are only measured."""
from __future__ import annotations

from collections.abc import Mapping
from math import exp, sqrt

from ..model import SECTORS, Affect, Candidate, Found, Memory
from . import statements
from .cues import Query

NAMES = ("semantic", "keyword", "context", "salience", "importance", "recency", "frequency", "coactivation", "sector", "affect", "activation")
DAY = 86_400.0
# How much a standing statement binds someone who asks for advice, 0..1. A decision binds the one who asks for leave; for advice at large it is
# one fact among others (measured: BEAM loses 2 points of MRR when decisions are lifted there).
STANDING: dict[str, float] = {"instruction": 1.0, "correction": 0.8, "preference": 0.8}

KIND_ALONE = 0.4


def semantic(candidate: Candidate) -> float:
    return max(0.0, candidate.cosine or 0.0)


def recency(memory: Memory, now: float, half_life_days: float = 30.0) -> float:
    """0.5 ^ (days since use / 30): use is the last recall or reinforcement, else the day it was stored."""
    used = max(memory.recalled_at or 0.0, memory.reinforced_at, memory.created_at) or memory.valid_from
    return 0.5 ** (max(0.0, now - used) / DAY / half_life_days)


def frequency(memory: Memory) -> float:
    """1 - e^(-uses/5), Park et al. (2023) in spirit: the tenth use says less than the first."""
    return 1 - exp(-memory.recalls / 5)


def coactivation(joint_recalls: float) -> float:
    return 1 - exp(-max(0.0, joint_recalls) / 5)


def sector(query: Query, memory: Memory) -> float:
    """Dot product of both weights; a query's manner (how, why, what happened) is a weight of 1 on one sector."""
    if query.manner:
        return memory.sectors[SECTORS.index(query.manner)]
    return min(1.0, sum(a * b for a, b in zip(query.sectors, memory.sectors, strict=False)))


def affect(a: Affect, b: Affect) -> float:
    """1 - Euclidean distance on (valence/2, arousal, complexity) / sqrt 3 (Bower 1981 on Russell's circumplex)."""
    return 1 - sqrt(((a.valence - b.valence) / 2) ** 2 + (a.arousal - b.arousal) ** 2 + (a.complexity - b.complexity) ** 2) / sqrt(3)


def inside(moment: float, window: tuple[float, float], half_life_days: float) -> float:
    """1 inside the time that was asked for, halved with every `half_life_days` outside."""
    start, end = window
    off = start - moment if moment < start else moment - end if moment >= end else 0.0
    return 0.5 ** (off / DAY / half_life_days)


def present(candidate: Candidate) -> frozenset[str] | None:
    """The query terms that stand in the text; None if the search does not say which."""
    return None if candidate.coverage and not candidate.terms else frozenset(candidate.terms)


def completed(candidate: Candidate, by_id: Mapping[str, Candidate], rarity: Mapping[str, float], fading: tuple[float, ...]) -> float:
    """Share of the query's rarity that this text lacks and its neighbours in session have, fading with distance.

    A turn of a talk leaves out what was just said; the answer to a question often shares no word with it. Only what is missing counts: a neighbour
    that says the same adds nothing. Where the search gives no term sets, the difference of the coverages stands in.
    """
    own = present(candidate)
    seen, mass, best = set(own or ()), 0.0, 0.0
    before: Candidate | None = candidate
    after: Candidate | None = candidate
    for weight in fading:  # nearest first, so a term counts where it stands closest
        before = by_id.get(before.before) if before else None
        after = by_id.get(after.after) if after else None
        for other in (before, after):
            if other is None:
                continue
            best = max(best, weight * other.coverage)
            if fresh := [term for term in other.terms if term not in seen]:
                seen.update(fresh)
                mass += weight * sum(rarity.get(term, 0.0) for term in fresh)
    if own is None:
        return max(0.0, best - candidate.coverage)
    total = sum(rarity.values()) if mass else 0.0
    return mass / total if total else 0.0


def wording(query: Query, memory: Memory, times: float, numbers: float, names: float) -> float:
    """The form of answer that is asked for, as one more word to look for: a time, a number, the one who is named."""
    value = names * statements.share_named(memory.content, query.names) if query.names else 0.0
    if query.asks_time and statements.tells_time(memory.content):
        value += times
    if query.asks_number and statements.tells_number(memory.content):
        value += numbers
    return value


def standing(query: Query, memory: Memory) -> float:
    """How much a memory binds the one who asks: in full by its plain wording, less by its kind alone (a classifier's guess; measured)."""
    if query.asks_leave and memory.kind == "decision":
        return 0.8
    return max(STANDING.get(statements.standing(memory.content), 0.0), KIND_ALONE * STANDING.get(memory.kind, 0.0))


def best_keyword(found: Found) -> float:
    return max((candidate.keyword for candidate in found.candidates), default=0.0)
