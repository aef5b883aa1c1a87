"""Clients whose block is printed for pasting and whose files are never written."""
from .shape import Client

CLIENTS = (
    Client(name="vscode", title="VS Code", servers={"user": "mcp.json of your profile (command palette: MCP: Open User Configuration)",
                                                    "project": "{project}/.vscode/mcp.json"},
           server_key="servers", server_more={"type": "stdio"}, print_only=True),
    Client(name="gemini", title="Gemini CLI", servers={"user": "{home}/.gemini/settings.json", "project": "{project}/.gemini/settings.json"},
           print_only=True),
    Client(name="opencode", title="opencode", servers={"user": "{home}/.config/opencode/opencode.json", "project": "{project}/opencode.json"},
           server_key="mcp", style="opencode", print_only=True),
)
