"""Who may see a memory. On the ground by itself, because a hook needs it and none of the rest."""
from __future__ import annotations

from typing import Literal, NamedTuple

Level = Literal["project", "workspace", "global"]


class Scope(NamedTuple):
    """Who may see a memory: a project by its identity, a workspace by its name, or everyone (the user)."""

    level: Level
    name: str = ""

    def __str__(self) -> str:
        """As the file spells it: 'global', 'project:<identity>', 'workspace:<name>'."""
        return f"{self.level}:{self.name}" if self.name else self.level


GLOBAL = Scope("global")
