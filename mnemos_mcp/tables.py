"""A TOML table laid over a mechanism, field by field."""
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

M = TypeVar("M")


def parameters(mechanism: Any) -> list[str]:
    """Names of a mechanism's tunable numbers: it is a frozen dataclass, or a named tuple where hooks load it."""
    from dataclasses import fields
    return list(getattr(mechanism, "_fields", ())) or [f.name for f in fields(mechanism)]


def tuned(mechanism: M, table: str, tables: Mapping[str, Mapping[str, Any]]) -> M:
    """The mechanism with the user's numbers, of all their tables; what does not fit is named by health, here the default stays."""
    values = tables.get(table)
    return fitted(mechanism, table, values)[0] if values else mechanism


def fitted(mechanism: M, table: str, values: Mapping[str, Any]) -> tuple[M, list[str]]:
    """The mechanism with these values, and a sentence for each name or value that does not fit (its default stays)."""
    problems: list[str] = []
    allowed = {name: getattr(mechanism, name) for name in parameters(mechanism)}
    for name, value in values.items():
        if name not in allowed:
            problems.append(unknown(f"[{table}] {name}", name, list(allowed)))
            continue
        try:
            mechanism = type(mechanism)(**{**allowed, name: _like(allowed[name], value)})
            allowed[name] = getattr(mechanism, name)
        except (TypeError, ValueError) as error:
            problems.append(f"[{table}] {name} = {value!r}: {error}; the default {allowed[name]!r} is used")
    return mechanism, problems


def unknown(shown: str, name: str, known: list[str]) -> str:
    import difflib
    near = difflib.get_close_matches(name, known, 1)
    return f"{shown} is not a setting" + (f"; did you mean {near[0]}?" if near else "")


def _like(default: Any, value: Any) -> Any:
    """The value as the default's type. Raises TypeError when it is of another kind."""
    if isinstance(default, bool) or isinstance(value, bool):
        if isinstance(default, bool) and isinstance(value, bool):
            return value
        raise TypeError("true or false is expected" if isinstance(default, bool) else "a number or text is expected")
    if isinstance(default, float) and isinstance(value, int | float):
        return float(value)
    if isinstance(default, Mapping) and isinstance(value, Mapping):
        return {**default, **value}
    if isinstance(default, tuple) and isinstance(value, list):
        return tuple(value)
    if type(value) is not type(default):
        raise TypeError(f"{type(default).__name__} is expected")
    return value
