"""The words of this folder: where a client keeps what, which events it has, what to put there."""
from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Reach = Literal["user", "project"]
REACHES: tuple[Reach, ...] = ("user", "project")


@dataclass(frozen=True, slots=True)
class Places:
    """The folders that the path templates of a client name; "" for a project means there is none here."""

    home: str
    project: str
    config: str  # mnemos' own folder of settings
    claude: str
    claude_json: str
    codex: str
    cursor: str
    windsurf: str

    def path(self, template: str) -> str:
        """The absolute path a template means; "" when it needs a project and there is none."""
        if "{project}" in template and not self.project:
            return ""
        names = {name: getattr(self, name) for name in self.__slots__}
        return os.path.normpath(template.format(**names))


def places(home: str, project: str, config: str, environ: Mapping[str, str]) -> Places:
    """Where the clients of this user keep their files. CLAUDE_CONFIG_DIR and CODEX_HOME move theirs, as the clients have it."""
    moved = environ.get("CLAUDE_CONFIG_DIR", "").strip()
    claude = moved or os.path.join(home, ".claude")
    return Places(home, project, config, claude, os.path.join(moved or home, ".claude.json"),
                  environ.get("CODEX_HOME", "").strip() or os.path.join(home, ".codex"),
                  os.path.join(home, ".cursor"), os.path.join(home, ".codeium", "windsurf"))


@dataclass(frozen=True, slots=True)
class Hook:
    """One event of a client: its own name of it, seconds it may take, and for which tools or sources ("" = all)."""

    event: str
    timeout_s: int
    matcher: str = ""


@dataclass(frozen=True, slots=True)
class Client:
    """What one client's configuration looks like. Paths are templates of `Places`; a client without a path for a reach has none there."""

    name: str
    title: str
    servers: Mapping[Reach, str]  # the file with MCP servers
    server_key: str = "mcpServers"  # the table of servers in it
    server_more: Mapping[str, object] = field(default_factory=dict)  # members of a server's entry beside command and args
    style: Literal["json", "toml", "opencode"] = "json"
    hook_files: Mapping[Reach, str] = field(default_factory=dict)
    hooks: tuple[Hook, ...] = ()
    hook_style: Literal["grouped", "plain"] = "grouped"  # grouped: {matcher, hooks: [{type, command, timeout}]}; plain: {command, timeout}
    hook_more: Mapping[str, object] = field(default_factory=dict)  # members of the file beside `hooks`
    prompt_event: str = "UserPromptSubmit"  # its names of the two events that the canary goes through
    start_event: str = "SessionStart"
    injects: bool = True  # does it take context from our hooks
    rules: Mapping[Reach, tuple[str, ...]] = field(default_factory=dict)  # files of instructions: the first that exists, else the first
    environment: tuple[str, ...] = ()  # the variables it passes to a server; () = all
    notes: Mapping[Reach, tuple[str, ...]] = field(default_factory=dict)  # what to tell after writing
    print_only: bool = False
