"""MAINTAIN: episodes become facts, labile memories are revised, the same fact twice becomes one, what has faded is archived.

A run is gathered whole and written once: it is there or it is not, and it can be undone.
"""
from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from . import encode
from .episode import UNJUDGED
from .errors import BadInput, EmbedderUnavailable, LLMUnavailable, NotFound
from .keeping import DAY_S, leaving
from .mechanisms.consolidation import Fact
from .mechanisms.due import Moment
from .mechanisms.evidence import least_trusted, unsaid
from .mechanisms.lasting import lasting
from .mechanisms.waiting import reasons
from .mind import Mind, Statement
from .model import LONGEST_CONTENT, Episode, Scope, View
from .results import FactOutcome, Slept
from .writes import AddMemory, AddVectors, JudgeEpisode, Keep, Move, RecordRun, Reinforce, Revise, SettleEpisodes, Supersede, UndoRun, Write

BATCH = 16  # memories embedded at once in the background
WAITING_DAYS = 7  # chatter stays pending so long where no model reads it
SHOWN = 50  # pending episodes that a reply hands to the agent
SLEEP_DEADLINE_S = 60.0  # a model may take its time in sleep: nobody waits


@dataclass(frozen=True, slots=True)
class Night:
    """What a run is about: the project's episodes, the scope its facts go to, and facts that the agent has distilled."""

    project: str
    scope: Scope
    facts: tuple[Mapping[str, Any], ...] = ()
    dry_run: bool = False


@dataclass
class Gathered:
    """The writes of a run so far and what they touch. No memory is touched twice in one run."""

    verdicts: list[Write] = field(default_factory=list)
    writes: list[Write] = field(default_factory=list)
    touched: set[str] = field(default_factory=set)
    added: dict[str, str] = field(default_factory=dict)  # text or key of a memory that the run adds -> its id
    settles: dict[str, str] = field(default_factory=dict)
    outcomes: list[FactOutcome] = field(default_factory=list)
    merged: list[tuple[str, str]] = field(default_factory=list)
    revised: list[str] = field(default_factory=list)
    archived: list[tuple[str, float]] = field(default_factory=list)
    note: str = ""
    unheard: bool = False  # the model did not answer

    def take(self, writes: Sequence[Write]) -> bool:
        """Add these unless one of them changes a memory that the run changes already."""
        ids = {_subject(w) for w in writes} - {""}
        marks = {mark: w.memory.id for w in writes if isinstance(w, AddMemory) for mark in _marks(w)}
        if ids & self.touched or marks.keys() & self.added.keys():
            return False
        self.touched |= ids
        self.added |= marks
        self.writes += writes
        return True


def _subject(write: Write) -> str:
    match write:
        case Supersede(id=memory_id) | Revise(id=memory_id) | Reinforce(id=memory_id) | Move(id=memory_id):
            return memory_id
        case _:
            return ""


def _marks(write: AddMemory) -> list[str]:
    """What only one active memory of a scope may have."""
    return [f"text {write.memory.scope} {write.text_hash}", *([f"key {write.memory.scope} {write.memory.key}"] if write.memory.key else [])]


def consolidate(night: Night, mind: Mind) -> Slept:
    """One run. With nothing to write, nothing is written: a repeat run is empty."""
    episodes, verdicts = judged(mind.store.episodes(project=night.project), mind)
    run = Gathered(verdicts=verdicts)
    facts = _facts(night, episodes, run, mind)
    if run.unheard:  # one failure of the model is enough for a run: every fact would wait for it again
        mind = replace(mind, llm=None)
    for fact in facts or ():
        _encode(fact, night, episodes, run, mind)
    if facts is not None and not night.facts:
        _settle_rest(facts, episodes, run, mind)
    _revise(night, episodes, run, mind)
    _merge(night, run, mind)
    _fade(night, run, mind)
    return _commit(night, episodes, run, mind)


def judged(episodes: Sequence[Episode], mind: Mind) -> tuple[list[Episode], list[Write]]:
    """What hooks put down unread, read now: its kind, and of what lasts the part that does. Each is judged once: the verdicts are written with the
    run, not before it, because until its fact is there the unread episode is what a brief tells."""
    gate = mind.config.surprisal
    read: list[Episode] = []
    verdicts: list[Write] = []
    for episode in episodes:
        if episode.kind == UNJUDGED:
            part = lasting(episode.content, lambda text, role=episode.role: gate.classify(text, role).durable)  # type: ignore[misc]
            durability = gate.classify(part or episode.content, episode.role)
            durable = bool(part) and durability.durable
            verdicts.append(JudgeEpisode(episode.id, durability.kind if durable else "", durable, episode.surprisal))
            episode = episode._replace(content=part if durable else episode.content, kind=durability.kind if durable else "", durable=durable)
        read.append(episode)
    return read, verdicts


def _facts(night: Night, episodes: Sequence[Episode], run: Gathered, mind: Mind) -> list[Fact] | None:
    """What was said, as facts: by the agent, by the model, or extracted. None: the model failed and nothing is settled."""
    sleep = mind.config.sleep
    if night.facts:
        return [_given(fact, episodes) for fact in night.facts]
    prompt = sleep.prompt(episodes) if mind.llm is not None and episodes else ""
    if mind.llm is None or not prompt:
        return sleep.distil(episodes)
    try:
        distilled = sleep.read(mind.llm.ask(prompt, {"type": "object", "properties": sleep.schema()}, deadline_s=SLEEP_DEADLINE_S), episodes)
    except LLMUnavailable as reason:
        run.note, run.unheard = f"extracted by rule: {reason}", True
        return sleep.distil(episodes)
    if distilled is None:
        run.note = "failed: the model's reply was of the wrong shape; every episode is kept for the next run"
        return None
    run.outcomes += [FactOutcome("refused", "", (), reason) for _, reason in distilled.rejected]
    return list(distilled.facts)


def _given(fact: Mapping[str, Any], episodes: Sequence[Episode]) -> Fact:
    """A fact as the agent gives it. Raises BadInput for an empty or endless text or an episode that is not pending here."""
    content = str(fact.get("content", "")).strip()
    if not 1 <= len(content) <= LONGEST_CONTENT:
        raise BadInput(f"each fact needs a content of 1 to {LONGEST_CONTENT:,} characters.")
    given = fact.get("from") or []
    sources = tuple(str(s) for s in ([given] if isinstance(given, str) else given))
    known = {e.id for e in episodes}
    for source in sources:
        if source not in known:
            raise BadInput(f"episode '{source[:40]}' is not pending in this project; pending ids come from a call without facts.")
    return Fact(content, "", sources, str(fact.get("key") or ""), fact.get("importance") or "auto")


def _encode(fact: Fact, night: Night, episodes: Sequence[Episode], run: Gathered, mind: Mind) -> None:
    sources = [e for e in episodes if e.id in fact.sources]
    origin = least_trusted([e.origin for e in sources]) if sources else "agent"
    invented = unsaid(fact.content, [e.content for e in sources]) if sources else ()
    if invented:
        run.outcomes.append(FactOutcome("refused", "", fact.sources, f"not said in its episodes: {', '.join(invented[:5])}"))
        return
    kind = fact.kind or mind.config.surprisal.classify(fact.content).kind or "fact"
    statement = Statement(content=fact.content, scope=night.scope, origin=origin, project=night.project, key=fact.key, importance=fact.importance,  # type: ignore[arg-type]
                          session=sources[-1].session if sources else "", kind=kind, sources=fact.sources or ("given",),
                          valid_from=sources[-1].at if sources else None)
    planned = encode.plan(statement, mind)
    result = planned.result
    twin = next((run.added[mark] for w in planned.writes if isinstance(w, AddMemory) for mark in _marks(w)[:1] if mark in run.added), "")
    if twin:
        run.outcomes.append(FactOutcome("reinforced", twin, fact.sources, "said twice in this run"))
        run.settles.update(dict.fromkeys((s.id for s in sources), twin))
        return
    if result.stored and not run.take(planned.writes):
        run.outcomes.append(FactOutcome("refused", "", fact.sources, "another fact of this run changes the same memory; its episodes stay for the next"))
        return
    run.outcomes.append(FactOutcome(result.outcome, result.id, fact.sources, result.reason))
    if result.stored or result.outcome == "not_news":  # known elsewhere: nothing waits for it
        run.settles.update(dict.fromkeys(fact.sources, result.id))


def _settle_rest(facts: Sequence[Fact], episodes: Sequence[Episode], run: Gathered, mind: Mind) -> None:
    """Chatter that a model has read is settled with its run; without one it stays a week for the agent to distil. A durable episode waits for its fact."""
    used = {s for fact in facts for s in fact.sources}
    until = mind.clock() - (0.0 if mind.llm is not None else WAITING_DAYS * DAY_S)
    for episode in episodes:
        if episode.id not in used and not episode.durable and episode.at <= until:
            run.settles[episode.id] = ""


def _revise(night: Night, episodes: Sequence[Episode], run: Gathered, mind: Mind) -> None:
    """Labile memories that a newer episode changes become their next version."""
    rag, now = mind.config.reconsolidation, mind.clock()
    _, recent = mind.store.browse(View((night.scope,)), limit=rag.max_labile, order="accessed")
    for memory in recent:
        last = max((r.valid_to for r in mind.store.revisions(memory.id)), default=None)
        if not rag.labile(memory, now, last) or memory.id in run.touched:
            continue
        newer = [e for e in episodes if e.at >= memory.created_at and e.id not in {s for o in run.outcomes for s in o.sources}]
        revised = rag.revise(memory, newer)
        if revised is None:
            continue
        change = encode.revision(memory, revised.content, revised.reason, encode.embedded(revised.content, mind), now, mind)
        if run.take([change]):
            run.revised.append(memory.id)
            run.settles.update(dict.fromkeys(revised.episode_ids, memory.id))


def _merge(night: Night, run: Gathered, mind: Mind) -> None:
    """The same fact in several memories becomes the fullest one; the result does not depend on order."""
    now = mind.clock()
    try:
        identity = mind.embedder.identity if mind.embedder else ""
    except EmbedderUnavailable as reason:
        run.note = "; ".join(filter(None, (run.note, f"doubles were not looked for: {reason}")))
        return
    _, memories = mind.store.browse(View((night.scope,)), limit=-1, order="sequence")
    alike = mind.store.alike([m.id for m in memories if m.id not in run.touched], identity, mind.config.sleep.same_from) if identity else {}
    close = {memory_id for pair in alike for memory_id in pair}
    by_id = {m.id: m for m in memories if m.id in close}
    for group in mind.config.sleep.duplicates(list(by_id.values()), lambda a, b: alike.get((min(a.id, b.id), max(a.id, b.id)))):
        for other in group.others:
            memory = by_id[other]
            if run.take([Supersede(other, group.representative, max(now, memory.valid_from), "the same fact as its successor", memory.version)]):
                run.merged.append((other, group.representative))


def _fade(night: Night, run: Gathered, mind: Mind) -> None:
    """Faded, past its retention days, or beyond the cap: to the archive, restorable."""
    decay, now = mind.config.decay, mind.clock()
    _, memories = mind.store.browse(View((night.scope,)), limit=-1, order="sequence")
    coming = sum(isinstance(w, AddMemory) for w in run.writes)
    for memory, reason in leaving([m for m in memories if m.id not in run.touched], mind.govern(night.scope), decay, now, room=coming):
        retention = decay.retention(memory, now)
        if run.take([Move(memory.id, "archived", reason, now, retention)]):
            run.archived.append((memory.id, retention))


def _commit(night: Night, episodes: Sequence[Episode], run: Gathered, mind: Mind) -> Slept:
    now = mind.clock()
    left = [e for e in episodes if e.id not in run.settles]
    pending = tuple({"id": e.id, "role": e.role, "text": str(e.content)} for e in left[:SHOWN])
    refused = {source for outcome in run.outcomes if outcome.outcome == "refused" for source in outcome.sources}
    slept = Slept(episodes=len(episodes), facts=tuple(run.outcomes), merged=tuple(run.merged), revised=tuple(run.revised), archived=tuple(run.archived),
                  pruned=len(run.settles), pending=pending, waiting=reasons(left, refused, WAITING_DAYS),
                  dry_run=night.dry_run, note=run.note)
    if night.dry_run or not (run.writes or run.settles):
        if run.verdicts and not night.dry_run:
            mind.store.apply(run.verdicts)
        return slept
    run_id = mind.new_id()
    settles = [SettleEpisodes((episode,), memory) for episode, memory in run.settles.items()]
    diff = {"episodes": len(episodes), "facts": [[o.outcome, o.id, list(o.sources)] for o in run.outcomes], "merged": run.merged, "revised": run.revised,
            "archived": run.archived, "settled": list(run.settles)}
    record = RecordRun(run_id, now, night.project, diff, tuple(sorted(run.touched)), tuple(w.memory.id for w in run.writes if isinstance(w, AddMemory)),
                       tuple(run.settles.items()))
    applied = mind.store.apply([record, *run.verdicts, *run.writes, *settles, Keep(f"slept:{night.project}", repr(now))])
    if not applied.done:
        return replace(slept, facts=(), merged=(), revised=(), archived=(), pruned=0,
                       note="another process changed the same memories meanwhile; nothing was written, run it again")
    return replace(slept, run=run_id)


def undo(run_id: str, mind: Mind) -> Slept:
    """Memories and episodes as they were before the run."""
    applied = mind.store.apply([UndoRun(run_id, mind.clock())])
    if not applied.done:
        raise NotFound(f"Run '{run_id[:40]}' cannot be undone: what it changed has been changed again since ({applied.stale[0]}).")
    return Slept(undone=run_id)


def sleep_if_due(projects: Sequence[str], mind: Mind, moment: Moment = "idle") -> bool:
    """Sleep when the contract says it is due. `projects`: identities that count as one, the first to write to; none: what belongs to no project.
    True if a run was written."""
    head = projects[0] if projects else ""
    pending = [identity for identity in projects or ("",) if mind.store.episodes(project=identity, limit=1)]
    waiting = sum(len(mind.store.episodes(project=identity, limit=200)) for identity in pending)
    last = float(mind.store.kept(f"slept:{head}") or 0.0)
    if not waiting or not mind.config.sleep.due(waiting, mind.clock() - last, moment):
        return False
    scope = Scope("project", head) if head else Scope("global")
    runs = [consolidate(Night(identity, scope), mind).run for identity in dict.fromkeys((head, *pending))]
    return any(runs)


def backfill(mind: Mind, *, limit: int = BATCH, progress: Callable[[int], None] | None = None) -> int:
    """Vectors for memories that lack them by the embedder in use. Returns how many were completed; 0 when all is done or it cannot be."""
    if mind.embedder is None:
        return 0
    try:
        identity = mind.embedder.identity
        done = 0
        for memory, _ in mind.store.unembedded(identity, limit):
            windows = mind.embedder.windows(memory.content)
            vectors = mind.embedder.embed(windows)
            done += mind.store.apply([AddVectors(memory.id, memory.version, identity, tuple(vectors), len(windows))]).done
            if progress:
                progress(1)
        return done
    except EmbedderUnavailable:
        return 0


