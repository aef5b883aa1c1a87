"""Is the file whole: checks that SQLite's own cannot make, and plain words for its errors."""
from __future__ import annotations

import os
from typing import TYPE_CHECKING

import apsw

from .schema import LAYOUT, WAL_SAFE
from .statement import one, run

if TYPE_CHECKING:
    from .sqlite import SqliteStore

SIDE_FILES = ("", "-wal", "-shm")
CHECKED_BYTES = 64 * 2**20  # of a file that health looks through whole, within a second
WRONG_VECTORS = ("with usual(identity, size) as (select identity, size from (select identity, length(vec) as size, row_number() over "
                 "(partition by identity order by count(*) desc, max(id)) as rank from vector group by identity, length(vec)) where rank = 1) "
                 "select v.id from vector v join usual u on u.identity = v.identity where length(v.vec) <> u.size or typeof(v.vec) <> 'blob' "
                 "or not exists (select 1 from memory m where m.n = v.n)")


def words_out_of_step(db: apsw.Connection) -> bool:
    """Cheap, at each opening: the index holds as many rows as there are memories."""
    try:
        return bool(one(db, "select (select count(*) from fts_docsize) <> (select count(*) from memory)"))
    except apsw.Error:
        return True


def words_broken(db: apsw.Connection) -> bool:
    """The index's own check against the texts; the file's integrity check says ok although this one fails."""
    try:
        run(db, "insert into fts(fts, rank) values ('integrity-check', 1)")
    except (apsw.CorruptError, apsw.SQLError):
        return True
    except apsw.Error:
        return False
    return False


def rebuild_words(db: apsw.Connection) -> None:
    """The index anew from the texts. Shadow tables too damaged to be rebuilt are dropped and made again."""
    try:
        run(db, "insert into fts(fts) values ('rebuild')")
        if not words_broken(db):
            return
    except (apsw.CorruptError, apsw.SQLError):
        pass
    run(db, "begin immediate")
    try:
        # Without its format number the index can be neither read nor dropped.
        run(db, "create table if not exists fts_config(k primary key, v) without rowid")
        run(db, "insert or replace into fts_config values ('version', 4)")
        run(db, "drop table if exists fts_at")
        run(db, "drop table if exists fts")
        run(db, "create virtual table fts using fts5(words, content='memory', content_rowid='n', tokenize='unicode61 remove_diacritics 0')")
        run(db, "create virtual table fts_at using fts5vocab('fts', 'instance')")
        run(db, "insert into fts(fts) values ('rebuild')")
        run(db, "commit")
    except BaseException:
        run(db, "rollback")
        raise


def explain(path: str, error: apsw.Error) -> str:
    """One sentence for a person: what, where, what to do."""
    if isinstance(error, apsw.BusyError | apsw.LockedError):
        return f"{path} is held by another process for longer than the time-out; try again. Nothing was written."
    if isinstance(error, apsw.FullError):
        return f"The disk of {path} is full; nothing was written. Free some space and try again."
    if isinstance(error, apsw.ReadOnlyError | apsw.PermissionsError):
        return f"{path} cannot be written (read-only); nothing was written. Give it back its write permission."
    if isinstance(error, apsw.IOError):
        return f"{path} cannot be read or written ({error}); nothing was written. Check the disk, its quota and the limits on file sizes."
    if isinstance(error, apsw.CorruptError | apsw.NotADBError):
        return f"{path} is damaged ({error}). It was left as it is; `mnemos recover` saves what can be read into a new file."
    return f"{path}: {error}"


def file_bytes(path: str, db: apsw.Connection) -> int:
    """Size of the file and its side files, in bytes; of the pages for ':memory:'."""
    if path == ":memory:":
        return int(one(db, "select page_count * page_size from pragma_page_count(), pragma_page_size()") or 0)
    return sum(os.path.getsize(path + side) for side in SIDE_FILES if os.path.exists(path + side))


def _row(name: str, status: str, detail: str, effect: str = "", remedy: str = "") -> dict[str, str]:
    return {"name": name, "status": status, "detail": detail, "effect": effect, "remedy": remedy}


def _sqlite(store: SqliteStore) -> dict[str, str]:
    version = apsw.sqlite_lib_version()
    if apsw.SQLITE_VERSION_NUMBER < WAL_SAFE:
        return _row("sqlite", "warn", f"SQLite {version}", "an old fault of the write-ahead log may damage the file when several processes write",
                    "update apsw to 3.54.1 or newer")
    journal = one(store.db, "pragma journal_mode")
    if not store.read_only and journal not in ("wal", "memory"):
        return _row("sqlite", "warn", f"SQLite {version} with a rollback journal: this file system gives no shared memory for the write-ahead log",
                    "the same safety; stores are slower and wait for recalls of other processes", "keep the database on a local disk (MNEMOS_SQLITE_PATH)")
    return _row("sqlite", "ok", f"SQLite {version}, layout {LAYOUT}")


def _words(store: SqliteStore) -> dict[str, str]:
    if not store.read_only and words_broken(store.db):
        rebuild_words(store.db)
        store.repaired = "the word index was damaged and was rebuilt from the texts"
    if store.repaired:
        return _row("word_index", "warn", store.repaired, "none any more: no memory was lost", "none needed; if it happens again, check the disk")
    return _row("word_index", "ok", "agrees with the texts")


def _vectors(store: SqliteStore) -> dict[str, str]:
    if store.vectors_missing:
        return _row("vector_search", "ok", f"by numpy: {store.vectors_missing}", "the same results, a little slower in large stores",
                    "pip install sqlite-vec, where it exists for this platform")
    return _row("vector_search", "ok", "by sqlite-vec's functions inside SQLite")


def _vector_rows(store: SqliteStore) -> dict[str, str] | None:
    """Every vector belongs to a memory and has the size of its kind. Vectors are derived: damaged ones go, and are made again."""
    if file_bytes(store.path, store.db) > CHECKED_BYTES:
        return None
    wrong = [n for (n,) in store.db.execute(WRONG_VECTORS).fetchall()]
    if not wrong:
        return _row("vector_rows", "ok", "each belongs to a memory")
    if store.read_only:
        return _row("vector_rows", "warn", f"{len(wrong)} vectors are damaged", "those memories are found by keyword", "give the file write permission")
    marks = ",".join(map(str, wrong))
    run(store.db, f"delete from vector where id in ({marks})")
    return _row("vector_rows", "warn", f"{len(wrong)} vectors were damaged and were removed", "those memories are found by keyword until they have new ones",
                "none needed: an idle server makes them; `mnemos reembed` does it at once. If it happens again, check the disk")


def _disk(store: SqliteStore) -> dict[str, str]:
    if store.path == ":memory:":
        return _row("store", "warn", "in memory", "everything is gone when this process ends", "set MNEMOS_STORE_TYPE=sqlite")
    if store.read_only:
        return _row("store", "fail", f"{store.path} is open for reading only", "nothing new is kept", "give the file and its folder write permission")
    if not os.access(os.path.dirname(store.path) or ".", os.W_OK) or not os.access(store.path, os.W_OK):
        return _row("store", "fail", f"{store.path} cannot be written", "nothing new is kept", "give the file and its folder write permission")
    try:
        run(store.db, "begin immediate")
        run(store.db, "insert into kept values ('health', '1') on conflict do update set value = excluded.value")
    except apsw.Error as error:
        return _row("store", "fail", explain(store.path, error), "nothing new is kept", "see the message")
    finally:
        if not store.db.get_autocommit():
            run(store.db, "rollback")
    if store.moved:
        return _row("store", "warn", f"{store.path}: {store.moved}", "memories of the former file are not recalled from here",
                    "stop the clients before a database is moved, restored or deleted; `mnemos backup` copies one in use")
    return _row("store", "ok", f"{store.path} can be written")


def _pages(store: SqliteStore) -> dict[str, str]:
    """SQLite's own check in its quick form, on files small enough to answer within a second."""
    if file_bytes(store.path, store.db) > CHECKED_BYTES:
        return _row("file", "ok", "not checked page by page here (large file); `mnemos recover --check` does")
    said = one(store.db, "pragma quick_check(1)")
    if said != "ok":
        return _row("file", "fail", str(said), "some memories may be unreadable", "mnemos recover")
    return _row("file", "ok", "SQLite's check passes")


def check(store: SqliteStore) -> list[dict[str, str]]:
    """Every check that concerns the file; none raises."""
    rows = []
    # The index first: where it is damaged SQLite's own check of the file fails on it, and it can be mended.
    for name, part in (("sqlite", _sqlite), ("store", _disk), ("word_index", _words), ("file", _pages), ("vector_search", _vectors), ("vector_rows", _vector_rows)):
        try:
            row = part(store)
            rows += [row] if row else []
        except apsw.Error as error:
            rows.append(_row(name, "fail", explain(store.path, error), "see the message", "mnemos recover"))
    return rows
