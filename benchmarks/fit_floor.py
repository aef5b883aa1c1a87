"""Fits what the floor expects of a question: python benchmarks/fit_floor.py [--write]   (mnemos-mcp installed; some minutes)

Reads benchmarks/data/floor_*.jsonl: invented projects and people, questions that one of their notes answers (gold), and questions that none does (off: near
is about the same domain or a tool, attribute is about a thing that is noted but asks what nobody noted, far is about something else, nonsense is no question).
Every question is put to the full store of its project, with and without its question mark, and to some small parts of it. A logistic regression over the
evidence of the likest memory, by the weights of Floor, and the vector of the question gives the direction of mechanisms/inquiry.py; --write lays it into
mechanisms/floor_weights.py, moved so that the bar of Floor is the best one. Prints what projects, and what whole authors, get
that were left out of the fit. With --signs the weights of Floor themselves, by another regression over the signs. numpy is needed here only.
"""
from __future__ import annotations

import base64
import json
import random
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from math import log
from pathlib import Path

import numpy as np

from mnemos_mcp import MnemosConfig
from mnemos_mcp.engine import Engine
from mnemos_mcp.mechanisms.floor import Floor
from mnemos_mcp.mechanisms.inquiry import MOST
from mnemos_mcp.model import Search
from mnemos_mcp.providers.embed import BuiltinEmbedder
from mnemos_mcp.retrieve import LISTED, Question, ask
from mnemos_mcp.runtime import open_for_python

DATA = Path(__file__).resolve().parent / "data"
WEIGHTS = DATA.parent.parent / "mnemos_mcp" / "mechanisms" / "floor_weights.py"
NAMES = ("likeness", "coverage", "shared", "unseen", "agreement", "lacking", "growth")
BLIND = (1, 6)  # what is left of them without vectors
SIZES = (1, 3, 5, 12)  # of the small stores
STORES = {"full": 1.0, "small": 0.3}  # weight of a question put there
KINDS = {  # weight; a bar against attribute questions would silence what the same words ask for, so they are only reported
    "answered": 1.0, "near": 1.5, "attribute": 0.0, "far": 1.0, "nonsense": 0.5,
}
NEAR = 0.3  # share of near questions among those off topic when the bar is set
MUTE = 2.5  # a silenced answer counts as so many superfluous memories when the bar is set: with less, AgentMem loses an answer
PENALTY = 2.0  # L2, on standardised signs
PENALTY_VECTOR = 6.0  # the same on a number of the question's vector as it is
# who wrote what: the first ten projects, then fourteen, five in whole sentences, four that are no software
AUTHORS = ({"cartograph", "emberfall", "hopcab", "ledgerbird", "nightowl", "pawbook", "plateful", "quietroom", "tidewatch", "weldtrack"},
           {"harborlight", "sheafdb", "cargoloop", "stellariumkids", "papertrail"}, {"householdnotes", "talkofmara", "thesisdiary", "clubsecretary"})


@dataclass
class Asked:
    """One question put to one store: signs and evidence of each candidate, and the question's vector (empty without vectors)."""

    project: str
    store: str
    kind: str
    signs: np.ndarray
    evidence: np.ndarray
    vector: np.ndarray

    @property
    def author(self) -> str:
        return str(next((number for number, names in enumerate(AUTHORS) if self.project in names), len(AUTHORS)))


class Once(BuiltinEmbedder):
    """Each text is embedded once."""

    def __init__(self) -> None:
        super().__init__()
        self.known: dict[str, np.ndarray] = {}

    def embed(self, texts: Sequence[str], *, deadline_s: float | None = None) -> list[np.ndarray]:
        new = [text for text in dict.fromkeys(texts) if text not in self.known]
        self.known.update(zip(new, super().embed(new), strict=True))
        return [self.known[text] for text in texts]


def load() -> dict[str, list[dict]]:
    return {path.stem[6:]: [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] for path in sorted(DATA.glob("floor_*.jsonl"))}


def other_mark(text: str) -> str:
    return text[:-1] if text.endswith("?") else f"{text}?"


def put(engine: Engine, project: str, store: str, rows: list[dict]) -> tuple[list[Asked], list[Asked]]:
    """The questions put with vectors and without."""
    floor, seen, unseen, view = Floor(), [], [], engine.view()
    for row in rows:
        query, vector, identity, _ = ask(Question(row["question"], view), 0.0, engine.mind)
        query = query._replace(expected=None)  # the evidence of the memories alone
        for blind, where in ((False, seen), (True, unseen)):
            search = Search(view, query.terms, None if blind else vector, "" if blind else identity, LISTED)
            found = engine.mind.store.search(search)
            candidates = [c for c in found.candidates if c.cosine is not None or c.coverage]
            field = floor.field(found, query)
            signs = [floor.signs(c, field, query) for c in candidates] or [(np.nan,) * len(NAMES)]
            if blind:
                signs = [(*one[:-1], min(one[-1], log(floor.blind_most))) for one in signs]
            evidence = [floor.evidence(c, field, query)[0] for c in candidates] or [-99.0]
            where.append(Asked(project, store, "answered" if row["gold"] else row["off"], np.array(signs), np.array(evidence), np.array([] if blind else vector)))
    return seen, unseen


def measure(projects: dict[str, list[dict]]) -> tuple[list[Asked], list[Asked]]:
    chance, embedder, seen, unseen = random.Random(1), Once(), [], []

    def told(texts: list[str]) -> Engine:
        engine = open_for_python(MnemosConfig(), embedder=embedder)
        for text in texts:
            engine.store(text, force=True)
        return engine

    for project, rows in projects.items():
        texts = {row["memory"]: row["text"] for row in rows if "memory" in row}
        questions = [row for row in rows if "question" in row]
        off = [row for row in questions if not row["gold"]]
        both = questions + [row | {"question": other_mark(row["question"])} for row in questions]
        stores = [("full", told(list(texts.values())), both)]
        for size in SIZES:
            part = set(chance.sample(sorted(texts), min(size, len(texts))))
            asked = [row for row in questions if row["gold"] in part] + chance.sample(off, min(10, len(off)))
            stores.append(("small", told([texts[number] for number in sorted(part)]), asked))
        for store, engine, asked in stores:
            for all_of, new in zip((seen, unseen), put(engine, project, store, asked), strict=True):
                all_of += new
    return seen, unseen


@dataclass
class Direction:
    """Evidence beside that of the memories, by the question's vector; around 0, the bar stays Floor's."""

    weights: np.ndarray
    offset: float = 0.0

    def expected(self, one: Asked) -> float:
        return float(np.clip(one.vector @ self.weights + self.offset, -MOST, MOST))

    def evidence(self, one: Asked) -> float:
        return float(one.evidence.max()) + self.expected(one)


def newton(X: np.ndarray, y: np.ndarray, w: np.ndarray, penalties: np.ndarray) -> np.ndarray:
    """Weights and constant of a logistic regression, with an L2 penalty on each column, by Newton's method."""
    Z, penalty = np.c_[X, np.ones(len(X))], np.diag([*penalties, 1e-6])
    b = np.zeros(Z.shape[1])
    for _ in range(7):
        p = 1 / (1 + np.exp(-Z @ b))
        b -= np.linalg.solve((Z.T * (w * p * (1 - p))) @ Z + penalty, Z.T @ (w * (p - y)) + penalty @ b)
    return b


def balance(asked: list[Asked]) -> tuple[list[Asked], np.ndarray, np.ndarray]:
    """Those that found anything, 1.0 for each that is answered, weights."""
    rows = [one for one in asked if KINDS[one.kind] and one.evidence.max() > -99]
    return rows, np.array([one.kind == "answered" for one in rows], float), np.array([STORES[one.store] * KINDS[one.kind] for one in rows])


def fit(asked: list[Asked]) -> Direction:
    rows, y, w = balance(asked)
    X = np.array([[one.evidence.max(), *one.vector] for one in rows])
    b = newton(X - X.mean(0), y, w, np.array([PENALTY, *[PENALTY_VECTOR] * (X.shape[1] - 1)]))
    turned = Direction(b[1:-1] / b[0])
    full = [one for one in asked if one.store == "full"]
    turned.offset = -float(np.median([one.vector @ turned.weights for one in full]))
    turned.offset += Floor().bar - best_bar(full, np.array([turned.evidence(one) for one in full]))
    return turned


def rates(asked: list[Asked], z: np.ndarray, bar: float) -> dict[str, float]:
    """Share answered of each kind."""
    kinds = np.array([one.kind for one in asked])
    return {kind: float((z[kinds == kind] >= bar).mean()) for kind in KINDS if (kinds == kind).any()}


def wrong(asked: list[Asked], z: np.ndarray, bar: float) -> tuple[float, float]:
    """(off-topic questions answered, answerable ones silenced)."""
    share = rates(asked, z, bar)
    return NEAR * share["near"] + (1 - NEAR) * share["far"], 1 - share["answered"]


def left_out(asked: list[Asked], by: str) -> np.ndarray:
    """Evidence of each question by a fit that saw nothing of its group."""
    held, groups = np.zeros(len(asked)), sorted({getattr(one, by) for one in asked})
    for part in [groups[at::6] for at in range(6)] if by == "project" else [[group] for group in groups]:
        fitted = fit([one for one in asked if getattr(one, by) not in part])
        for at, one in enumerate(asked):
            if getattr(one, by) in part:
                held[at] = fitted.evidence(one)
    return held


def best_bar(full: list[Asked], z: np.ndarray) -> float:
    def loss(bar: float) -> float:
        off, silenced = wrong(full, z, bar)
        return max(off, MUTE * silenced)
    return float(min(np.arange(-4, 4, 0.05), key=loss))


def tell(name: str, asked: list[Asked], z: np.ndarray) -> None:
    """What bars around the best bring on full stores, and with Floor's what each kind gets."""
    full = np.array([one.store == "full" for one in asked])
    chosen = [one for one in asked if one.store == "full"]
    best = best_bar(chosen, z[full])
    for bar in (Floor().bar, best - 0.4, best - 0.2, best, best + 0.2, best + 0.4):
        off, silenced = wrong(chosen, z[full], bar)
        print(f"{name}, bar {bar:.2f}: off-topic answered {off:.3f}, answerable silenced {silenced:.3f}")
    for store in STORES:
        at = [number for number, one in enumerate(asked) if one.store == store]
        print(f"   {store}: answered", {kind: round(share, 3) for kind, share in rates([asked[n] for n in at], z[at], Floor().bar).items()}, flush=True)


def signs(name: str, asked: list[Asked], columns: tuple[int, ...]) -> None:
    """Weights over the signs of the likest candidate, with no vector of the question."""
    rows, y, w = balance(asked)
    X = np.array([one.signs[one.evidence.argmax()][list(columns)] for one in rows])
    scale = X.std(0) + 1e-9
    b = newton((X - X.mean(0)) / scale, y, w, np.array([PENALTY] * len(columns)))
    print(f"{name}: " + ", ".join(f"{NAMES[column]} {weight:.2f}" for column, weight in zip(columns, b[:-1] / scale, strict=True)))


def lay(fitted: Direction) -> None:
    """Writes the direction."""
    scale = float(abs(fitted.weights).max()) / 127
    text = base64.b64encode(np.rint(fitted.weights / scale).astype("i1").tobytes()).decode()
    lines = "\n".join(f'    "{text[at : at + 128]}"' for at in range(0, len(text), 128))
    WEIGHTS.write_text('"""Direction of Inquiry in the space of the built-in embedder, written by benchmarks/fit_floor.py; not edited by hand."""\n# fmt: off\n'
                       f"IDENTITY = {BuiltinEmbedder.identity!r}\nSCALE = {scale:.6g}  # of one step of DIRECTION\nOFFSET = {fitted.offset:.4f}\n"
                       f"DIRECTION = (  # int8, base64\n{lines}\n)\n# fmt: on\n", encoding="utf-8")


if __name__ == "__main__":
    seen, unseen = measure(load())
    tell("without the direction", seen, np.array([one.evidence.max() for one in seen]))
    for by in ("project", "author"):
        tell(f"{by} left out", seen, left_out(seen, by))
    if "--signs" in sys.argv:
        signs("with vectors", seen, tuple(range(len(NAMES))))
        signs("without", unseen, BLIND)
    if "--write" in sys.argv:
        lay(fit(seen))
