"""Query to candidates: vectors and words, both searched inside scope, validity and tags, never filtered after the cut."""
from __future__ import annotations

import heapq
from collections.abc import Sequence
from typing import Any

import apsw

from ..mechanisms.keywords import Keywords
from ..model import Candidate, Found, Search, View
from .rows import COLUMNS, memory_of
from .statement import fetch
from .vectors import VectorSearch

NEIGHBOURED = 10  # best of each list whose session neighbours join the candidates
COMMON = 200  # memories
REACH = 3  # turns to each side


def inside(view: View, alias: str = "m") -> tuple[str, list[Any]]:
    """The gates of every read as SQL over the memory table."""
    names = [str(scope) for scope in view.scopes]
    sql = f"{alias}.scope in ({','.join('?' * len(names))})"
    args: list[Any] = list(names)
    if view.as_of is None:
        sql += f" and {alias}.status = 'active'"
    else:
        sql += f" and {alias}.status <> 'archived' and {alias}.valid_from <= ? and ({alias}.valid_to is null or {alias}.valid_to > ?)"
        args += [view.as_of, view.as_of]
    for tag in view.tags:
        sql += f" and exists (select 1 from tag t where t.n = {alias}.n and t.tag = ?)"
        args.append(tag)
    return sql, args


def by_words(db: apsw.Connection, query: Search, visible: int, mean_length: float, keywords: Keywords) -> tuple[dict[int, float], dict[str, dict[int, float]], dict[str, float]]:
    """BM25 of every visible row that shares a term, the rows of each term, and its rarity over the visible rows."""
    where, args = inside(query.view)
    score: dict[int, float] = {}
    found: dict[str, dict[int, float]] = {}
    rarity: dict[str, float] = {}
    # Keywords.bm25 without the rarity, which is known only when the rows are counted.
    k1, b = keywords.k1, keywords.b
    worth = f"count(*) * {k1 + 1} / (count(*) + {k1} * ({1 - b} + {b / max(mean_length, 1e-9)} * m.length))"
    # cross join: the postings of a term lead; the planner would rather scan them again for every visible row.
    sql = f"select m.n, {worth} from fts_at i cross join memory m on m.n = i.doc where i.term = ? and {where} group by m.n"
    for term in _rarest(db, query.terms, query.rarest) if query.rarest else query.terms:
        found[term] = hits = dict(fetch(db, sql, [term, *args]))
        rarity[term] = idf = keywords.idf(len(hits), visible, term)
        for n, share in hits.items():
            score[n] = score.get(n, 0.0) + idf * share
    return score, found, rarity


def _rarest(db: apsw.Connection, terms: Sequence[str], count: int) -> list[str]:
    """The rarest terms in the whole file, none that stands in more than COMMON memories: those tell nothing apart and cost most."""
    known = [(found[0][0], term) for term in terms if (found := fetch(db, "select doc from fts_row where term = ?", [term])) and found[0][0] <= COMMON]
    return [term for _, term in sorted(known)[:count]]


def beside(db: apsw.Connection, view: View, rows: Sequence[int]) -> tuple[dict[int, int], dict[int, int]]:
    """What was stored just before and just after each row in its session, inside the view, REACH turns to both sides."""
    where, args = inside(view)
    before: dict[int, int] = {}
    after: dict[int, int] = {}
    for sign, order, link, back in (("<", "desc", before, after), (">", "asc", after, before)):
        sql = (f"select m.n from memory m indexed by memory_session where m.session = (select nullif(session, '') from memory where n = ?) and m.n {sign} ? and {where} "
               f"order by m.n {order} limit {REACH}")
        for n in rows:
            here = n
            for (other,) in fetch(db, sql, [n, n, *args]):
                link[here], back[other] = other, here
                here = other
    return before, after


def search(db: apsw.Connection, query: Search, vectors: VectorSearch, keywords: Keywords) -> Found:
    """The best by each list with their neighbours, every figure filled in for each of them."""
    where, args = inside(query.view)
    visible, mean_length, listed = fetch(db, f"select count(*), avg(m.length), group_concat(m.n) from memory m where {where}", args)[0]
    if not visible:
        return Found(())
    near = vectors.near(db, query.vector, query.identity, where, args, listed) if query.vector is not None else None
    words, found, rarity = by_words(db, query, visible, mean_length or 1.0, keywords)
    best_words = heapq.nlargest(query.limit, words, key=words.__getitem__)
    best_near = near.best(query.limit) if near else []
    before, after = beside(db, query.view, list(dict.fromkeys(best_near[:NEIGHBOURED] + best_words[:NEIGHBOURED])) if query.neighbours else [])
    chosen = list(dict.fromkeys([*best_near, *best_words, *before, *after]))
    memories = {row[-1]: memory_of(row) for row in db.execute(f"select {COLUMNS} from memory m where m.n in ({','.join('?' * len(chosen))})", chosen)}
    ids = {n: memory.id for n, memory in memories.items()}
    cosines = near.of(list(memories)) if near else {}
    matched = {n: tuple(term for term, hits in found.items() if n in hits) for n in memories}
    candidates = tuple(
        Candidate(memory, cosines.get(n), words.get(n, 0.0), keywords.coverage(matched[n], rarity), matched[n],
                  ids.get(before.get(n, 0), ""), ids.get(after.get(n, 0), ""))
        for n, memory in memories.items())
    return Found(candidates, visible, *(near.spread() if near else (0.0, 0.0)), rarity)
