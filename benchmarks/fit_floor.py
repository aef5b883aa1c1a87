"""Fits the weights of the floor: python benchmarks/fit_floor.py   (mnemos-mcp installed; four to eight minutes)

Reads benchmarks/data/floor_*.jsonl: ten invented projects, questions that a memory of theirs answers (gold), and questions that none does (off: near is about
the project's domain or its tools, far is not). Every question is put to the full store of its project, to some small parts of it and to all projects in one
store. A logistic regression over Floor.signs of the likest candidate gives the weights, with and without vectors. Prints them with the bars, and what projects
get that were left out of the fit. numpy is needed here only.
"""
from __future__ import annotations

import json
import random
from dataclasses import dataclass
from math import log
from pathlib import Path

import numpy as np

from mnemos_mcp import MnemosConfig
from mnemos_mcp.engine import Engine
from mnemos_mcp.mechanisms.floor import Floor
from mnemos_mcp.model import Search
from mnemos_mcp.providers.embed import BuiltinEmbedder
from mnemos_mcp.retrieve import LISTED, Question, ask
from mnemos_mcp.runtime import open_for_python

DATA = Path(__file__).resolve().parent / "data"
NAMES = ("likeness", "coverage", "shared", "unseen", "agreement", "lacking", "growth")
BLIND = (1, 6)  # what is left of them without vectors
SIZES = (1, 3, 5, 12)  # of the small stores
WEIGHT = {"full": 1.0, "small": 0.4, "merged": 0.3}
NEAR = 0.3  # share of near questions among those off topic when the bar is set
PENALTY = 2.0  # L2, on standardised signs


@dataclass
class Asked:
    """One question put to one store: the signs of each candidate, and the number of the likest."""

    project: str
    store: str
    kind: str  # answered, near, far
    signs: np.ndarray
    best: int


def load() -> dict[str, list[dict]]:
    return {path.stem[6:]: [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] for path in sorted(DATA.glob("floor_*.jsonl"))}


def put(engine: Engine, project: str, store: str, rows: list[dict]) -> tuple[list[Asked], list[Asked]]:
    """The questions put with vectors and without."""
    floor, seen, unseen, view = Floor(), [], [], engine.view()
    for row in rows:
        query, vector, identity, _ = ask(Question(row["question"], view), 0.0, engine.mind)
        for blind, where in ((False, seen), (True, unseen)):
            search = Search(view, query.terms, None if blind else vector, "" if blind else identity, LISTED)
            found = engine.mind.store.search(search)
            candidates = [c for c in found.candidates if c.cosine is not None or c.coverage] or [None]
            field = floor.field(found)
            signs = [floor.signs(c, field, query) if c else (0.0,) * len(NAMES) for c in candidates]
            if blind:
                signs = [(*one[:-1], min(one[-1], log(floor.blind_most))) for one in signs]
            best = max(range(len(signs)), key=lambda at: floor.null_std * signs[at][0] + 0.3 * signs[at][1])
            kind = "answered" if row["gold"] else row["off"]
            where.append(Asked(project, store, kind, np.array(signs) if candidates[0] else np.full((1, len(NAMES)), np.nan), best))
    return seen, unseen


def measure(projects: dict[str, list[dict]]) -> tuple[list[Asked], list[Asked]]:
    chance, embedder, seen, unseen = random.Random(1), BuiltinEmbedder(), [], []

    def told(texts: list[str]) -> Engine:
        engine = open_for_python(MnemosConfig(), embedder=embedder)
        for text in texts:
            engine.store(text, force=True)
        return engine

    everything = told([row["text"] for rows in projects.values() for row in rows if "memory" in row])
    for project, rows in projects.items():
        texts = {row["memory"]: row["text"] for row in rows if "memory" in row}
        questions = [row for row in rows if "question" in row]
        stores = [("full", told(list(texts.values())), questions), ("merged", everything, questions)]
        for size in SIZES:
            part = set(chance.sample(sorted(texts), min(size, len(texts))))
            asked = [row for row in questions if row["gold"] in part] + chance.sample([row for row in questions if not row["gold"]], 10)
            stores.append(("small", told([texts[number] for number in sorted(part)]), asked))
        for store, engine, asked in stores:
            for all_of, new in zip((seen, unseen), put(engine, project, store, asked), strict=True):
                all_of += new
    return seen, unseen


def fit(asked: list[Asked], columns: tuple[int, ...]) -> np.ndarray:
    """Weights and the constant of a logistic regression by Newton's method."""
    rows = [one for one in asked if not np.isnan(one.signs).any()]
    X = np.array([one.signs[one.best][list(columns)] for one in rows])
    y = np.array([one.kind == "answered" for one in rows], float)
    w = np.array([WEIGHT[one.store] for one in rows])
    mean, scale = X.mean(0), X.std(0) + 1e-9
    Z, b = np.c_[(X - mean) / scale, np.ones(len(X))], np.zeros(len(columns) + 1)
    penalty = np.diag([PENALTY] * len(columns) + [1e-6])
    for _ in range(25):
        p = 1 / (1 + np.exp(-Z @ b))
        b -= np.linalg.solve((Z.T * (w * p * (1 - p))) @ Z + penalty, Z.T @ (w * (p - y)) + penalty @ b)
    return np.append(b[:-1] / scale, b[-1] - (mean / scale * b[:-1]).sum())


def evidence(one: Asked, b: np.ndarray, columns: tuple[int, ...]) -> float:
    return -99.0 if np.isnan(one.signs).any() else float((one.signs[:, list(columns)] @ b[:-1]).max() + b[-1])


def rates(asked: list[Asked], z: np.ndarray, bar: float) -> dict[str, float]:
    """Share answered of each kind."""
    kinds = np.array([one.kind for one in asked])
    return {kind: float((z[kinds == kind] >= bar).mean()) for kind in sorted(set(kinds))}


def wrong(asked: list[Asked], z: np.ndarray, bar: float) -> tuple[float, float]:
    """(off-topic questions answered, answerable ones silenced)."""
    share = rates(asked, z, bar)
    return NEAR * share["near"] + (1 - NEAR) * share["far"], 1 - share["answered"]


def report(name: str, asked: list[Asked], columns: tuple[int, ...], balanced: bool) -> None:
    held = np.zeros(len(asked))
    for project in {one.project for one in asked}:
        b = fit([one for one in asked if one.project != project], columns)
        for at, one in enumerate(asked):
            if one.project == project:
                held[at] = evidence(one, b, columns)
    where = [at for at, one in enumerate(asked) if one.store == "full"]
    full = [asked[at] for at in where]
    bars = np.arange(-3, 3, 0.05)
    bar = float(min(bars, key=lambda at: max(wrong(full, held[where], at)) if balanced else sum(wrong(full, held[where], at))))
    b = fit(asked, columns)
    print(f"{name}: " + ", ".join(f"{NAMES[column]} {weight:.2f}" for column, weight in zip(columns, b, strict=False)) + f"; bar {bar - b[-1]:.2f}")
    for moved in (-0.4, -0.2, 0.0, 0.2, 0.4):
        off, silenced = wrong(full, held[where], bar + moved)
        print(f"   bar {bar - b[-1] + moved:.2f}, left out: off-topic answered {off:.3f}, answerable silenced {silenced:.3f}")
    for store in WEIGHT:
        at = [number for number, one in enumerate(asked) if one.store == store]
        print(f"   {store}: answered", {kind: round(share, 3) for kind, share in rates([asked[n] for n in at], held[at], bar).items()})


if __name__ == "__main__":
    seen, unseen = measure(load())
    report("with vectors", seen, tuple(range(len(NAMES))), balanced=True)
    report("without", unseen, BLIND, balanced=False)
