"""Cursor, by its documentation; not run here. Its hooks have names and a shape of their own.

Left out: postToolUseFailure and afterShellExecution (the documents give no exit code), afterAgentResponse (stop says enough).
"""
from .shape import Client, Hook

EVENTS = (Hook("sessionStart", 10), Hook("beforeSubmitPrompt", 5), Hook("preCompact", 10), Hook("stop", 10), Hook("sessionEnd", 10))
_TWICE = "where Cursor also loads Claude Code's hooks (a setting), the same event twice is one episode"

CLIENT = Client(
    name="cursor", title="Cursor",
    servers={"user": "{cursor}/mcp.json", "project": "{project}/.cursor/mcp.json"},
    hook_files={"user": "{cursor}/hooks.json", "project": "{project}/.cursor/hooks.json"}, hooks=EVENTS, hook_style="plain", hook_more={"version": 1},
    rules={"project": ("{project}/AGENTS.md",)},
    notes={"user": (_TWICE,), "project": (_TWICE,)})
