"""Crash and concurrency harness: what is acknowledged is there afterwards, and the file opens without help or the message says how.

    python benchmarks/faults.py                 # the stated numbers, about ten minutes on two quiet cores; writes faults.md beside itself
    python benchmarks/faults.py --quick --json  # some rounds of each, for the tests

Kills are SIGKILL of a process at a random moment (seeded). Power loss is not tested: synchronous=FULL asks the disk to keep each commit,
whether the disk does is its own affair.
"""
from __future__ import annotations

import argparse
import json
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import fault_doors
from fault_work import Child, embedding, importing, looked, migrating, opened, reading, sleeping, storing, told, warm, with_steps

HERE = Path(__file__).resolve().parent
ROUNDS_A_FILE = 20


@dataclass
class Row:
    """One kind of fault. `lost`: acknowledged and not there; `by_hand`: files that did not open or agree without help."""

    fault: str
    tried: int
    acknowledged: int = 0
    lost: int = 0
    by_hand: int = 0
    seen: str = ""  # figures, or what the user is told


def interrupted(child: Child, rng: random.Random, most: int) -> list[str]:
    """What a process said before it was killed: a moment after one of its first acknowledgements, chosen at random."""
    child.wait_for("ready")
    for _ in range(rng.randint(0, most)):
        if not child.next_line():
            break
    timer = threading.Timer(rng.uniform(0.0, 0.02), child.kill)
    timer.start()
    said = child.end()
    timer.cancel()
    return [line for line in said if line != "ready"]


def killed(work: Callable[..., None], rounds: int, rng: random.Random, most: int, *args: Any, path: str) -> list[str]:
    """Acknowledgements of so many processes, one after the other on one file, each killed."""
    return [line for number in range(rounds) for line in interrupted(Child(work, path, number, *args), rng, most)]


def judged(fault: str, tried: int, said: list[str], path: str, seen: str = "") -> Row:
    """Hold the acknowledgements against what is in the file."""
    found = told(looked, path)
    memories, episodes = set(found["memories"]), found["episodes"]
    lost = sum(line.split()[1] not in memories for line in said if line.startswith("memory "))
    for line in said:
        if line.startswith("episode "):
            status, memory_id = episodes.get(line.split()[1], ["gone", ""])
            lost += not (status == "pending" or memory_id in memories)
    errors = [line for line in said if line.startswith(("error", "refused"))]
    acknowledged = sum(line.startswith(("memory ", "episode ")) for line in said)
    mended = f"mends itself: {found['mended'][0]}" if found["mended"] else ""
    return Row(fault, tried, acknowledged, lost, int(not found["good"]), "; ".join(filter(None, (seen, mended, errors[0][:200] if errors else ""))))


def kills_in(work: Callable[..., None], fault: str, most: int, folder: str, rounds: int, rng: random.Random) -> Row:
    """Files of ROUNDS_A_FILE kills each: a file meets many of them, and none grows so large that its size is what is measured."""
    total = Row(fault, 0)
    while total.tried < rounds:
        path, now = f"{folder}/{work.__name__}-{total.tried}.db", min(ROUNDS_A_FILE, rounds - total.tried)
        row = judged(fault, now, killed(work, now, rng, most, 10_000, path=path), path)
        total = Row(fault, total.tried + now, total.acknowledged + row.acknowledged, total.lost + row.lost, total.by_hand + row.by_hand, total.seen or row.seen)
    return total


def kills_in_reembed(folder: str, rounds: int, rng: random.Random, size: int) -> Row:
    """Each round another model: whatever was done is whole, and the next run finishes it. `size`: memories."""
    path, bad = f"{folder}/reembed.db", 0
    storing_child = Child(storing, path, 0, size)
    memories = [line for line in storing_child.end() if line.startswith("memory ")]
    for number in range(rounds):
        interrupted(Child(embedding, path, f"model-{number}/64"), rng, size - 20)
        lines = Child(embedding, path, f"model-{number}/64").end()
        found = told(looked, path)
        bad += lines[-1] != "whole" or found["vectors"].get(f"model-{number}/64", 0) < len(memories)
    row = judged("kill -9 in reembed, then run again", rounds, memories, path)
    row.by_hand += bad
    return row


def kills_in_import(folder: str, rounds: int, rng: random.Random, size: int) -> Row:
    """All of the file or nothing of it. `size`: memories."""
    source = f"{folder}/source.db"
    Child(storing, source, 7, size).end()
    lines = told(exported, source).encode()
    half, acknowledged, bad = 0, 0, 0
    for number in range(rounds):
        path = f"{folder}/import-{number}.db"
        said = interrupted(Child(importing, path, lines), rng, size + size // 4)
        found = told(looked, path)
        whole = len(found["memories"])
        taken = f"taken {size}" in said
        acknowledged += size * taken
        half += whole not in (0, size) or (taken and whole != size)
        bad += not found["good"]
    return Row("kill -9 in import", rounds, acknowledged, half, bad, "all or nothing each time" if not half else "")


def exported(path: str) -> str:
    import io

    from mnemos_mcp import transfer
    out = io.StringIO()
    transfer.write(opened(path).mind.store, out, now=0.0)
    return out.getvalue()


def kills_in_migration(folder: str, rounds: int, rng: random.Random) -> Row:
    bad = 0
    for number in range(rounds):
        path = f"{folder}/layout-{number}.db"
        interrupted(Child(migrating, path, 6), rng, 6)
        last = Child(migrating, path, 6).end()
        bad += "open" not in last or len(set(told(steps_recorded, path))) != 1
    return Row("kill -9 while the layout is made or raised", rounds, 0, 0, bad, "each step once")


def steps_recorded(path: str) -> list[int]:
    with_steps(tuple(("select 1",) for _ in range(6)))
    db = opened(path).mind.store.db  # type: ignore[attr-defined]
    from mnemos_mcp.storage import schema
    return [*db.execute("select count(*), count(distinct number) from migration").fetchall()[0], db.pragma("user_version"), schema.LAYOUT]


def first_starts(folder: str, rounds: int) -> Row:
    """Six at once on no file and on an empty file of the oldest layout."""
    said, bad = [], 0
    for number in range(rounds):
        path = f"{folder}/first-{number}.db"
        if number % 2:
            Path(path).touch()
        children = [Child(storing, path, worker, 1) for worker in range(6)]
        lines = [line for child in children for line in child.end()]
        row = judged("", 1, [line for line in lines if line != "ready"], path)
        said += [line for line in lines if line.startswith("memory ")]
        bad += row.lost + row.by_hand + sum(line.startswith(("error", "refused")) for line in lines)
    return Row("six first starts at once, no file and the oldest layout", rounds, len(said), 6 * rounds - len(said), bad)


def writers(folder: str, processes: int, each: int) -> list[Row]:
    """Many writers with readers, beside plain SQLite doing the same inserts in as many processes."""
    path = f"{folder}/writers.db"
    told(made, path)
    began = time.perf_counter()
    children = [Child(storing, path, worker, each) for worker in range(processes)]
    readers = [Child(reading, path, each // 2) for _ in range(2)]
    said = [line for child in children for line in child.end()]
    seconds = time.perf_counter() - began
    read = [line for child in readers for line in child.end()]
    locked = sum("locked" in line or "held by another" in line for line in (*said, *read))
    row = judged(f"{processes} writers x {each} stores, 2 readers", processes, said, path)
    row.lost += processes * each - row.acknowledged
    row.by_hand += sum(line.startswith("error") for line in read)
    began = time.perf_counter()
    plain = [Child(inserting, f"{folder}/plain.db", worker, each) for worker in range(processes)]
    plain_said = [line for child in plain for line in child.end()]
    plain_s = time.perf_counter() - began
    row.seen = (f"'locked' seen by a caller: {locked}; {row.acknowledged / seconds:,.0f} stores a second against {plain_said.count('row') / plain_s:,.0f} plain "
                f"inserts (ratio {plain_s / seconds:.2f}: a store also reads, judges and embeds)")
    return [row]


def doors(folder: str, rounds: int) -> list[Row]:
    """Real servers, hooks and commands at once, on no file at first. The quick form has none: tests/test_cases_store.py starts them."""
    if not rounds:
        return []
    total = Row(f"{fault_doors.SERVERS} servers, {fault_doors.HOOKS} hooks and {fault_doors.COMMANDS} commands at once on no file", 0)
    aside = 0
    for number in range(rounds):
        database, said, wrong = fault_doors.all_at_once(Path(folder), number)
        held = list(Path(folder).glob(f"{database.name}-aside*"))
        texts = fault_doors.kept(database)
        total.tried += 1
        total.acknowledged += len(said)
        total.lost += sum(text not in texts for text in said)
        total.by_hand += len(wrong) + (not told(looked, str(database))["good"])
        aside += bool(held)
        total.seen = total.seen or "; ".join(wrong[:1])
    total.seen = total.seen or f"what hooks said lay beside the held file in {aside} of {rounds}"
    return [total]


def made(path: str) -> bool:
    opened(path).close()
    return True


def inserting(say: Callable[..., None], path: str, worker: int, count: int) -> None:
    """The rows of a store (memory, words, vector, episode, counter) as bare SQL in the same layout and journal."""
    from mnemos_mcp.storage.schema import connect
    db, _ = connect(path, now=0.0, vector_functions=False)
    for n in range(count):
        text = f"Worker {worker} decided that shard {worker * 100_000 + n} of the ledger is kept on host h{worker}x{n}."
        db.execute("begin immediate").fetchall()
        db.execute("insert into memory(id, scope, status, length, version, valid_from, session, text_hash, origin, kind, role, key, tags, importance, surprisal, valence, "
                   "arousal, complexity, sectors, pinned, created_at, reinforced_at, content, words) values (?, 'global', 'active', 12, 1, 0, '', ?, 'user', 'fact', 'user', "
                   "'', '[]', .5, 1, 0, 0, 0, '1 0 0 0 0', 0, 0, 0, ?, ?)", (f"{worker}-{n}", f"{worker}-{n}", text, text)).fetchall()
        db.execute("insert into vector(n, part, identity, vec) values (?, 0, 'words/64', zeroblob(256))", (db.last_insert_rowid(),)).fetchall()
        db.execute("insert into episode(id, content, project, session, role, origin, at, kind, durable, surprisal, status, memory_id, event) values "
                   "(?, ?, '', '', 'user', 'user', 0, '', 1, 1, 'consolidated', '', '')", (f"{worker}-{n}", text)).fetchall()
        db.execute("insert into counter values ('kept', 1) on conflict do update set value = value + 1").fetchall()
        db.execute("commit").fetchall()
        say("row")


def full_disk(folder: str) -> Row:
    """A file system of one megabyte, filled up by stores; then the filler goes and storing goes on. Where no such mount can be made, a limit on file sizes."""
    if os.environ.get("FAULTS_FULL") is None:
        inside = subprocess.run(["unshare", "-m", "sh", "-c", 'mkdir -p "$1" && mount -t tmpfs -o size=2m tmpfs "$1" && FAULTS_FULL="$1" exec "$2" "$3" --only full_disk --json',
                                 "sh", f"{folder}/full", sys.executable, __file__], capture_output=True, text=True, check=False)
        if inside.returncode == 0:
            return Row(**json.loads(inside.stdout)[0])
        return _filled(folder, "limit on file sizes", lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, resource.RLIM_INFINITY)), lambda: None)
    folder = os.environ["FAULTS_FULL"]
    filler = Path(folder, "filler")
    filler.write_bytes(b"x" * 1_000_000)
    return _filled(folder, "full disk (tmpfs)", lambda: None, filler.unlink)


def _filled(folder: str, fault: str, before: Callable[[], Any], free: Callable[[], Any]) -> Row:
    path = f"{folder}/full.db"
    told(made, path)

    def limited(say: Callable[..., None]) -> None:
        before()
        storing(say, path, 1, 5000)

    said = Child(limited).end()
    error = json.loads(said[-1][6:]).strip().splitlines()[-1] if said[-1].startswith("error") else "no error"
    free()
    row = judged(fault, 1, [line for line in said if line.startswith("memory ")], path, error.split(": ", 1)[-1].replace(folder + "/", ""))
    row.by_hand += "full" not in error and "cannot be written" not in error and "cannot be read or written" not in error
    return row


READ_ONLY = """mkdir -p "$1" && mount -t tmpfs -o size=20m tmpfs "$1" && mkdir "$1/p" && cd "$1/p" || exit 9
"$2" -m mnemos_mcp --json store "The lighthouse is green" --force >/dev/null && mount -o remount,ro "$1" || exit 9
"$2" -m mnemos_mcp --json retrieve lighthouse
"$2" -m mnemos_mcp --json store "The crane is yellow" --force
echo "exit $?"
"""


def read_only(folder: str) -> list[Row]:
    """A file system that turns read-only: recall goes on, a store fails and says why. No row where no such mount can be made."""
    where = f"{folder}/readonly"
    env = {**os.environ, "MNEMOS_SQLITE_PATH": f"{where}/mnemos.db", "MNEMOS_EMBEDDING_PROVIDER": "none", "HOME": where, "PYTHONPATH": str(HERE.parent)}
    done = subprocess.run(["unshare", "-m", "sh", "-c", READ_ONLY, "sh", where, sys.executable], capture_output=True, text=True, env=env, check=False)
    if done.returncode:
        return []
    found, refused, code = done.stdout.splitlines()
    message = json.loads(refused)["error"]["message"].replace(folder + "/", "")
    kept = "lighthouse" in found and len(json.loads(found)["memories"]) == 1
    return [Row("file system turned read-only", 1, 1, int(not kept), int(code != "exit 1" or "reading only" not in message), f"recall goes on; a store says: {message}")]


def damaged(folder: str, size: int) -> list[Row]:
    """A file that is cut, garbage, newer, or whose shadow tables are damaged: it is said how, or it mends itself; never emptied. `size`: memories."""
    rows = []
    for fault, damage in DAMAGES.items():
        path = f"{folder}/damaged-{len(rows)}.db"
        lines = Child(storing, path, 1, size).end()
        said = [line for line in lines if line.startswith("memory ")]
        if len(said) < size:
            sys.exit(f"{fault}: {lines[-1][:3000]}")
        told(closed_and, path, damage)
        before = Path(path).read_bytes()
        lines = Child(opening, path).end()
        if lines[-1].startswith("opened"):
            rows.append(judged(fault, 1, said, path))
            continue
        message = json.loads(lines[-1][6:]).strip().splitlines()[-1].split(": ", 1)[-1].replace(folder + "/", "")
        helped = ("mnemos recover" in message or "update mnemos-mcp" in message) and os.path.basename(path) in message
        kept = Path(path).read_bytes() == before
        rows.append(Row(fault, 1, len(said), 0 if kept else len(said), int(not helped), f"left as it is; says: {message[:160]}"))
    return rows


def closed_and(path: str, damage: str) -> bool:
    """Everything into the one file, then the damage."""
    import apsw
    db = apsw.Connection(path)
    db.execute("pragma wal_checkpoint(truncate)").fetchall()
    if not damage.startswith("bytes"):
        db.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 0)
        db.execute(damage).fetchall()
    db.close()
    if damage == "bytes half":
        os.truncate(path, os.path.getsize(path) // 2)
    elif damage == "bytes garbage":
        Path(path).write_bytes(b"no database at all " * 106)
    return True


def opening(say: Callable[..., None], path: str) -> None:
    opened(path).list()
    say("opened")


DAMAGES = {
    "cut to half its length": "bytes half", "garbage in its place": "bytes garbage", "layout of a newer program": "pragma user_version=999",
    "docsize table of the index halved": "delete from fts_docsize where id % 2", "data table of the index halved": "delete from fts_data where id > 10",
    "config table of the index gone": "delete from fts_config", "damaged vectors": "update vector set vec = x'0011' where n % 3 = 0"}

# Kills in a store, in a sleep, (in a change of model, memories), (in an import, memories), in the layout; first starts; (writers, stores of each); rounds of all doors;
# memories to damage.
COUNTS = {"full": (200, 200, (50, 120), (50, 200), 60, 20, (8, 500), 10, 60), "quick": (5, 4, (2, 40), (2, 60), 2, 2, (4, 8), 0, 30)}


def every(folder: str, counts: tuple[Any, ...], rng: random.Random) -> dict[str, Callable[[], Any]]:
    store, sleep, embed, take, layout, starts, (processes, each), together, size = counts
    return {"store": lambda: kills_in(storing, "kill -9 in store", 8, folder, store, rng),
            "consolidate": lambda: kills_in(sleeping, "kill -9 in consolidate", 10, folder, sleep, rng),
            "reembed": lambda: kills_in_reembed(folder, embed[0], rng, embed[1]), "import": lambda: kills_in_import(folder, take[0], rng, take[1]),
            "migrate": lambda: kills_in_migration(folder, layout, rng), "first": lambda: first_starts(folder, starts),
            "writers": lambda: writers(folder, processes, each), "doors": lambda: doors(folder, together),
            "full_disk": lambda: full_disk(folder), "read_only": lambda: read_only(folder),
            "damaged": lambda: damaged(folder, size)}


def table(rows: list[Row]) -> str:
    lines = ["| fault | tried | acknowledged writes | lost | repaired by hand | seen |", "|---|---|---|---|---|---|"]
    return "\n".join([*lines, *(f"| {r.fault} | {r.tried} | {r.acknowledged:,} | {r.lost} | {r.by_hand} | {r.seen} |" for r in rows)])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--only", default="", help="names with commas: store, consolidate, reembed, import, migrate, first, writers, doors, full_disk, read_only, damaged")
    parser.add_argument("--seed", type=int, default=7)
    args = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="mnemos-faults-")
    rows: list[Row] = []
    warm()
    try:
        work = every(folder, COUNTS["quick" if args.quick else "full"], random.Random(args.seed))
        for name in args.only.split(",") if args.only else work:
            found = work[name]()
            rows += found if isinstance(found, list) else [found]
            print(table(rows[-1:]).splitlines()[-1], file=sys.stderr, flush=True)
    finally:
        shutil.rmtree(folder)
    if args.json:
        print(json.dumps([asdict(row) for row in rows]))
    else:
        print(table(rows))
        if not (args.quick or args.only):
            (HERE / "faults.md").write_text(f"{HEAD}\n{table(rows)}\n")
    return int(any(row.lost or row.by_hand for row in rows))


HEAD = """# Faults (`python benchmarks/faults.py`)

A write is acknowledged when the verb has answered. Lost: acknowledged and not there afterwards. Repaired by hand: the file did not open, or its
texts, index and vectors did not agree, until somebody did something (for damage: the message did not say what to do). Kills are SIGKILL at random
moments. Power loss is promised as far as the disk keeps what synchronous=FULL asks it to keep; that is not tested.
"""

if __name__ == "__main__":
    sys.exit(main())
