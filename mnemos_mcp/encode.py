"""ENCODE: a statement is screened, held against what is known, judged, tagged and written. All text enters by this gate.

screen -> embed -> read the nearest -> relate -> gate -> affect, sectors, importance -> one write.
"""
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from .config import MnemosConfig
from .errors import EmbedderUnavailable
from .judgement import Judgement, judge
from .mechanisms.evidence import strip_injected
from .mechanisms.firewall import Refusal
from .mechanisms.supersession import Differs, Known, Same, Updates
from .mind import Embedded, Mind, Plan, Read, Statement
from .model import LONGEST_CONTENT, Edge, Episode, Memory, Search, View
from .moments import iso
from .results import Conflict, Stored
from .writes import AddEpisode, AddMemory, Count, Link, Reinforce, Revise, Shorten, Supersede, Write

ATTEMPTS = 40  # of a store when other processes change the same memory in between


def screened(statement: Statement, mind: Mind) -> tuple[Statement, tuple[tuple[str, int], ...]] | Refusal:
    """Every text field through the firewall. Redactions are counted over all fields."""
    counts: dict[str, int] = {}

    def clean(text: str) -> str | Refusal:
        result = mind.config.firewall.screen(text)
        if isinstance(result, Refusal):
            return result
        for redaction in result.redactions:
            counts[redaction.kind] = counts.get(redaction.kind, 0) + redaction.count
        return result.text

    fields = {"content": statement.content, "key": statement.key, "session": statement.session}
    cleaned: dict[str, Any] = {}
    for name, text in fields.items():
        result = clean(text) if text else text
        if isinstance(result, Refusal):
            return result
        cleaned[name] = result
    if len(str(cleaned["content"])) > LONGEST_CONTENT:
        return Refusal("oversize", f"with its values masked the text has more than {LONGEST_CONTENT:,} characters")
    tags = [clean(tag) for tag in statement.tags if tag.strip()]
    for tag in tags:
        if isinstance(tag, Refusal):
            return tag
    key = " ".join(str(cleaned["key"]).casefold().split())
    return statement._replace(**{**cleaned, "key": key}, tags=tuple(dict.fromkeys(str(t).strip() for t in tags))), tuple(sorted(counts.items()))


def embedded(text: str, mind: Mind) -> Embedded:
    """Vectors of the first windows, or a note why they come later. Never raises for a missing service."""
    if mind.embedder is None:
        return Embedded(windows=1)
    try:
        windows = mind.embedder.windows(text)
        first = windows[:mind.config.capture.windows_at_once]
        vectors = mind.embedder.embed(first, deadline_s=mind.config.capture.embed_deadline_s)
        return Embedded(tuple(vectors), mind.embedder.identity, len(windows))
    except EmbedderUnavailable as reason:
        return Embedded(note=f"found by keyword now, its vector comes later: {reason}")


def read(statement: Statement, vector: Embedded, mind: Mind) -> Read:
    """The one read: nearest by meaning and words in the same scope, same text or key, and the session's running topic."""
    config, store = mind.config, mind.store
    view = View((statement.scope,))
    terms = config.keywords.terms(statement.content)
    found = store.search(Search(view, terms, vector.vectors[0] if vector.vectors else None, vector.identity, config.capture.nearest, rarest=config.capture.words, neighbours=False))
    nearest = sorted(found.candidates, key=lambda c: (-(c.cosine or 0.0), -c.keyword))[:config.capture.nearest * 2]
    known = {c.memory.id: Known(c.memory, c.cosine) for c in nearest}
    for memory in store.same(view, text_hash=config.supersession.text_hash(statement.content), key=statement.key):
        known.setdefault(memory.id, Known(memory, None))
    for memory_id in statement.supersedes:
        for memory in store.find(memory_id, view):
            known.setdefault(memory.id, Known(memory, None))
    topic = store.recent_vectors(statement.session, vector.identity, config.capture.topic) if vector.vectors else []
    return Read(tuple(known.values()), tuple(topic))


def store(statement: Statement, mind: Mind) -> Stored:
    """Keep a statement, or say why not: think once, write once; bounded retries when another process wrote in between."""
    ready = screened_and_embedded(statement, mind)
    if isinstance(ready, Stored):
        return ready
    replies: dict[str, Any] = {}
    for _ in range(ATTEMPTS):
        planned = think(*ready, mind, replies)
        if not planned.writes or mind.store.apply(planned.writes).done:
            return planned.result
    return Stored("refused", "conflict: other processes kept changing the same memory; nothing was written, store it again", scope=statement.scope)


def plan(statement: Statement, mind: Mind) -> Plan:
    """What would be written for a statement. Sleep gathers several plans into one transaction."""
    ready = screened_and_embedded(statement, mind)
    return Plan(ready, ()) if isinstance(ready, Stored) else think(*ready, mind, {})


def screened_and_embedded(statement: Statement, mind: Mind) -> tuple[Statement, Embedded, tuple[tuple[str, int], ...]] | Stored:
    """The statement as it may be kept, its vectors, and what was redacted; or the refusal."""
    own = strip_injected(statement.content)
    if not own and statement.content.strip():
        return Stored("refused", "recalled: it is nothing but what mnemos itself had recalled", scope=statement.scope)
    screen = screened(statement if own == statement.content.strip() else statement._replace(content=own), mind)
    if isinstance(screen, Refusal):
        return Stored("refused", f"{screen.kind}: {screen.reason}", scope=statement.scope)
    vector = embedded(screen[0].content, mind)
    if own != statement.content.strip():
        vector = vector._replace(note="; ".join(filter(None, ("what mnemos itself had recalled was left out of the text", vector.note))))
    return screen[0], vector, screen[1]


def think(statement: Statement, vector: Embedded, redactions: tuple[tuple[str, int], ...], mind: Mind, replies: dict[str, Any]) -> Plan:
    """Read once, judge, and say what to write. `replies` holds the model's reply from a first attempt to the next: it is asked once."""
    seen = read(statement, vector, mind)
    verdict = judge(statement, vector, seen, mind, replies)
    if isinstance(verdict.relation, Same) and not statement.supersedes:
        planned = _reinforce(statement, vector, verdict, seen, mind)
    elif not (verdict.gate.kept or statement.force or statement.addressed):
        planned = _drop(statement, verdict, seen, mind)
    else:
        planned = _keep(statement, vector, verdict, seen, mind)
    note = "; ".join(filter(None, (vector.note, planned.result.note)))
    return Plan(replace(planned.result, redactions=redactions, note=note), planned.writes)


def _episode(statement: Statement, verdict: Judgement, mind: Mind, memory_id: str = "") -> AddEpisode:
    d = verdict.gate.durability
    return AddEpisode(Episode(
        id=mind.new_id(), content=statement.content, project=statement.project, session=statement.session, role=statement.role, origin=statement.origin,
        at=mind.clock(), kind=d.kind, durable=d.durable, surprisal=verdict.gate.surprisal, memory_id=memory_id,
        status="consolidated" if memory_id else "pending"))


def _heard(statement: Statement, verdict: Judgement, mind: Mind, memory_id: str = "") -> list[Write]:
    """The episode of what was said; what sleep itself distils was not said again."""
    return [] if statement.sources else [_episode(statement, verdict, mind, memory_id)]


def _drop(statement: Statement, verdict: Judgement, seen: Read, mind: Mind) -> Plan:
    writes = (*_heard(statement, verdict, mind), Count("dropped"))
    # Where the client's own files say it, a memory that may say otherwise is worth knowing.
    return Plan(Stored("not_news", verdict.gate.reason, surprisal=verdict.gate.surprisal, importance=verdict.importance, affect=verdict.affect,
                  sectors=verdict.sectors, scope=statement.scope, note=verdict.note, possible_conflicts=_conflicts(verdict, seen) if verdict.told else ()), writes)


def _conflicts(verdict: Judgement, seen: Read) -> tuple[Conflict, ...]:
    found = verdict.relation.conflicts if isinstance(verdict.relation, Differs) else ()
    return tuple(Conflict(c_id, next(k.memory.content for k in seen.known if k.memory.id == c_id), cosine) for c_id, cosine in found)


def _reinforce(statement: Statement, vector: Embedded, verdict: Judgement, seen: Read, mind: Mind) -> Plan:
    """Already known: it counts as evidence of use; a fuller wording becomes its next version."""
    relation = verdict.relation
    assert isinstance(relation, Same)
    known = next(k.memory for k in seen.known if k.memory.id == relation.id)
    now = mind.clock()
    writes = [*_heard(statement, verdict, mind, known.id),
              Reinforce(known.id, mind.config.decay.reinforced(known.reinforcements, mind.config.decay.explicit_step) - known.reinforcements, now, "said again"),
              Count("kept")]
    if relation.fuller and relation.fuller != known.content:
        fuller = vector if relation.fuller == statement.content else embedded(relation.fuller, mind)
        writes.append(revision(known, relation.fuller, "the fuller wording of the same fact", fuller, now, mind))
    return Plan(Stored("reinforced", f"already known as {known.id}", id=known.id, surprisal=verdict.gate.surprisal, importance=known.importance,
                       affect=verdict.affect, sectors=verdict.sectors, scope=statement.scope, note=verdict.note), tuple(writes))


def revision(memory: Memory, content: str, reason: str, vector: Embedded, now: float, mind: Mind) -> Revise:
    """The next version of a memory. Vectors are those of the new text, or none yet."""
    return Revise(memory.id, memory.version, content, mind.config.keywords.index(content), mind.config.supersession.text_hash(content), now, reason,
                  vector.vectors, vector.identity, vector.windows)


def _keep(statement: Statement, vector: Embedded, verdict: Judgement, seen: Read, mind: Mind) -> Plan:
    config, now = mind.config, mind.clock()
    relation = verdict.relation
    retired = [k.memory for k in seen.known if isinstance(relation, Updates) and k.memory.id in relation.ids and k.memory.status == "active"]
    valid_from = now if statement.valid_from is None else statement.valid_from
    memory = Memory(
        id=mind.new_id(), content=statement.content, scope=statement.scope, origin=statement.origin, kind=verdict.kind, role=statement.role,  # type: ignore[arg-type]
        key=statement.key or _address(retired), tags=statement.tags, session=statement.session, importance=verdict.importance, surprisal=verdict.gate.surprisal,
        affect=verdict.affect, sectors=verdict.sectors, pinned=statement.pinned, created_at=now, valid_from=valid_from, reinforced_at=max(now, 0.0))
    reason = relation.reason if isinstance(relation, Updates) else ""
    writes: list[Write] = [Supersede(old.id, memory.id, config.supersession.retire(old, valid_from), reason, old.version) for old in retired]
    history = _backdated(retired, valid_from, mind)
    writes += history
    writes += [AddMemory(memory, config.keywords.index(memory.content), config.supersession.text_hash(memory.content), vector.vectors, vector.identity, vector.windows),
               *_heard(statement, verdict, mind, memory.id), Count("kept"), Link(_likeness(memory, seen, retired, config))]
    return Plan(Stored("superseded" if retired else "stored", reason or verdict.gate.reason, id=memory.id, surprisal=verdict.gate.surprisal,
                  importance=memory.importance, affect=memory.affect, sectors=memory.sectors, scope=memory.scope,
                  superseded=tuple(m.id for m in retired), possible_conflicts=_conflicts(verdict, seen),
                  note="; ".join(filter(None, (verdict.note, _moment(memory, retired, history, now))))), tuple(writes))


def _address(retired: Sequence[Memory]) -> str:
    """The key that the retired had, if it was one: the newer value is found under the old address, and the next value under it retires this one."""
    keys = {memory.key for memory in retired if memory.key}
    return keys.pop() if len(keys) == 1 else ""


def _moment(memory: Memory, retired: Sequence[Memory], history: Sequence[Write], now: float) -> str:
    """What a `valid_from` that is not now means for what is known: nobody should find out by a changed timeline."""
    if memory.valid_from > now:
        until = f"; what it retires ({', '.join(m.id for m in retired)}) is true until then: ask with as_of" if retired else ""
        return f"it becomes true only at {iso(memory.valid_from)}; it is recalled from now on, with that date{until}"
    hidden = [m.id for m in retired if memory.valid_from <= m.valid_from]
    cut = [w.id for w in history if isinstance(w, Shorten)]
    if not (hidden or cut):
        return ""
    parts = [f"never true any more: {', '.join(hidden)}" if hidden and memory.valid_from < now else "", f"ending earlier: {', '.join(cut)}" if cut else ""]
    said = "; ".join(filter(None, parts))
    return f"backdated to {iso(memory.valid_from)}, which rewrites what was true since: {said}" if said else ""


def _backdated(retired: Sequence[Memory], valid_from: float, mind: Mind) -> list[Write]:
    """A value that began before the one it retires also cuts what came before that, so that each moment has one truth."""
    writes: list[Write] = []
    for old in retired:
        if valid_from < old.valid_from:
            chain = [member for member, _ in mind.store.chain(old)]
            ends = mind.config.supersession.settle(chain, valid_from)
            writes += [Shorten(m.id, ends[m.id]) for m in chain if m.status == "superseded" and m.valid_to != ends[m.id]]
    return writes


def _likeness(memory: Memory, seen: Read, retired: Sequence[Memory], config: MnemosConfig) -> tuple[Edge, ...]:
    """Edges to the nearest that are like it, the strongest few."""
    gone = {m.id for m in retired}
    near = sorted(((k.cosine, k.memory.id) for k in seen.known if k.cosine is not None and k.memory.id not in gone
                   and k.cosine >= config.activation.likeness), reverse=True)[:config.activation.fan_out]
    return tuple(Edge(memory.id, other, "likeness", round(cosine, 4)) for cosine, other in near)
