"""Windsurf, by its documentation; not run here. Its servers are global only; its hooks cannot add context and are left out."""
from .shape import Client

CLIENT = Client(
    name="windsurf", title="Windsurf",
    servers={"user": "{windsurf}/mcp_config.json"},
    rules={"project": ("{project}/AGENTS.md",)},
    notes={"user": ("Windsurf's hooks cannot add context, so nothing is recalled by itself: --scope project --rules tells the agent when to ask",)})
