"""Codex CLI. Shapes as measured on 0.171; hooks have Claude Code's shape, and there is no event for a failed tool."""
from .shape import Client, Hook

EVENTS = (
    Hook("SessionStart", 10, "startup|resume|clear|compact"),
    Hook("UserPromptSubmit", 5),
    Hook("PostToolUse", 5, "Bash"),
    Hook("PreCompact", 10),
    Hook("PostCompact", 10),
    Hook("Stop", 10),
    Hook("SessionEnd", 3),  # more is cut to 3
)
_TRUST = "Codex runs a hook only after you trusted it: start codex and say /hooks once, and again after each change of these hooks"

CLIENT = Client(
    name="codex", title="Codex CLI",
    servers={"user": "{codex}/config.toml", "project": "{project}/.codex/config.toml"}, server_key="mcp_servers", style="toml",
    hook_files={"user": "{codex}/hooks.json", "project": "{project}/.codex/hooks.json"}, hooks=EVENTS,
    rules={"user": ("{codex}/AGENTS.md",), "project": ("{project}/AGENTS.md",)},
    environment=("HOME", "LOGNAME", "PATH", "SHELL", "USER", "LANG", "LC_ALL", "TERM", "TMPDIR", "TZ"),
    notes={"user": (_TRUST,), "project": (_TRUST, "Codex reads a project's files only where the project is trusted")})
