"""SqliteStore: the one MemoryStore. A file, or ':memory:' by the same code. One guarded connection a process."""
from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import apsw

from ..episode import UNJUDGED
from ..errors import StoreUnavailable
from ..mechanisms.keywords import Keywords
from ..model import Edge, Episode, Found, Memory, Revision, Search, View
from ..private import make_private
from . import aside, buffer, integrity, presence
from .buffer import EPISODE_COLUMNS
from .rows import COLUMNS, episode_of, memory_of
from .schema import BUSY_MS, connect
from .search import inside, search
from .statement import one, run
from .vectors import VectorSearch, of_one_size, pairs_above

if TYPE_CHECKING:
    from ..writes import Applied, Write
    from . import sweeping

T = TypeVar("T")
ORDERS = {"recent": "m.n desc", "sequence": "m.n", "accessed": "coalesce(m.recalled_at, 0) desc, m.n desc"}
FEW = 64  # memories whose pairs SQLite compares faster than numpy is imported


class SqliteStore:
    """See MemoryStore for what each method promises.

    `path`: file or ':memory:'. `clock` gives the time of migrations. `vector_functions=False` computes cosines by numpy
    although sqlite-vec may be there (the same results; for tests and for files that other tools read).
    """

    def __init__(self, path: str, *, clock: Callable[[], float], keywords: Keywords | None = None, busy_ms: int = BUSY_MS,
                 vector_functions: bool = True, read_only: bool = False):
        self.path, self.read_only = path, read_only
        self.keywords = keywords or Keywords()
        self._lock = threading.RLock()
        self._commits = 0  # of this process: the file's own counter tells those of others only
        self._connect = lambda: connect(path, now=clock(), busy_ms=busy_ms, vector_functions=vector_functions, read_only=read_only)
        self.repaired = self.moved = ""
        self.openings = 0
        self._open()

    def _open(self) -> None:
        self.db, self.vectors_missing = self._connect()
        self.vectors = VectorSearch(functions=not self.vectors_missing)
        if not self.read_only and integrity.words_out_of_step(self.db):
            self._rebuild("rows were missing from it")
        self._seen = presence.seen(self.path)
        self._away = self._closed = False
        self.openings += 1

    # ---- reads

    def search(self, query: Search) -> Found:
        return self._guarded(lambda: search(self.db, query, self.vectors, self.keywords))

    def edges(self, ids: Sequence[str], view: View) -> list[Edge]:
        where, args = inside(view, "x")
        marks = ",".join("?" * len(ids))
        sql = (f"select e.a, e.b, e.kind, e.weight from edge e cross join memory x on x.id = e.b where e.a in ({marks}) and {where} "
               f"union select e.a, e.b, e.kind, e.weight from edge e cross join memory x on x.id = e.a where e.b in ({marks}) and {where}")
        return [Edge(*row) for row in self._rows(sql, *ids, *args, *ids, *args)]

    def find(self, prefix: str, view: View | None) -> list[Memory]:
        exact = self._memories("m.id = ?", view, prefix)
        if exact or len(prefix) < 6:
            return exact
        return self._memories("substr(m.id, 1, ?) = ?", view, len(prefix), prefix)

    def load(self, ids: Sequence[str], view: View) -> list[Memory]:
        where, args = inside(view)
        rows = self._rows(f"select {COLUMNS} from (select n from memory where id in ({','.join('?' * len(ids))})) k cross join memory m on m.n = k.n where {where}",
                          *ids, *args)
        return [memory_of(row) for row in rows]

    def same(self, view: View, *, text_hash: str = "", key: str = "") -> list[Memory]:
        where, args = inside(view)
        # Two questions, each answered by its own index; one with "or" would walk the whole view.
        asked = [("m.text_hash = ?", text_hash), ("m.key <> '' and m.key = ?", key)]
        rows = {row[0]: row for test, value in asked if value for row in self._rows(f"select {COLUMNS} from memory m where {where} and {test}", *args, value)}
        return sorted((memory_of(row) for row in rows.values()), key=lambda m: m.sequence)

    def keyed(self, view: View, key: str) -> list[Memory]:
        """Every memory that ever had this key in the view, whatever its status, oldest first."""
        where, args = self._any_time(view)
        return [memory_of(row) for row in self._rows(f"select {COLUMNS} from memory m where {where} and m.key = ? order by m.n", *args, key)]

    def browse(self, view: View | None, *, status: str = "active", limit: int = 20, offset: int = 0, order: str = "recent") -> tuple[int, list[Memory]]:
        where, args = self._any_time(view)
        if status != "all":
            where, args = f"{where} and m.status = ?", [*args, status]
        total = self._rows(f"select count(*) from memory m where {where}", *args)[0][0]
        rows = self._rows(f"select {COLUMNS} from memory m where {where} order by {ORDERS[order]} limit ? offset ?", *args, limit, offset)
        return total, [memory_of(row) for row in rows]

    def life(self, memory: Memory) -> dict[str, Any]:
        edges = self._rows("select a, b, kind, weight from edge where a = ? or b = ? order by weight desc limit 50", memory.id, memory.id)
        return {
            "revisions": [Revision(*r) for r in self._rows("select * from revision where memory_id = ? order by version", memory.id)],
            "edges": [Edge(*row) for row in edges],
            "recalls": self._rows("select at, query from recall where memory_id = ? order by at desc, rowid desc limit 10", memory.id),
            "notes": self._rows("select at, what, detail from note where memory_id = ? order by at, rowid", memory.id),
            "vectors": self._rows("select identity, count(*) from vector v join memory m on m.n = v.n where m.id = ? group by identity", memory.id),
            "episodes": self._rows("select id, role, at from episode where memory_id = ? order by n", memory.id),
        }

    def chain(self, memory: Memory) -> list[tuple[Memory, list[Revision]]]:
        sql = f"""with recursive forward(id) as (values(?) union select m.superseded_by from memory m join forward f on m.id = f.id where m.superseded_by <> ''),
                  whole(id) as (select id from forward union select m.id from memory m join whole w on m.superseded_by = w.id)
                  select {COLUMNS} from memory m where m.id in (select id from whole) and m.scope = (select scope from memory where id = ?) order by m.valid_from, m.n"""
        members = [memory_of(row) for row in self._rows(sql, memory.id, memory.id)]
        return [(m, self.revisions(m.id)) for m in members]

    def revisions(self, memory_id: str) -> list[Revision]:
        return [Revision(*r) for r in self._rows("select * from revision where memory_id = ? order by version", memory_id)]

    def episodes(self, *, project: str | None = None, session: str | None = None, status: str = "pending", limit: int = 500) -> list[Episode]:
        where, args = "(? = 'all' or status = ?)", [status, status]
        for column, value in (("project", project), ("session", session)):
            if value is not None:
                where, args = f"{where} and {column} = ?", [*args, value]
        rows = self._rows(f"select {EPISODE_COLUMNS} from (select * from episode where {where} order by n desc limit ?) order by n", *args, limit)
        return [episode_of(row) for row in rows]

    def recent_vectors(self, session: str, identity: str, limit: int) -> list[Any]:
        """Vectors of the last memories of a session, newest first: its running topic."""
        rows = self._rows("select v.vec from memory m join vector v on v.n = m.n and v.identity = ? and v.part = 0 where m.session = ? and m.session <> '' "
                          "order by m.n desc limit ?", identity, session, limit)
        return [vector for vector in of_one_size(r[0] for r in rows) if vector is not None]

    def vectors_of(self, ids: Sequence[str], identity: str) -> dict[str, Any]:
        """First window of each of these memories, as far as this embedder has it."""
        numbers = self._rows(f"select n, id from memory where id in ({','.join('?' * len(ids))})", *ids)
        warm = self._guarded(lambda: self.vectors.first_windows(self.db, [n for n, _ in numbers], identity))
        if warm is not None:
            return {memory_id: warm[n] for n, memory_id in numbers if n in warm}
        rows = self._rows(f"select m.id, v.vec from memory m join vector v on v.n = m.n and v.identity = ? and v.part = 0 where m.id in ({','.join('?' * len(ids))})",
                          identity, *ids)
        return {row[0]: vector for row, vector in zip(rows, of_one_size(r[1] for r in rows), strict=True) if vector is not None}

    def alike(self, ids: Sequence[str], identity: str, least: float) -> dict[tuple[str, str], float]:
        """Cosine of every pair of these memories that is at least `least`; each pair once, smaller id first."""
        found: dict[tuple[str, str], float] = {}
        pairs = self._guarded(lambda: self.vectors.pairs(self.db, ids, identity)) if len(ids) <= FEW else None
        if pairs is not None:
            return {(a, b): cosine for a, b, cosine in pairs if cosine >= least}
        vectors = {i: v for start in range(0, len(ids), 10_000) for i, v in self.vectors_of(ids[start:start + 10_000], identity).items()}
        names = sorted(vectors)
        for a, b, cosine in pairs_above([vectors[name] for name in names], least):
            found[names[a], names[b]] = cosine
        return found

    def kept(self, name: str) -> str:
        return self._guarded(lambda: buffer.kept(self.db, name))

    def named(self, name: str) -> list[str]:
        return self._guarded(lambda: buffer.named(self.db, name))

    def joined(self) -> dict[str, str]:
        """Identities that count as another."""
        return self._guarded(lambda: buffer.joined(self.db))

    def gather(self, scopes: Sequence[str], projects: Sequence[str], kinds: Sequence[str], least: float, since: float) -> Any:
        """What a brief is made of; see buffer.gather."""
        return self._guarded(lambda: buffer.gather(self.db, scopes, projects, kinds, least, since))

    def receipts(self, *, session: str = "", memory_id: str = "", limit: int = 100) -> list[dict[str, Any]]:
        """What hooks put before agents, newest first."""
        return self._guarded(lambda: buffer.receipts(self.db, session=session, memory_id=memory_id, limit=limit))

    def hook_state(self) -> buffer.HookState:
        """What the hooks have done."""
        return self._guarded(lambda: buffer.hook_state(self.db))

    def aside(self) -> int:
        """Deliveries of hooks that lie beside the file, because it was held when they came."""
        return aside.waiting(self.path)

    def heard(self, events: Sequence[str]) -> set[str]:
        """Those of these events that are episodes already; one that ends in '/' stands for every event below it."""
        known: set[str] = set()
        for start in range(0, len(events), 500):
            part = events[start:start + 500]
            marks = ",".join("?" * len(part))
            known |= {event for (event,) in self._rows(f"select event from episode where event <> '' and event in ({marks})", *part)}
        below = "select 1 from episode where event <> '' and event >= ? and event < ? limit 1"
        return known | {event for event in events if event.endswith("/") and self._rows(below, event, event[:-1] + "0")}  # '0' follows '/'

    def root_of(self, identity: str) -> str:
        """The folder where a project was last met; '' for one that was not."""
        rows = self._rows("select root from project where identity = ?", identity)
        return rows[0][0] if rows else ""

    def knows(self, identity: str) -> bool:
        """Whether a project was met here, or has memories or episodes."""
        return bool(self._rows("select 1 where exists (select 1 from project where identity = ?1) or exists (select 1 from memory where scope = 'project:' || ?1) "
                               "or exists (select 1 from episode where status in ('pending', 'consolidated') and project = ?1)", identity))

    def waiting(self, projects: Sequence[str]) -> int:
        """Pending episodes of these projects that may become facts: durable, or not judged yet."""
        return self._rows(f"select count(*) from episode where status = 'pending' and project in ({','.join('?' * len(projects))}) and memory_id = '' "
                          "and (durable or kind = ?)", *projects, UNJUDGED)[0][0]

    def projects(self) -> list[dict[str, Any]]:
        sql = ("select p.identity, p.name, p.root, p.into_identity, (select count(*) from memory m where m.scope = 'project:' || p.identity and m.status = 'active') "
               "from project p order by p.name, p.identity")
        return [dict(zip(("identity", "name", "root", "into", "memories"), row, strict=True)) for row in self._rows(sql)]

    def runs(self, project: str | None = None, limit: int = 50) -> list[dict[str, Any]]:
        sql = "select id, at, project, diff, undone_at from run where (? is null or project = ?) order by at desc, id desc limit ?"
        return [{"id": i, "at": at, "project": p, "diff": json.loads(diff), "undone_at": undone} for i, at, p, diff, undone in self._rows(sql, project, project, limit)]

    def unembedded(self, identity: str, limit: int) -> list[tuple[Memory, int]]:
        sql = (f"select {COLUMNS}, (select count(*) from vector v where v.n = m.n and v.identity = ?) as have from memory m "
               "where m.status <> 'archived' and have < m.windows order by m.n limit ?")
        return [(memory_of(row), row[-1]) for row in self._rows(sql, identity, limit)]

    def vector_state(self, identity: str) -> tuple[int, list[str]]:
        """How many memories lack vectors of this embedder, and which others made theirs."""
        missing = self._rows("select count(*) from memory m where m.status <> 'archived' and (select count(*) from vector v where v.n = m.n and v.identity = ?) < m.windows",
                             identity)[0][0]
        others = self._rows("select distinct v.identity from vector v join memory m on m.n = v.n where v.identity <> ? and m.status <> 'archived' "
                            "and not exists (select 1 from vector w where w.n = v.n and w.identity = ?)", identity, identity)
        return missing, [row[0] for row in others]

    # ---- the one way in

    def apply(self, writes: Sequence[Write]) -> Applied:
        if self.read_only:
            raise StoreUnavailable(f"{self.path} is open for reading only; nothing was written.")
        from ..writes import Count, MarkRecalled
        # That something was recalled may be lost with the power; what was acknowledged before lies on the disk already.
        light = all(isinstance(write, MarkRecalled | Count) for write in writes)
        return self._guarded(lambda: self._lightly(writes) if light else self._transaction(writes))

    def _lightly(self, writes: Sequence[Write]) -> Applied:
        """One transaction that does not wait for the disk."""
        run(self.db, "pragma synchronous=normal")
        try:
            return self._transaction(writes)
        finally:
            run(self.db, "pragma synchronous=full")

    def _transaction(self, writes: Sequence[Write]) -> Applied:
        from ..writes import AddMemory, Applied
        from .writes import apply_one
        done = buffer.in_transaction(self.db, writes, apply_one)
        if not done.done:
            return done
        self._commits += 1
        return Applied(ids=tuple(w.memory.id for w in writes if isinstance(w, AddMemory)))

    def texts(self) -> Iterator[list[sweeping.StoredText]]:
        """Every text of the file, the rows of a step at a time."""
        from . import sweeping
        steps = sweeping.texts(self.db)
        while step := self._guarded(lambda: next(steps, None)):
            yield step

    def rows_with_texts(self) -> int:
        from . import sweeping
        return self._guarded(lambda: sweeping.count(self.db))

    def sweep_away(self, writes: Sequence[Write]) -> tuple[dict[str, int], tuple[str, ...]]:
        """Apply Remove and Mask, each by itself: rows removed per table, and ids that another process had changed meanwhile."""
        from ..writes import Remove
        gone: dict[str, int] = {}
        stale: list[str] = []
        for write in writes:
            if isinstance(write, Remove):
                done = self._guarded(lambda write=write: self._removed(write))  # type: ignore[misc]
                gone = {table: gone.get(table, 0) + done.get(table, 0) for table in {*gone, *done}}
            else:
                stale += self.apply([write]).stale
        return gone, tuple(stale)

    def _removed(self, write: sweeping.Remove) -> dict[str, int]:
        from . import sweeping
        with self.db:
            gone = sweeping.remove(self.db, write)
        return gone

    def bytes_of(self, values: set[str], *, settle: bool) -> int:
        """Bytes of these values left in the file, after its free pages were overwritten when something was removed."""
        from . import sweeping

        def looked() -> int:
            if settle:
                sweeping.settle(self.db)
            return sweeping.bytes_found(self.path, values)
        return self._guarded(looked)

    def erase(self, memories: Sequence[Memory], episodes: Sequence[Episode] = ()) -> dict[str, int]:
        from . import erasure
        gone = self._guarded(lambda: erasure.erase(self.db, self.path, memories, episodes))
        self._commits += 1
        return gone

    # ---- the state of the file

    def stats(self) -> dict[str, Any]:
        memories: dict[str, dict[str, int]] = {}
        for level, status, count in self._rows("select case instr(scope, ':') when 0 then scope else substr(scope, 1, instr(scope, ':') - 1) end, status, count(*) "
                                               "from memory group by 1, 2"):
            memories.setdefault(level, {})[status] = count
        counters = dict(self._rows("select name, value from counter"))
        sectors = [sum(column) for column in zip(*(map(float, r[0].split()) for r in self._rows("select sectors from memory where status = 'active'")), strict=True)]
        pending, total = self._rows("select coalesce(sum(status = 'pending'), 0), count(*) from episode")[0]
        return {"memories": memories, "sectors": sectors, "counters": counters, "episodes": {"pending": pending, "total": total},
                "file_bytes": integrity.file_bytes(self.path, self.db)}

    def check(self) -> list[dict[str, str]]:
        return self._guarded(lambda: integrity.check(self))

    def backup(self, target: str) -> None:
        """A consistent copy, the log file's latest writes included, while others go on writing."""
        with self._lock:
            copy = apsw.Connection(target)
            try:
                with copy.backup("main", self.db, "main") as work:
                    while not work.done:
                        work.step(1000)
                copy.execute("pragma journal_mode=delete").fetchall()
            finally:
                copy.close()

    def close(self) -> None:
        with self._lock:
            self._closed = True
            self.db.close()

    # ---- inside

    def _any_time(self, view: View | None) -> tuple[str, list[Any]]:
        """Scope and tags of a view whatever the status: for find and browse."""
        if view is None:
            return "1", []
        where, args = inside(View(view.scopes, None, view.tags))
        return where.replace(" and m.status = 'active'", ""), args

    def _memories(self, condition: str, view: View | None, *args: Any) -> list[Memory]:
        where, more = self._any_time(view)
        return [memory_of(row) for row in self._rows(f"select {COLUMNS} from memory m where {condition} and {where} order by m.n limit 20", *args, *more)]

    def _rows(self, sql: str, *args: Any) -> list[Any]:
        return self._guarded(lambda: self.db.execute(sql, args).fetchall())

    def _guarded(self, work: Callable[[], T]) -> T:
        """One thread at a time; a damaged word index is rebuilt from the texts once; the rest becomes StoreUnavailable."""
        with self._lock:
            try:
                self._follow()
                try:
                    return work()
                except (apsw.CorruptError, apsw.SQLError) as error:
                    if self.read_only or not integrity.words_broken(self.db):
                        raise
                    self._rebuild(str(error))
                    return work()
            except UnicodeDecodeError as error:
                raise StoreUnavailable(f"{self.path} holds a text that is damaged. It was left as it is; `mnemos recover` saves what can be read.") from error
            except apsw.ConnectionClosedError as error:
                raise StoreUnavailable(f"{self.path} is closed.") from error
            except apsw.Error as error:
                raise StoreUnavailable(integrity.explain(self.path, error)) from error

    def _follow(self) -> None:
        """Go where the path leads now, when the file was deleted or replaced under this process."""
        if self.path == ":memory:" or self._closed or (not self._away and not presence.what_moved(self._seen, now := presence.seen(self.path))):
            return
        if not self._away:
            self._away = True  # until a new connection stands: a folder that is gone is looked for again at the next call
            self.moved = presence.let_go(self.db, self.path, self._seen, now)
        if not self.read_only:
            make_private(self.path, create=True)
        self._open()

    def _rebuild(self, why: str) -> None:
        integrity.rebuild_words(self.db)
        self.repaired = f"the word index was damaged ({why}) and was rebuilt from the texts"
        run(self.db, "insert into kept values ('word_index_rebuilt', ?) on conflict do update set value = excluded.value", self.repaired)

    def changes(self) -> int:
        """Grows whenever a process has committed, this one included: for pages that follow the file."""
        with self._lock:
            return int(one(self.db, "pragma data_version") or 0) + self._commits
