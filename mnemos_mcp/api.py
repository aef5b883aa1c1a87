"""MnemosEngine: the same verbs, awaitable, for Python users. Work runs on a worker thread; the event loop is never held up."""
from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .config import MnemosConfig
from .engine import Engine
from .model import Recalled, Role
from .results import Forgotten, Health, Inspected, Page, Reinforced, Slept, Stats, Stored, Timeline
from .runtime import open_for_python


@dataclass(frozen=True, slots=True)
class Interaction:
    """Something that was said. `role`: user, assistant or tool."""

    content: str
    role: Role = "user"
    session: str = ""
    project: str = ""


class MnemosEngine:
    """A memory in this process: ':memory:' unless `config.store` is a path. Usable as an async context manager.

    Every verb takes the arguments of the MCP tool of its name. Raises MnemosError kinds.
    """

    def __init__(self, config: MnemosConfig | None = None, **ports: Any):
        self._engine: Engine = open_for_python(config or MnemosConfig(), **ports)

    async def process(self, interaction: Interaction) -> Stored:
        """Let the gate decide what becomes of something that was said."""
        result = await self._call(self._engine.store, interaction.content, role=interaction.role, session=interaction.session,
                                  project=interaction.project, origin="tool" if interaction.role == "tool" else "user")
        if self._engine.mind.llm is not None:  # the next message is guessed after this turn, while nobody waits
            asyncio.get_running_loop().run_in_executor(None, self._engine.idle)
        return result

    async def store(self, content: str, **arguments: Any) -> Stored:
        return await self._call(self._engine.store, content, **arguments)

    async def retrieve(self, query: str, **arguments: Any) -> list[Recalled]:
        """Memories, best first; each has content, score and why."""
        return list((await self._call(self._engine.retrieve, query, **arguments)).memories)

    async def consolidate(self, **arguments: Any) -> Slept:
        return await self._call(self._engine.consolidate, **arguments)

    async def forget(self, memory_id: str, **arguments: Any) -> Forgotten:
        return await self._call(self._engine.forget, memory_id, **arguments)

    async def inspect(self, memory_id: str, **arguments: Any) -> Inspected:
        return await self._call(self._engine.inspect, memory_id, **arguments)

    async def list(self, **arguments: Any) -> Page:
        return await self._call(self._engine.list, **arguments)

    async def stats(self) -> Stats:
        return await self._call(self._engine.stats)

    async def health(self) -> Health:
        return await self._call(self._engine.health)

    async def reinforce(self, memory_id: str, **arguments: Any) -> Reinforced:
        return await self._call(self._engine.reinforce, memory_id, **arguments)

    async def timeline(self, **arguments: Any) -> Timeline:
        return await self._call(self._engine.timeline, **arguments)

    def close(self) -> None:
        self._engine.close()

    async def __aenter__(self) -> MnemosEngine:
        return self

    async def __aexit__(self, *_: object) -> None:
        self.close()

    @staticmethod
    async def _call(verb: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        return await asyncio.to_thread(verb, *args, **kwargs)
