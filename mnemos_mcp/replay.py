"""Old sessions as episodes: what hooks would have put down had they been there, with origin imported. One transaction a record, one record at a time.

A failure without its fix, and the fix where the same command passes later, become episodes; with `trust` they also join the failure memory, which speaks
by itself when the same command fails again.
"""
from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from . import events, records_claude, records_codex
from .capture import PART, numbered, pieces
from .episode import UNJUDGED, Episode, Failure, Origin, Role
from .mechanisms import failures
from .mechanisms.firewall import Refusal
from .mind import Mind
from .place import Place, acquainted
from .records import Client, Edited, Happening, Ran, Reading, Said, Skipped
from .records import bounded as lines_of
from .writes import AddEpisode, RecordFailure, Write

READERS = {"claude": records_claude.happenings, "codex": records_codex.happenings}
MOST_FILES = 4  # edited between a failure and its fix that are named
MOST_OPEN = 30  # failures of a session that still wait for their fix, the latest
LONGEST_OUTPUT = 60_000  # characters of a failure that are looked at, half from each end: more than a client shows its model


@dataclass
class Replayed:
    """The account of an import of records. Every prompt and failure that was read is in exactly one of said, failed, present, refused and nowhere."""

    records: int = 0
    said: int = 0
    failed: int = 0
    fixed: int = 0
    present: int = 0
    masked: int = 0
    nowhere: int = 0  # said or failed in a folder that is no project, or where capture is off
    strangers: int = 0  # files that are no record
    refused: Counter[str] = field(default_factory=Counter)  # kind -> texts
    skipped: Skipped = field(default_factory=Skipped)
    projects: dict[str, str] = field(default_factory=dict)  # identity -> name of those that took something


@dataclass
class Open:
    """A failure of the session that nothing has fixed yet."""

    failure: Failure
    edited: list[str]
    events: list[str]
    passed: list[str] = field(default_factory=list)  # what passed since its last occurrence


@dataclass
class Sitting:
    """One session of a record: where it took place, and what is open in it."""

    place: Place | None
    identity: str
    name: str
    open: dict[str, Open] = field(default_factory=dict)


class Replay:
    """Takes records in. `locate` gives the place of a folder and the identity to write to, or None where nothing may be taken."""

    def __init__(self, mind: Mind, locate: Callable[[str], tuple[Place, str] | None], *, trust: bool = False):
        self.mind, self.trust, self.done = mind, trust, Replayed()
        self._locate = locate
        self._places: dict[str, tuple[Place, str] | None] = {}

    def take(self, file: Any, client: Client, progress: Callable[[int], None] | None = None) -> None:
        """One record, an open binary file, whole or not at all."""
        reading = Reading(self.done.skipped)
        _Record(self).write(READERS[client](lines_of(file, reading.skipped, progress), reading))
        self.done.records += 1

    def place(self, folder: str) -> tuple[Place, str] | None:
        if folder not in self._places:
            self._places[folder] = self._locate(folder)
        return self._places[folder]


class _Record:
    """What one record adds. Nothing is written before its end."""

    def __init__(self, replay: Replay):
        self.replay, self.mind, self.done = replay, replay.mind, replay.done
        self.sittings: dict[str, Sitting] = {}
        self.episodes: list[Episode] = []
        self.told: list[tuple[Open, str]] = []  # with the identity of its project
        self.names: dict[str, str] = {}

    def write(self, happenings: Iterable[Happening]) -> None:
        now = self.mind.clock()
        for happening in happenings:
            sitting = self._sitting(happening)
            at = min(happening.at, now)  # a record cannot tell of tomorrow
            if isinstance(happening, Edited):
                for waiting in sitting.open.values():
                    waiting.edited = [*(n for n in waiting.edited if n != happening.name), happening.name][-MOST_FILES:]
            elif isinstance(happening, Said):
                self._said(happening, sitting, at)
            elif happening.error:
                self._failed(happening, sitting, at)
            else:
                self._passed(happening, sitting, at)
        self._apply(now)

    def _sitting(self, happening: Happening) -> Sitting:
        """Its session: the folder where it began says which project it belongs to, wherever the agent went later."""
        folder = "" if isinstance(happening, Edited) else happening.folder
        known = self.sittings.get(happening.session)
        if known is None or (known.place is None and not known.name and folder):
            found = self.replay.place(folder) if folder else None
            known = Sitting(*found, self._name(happening.session)) if found else Sitting(None, "", "" if not folder else self._name(happening.session))
            self.sittings[happening.session] = known
        return known

    def _said(self, said: Said, sitting: Sitting, at: float) -> None:
        text = events.prompt(said.text)
        if not text:
            self.done.skipped.machine += 1
        elif sitting.place is None:
            self.done.nowhere += 1
        elif clean := self._clean(text):
            self._episode(clean, said.key, sitting, at, "user", UNJUDGED)

    def _failed(self, ran: Ran, sitting: Sitting, at: float) -> None:
        if sitting.place is None:
            self.done.nowhere += 1
            return
        command = self._clean(events.shortened(ran.command, LONGEST_OUTPUT))
        error = self._clean(events.shortened(ran.error, LONGEST_OUTPUT)) if command else ""
        if not command or not error:
            return
        key, why, event = failures.fingerprint(command, error), failures.telling(error), self._name(ran.key)
        self._episode(f"`{failures.shown(command)}` failed: {why}", ran.key, sitting, at, "tool", "failure")
        again = sitting.open.get(key)
        if again:
            tried = tuple(dict.fromkeys((*again.failure.tried, *again.passed)))
            again.failure = again.failure._replace(times=again.failure.times + 1, tried=tried)
            again.events.append(event)
            again.passed, again.edited = [], []
        else:
            failure = Failure(0, key, failures.shown(command), why, sitting.name, at, 1, (), (), "left", shape=failures.shape(command))
            sitting.open[key] = Open(failure, [], [event])
            self.told.append((sitting.open[key], sitting.identity))
            if len(sitting.open) > MOST_OPEN:
                del sitting.open[next(iter(sitting.open))]

    def _passed(self, ran: Ran, sitting: Sitting, at: float) -> None:
        """A step towards a fix, or the fix, while a failure of the session is open."""
        command = self._clean(events.shortened(ran.command, LONGEST_OUTPUT), count=False) if sitting.open else ""
        if not command:
            return
        ended = [key for key, waiting in sitting.open.items() if failures.runs(waiting.failure.shape, command)]
        for key in ended:
            self._fixed(sitting.open.pop(key), command, ran, sitting, at)
        for waiting in sitting.open.values() if not ended and failures.steps_towards(command) else ():
            waiting.passed = [*waiting.passed, failures.shown(command)][-failures.STEPS:]

    def _fixed(self, waiting: Open, command: str, ran: Ran, sitting: Sitting, at: float) -> None:
        names = [self._clean(name, count=False) for name in waiting.edited]
        failure = waiting.failure
        fix = failures.fixed_by(failure.shape, waiting.passed, command, [name for name in names if name])
        waiting.failure = failure._replace(status="fixed", fix=fix, fixed_at=at, steps=tuple(waiting.passed))
        # The event of a hook's fix ends in the number of its row: the same call with the same failure is looked for below this name.
        self._episode(failures.lesson(failure.command, failure.error, fix, failure.tried), f"{ran.key}/fix/", sitting, at, "tool", "fix", failure.fingerprint)

    def _episode(self, text: str, key: str, sitting: Sitting, at: float, role: Role, kind: str, below: str = "") -> None:
        origin: Origin = "user" if role == "user" and self.replay.trust else "imported"
        self.episodes += [Episode(self.mind.new_id(), part, sitting.identity, sitting.name, role, origin, at, kind, kind == "fix",
                                  event=numbered(self._name(key) + below, n)) for n, part in enumerate(pieces(text)[0])]

    def _clean(self, text: str, *, count: bool = True) -> str:
        """The screened text; '' for one that is refused, which is counted by its kind."""
        result = self.mind.config.firewall.screen(text)
        if isinstance(result, Refusal):
            self.done.refused[result.kind] += count
            return ""
        self.done.masked += sum(redaction.count for redaction in result.redactions)
        return result.text

    def _name(self, text: str) -> str:
        """A session or event as it may be kept: one that is odd or looks like a secret by its hash, still the same each time."""
        if text not in self.names:
            self.names[text] = self.mind.config.firewall.named(text)
        return self.names[text]

    def _apply(self, now: float) -> None:
        """What is new, in one transaction."""
        store: Any = self.mind.store
        heard = store.heard(list(dict.fromkeys(self._asked())))
        before = frozenset(heard)
        writes: list[Write] = []
        for episode in sorted(self.episodes, key=lambda e: e.at):
            below, (whole, part, _) = episode.event.rpartition("/fix/")[0], episode.event.partition(PART)
            if episode.event in heard or (episode.kind == "fix" and f"{below}/fix/" in heard) or whole in before:
                self.done.present += episode.kind != "fix" and not part
                continue
            heard.add(episode.event)
            writes.append(AddEpisode(episode))
            self.done.said += episode.kind == UNJUDGED and not part
            self.done.failed += episode.kind == "failure"
            self.done.fixed += episode.kind == "fix"
        met = {s.identity: s.place for s in self.sittings.values() if s.place and any(w.episode.project == s.identity for w in writes)}  # type: ignore[union-attr]
        writes += [acquainted(place, now, self.mind.config.firewall.kept) for place in met.values() if place.identity]
        self.done.projects |= {identity: place.name for identity, place in met.items()}
        if self.replay.trust:
            writes += [RecordFailure(o.failure, identity, tuple(dict.fromkeys(o.events))) for o, identity in self.told]
        if writes:
            store.apply(writes)

    def _asked(self) -> Iterator[str]:
        for episode in self.episodes:
            yield episode.event
            if episode.kind == "fix":
                yield f"{episode.event.rpartition('/fix/')[0]}/fix/"
