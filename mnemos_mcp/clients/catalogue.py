"""The clients by name."""
from __future__ import annotations

from . import claude, codex, cursor, printed, windsurf
from .shape import Client

CLIENTS: dict[str, Client] = {c.name: c for c in (claude.CLIENT, cursor.CLIENT, windsurf.CLIENT, codex.CLIENT, *printed.CLIENTS)}
WRITTEN = tuple(name for name, client in CLIENTS.items() if not client.print_only)
