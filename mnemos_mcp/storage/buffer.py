"""The part of the file that a hook touches: the episodic buffer, open failures, receipts, and the few reads of a brief.

No vectors, no index of words, no Memory values: what is imported here is paid on every prompt.
"""
from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeVar, assert_never

import apsw

from ..buffered import (
    AddEpisode,
    AddFailure,
    AddReceipt,
    Applied,
    BufferWrite,
    CloseFailure,
    Count,
    ForgetSessions,
    Keep,
    KnowProject,
    LeaveFailures,
    MarkUsed,
    NoteStep,
    Reinforce,
    TimeHook,
    TouchSession,
)
from ..episode import Episode, Failure
from .schema import connect
from .statement import Stale, fetch, run

W = TypeVar("W")
EPISODE_COLUMNS = "id, content, project, session, role, origin, at, kind, durable, surprisal, status, memory_id, event"
FAILURE_COLUMNS = "n, fingerprint, command, error, session, at, times, tried, steps, status, fix, fixed_at, shape"
ASIDE = "-aside.jsonl"  # ending of the file beside the database
TWICE_S = 10.0  # the same thing put before the same session again within this time is one delivery of an event that came twice


# A receipt of what the session's context still holds. A start that came twice was told once, by whichever was first.
_HELD = (f"at + case when event like 'SessionStart%' then {TWICE_S} else 0 end >= "
         "coalesce((select started_at from session where session.id = receipt.session), 0)")


class Noted(NamedTuple):
    """A memory as a brief needs it."""

    id: str
    content: str
    scope: str
    origin: str
    kind: str
    importance: float
    pinned: bool
    reinforcements: float
    reinforced_at: float
    created_at: float
    valid_from: float
    n: int


def apply_buffer(db: apsw.Connection, write: BufferWrite) -> None:
    """Inside the caller's transaction. Raises Stale for a receipt that was given already."""
    match write:
        case AddEpisode(e):
            run(db, f"insert or ignore into episode({EPISODE_COLUMNS}) values (?,?,?,?,?,?,?,?,?,?,?,?,?)", e.id, str(e.content), e.project, e.session,
                e.role, e.origin, e.at, e.kind, int(e.durable), e.surprisal, e.status, e.memory_id, e.event)
        case Count(name, by):
            run(db, "insert into counter values (?, ?) on conflict do update set value = value + excluded.value", name, by)
        case Keep(name, value):
            run(db, "insert into kept values (?, ?) on conflict do update set value = excluded.value", name, value)
        case KnowProject(identity, name, root, at):
            # Who only named it says nothing of its folder, nor how its name is written.
            run(db, "insert into project(identity, name, root, seen_at) values (?, ?, ?, ?) on conflict do update set seen_at = excluded.seen_at, "
                "name = iif(excluded.root = '', name, excluded.name), root = iif(excluded.root = '', root, excluded.root)", identity, name, root, at)
        case Reinforce(memory_id, amount, at, note):
            if not run(db, "update memory set reinforcements = max(0, reinforcements + ?), reinforced_at = case when ? > 0 then max(reinforced_at, ?) "
                       "else reinforced_at end where id = ?", amount, amount, at, memory_id):
                raise Stale(memory_id)
            run(db, "insert into note values (?, ?, ?, ?)", memory_id, at, "reinforced" if amount >= 0 else "weakened", note)
        case AddFailure():
            _add_failure(db, write)
        case NoteStep(numbers, command, most):
            for n, before in fetch(db, f"select n, steps from failure where n in ({_marks(numbers)}) and status = 'open'", numbers):
                steps = json.loads(before)
                if steps[-1:] != [command]:  # the same again is a repetition, or the event that came twice
                    run(db, "update failure set steps = ? where n = ?", json.dumps([*steps, command][-most:], ensure_ascii=False), n)
        case CloseFailure(n, fix, at):
            run(db, "update failure set status = 'fixed', fix = ?, fixed_at = ? where n = ? and status = 'open'", fix, at, n)
        case LeaveFailures(session):
            run(db, "update failure set status = 'left' where session = ? and status = 'open'", session)
        case AddReceipt(at, project, session, event, chars, ids):
            if fetch(db, f"select 1 from receipt where session = ? and event = ? and at > ? and session <> '' and {_HELD}", (session, event, at - TWICE_S)):
                raise Stale(event)
            run(db, "insert into receipt(at, project, session, event, chars, ids) values (?, ?, ?, ?, ?, ?)", at, project, session, event, chars, json.dumps(ids))
        case MarkUsed(session, cited):
            for n, ids, used in fetch(db, "select n, ids, used from receipt where session = ?", (session,)):
                now = [i for i in json.loads(ids) if i in cited or i in json.loads(used)]
                run(db, "update receipt set used = ? where n = ?", json.dumps(now), n)
        case TouchSession(session, project, at, prompts, fresh, over, emptied):
            run(db, "insert into session(id, project, started_at, seen_at, prompts, ended_at) values (?, ?, ?, ?, ?, ?) on conflict do update set "
                "started_at = max(started_at, excluded.started_at), seen_at = excluded.seen_at, ended_at = excluded.ended_at, "
                "prompts = excluded.prompts + case when ? then 0 else prompts end",
                session, project, at if emptied else 0.0, at, prompts, at if over else None, fresh)
        case ForgetSessions(sessions, projects):
            _forget_sessions(db, sessions)
            run(db, f"delete from project where identity in ({_marks(projects)})", *projects)
        case TimeHook(at, event, ms, most):
            if run(db, "update hook_time set ms = ? where at = ? and event = ?", ms, at, event):
                return  # this hook has left a time before it told something
            run(db, "insert into hook_time(at, event, ms) values (?, ?, ?)", at, event, ms)
            run(db, "delete from hook_time where n <= ?", db.last_insert_rowid() - most)
        case _:
            assert_never(write)


def in_transaction(db: apsw.Connection, writes: Sequence[W], apply: Callable[[apsw.Connection, W], None]) -> Applied:
    """All of these or none, whatever `apply` raises; a Stale is an answer."""
    db.execute("begin immediate").fetchall()
    try:
        for write in writes:
            apply(db, write)
        db.execute("commit").fetchall()
    except Stale as stale:
        db.execute("rollback").fetchall()
        return Applied(stale=(stale.memory_id,))
    except BaseException:
        if not db.get_autocommit():
            db.execute("rollback").fetchall()
        raise
    return Applied()


def _add_failure(db: apsw.Connection, write: AddFailure) -> None:
    """Once more, when it is open in this session already; what passed in between did not help."""
    if write.event and fetch(db, "select 1 from failure where event = ?", (write.event,)):
        return
    for n, tried, steps in fetch(db, "select n, tried, steps from failure where session = ? and fingerprint = ? and status = 'open'", (write.session, write.fingerprint)):
        helpless = list(dict.fromkeys([*json.loads(tried), *json.loads(steps)]))
        run(db, "update failure set times = times + 1, tried = ?, steps = '[]', event = ? where n = ?", json.dumps(helpless, ensure_ascii=False), write.event, n)
        return
    run(db, "insert into failure(fingerprint, shape, command, error, project, session, at, event) values (?,?,?,?,?,?,?,?)", write.fingerprint, write.shape,
        write.command, write.error, write.project, write.session, write.at, write.event)


def _forget_sessions(db: apsw.Connection, sessions: Sequence[str]) -> None:
    """The last hook of a session, and each that told it something, began when its row or receipt says."""
    of = f"in ({_marks(sessions)})"
    run(db, f"delete from hook_time where at in (select seen_at from session where id {of} union select at from receipt where session {of})", *sessions, *sessions)
    told = run(db, f"delete from receipt where session {of}", *sessions)
    run(db, "update counter set value = max(0, value - ?) where name = 'injections'", told)
    run(db, f"delete from session where id {of}", *sessions)


# ---- reads, for hooks and for every other door

def kept(db: apsw.Connection, name: str) -> str:
    rows = fetch(db, "select value from kept where name = ?", (name,))
    return rows[0][0] if rows else ""


def joined(db: apsw.Connection) -> dict[str, str]:
    """Identities that count as another."""
    return dict(fetch(db, "select identity, into_identity from project where into_identity <> ''"))


def named(db: apsw.Connection, name: str) -> list[str]:
    """Identities of the projects that people call by this name; where none is written so, those whose name differs in capitals only."""
    known = fetch(db, "select identity, into_identity, name from project order by identity")
    exact = [row for row in known if row[2] == name]
    return [into or identity for identity, into, called in exact or known if exact or called.casefold() == name.casefold()]


def failures(db: apsw.Connection, *, projects: Sequence[str], shape: str = "", session: str = "", limit: int = 20) -> list[Failure]:
    """Failures of these projects: of one command, or those open in a session. Newest first."""
    where, args = f"project in ({_marks(projects)})", list(projects)
    where, args = (f"{where} and session = ? and status = 'open'", [*args, session]) if session else (f"{where} and shape = ?", [*args, shape])
    rows = fetch(db, f"select {FAILURE_COLUMNS} from failure where {where} order by n desc limit ?", (*args, limit))
    return [Failure._make((*row[:7], tuple(json.loads(row[7])), tuple(json.loads(row[8])), *row[9:])) for row in rows]


def pending(db: apsw.Connection, projects: Sequence[str], limit: int) -> list[Episode]:
    """The last pending episodes of a project that became no memory, oldest first."""
    rows = fetch(db, f"select {EPISODE_COLUMNS} from (select * from episode where status = 'pending' and project in ({_marks(projects)}) and memory_id = '' "
                     "order by n desc limit ?) order by n", (*projects, limit))
    return [Episode._make((*row[:8], bool(row[8]), *row[9:])) for row in rows]


def standing(db: apsw.Connection, scopes: Sequence[str], kinds: Sequence[str], limit: int) -> list[Noted]:
    """Trusted memories that hold whatever the session is about: pinned ones and these kinds; pinned, important and new first."""
    return _noted(db, f"m.scope in ({_marks(scopes)}) and m.status = 'active' and m.origin in ('user', 'agent') "
                      f"and (m.pinned or m.kind in ({_marks(kinds)})) order by m.pinned desc, m.importance desc, m.n desc limit ?", *scopes, *kinds, limit)


def weighty(db: apsw.Connection, scopes: Sequence[str], least: float, limit: int) -> list[Noted]:
    """Trusted memories of at least this importance, the newest `limit`."""
    return _noted(db, f"m.scope in ({_marks(scopes)}) and m.status = 'active' and m.origin in ('user', 'agent') and m.importance >= ? "
                      "order by m.n desc limit ?", *scopes, least, limit)


def replaced(db: apsw.Connection, scopes: Sequence[str], since: float, limit: int) -> list[tuple[Noted, str]]:
    """Trusted memories made since then that took the place of another, each with the text it replaced, the newest first."""
    rows = fetch(db, f"select {_NOTED}, (select o.content from memory o where o.superseded_by = m.id order by o.n desc limit 1) as was from memory m "
                     f"where m.scope in ({_marks(scopes)}) and m.status = 'active' and m.origin in ('user', 'agent') and m.created_at > ? "
                     "and was is not null order by m.n desc limit ?", (*scopes, since, limit))
    return [(Noted(*row[:-1]), row[-1]) for row in rows]


def receipts(db: apsw.Connection, *, session: str = "", memory_id: str = "", limit: int = 100) -> list[dict[str, Any]]:
    """What was put before an agent, newest first: of one session, with one memory in it, or all."""
    where, args = "1", []
    if session:
        where, args = "session = ?", [session]
    elif memory_id:
        where, args = "instr(ids, ?)", [json.dumps(memory_id)]
    rows = fetch(db, f"select at, project, session, event, chars, ids, used from receipt where {where} order by n desc limit ?", (*args, limit))
    return [{"at": at, "project": project, "session": of, "event": event, "chars": chars, "ids": json.loads(ids), "used": json.loads(used)}
            for at, project, of, event, chars, ids, used in rows]


def told(db: apsw.Connection, session: str) -> frozenset[str]:
    """Ids of all that a session was told since its context was empty, and of the memories that sleep has made of the episodes among them since."""
    given = fetch(db, f"select ids from receipt where session = ? and {_HELD}", (session,))
    ids = {i for (some,) in given for i in json.loads(some)}
    became = fetch(db, f"select memory_id from episode where id in ({_marks(tuple(ids))}) and memory_id <> ''", tuple(ids))
    return frozenset(ids.union(memory_id for (memory_id,) in became))


def prompts(db: apsw.Connection, session: str) -> int:
    """How many a session has had since it started or was compacted, with what a finished recall adds to them: below hook.TRIES another may be tried."""
    rows = fetch(db, "select prompts from session where id = ?", (session,))
    return rows[0][0] if rows else 0


def waiting(db: apsw.Connection, projects: Sequence[str], besides: str = "") -> int:
    """Pending episodes of a project, those of one session apart."""
    return fetch(db, f"select count(*) from episode where status = 'pending' and project in ({_marks(projects)}) and (? = '' or session <> ?)",
                 (*projects, besides, besides))[0][0]


def gather(db: apsw.Connection, scopes: Sequence[str], projects: Sequence[str], kinds: Sequence[str], least: float, since: float
           ) -> tuple[list[Noted], list[Noted], list[tuple[Noted, str]], list[Episode]]:
    """All that a brief is made of: what holds always (these kinds), what is at least so important, what replaced something since, what was said lately."""
    return (standing(db, scopes, kinds, 60), weighty(db, scopes, least, 200), replaced(db, scopes, since, 20) if since else [],
            pending(db, projects, 40) if projects else [])


def last_told(db: apsw.Connection, projects: Sequence[str], besides: str) -> float:
    """When a session of this project, this one apart, was last given something; 0.0 when never."""
    rows = fetch(db, f"select max(at) from receipt where project in ({_marks(projects)}) and session <> ?", (*projects, besides))
    return rows[0][0] or 0.0


class HookState(NamedTuple):
    """What the hooks have done: moments in seconds since 1970 (None: never), the last times in milliseconds, texts refused by the firewall, characters
    of texts that were too long to be kept whole."""

    last_capture: float | None
    last_injection: float | None
    times_ms: tuple[float, ...]
    refused: int
    cut: int = 0

    @property
    def p95_ms(self) -> float:
        """95 of 100 hooks took at most so long; 0.0 when none ran."""
        ordered = sorted(self.times_ms)
        return ordered[min(len(ordered) - 1, int(len(ordered) * 0.95))] if ordered else 0.0


def hook_state(db: apsw.Connection) -> HookState:
    # Some clients number no events: what was said in a session that hooks have seen came by them too.
    last = fetch(db, "select (select max(at) from episode where event <> '' or session in (select id from session)), (select max(at) from receipt), "
                     "(select value from counter where name = 'refused'), (select value from counter where name = 'cut')")[0]
    return HookState(last[0], last[1], tuple(ms for (ms,) in fetch(db, "select ms from hook_time order by n")), last[2] or 0, last[3] or 0)


_NOTED = ("m.id, m.content, m.scope, m.origin, m.kind, m.importance, m.pinned, m.reinforcements, m.reinforced_at, m.created_at, m.valid_from, m.n")


def _noted(db: apsw.Connection, where: str, *args: Any) -> list[Noted]:
    return [Noted(*row) for row in fetch(db, f"select {_NOTED} from memory m where {where}", args)]


def _marks(values: Sequence[str]) -> str:
    return ",".join("?" * len(values))


class Buffer:
    """The file as a hook opens it. Every call may raise apsw.Error or StoreUnavailable: the hook puts its writes aside then. Where it may only be read,
    so does every write."""

    hurried = False

    def __init__(self, path: str, *, now: float, busy_ms: int, read_only: bool = False):
        self.path, self.read_only = path, read_only
        self.db, _ = connect(path, now=now, busy_ms=busy_ms, read_only=read_only, hook=True)

    def kept(self, name: str) -> str:
        return kept(self.db, name)

    def named(self, name: str) -> list[str]:
        return named(self.db, name)

    def joined(self) -> dict[str, str]:
        return joined(self.db)

    def failures(self, **wanted: Any) -> list[Failure]:
        return failures(self.db, **wanted)

    def receipts(self, **wanted: Any) -> list[dict[str, Any]]:
        return receipts(self.db, **wanted)

    def told(self, session: str) -> frozenset[str]:
        return told(self.db, session)

    def gather(self, *wanted: Any) -> Any:
        return gather(self.db, *wanted)

    def prompts(self, session: str) -> int:
        return 1_000 if self.read_only else prompts(self.db, session)  # no recall can be noted there: every prompt would be the first

    def pending(self, projects: Sequence[str], limit: int) -> list[Episode]:
        return pending(self.db, projects, limit)

    def waiting(self, projects: Sequence[str], besides: str = "") -> int:
        return waiting(self.db, projects, besides)

    def last_told(self, projects: Sequence[str], besides: str) -> float:
        return last_told(self.db, projects, besides)

    def aside(self) -> bool:
        """Does something lie beside the file that another hook could not bring in?"""
        return os.path.exists(self.path + ASIDE)

    def hurry(self) -> None:
        """From now on a held file is not waited for."""
        self.db.set_busy_timeout(0)
        self.hurried = True

    def strengths(self, ids: Sequence[str]) -> dict[str, float]:
        """Reinforcements of those that are memories."""
        return dict(fetch(self.db, f"select id, reinforcements from memory where id in ({_marks(ids)})", list(ids)))

    def apply(self, writes: Sequence[BufferWrite]) -> Applied:
        """All or nothing, on the disk on return."""
        return in_transaction(self.db, writes, apply_buffer)
