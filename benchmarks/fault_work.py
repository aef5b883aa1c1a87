"""What the processes of faults.py do: each is forked from a parent that has imported everything and opened nothing, so that a round costs
milliseconds. A line on the pipe is an acknowledgement: what it names must be there afterwards, whatever happened to the process."""
from __future__ import annotations

import hashlib
import io
import json
import os
import signal
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np

from mnemos_mcp import reembed, transfer
from mnemos_mcp.config import MnemosConfig
from mnemos_mcp.engine import Engine
from mnemos_mcp.model import Episode
from mnemos_mcp.runtime import open_for_python
from mnemos_mcp.storage import schema
from mnemos_mcp.writes import AddEpisode

Say = Callable[..., None]


class Words:
    """A quick embedder: the words of a text hashed into 64 numbers. The judgement is real, only the meaning is poor."""

    dimensions = 64

    def __init__(self, identity: str = "words/64"):
        self.identity = identity

    def embed(self, texts: list[str], *, deadline_s: float | None = None) -> list[np.ndarray]:
        return [self._vector(text) for text in texts]

    def _vector(self, text: str) -> np.ndarray:
        vector = np.full(self.dimensions, 0.01, dtype=np.float32)
        for word in text.lower().split():
            vector[hashlib.md5(word.encode()).digest()[0] % self.dimensions] += 1.0
        return vector / np.linalg.norm(vector)

    def windows(self, text: str) -> list[str]:
        return [text]

    def probe(self) -> None:
        return None


def opened(path: str, identity: str = "words/64") -> Engine:
    return open_for_python(MnemosConfig(store=path), embedder=Words(identity), project="p")  # type: ignore[arg-type]


def warm() -> None:
    """Import and compile all that the work needs, in the parent and on no file."""
    engine = opened(":memory:")
    engine.store("We decided that the lighthouse is green.", force=True)
    engine.retrieve("which colour has the lighthouse")
    engine.consolidate()
    engine.health()
    engine.close()


class Child:
    """A forked process; `lines` are its acknowledgements."""

    def __init__(self, work: Callable[..., None], *args: Any):
        reading, writing = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            os.close(reading)
            code = 1
            try:
                with suppress(AttributeError):
                    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
                work(lambda *words: os.write(writing, (" ".join(map(str, words)) + "\n").encode()), *args)
                code = 0
            except BaseException:
                os.write(writing, ("error " + json.dumps(traceback.format_exc()) + "\n").encode())
            finally:
                os._exit(code)
        os.close(writing)
        self.pipe = os.fdopen(reading, "rb")
        self.lines: list[str] = []

    def wait_for(self, word: str) -> None:
        """Read until a line begins with this word."""
        for line in iter(self.pipe.readline, b""):
            self.lines.append(line.decode().rstrip("\n"))
            if self.lines[-1].startswith(word):
                return
        raise RuntimeError(f"the process ended before it said {word}: {self.lines[-1:]}")

    def next_line(self) -> bool:
        """Read one more line; False at the end."""
        line = self.pipe.readline()
        self.lines += [line.decode().rstrip("\n")] if line else []
        return bool(line)

    def kill(self) -> None:
        os.kill(self.pid, signal.SIGKILL)

    def end(self) -> list[str]:
        """All whole lines, once the process is gone."""
        rest = self.pipe.read().decode()
        self.lines += rest.split("\n")[:-1]
        self.pipe.close()
        os.waitpid(self.pid, 0)
        return self.lines


def told(work: Callable[..., Any], *args: Any) -> Any:
    """The value that a function returns in a process of its own: this process never opens the file."""
    child = Child(lambda say: say("value", json.dumps(work(*args))))
    lines = child.end()
    if not lines or not lines[-1].startswith("value "):
        sys.exit("\n".join(json.loads(line[6:]) if line.startswith("error ") else line for line in lines))
    return json.loads(lines[-1][6:])


# ---- the work that is interrupted; each says "ready" when the file is open


def storing(say: Say, path: str, worker: int, count: int) -> None:
    engine = opened(path)
    say("ready")
    for n in range(count):
        result = engine.store(f"Worker {worker} decided that shard {worker * 100_000 + n} of the ledger is kept on host h{worker}x{n}.", force=True)
        say("memory" if result.stored else "refused", result.id or result.reason)


def sleeping(say: Say, path: str, worker: int, count: int) -> None:
    """Episodes as hooks leave them, then sleep: the sources go only with their facts there."""
    engine = opened(path)
    mind = engine.mind
    place = engine.place()
    say("ready")
    for n in range(count):
        for k in range(4):
            episode = mind.new_id()
            text = f"We decided that queue {worker * 1000 + n * 10 + k} of round {n} is drained by consumer c{worker}x{n}x{k}."
            mind.store.apply([AddEpisode(Episode(episode, text, place.identity or "", f"s{worker}-{n}", "user", "user", mind.clock(), "decision", True))])
            say("episode", episode)
        slept = engine.consolidate()
        for fact in slept.facts:
            if fact.id:
                say("memory", fact.id)


def embedding(say: Say, path: str, identity: str) -> None:
    engine = opened(path, identity)
    say("ready")
    reembed.fill(engine.mind, progress=lambda _: say("done"))
    say("whole")


def importing(say: Say, path: str, lines: bytes) -> None:
    engine = opened(path)
    say("ready")
    say("taken", transfer.import_(engine.mind, io.BytesIO(lines), progress=lambda _: say("line")).taken)


def migrating(say: Say, path: str, steps: int) -> None:
    """The layout of today and some steps that are yet to come, each with enough to do to be met half way."""
    with_steps(tuple((f"create table later_{n}(x)", f"insert into later_{n} select value from generate_series(1, 3000)", f"alter table later_{n} add column y")
                  for n in range(steps)))
    say("ready")
    run, schema.one = schema.one, lambda db, sql, *args: (say("step"), run(db, sql, *args))[1]  # so that a kill can come between any two steps
    opened(path).close()
    say("open")


def with_steps(later: tuple[tuple[str, ...], ...]) -> None:
    series = "(with recursive s(value) as (select 1 union all select value + 1 from s limit 3000) select value from s)"
    schema.MIGRATIONS = (*schema.MIGRATIONS, *(tuple(sql.replace("generate_series(1, 3000)", series) for sql in step) for step in later))
    schema.LAYOUT = len(schema.MIGRATIONS)


def reading(say: Say, path: str, count: int) -> None:
    engine = opened(path)
    say("ready")
    for n in range(count):
        engine.retrieve(f"where is shard {n} of the ledger kept")
        say("read")


AGREE = ("store", "file", "word_index", "vector_rows")


def looked(path: str) -> dict[str, Any]:
    """What is in the file now, and what health says of it. Opening it is the test: nothing is repaired by hand. What the program mends by
    itself it says once (`mended`); a second opening must find nothing any more."""
    first = opened(path)
    mended = [c.detail for c in first.health().checks if c.status == "warn" and c.name in AGREE]
    first.close()
    engine = opened(path)
    db = engine.mind.store.db  # type: ignore[attr-defined]
    checks = {c.name: [c.status, c.detail] for c in engine.health().checks}
    rows = {
        "memories": [r[0] for r in db.execute("select id from memory")],
        "episodes": {r[0]: [r[1], r[2]] for r in db.execute("select id, status, memory_id from episode")},
        "vectors": {r[0]: r[1] for r in db.execute("select identity, count(*) from vector group by 1")},
        "layout": db.pragma("user_version")}
    again = engine.store("After every fault one more fact is stored: the lighthouse is green.", force=True)
    engine.close()
    good = all(checks.get(name, ["gone"])[0] == "ok" for name in AGREE) and again.stored
    return {**rows, "good": good, "mended": mended, "checks": checks}
