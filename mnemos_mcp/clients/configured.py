"""What a client is configured to run for us, read from its files as they are: by setup, by hand or by the plugin."""
from __future__ import annotations

import os
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from . import plugin
from .catalogue import CLIENTS, WRITTEN
from .files import Refused, read, text_of
from .jsonmerge import SERVER, own_commands
from .jsontext import NotJson, parse
from .shape import REACHES, Client, Places


@dataclass(frozen=True, slots=True)
class Server:
    """How the client starts our server."""

    command: str
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    env_vars: tuple[str, ...] = ()  # handed on by name (Codex)
    off: bool = False


@dataclass(frozen=True, slots=True)
class Configured:
    """One client at one reach ("user", "project" or "plugin")."""

    client: Client
    reach: str
    server: Server | None = None
    hooks: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # event -> our command lines
    more_env: Mapping[str, str] = field(default_factory=dict)  # what the client adds for these hooks and this server
    problems: tuple[str, ...] = ()  # files that cannot be read
    files: tuple[str, ...] = ()

    @property
    def missing_events(self) -> tuple[str, ...]:
        return tuple(hook.event for hook in self.client.hooks if not self.hooks.get(hook.event))

    @property
    def doubled_events(self) -> tuple[str, ...]:
        return tuple(event for event, commands in self.hooks.items() if len(commands) > 1)


def found(where: Places, only: str = "") -> list[Configured]:
    """Every client that has something of ours, at every reach."""
    return [one for name in WRITTEN if only in ("", name) for one in _of(CLIENTS[name], where) if one.server or one.hooks or one.problems]


def switched_off(where: Places) -> str:
    """The file of Claude Code that switches all hooks off, "" for none."""
    for path in (os.path.join(where.claude, "settings.json"), where.path("{project}/.claude/settings.json")):
        if path and _value(path, []).get("disableAllHooks") is True:
            return path
    return ""


def _of(client: Client, where: Places) -> Iterator[Configured]:
    for reach in REACHES:
        problems: list[str] = []
        servers, hooks = (where.path(files.get(reach, "")) if files.get(reach) else "" for files in (client.servers, client.hook_files))
        configured = _hooks(client, _value(hooks, problems))
        yield Configured(client, reach, _server(_value(servers, problems), client.server_key), configured, {}, tuple(problems),
                         tuple(path for path in (servers, hooks) if path))
    if client.name == "claude" and plugin.enabled(where):
        yield _plugin(client, where)


def _plugin(client: Client, where: Places) -> Configured:
    folder, problems = plugin.folder(where), []
    if not folder:
        return Configured(client, "plugin", problems=(f"the plugin {plugin.enabled(where)} is enabled, but where it was installed is not known: "
                                                      "`claude plugin install` it again",))
    hooks, manifest = os.path.join(folder, "hooks", "hooks.json"), os.path.join(folder, ".claude-plugin", "plugin.json")
    server = _server(_value(manifest, problems), "mcpServers")
    if server:
        server = Server(server.command.replace("${CLAUDE_PLUGIN_ROOT}", folder), server.args, server.env)
    return Configured(client, "plugin", server, _hooks(client, _value(hooks, problems)), {"CLAUDE_PLUGIN_ROOT": folder}, tuple(problems), (hooks, manifest))


def _hooks(client: Client, value: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    commands = {hook.event: tuple(own_commands(value, hook.event)) for hook in client.hooks}
    return {event: lines for event, lines in commands.items() if lines}


def _server(value: Mapping[str, Any], key: str) -> Server | None:
    table = value.get(key)
    entry = table.get(SERVER) if isinstance(table, dict) else None
    if not isinstance(entry, dict) or not isinstance(entry.get("command"), str):
        return None
    args, env, names = entry.get("args"), entry.get("env"), entry.get("env_vars")
    return Server(entry["command"], tuple(map(str, args)) if isinstance(args, list) else (),
                  {k: str(v) for k, v in env.items()} if isinstance(env, dict) else {},
                  tuple(map(str, names)) if isinstance(names, list) else (), entry.get("enabled") is False or entry.get("disabled") is True)


def _value(path: str, problems: list[str]) -> dict[str, Any]:
    """A JSON or TOML file; {} when it is missing, and with a problem when it cannot be read."""
    if not path:
        return {}
    try:
        text = text_of(read(path) or b"", path)
        if not text.strip("\ufeff \t\r\n"):
            return {}
        value = tomllib.loads(text.removeprefix("\ufeff")) if path.endswith(".toml") else parse(text).value
    except (Refused, NotJson, tomllib.TOMLDecodeError) as error:
        problems.append(str(error) if path in str(error) else f"{path}: {error}")
        return {}
    return value if isinstance(value, dict) else {}
