"""What each signal, cue and mechanism of a recall brings: the default with one part taken away, on the same candidates.

    python benchmarks/ablation.py --rig DIR --stores FOLDER --locomo FILE --beam FILE --agentmem FILE

--rig is the recall rig of recall.py (its readers and metrics are used). Stores are made once in FOLDER and used again. Each question is searched once; then
every row scores, floors and packs what was found. A second table takes one unit (conversation, chat or project) after the other out of the sum.
"""
from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean
from typing import Any

from mnemos_mcp import MnemosConfig
from mnemos_mcp.engine import Engine
from mnemos_mcp.mechanisms.floor import Floor
from mnemos_mcp.mechanisms.packing import Packing
from mnemos_mcp.mechanisms.ranking import PRESETS, Ranking
from mnemos_mcp.model import Search
from mnemos_mcp.moments import parse
from mnemos_mcp.providers.embed import BuiltinEmbedder
from mnemos_mcp.retrieve import LISTED, Question, ask, floor, likeness, spread, tokens
from mnemos_mcp.runtime import open_for_python

EMBEDDER = BuiltinEmbedder()
NO_FLOOR = Floor(bar=-99.0, blind_bar=-99.0, trailing=0.0)
NO_PACKING = Packing(trade=1.0)
CUES: dict[str, dict[str, Any]] = {
    "time words for when": {"times_share": 0.0}, "numbers for how many": {"numbers_share": 0.0}, "names": {"names_share": 0.0},
    "a time that is named": {"time_weight": 0.0}, "latest, current": {"latest_weight": 0.0}, "how, why, what happened": {"sector_weight": 0.0},
    "mood": {"affect_weight": 0.0}, "advice": {"advice_weight": 0.0}, "answer after question": {"answer_share": 0.0}, "change words": {"update_depth": 0},
    "full match is absolute": {"full_match": 0.0},
}


@dataclass
class Asked:
    """One question with all that a row needs to answer it."""

    unit: str
    row: dict[str, Any]
    question: Question
    query: Any
    found: Any
    energy: Any
    similarity: Any
    retention: dict[str, float]
    at: float
    mind: Any
    records: dict[str, list[str]]  # memory id -> record ids


def variants() -> dict[str, dict[str, Any]]:
    """name -> ranking, floor, packing; what is not named is the default."""
    alone = dict.fromkeys(PRESETS["mnemos"], 0.0)
    mute = {name: value for fields in CUES.values() for name, value in fields.items()}
    rows: dict[str, dict[str, Any]] = {
        "default": {}, "words only": {"ranking": Ranking(weights=alone | {"keyword": 1.0}, **mute), "floor": NO_FLOOR},
        "meaning and words": {"ranking": Ranking(weights={"context": 0.0, "importance": 0.0, "activation": 0.0}, **mute), "floor": NO_FLOOR},
        "all signals, no cue": {"ranking": Ranking(**mute)},
        "meaning only": {"ranking": Ranking(weights=alone | {"semantic": 1.0}, **mute), "floor": NO_FLOOR}}
    rows |= {f"- {name}": {"ranking": Ranking(weights={name: 0.0})} for name in PRESETS["mnemos"]}
    rows |= {f"- {name}": {"ranking": Ranking(**fields)} for name, fields in CUES.items()}
    rows |= {"- floor": {"floor": NO_FLOOR}, "- packing": {"packing": NO_PACKING}, "- both": {"floor": NO_FLOOR, "packing": NO_PACKING}}
    return rows | {f"preset {name}": {"ranking": Ranking(preset=name)} for name in PRESETS if name != "mnemos"}


def told(path: Path, records: list[dict[str, Any]], force: bool) -> tuple[Engine, dict[str, list[str]]]:
    """An engine on a store of these records, made if it is not there, and which record each memory holds."""
    side = path.with_suffix(".json")
    there = side.exists()
    if not there:
        path.unlink(missing_ok=True)
    capture = replace(MnemosConfig().capture, embed_deadline_s=60.0)  # a busy machine must not turn a question into words alone
    engine = open_for_python(MnemosConfig(store=str(path), capture=capture), embedder=EMBEDDER)
    if there:
        return engine, json.loads(side.read_text())
    held: dict[str, list[str]] = {}
    of: dict[str, str] = {}
    for record in records:
        extra = {name: record[name] for name in ("importance",) if record.get(name) is not None}
        extra |= {"supersedes": [of[record["supersedes"]]]} if record.get("supersedes") in of else {}
        stored = engine.store(record["text"], valid_from=parse(record["ts"]), session=record.get("session", ""), force=force,
                              scope="global" if record["scope"] == "global" else "project", project=record["scope"], **extra)
        if stored.id:
            of[record["id"]] = stored.id
            held.setdefault(stored.id, []).append(record["id"])
    side.write_text(json.dumps(held))
    return engine, held


def put(engine: Engine, held: dict[str, list[str]], row: dict[str, Any], unit: str, limit: int, mode: Any = "hybrid") -> Asked:
    moment = row.get("as_of") or row.get("now")
    view = engine.view(row.get("scope", unit), as_of=parse(moment) if moment else None)
    question, mind = Question(row["text"], view, limit, mode, budget_tokens=5000, reconsolidate=False), engine.mind
    at = mind.clock() if view.as_of is None else view.as_of
    query, vector, identity, _ = ask(question, at, mind)
    query = query._replace(sectors=mind.config.sectors.weigh(query.text), affect=query.affect if query.charged else mind.config.affect.feel(query.text))
    found, energy, _ = spread(question, query, mind.store.search(Search(view, query.terms, vector, identity, LISTED)), mind)
    similarity = likeness(found, identity, mind)
    similarity("", "")  # reads the vectors now
    retention = {c.memory.id: mind.config.decay.retention(c.memory, at) for c in found.candidates}
    return Asked(unit, row, question, query, found, energy, similarity, retention, at, mind, held)


def asked(data: Any, args: argparse.Namespace, name: str) -> Iterator[Asked]:
    """Every question of a data set, searched."""
    for case in getattr(data, "agentmem" if name == "agentmem" else "jsonl")(getattr(args, name)):
        engine, held = told(Path(args.stores, f"{name}-{case['case']}.db"), case["records"], force=name != "agentmem")
        for row in case["queries"]:
            unit = row["scope"] if name == "agentmem" else case["case"]
            yield put(engine, held, row, unit, row.get("k", 5) if name == "agentmem" else 20, "keyword" if args.words else "hybrid")


def answer(one: Asked, variant: dict[str, Any]) -> list[str]:
    """Record ids, best first."""
    config = one.mind.config.with_(**variant)
    ranked = config.ranking.score(one.query, one.found, now=one.at, energy=one.energy, retention=one.retention, similarity=one.similarity)
    passed, _ = floor(one.question, one.query, ranked, one.found, replace(one.mind, config=config))
    kept, _ = config.packing.pack(passed, limit=one.question.limit, budget_tokens=one.question.budget_tokens, similarity=one.similarity, tokens=tokens)
    return list(dict.fromkeys(record for memory in kept for record in one.records.get(memory.id, [])))


def judged(metrics: Any, one: Asked, ids: list[str]) -> dict[str, float]:
    if "gold" not in one.row:
        return {"pass": metrics.judge(one.row, ids)["pass"]}
    figures = {name: value for name, value in metrics.score(ids, one.row["gold"]).items() if name in ("recall@5", "recall@10", "hit@5", "mrr")}
    return figures | ({"newer first": metrics.newer_first(ids, one.row["new"], one.row["old"])} if one.row.get("new") else {})


def mean(rows: list[dict[str, float]]) -> dict[str, float]:
    found = defaultdict(list)
    for row in rows:
        for name, value in row.items():
            found[name].append(value)
    return {name: fmean(values) for name, values in found.items()}


def left_out(questions: list[Asked], with_it: list[dict[str, float]], without: list[dict[str, float]], figure: str) -> str:
    """What a part brings: least and most with one unit left out, and in how many units it helps / hurts."""
    gains = defaultdict(list)
    for one, a, b in zip(questions, with_it, without, strict=True):
        gains[one.unit].append(a[figure] - b[figure])
    rest = [fmean(g for unit, values in gains.items() if unit != gone for g in values) for gone in gains]
    sums = [sum(values) for values in gains.values()]
    return f"{min(rest):+.3f} .. {max(rest):+.3f}; {sum(s > 1e-9 for s in sums)} / {sum(s < -1e-9 for s in sums)}"


def main(report: Callable[[str], None] = print) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rig", required=True)
    parser.add_argument("--stores", required=True)
    for name in ("locomo", "beam", "agentmem"):
        parser.add_argument(f"--{name}")
    parser.add_argument("--words", action="store_true", help="as without an embedder")
    args = parser.parse_args()
    sys.path.insert(0, args.rig)
    from recall import data, metrics  # type: ignore[import-not-found]
    Path(args.stores).mkdir(parents=True, exist_ok=True)
    for name in ("agentmem", "beam", "locomo"):
        if not getattr(args, name):
            continue
        questions = list(asked(data, args, name))
        results = {label: [judged(metrics, one, answer(one, variant)) for one in questions] for label, variant in variants().items()}
        figures = list(mean(results["default"]))
        report(f"\n| {name}, {len(questions)} questions | " + " | ".join(figures) + " |\n|" + "---|" * (len(figures) + 1))
        for label, rows in results.items():
            report(f"| {label} | " + " | ".join(f"{value:.3f}" for value in mean(rows).values()) + " |")
        judge = [figure for figure in figures if figure in ("pass", "recall@10", "mrr")]
        report(f"\n| {name}, one unit left out | " + " | ".join(judge) + " |\n|" + "---|" * (len(judge) + 1))
        for label in CUES:
            report(f"| {label} | " + " | ".join(left_out(questions, results["default"], results[f"- {label}"], figure) for figure in judge) + " |")


if __name__ == "__main__":
    main()
