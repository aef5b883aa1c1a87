"""Health: each part asked in turn; every fault with its effect and remedy. A fallback that is in use is named here or it is a bug."""
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from .errors import EmbedderUnavailable, MnemosError
from .judgement import WITHOUT_ROUTINES
from .mechanisms.firewall import RULES
from .mind import Mind
from .moments import age
from .results import Check, Health
from .storage.sqlite import SqliteStore
from .sweep import state

if TYPE_CHECKING:
    from .place import Place


def health(store: SqliteStore, mind: Mind, facts: Mapping[str, Any], place: Place) -> Health:
    """Never raises; at most a socket probe for each service."""
    checks = [*_file(store), _embedder(mind), _missing_vectors(store, mind), _gate(mind), _llm(mind), _swept(store), _hooks(store, mind.clock()),
              _project(place), *_settings(facts), *_extra(facts)]
    return Health(tuple(c for c in checks if c), facts["versions"]() if "versions" in facts else {}, dict(facts.get("paths", {})), dict(facts.get("differs", {})))


def _file(store: SqliteStore) -> list[Check]:
    try:
        return [Check(**row) for row in store.check()]  # type: ignore[arg-type]
    except MnemosError as error:
        return [Check("store", "fail", str(error), "nothing is kept or found", "see the message")]


def _embedder(mind: Mind) -> Check:
    if mind.embedder is None:
        return Check("embedder", "ok", "switched off (MNEMOS_EMBEDDING_PROVIDER=none)", "recall by words only: other wordings are not found",
                     "unset MNEMOS_EMBEDDING_PROVIDER")
    reason = mind.embedder.probe()
    if reason:
        own = hasattr(mind.embedder, "runtime")
        return Check("embedder", "fail", reason, "new memories are saved and found by keyword; their vectors come later by themselves",
                     "install mnemos-mcp again: pip install --force-reinstall mnemos-mcp" if own else
                     "start the service, or unset MNEMOS_EMBEDDING_PROVIDER for the built-in model")
    fallback = getattr(mind.embedder, "fallback", "")
    if fallback:
        return Check("embedder", "warn", f"{_identity(mind)} by numpy: {fallback}", "the same vectors, more slowly in bulk", "pip install 'mnemos-mcp[onnx]' again")
    return Check("embedder", "ok", " by ".join(filter(None, (_identity(mind), getattr(mind.embedder, "runtime", "")))))


def _identity(mind: Mind) -> str:
    try:
        return mind.embedder.identity if mind.embedder else ""
    except EmbedderUnavailable as reason:
        return str(reason)


def _missing_vectors(store: SqliteStore, mind: Mind) -> Check | None:
    if mind.embedder is None:
        return None
    try:
        identity = mind.embedder.identity
        missing, others = store.vector_state(identity)
    except MnemosError:
        return None
    if others:
        return Check("vectors", "warn", f"{missing} memories have vectors of another model only ({', '.join(others)}); the model now is {identity}",
                     "those are found by keyword, not by meaning; vectors of two models are never compared", "mnemos reembed")
    if missing:
        return Check("vectors", "warn", f"{missing} memories wait for their vectors", "they are found by keyword until then",
                     "none needed: an idle server fills them in; `mnemos reembed` does it at once")
    return Check("vectors", "ok", "every memory has its vectors")


def _swept(store: SqliteStore) -> Check:
    rules, any_memory = state(store)
    if rules >= RULES or not any_memory:
        return Check("firewall", "ok", f"rules {RULES}; everything stored has passed them")
    return Check("firewall", "warn", f"rules {RULES}, but what is stored was last read with " + (f"rules {rules}" if rules else "none of these rules"),
                 "texts stored before may hold what would be refused today", "mnemos sweep (--dry-run shows what it would do)")


def _hooks(store: SqliteStore, now: float) -> Check | None:
    try:
        seen, waiting = store.hook_state(), store.aside()
    except MnemosError:
        return None
    if waiting:
        return Check("hooks", "warn", f"{waiting} deliveries of hooks lie beside the file, which was held when they came", "what they say is not found until they are in",
                     "none needed: the next session's worker takes them in")
    if not seen.times_ms:
        return Check("hooks", "ok", "no hook has run on this file yet (`mnemos setup claude` adds them)")
    said = [f"last capture {age(seen.last_capture, now)}" if seen.last_capture else "nothing captured yet",
            f"last injection {age(seen.last_injection, now)}" if seen.last_injection else "nothing injected yet",
            f"95 of 100 took at most {seen.p95_ms:.0f} ms"]
    if seen.refused:
        said.append(f"{seen.refused} texts refused by the firewall")
    if seen.cut:
        said.append(f"{seen.cut} characters of texts that were too long left out")
    return Check("hooks", "ok", ", ".join(said))


def _gate(mind: Mind) -> Check | None:
    """Only what a store of this process has met: nobody waits for a check that would embed."""
    reason = mind.cache.get(WITHOUT_ROUTINES)
    if mind.embedder is None or not reason:
        return None
    return Check("gate", "warn", f"the routine phrases could not be embedded: {reason}", "small talk is told from news by its words alone, so more of it is kept",
                 "start the embedding service and the clients again, or unset MNEMOS_EMBEDDING_PROVIDER")


def _llm(mind: Mind) -> Check:
    if mind.llm is None:
        return Check("llm", "ok", "none: judgement is by rule")
    reason = mind.llm.probe()
    if reason:
        return Check("llm", "fail", reason, "judgement is by rule until it answers", "start the service, or set MNEMOS_LLM_PROVIDER=none")
    return Check("llm", "ok", mind.llm.identity)


def _project(place: Place) -> Check:
    if place.identity is None:
        return Check("project", "warn", "no project: a home folder or '/' is none", "project memories are refused, global ones work",
                     "start the client in a project, or set MNEMOS_PROJECT")
    return Check("project", "ok", f"{place.name} ({place.how})")


def _settings(facts: Mapping[str, Any]) -> list[Check]:
    problems = facts.get("problems", ())
    if not problems:
        return [Check("settings", "ok", "every name and value is known")]
    return [Check("settings", "warn", problem, "it has no effect", "correct or remove it") for problem in problems]


def _extra(facts: Mapping[str, Any]) -> list[Check]:
    return [Check(**row) for row in facts.get("checks", ())]
