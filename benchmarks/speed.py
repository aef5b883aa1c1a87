"""Speed and memory of the real server, as ratios to named baselines measured in the same run, interleaved.

    python benchmarks/speed.py   (mnemos-mcp installed) [--sizes 100,5000] [--calls 30]

start     start to tools/list             / the same of an empty server on the same SDK
idle      resident memory after that      / the same of the empty server
recalled  resident memory after 50 recalls / the empty server's idle memory
store     one store over stdio            / (one embedding of that text + one empty tool call)
retrieve  one retrieve over stdio         / (one embedding of the query + the same full-text query + one empty tool call)
flat      median at the largest size      / median at the smallest size
"""
from __future__ import annotations

import argparse
import json
import random
import statistics
import tempfile
import time
from pathlib import Path

import apsw
from wire import EMPTY, Wire

from mnemos_mcp import MnemosConfig
from mnemos_mcp.providers.embed import BuiltinEmbedder
from mnemos_mcp.runtime import open_for_python

BARS = {"start": 1.2, "idle": 1.2, "recalled": 2.6, "store": 1.6, "retrieve": 2.0, "flat store": 1.5, "flat retrieve": 1.5}
PARTS = ("ledger", "gateway", "scheduler", "billing", "search", "mailer", "importer", "dashboard", "auth", "cache", "worker", "proxy", "catalog", "webhook", "report")
VERBS = ("reads", "writes", "retries", "validates", "publishes", "stores", "forwards", "throttles", "encrypts", "archives", "rejects", "merges")
THINGS = ("invoices", "sessions", "events", "orders", "metrics", "snapshots", "tokens", "thumbnails", "migrations", "backups", "labels", "quotas", "drafts", "receipts")
WAYS = ("every night", "before a deploy", "through a queue", "in batches", "with a lease", "over gRPC", "behind a flag", "from the replica", "after review", "in one transaction")


def statement(rng: random.Random) -> str:
    """A made-up statement of a project, about 20 tokens."""
    return (f"The {rng.choice(PARTS)} service {rng.choice(VERBS)} {rng.choice(THINGS)} {rng.choice(WAYS)} because the {rng.choice(PARTS)} "
            f"{rng.choice(THINGS)} need {rng.choice(THINGS)} limit {rng.randrange(10_000)}.")


def question(rng: random.Random) -> str:
    return f"Why does the {rng.choice(PARTS)} {rng.choice(VERBS)} {rng.choice(THINGS)}?"


def median_ms(values: list[float]) -> float:
    return 1000 * statistics.median(values)


def starts(runs: int, folder: str) -> dict[str, float]:
    """Start, idle memory and memory after 50 recalls, beside the empty server's."""
    env = {"MNEMOS_SQLITE_PATH": str(Path(folder, "start.db")), "MNEMOS_PROJECT": "bench"}
    ours, theirs, our_memory, their_memory, recalled = [], [], [], [], []
    for run in range(runs + 1):
        empty, server = Wire(["-c", EMPTY], {}, folder), None
        first = empty.start()
        empty.call("echo", text="x")
        server = Wire(["-m", "mnemos_mcp", "serve"], env, folder)
        second = server.start()
        time.sleep(1.5)  # whatever opens late is open now
        if run:  # the first pair warms the file cache
            theirs.append(first)
            ours.append(second)
            their_memory.append(empty.rss())
            our_memory.append(server.rss())
            for n in range(50):
                server.call("mnemos_retrieve", query=f"what about part {n}")
            recalled.append(server.rss())
        empty.stop()
        server.stop()
    base = statistics.median(their_memory)
    return {"start": statistics.median(o / t for o, t in zip(ours, theirs, strict=True)), "start ms": median_ms(ours), "start ms, empty": median_ms(theirs),
            "idle": statistics.median(our_memory) / base, "recalled": statistics.median(recalled) / base, "MiB, empty": base}


def fill(path: str, count: int, rng: random.Random, embedder: BuiltinEmbedder) -> None:
    engine = open_for_python(MnemosConfig(store=path), embedder=embedder, project="bench")
    while engine.stats().memories.get("project", {}).get("active", 0) < count:
        for _ in range(50):
            engine.store(statement(rng), force=True, session=f"s{rng.randrange(count)}")
    engine.close()


def calls(path: str, count: int, rng: random.Random, embedder: BuiltinEmbedder, folder: str) -> dict[str, float]:
    """Medians over interleaved calls: ours, the empty call, the embedding, the full-text query."""
    empty = Wire(["-c", EMPTY], {}, folder)
    server = Wire(["-m", "mnemos_mcp", "serve"], {"MNEMOS_SQLITE_PATH": path, "MNEMOS_PROJECT": "bench"}, folder)
    empty.start()
    server.start()
    plain = apsw.Connection(path)
    times: dict[str, list[float]] = {name: [] for name in ("store", "retrieve", "empty", "embed text", "embed query", "words")}
    for n in range(count + 5):
        text, query = statement(rng), question(rng)
        taken = {"store": server.call("mnemos_store", content=text)[0], "empty": empty.call("echo", text=text)[0],
                 "retrieve": server.call("mnemos_retrieve", query=query)[0]}
        for name, one in (("embed text", text), ("embed query", query)):
            begin = time.perf_counter()
            embedder.embed([one])
            taken[name] = time.perf_counter() - begin
        match = " OR ".join(f'"{word}"' for word in query.rstrip("?").lower().split())
        begin = time.perf_counter()
        plain.execute("select rowid from fts where fts match ? order by bm25(fts) limit 8", (match,)).fetchall()
        taken["words"] = time.perf_counter() - begin
        if n >= 5:  # the first ones load the model
            for name, value in taken.items():
                times[name].append(value)
    plain.close()
    empty.stop()
    server.stop()
    m = {name: median_ms(values) for name, values in times.items()}
    return {**m, "store ratio": m["store"] / (m["embed text"] + m["empty"]), "retrieve ratio": m["retrieve"] / (m["embed query"] + m["words"] + m["empty"])}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="100,5000")
    parser.add_argument("--calls", type=int, default=40)
    parser.add_argument("--starts", type=int, default=7)
    parser.add_argument("--out", help="write the figures as JSON")
    args = parser.parse_args()
    embedder, rng = BuiltinEmbedder(), random.Random(5)
    sizes = [int(s) for s in args.sizes.split(",")]
    with tempfile.TemporaryDirectory() as folder:
        figures: dict[str, dict[str, float]] = {"process": starts(args.starts, folder)}
        for size in sizes:
            path = str(Path(folder, f"{size}.db"))
            fill(path, size, rng, embedder)
            figures[str(size)] = calls(path, args.calls, rng, embedder, folder)
    first, last = figures[str(sizes[0])], figures[str(sizes[-1])]
    ratios = {name: figures["process"][name] for name in ("start", "idle", "recalled")}
    ratios |= {"store": last["store ratio"], "retrieve": last["retrieve ratio"], "flat store": last["store"] / first["store"],
               "flat retrieve": last["retrieve"] / first["retrieve"]}
    print("| measure | ratio | at most |\n|---|---|---|")
    for name, ratio in ratios.items():
        print(f"| {name} | {ratio:.2f} | {BARS[name]} |")
    for name, values in figures.items():
        print(name, {k: round(v, 2) for k, v in values.items()})
    if args.out:
        Path(args.out).write_text(json.dumps({"ratios": ratios, **figures}, indent=1))


if __name__ == "__main__":
    main()
