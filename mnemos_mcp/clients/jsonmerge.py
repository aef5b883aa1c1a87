"""mnemos in a JSON file of a client: its server in the table of servers, its hooks among the others. Text in, text out."""
from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from .jsontext import Child, Node, NotJson, appended, at, parse, removed, replaced

SERVER = "mnemos"
_OWN = re.compile(r"-m\s+mnemos_mcp\.hook\b|(?:^|[\s/\\\"'])mnemos(?:\.exe)?[\"']?\s+hook\b|\bmnemos-hook\b")


class Unfit(ValueError):
    """The file is sound, but what should be a table or a list in it is something else; says what."""


def with_server(text: str, key: str, entry: Mapping[str, Any]) -> str:
    """The text with mnemos in the table `key`. Members that somebody added to our entry stay (env, alwaysLoad, ...)."""
    known = at(_root(text), key, SERVER)
    if known is not None and isinstance(known.value, dict) and "url" not in known.value:
        wanted = {**known.value, **entry}
    else:
        wanted = dict(entry)
    if known is None:
        text = _with_container(text, key, {})
        return appended(text, _container(_root(text), dict, key), wanted, SERVER)
    return text if known.value == wanted else replaced(text, known, wanted)


def without_server(text: str, key: str, before: str | None) -> str:
    """The text without mnemos in the table `key`; the table goes too when it is empty and was not in `before`."""
    root = _root(text)
    table = at(root, key)
    child = table.member(SERVER) if table else None
    if table is None or child is None:
        return text
    return _emptied(removed(text, table, child), (key,), before)


def with_hooks(text: str, wanted: Mapping[str, Mapping[str, Any]], more: Mapping[str, Any]) -> str:
    """The text with exactly one entry of ours for each event of `wanted` (event -> entry), other hooks untouched; `more` where missing."""
    events = {**dict.fromkeys(wanted), **dict.fromkeys(_events_with_own(text))}
    for event in events:
        found = [(group, own) for group, own in _groups(text, event) if own]
        if event in wanted and [group.node.value for group, _ in found] == [wanted[event]]:
            continue
        text = _without_own(text, event)
        if event in wanted:
            text = _with_container(text, "hooks", {})
            text = _with_container(text, event, [], "hooks")
            text = appended(text, _container(_root(text), list, "hooks", event), wanted[event])
        else:
            text = _emptied(text, ("hooks", event), None)
    for name, value in more.items():
        if at(_root(text), name) is None:
            text = appended(text, _root(text), value, name)
    return text


def without_hooks(text: str, more: Mapping[str, Any], before: str | None) -> str:
    """The text without any hook of ours; what setup had to make for them goes too, unless it was in `before`."""
    events = _events_with_own(text)
    for event in events:
        text = _emptied(_without_own(text, event), ("hooks", event), before)
    if not events:
        return text
    text = _emptied(text, ("hooks",), before)
    made = {name for name in more if before is not None and _former(before, (name,)) is None}
    if before is None and set(_root(text).value) == set(more):  # nothing but what setup made
        made = set(more)
    for name in made:
        root = _root(text)
        child = root.member(name)
        text = removed(text, root, child) if child else text
    return text


def is_own(command: Any) -> bool:
    """Does this command line run a hook of mnemos?"""
    return isinstance(command, str) and bool(_OWN.search(command))


def own_commands(value: Any, event: str) -> list[str]:
    """Command lines of ours for an event, in a configuration that was read."""
    hooks = value.get("hooks") if isinstance(value, dict) else None
    groups = hooks.get(event) if isinstance(hooks, dict) else None
    return [handler["command"] for group in groups if isinstance(group, dict) for handler in _handlers(group) if is_own(handler.get("command"))] \
        if isinstance(groups, list) else []


def _handlers(group: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    inner = group.get("hooks", [group])
    return [handler for handler in inner if isinstance(handler, dict)] if isinstance(inner, list) else []


def _root(text: str) -> Node:
    root = parse(text)
    if not isinstance(root.value, dict):
        raise Unfit("the file holds no JSON object")
    return root


def _container(root: Node, kind: type, *path: str) -> Node:
    """The object or list under these keys. Raises Unfit when it is something else."""
    node = at(root, *path)
    if node is None or not isinstance(node.value, kind):
        raise Unfit(f"'{'.'.join(path)}' in it is not {'an object' if kind is dict else 'a list'}")
    return node


def _with_container(text: str, key: str, empty: Any, *path: str) -> str:
    parent = _container(_root(text), dict, *path) if path else _root(text)
    if parent.member(key) is not None:
        _container(_root(text), type(empty), *path, key)
        return text
    return appended(text, parent, empty, key)


def _emptied(text: str, path: tuple[str, ...], before: str | None) -> str:
    """Take an empty container out, unless it was there before: then it gets its former white space."""
    root = _root(text)
    parent, node = at(root, *path[:-1]), at(root, *path)
    child = parent.member(path[-1]) if parent else None
    if parent is None or node is None or child is None or node.value:
        return text
    former = _former(before, path)
    if former is None:
        return removed(text, parent, child)
    return text if former else text[:node.start] + former + text[node.end:]


def _former(before: str | None, path: tuple[str, ...]) -> str | None:
    """What stood there before setup: None for nothing, the text of an empty container, '' for one that was not empty."""
    if before is None:
        return None
    try:
        node = at(parse(before), *path)
    except NotJson:
        return None
    return None if node is None else "" if node.value else before[node.start:node.end]


def _events_with_own(text: str) -> list[str]:
    hooks = at(_root(text), "hooks")
    if hooks is None or not isinstance(hooks.value, dict):
        return []
    return [event for event in hooks.value if any(own for _, own in _groups(text, event))]


def _groups(text: str, event: str) -> Iterator[tuple[Child, list[Child]]]:
    """Each entry of an event with our handlers in it; the entry itself where handlers are not grouped."""
    node = at(_root(text), "hooks", event)
    for group in node.children if node and isinstance(node.value, list) else ():
        inner = at(group.node, "hooks")
        handlers = inner.children if inner and isinstance(inner.value, list) else [group]
        yield group, [h for h in handlers if isinstance(h.node.value, dict) and is_own(h.node.value.get("command"))]


def _without_own(text: str, event: str) -> str:
    """One handler after the other, read anew each time; a group goes with its last one."""
    while True:
        group, own = next(((g, o) for g, o in _groups(text, event) if o), (None, []))
        if group is None:
            return text
        inner = at(group.node, "hooks")
        if inner is not None and len(inner.children) > 1:
            text = removed(text, inner, own[0])
        else:
            text = removed(text, _container(_root(text), list, "hooks", event), group)
