"""The ten verbs. Holds store, embedder, llm, config and clock; computes nothing itself.

Each pipeline, and the values it answers with, is imported by the verb that walks it: a recall at a prompt should not pay for storing and sleeping.
"""
from __future__ import annotations

import builtins
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from .buffered import Reinforce
from .errors import Ambiguous, BadInput, MnemosError, NotFound
from .mechanisms.firewall import Refusal
from .mechanisms.firewall_views import clean
from .mechanisms.scopes import visible
from .mind import Mind, Statement
from .model import GLOBAL, LONGEST_CONTENT, LONGEST_LABEL, SECTORS, Importance, Memory, Mode, Origin, Role, Scope, View
from .place import Place, acquainted, group
from .remarks import Remarks, joined

if TYPE_CHECKING:
    from .mechanisms.due import Moment
    from .results import Forgotten, Health, Inspected, Page, Reinforced, Retrieved, Slept, Stats, Stored, Timeline
    from .storage.buffer import HookState
    from .storage.sqlite import SqliteStore

AHEAD_DAYS = (30, 90, 365)
SIGNALS = ("helpful", "not_helpful", "wrong", "pin", "unpin", "restore")


class Engine:
    """One memory, opened. Thread-safe as far as its store and embedder are."""

    def __init__(self, mind: Mind, store: SqliteStore, *, locate: Callable[[str], Place], session: str = "", facts: Mapping[str, Any] | None = None):
        self.mind = mind
        self._store, self._locate, self._session, self._remarks = store, locate, session, Remarks(store)
        self.facts = dict(facts or {})  # versions, paths, problems and settings that health reports
        self._lock = threading.Lock()
        self._met: set[tuple[str, int]] = set()
        self._own: Place | None = None  # found once: a client's folder stays the same project while it runs
        self._spoken = ""  # the session whose next message the model has not guessed yet

    # ---- where

    def place(self, project: str = "") -> Place:
        """The caller's project, or the one that a name or folder means. BadInput for a name that looks like a secret."""
        if not project and self._own is not None:
            return self._own
        place = self._locate(project)
        if place.name and isinstance(self.mind.config.firewall.screen(place.name), Refusal):
            raise BadInput("The project's name looks like a secret: nothing was done. Give a folder or a plain name.")
        if not project:
            self._own = place
        return place

    def group(self, place: Place) -> builtins.list[str]:
        """Identities that are one project: what the place is, what it was, and all that are joined to it. The first is where it writes."""
        return group(place, self._store.joined())

    def view(self, project: str | Place = "", scopes: Sequence[str] = (), *, as_of: float | None = None, tags: Sequence[str] = ()) -> View:
        """What is visible from there, cut to the asked scopes."""
        place = project if isinstance(project, Place) else self.place(project)
        return View(visible(self.group(place), place.workspaces, scopes), as_of, tuple(clean(tag).strip() for tag in tags))  # as the firewall left them when they were stored

    def _one(self, memory_id: str, project: str = "") -> Memory:
        """The memory of an id or an unambiguous prefix, seen from here."""
        prefix = memory_id.strip()
        if not prefix:
            raise BadInput("id is empty: give the id of a memory, or its first six characters or more.")
        found = self._store.find(prefix, self.view(project))
        if len(found) > 1:
            raise Ambiguous(prefix, [m.id for m in found])
        if not found:
            hint = "" if len(prefix) >= 6 else " A prefix needs at least six characters."
            raise NotFound(f"No memory with id '{prefix[:40]}' is visible from here.{hint} mnemos_list shows the ids.")
        return found[0]

    def _target(self, scope: str, place: Place) -> Scope | str:
        """The scope to write to, or why there is none."""
        if scope == "global":
            return GLOBAL
        if scope == "workspace":
            return Scope("workspace", place.workspaces[0]) if place.workspaces else \
                "this project is in no workspace: name it in [workspaces] of your mnemos.toml, or use scope project or global"
        if not place.identity:
            return "no project here (a home folder or '/' is none): pass project, set MNEMOS_PROJECT, or use scope global"
        return Scope("project", self.group(place)[0])

    def _meet(self, place: Place) -> None:
        met = (place.identity or "", self._store.openings)  # a file that took the place of another has met nobody
        if place.identity and met not in self._met:
            self._store.apply([acquainted(place, self.mind.clock(), self.mind.config.firewall.kept)])
            self._met.add(met)

    # ---- the ten verbs

    def store(self, content: str, *, scope: str = "project", key: str = "", importance: Importance = "auto", role: Role = "user", tags: Sequence[str] = (),
              supersedes: Sequence[str] = (), valid_from: float | None = None, pinned: bool = False, force: bool = False, project: str = "",
              session: str = "", origin: Origin = "agent", door: Literal["manual", "hook"] = "manual") -> Stored:
        """Keep a statement; see Stored. BadInput for an empty text or one over LONGEST_CONTENT. `supersedes` are ids or prefixes of visible
        memories, else NotFound."""
        if not content.strip() or len(content) > LONGEST_CONTENT:
            raise BadInput(f"content must have 1 to {LONGEST_CONTENT:,} characters; this has {len(content):,}.")
        if max(map(len, (key, session, *tags))) > LONGEST_LABEL:
            raise BadInput(f"key, session and each tag may have {LONGEST_LABEL:,} characters at most.")
        from .results import Stored
        place = self.place(project)
        target = self._target(scope, place)
        if isinstance(target, str):
            return Stored("refused", f"no_scope: {target}", project=place.name)
        governance = self.mind.govern(target)
        if not governance.admits(door):
            return Stored("refused", f"capture_mode: {governance.capture_mode} admits no {door} capture here", scope=target, project=place.name)
        retired = [self._one(i, project) for i in supersedes]
        new = self._remarks.strange(place, writing=True)
        self._meet(place)
        from . import encode
        from .keeping import keep_within
        result = encode.store(Statement(
            content=content, scope=target, origin=origin, project=place.identity or "", key=key, importance=importance, role=role, tags=tuple(tags),
            supersedes=tuple(m.id for m in retired), valid_from=valid_from, pinned=pinned, force=force, session=session or self._session), self.mind)
        self._spoken = session or self._session
        gone = keep_within(target, result.id, self.mind) if result.outcome in ("stored", "superseded") else ()
        full = f"to the archive, by the rules of this scope: {', '.join(gone[:8])}" if gone else ""
        return replace(result, project=place.name, note=joined(result.note, full, new, self._remarks.moved()))

    def retrieve(self, query: str, *, limit: int = 8, scopes: Sequence[str] = (), mode: Mode = "hybrid", as_of: float | None = None, related_to: str = "",
                 tags: Sequence[str] = (), sector: str = "", budget_tokens: int = 2000, explain: bool = False, reconsolidate: bool = True,
                 project: str = "") -> Retrieved:
        """What is known about a question, best first, or nothing with a note."""
        near = self._one(related_to, project) if related_to else None
        if sector and sector not in SECTORS:
            raise BadInput(f"sector '{sector}' is unknown; allowed: {', '.join(SECTORS)}.")
        if not (1 <= limit <= 50 and 100 <= budget_tokens <= 5000):
            raise BadInput(f"limit {limit} and budget_tokens {budget_tokens} are not allowed: limit 1 to 50, budget_tokens 100 to 5000.")
        from . import retrieve
        place = self.place(project)
        view = self.view(place, scopes, as_of=as_of, tags=tags)
        found = retrieve.retrieve(retrieve.Question(query, view, limit, mode, near, sector, budget_tokens, explain, reconsolidate), self.mind)
        waits = "" if found.memories else self._remarks.waiting(self.group(place))
        return found._replace(note=joined(found.note, waits, self._remarks.strange(place, own=not project), self._remarks.moved()))

    def consolidate(self, *, project: str = "", facts: Sequence[Mapping[str, Any]] = (), dry_run: bool = False, undo: str = "") -> Slept:
        """Sleep: episodes to facts, labile memories revised, faded ones archived; or undo a run."""
        place = self.place(project)
        scope = Scope("project", self.group(place)[0]) if place.identity else GLOBAL
        from . import maintain
        if undo:
            return maintain.undo(undo, self.mind)
        slept = maintain.consolidate(maintain.Night(place.identity or "", scope, tuple(facts), dry_run), self.mind)
        return replace(slept, note=joined(slept.note, self._remarks.strange(place, own=not project)))

    def forget(self, memory_id: str, *, erase: bool = False, project: str = "") -> Forgotten:
        """Archive (restorable), or erase every trace with proof: then also a pending episode, by its whole id."""
        from .results import Forgotten
        from .writes import Move
        if erase:
            from . import erasing
            said = erasing.said(memory_id, self.view(project), self._store)
            return said or erasing.erase(self._one(memory_id, project), self.view(project), self._store)
        memory = self._one(memory_id, project)
        if memory.status != "archived":
            now = self.mind.clock()
            self._store.apply([Move(memory.id, "archived", "forgotten on request", now, self.mind.config.decay.retention(memory, now))])
        return Forgotten("archived", memory.id)

    def inspect(self, memory_id: str, *, project: str = "") -> Inspected:
        """Everything about one memory."""
        from .results import Inspected
        memory, decay, now = self._one(memory_id, project), self.mind.config.decay, self.mind.clock()
        life = self._store.life(memory)
        return Inspected(
            memory=memory, retention=decay.retention(memory, now), ahead={d: decay.ahead(memory, now, d) for d in AHEAD_DAYS},
            half_life_days=decay.half_life_days(memory.importance), stability_days=decay.stability_days(memory.importance, memory.reinforcements),
            revisions=tuple(life["revisions"]), edges=tuple(life["edges"]), recalls=tuple(life["recalls"]), notes=tuple(life["notes"]),
            vectors=dict(life["vectors"]), chain=tuple(m for m, _ in self._store.chain(memory)), episodes=tuple(life["episodes"]),
            receipts=tuple(self._store.receipts(memory_id=memory.id, limit=10)))

    def list(self, *, project: str = "", scope: str = "all", status: str = "active", sort: str = "recent", tags: Sequence[str] = (), limit: int = 20,
             offset: int = 0) -> Page:
        """One page of what is visible from here."""
        if not (1 <= limit <= 100 and offset >= 0):
            raise BadInput(f"limit {limit} and offset {offset} are not allowed: limit 1 to 100, offset 0 or more.")
        from .results import Page
        place = self.place(project)
        view = self.view(place, () if scope == "all" else (scope,), tags=tags)
        if not view.scopes:
            return Page(0, offset, (), {})
        decay, now = self.mind.config.decay, self.mind.clock()
        if sort in ("recent", "accessed"):
            total, page = self._store.browse(view, status=status, limit=limit, offset=offset, order=sort)
        else:
            total, everything = self._store.browse(view, status=status, limit=-1, order="recent")
            weight = (lambda m: decay.retention(m, now)) if sort == "retention" else (lambda m: m.importance * decay.retention(m, now))
            page = sorted(everything, key=weight, reverse=True)[offset:offset + limit]
        return Page(total, offset, tuple(page), {m.id: decay.retention(m, now) for m in page}, self._remarks.strange(place, own=not project))

    def stats(self) -> Stats:
        """Counts of the whole file."""
        from .results import Stats
        raw = self._store.stats()
        counters = raw["counters"]
        total = sum(raw["sectors"]) or 1.0
        return Stats(raw["memories"], {name: share / total for name, share in zip(SECTORS, raw["sectors"], strict=False)},
                     {"kept": counters.get("kept", 0), "dropped": counters.get("dropped", 0)}, raw["episodes"], counters.get("recalls", 0),
                     counters.get("injections", 0), raw["file_bytes"])

    def health(self) -> Health:
        """What works, what does not, its effect and remedy."""
        from .health import health
        return health(self._store, self.mind, self.facts, self.place())

    def reinforce(self, memory_id: str, *, signal: str = "helpful", note: str = "", project: str = "") -> Reinforced:
        """Evidence about a memory: used, not helpful, wrong, pinned, restored."""
        if signal not in SIGNALS:
            raise BadInput(f"signal '{signal}' is unknown; allowed: {', '.join(SIGNALS)}.")
        from .results import Reinforced
        from .writes import Move, Pin
        memory, decay, now = self._one(memory_id, project), self.mind.config.decay, self.mind.clock()
        said = str(self.mind.config.firewall.redact(note)) if note else ""
        writes: dict[str, builtins.list[Any]] = {
            "helpful": [Reinforce(memory.id, decay.reinforced(memory.reinforcements, decay.explicit_step) - memory.reinforcements, now, said)],
            "not_helpful": [Reinforce(memory.id, -min(memory.reinforcements, decay.explicit_step), now, said)],
            "wrong": [Move(memory.id, "archived", f"wrong: {said}" if said else "wrong", now, decay.retention(memory, now))],
            "pin": [Pin(memory.id, True)], "unpin": [Pin(memory.id, False)],
            "restore": [Move(memory.id, "active", "", now)],
        }
        if not self._store.apply(writes[signal]).done:
            raise BadInput(f"'{memory.id}' cannot be restored: an active memory holds the same text or key. Forget that one first.")
        after = self._one(memory.id, project)
        before_retention, after_retention = decay.retention(memory, now), decay.retention(after, now)
        return Reinforced(memory.id, signal, (memory.importance * before_retention, after.importance * after_retention),
                          (before_retention, after_retention), after.status)

    def timeline(self, *, id: str = "", key: str = "", query: str = "", as_of: float | None = None, project: str = "") -> Timeline:
        """What was true when: the chain of supersession and revision, oldest first."""
        given = [name for name, value in (("id", id), ("key", key), ("query", query)) if value.strip()]
        if len(given) != 1:
            raise BadInput("timeline needs exactly one of id, key or query.")
        from .chronicle import chronicle
        from .results import Timeline
        if id:
            memories = [self._one(id, project)]
        elif key:
            folded = " ".join(clean(key).casefold().split())
            memories = self._store.keyed(self.view(project), folded)
        else:
            best = self.retrieve(query, limit=1, reconsolidate=False, project=project).memories
            memories = [best[0].memory] if best else []
        turns = chronicle(memories if key else memories[:1], self._store)
        shown = [t for t in turns if as_of is None or (t.valid_from <= as_of and (t.valid_to is None or t.valid_to > as_of))]
        subject = str(self.mind.config.firewall.redact(id or key or query))
        none = "" if shown else "nothing is known about this" + (" at that time" if turns else "")
        return Timeline(tuple(shown), subject, joined(none, self._remarks.strange(self.place(project), own=not project)))

    # ---- beside the verbs

    def brief(self, project: str = "") -> str:
        """What a session should know now, as text."""
        from .brief import brief
        from .mechanisms.lasting import lasting
        view, mind = self.view(project), self.mind
        return brief(self._store, [str(scope) for scope in view.scopes], self.group(self.place(project)), decay=mind.config.decay, now=mind.clock(),
                     lasting=lambda text: lasting(text, lambda part: mind.config.surprisal.classify(part).durable))[0]

    def idle(self) -> bool:
        """One bounded piece of background work: missing vectors first, then sleep if it is due. True if something was done."""
        with self._lock:
            try:
                return self._predict() or self.mend() or self.sleep("idle")
            except MnemosError:
                return False

    def hook_state(self) -> HookState:
        """What the hooks have done: last capture, last injection, their times."""
        return self._store.hook_state()

    def sleep(self, moment: Moment) -> bool:
        """Sleep of the caller's own project, when it is due at this moment. True if a run was written."""
        from . import maintain
        return maintain.sleep_if_due(self.group(self.place()), self.mind, moment)

    def mend(self) -> bool:
        """Vectors for a few memories that lack them. True if there were any."""
        from . import maintain
        return maintain.backfill(self.mind) > 0

    def _predict(self) -> bool:
        """The model's guess of the next message, made after the turn before."""
        from . import judgement
        session, self._spoken = self._spoken, ""
        if not session or self.mind.llm is None:
            return False
        turns = [f"{e.role}: {e.content}" for e in self._store.episodes(session=session, status="all", limit=6)]
        return judgement.expect(session, turns, self.mind)

    def close(self) -> None:
        self._store.close()
