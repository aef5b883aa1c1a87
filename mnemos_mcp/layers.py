"""One source of settings as a layer: the variables of an environment, or one TOML file. Names are settled here, values later."""
from __future__ import annotations

import os
import re
import stat
from collections.abc import Mapping
from typing import Any, NamedTuple

from .options import BY_ENV, BY_FIELD, BY_TOML, GOVERNANCE, MECHANISMS, PREFIX, SAME_TABLE, likely

_LARGEST_FILE = 256_000  # bytes


class Layer(NamedTuple):
    """Raw values by field, each with where it was written; relative paths count from `base`."""

    values: dict[str, tuple[Any, str]]
    base: str
    mechanisms: dict[str, dict[str, Any]]
    workspaces: dict[str, tuple[str, ...]]
    scope_rules: dict[str, dict[str, Any]]


def empty(base: str = "", values: dict[str, tuple[Any, str]] | None = None) -> Layer:
    """One with nothing in it but these values."""
    return Layer(values or {}, base, {}, {}, {})


def variables(env: Mapping[str, str], base: str, problems: list[str]) -> Layer:
    """MNEMOS_* of an environment. Unknown names are problems, with the one that was probably meant; their values are never shown."""
    layer = empty(base)
    for name in sorted(env):
        known = BY_ENV.get(name)
        if known is None:
            _unknown_variable(name, problems)
    for name, option in BY_ENV.items():
        value = env.get(name, "")
        if not value.strip():
            continue
        if option.field not in layer.values:
            layer.values[option.field] = (value, name)
        elif layer.values[option.field][0] != value:
            problems.append(f"{name} is another name of {layer.values[option.field][1]}, which is set to something else and is used.")
    path = str(layer.values.get("sqlite_path", ("~",))[0]).strip()
    if not (os.path.isabs(path) or path.startswith("~") or path == ":memory:"):
        problems.append(f"{layer.values['sqlite_path'][1]} is a relative path: hooks and server may start in other folders and then use "
                        f"another database. Give an absolute path.")
    return layer


def file_layer(path: str, problems: list[str], *, repository: bool = False) -> Layer:
    """Settings of a TOML file; an empty layer when it is missing or broken."""
    layer = empty(os.path.dirname(path))
    for key, value in _tables(path, problems).items():
        name = SAME_TABLE.get(_flat(key), _flat(key))
        if not isinstance(value, dict):
            _set(layer, BY_TOML.get(name), value, key, path, problems, repository)
        elif name == "workspaces" and not repository:
            _workspaces(layer, value, path, problems)
        else:
            for inner, one in value.items():
                _inner(layer, name, inner, one, path, problems, repository)
    return layer


def shown_value(name: str, value: Any) -> str:
    """A value for people: never a key, never the login of a URL, never a long text that may be a secret pasted into the wrong place."""
    option = BY_FIELD.get(name)
    text = str(value)
    if option is not None and option.private:
        return "<set>" if value else ""
    if name.endswith("_url"):
        login, at, rest = text.rpartition("@")
        return (re.match(r"(\w+://)?", login).group() + rest if at else text).split("?")[0]  # type: ignore[union-attr]
    if name in ("sqlite_path", "project", "workspace", "project_name"):
        return text
    return repr(text)[1:-1] if len(text) <= 30 else f"<{len(text)} characters>"


def _inner(layer: Layer, table: str, key: str, value: Any, path: str, problems: list[str], repository: bool) -> None:
    """One entry of a table: a setting written in two parts, a rule of one scope, or a field of a mechanism."""
    name = _flat(key)
    option = BY_TOML.get(f"{table}_{name}")
    if option is not None:
        _set(layer, option, value, f"{table}.{key}", path, problems, repository)
    elif repository:
        _set(layer, None, value, f"{table}.{key}", path, problems, repository)
    elif table == "governance" and isinstance(value, dict):
        _scope_rules(layer, key, value, path, problems)
    elif table in MECHANISMS:
        layer.mechanisms.setdefault(table, {})[name] = value
    else:
        _set(layer, None, value, f"{table}.{key}", path, problems, repository)


def _set(layer: Layer, option: Any, value: Any, key: str, path: str, problems: list[str], repository: bool) -> None:
    label = f"{_brief(key)} in {path}"
    if repository and (option is None or not option.repository):
        problems.append(f"{label} is ignored: a repository's file may set name, inject, retention and a stricter capture only.")
    elif option is not None and not (option.user or repository):
        problems.append(f"{label} belongs in a repository's own .mnemos/mnemos.toml and is ignored.")
    elif option is None:
        table, dot, _ = _flat(key).partition(".")
        meant = likely(table, [*MECHANISMS, "workspaces", "governance"]) if dot else ""
        meant = f"[{meant}]" if meant else likely(_flat(key).replace(".", "_"), list(BY_TOML))
        problems.append(f"{label} is no setting of mnemos" + (f"; did you mean {meant}?" if meant else "."))
    elif not (isinstance(value, str) and not value.strip()):
        layer.values.setdefault(option.field, (value, label))


def _scope_rules(layer: Layer, scope: str, rules: dict[str, Any], path: str, problems: list[str]) -> None:
    for key, value in rules.items():
        option = BY_TOML.get(f"governance_{_flat(key)}")
        label = f"governance.{_brief(scope)}.{_brief(key)} in {path}"
        if option is None or option.field not in GOVERNANCE:
            problems.append(f"{label} is no rule of a scope. Allowed: {', '.join(GOVERNANCE)}.")
            continue
        try:
            layer.scope_rules.setdefault(scope, {})[option.field] = option.read(value)
        except ValueError as error:
            problems.append(f"{label} = {shown_value(option.field, value)} is not allowed ({error}) and is ignored.")


def _workspaces(layer: Layer, tables: dict[str, Any], path: str, problems: list[str]) -> None:
    for name, members in tables.items():
        if isinstance(members, list) and all(isinstance(member, str) and member.strip() for member in members):
            layer.workspaces[name] = tuple(member.strip() for member in members)
        else:
            problems.append(f"workspaces.{_brief(name)} in {path} must be a list of folders or project identities and is ignored.")


def _unknown_variable(name: str, problems: list[str]) -> None:
    upper = name.upper()
    if upper.startswith(PREFIX):
        meant = upper if upper in BY_ENV else likely(upper, list(BY_ENV))
        problems.append(f"{_brief(name)} is no setting of mnemos" + (f"; did you mean {meant}?" if meant else "."))
    elif upper.startswith("MNEM"):
        meant = likely(upper, list(BY_ENV), cutoff=0.87)  # the prefix itself may be misspelt, or belong to someone else
        if meant:
            problems.append(f"{_brief(name)} is no setting of mnemos; did you mean {meant}?")


def _tables(path: str, problems: list[str]) -> dict[str, Any]:
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            return {}
        with open(path, "rb") as file:
            content = file.read(_LARGEST_FILE + 1)
        if len(content) > _LARGEST_FILE:
            problems.append(f"{path} is larger than {_LARGEST_FILE} bytes and is ignored.")
            return {}
        import tomllib
        return tomllib.loads(content.decode("utf-8-sig"))
    except FileNotFoundError:
        return {}
    except OSError as error:
        problems.append(f"{path} cannot be read ({error.strerror}) and is ignored.")
    except (ValueError, RecursionError) as error:  # not UTF-8, or no TOML
        reason = str(error).splitlines()[0][:120] if str(error) and not isinstance(error, UnicodeDecodeError) else "no UTF-8 text"
        problems.append(f"{path} is no TOML ({reason}) and is ignored.")
    return {}


def _flat(key: str) -> str:
    return key.strip().lower().replace("-", "_")


def _brief(name: str) -> str:
    """A name as it may be shown: one line, not long enough to be a pasted secret."""
    return "".join(char if char.isprintable() else "?" for char in name)[:60]
