"""The two clients behind one face: a session is a script of the model and prompts of the user, and what comes back are the model's requests."""
from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from .clients import Claude, Codex
from .models import Anthropic, Block, Model, OpenAI, Request, Turn, say, use
from .places import Place

FRAME = "<mnemos-recall"


@dataclass
class Session:
    """One session that has ended. `hooks`: what the hooks answered, as far as the client tells."""

    model: Model
    hooks: list[dict[str, Any]]

    @property
    def requests(self) -> list[Request]:
        return self.model.requests

    def followed(self) -> bool:
        """Whether the client asked for every turn of the script and for nothing else."""
        return not self.model.script and not self.model.strays


class ClaudePlayer:
    """Claude Code: one process a session."""

    name, key = "Claude Code", "claude"
    failed, ran = "Exit code 3", "tool_result"

    def shell(self, command: str, **more: Any) -> Block:
        return use("Bash", command=command, description="a step", **more)

    def talk(self, place: Place, folder: Path, script: list[Turn], *prompts: str, extra: tuple[str, ...] = (),
             env: dict[str, str] | None = None) -> Session:
        with Anthropic(*script) as model, Claude(place, folder, model, *extra, **(env or {})) as client:
            for prompt in prompts:
                client.say(prompt)
        return Session(model, client.hooks())

    def compact(self, place: Place, folder: Path, before: Turn, after: Turn, *prompts: str) -> Session:
        """A session that is compacted between two turns: three requests, the second is the compaction's."""
        summary = Turn("create a detailed summary", say("<analysis>Short.</analysis><summary>The release went well.</summary>"))
        return self.talk(place, folder, [before, summary, after], prompts[0], "/compact", prompts[1])

    def store(self, content: str) -> list[Block]:
        """The calls that reach our store tool: its schema first, then the tool."""
        return [use("ToolSearch", query="select:mcp__mnemos__mnemos_store"), use("mcp__mnemos__mnemos_store", content=content)]


class CodexPlayer:
    """Codex CLI: one process a prompt, the later ones resume the session of the first."""

    name, key = "Codex", "codex"
    failed, ran = "exited with code 3", "function_call_output"

    def shell(self, command: str) -> Block:
        return use("exec_command", cmd=command)

    def talk(self, place: Place, folder: Path, script: list[Turn], *prompts: str, extra: tuple[str, ...] = (),
             env: dict[str, str] | None = None) -> Session:
        session = ""
        with OpenAI(*script) as model:
            for prompt in prompts:
                with Codex(place, folder, model, prompt, *extra, resume=session, **(env or {})) as client:
                    client.finish()
                session = next(e.data["thread_id"] for e in client.events if e.data.get("type") == "thread.started")
        return Session(model, [])

    def compact(self, place: Place, folder: Path, before: Turn, after: Turn, *prompts: str) -> Session:
        """The same three requests: the first answer reports more tokens than the limit, so Codex compacts before the second prompt."""
        summary = Turn("CONTEXT CHECKPOINT COMPACTION", say("The release went well."))
        return self.talk(place, folder, [replace(before, input_tokens=50_000), summary, after], *prompts, extra=("model_auto_compact_token_limit=20000",))

    def store(self, content: str) -> list[Block]:
        return [use("mnemos_store", namespace="mcp__mnemos", content=content)]


Player = ClaudePlayer | CodexPlayer


def quoted(request: Request) -> str:
    """What the newest part of a request quotes from the memory, "" when nothing."""
    return "\n".join(re.findall(f"{FRAME}.*?</mnemos-recall>", request.newest, re.DOTALL))


def steady(text: str) -> str:
    """A text without the ids that differ from run to run."""
    return re.sub(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|(msg|toolu|call)_\d+", "ID", text)
