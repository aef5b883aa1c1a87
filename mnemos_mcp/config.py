"""MnemosConfig: every mechanism with its tunable numbers, one object. TOML tables map onto it, one table a mechanism."""
from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from .tables import fitted, unknown

if TYPE_CHECKING:
    from .mechanisms.activation import SpreadingActivation
    from .mechanisms.affect import AffectiveRouter
    from .mechanisms.consolidation import SleepDaemon
    from .mechanisms.decay import Decay
    from .mechanisms.firewall import Firewall
    from .mechanisms.floor import Floor
    from .mechanisms.keywords import Keywords
    from .mechanisms.packing import Packing
    from .mechanisms.ranking import Ranking
    from .mechanisms.reconsolidation import MutableRAG
    from .mechanisms.scopes import Governance
    from .mechanisms.sectors import Sectors
    from .mechanisms.supersession import Supersession
    from .mechanisms.surprisal import SurprisalGate


@dataclass(frozen=True)
class Capture:
    """How a text becomes rows: bounds of the work done in a store's own time."""

    nearest: int = 24  # memories of the same scope that a new one is held against
    words: int = 8  # rarest words of the new text that are looked up beside its vector
    windows_at_once: int = 8  # of 256 model tokens; the rest is backfilled
    topic: int = 6  # last memories of a session that make its running topic
    known_files: bool = True  # what the client's own memory files (CLAUDE.md, AGENTS.md, its memory folder) say already is no news
    embed_deadline_s: float = 2.0
    judge_deadline_s: float = 3.0


# Where each mechanism lives. One is imported when it is first used: a recall at a prompt needs half of them, and somebody waits.
MECHANISMS = {
    "surprisal": ("surprisal", "SurprisalGate"), "affect": ("affect", "AffectiveRouter"), "sectors": ("sectors", "Sectors"), "decay": ("decay", "Decay"),
    "supersession": ("supersession", "Supersession"), "reconsolidation": ("reconsolidation", "MutableRAG"), "sleep": ("consolidation", "SleepDaemon"),
    "activation": ("activation", "SpreadingActivation"), "ranking": ("ranking", "Ranking"), "packing": ("packing", "Packing"), "floor": ("floor", "Floor"),
    "keywords": ("keywords", "Keywords"), "firewall": ("firewall", "Firewall"), "governance": ("scopes", "Governance"),
}


class MnemosConfig:
    """The mind: `MnemosConfig(surprisal=SurprisalConfig(threshold=0.3))`. What is not given has its defaults. `store` is a path or ':memory:'
    (the Python API's default). It does not change once it is made; `with_` gives another."""

    surprisal: SurprisalGate
    affect: AffectiveRouter
    sectors: Sectors
    decay: Decay
    supersession: Supersession
    reconsolidation: MutableRAG
    sleep: SleepDaemon
    activation: SpreadingActivation
    ranking: Ranking
    packing: Packing
    floor: Floor
    keywords: Keywords
    firewall: Firewall
    governance: Governance
    capture: Capture
    store: str

    def __init__(self, *, store: str = ":memory:", capture: Capture | None = None, **mechanisms: Any):
        for name in mechanisms:
            if name not in MECHANISMS:
                raise TypeError(unknown(name, name, [*MECHANISMS, "capture", "store"]))
        self.__dict__.update(mechanisms, store=store, capture=capture or Capture())

    def __getattr__(self, name: str) -> Any:
        # Called only for what is not there yet.
        if name not in MECHANISMS:
            raise AttributeError(name)
        module, kind = MECHANISMS[name]
        return self.__dict__.setdefault(name, getattr(import_module(f".mechanisms.{module}", __package__), kind)())

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"MnemosConfig does not change: use with_({name}=...)")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, MnemosConfig) and all(getattr(self, name) == getattr(other, name) for name in (*MECHANISMS, "capture", "store"))

    __hash__ = None  # type: ignore[assignment]

    def with_(self, **changes: Any) -> MnemosConfig:
        """The same mind with these in place of its own."""
        return MnemosConfig(**{**self.__dict__, **changes})


def with_tables(config: MnemosConfig, tables: Mapping[str, Mapping[str, Any]]) -> tuple[MnemosConfig, tuple[str, ...]]:
    """The config with TOML tables laid over it, and a sentence for each name or value that does not fit (its default stays)."""
    problems: list[str] = []
    names = [*MECHANISMS, "capture"]
    for table, values in tables.items():
        if table not in names:
            problems.append(unknown(f"[{table}]", table, names))
            continue
        mechanism, troubles = fitted(getattr(config, table), table, values)
        problems += troubles
        config = config.with_(**{table: mechanism})
    return config, tuple(problems)
