"""Results as compact JSON values, the same for every door. Text for people is made from these in prose.py.

What is empty or ordinary is left out: clients put this JSON before the model, so each character costs. Recalled content is
data: what could steer a terminal or hide text (control and direction-changing characters) never appears.
"""
from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from .model import SECTORS, Affect, Memory, Recalled
from .moments import age, iso
from .results import Forgotten, Health, Inspected, Page, Reinforced, Retrieved, Slept, Stats, Stored, Timeline

# C0 and C1 but tab and newline, zero-width space, direction marks and overrides, invisible operators, BOM, interlinear
# marks, tag characters. Joiners (200C, 200D) stay: scripts and emoji need them.
_UNSEEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]")
_BREAKS = re.compile("\r\n?|[\x0b\x0c\x85\u2028\u2029]")
_HALVES = re.compile("[\ud800-\udfff]")
# Never left out, whatever their value.
_ALWAYS = frozenset({"outcome", "stored", "id", "run", "content", "memories", "chain", "checks", "status", "gate"})
Reply = dict[str, Any]


def plain(text: str) -> str:
    """The text without characters that are not to be seen; line ends are newlines, halves of a surrogate pair the replacement mark."""
    return _HALVES.sub("\ufffd", _UNSEEN.sub("", _BREAKS.sub("\n", text)))


def as_json(result: Any, now: float, *, explain: bool = False) -> Reply:
    """The reply of a verb. `now` makes ages; `explain` adds to a recall why each memory was chosen."""
    match result:
        case Stored():
            reply = _stored(result)
        case Retrieved():
            reply = _retrieved(result, result.now or now, explain)
        case Slept():
            reply = _slept(result)
        case Forgotten():
            more = f"; {result.like_more} more" if result.like_more else ""
            note = f"similar text stays in {', '.join(result.like)}{more}: look at them, and erase those that should go too" if result.like else ""
            reply = {"outcome": result.outcome, "id": result.id, "rows": result.rows, "bytes_found": result.bytes_found, "also": list(result.also),
                     "like": list(result.like), "note": note}
        case Inspected():
            reply = _inspected(result, now)
        case Page():
            reply = _page(result, now)
        case Stats():
            reply = _stats(result)
        case Health():
            reply = _health(result)
        case Reinforced():
            reply = {"id": result.id, "signal": result.signal, "status": _unless(result.status, "active"),
                     "salience": _change(result.salience), "retention": _change(result.retention)}
        case Timeline():
            reply = _timeline(result)
        case _:
            raise TypeError(f"no reply for {type(result).__name__}")
    compact: Reply = _compact(reply)
    return compact


def _stored(r: Stored) -> Reply:
    return {"outcome": r.outcome, "stored": r.stored, "id": r.id, "reason": r.reason, "surprisal": _share(r.surprisal), "importance": _share(r.importance),
            "affect": _affect(r.affect), "sectors": _sectors(r.sectors), "scope": r.scope.level if r.scope else "", "project": r.project,
            "superseded": list(r.superseded),
            "possible_conflicts": [{"id": c.id, "content": c.content, "similarity": _share(c.similarity)} for c in r.possible_conflicts],
            "redactions": [{"kind": kind, "count": count} for kind, count in r.redactions], "note": r.note}


def _retrieved(r: Retrieved, now: float, explain: bool) -> Reply:
    return {"memories": [_recalled(m, now, explain) for m in r.memories],
            "searched": {"scopes": list(r.scopes), "mode": r.mode, "as_of": _when(r.as_of), "candidates": r.candidates}, "note": r.note,
            "withheld": [{"id": w.id, "reason": w.reason} for w in r.withheld if explain]}


def _recalled(r: Recalled, now: float, explain: bool) -> Reply:
    m = r.memory
    shown = {"id": m.id, "content": m.content, "score": _share(r.score), "age": age(m.created_at, now), "scope": m.scope.level, **_unusual(m, now),
             "truncated": r.truncated}
    if explain:
        shown |= {"why": shares(r.why, round(r.score * 100)), "importance": _share(m.importance), "retention": _share(r.retention),
                  "valid_from": _when(m.valid_from)}
    return shown


def _unusual(m: Memory, now: float) -> Reply:
    """What sets a memory apart from an ordinary one: active, the agent's own, first version, true by now."""
    return {"valid_from": _when(m.valid_from) if m.valid_from > now else None, "key": m.key, "origin": _unless(m.origin, "agent"),
            "status": _unless(m.status, "active"), "valid_to": _when(m.valid_to),
            "version": _unless(m.version, 1)}


def _slept(r: Slept) -> Reply:
    return {"run": r.run, "episodes": r.episodes,
            "facts": [{"id": f.id, "outcome": f.outcome, "from": list(f.sources), "reason": f.reason} for f in r.facts],
            "merged": [{"gone": gone, "kept": kept} for gone, kept in r.merged], "revised": list(r.revised),
            "archived": [{"id": i, "retention": _share(retention)} for i, retention in r.archived], "pruned": r.pruned, "pending": list(r.pending),
            "waiting": r.waiting, "dry_run": r.dry_run, "undone": r.undone, "note": r.note}


def _inspected(r: Inspected, now: float) -> Reply:
    m = r.memory
    return {"id": m.id, "content": m.content, "scope": m.scope.level, "key": m.key, "tags": list(m.tags), "status": m.status, "reason": m.reason,
            "pinned": m.pinned, "version": m.version, "age": age(m.created_at, now), "valid_from": _when(m.valid_from), "valid_to": _when(m.valid_to),
            "superseded_by": m.superseded_by,
            "retention": {"now": _share(r.retention), **{f"in_{days}_days": _share(left) for days, left in r.ahead.items()},
                          "half_life_days": round(r.half_life_days, 1), "stability_days": round(r.stability_days, 1)},
            "provenance": {"origin": m.origin, "role": m.role, "kind": m.kind, "session": m.session, "stored_at": _when(m.created_at),
                           "episodes": [{"id": i, "role": role, "at": _when(at)} for i, role, at in r.episodes]},
            "signals": {"importance": _share(m.importance), "salience": _share(m.importance * r.retention), "surprisal": _share(m.surprisal),
                        "affect": _affect(m.affect), "sectors": _sectors(m.sectors), "reinforcements": round(m.reinforcements, 2),
                        "recalls": m.recalls, "vectors": r.vectors},
            "revisions": [{"version": v.version, "content": v.content, "valid_from": _when(v.valid_from), "valid_to": _when(v.valid_to),
                           "reason": v.reason} for v in r.revisions],
            "timeline": [{"id": c.id, "content": c.content, "valid_from": _when(c.valid_from), "valid_to": _when(c.valid_to),
                          "superseded_by": c.superseded_by} for c in r.chain if len(r.chain) > 1],
            "edges": [{"id": e.b if e.a == m.id else e.a, "kind": e.kind, "weight": round(e.weight, 2)} for e in r.edges],
            "recalls": [{"at": _when(at), "query": query} for at, query in r.recalls],
            "injections": [{"at": _when(g["at"]), "event": g["event"], "used": m.id in g["used"]} for g in r.receipts],
            "notes": [{"at": _when(at), "signal": what, "note": detail} for at, what, detail in r.notes]}


def _page(r: Page, now: float) -> Reply:
    rows = [{"id": m.id, "content": m.content, "scope": m.scope.level, "age": age(m.created_at, now), **_unusual(m, now), "tags": list(m.tags),
             "pinned": m.pinned, "importance": _share(m.importance), "retention": _share(r.retention.get(m.id))} for m in r.memories]
    after = r.offset + len(rows)
    return {"total": r.total, "showing": len(rows), "offset": r.offset, "memories": rows,
            "note": "; ".join(filter(None, (r.note, f"more with offset {after}" if rows and after < r.total else "")))}


def _stats(r: Stats) -> Reply:
    return {"memories": r.memories, "sectors": shares(r.sectors), "gate": r.gate, "episodes": r.episodes, "recalls": r.recalls,
            "injections": r.injections, "file_bytes": r.file_bytes, **r.extra}


def _health(r: Health) -> Reply:
    checks = [{"name": c.name, "status": c.status, "detail": c.detail, "effect": c.effect, "remedy": c.remedy} for c in r.checks]
    return {"status": r.status, "checks": checks, "versions": r.versions, "paths": r.paths, "differs": r.differs}


def _timeline(r: Timeline) -> Reply:
    return {"subject": r.subject, "chain": [
        {"id": t.id, "content": t.content, "valid_from": _when(t.valid_from), "valid_to": _when(t.valid_to), "superseded_by": _unless(t.superseded_by, t.id),
         "reason": t.reason, "version": _unless(t.version, 1), "status": _unless(t.status, "active")} for t in r.turns], "note": r.note}


def shares(parts: Mapping[str, float], total: int | None = None) -> dict[str, float]:
    """Parts in hundredths that still sum to `total` hundredths (their own sum if None): the largest remainders are rounded up."""
    exact = {name: value * 100 for name, value in parts.items()}
    down = {name: int(value // 1) for name, value in exact.items()}
    short = (round(sum(exact.values())) if total is None else total) - sum(down.values())
    for name in sorted(exact, key=lambda n: exact[n] - down[n], reverse=True)[:max(short, 0)]:
        down[name] += 1
    return {name: value / 100 for name, value in down.items() if value}


def _sectors(weights: Iterable[float]) -> dict[str, float]:
    named = dict(zip(SECTORS, weights, strict=False))
    rounded = shares(named)
    return {name: rounded.get(name, 0.0) for name in named}


def _affect(a: Affect | None) -> dict[str, float] | None:
    return {"valence": _share(a.valence), "arousal": _share(a.arousal), "complexity": _share(a.complexity)} if a else None  # type: ignore[dict-item]


def _change(pair: tuple[float, float]) -> dict[str, float | None]:
    return {"before": _share(pair[0]), "after": _share(pair[1])}


def _share(value: float | None) -> float | None:
    return None if value is None else round(value, 2) + 0.0  # + 0.0: never -0.0


def _when(at: float | None) -> str | None:
    return None if at is None else iso(at)


def _unless(value: Any, ordinary: Any) -> Any:
    return None if value == ordinary else value


def _compact(value: Any) -> Any:
    """Without what is empty or false, all texts plain. Numbers stay: a zero says something."""
    if isinstance(value, str):
        return plain(value)
    if isinstance(value, Mapping):
        kept = {plain(str(k)): _compact(v) for k, v in value.items()}
        return {k: v for k, v in kept.items() if v is not None and (k in _ALWAYS or not _empty(v))}
    if isinstance(value, list | tuple):
        return [_compact(v) for v in value]
    return value


def _empty(value: Any) -> bool:
    return value is False or (isinstance(value, str | list | dict) and not value)
