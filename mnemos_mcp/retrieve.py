"""RETRIEVE: a question to the few memories that answer it, each with the shares of its score, or nothing and a note.

redact -> embed -> read candidates -> read their ties -> spread -> score -> floor -> pack -> one write, best effort.
"""
from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from .errors import EmbedderUnavailable, StoreUnavailable
from .mechanisms import cues, inquiry
from .mechanisms.cues import Query
from .mind import Mind
from .model import SECTORS, Candidate, Edge, Found, Memory, Mode, Recalled, Retrieved, Search, View, Withheld

QUERY_CHARS = 4000
LISTED = 32  # best of each list that take part
TIED = 8  # best candidates whose ties are read
COMPARED = 32  # best candidates whose vectors are compared with each other
WITHHELD = 20  # shown with explain


class Question(NamedTuple):
    """What is asked, from where, and how much may come back."""

    text: str
    view: View
    limit: int = 8
    mode: Mode = "hybrid"
    near: Memory | None = None
    sector: str = ""
    budget_tokens: int = 2000
    explain: bool = False
    reconsolidate: bool = True


class Course(NamedTuple):
    """How a recall went: the query as read, what was met, and what each gate kept. `explain.py` takes it apart."""

    query: Query
    found: Found
    energy: Mapping[str, float]
    ranked: tuple[Recalled, ...]  # every candidate, best first
    kept: tuple[Recalled, ...]
    withheld: tuple[Withheld, ...]  # by the floor
    left_out: tuple[Withheld, ...]  # by packing
    now: float
    at: float
    note: str = ""


def retrieve(question: Question, mind: Mind) -> Retrieved:
    """Best first. A locked or read-only file never fails a recall; a missing embedder leaves the words."""
    went = course(question, mind)
    remember(went.kept, question, went.query.text, went.now, mind)
    return answer(question, went)


def answer(question: Question, went: Course) -> Retrieved:
    """What the caller is told of it."""
    return Retrieved(went.kept, tuple(dict.fromkeys(s.level for s in question.view.scopes)), question.mode, question.view.as_of, len(went.found.candidates),
                     went.note, (*went.withheld, *went.left_out)[:WITHHELD] if question.explain else (), went.now)


def course(question: Question, mind: Mind) -> Course:
    """The whole recall but its traces: nothing is written."""
    now, config = mind.clock(), mind.config
    at = now if question.view.as_of is None else question.view.as_of
    # Named before the embedding is asked for: a mechanism is imported when it is first named, and the embedding may be on its way in another process.
    decay, ranking, packing, _ = config.decay, config.ranking, config.packing, config.floor
    query, vector, identity, note = ask(question, at, mind)
    found = mind.store.search(Search(question.view, query.terms, vector, identity, LISTED))
    found, energy, joint = spread(question, query, found, mind)
    similarity = likeness(found, identity, mind)
    retention = {c.memory.id: decay.retention(c.memory, at) for c in found.candidates} if ranking.weighs("salience") else {}
    ranked = ranking.score(query, found, now=at, energy=energy, joint=joint, retention=retention, similarity=similarity)
    passed, withheld = floor(question, query, ranked, found, mind)
    kept, left_out = packing.pack(passed, limit=question.limit, budget_tokens=question.budget_tokens, similarity=similarity, tokens=tokens)
    shown = tuple(as_then(r._replace(retention=decay.retention(r.memory, at)), question.view, mind) for r in kept)
    note = "; ".join(filter(None, (note, "" if shown else silence(question, found, withheld))))
    return Course(query, found, energy, tuple(ranked), shown, tuple(withheld), tuple(left_out), now, at, note)


def ask(question: Question, at: float, mind: Mind) -> tuple[Query, Any, str, str]:
    """The query as read, its vector or None, the embedder's identity, and a note when meaning could not be searched."""
    config = mind.config
    text = str(config.firewall.redact(question.text[:QUERY_CHARS])).strip()
    if question.near is not None:
        text = f"{text}\n{question.near.content}".strip()
    sectors = tuple(float(name == question.sector) for name in SECTORS) if question.sector else \
        config.sectors.weigh(text) if config.ranking.weighs("sector") else ()
    query = cues.read(text, at, terms=config.keywords.terms(text) if question.mode != "semantic" else (), sectors=sectors)
    query = query._replace(manner=question.sector or query.manner,
                    affect=config.affect.feel(text) if config.ranking.weighs("affect") and not query.charged else query.affect)
    if question.mode == "keyword" or mind.embedder is None or not text:
        return query, None, "", ""
    try:
        vector = mind.embedder.embed([mind.embedder.windows(text)[0]], deadline_s=config.capture.embed_deadline_s)[0]
        identity = mind.embedder.identity
        plain = question.near is None and query.window is None  # a text or a time in it makes it another kind than those that were fitted
        return query._replace(expected=inquiry.expected(vector, identity) if plain else None), vector, identity, ""
    except EmbedderUnavailable as reason:
        return query, None, "", f"searched by words only: {reason}"


def spread(question: Question, query: Query, found: Found, mind: Mind) -> tuple[Found, Mapping[str, float], dict[str, float]]:
    """Energy over the ties of the best, with what it reaches added to the candidates, and the joint recalls with the seeds."""
    seeds = {question.near.id: 1.0} if question.near else mind.config.ranking.seeds(query, found)
    best = sorted(found.candidates, key=lambda c: -((c.cosine or 0.0) + c.coverage))[:TIED]
    ids = list(dict.fromkeys([*seeds, *(c.memory.id for c in best)]))
    edges: list[Edge] = mind.store.edges(ids, question.view) if ids else []
    present = {c.memory.id for c in found.candidates}
    energy = mind.config.activation.spread(seeds, [*edges, *_adjacent(found, ids)])
    joint: dict[str, float] = {}
    for edge in edges:
        if edge.kind == "coactivation":
            for seed, other in ((edge.a, edge.b), (edge.b, edge.a)):
                if seed in seeds:
                    joint[other] = max(joint.get(other, 0.0), edge.weight)
    reached = [i for i in energy if i not in present]
    if reached:
        found = found._replace(candidates=(*found.candidates, *(Candidate(m) for m in mind.store.load(reached, question.view))))
    if question.near:
        found = found._replace(candidates=tuple(c for c in found.candidates if c.memory.id != question.near.id))
    return found, energy, joint


def _adjacent(found: Found, ids: list[str]) -> list[Edge]:
    """Ties to what was said just before and after, for the best only."""
    return [Edge(c.memory.id, other, "adjacency") for c in found.candidates if c.memory.id in ids for other in (c.before, c.after) if other]


def likeness(found: Found, identity: str, mind: Mind) -> Callable[[str, str], float | None]:
    """Cosine of two candidates; None where one has no vector. Vectors are read once, when first asked for."""
    pairs: dict[tuple[str, str], float] | None = None

    def similarity(a: str, b: str) -> float | None:
        nonlocal pairs
        if pairs is None:
            near = sorted(found.candidates, key=lambda c: -((c.cosine or 0.0) + c.coverage))[:COMPARED] if identity else []
            pairs = mind.store.alike([c.memory.id for c in near], identity, -2.0) if len(near) > 1 else {}
        return pairs.get((a, b) if a < b else (b, a))

    return similarity


def floor(question: Question, query: Query, ranked: list[Recalled], found: Found, mind: Mind) -> tuple[list[Recalled], list[Withheld]]:
    """What is good enough to be said. Judged on the seeds: without one nothing is returned; with one the rest rides along as far as it scores."""
    gate = mind.config.floor
    opens = gate.opens(found, query)
    if not opens and question.near is None:
        return [], [Withheld(r.id, "below the floor: nothing is close enough to the question", r.score) for r in ranked]
    best = ranked[0].score if ranked else 0.0
    passed, withheld = [], []
    for r in ranked:
        if r.id in opens or gate.rides(r.score, best):
            passed.append(r)
        else:
            withheld.append(Withheld(r.id, "far below the best of this recall", r.score))
    return passed, withheld


def tokens(text: str) -> int:
    """An estimate for any model's tokenizer: four characters a token, one for each beyond ASCII (within 21 % on code, 44 % on notes, measured)."""
    wide = 0 if text.isascii() else sum(c > "\x7f" for c in text)
    return (len(text) - wide) // 4 + wide + 1


def as_then(recalled: Recalled, view: View, mind: Mind) -> Recalled:
    """The text as it stood at `as_of`, when the memory has been revised since."""
    memory = recalled.memory
    if view.as_of is None or memory.version == 1:
        return recalled
    for revision in mind.store.revisions(memory.id):
        if revision.valid_from <= view.as_of < revision.valid_to:
            return recalled._replace(memory=memory._replace(content=revision.content, version=revision.version))
    return recalled


def silence(question: Question, found: Found, withheld: list[Withheld]) -> str:
    """Why nothing is returned: what was searched, and the nearest miss."""
    where = ", ".join(dict.fromkeys(s.level for s in question.view.scopes)) or "no scope"
    if not found.rows:
        return f"nothing is stored in {where} yet" if not question.view.tags else f"nothing in {where} has these tags"
    nearest = next((c.memory for c in found.candidates if withheld and c.memory.id == withheld[0].id), None)
    miss = f'; the nearest miss was {nearest.id} "{nearest.content[:60].strip()}"' if nearest else ""
    count = "1 memory" if found.rows == 1 else f"{found.rows} memories"
    return f"nothing stored answers this: searched {count} in {where}{miss}"


def remember(shown: tuple[Recalled, ...], question: Question, text: str, now: float, mind: Mind) -> None:
    """Count the recall, make it labile, tie what was recalled together. Best effort: a held or read-only file never fails a recall."""
    if not question.reconsolidate:
        return
    from .writes import Count, MarkRecalled
    labile = mind.config.reconsolidation.marks([r.memory for r in shown], now)
    rest = tuple(r.id for r in shown if r.id not in labile)
    step = mind.config.decay.recalled_step
    writes = [MarkRecalled(ids, now, ids is labile, text[:200], step) for ids in (labile, rest) if ids]
    try:
        mind.store.apply([*writes, Count("recalls")])
    except StoreUnavailable:
        return
