"""mnemos: the memory that coding agents keep between sessions. Names are handed on lazily, so that a hook pays for none it does not use."""
from __future__ import annotations

from importlib import import_module
from typing import Any

__version__ = "0.1.0"
_HOMES = {
    "MnemosEngine": "api", "Interaction": "api", "MnemosConfig": "config", "SurprisalConfig": "mechanisms.surprisal",
    "SurprisalGate": "mechanisms.surprisal", "MutableRAG": "mechanisms.reconsolidation", "AffectiveRouter": "mechanisms.affect",
    "SleepDaemon": "mechanisms.consolidation", "SpreadingActivation": "mechanisms.activation", "Memory": "model", "MnemosError": "errors",
}
__all__ = [*_HOMES, "__version__"]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'mnemos_mcp' has no attribute '{name}'")
    return getattr(import_module(f".{_HOMES[name]}", __name__), name)


def __dir__() -> list[str]:
    return sorted(__all__)
