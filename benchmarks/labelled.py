"""The labelled sets of tests/data, judged by the product as it stands, no model, built-in embedder.

    python benchmarks/labelled.py   (mnemos-mcp installed) [gate affect abstention firewall]

gate        chatter kept / durable statements kept, by the gate as a store asks it (rule and surprisal)
affect      share of pairs put in the right order, by axis
abstention  off-topic questions answered / answerable ones silenced, and the gold memory first or in the best five
firewall    secrets refused or personal data redacted / harmless texts touched
"""
from __future__ import annotations

import base64
import json
import random
import sys
import urllib.parse
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

from mnemos_mcp import MnemosConfig
from mnemos_mcp.mechanisms.affect import AffectiveRouter
from mnemos_mcp.mechanisms.firewall import Firewall, Refusal
from mnemos_mcp.providers.embed import BuiltinEmbedder
from mnemos_mcp.runtime import open_for_python

DATA = Path(__file__).parent.parent / "tests" / "data"
EMBEDDER = BuiltinEmbedder()


def rows(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (DATA / f"{name}.jsonl").read_text().splitlines()]


def gate() -> None:
    """Each statement told to an empty memory."""
    kept: dict[tuple[bool, str], list[bool]] = defaultdict(list)
    for row in rows("gate"):
        engine = open_for_python(MnemosConfig(), embedder=EMBEDDER)
        kept[row["durable"], row["language"]].append(engine.store(row["text"]).stored)
        engine.close()
    for durable in (False, True):
        values = [v for (d, _), vs in kept.items() if d == durable for v in vs]
        by_language = {language: f"{sum(vs)}/{len(vs)}" for (d, language), vs in kept.items() if d == durable}
        print(f"gate: {'durable' if durable else 'chatter'} kept {sum(values)}/{len(values)} = {sum(values) / len(values):.1%}", by_language)


def affect() -> None:
    router, right, total = AffectiveRouter(), Counter(), Counter()
    for row in rows("affect"):
        axis = row["axis"]
        total[axis] += 1
        right[axis] += getattr(router.feel(row["higher"]), axis) > getattr(router.feel(row["lower"]), axis)
    print("affect:", {axis: f"{right[axis]}/{n}" for axis, n in total.items()}, f"= {sum(right.values()) / sum(total.values()):.1%}")


def abstention() -> None:
    figures: Counter[str] = Counter()
    projects: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in rows("abstention"):
        projects[row["project"]].append(row)
    for project, parts in projects.items():
        engine = open_for_python(MnemosConfig(), embedder=EMBEDDER, project=project)
        ids = {row["memory"]: engine.store(row["text"], force=True).id for row in parts if "memory" in row}
        for row in (r for r in parts if "question" in r):
            found = [m.id for m in engine.retrieve(row["text"], limit=5, reconsolidate=False).memories]
            gold = {ids[g] for g in row["gold"]}
            kind = "answerable" if row["answerable"] else "off-topic"
            figures[f"{kind} asked"] += 1
            figures[f"{kind} answered"] += bool(found)
            figures["gold first"] += bool(found[:1] and found[0] in gold)
            figures["gold in five"] += bool(gold & set(found))
        engine.close()
    print(f"abstention: off-topic answered {figures['off-topic answered']}/{figures['off-topic asked']}, answerable silenced "
          f"{figures['answerable asked'] - figures['answerable answered']}/{figures['answerable asked']}, gold first {figures['gold first']}, "
          f"in five {figures['gold in five']}")


def firewall() -> None:
    wall, names = Firewall(), {"base64": base64, "random": random, "urllib": urllib}
    hit: Counter[tuple[str, bool]] = Counter()
    missed: Counter[str] = Counter()
    for row in rows("firewall"):
        text = eval(row["gen"], names) if "gen" in row else row["text"]
        result = wall.screen(text)
        touched = isinstance(result, Refusal) or bool(result.redactions)
        hit[row["expect"], touched] += 1
        if touched == (row["expect"] == "clean"):
            missed[row["kind"]] += 1
    bad = sum(n for (expect, _), n in hit.items() if expect != "clean")
    caught = sum(n for (expect, touched), n in hit.items() if expect != "clean" and touched)
    print(f"firewall: recall {caught}/{bad} = {caught / bad:.3f}, precision {caught / (caught + hit['clean', True]):.3f}; wrong by kind {dict(missed)}")


if __name__ == "__main__":
    for name in sys.argv[1:] or ("gate", "affect", "abstention", "firewall"):
        {"gate": gate, "affect": affect, "abstention": abstention, "firewall": firewall}[name]()
