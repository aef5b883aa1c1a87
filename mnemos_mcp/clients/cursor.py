"""Cursor, by its documentation; not run here. Its hooks have names and a shape of their own.

Left out: afterShellExecution, for which no exit code is documented, and matchers, whose words are other tools' names there.
"""
from .shape import Client, Hook

EVENTS = (Hook("sessionStart", 10), Hook("beforeSubmitPrompt", 5), Hook("postToolUseFailure", 5), Hook("preCompact", 10),
          Hook("afterAgentResponse", 10), Hook("stop", 10), Hook("sessionEnd", 10))
_ASKS = "its hooks capture; what is known comes when the agent asks the server (--scope project --rules tells it when)"
_TWICE = "where Cursor also loads Claude Code's hooks (a setting), the same event twice is one episode"

CLIENT = Client(
    name="cursor", title="Cursor",
    servers={"user": "{cursor}/mcp.json", "project": "{project}/.cursor/mcp.json"},
    hook_files={"user": "{cursor}/hooks.json", "project": "{project}/.cursor/hooks.json"}, hooks=EVENTS, hook_style="plain", hook_more={"version": 1},
    prompt_event="beforeSubmitPrompt", start_event="sessionStart", injects=False,
    rules={"project": ("{project}/AGENTS.md",)},
    notes={"user": (_ASKS, _TWICE), "project": (_ASKS, _TWICE)})
