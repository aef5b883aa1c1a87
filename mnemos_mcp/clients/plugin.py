"""The plugin of Claude Code, as far as its files tell: is it enabled, and where was it installed."""
from __future__ import annotations

import json
import os
from contextlib import suppress
from typing import Any

from .files import Refused, read
from .shape import Places

NAME = "mnemos"


def enabled(where: Places) -> str:
    """The full name (`mnemos@market`) of the plugin that is switched on for this user or project; "" for none."""
    for path in (os.path.join(where.claude, "settings.json"), where.path("{project}/.claude/settings.json")):
        listed = _value(path).get("enabledPlugins")
        for name, on in listed.items() if isinstance(listed, dict) else ():
            if name.partition("@")[0] == NAME and on:
                return str(name)
    return ""


def folder(where: Places) -> str:
    """Where the enabled plugin was installed; "" when that is not known."""
    plugins = _value(os.path.join(where.claude, "plugins", "installed_plugins.json")).get("plugins")
    entry = plugins.get(enabled(where)) if isinstance(plugins, dict) else None
    entry = entry[0] if isinstance(entry, list) and entry else entry
    path = entry.get("installPath") if isinstance(entry, dict) else None
    return path if isinstance(path, str) and os.path.isdir(path) else ""


def _value(path: str) -> dict[str, Any]:
    with suppress(Refused, ValueError):
        found = json.loads((read(path) or b"{}") if path else b"{}")
        return found if isinstance(found, dict) else {}
    return {}
