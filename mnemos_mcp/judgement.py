"""One judgement of a statement: by the rules, or by the model's single reply where there is one.

All mechanisms that need judgement put their questions into one prompt and read their part of one reply; whatever the model
leaves out or gets wrong is the rule's.
"""
from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .errors import EmbedderUnavailable, LLMUnavailable
from .mechanisms.routines import ROUTINES
from .mechanisms.supersession import Differs, New, Same, Updates
from .mechanisms.surprisal import Durability, Verdict
from .mechanisms.vectors import cosine, mean
from .mechanisms.wording import content_set
from .model import IMPORTANCE_LEVELS, Affect
from .writes import Keep

if TYPE_CHECKING:
    from .mind import Embedded, Mind, Read, Statement

PREDICTION = {"type": "object", "properties": {"prediction": {"type": "string"}}, "required": ["prediction"]}
ROUTINE_DEADLINE_S = 10.0  # once a file; half a second on a quiet machine
ROUTINE_TRIES = 3
WITHOUT_ROUTINES = "without routines"  # in the mind's cache: why the gate judges without them, for health
MOST_TOLD = 256  # wordings of the client's memory files whose vectors are kept
NEW_WORDS = 3  # words of substance from which a statement is more than the routine that it resembles


@dataclass(frozen=True, slots=True)
class Judgement:
    gate: Verdict
    relation: Same | Updates | Differs | New
    affect: Affect
    sectors: tuple[float, ...]
    importance: float
    kind: str
    note: str = ""
    told: str = ""  # the client's own memory file that says so already


def judge(statement: Statement, vector: Embedded, seen: Read, mind: Mind, replies: dict[str, Any]) -> Judgement:
    """Everything that must be decided about a statement before it is written."""
    config, text = mind.config, statement.content
    if "reply" not in replies:
        replies["reply"], replies["note"] = _ask(statement, seen, mind)
    reply, note = replies["reply"], replies["note"]
    durability = _durability(statement, reply, mind)
    relation = config.supersession.relate(text, seen.known, key=statement.key, supersedes=_full_ids(statement, seen),
                                          judged=config.supersession.read(reply, seen.known) if reply else None, likeness=_likeness(seen, vector, mind))
    if not durability.durable and _heard_as(statement) == "user" and (why := config.supersession.news(text, seen.known, relation)):
        durability = Durability("correction", True, True, why)
    gate = _gate(statement, vector, seen, relation, durability, mind)
    told = _told(statement, vector, relation, mind) if gate.kept else ""
    if told:
        gate = Verdict(False, 0.0, Durability("", False, False, f"{told} already says so"), f"{told} already says so")
    importance = IMPORTANCE_LEVELS.get(statement.importance) or (config.surprisal.read_importance(reply) if reply else None) \
        or config.surprisal.importance(durability, gate.surprisal)
    return Judgement(gate, relation, (config.affect.read(reply) if reply else None) or config.affect.feel(text),
                     (config.sectors.read(reply) if reply else None) or config.sectors.weigh(text), importance, durability.kind or "note", note, told)


def _told(statement: Statement, vector: Embedded, relation: Any, mind: Mind) -> str:
    """The client's own memory file that says this already. Whoever insists is not asked, and what changes or repeats a memory is that memory's news."""
    if mind.files is None or statement.force or statement.addressed or not isinstance(relation, New | Differs):
        return ""
    # What holds beyond its project is news wherever the project's own files do not reach.
    project = statement.project if statement.scope.level == "project" else ""
    return mind.files.say(statement.content, project, alike=_alike(statement.content, vector, mind))


def _alike(text: str, vector: Embedded, mind: Mind) -> Callable[[str, str], bool] | None:
    """Whether two wordings mean the same, by the contract's cosine; asked seldom, so that each wording is embedded when it is first asked about."""
    embedder = mind.embedder
    if embedder is None or not vector.vectors:
        return None
    kept: dict[str, Any] = mind.cache.setdefault(f"told:{vector.identity}", {})

    def of(wording: str) -> Any:
        if len(kept) > MOST_TOLD:
            kept.clear()
        if wording not in kept:
            kept[wording] = embedder.embed([wording], deadline_s=mind.config.capture.embed_deadline_s)[0]
        return kept[wording]

    def alike(said: str, told: str) -> bool:
        try:
            return cosine(vector.vectors[0] if said == text else of(said), of(told)) >= mind.config.supersession.same_from
        except EmbedderUnavailable:
            return False

    return alike


def _likeness(seen: Read, vector: Embedded, mind: Mind) -> Callable[[str, str], float] | None:
    """Cosine of two known memories, read only if the relation asks for one."""
    if not vector.vectors:
        return None
    loaded: dict[str, Any] = {}

    def likeness(a: str, b: str) -> float:
        if not loaded:
            loaded.update(mind.store.vectors_of([k.memory.id for k in seen.known], vector.identity))
        return cosine(loaded[a], loaded[b]) if a in loaded and b in loaded else -1.0

    return likeness


def _full_ids(statement: Statement, seen: Read) -> tuple[str, ...]:
    """`supersedes` may hold prefixes; what the read found is what they mean."""
    return tuple(k.memory.id for k in seen.known if any(k.memory.id.startswith(p) for p in statement.supersedes))


def _durability(statement: Statement, reply: dict[str, Any] | None, mind: Mind) -> Durability:
    """What kind of statement it is. Whoever insists (force, an address) says that it matters: then it is a plain fact at the least."""
    if statement.kind:
        return Durability(statement.kind, True, True, "distilled from what was said")
    gate = mind.config.surprisal
    found = (gate.read(reply) if reply else None) or gate.classify(statement.content, _heard_as(statement))
    insisted = statement.force or statement.addressed
    return Durability("fact", True, False, "kept on request") if insisted and not found.durable else found


def _heard_as(statement: Statement) -> str:
    """Tool output is an episode by its door; what somebody chose to store is a statement whatever role it quotes."""
    return "tool" if statement.origin == "tool" else "user"


def _gate(statement: Statement, vector: Embedded, seen: Read, relation: Any, durability: Durability, mind: Mind) -> Verdict:
    """What contradicts or updates the known is not predicted by it, however alike the words are; the same fact is."""
    observed = vector.vectors[0] if vector.vectors else None
    others = [] if observed is None else [*_topic(statement, seen, relation), *_expected(statement, vector, mind)]
    routine, says_more = _routine(statement, observed, mind)
    verdict = mind.config.surprisal.judge(statement.content, observed, [*routine, *others], durability=durability)
    if says_more and not verdict.kept and durability.durable:
        verdict = verdict._replace(kept=mind.config.surprisal.judge(statement.content, observed, others, durability=durability).kept,
                                   reason=f"{durability.kind}: it says more than the routine remark that it resembles")
    if isinstance(relation, Same):
        cosine = next((k.cosine for k in seen.known if k.memory.id == relation.id and k.cosine is not None), 1.0)
        return Verdict(verdict.kept, min(verdict.surprisal, max(0.0, 1.0 - cosine)), verdict.durability, verdict.reason)
    return verdict


def _topic(statement: Statement, seen: Read, relation: Any) -> list[Any]:
    """The running topic predicts what adds no word to it. A new number, name or word of substance is what a topic cannot foresee."""
    if not seen.topic or not isinstance(relation, New | Same):
        return []
    said = frozenset().union(*(content_set(k.memory.content) for k in seen.known))
    return [] if content_set(statement.content) - said else [mean(seen.topic)]


def _routine(statement: Statement, observed: Any, mind: Mind) -> tuple[list[Any], bool]:
    """The routine utterance that comes nearest, and whether the statement says much that it does not.

    The built-in model places short texts of languages it hardly knows close together: there likeness alone would take any of them for routine.
    """
    table = routines(mind) if observed is not None else []
    if not len(table):
        return [], False
    nearest = int((table @ observed).argmax())
    return [table[nearest]], len(content_set(statement.content) - content_set(ROUTINES[nearest])) >= NEW_WORDS


def routines(mind: Mind) -> Any:
    """(utterances, dimensions) of unit vectors: those of the routine utterances by this embedder, from the file, else embedded once and kept there."""
    import numpy as np
    embedder = mind.embedder
    if embedder is None:
        return []
    name = f"routines:{embedder.identity}:{hashlib.sha256(chr(10).join(ROUTINES).encode()).hexdigest()[:12]}"
    if (cached := mind.cache.get(name)) is None and (cached := _kept_routines(name, mind)) is None:
        try:
            cached = np.stack(embedder.embed(list(ROUTINES), deadline_s=ROUTINE_DEADLINE_S)).astype(np.float32)
            mind.store.apply([Keep(name, base64.b64encode(cached.tobytes()).decode())])
            mind.cache.pop(WITHOUT_ROUTINES, None)
        except EmbedderUnavailable as reason:
            tries = mind.cache[f"{name}:tries"] = mind.cache.get(f"{name}:tries", 0) + 1
            mind.cache[WITHOUT_ROUTINES] = str(reason)
            cached = np.zeros((0, 0), dtype=np.float32)
            if tries < ROUTINE_TRIES:
                return cached  # else the rule goes on without them until the next process
    mind.cache[name] = cached
    return cached


def _kept_routines(name: str, mind: Mind) -> Any:
    """What an earlier process embedded; None when there is nothing that can be read."""
    import numpy as np
    kept = mind.store.kept(name)
    try:
        return np.frombuffer(base64.b64decode(kept), dtype=np.float32).reshape(len(ROUTINES), -1) if kept else None
    except ValueError:  # damaged: made again
        return None


def _expected(statement: Statement, vector: Embedded, mind: Mind) -> list[Any]:
    """The model's guess of this message, made after the turn before and embedded then."""
    if mind.llm is None or not statement.session:
        return []
    import numpy as np
    kept = mind.store.kept(f"expected:{statement.session}")
    identity, _, data = kept.partition(" ")
    if not data or identity != vector.identity.replace(" ", "_"):
        return []
    return [np.frombuffer(base64.b64decode(data), dtype=np.float32)]


def expect(session: str, turns: list[str], mind: Mind) -> bool:
    """Ask the model what comes next and keep the guess's vector for the next message of this session. Runs after a reply, never in it."""
    if mind.llm is None or mind.embedder is None or not turns:
        return False
    import numpy as np
    gate = mind.config.surprisal
    try:
        reply = mind.llm.ask(gate.prediction_prompt(turns), PREDICTION, deadline_s=mind.config.capture.judge_deadline_s)
        guess = gate.read_prediction(reply)
        if not guess:
            return False
        vector = mind.embedder.embed([mind.config.firewall.redact(guess)])[0]
    except (LLMUnavailable, EmbedderUnavailable):
        return False
    data = base64.b64encode(np.asarray(vector, dtype=np.float32).tobytes()).decode()
    mind.store.apply([Keep(f"expected:{session}", f"{mind.embedder.identity.replace(' ', '_')} {data}")])
    return True


def _ask(statement: Statement, seen: Read, mind: Mind) -> tuple[dict[str, Any] | None, str]:
    """One call, one schema for every mechanism; the note names the fallback."""
    if mind.llm is None:
        return None, ""
    config = mind.config
    parts = (config.surprisal.prompt(statement.content), config.affect.prompt(statement.content), config.sectors.prompt(statement.content),
             config.supersession.prompt(statement.content, seen.known))
    schema = {"type": "object", "properties": {**config.surprisal.schema(), **config.affect.schema(), **config.sectors.schema(),
                                               **config.supersession.schema()}}
    try:
        reply = mind.llm.ask("\n\n".join(filter(None, parts)), schema, deadline_s=config.capture.judge_deadline_s)
    except LLMUnavailable as reason:
        return None, f"judged by rule: {reason}"
    return {k: (config.firewall.redact(v) if isinstance(v, str) else v) for k, v in reply.items()}, ""
