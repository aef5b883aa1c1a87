"""MnemosConfig: every mechanism with its tunable numbers, one object. TOML tables map onto it, one table a mechanism."""
from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

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
from .tables import fitted, unknown


@dataclass(frozen=True)
class Capture:
    """How a text becomes rows: bounds of the work done in a store's own time."""

    nearest: int = 24  # memories of the same scope that a new one is held against
    words: int = 8  # rarest words of the new text that are looked up beside its vector
    windows_at_once: int = 8  # of 256 model tokens; the rest is backfilled
    topic: int = 6  # last memories of a session that make its running topic
    embed_deadline_s: float = 2.0
    judge_deadline_s: float = 3.0


@dataclass(frozen=True)
class MnemosConfig:
    """The mind. `store` is a path or ':memory:' (the Python API's default)."""

    surprisal: SurprisalGate = field(default_factory=SurprisalGate)
    affect: AffectiveRouter = field(default_factory=AffectiveRouter)
    sectors: Sectors = field(default_factory=Sectors)
    decay: Decay = field(default_factory=Decay)
    supersession: Supersession = field(default_factory=Supersession)
    reconsolidation: MutableRAG = field(default_factory=MutableRAG)
    sleep: SleepDaemon = field(default_factory=SleepDaemon)
    activation: SpreadingActivation = field(default_factory=SpreadingActivation)
    ranking: Ranking = field(default_factory=Ranking)
    packing: Packing = field(default_factory=Packing)
    floor: Floor = field(default_factory=Floor)
    keywords: Keywords = field(default_factory=Keywords)
    firewall: Firewall = field(default_factory=Firewall)
    governance: Governance = field(default_factory=Governance)
    capture: Capture = field(default_factory=Capture)
    store: str = ":memory:"


def with_tables(config: MnemosConfig, tables: Mapping[str, Mapping[str, Any]]) -> tuple[MnemosConfig, tuple[str, ...]]:
    """The config with TOML tables laid over it, and a sentence for each name or value that does not fit (its default stays)."""
    problems: list[str] = []
    names = [f.name for f in dataclasses.fields(config) if f.name != "store"]
    for table, values in tables.items():
        if table not in names:
            problems.append(unknown(f"[{table}]", table, names))
            continue
        mechanism, troubles = fitted(getattr(config, table), table, values)
        problems += troubles
        config = dataclasses.replace(config, **{table: mechanism})
    return config, tuple(problems)
