"""Fits the weights of the gate: python benchmarks/fit_gate.py [--write] [--ablation] [--fast]

Reads benchmarks/data/gate.jsonl (development statements of several authors, none from a blind set; CC0-1.0), fits a logistic regression
with an L2 penalty over the signs of mechanisms/gate_features.py and writes mechanisms/gate_weights.py (one byte a hashed sign, packed).
Prints what held-out texts get: in turn one author (for d and e: one register in all languages) of whom nothing was seen.
--ablation: the same with a group of signs left out. --fast: no held-out figures. numpy is needed here only.
"""
from __future__ import annotations

import base64
import json
import sys
import zlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from mnemos_mcp.mechanisms.gate_features import BUCKETS, bucket
from mnemos_mcp.mechanisms.surprisal import SurprisalGate

ROOT = Path(__file__).resolve().parent
PENALTY = 1.0  # chosen by cross-validation: 0.3 to 4 differ by less than 0.5 points
SEEN = 2  # texts that must show a hashed sign before it gets a weight: what was met once is a name
STEPS = 4  # levels of a hashed weight on each side of nothing; 16 gain nothing and take twice the room
# c was written after a look at a and at half of b; the former rule was written against these texts,
# so its signs look better there than they are
AUTHOR_WEIGHT = {"rule": 0.3, "c": 0.7}
GROUPS = {  # of signs, for the ablation
    "speech acts and cues": lambda sign: sign.startswith(
        ("act_", "best_", "kind_", "has_", "score", "kept", "correction", "polite", "company", "demonst", "laugh", "none")
    ),
    "form and turns": lambda sign: sign.startswith("s_"),
    "word classes": lambda sign: sign.startswith(("L", "T", "^T")),
    "words and pieces": lambda sign: sign.startswith(("#w", "#f", "#c", "#z", "#^z", "#$z")),
    "patterns of classes": lambda sign: sign.startswith(("#t", "#u", "#p")),
}


@dataclass
class Table:
    """Rows of signs, sparse: the cells of row i stand at start[i]:start[i + 1]; a column below BUCKETS is a hashed sign."""

    start: np.ndarray
    column: np.ndarray
    value: np.ndarray
    row: np.ndarray
    names: list[str]

    @property
    def width(self) -> int:
        return BUCKETS + len(self.names)

    def take(self, chosen: np.ndarray) -> Table:
        keep, size = chosen[self.row], np.diff(self.start)[chosen]
        return Table(np.r_[0, np.cumsum(size)], self.column[keep], self.value[keep], np.repeat(np.arange(len(size)), size), self.names)

    def times(self, w: np.ndarray) -> np.ndarray:
        return np.bincount(self.row, self.value * w[self.column], len(self.start) - 1)

    def turned_times(self, g: np.ndarray) -> np.ndarray:
        return np.bincount(self.column, self.value * g[self.row], self.width)


def load() -> list[dict]:
    return [json.loads(line) for line in (ROOT / "data" / "gate.jsonl").read_text(encoding="utf-8").splitlines()]


def read_signs(rows: list[dict]) -> list[tuple[dict[str, float], dict[str, float]]]:
    gate = SurprisalGate()
    return [gate.signs(row["text"]) for row in rows]


def table(read: list[tuple[dict[str, float], dict[str, float]]], left_out=lambda sign: False) -> Table:
    names: dict[str, int] = {}
    rows: list[dict[int, float]] = []
    for named, hashed in read:
        cells: dict[int, float] = {}
        for sign, strength in hashed.items():
            if not left_out("#" + sign):
                place, turn = bucket(sign)
                cells[place] = cells.get(place, 0.0) + turn * strength
        for sign, strength in named.items():
            if not left_out(sign):
                cells[BUCKETS + names.setdefault(sign, len(names))] = strength
        rows.append(cells)
    size = np.array([len(cells) for cells in rows])
    column = np.array([place for cells in rows for place in cells])
    value = np.array([strength for cells in rows for strength in cells.values()])
    return Table(np.r_[0, np.cumsum(size)], column, value, np.repeat(np.arange(len(rows)), size), list(names))


def rarity(X: Table) -> np.ndarray:
    """Hashed signs that occur everywhere count less, rare ones more, those hardly met not at all; named signs as they are."""
    texts, met = len(X.start) - 1, np.bincount(X.column, minlength=X.width)
    scale = (np.log(texts / (met + 1.0)) / 3).clip(0.3, 2.5) * (met >= SEEN)
    scale[BUCKETS:] = 1.0
    return scale


def fit(X: Table, y: np.ndarray, weight: np.ndarray, steps: int = 200) -> np.ndarray:
    """L-BFGS on the penalised log loss; the weights fit the unscaled signs, the last one is the constant and free."""
    scale, sign = rarity(X), np.where(y, 1.0, -1.0)
    penalty = np.r_[np.full(X.width, PENALTY), 1e-4]

    def loss(w: np.ndarray) -> tuple[float, np.ndarray]:
        margin = sign * (X.times(w[:-1] * scale) + w[-1])
        pull = -weight * sign / (1 + np.exp(np.clip(margin, -50, 50)))
        return float((weight * np.logaddexp(0, -margin)).sum() + 0.5 * (penalty * w * w).sum()), np.r_[X.turned_times(pull) * scale, pull.sum()] + penalty * w

    w = np.zeros(X.width + 1)
    value, slope = loss(w)
    past: list[tuple[np.ndarray, np.ndarray]] = []
    for _ in range(steps):
        way, kept = slope.copy(), []
        for move, change in reversed(past):
            kept.append((move @ way) / (move @ change))
            way -= kept[-1] * change
        way *= (past[-1][0] @ past[-1][1]) / (past[-1][1] @ past[-1][1]) if past else 1 / np.linalg.norm(way)
        for (move, change), share in zip(past, reversed(kept), strict=True):
            way += move * (share - (change @ way) / (move @ change))
        step = 1.0
        while (ahead := loss(w - step * way))[0] > value - 1e-4 * step * (slope @ way) and step > 1e-6:
            step /= 2
        if (ahead[1] - slope) @ (-step * way) > 1e-10:
            past = [*past[-9:], (-step * way, ahead[1] - slope)]
        w, gain, (value, slope) = w - step * way, value - ahead[0], ahead
        if gain < 1e-5 * abs(value):
            break
    return np.r_[w[:-1] * scale, w[-1]]


def packed(w: np.ndarray) -> tuple[np.ndarray, float]:
    """(steps, size of a step) of the hashed weights: the few that are larger than most are cut."""
    hashed = w[:BUCKETS]
    size = float(np.quantile(np.abs(hashed[hashed != 0]), 0.998)) / STEPS
    return np.round(hashed / size).clip(-STEPS, STEPS).astype(np.int8), size


def as_shipped(w: np.ndarray) -> np.ndarray:
    steps, size = packed(w)
    return np.r_[steps * size, w[BUCKETS:]]


def report(name: str, z: np.ndarray, y: np.ndarray) -> None:
    rows = [(float((z[~y] > bar).mean()), float((z[y] > bar).mean()), bar) for bar in np.arange(-1.5, 1.51, 0.05)]
    even = min(rows, key=lambda one: max(one[0], 1 - one[1]))
    line = "  ".join(f"{bar:+.1f}: {chatter:.3f}/{durable:.3f}" for chatter, durable, bar in rows if round(bar * 20) in (-20, -16, -12, -10, -8, -6, -4, 0, 4))
    print(f"{name:30} {len(y):4}  chatter kept/durable kept at bar  {line}   even at {even[2]:+.2f}: {even[0]:.3f}/{even[1]:.3f}", flush=True)


def held_out(X: Table, y: np.ndarray, author: np.ndarray, register: np.ndarray, only: tuple[str, ...] = ()) -> dict[str, np.ndarray]:
    """Log odds of texts whose author (register) was not in the fit."""
    weight = np.array([AUTHOR_WEIGHT.get(one, 1.0) for one in author])
    found = {}
    for one in only or ("a", "b", *sorted({r for r in register if r})):
        out = (author == one) | (register == one) | (np.char.startswith(register, one) if one in ("d", "e") else False)
        w = as_shipped(fit(X.take(~out), y[~out], weight[~out]))
        found[one] = X.take(out).times(w[:-1]) + w[-1]
        report(f"without {one}", found[one], y[out])
    return found


def write(w: np.ndarray, names: list[str]) -> None:
    steps, size = packed(w)
    text = base64.b64encode(zlib.compress(steps.tobytes(), 9)).decode()
    lines = "\n".join(f'    "{text[at : at + 4000]}"' for at in range(0, len(text), 4000))
    pairs = " ".join(f"{name}={value:.2f}" for name, value in zip(names, w[BUCKETS:-1], strict=True) if abs(value) >= 0.02)
    body = f'''"""Weights of the gate, written by benchmarks/fit_gate.py from benchmarks/data/gate.jsonl; not edited by hand."""
# fmt: off
CONSTANT = {w[-1]:.3f}
SCALE = {size:.6f}  # of one step of HASHED
NAMED = {pairs!r}
HASHED = (  # int8 by bucket, zlib, base64
{lines}
)
# fmt: on
'''
    (ROOT.parent / "mnemos_mcp" / "mechanisms" / "gate_weights.py").write_text(body, encoding="utf-8")


def main() -> None:
    rows = load()
    read = read_signs(rows)
    X = table(read)
    y = np.array([row["durable"] for row in rows])
    author, register = np.array([row["author"] for row in rows]), np.array([row.get("register", "") for row in rows])
    weight = np.array([AUTHOR_WEIGHT.get(one, 1.0) for one in author])
    if "--write" in sys.argv:
        write(fit(X, y, weight), X.names)
    if "--fast" not in sys.argv:
        held_out(X, y, author, register)
    if "--ablation" in sys.argv:
        for name, left_out in {"nothing": lambda sign: False, **GROUPS}.items():
            print("without the signs of", name)
            held_out(table(read, left_out), y, author, register, only=("a", "b", "e"))


if __name__ == "__main__":
    main()
