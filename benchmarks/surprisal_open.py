"""How surprising open conversations are and what the gate keeps of them: python benchmarks/surprisal_open.py DATA... [--turns N] (mnemos-mcp installed)

DATA: files of LoCoMo or BEAM as JSON Lines (rows of kind "record") or AgentMem as JSON ("records"); only aggregate figures are printed.
Every turn is told in its order to an engine of its own for each conversation, no model of language, built-in embedder. --turns N takes the
first N turns of each conversation (default: all).
"""
from __future__ import annotations

import argparse
import json
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import numpy as np

from mnemos_mcp import MnemosConfig
from mnemos_mcp.providers.embed import BuiltinEmbedder
from mnemos_mcp.runtime import open_for_python

EDGES = np.arange(0.0, 1.01, 0.1)


def records(path: Path) -> list[dict[str, Any]]:
    if path.suffix == ".json":
        return json.loads(path.read_text(encoding="utf-8"))["records"]
    return [row for row in map(json.loads, path.read_text(encoding="utf-8").splitlines()) if row.get("kind") == "record"]


def tell(path: Path, turns: int, embedder: BuiltinEmbedder) -> None:
    talks: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in records(path):
        talks[row["scope"]].append(row)
    surprisal: list[float] = []
    outcomes: Counter[str] = Counter()
    dropped: Counter[str] = Counter()
    for scope, rows in talks.items():
        engine = open_for_python(MnemosConfig(), embedder=embedder)
        for row in rows[: turns or None]:
            told = engine.store(row["text"], session=f"{scope}/{row.get('session', '')}")
            outcomes[told.outcome] += 1
            if told.outcome != "refused":
                surprisal.append(told.surprisal)
            if told.outcome == "not_news":
                dropped["not durable" if "not durable" in told.reason else "predicted"] += 1
        engine.close()
    found, told_of = np.array(surprisal), sum(outcomes.values())
    kept = sum(outcomes[one] for one in ("stored", "superseded", "reinforced"))
    print(f"{path.stem}: {told_of} turns of {len(talks)} conversations; kept {kept / told_of:.1%} {dict(outcomes)}; dropped as {dict(dropped)}")
    print("  surprisal at 5, 25, 50, 75, 95 %:", *(f"{value:.2f}" for value in np.quantile(found, (0.05, 0.25, 0.5, 0.75, 0.95))),
          f" below 0.30: {(found < 0.3).mean():.1%}")
    print("  share by tenth of surprisal:", *(f"{share:.3f}" for share in np.histogram(found, EDGES)[0] / len(found)), flush=True)


def main() -> None:
    read = argparse.ArgumentParser()
    read.add_argument("data", nargs="+", type=Path)
    read.add_argument("--turns", type=int, default=0)
    asked = read.parse_args()
    embedder = BuiltinEmbedder()
    for path in asked.data:
        tell(path, asked.turns, embedder)


if __name__ == "__main__":
    main()
