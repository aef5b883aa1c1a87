"""CAPTURE: what a hook puts down. Dumb and safe: screen, append, leave. Thinking comes later, in sleep.

An event becomes a list of writes and, where the same failure was met before, a few lines for the agent.
"""
from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from . import events
from .buffered import (
    AddEpisode,
    AddFailure,
    BufferWrite,
    CloseFailure,
    Count,
    LeaveFailures,
    MarkUsed,
    NoteStep,
    Reinforce,
    TouchSession,
)
from .episode import UNJUDGED, Episode, Failure, Origin, Role
from .events import Event

if TYPE_CHECKING:
    from .place import Place
    from .storage.aside import Aside
    from .storage.buffer import Buffer

LONGEST_EPISODE = 8_000  # characters of one episode: a longer text becomes several
LONGEST_TEXT = 40_000  # characters of what is put down of one text: a longer one keeps its beginning and its end
TAIL = 10_000
LONGEST_READ = 40_000  # characters of a command or an error that are looked at, half of them from its end
LONGEST_TOLD = 2_000  # characters of what is told of a failure
CUT = "cut"  # the counter of characters that were left out
PART = "/part/"
_SENTENCE_ENDS = (". ", "? ", "! ", "。", "？", "！")
_ID = r"\b[0-9a-f]{12}\b"


class Desk(NamedTuple):
    """What a capture works with. `screen` gives clean text or None (refused); `identities` are all that count as this project, the first to write to."""

    buffer: Buffer | Aside
    place: Place
    identities: Sequence[str]
    now: float
    new_id: Any
    screen: Any
    tables: Mapping[str, Mapping[str, Any]]  # the user's numbers of the mechanisms

    def held(self) -> bool:
        """Did the file turn out to be held or not writable?"""
        return self.buffer.hurried

    @property
    def project(self) -> str:
        return self.identities[0] if self.identities else ""


class Captured(NamedTuple):
    """What to write, and what to tell the agent."""

    writes: tuple[BufferWrite, ...] = ()
    told: str = ""


def capture(event: Event, desk: Desk) -> Captured:
    """What this event leaves behind."""
    match event.kind:
        case "start":
            return Captured((TouchSession(event.session, desk.project, desk.now, fresh=True, emptied=event.source != "resume"), *_met(desk)))
        case "prompt":
            return Captured(_prompt(event, desk))
        case "failure":
            return _failure(event, desk)
        case "success":
            return Captured(_success(event, desk))
        case "compacted":
            return Captured(_episode(event, desk, event.text, "assistant", "agent", "summary"))
        case "stop":
            return Captured((*_episode(event, desk, event.text, "assistant", "agent", UNJUDGED), *_cited(event, desk)))
        case "compacting":
            return Captured((TouchSession(event.session, desk.project, desk.now, fresh=True, emptied=True),))
        case "end":
            return Captured((TouchSession(event.session, desk.project, desk.now, over=True), LeaveFailures(event.session)))
        case _:
            return Captured()


def _met(desk: Desk) -> tuple[BufferWrite, ...]:
    from .place import acquainted
    return (acquainted(desk.place, desk.now, desk.screen),) if desk.place.identity else ()


def _prompt(event: Event, desk: Desk) -> tuple[BufferWrite, ...]:
    said = events.prompt(event.text)
    if not said:
        return ()
    unread = len(event.text) - events.LONGEST_PROMPT
    return (TouchSession(event.session, desk.project, desk.now, prompts=1), *_episode(event, desk, said, "user", "user", UNJUDGED),
            *((Count(CUT, unread),) if unread > 0 else ()))


def _episode(event: Event, desk: Desk, text: str, role: Role, origin: Origin, kind: str) -> tuple[BufferWrite, ...]:
    """The screened text as an episode, a long one as several; a refusal leaves a count and nothing of the text."""
    if not text.strip():
        return ()
    clean = desk.screen(text)
    if clean is None:
        return (Count("refused"),)
    parts, cut = pieces(clean)
    return (*(AddEpisode(Episode(desk.new_id(), part, desk.project, event.session, role, origin, desk.now, kind, event=numbered(event.key, n)))
              for n, part in enumerate(parts)), *((Count(CUT, cut),) if cut else ()))


def pieces(clean: str) -> tuple[list[str], int]:
    """A screened text in parts of about LONGEST_EPISODE characters at most, and how many characters of its middle are left out. It is cut behind a line,
    else a sentence or a word; a fence that is cut is closed and opened again, for what stands in it is no speech."""
    cut = 0
    if len(clean) > LONGEST_TEXT:
        head, tail = _before(clean, LONGEST_TEXT - TAIL), _after(clean, len(clean) - TAIL)
        cut, clean = tail - head, f"{clean[:head].rstrip()}\n...\n{clean[tail:]}"
    parts = []
    while len(clean) > LONGEST_EPISODE:
        at = _before(clean, LONGEST_EPISODE)
        part, clean = clean[:at].rstrip(), clean[at:]
        if part.count("```") % 2:
            part, clean = f"{part}\n```", f"```\n{clean}"
        parts.append(part)
    return [*parts, clean], cut


def _before(text: str, end: int) -> int:
    """The last place to cut at, up to `end`: behind a line, else a sentence, else a word. What has no space for so long is no word and is cut at `end`
    itself. Never so early that an opened fence is all there is."""
    half, early = end // 2, end // 16
    line = text.rfind("\n", half, end) + 1
    sentence = max((found + len(sign) for sign in _SENTENCE_ENDS if (found := text.rfind(sign, half, end)) >= 0), default=0)
    return line or sentence or max(text.rfind(" ", early, end), text.rfind("\n", early, end)) + 1 or end


def _after(text: str, start: int) -> int:
    """The first place to begin again at, from `start`: a line, else a sentence, else a word."""
    far = start + (len(text) - start) // 2
    line = text.find("\n", start, far) + 1
    sentence = min((found + len(sign) for sign in _SENTENCE_ENDS if (found := text.find(sign, start, far)) >= 0), default=0)
    return line or sentence or text.find(" ", start, far) + 1 or start


def numbered(key: str, part: int) -> str:
    """The identity of a part of an event: the first has the event's own."""
    return f"{key}{PART}{part}" if key and part else key


def _failure(event: Event, desk: Desk) -> Captured:
    """The failure with its fingerprint, and what is known of it."""
    from .mechanisms import failures
    command, error = _command(event, desk), desk.screen(events.shortened(event.error, LONGEST_READ))
    if command is None or error is None:
        return Captured((Count("refused"),))
    key, form = failures.fingerprint(command, error), failures.shape(command)
    before = desk.buffer.failures(projects=desk.identities, shape=form) if desk.identities else []
    known = failures.nearest([f for f in before if f.status != "open" or f.session != event.session], key, error)
    why = failures.telling(error)
    episode = Episode(desk.new_id(), f"`{failures.shown(command)}` failed: {why}", desk.project, event.session, "tool", "tool", desk.now, "failure", event=event.key)
    writes = (AddFailure(key, form, failures.shown(command), why, desk.project, event.session, desk.now, event.key), AddEpisode(episode))
    since = [f for f in before if known and f.fixed_at is None and f.fingerprint == known.fingerprint and f.at > known.at]
    return Captured(writes, told(known, desk.now, since) if known else "")


def _command(event: Event, desk: Desk) -> str | None:
    """The command, screened before anything is cut from it: half of a key is still half of a key."""
    clean: str | None = desk.screen(events.shortened(event.command, LONGEST_READ))
    return clean


def told(known: Failure, now: float, since: Sequence[Failure] = ()) -> str:
    """What is known of a failure, framed: commands and times only, never the output of a tool. '' when nothing came of it. `since`: when it came
    back after its fix and was not fixed again."""
    from . import brief
    from .mechanisms import failures
    from .moments import age
    later = [step for failure in since for step in (*failure.tried, *failure.steps)]
    tried = failures.joined([failures.marked(step) for step in dict.fromkeys([*known.tried[-3:], *later[-3:]])], ", ")
    useless = ["Did not help:", failures.stopped(tried)] if tried else []
    if known.status == "fixed":
        came = ["(then; it came back)."] if since else []
        helped = ["What fixed it:", known.fix if since else failures.stopped(known.fix)] if known.fix else [f"It passed when it was run again{'' if since else '.'}"]
        text = [*helped, *came, *useless]
    elif tried:
        text = ["It was not fixed then.", *useless]
    else:
        return ""
    line = failures.joined(["-", failures.marked(known.command), f"failed like this {age(known.at, now)}.", *text]).rstrip()
    return "\n".join((brief.OPEN, brief.command(failures.cut(line, LONGEST_TOLD)), brief.CLOSE))


def _success(event: Event, desk: Desk) -> tuple[BufferWrite, ...]:
    """Only while a failure of the session is open: a step towards its fix, or the fix."""
    waiting = desk.buffer.failures(session=event.session, projects=desk.identities) if event.session else []
    if not waiting:
        return ()
    from .mechanisms import failures
    command = _command(event, desk)
    if command is None:
        return (NoteStep(tuple(f.n for f in waiting), failures.UNSAID, failures.STEPS),)
    closed = [f for f in waiting if failures.runs(f.shape, command)]
    if not closed:
        return (NoteStep(tuple(f.n for f in waiting), failures.shown(command), failures.STEPS),) if failures.steps_towards(command) else ()
    writes: list[BufferWrite] = []
    for failure in closed:
        fix = _fix(failure, command, event, desk)
        lesson = failures.lesson(failure.command, failure.error, fix, failure.tried)
        writes += [CloseFailure(failure.n, fix, desk.now),
                   AddEpisode(Episode(desk.new_id(), lesson, desk.project, event.session, "tool", "tool", desk.now, "fix", durable=True,
                                      event=f"{event.key}/fix/{failure.n}" if event.key else ""))]
    return tuple(writes)


def _fix(failure: Failure, passed: str, event: Event, desk: Desk) -> str:
    """What was done between the last failure and now: the commands, and the files that were edited as the transcript tells."""
    from .mechanisms import failures
    from .transcript import edited_since
    edited = [desk.screen(name) for name in edited_since(event.transcript, event.command)]
    return failures.fixed_by(failure.shape, failure.steps, passed, [name for name in edited if name])


def _cited(event: Event, desk: Desk) -> tuple[BufferWrite, ...]:
    """Memories that were put before this session's agent and that its answer names: they were of use."""
    named = set(re.findall(_ID, event.text)) if event.session else set()
    given = desk.buffer.receipts(session=event.session) if named else []
    fresh = sorted(i for i in named if any(i in r["ids"] and i not in r["used"] for r in given))
    if not fresh:
        return ()
    from .mechanisms.decay import Decay
    from .tables import tuned
    decay = tuned(Decay(), "decay", desk.tables)
    strengths = desk.buffer.strengths(fresh)
    return (MarkUsed(event.session, tuple(fresh)),
            *(Reinforce(i, decay.reinforced(held) - held, desk.now, "cited") for i, held in strengths.items()))
