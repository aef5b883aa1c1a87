"""`mnemos demo`: a working day told to the real server over stdio, as a client would. What is printed comes from its replies.

The server has a folder, a file and a project of its own that are gone afterwards, also after Ctrl-C.
"""
from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .clients.catalogue import WRITTEN
from .errors import MnemosError
from .terminal import shares, timeline

WIDEST = 96  # columns
CALL_S = 20.0  # a call that takes longer has failed
STYLES = {"stored": "green", "superseded": "green", "reinforced": "cyan", "not_news": "yellow", "refused": "red"}
# Made from pieces so that no scanner takes this file for a leak.
CLOUD_KEY = "AKIA" + "Q7WJ4ZNB" + "T2KX5MVD"


@dataclass(frozen=True, slots=True)
class Said:
    """Something said during the day, and how it is told to the server."""

    what: str
    content: str
    more: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, and what it is to show."""

    why: str
    query: str
    more: dict[str, Any]


def day(year: int) -> tuple[Said, ...]:
    """The day's statements. What changed was first true in January of `year`."""
    return (
        Said("a decision", "We decided to keep the ledger in PostgreSQL 16 because row-level security separates the tenants.", {}),
        Said("a preference, for every project", "I prefer small pull requests: one topic, at most 300 lines.", {"scope": "global"}),
        Said("a fix", "Fixed the flaky checkout test: its clock was not frozen, so it failed around midnight UTC. Freezing time in the fixture solved it.", {}),
        Said("small talk", "ok thanks, looks good", {}),
        Said("a fact with a key, true since January", "The staging server is heron.example.net.", {"key": "staging-server", "valid_from": f"{year}-01-10"}),
        Said("the fact changes", "The staging server is ibis.example.net.", {"key": "staging-server"}),
        Said("the preference once more", "i prefer small pull requests: one topic, at most 300 lines.", {"scope": "global"}),
        Said("a cloud key, pasted by mistake", f"deploy works with {CLOUD_KEY}, keep it", {}))


def questions(year: int) -> tuple[Asked, ...]:
    return (
        Asked("in other words", "Which database did we choose, and what was the reason?", {}),
        Asked("in other words", "What size of change do I like in a pull request?", {}),
        Asked("in other words", "a test breaks at night", {}),
        Asked("what holds now", "Where do we deploy for testing? staging server", {}),
        Asked("what was true in January", "staging server", {"as_of": f"{year}-01-31"}),
        Asked("nothing is known about it", "How long does sourdough bread rise?", {}))


def run(*, quiet: bool = False) -> dict[str, Any]:
    """Play it; the server's replies. `quiet` prints nothing."""
    import anyio
    from rich.console import Console
    console = Console(highlight=False, quiet=quiet)
    console = Console(highlight=False, quiet=quiet, width=min(console.width if console.is_terminal else WIDEST, WIDEST))
    with tempfile.TemporaryDirectory(prefix="mnemos-demo-", ignore_cleanup_errors=True) as folder:
        return anyio.run(_play, Path(folder), console)


async def _play(folder: Path, console: Any) -> dict[str, Any]:
    begun = time.monotonic()
    now = time.gmtime()
    year = now.tm_year if now.tm_mon > 1 else now.tm_year - 1
    replies: dict[str, Any] = {"stored": [], "asked": []}
    console.print("mnemos demo: the real stdio server, in a temporary folder with a file and a project of its own", style="dim")
    async with _server(folder) as call:
        _heading(console, "A working day is told to the server", "mnemos_store")
        for said in day(year):
            reply = await call("mnemos_store", {"content": said.content, **said.more})
            replies["stored"].append(reply)
            _show_said(console, said, reply)
        _heading(console, "Asked later, in other words", "mnemos_retrieve with explain")
        for asked in questions(year):
            reply = await call("mnemos_retrieve", {"query": asked.query, "limit": 1, "explain": True, **asked.more})
            replies["asked"].append({"query": asked.query, **reply})
            _show_asked(console, asked, reply)
        _heading(console, "How the fact changed", "mnemos_timeline")
        replies["timeline"] = await call("mnemos_timeline", {"key": "staging-server"})
        timeline(console, replies["timeline"])
        replies["stats"] = await call("mnemos_stats", {})
        _show_stats(console, replies["stats"])
    replies["seconds"] = round(time.monotonic() - begun, 1)
    _heading(console, "Give it to your agent", f"{replies['seconds']} s; the demo's folder is gone again")
    for line in adding():
        console.print(line, style="" if line.startswith(" ") else "bold", markup=False)
    return replies


@asynccontextmanager
async def _server(folder: Path) -> Any:
    """The stdio server of this installation on an empty memory; gives the function that calls its tools."""
    from mcp.client import Client
    from mcp.client.stdio import StdioServerParameters, stdio_client
    project = folder / "ledger-service"
    project.mkdir()
    environment = {
        "MNEMOS_SQLITE_PATH": str(folder / "memory" / "demo.db"), "XDG_CONFIG_HOME": str(folder), "XDG_DATA_HOME": str(folder),
        "PYTHONPATH": str(Path(__file__).resolve().parent.parent), "PYTHONIOENCODING": "utf-8"}
    parameters = StdioServerParameters(command=sys.executable, args=["-m", "mnemos_mcp", "serve"], env=environment, cwd=project)
    with open(folder / "stderr.txt", "w+", encoding="utf-8") as errors:
        try:
            async with Client(stdio_client(parameters, errlog=errors), read_timeout_seconds=CALL_S) as client:
                async def call(tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
                    result = await client.call_tool(tool, arguments)
                    if result.is_error:
                        raise MnemosError(f"{tool}: {' '.join(getattr(part, 'text', '') for part in result.content) or 'failed'}")
                    return result.structured_content or {}
                yield call
        except Exception as error:
            wrong = next(_leaves(error))
            if isinstance(wrong, MnemosError):
                raise wrong from None
            errors.seek(0)
            raise MnemosError(f"The server did not answer ({type(wrong).__name__}: {wrong}). It said: {errors.read()[-500:].strip() or 'nothing'}") from error


def _leaves(error: BaseException) -> Iterator[BaseException]:
    """The failures inside a task group's group of failures."""
    if isinstance(error, BaseExceptionGroup):
        for inner in error.exceptions:
            yield from _leaves(inner)
    else:
        yield error


def _heading(console: Any, title: str, tool: str) -> None:
    from rich.text import Text
    console.print()
    console.print(Text.assemble((title, "bold"), (f"   {tool}", "dim")))
    console.print("─" * min(console.width, 80), style="dim")


def _indented(console: Any, text: Any) -> None:
    """Every line of a wrapped text two columns in, with nothing after its end: the page may be piped."""
    from rich.text import Text
    for line in text.wrap(console, console.width - 2):
        line.rstrip()
        console.print(Text("  ") + line)


def _show_said(console: Any, said: Said, reply: dict[str, Any]) -> None:
    from rich.text import Text
    key = f", key {said.more['key']}" if "key" in said.more else ""
    console.print(Text(f"{said.what}{key}", style="dim"))
    _indented(console, Text(f"“{said.content.replace(CLOUD_KEY, CLOUD_KEY[:4] + '…')}”"))
    outcome = reply["outcome"]
    known = " ".join(part for part in (reply["id"], f"importance {reply['importance']}" if "importance" in reply and reply["stored"] else "") if part)
    retired = f"; retires {', '.join(reply['superseded'])}" if reply.get("superseded") else ""
    _indented(console, Text.assemble((f"→ {outcome:<11}", STYLES[outcome]), (f"{known}  " if known else "", "dim"), reply.get("reason", ""), retired))


def _show_asked(console: Any, asked: Asked, reply: dict[str, Any]) -> None:
    from rich.text import Text
    when = f"   as_of {asked.more['as_of']}" if "as_of" in asked.more else ""
    console.print(Text.assemble((f"{asked.why}: ", "dim"), (f"“{asked.query}”", "bold"), (when, "dim")))
    for memory in reply["memories"]:
        _indented(console, Text.assemble(("→ ", "dim"), memory["content"], (f"   {memory['scope']}, {memory['age']}", "dim")))
        shares(console, memory.get("why", {}), memory["score"])
    if not reply["memories"]:
        console.print(Text("  → nothing is returned", style="yellow"))
    if "note" in reply:
        _indented(console, Text(f"note: {reply['note']}", style="yellow"))


def _show_stats(console: Any, reply: dict[str, Any]) -> None:
    from rich.text import Text
    active = sum(counts.get("active", 0) for counts in reply["memories"].values())
    former = sum(counts.get("superseded", 0) for counts in reply["memories"].values())
    gate, episodes = reply["gate"], reply["episodes"]
    console.print(Text(f"kept {gate['kept']}, dropped {gate['dropped']} · {active} active and {former} superseded memories · "
                       f"episodes waiting for sleep: {episodes.get('pending', 0)}", style="dim"))


def adding() -> list[str]:
    """How each client gets the server and the hooks; the commands and blocks are those of the README."""
    return ["Server and hooks, into the client's own configuration: the one that you use",
            *(f"  mnemos setup {client}" for client in WRITTEN), "  mnemos doctor",
            "By hand, the server alone, in Claude Code", "  claude mcp add mnemos --scope user -- mnemos-mcp",
            "in ~/.cursor/mcp.json or ~/.codeium/windsurf/mcp_config.json",
            '  {"mcpServers": {"mnemos": {"command": "mnemos-mcp", "args": []}}}',
            "in ~/.codex/config.toml", "  [mcp_servers.mnemos]", '  command = "mnemos-mcp"']
