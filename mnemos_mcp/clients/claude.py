"""Claude Code. Shapes and timeouts as measured on 2.1.332."""
from .shape import Client, Hook

EVENTS = (
    Hook("SessionStart", 10, "startup|resume|clear|compact|fork"),
    Hook("UserPromptSubmit", 5),  # the user waits for it
    Hook("PostToolUseFailure", 5, "Bash|mcp__.*"),
    Hook("PostToolUse", 5, "Bash"),
    Hook("PreCompact", 10),
    Hook("PostCompact", 10),
    Hook("Stop", 10),
    Hook("SessionEnd", 10),  # without a timeout of its own it is killed after 1.5 s
)
_COMMITTED = "these files are often committed, and the interpreter's path is of this machine: for a team, the plugin or --scope user is better"

CLIENT = Client(
    name="claude", title="Claude Code",
    servers={"user": "{claude_json}", "project": "{project}/.mcp.json"}, server_more={"type": "stdio"},
    hook_files={"user": "{claude}/settings.json", "project": "{project}/.claude/settings.json"}, hooks=EVENTS,
    # AGENTS.md is read only where there is no CLAUDE.md: making one would hide it.
    rules={"user": ("{claude}/CLAUDE.md",), "project": ("{project}/CLAUDE.md", "{project}/AGENTS.md")},
    notes={"user": ("new sessions have it; `permissions.allow: [\"mcp__mnemos\"]` in settings.json spares the questions",),
           "project": ("Claude Code asks once before it starts a server of .mcp.json", _COMMITTED)})
