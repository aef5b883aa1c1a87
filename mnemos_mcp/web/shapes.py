"""What the page is sent beside the replies that all doors share: whole memories, unrounded shares, times as seconds since 1970."""
from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..explain import Explained, Weighed
from ..model import SECTORS, Edge, Episode, Memory
from ..overview import Curve
from ..render import as_json, plain
from ..results import Page, Timeline
from ..talk import Turn

Shape = dict[str, Any]


def memory(m: Memory, retention: float | None = None) -> Shape:
    """Everything of a memory that a row or a card shows."""
    return {
        "id": m.id, "content": plain(m.content), "scope": m.scope.level, "origin": m.origin, "kind": m.kind, "role": m.role, "key": plain(m.key),
        "tags": [plain(t) for t in m.tags], "status": m.status, "reason": plain(m.reason), "pinned": m.pinned, "protected": m.protected, "version": m.version,
        "importance": m.importance, "retention": retention, "surprisal": m.surprisal, "sectors": dict(zip(SECTORS, m.sectors, strict=False)),
        "affect": {"valence": m.affect.valence, "arousal": m.affect.arousal, "complexity": m.affect.complexity},
        "created_at": m.created_at, "valid_from": m.valid_from, "valid_to": m.valid_to, "superseded_by": m.superseded_by,
        "reinforcements": m.reinforcements, "reinforced_at": m.reinforced_at, "recalls": m.recalls, "recalled_at": m.recalled_at}


def page(p: Page) -> Shape:
    return {"total": p.total, "offset": p.offset, "memories": [memory(m, p.retention.get(m.id)) for m in p.memories]}


def explained(e: Explained) -> Shape:
    """A recall taken apart. `why` is unrounded and sums to the score."""
    return {"candidates": [_weighed(w) for w in e.candidates], "edges": [edge(x) for x in e.edges], "rows": e.rows, "note": plain(e.retrieved.note),
            "tokens": e.tokens, "budget_tokens": e.budget_tokens, "as_of": e.retrieved.as_of, "now": e.retrieved.now, "mode": e.retrieved.mode,
            "scopes": list(e.retrieved.scopes), "recalled": [m.id for m in e.retrieved.memories]}


def _weighed(w: Weighed) -> Shape:
    r = w.recalled
    return {**memory(r.memory, r.retention), "score": r.score, "why": r.why, "energy": r.energy, "tokens": r.tokens, "truncated": r.truncated,
            "gate": w.gate, "gate_reason": plain(w.reason), "evidence": w.evidence, "needed": w.needed, "cosine": w.cosine, "coverage": w.coverage}


def edge(e: Edge) -> Shape:
    return {"a": e.a, "b": e.b, "kind": e.kind, "weight": e.weight}


def timeline(t: Timeline) -> Shape:
    return {"subject": plain(t.subject), "note": plain(t.note), "turns": [
        {"id": x.id, "content": plain(x.content), "valid_from": x.valid_from, "valid_to": x.valid_to, "superseded_by": x.superseded_by, "reason": plain(x.reason),
         "version": x.version, "status": x.status} for x in t.turns]}


def curve(c: Curve) -> Shape:
    return {"memory": memory(c.memory, c.points[0][1]), "points": c.points, "reinforced": c.reinforced, "fades_at": c.fades_at,
            "fades_at_reinforced": c.fades_at_reinforced}


def episode(e: Episode) -> Shape:
    """`surprisal` is None where nobody measured it: a hook and an import put words down without the model."""
    return {"id": e.id, "content": plain(e.content), "role": e.role, "origin": e.origin, "at": e.at, "kind": e.kind, "durable": e.durable,
            "surprisal": None if e.event else e.surprisal, "status": e.status, "memory_id": e.memory_id}


def run(r: Mapping[str, Any], named: Mapping[str, Memory]) -> Shape:
    """A run of sleep with the texts of what it touched, as far as they are still there."""
    diff = r["diff"]

    def text(memory_id: str) -> str:
        return plain(named[memory_id].content) if memory_id in named else ""

    return {"id": r["id"], "at": r["at"], "undone_at": r["undone_at"], "episodes": diff.get("episodes", 0), "settled": len(diff.get("settled", [])),
            "facts": [{"outcome": o, "id": i, "text": text(i), "from": sources} for o, i, sources in diff.get("facts", [])],
            "merged": [{"gone": gone, "kept": kept, "gone_text": text(gone), "kept_text": text(kept)} for gone, kept in diff.get("merged", [])],
            "revised": [{"id": i, "text": text(i)} for i in diff.get("revised", [])],
            "archived": [{"id": i, "text": text(i), "retention": share} for i, share in diff.get("archived", [])]}


def receipt(r: Mapping[str, Any]) -> Shape:
    return {"at": r["at"], "event": r["event"], "chars": r["chars"], "memories": [{**m, "content": plain(m["content"])} for m in r["memories"]]}


def touched(r: Mapping[str, Any]) -> list[str]:
    """Ids of memories in the diff of a run."""
    diff = r["diff"]
    return [*(i for _, i, _ in diff.get("facts", []) if i), *(i for pair in diff.get("merged", []) for i in pair), *diff.get("revised", []),
            *(i for i, _ in diff.get("archived", []))]


def turn(t: Turn, now: float) -> Shape:
    return {"recalled": [{**memory(m.memory, m.retention), "score": m.score, "why": m.why} for m in t.recalled.memories],
            "recall_note": plain(t.recalled.note), "answer": plain(t.answer), "note": plain(t.note),
            "stored": as_json(t.stored, now) if t.stored else None, "reinforced": [as_json(r, now) for r in t.reinforced]}
