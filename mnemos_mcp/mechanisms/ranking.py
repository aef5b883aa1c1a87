"""Ranking: signals x weights -> a score with its parts.

Three presets are published formulas, exact. The fourth, `mnemos`, was chosen by measurement on open data (see benchmarks): meaning, words and context
find; what a query asks for beside its subject (a time, advice, the why, a mood, the value as it is now) shifts weights among what was found.
"""
from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field

from ..model import Candidate, Found, Recalled
from . import signals, statements
from .cues import Query

PRESETS: dict[str, dict[str, float]] = {
    "composite": {"semantic": 0.35, "keyword": 0.20, "salience": 0.15, "recency": 0.15, "coactivation": 0.10, "sector": 0.05},
    "generative": {"semantic": 0.55, "recency": 0.20, "importance": 0.15, "frequency": 0.10},
    "affective": {"semantic": 0.70, "affect": 0.30},
    "mnemos": {"semantic": 0.65, "keyword": 0.55, "context": 0.30, "importance": 0.15, "activation": 0.05},
}
FINDING = ("semantic", "keyword", "context")  # the signals that find; the others only shift
Similarity = Callable[[str, str], "float | None"]
_NOBODY: Mapping[str, float] = {}


@dataclass(frozen=True)
class Ranking:
    """How candidates are ordered. Weights are relative; the score of `mnemos` is divided by those in use, so that it stays 0..1.

    All numbers below the presets belong to `mnemos` and come from the published ablation (LoCoMo, BEAM, AgentMem).
    """

    preset: str = "mnemos"
    weights: Mapping[str, float] = field(default_factory=dict)  # over those of the preset, each >= 0
    # in place of the preset's where no memory has a vector: words and context carry the meaning
    blind_keyword: float = 1.57
    blind_context: float = 0.70
    # keyword = terms + form of answer; the four shares sum to 1
    terms_share: float = 0.64
    times_share: float = 0.20
    numbers_share: float = 0.06
    names_share: float = 0.10
    full_match: float = 0.3  # share of the query's rarity (as BM25) that counts as a full match even if nothing reaches it, 0..1
    fading: tuple[float, ...] = (1.0, 0.6, 0.4)  # weight of a neighbour 1, 2, 3 turns away
    answer_share: float = 0.27  # of the relevance of a question that stands just before
    # weights that a query adds
    time_weight: float = 0.20
    window_half_life_days: float = 7.0  # things are told some days after they were
    latest_weight: float = 0.40
    sector_weight: float = 0.25
    affect_weight: float = 0.60
    advice_weight: float = 0.30
    relevant_from: float = 0.5  # share of the best relevance from which a side signal counts in full; below it fades to 0
    on_topic: float = 0.6  # share of the best relevance from which memories compete for "latest"
    # an update takes the place of what it changes
    update_depth: int = 10  # memories looked at, from the top
    update_closeness: float = 0.5  # cosine between the two statements
    update_shared_terms: float = 0.6  # the same without vectors: share of the older one's query terms that the newer one has
    update_reach: float = 0.6  # the newer one has at least this share of the older one's score
    update_coverage: float = 0.3  # and this share of the query's rarity
    update_margin: float = 0.01  # and then stands this much above it

    def __post_init__(self) -> None:
        if self.preset not in PRESETS:
            raise ValueError(f"unknown ranking preset {self.preset!r}; known: {', '.join(PRESETS)}")
        for name, weight in self.weights.items():
            if name not in signals.NAMES or not weight >= 0:
                raise ValueError(f"weight {name}={weight!r}: a known signal and a number of 0 or more is needed ({', '.join(signals.NAMES)})")

    def score(self, query: Query, found: Found, *, now: float, energy: Mapping[str, float] = _NOBODY, joint: Mapping[str, float] = _NOBODY,
              retention: Mapping[str, float] = _NOBODY, similarity: Similarity | None = None) -> list[Recalled]:
        """Every candidate with its score and why, best first; of equals the one stored last."""
        weights = {**PRESETS[self.preset], **self.weights}
        if self.preset == "mnemos":
            weights = self._asked_weights(query, found, weights)
        weights = {name: weight for name, weight in weights.items() if weight}
        values = self._shared_values({*weights, *FINDING}, query, found, now, energy, joint, retention)
        if self.preset == "mnemos":
            self._adapt(query, found, values)
        whole = sum(weights.values()) if self.preset == "mnemos" else 1.0
        parts = {id_: {name: weight * value[name] / whole for name, weight in weights.items() if value[name]} for id_, value in values.items()}
        if self.preset == "mnemos" and query.asks_current:
            self._lift_updates(found, parts, similarity, most=weights.get("recency", 0.0) / whole)
        recalled = [Recalled(c.memory, sum(parts[c.memory.id].values()), parts[c.memory.id], retention=retention.get(c.memory.id, 1.0),
                             energy=energy.get(c.memory.id, 0.0)) for c in found.candidates]
        return sorted(recalled, key=lambda r: (-r.score, -r.memory.sequence))

    def seeds(self, query: Query, found: Found, *, limit: int = 3) -> dict[str, float]:
        """Where activation starts: the most relevant memories within reach of the best, with energy 1.0."""
        relevance = self._relevance(found, self._shared_values(("semantic", "keyword"), query, found, 0.0))
        top = sorted(relevance, key=lambda id_: -relevance[id_])[:limit]
        return {id_: 1.0 for id_ in top if relevance[id_] >= self.on_topic * relevance[top[0]] > 0}

    def weighs(self, signal: str) -> bool:
        """True if this signal counts whatever is asked: a caller need not measure the others."""
        return bool({**PRESETS[self.preset], **self.weights}.get(signal))

    # ---- what every preset measures ----------------------------------------------------------

    def _shared_values(self, names: Collection[str], query: Query, found: Found, now: float, energy: Mapping[str, float] = _NOBODY,
                       joint: Mapping[str, float] = _NOBODY, retention: Mapping[str, float] = _NOBODY) -> dict[str, dict[str, float]]:
        """The named signals of every candidate."""
        best = signals.best_keyword(found) or 1.0
        by_id = {c.memory.id: c for c in found.candidates}
        measures: dict[str, Callable[[Candidate], float]] = {
            "semantic": signals.semantic, "keyword": lambda c: c.keyword / best,
            "context": lambda c: min(1.0, signals.completed(c, by_id, found.rarity, self.fading)),
            "salience": lambda c: c.memory.importance * retention.get(c.memory.id, 1.0), "importance": lambda c: c.memory.importance,
            "recency": lambda c: signals.recency(c.memory, now), "frequency": lambda c: signals.frequency(c.memory),
            "coactivation": lambda c: signals.coactivation(joint.get(c.memory.id, 0.0)), "sector": lambda c: signals.sector(query, c.memory),
            "affect": lambda c: signals.affect(query.affect, c.memory.affect), "activation": lambda c: min(1.0, energy.get(c.memory.id, 0.0))}
        return {id_: {name: measures[name](c) for name in names} for id_, c in by_id.items()}

    # ---- what the default preset does with a query's cues ------------------------------------

    def _asked_weights(self, query: Query, found: Found, weights: dict[str, float]) -> dict[str, float]:
        if all(c.cosine is None for c in found.candidates):
            weights = weights | {"semantic": 0.0, "keyword": self.blind_keyword, "context": self.blind_context}
        latest = self.latest_weight if query.asks_latest or query.asks_current else 0.0
        asked = {"recency": self.time_weight if query.window else latest, "sector": self.sector_weight if query.manner else 0.0,
                 "affect": self.affect_weight if query.charged else 0.0}
        weights["importance"] = weights.get("importance", 0.0) + (self.advice_weight if query.asks_advice else 0.0)
        return weights | asked | {name: self.weights[name] for name in asked if name in self.weights}

    def _relevance(self, found: Found, values: Mapping[str, Mapping[str, float]]) -> dict[str, float]:
        weights = PRESETS["mnemos"]
        blind = all(c.cosine is None for c in found.candidates)
        meaning, words = (0.0, 1.0) if blind else (weights["semantic"], weights["keyword"] * self.terms_share)
        context = self.blind_context if blind else weights["context"]
        return {id_: meaning * v["semantic"] + words * v["keyword"] + context * v.get("context", 0.0) for id_, v in values.items()}

    def _adapt(self, query: Query, found: Found, values: dict[str, dict[str, float]]) -> None:
        """Absolute words, answers after questions, and side signals as far as a memory is relevant at all."""
        best = signals.best_keyword(found)
        scale = best / max(best, self.full_match * sum(found.rarity.values())) if best else 0.0
        for value in values.values():
            value["keyword"] *= scale
        plain = self._relevance(found, values)
        by_id = {c.memory.id: c for c in found.candidates}
        for id_, c in by_id.items():
            before = by_id.get(c.before)
            if before and statements.asks(before.memory.content):
                values[id_]["context"] = min(1.0, values[id_]["context"] + self.answer_share * plain[c.before])
        relevance = self._relevance(found, values)
        top = max(relevance.values(), default=0.0)
        newness = self._newness(found, relevance, top) if query.asks_latest else {}
        for id_, c in by_id.items():
            self._adapt_one(query, c, values[id_], min(1.0, relevance[id_] / (self.relevant_from * top)) if top else 0.0, newness.get(id_, 0.0))

    def _adapt_one(self, query: Query, candidate: Candidate, value: dict[str, float], relevant: float, newness: float) -> None:
        memory = candidate.memory
        value["keyword"] = min(1.0, self.terms_share * value["keyword"]
                               + signals.wording(query, memory, self.times_share, self.numbers_share, self.names_share))
        own = PRESETS["mnemos"]["importance"]
        if query.asks_advice and "importance" in value:
            value["importance"] = (own * memory.importance + self.advice_weight * signals.standing(query, memory)) / (own + self.advice_weight)
        for name in value.keys() & {"importance", "sector", "affect"}:
            value[name] *= relevant
        if "activation" in value and value["activation"] >= 1.0:
            value["activation"] = 0.0  # a seed has earned its place by itself
        if "recency" in value:
            value["recency"] = signals.inside(memory.valid_from, query.window, self.window_half_life_days) if query.window else newness

    def _newness(self, found: Found, relevance: Mapping[str, float], top: float) -> dict[str, float]:
        """0 (oldest) .. 1 (newest) by rank among the memories on topic: an old project has a latest change too."""
        rivals = [c.memory for c in found.candidates if relevance[c.memory.id] >= self.on_topic * top]
        rivals.sort(key=lambda m: (m.valid_from, m.sequence))
        return {m.id: i / max(1, len(rivals) - 1) if len(rivals) > 1 else 1.0 for i, m in enumerate(rivals)}

    def _lift_updates(self, found: Found, parts: dict[str, dict[str, float]], similarity: Similarity | None, most: float) -> None:
        """A statement that marks a change stands above the older ones about the same subject that reach nearly as high.

        Likeness only proposes: without a word of change nothing moves, and a query for what was is not touched at all.
        """
        totals = {id_: sum(part.values()) for id_, part in parts.items()}
        top: Sequence[Candidate] = sorted(found.candidates, key=lambda c: -totals[c.memory.id])[: self.update_depth]
        for newer in top:
            mine = totals[newer.memory.id]
            if newer.coverage < self.update_coverage or not statements.marks_change(newer.memory.content):
                continue
            goal = max((totals[older.memory.id] + self.update_margin for older in top
                        if self._replaces(newer, older, found, similarity) and mine >= self.update_reach * totals[older.memory.id]), default=mine)
            if goal > mine:
                already = parts[newer.memory.id].get("recency", 0.0)
                parts[newer.memory.id]["recency"] = min(most, already + goal - mine)  # the signal stays within 0..1

    def _replaces(self, newer: Candidate, older: Candidate, found: Found, similarity: Similarity | None) -> bool:
        if (newer.memory.valid_from, newer.memory.sequence) <= (older.memory.valid_from, older.memory.sequence):
            return False
        close = similarity(newer.memory.id, older.memory.id) if similarity else None
        if close is not None:
            return close >= self.update_closeness
        ours, theirs = signals.present(newer), signals.present(older)
        if not ours or not theirs:
            return False
        mass = sum(found.rarity.get(term, 0.0) for term in theirs)
        return sum(found.rarity.get(term, 0.0) for term in ours & theirs) >= self.update_shared_terms * mass
