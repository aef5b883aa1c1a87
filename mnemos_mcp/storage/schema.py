"""The layout of the file as numbered steps, and the one way to open it.

A step and its record are one transaction; several processes may start on the same fresh or old file at once.
"""
from __future__ import annotations

import time

import apsw

from ..errors import StoreUnavailable
from .statement import one

BUSY_MS = 20_000
# WAL-reset fault of SQLite 3.7.0-3.51.2 (see sqlite.org/wal.html): needs several writers, which servers, hooks and CLI are.
WAL_SAFE = 3_051_003

# The two long texts come last: a row's small columns are then read without its overflow pages.
MEMORY_COLUMNS = """
  n integer primary key autoincrement, id text not null unique, scope text not null, status text not null, length integer not null,
  windows integer not null default 1, version integer not null, valid_from real not null, valid_to real, session text not null, text_hash text not null,
  origin text not null, kind text not null, role text not null, key text not null, tags text not null, importance real not null, surprisal real not null,
  valence real not null, arousal real not null, complexity real not null, sectors text not null, pinned integer not null, created_at real not null,
  superseded_by text not null default '', reason text not null default '', reinforcements real not null default 0, reinforced_at real not null,
  recalls integer not null default 0, recalled_at real, content text not null, words text not null"""

FIRST = (
    f"create table memory({MEMORY_COLUMNS})",
    # One current value for a key and one memory for a text, by construction: two writers that race cannot both win.
    "create unique index memory_text on memory(scope, text_hash) where status = 'active'",
    "create unique index memory_key on memory(scope, key) where status = 'active' and key <> ''",
    "create index memory_view on memory(scope, status, n, length)",
    "create index memory_session on memory(session, n)",
    "create index memory_chain on memory(superseded_by) where superseded_by <> ''",
    "create table tag(n integer not null references memory(n) on delete cascade, tag text not null, primary key(n, tag)) without rowid",
    # Ids are never used twice, so that a warm process can ask for what came after the last one it has seen.
    "create table vector(id integer primary key autoincrement, n integer not null references memory(n) on delete cascade, part integer not null, "
    "identity text not null, vec blob not null)",
    "create unique index vector_window on vector(n, identity, part)",
    "create index vector_identity on vector(identity, id)",
    "create table revision(memory_id text not null, version integer not null, content text not null, valid_from real not null, "
    "valid_to real not null, reason text not null, primary key(memory_id, version)) without rowid",
    "create table edge(a text not null, b text not null, kind text not null, weight real not null, primary key(a, b, kind)) without rowid",
    "create index edge_back on edge(b)",
    "create table note(memory_id text not null, at real not null, what text not null, detail text not null)",
    "create index note_memory on note(memory_id)",
    "create table recall(memory_id text not null, at real not null, query text not null)",
    "create index recall_memory on recall(memory_id, at)",
    "create table episode(n integer primary key autoincrement, id text not null unique, content text not null, project text not null, "
    "session text not null, role text not null, origin text not null, at real not null, kind text not null, durable integer not null, "
    "surprisal real not null, status text not null, memory_id text not null, event text not null)",
    "create unique index episode_event on episode(event) where event <> ''",
    "create index episode_pending on episode(status, project, n)",
    "create index episode_memory on episode(memory_id) where memory_id <> ''",
    "create table run(id text primary key, at real not null, project text not null, diff text not null, undone_at real) without rowid",
    "create table run_change(run_id text not null, kind text not null, item_id text not null, leads_to text not null, before text not null, "
    "primary key(run_id, kind, item_id)) without rowid",
    "create table project(identity text primary key, name text not null, root text not null, seen_at real not null, into_identity text not null default '') without rowid",
    "create table kept(name text primary key, value text not null) without rowid",
    "create table counter(name text primary key, value integer not null) without rowid",
    "create virtual table fts using fts5(words, content='memory', content_rowid='n', tokenize='unicode61 remove_diacritics 0')",
    "create virtual table fts_at using fts5vocab('fts', 'instance')",
    "create trigger memory_added after insert on memory begin insert into fts(rowid, words) values (new.n, new.words); end",
    "create trigger memory_gone after delete on memory begin insert into fts(fts, rowid, words) values ('delete', old.n, old.words); end",
    # Only a change of the words touches the index: counting a recall never does.
    "create trigger memory_reworded after update of words on memory begin insert into fts(fts, rowid, words) values ('delete', old.n, old.words); "
    "insert into fts(rowid, words) values (new.n, new.words); end",
)
SECOND = (
    # Failing commands by fingerprint: what was tried, what fixed them. `steps` are the commands since, a JSON list, `tried` those that did not help.
    "create table failure(n integer primary key autoincrement, fingerprint text not null, shape text not null, command text not null, error text not null, "
    "project text not null, session text not null, at real not null, times integer not null default 1, tried text not null default '[]', "
    "steps text not null default '[]', status text not null default 'open', fix text not null default '', fixed_at real, event text not null default '')",
    "create index failure_shape on failure(project, shape)",
    "create index failure_open on failure(session) where status = 'open'",
    # What a hook put before the agent: which memories, how many characters, and how many of them were used later.
    "create table receipt(n integer primary key autoincrement, at real not null, project text not null, session text not null, event text not null, "
    "chars integer not null, ids text not null, used text not null default '[]')",
    "create index receipt_session on receipt(session)",
    "create index receipt_project on receipt(project, n)",
    # Sessions as the hooks see them: since when they were empty (start, clear, compaction), prompts since then, and whether an end was heard.
    "create table session(id text primary key, project text not null, started_at real not null, seen_at real not null, prompts integer not null default 0, "
    "ended_at real) without rowid",
    "create table hook_time(n integer primary key autoincrement, at real not null, event text not null, ms real not null)",
)
MIGRATIONS: tuple[tuple[str, ...], ...] = (FIRST, SECOND)
LAYOUT = len(MIGRATIONS)


def driver_versions() -> dict[str, str]:
    """Of the one SQLite in the process."""
    return {"sqlite": apsw.sqlite_lib_version(), "apsw": apsw.apsw_version()}


def vector_extension() -> str | None:
    """Path of sqlite-vec's library, found without importing the package (which would import numpy: 130 ms)."""
    import importlib.util
    from pathlib import Path
    spec = importlib.util.find_spec("sqlite_vec")
    folder = next(iter(spec.submodule_search_locations or ()), None) if spec else None
    if folder is None:
        return None
    return next((str(Path(folder, name)) for name in ("vec0.so", "vec0.dylib", "vec0.dll") if Path(folder, name).exists()), None)


def _load_vectors(db: apsw.Connection) -> str:
    """'' when sqlite-vec's functions are there, else the reason in one sentence."""
    path = vector_extension()
    if path is None:
        return "the sqlite-vec package is not installed"
    try:
        db.enable_load_extension(True)
        db.load_extension(path)
        db.enable_load_extension(False)
    except (apsw.Error, AttributeError) as error:
        return f"sqlite-vec does not load: {error}"
    return ""


def _use_wal(db: apsw.Connection, busy_ms: int) -> None:
    """Switching to WAL takes the file for itself and does not honour the busy time-out; six first starts at once meet here. Who may wait less than
    the others (a hook, which is ended when it waits for long) goes away with BusyError."""
    for _ in range(max(1, min(200, busy_ms // 20))):
        try:
            if one(db, "pragma journal_mode=wal") in ("wal", "memory"):
                break
        except apsw.BusyError:
            pass
        time.sleep(0.02)
    else:
        if busy_ms < BUSY_MS:
            raise apsw.BusyError("others are beginning this file")
    one(db, "select count(*) from sqlite_schema")  # the log is opened by the first read


def _recognise(db: apsw.Connection, path: str) -> int:
    """The layout of the file, before anything is changed in it. Raises StoreUnavailable for a newer one and for another program's."""
    # In this order: tables and number come in one commit, and another process may make it between these two reads.
    filled = one(db, "select exists(select 1 from sqlite_schema)")
    layout = int(one(db, "pragma user_version") or 0)
    if layout > LAYOUT:
        raise StoreUnavailable(f"{path} has layout {layout}; this program knows layouts up to {LAYOUT}. Nothing was changed: update mnemos-mcp to open it.")
    if layout == 0 and filled:
        raise StoreUnavailable(f"{path} is a database of another program. Nothing was changed: give another path in MNEMOS_SQLITE_PATH.")
    return layout


def _open_for_writing(path: str, busy_ms: int) -> apsw.Connection:
    """With the write-ahead log. Where processes cannot share memory (some network and container file systems) it does not work: the
    rollback journal does, more slowly, and health names it. A file that is in WAL already is led back by opening it alone once."""
    db = apsw.Connection(path)
    db.set_busy_timeout(busy_ms)
    try:
        _recognise(db, path)
        _use_wal(db, busy_ms)
        return db
    except (apsw.CantOpenError, apsw.IOError):
        db.close()
    except BaseException:
        db.close()
        raise
    db = apsw.Connection(path)
    db.set_busy_timeout(busy_ms)
    for statement in ("pragma locking_mode=exclusive", "select count(*) from sqlite_schema", "pragma journal_mode=delete", "pragma locking_mode=normal",
                      "select count(*) from sqlite_schema"):  # the lock goes with the first use after that
        db.execute(statement).fetchall()
    return db


def _migrate(db: apsw.Connection, path: str, now: float) -> None:
    layout = _recognise(db, path)
    while layout < LAYOUT:
        db.execute("begin immediate").fetchall()
        try:
            layout = _recognise(db, path)
            if layout < LAYOUT:
                for statement in MIGRATIONS[layout]:
                    db.execute(statement).fetchall()
                if layout == 0:
                    # All that will ever be in this file passes the rules of today. Imported here: most hooks open a file and screen nothing.
                    from ..mechanisms.firewall import RULES
                    db.execute("insert into kept values ('swept', ?)", (str(RULES),)).fetchall()
                layout += 1
                db.execute("create table if not exists migration(number integer primary key, at real not null)").fetchall()
                db.execute("insert into migration values (?, ?)", (layout, now)).fetchall()
                db.execute(f"pragma user_version={layout}").fetchall()
            db.execute("commit").fetchall()
        except BaseException:
            db.execute("rollback").fetchall()
            raise


def _open_read_only(path: str) -> apsw.Connection:
    """Where not even the side files of the log may be written, the file is read as it stands."""
    db = apsw.Connection(path, flags=apsw.SQLITE_OPEN_READONLY)
    try:
        one(db, "select count(*) from sqlite_schema")
    except (apsw.CantOpenError, apsw.ReadOnlyError):
        from urllib.parse import quote
        db.close()
        db = apsw.Connection(f"file:{quote(path)}?immutable=1", flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)
    return db


def connect(path: str, *, now: float, busy_ms: int = BUSY_MS, read_only: bool = False, vector_functions: bool = True, hook: bool = False) -> tuple[apsw.Connection, str]:
    """The one way to open the file. Returns the connection and '' or why sqlite-vec's functions are missing. `hook`: for rows only, and quick to leave.

    Raises StoreUnavailable naming the file: not a database, damaged, newer layout, cannot be opened.
    """
    try:
        db = _open_read_only(path) if read_only else _open_for_writing(path, busy_ms)
        try:
            db.set_busy_timeout(busy_ms)
            if not read_only:
                db.execute("pragma synchronous=full").fetchall()
                db.execute("pragma secure_delete=on").fetchall()
                db.execute("pragma foreign_keys=on").fetchall()
                _migrate(db, path, now)
            elif int(one(db, "pragma user_version") or 0) > LAYOUT:
                raise StoreUnavailable(f"{path} has a newer layout than this program knows: update mnemos-mcp to open it.")
            if hook:
                # A hook that is the last to leave must not stay to empty the log: that is three more waits for the disk.
                db.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
                return db, "not needed"
            # Of this connection alone: how many memories hold a word, in the whole file, without reading them.
            db.execute("create virtual table temp.fts_row using fts5vocab(main, fts, row)").fetchall()
            missing = _load_vectors(db) if vector_functions else "switched off"
        except BaseException:
            db.close()
            raise
    except (apsw.NotADBError, apsw.CorruptError) as error:
        raise StoreUnavailable(f"{path} is damaged or no mnemos file ({error}). It was left as it is; `mnemos recover` saves what can be read into a new file.") from error
    except apsw.Error as error:
        raise StoreUnavailable(f"{path} cannot be opened: {error}. Check that the folder exists and can be written, or set MNEMOS_SQLITE_PATH.") from error
    return db, missing
