"""The command lines that clients are given, and the interpreter that the plugin's launcher is told of."""
from __future__ import annotations

import os
import shlex
from collections.abc import Mapping
from typing import Any

from ..errors import BadInput
from ..options import BY_ENV
from .shape import Client, Hook, Places

RECORD = "python"  # in mnemos' folder of settings; the launcher in hooks/ reads it
# A client starts its hooks and servers in the user's repository, and nothing in there may be imported in our place: -P leaves the working folder out,
# -E what the environment names (PYTHONPATH=. is common). Not -I: that would also leave out what `pip install --user` has put in.
ISOLATED = "-EP"
_IMPORTS = ("PYTHONPATH", "PYTHONHOME", "PYTHONUSERBASE")  # by which a Python may have us that then has not
_FINDS_S = 30.0
_PATHS = ("OLLAMA_HOST", "XDG_CONFIG_HOME", "XDG_DATA_HOME")  # what settings read beside MNEMOS_*


def interpreter(executable: str) -> str:
    """This Python as an absolute path. Raises BadInput when it has none (an embedded one)."""
    if not executable or not os.path.isabs(executable):
        raise BadInput("This Python does not know its own path, so no client can be told to start it. Run `mnemos setup` from a virtual environment.")
    return executable


def finds_us(python: str, environ: Mapping[str, str]) -> bool:
    """Does this Python have mnemos also when it does not look at the environment? It is asked only where the environment says something."""
    if not any(environ.get(name) for name in _IMPORTS):
        return True
    import subprocess
    try:
        return not subprocess.run([python, ISOLATED, "-c", "import mnemos_mcp"], stdin=subprocess.DEVNULL, capture_output=True, timeout=_FINDS_S).returncode
    except (OSError, subprocess.TimeoutExpired):
        return False


def hook_command(python: str, event: str) -> str:
    """The shell line of one hook."""
    return f"{quoted(python)} {ISOLATED} -m mnemos_mcp.hook {event}"


def hook_entry(client: Client, hook: Hook, python: str) -> dict[str, Any]:
    """One hook as its client wants it, in shell form: Cursor passes `command` of foreign hooks but not `args`."""
    line = hook_command(python, hook.event)
    if client.hook_style == "plain":
        return {"command": line, "timeout": hook.timeout_s}
    return {**({"matcher": hook.matcher} if hook.matcher else {}), "hooks": [{"type": "command", "command": line, "timeout": hook.timeout_s}]}


def server_entry(client: Client, python: str) -> dict[str, Any]:
    """The server as its client wants it."""
    args = [ISOLATED, "-m", "mnemos_mcp", "serve"]
    if client.style == "opencode":
        return {"type": "local", "command": [python, *args], "enabled": True}
    entry = {**client.server_more, "command": python, "args": args}
    # A client that hands on few variables must be told to hand on ours, or its server would use another database than its hooks.
    return {**entry, "env_vars": [*sorted(BY_ENV), *_PATHS]} if client.environment else entry


def quoted(path: str) -> str:
    """A path for sh and for cmd: in double quotes where that is plain in both."""
    return f'"{path}"' if not set(path) & set('"$`!') and ("\\" not in path or os.name == "nt") else shlex.quote(path)


def record_path(where: Places) -> str:
    return os.path.join(where.config, RECORD) if where.config else ""


def passed(client: Client, environ: Mapping[str, str], named: tuple[str, ...] = ()) -> dict[str, str]:
    """The environment that a server of this client gets, of one that the client itself has."""
    if not client.environment:
        return dict(environ)
    return {name: value for name, value in environ.items() if name in client.environment or name in named}
