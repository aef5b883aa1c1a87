"""Every change to the database, one value of the Write union at a time, inside the caller's transaction."""
from __future__ import annotations

import itertools
import json
from collections.abc import Sequence
from typing import Any

import apsw

from ..writes import (
    AddMemory,
    AddRevision,
    AddVectors,
    JoinProjects,
    JudgeEpisode,
    Link,
    MarkRecalled,
    Mask,
    Move,
    Pin,
    RecordFailure,
    RecordRun,
    Remove,
    Revise,
    SettleEpisodes,
    Shorten,
    Supersede,
    UndoRun,
    Write,
)
from . import sweeping
from .buffer import apply_buffer
from .rows import row_of
from .runs import record_run, undo_run
from .statement import Stale, fetch, run

JOINTLY = 4  # of the best recalled together, every pair gains coactivation
RECALLS_KEPT = 20  # last recalls a memory remembers, for inspect


def _note(db: apsw.Connection, memory_id: str, at: float, what: str, detail: str = "") -> None:
    run(db, "insert into note values (?, ?, ?, ?)", memory_id, at, what, detail)


def _add_vectors(db: apsw.Connection, n: int, identity: str, vectors: Sequence[Any]) -> None:
    for part, vector in enumerate(vectors):
        run(db, "insert or replace into vector(n, part, identity, vec) values (?, ?, ?, ?)", n, part, identity, vector.astype("float32").tobytes())


def _add_memory(db: apsw.Connection, write: AddMemory) -> None:
    memory = write.memory
    row = {**row_of(memory), "words": write.words, "length": write.words.count(" ") + 1, "text_hash": write.text_hash, "windows": write.windows}
    try:
        run(db, f"insert into memory({','.join(row)}) values ({','.join('?' * len(row))})", *row.values())
    except apsw.ConstraintError as error:
        raise Stale(memory.id) from error
    n = db.last_insert_rowid()
    for tag in memory.tags:
        run(db, "insert or ignore into tag values (?, ?)", n, tag)
    _add_vectors(db, n, write.identity, write.vectors)


def _supersede(db: apsw.Connection, write: Supersede) -> None:
    if not run(db, "update memory set status = 'superseded', valid_to = ?, superseded_by = ?, reason = ? where id = ? and version = ? and status = 'active'",
               write.valid_to, write.by, write.reason, write.id, write.version):
        raise Stale(write.id)


def _revise(db: apsw.Connection, write: Revise) -> None:
    run(db, "insert or replace into revision select id, version, content, "
        "coalesce((select max(r.valid_to) from revision r where r.memory_id = memory.id), valid_from), ?, ? from memory where id = ? and version = ?",
        write.at, write.reason, write.id, write.version)
    try:
        changed = run(db, "update memory set content = ?, words = ?, length = ?, text_hash = ?, windows = ?, version = version + 1 "
                      "where id = ? and version = ? and status = 'active'", write.content, write.words, write.words.count(" ") + 1, write.text_hash,
                      write.windows, write.id, write.version)
    except apsw.ConstraintError as error:
        raise Stale(write.id) from error
    if not changed:
        raise Stale(write.id)
    n = fetch(db, "select n from memory where id = ?", (write.id,))[0][0]
    run(db, "delete from vector where n = ?", n)
    _add_vectors(db, n, write.identity, write.vectors)


def _move(db: apsw.Connection, write: Move) -> None:
    try:
        if not run(db, "update memory set status = ?, reason = ?, reinforced_at = case when ? = 'active' then ? else reinforced_at end, "
                   "superseded_by = case when ? = 'active' then '' else superseded_by end, valid_to = case when ? = 'active' then null else valid_to end "
                   "where id = ?", write.status, write.reason, write.status, write.at, write.status, write.status, write.id):
            raise Stale(write.id)
    except apsw.ConstraintError as error:
        raise Stale(write.id) from error
    _note(db, write.id, write.at, write.status, json.dumps({"reason": write.reason, "retention": write.retention}))


def _recalled(db: apsw.Connection, write: MarkRecalled) -> None:
    for memory_id in write.ids:
        run(db, "update memory set recalls = recalls + 1, recalled_at = case when ? then ? else recalled_at end, reinforcements = reinforcements + ? "
            "where id = ?", int(write.labile), write.at, write.amount, memory_id)
        run(db, "insert into recall values (?, ?, ?)", memory_id, write.at, write.query)
        if db.last_insert_rowid() % RECALLS_KEPT:
            continue  # now and then is enough to keep the list short
        run(db, "delete from recall where memory_id = ? and rowid not in (select rowid from recall where memory_id = ? order by rowid desc limit ?)",
            memory_id, memory_id, RECALLS_KEPT)
    for a, b in itertools.combinations(sorted(write.ids[:JOINTLY]), 2):
        run(db, "insert into edge values (?, ?, 'coactivation', 1) on conflict do update set weight = weight + 1", a, b)


def apply_one(db: apsw.Connection, write: Write) -> None:
    """Raises Stale when the row has moved on; the caller rolls back. What a hook may write too is applied where the hook does."""
    match write:
        case AddMemory():
            _add_memory(db, write)
        case AddRevision(r):
            run(db, "insert or ignore into revision values (?, ?, ?, ?, ?, ?)", r.memory_id, r.version, r.content, r.valid_from, r.valid_to, r.reason)
        case SettleEpisodes(ids, memory_id, prune):
            for episode_id in ids:
                if prune:
                    run(db, "delete from episode where id = ?", episode_id)
                    continue
                run(db, "update episode set status = 'consolidated', memory_id = case when ? <> '' then ? else memory_id end where id = ?",
                    memory_id, memory_id, episode_id)
        case JudgeEpisode(episode_id, kind, durable, surprisal):
            run(db, "update episode set kind = ?, durable = ?, surprisal = ? where id = ? and status = 'pending'", kind, int(durable), surprisal, episode_id)
        case Supersede():
            _supersede(db, write)
        case Shorten(memory_id, valid_to):
            run(db, "update memory set valid_to = ? where id = ? and status = 'superseded'", valid_to, memory_id)
        case Revise():
            _revise(db, write)
        case Move():
            _move(db, write)
        case Pin(memory_id, pinned):
            if not run(db, "update memory set pinned = ? where id = ?", int(pinned), memory_id):
                raise Stale(memory_id)
        case MarkRecalled():
            _recalled(db, write)
        case Link(edges):
            for edge in edges:
                a, b = sorted((edge.a, edge.b))
                run(db, "insert into edge values (?, ?, ?, ?) on conflict do update set weight = max(weight, excluded.weight)", a, b, edge.kind, edge.weight)
        case AddVectors(memory_id, version, identity, vectors, windows):
            rows = fetch(db, "select n from memory where id = ? and version = ?", (memory_id, version))
            if not rows:
                raise Stale(memory_id)
            run(db, "update memory set windows = ? where n = ?", windows, rows[0][0])
            _add_vectors(db, rows[0][0], identity, vectors)
        case RecordRun():
            record_run(db, write)
        case UndoRun(run_id, at):
            undo_run(db, run_id, at)
        case JoinProjects(identity, into):
            if not run(db, "update project set into_identity = ? where identity = ?", into, identity):
                raise Stale(identity)
        case Remove():
            sweeping.remove(db, write)
        case Mask():
            sweeping.mask(db, write)
        case RecordFailure():
            _record_failure(db, write)
        case _:
            apply_buffer(db, write)


def _record_failure(db: apsw.Connection, write: RecordFailure) -> None:
    f = write.failure
    known = fetch(db, f"select n, status from failure where session = ? and event in ({','.join('?' * len(write.events))})", (f.session, *write.events))
    tried, steps = (json.dumps(list(values), ensure_ascii=False) for values in (f.tried, f.steps))
    if not known:
        run(db, "insert into failure(fingerprint, shape, command, error, project, session, at, times, tried, steps, status, fix, fixed_at, event) "
                "values (?,?,?,?,?,?,?,?,?,?,?,?,?,?)", f.fingerprint, f.shape, f.command, f.error, write.project, f.session, f.at, f.times, tried, steps,
            f.status, f.fix, f.fixed_at, write.events[-1])
    elif f.status == "fixed" and known[0][1] != "fixed":
        run(db, "update failure set status = 'fixed', fix = ?, fixed_at = ?, tried = ? where n = ?", f.fix, f.fixed_at, tried, known[0][0])
