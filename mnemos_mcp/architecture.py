"""The page mnemos://architecture: every mechanism in a line, with the numbers that are in force."""
from __future__ import annotations

from typing import Any

from .config import MECHANISMS
from .tables import parameters

# What each part of MnemosConfig is for, in the order in which a text meets them.
_LINES = {
    "firewall": "Firewall: secrets are blocked and personal data redacted before anything else sees a text.",
    "capture": "Capture: how much of a store's own time is spent on a text.",
    "surprisal": "SurprisalGate: only what was not predicted, and will matter later, is kept.",
    "affect": "AffectiveRouter: a query's mood prefers memories of the same mood.",
    "sectors": "Sectors: semantic, procedural, episodic, emotional, reflective, as weights of every memory.",
    "supersession": "Timeline: a newer fact retires the older one; what was true when is never lost.",
    "governance": "Scopes: project, workspace, global; nothing crosses. What may be captured, and how much is kept.",
    "keywords": "Keywords: the words by which a text is found.",
    "ranking": "Ranking: score = sum of weight x signal.",
    "activation": "SpreadingActivation: a recall brings its neighbourhood.",
    "floor": "Floor: when nothing is near enough, nothing is returned.",
    "packing": "Packing: no near-identical memories in one answer.",
    "reconsolidation": "MutableRAG: what is recalled becomes labile and is revised by newer evidence.",
    "decay": "Decay: salience fades by importance; use strengthens it.",
    "sleep": "SleepDaemon: episodes become facts, raw episodes are pruned.",
}
_LONGEST_VALUE = 160  # characters: word lists are named by their length


def page(config: Any) -> str:
    """One page of text."""
    names = [*_LINES, *(name for name in MECHANISMS if name not in _LINES)]
    parts = [_part(_LINES.get(name, name.capitalize()), getattr(config, name)) for name in names if hasattr(config, name)]
    return "\n".join(["mnemos: one file of memories, and mechanisms that decide what is kept, changed and let go.", "", *parts])


def _part(line: str, mechanism: Any) -> str:
    numbers = ", ".join(f"{name} {_shown(getattr(mechanism, name))}" for name in parameters(mechanism))
    return f"- {line}" + (f"\n  {numbers}" if numbers else "")


def _shown(value: Any) -> str:
    """A value in a few characters: numbers as they are, long lists by their length."""
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, dict):
        text = "{" + ", ".join(f"{k} {_shown(v)}" for k, v in value.items()) + "}"
    else:
        text = str(value)
    return text if len(text) <= _LONGEST_VALUE else f"({len(value)} entries)" if hasattr(value, "__len__") else f"{text[:_LONGEST_VALUE]}…"
