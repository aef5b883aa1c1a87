"""What a hook tells an agent unasked: the brief at a start, a recall at the first prompt. What it tells of a failure stands with its capture."""
from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from . import brief, events
from .brief import Item
from .mechanisms.scopes import visible
from .tables import tuned

if TYPE_CHECKING:
    from .capture import Desk
    from .events import Event
    from .ports import Embedder
    from .providers.beside import Beside
    from .settings import Settings

QUERY_WORDS = 48  # about 64 tokens of the model: what a prompt is about stands at its beginning
RECALLED = 6  # memories at most


class Question(NamedTuple):
    """What a first prompt asks the memory, and the embedder that is at work on it."""

    said: str
    text: str
    embedder: Embedder | None


def question(event: Event, settings: Settings) -> Question | None:
    """Called as early as can be: where another process can embed it, it begins now. None for a prompt that no person wrote."""
    said = events.prompt(event.text)
    if not said:
        return None
    embedder = _loading() if settings.embedding_provider == "builtin" else None
    text = str(settings.firewall().redact(" ".join(said.split()[:QUERY_WORDS]))).strip()
    if embedder:
        embedder.begin(text)
    return Question(said, text, embedder)


def _loading() -> Beside | None:
    from .providers.beside import Beside, possible
    try:
        return Beside() if possible() else None
    except OSError:  # no process to be had: it is embedded here
        return None


def told(event: Event, desk: Desk, settings: Settings, asked: Question | None) -> tuple[str, tuple[str, ...]]:
    """The framed text for a start or a first prompt and the ids in it; ('', ()) when nothing is good enough."""
    if event.kind == "start":
        return _brief(event, desk, settings)
    return _recall(asked, event, desk, settings) if asked else ("", ())


def _given(event: Event, desk: Desk) -> frozenset[str]:
    """What this session has been told already."""
    return desk.buffer.told(event.session) if event.session else frozenset()


def _brief(event: Event, desk: Desk, settings: Settings) -> tuple[str, tuple[str, ...]]:
    """A new or emptied context is told everything worth knowing; a resumed one what it has not been told."""
    from .mechanisms.decay import Decay
    scopes = visible(desk.identities, desk.place.workspaces)
    besides = _given(event, desk) if event.source == "resume" else frozenset()
    since = desk.buffer.last_told(desk.identities, event.session) if desk.identities else 0.0
    return brief.brief(desk.buffer, [str(scope) for scope in scopes], desk.identities, decay=tuned(Decay(), "decay", settings.mechanisms),
                       lasting=_lasting(settings), now=desk.now, since=since, besides=besides)


def _lasting(settings: Settings) -> Callable[[str], str]:
    """The durable part of what was said, by the gate as the user has set it. It is imported when there is something to judge: most sessions begin
    with nothing pending."""
    def part_of(text: str) -> str:
        from .mechanisms.lasting import lasting
        from .mechanisms.surprisal import SurprisalGate
        gate = tuned(SurprisalGate(), "surprisal", settings.mechanisms)
        return lasting(text, lambda part: gate.classify(part).durable)
    return part_of


def _recall(asked: Question, event: Event, desk: Desk, settings: Settings) -> tuple[str, tuple[str, ...]]:
    """The few trusted memories that answer the prompt and were not told yet, and what was said lately about the same; silence when none does."""
    from .runtime import open_engine
    lately = _lately(asked.said, event, desk, settings)  # before the answers, though shown after them: the embedding is still on its way
    engine = open_engine(settings, door="hook", embedder=asked.embedder)
    found = engine.retrieve(asked.text, limit=RECALLED, budget_tokens=brief.PROMPT_CHARS // 4, reconsolidate=False).memories
    given = _given(event, desk)
    items = [Item(r.id, brief.line(r.content, r.memory.origin, r.memory.valid_from, desk.now, r.id)) for r in found
             if r.memory.origin in brief.TRUSTED and r.id not in given]
    items += [item for item in lately if item.id not in given]
    return brief.framed((("", items),), brief.PROMPT_CHARS)


def _lately(said: str, event: Event, desk: Desk, settings: Settings) -> list[Item]:
    """Durable statements of other sessions that nobody has judged yet and that share a telling word with the prompt."""
    from .mechanisms.wording import content_set
    asked = content_set(said)
    pending = [e for e in desk.buffer.pending(desk.identities, 40) if e.session != event.session and asked & content_set(e.content)]
    return [Item(e.id, brief.line(part, e.origin, e.at, desk.now, e.id)) for e, part in reversed(brief.said(pending, _lasting(settings)))]
