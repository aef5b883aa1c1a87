"""JSON as text: find a value, put one in, take one out, and leave every other byte as it is.

Reads JSON with comments and trailing commas too. What is put in takes the indentation, the line ends and the tightness of the file;
taking it out again gives back the bytes from before.
"""
from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

MOST_DEPTH = 100  # levels; no configuration is as deep, a hostile one may be
_SPACE = re.compile(r"[ \t\r\n]*")
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_SCALAR = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null")
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)


class NotJson(ValueError):
    """The text is no JSON, with or without comments; says where."""


@dataclass(slots=True)
class Node:
    """A value in the text, `text[start:end]`."""

    start: int
    end: int
    value: Any
    children: list[Child] = field(default_factory=list)

    def member(self, key: str) -> Child | None:
        """The member of an object; the last of several with one name, as readers of JSON take it."""
        return next((c for c in reversed(self.children) if c.key == key), None) if isinstance(self.value, dict) else None


@dataclass(slots=True)
class Child:
    """A member of an object (from its key on) or an item of a list."""

    start: int
    key: str | None
    node: Node

    @property
    def end(self) -> int:
        return self.node.end


@lru_cache(maxsize=4)  # an edit asks for the same text again and again; nobody changes a node
def parse(text: str) -> Node:
    """The root value. Raises NotJson."""
    start = _skip(text, 1 if text.startswith("\ufeff") else 0)
    root = _value(text, start, 0)
    end = _skip(text, root.end)
    if end != len(text):
        raise _wrong(text, end, "nothing more")
    return root


def at(root: Node, *path: str) -> Node | None:
    """The value under these keys, None where there is none."""
    node: Node | None = root
    for key in path:
        child = node.member(key) if node else None
        node = child.node if child else None
    return node


def appended(text: str, parent: Node, value: Any, key: str | None = None) -> str:
    """The text with one member (or item, without a key) more at the end of `parent`."""
    if not parent.children:
        return _first(text, parent, value, key)
    last = parent.children[-1]
    many = "\n" in text[parent.start:parent.children[0].start]
    indent = _indent_before(text, last.start) if many else ""
    gap = _newline(text) + indent if many else "" if _tight(text) else " "
    new = gap + _written(text, value, key, indent, lines=many)
    comma = _comma_after(text, last.end)
    if comma is not None:  # a trailing comma stays the habit of this file
        place = _end_of_line_comment(text, comma + 1)
        return text[:place] + new + "," + text[place:]
    place = _end_of_line_comment(text, last.end)
    return text[:last.end] + "," + text[last.end:place] + new + text[place:]


def replaced(text: str, node: Node, value: Any) -> str:
    """The text with another value in the place of `node`."""
    lines = "\n" in text[node.start:node.end] or not _compact(text)
    return text[:node.start] + _written(text, value, None, _indent_of_line(text, node.start), lines=lines) + text[node.end:]


def removed(text: str, parent: Node, child: Child) -> str:
    """The text without this member or item."""
    inner = text[parent.start + 1:child.start] + text[child.end:parent.end - 1]
    if len(parent.children) == 1 and not _COMMENT.search(inner):
        return text[:parent.start + 1] + text[parent.end - 1:]
    start = len(text[:child.start].rstrip(" \t\r\n"))
    comma = _comma_after(text, child.end)
    if comma is not None:
        return text[:start] + text[comma + 1:]
    index = next(i for i, c in enumerate(parent.children) if c is child)
    if index == 0:
        return text[:start] + text[child.end:]
    before = parent.children[index - 1].end
    comma = _comma_after(text, before)
    assert comma is not None
    return text[:comma] + text[comma + 1:start] + text[child.end:]


def _value(text: str, at_: int, depth: int) -> Node:
    if depth > MOST_DEPTH:
        raise NotJson(f"more than {MOST_DEPTH} levels deep")
    mark = text[at_:at_ + 1]
    if mark == "{":
        return _container(text, at_, depth, "}", {})
    if mark == "[":
        return _container(text, at_, depth, "]", [])
    found = (_STRING if mark == '"' else _SCALAR).match(text, at_)
    if not found:
        raise _wrong(text, at_, "a value")
    try:
        return Node(at_, found.end(), json.loads(found.group()))
    except ValueError:
        raise _wrong(text, at_, "a value") from None


def _container(text: str, start: int, depth: int, close: str, value: Any) -> Node:
    node = Node(start, start, value)
    here = _skip(text, start + 1)
    while text[here:here + 1] != close:
        begun, key = here, None
        if close == "}":
            found = _STRING.match(text, here)
            if not found:
                raise _wrong(text, here, "a name in quotes")
            try:
                key = json.loads(found.group())
            except ValueError:
                raise _wrong(text, here, "a name in quotes") from None
            here = _skip(text, found.end())
            if text[here:here + 1] != ":":
                raise _wrong(text, here, "':'")
            here = _skip(text, here + 1)
        inner = _value(text, here, depth + 1)
        node.children.append(Child(begun, key, inner))
        if key is None:
            value.append(inner.value)
        else:
            value[key] = inner.value
        here = _skip(text, inner.end)
        if text[here:here + 1] == ",":
            here = _skip(text, here + 1)
        elif text[here:here + 1] != close:
            raise _wrong(text, here, f"',' or '{close}'")
    node.end = here + 1
    return node


def _skip(text: str, at_: int) -> int:
    """Past white space and comments."""
    while True:
        at_ = _SPACE.match(text, at_).end()  # type: ignore[union-attr]  # it matches nothing too
        comment = _COMMENT.match(text, at_)
        if not comment:
            return at_
        at_ = comment.end()


def _wrong(text: str, at_: int, wanted: str) -> NotJson:
    line, column = text.count("\n", 0, at_) + 1, at_ - text.rfind("\n", 0, at_)
    return NotJson(f"line {line}, column {column}: {wanted} was expected")


def _first(text: str, parent: Node, value: Any, key: str | None) -> str:
    """Into an empty object or list; comments in it stay at its end."""
    inner = text[parent.start + 1:parent.end - 1]
    comments = inner.rstrip(" \t\r\n") if inner.strip() else ""
    if _compact(text) and text.strip("\ufeff \t\r\n") != text[parent.start:parent.end]:
        return text[:parent.start + 1] + comments + _written(text, value, key, "", lines=False) + text[parent.end - 1:]
    outer = _indent_of_line(text, parent.start)
    indent = outer + _unit(text)
    newline = _newline(text)
    return (text[:parent.start + 1] + comments + newline + indent + _written(text, value, key, indent, lines=True) + newline + outer
            + text[parent.end - 1:])


def _written(text: str, value: Any, key: str | None, indent: str, *, lines: bool) -> str:
    tight = not lines and _tight(text)
    shown = json.dumps(value, ensure_ascii=False, indent=_unit(text) if lines else None, separators=(",", ":") if tight else None)
    shown = shown.replace("\n", _newline(text) + indent)
    return shown if key is None else json.dumps(key, ensure_ascii=False) + (":" if tight else ": ") + shown


def _comma_after(text: str, at_: int) -> int | None:
    here = _skip(text, at_)
    return here if text[here:here + 1] == "," else None


def _end_of_line_comment(text: str, at_: int) -> int:
    """Past a comment that stands on the same line: it belongs to what is before it."""
    found = re.compile(r"[ \t]*(?://[^\r\n]*|/\*[^\r\n]*?\*/[ \t]*(?=[\r\n]))").match(text, at_)
    return found.end() if found else at_


def _indent_before(text: str, at_: int) -> str:
    """The white space of a line up to what begins there; of the whole line when something else stands before it."""
    lead = text[text.rfind("\n", 0, at_) + 1:at_]
    return lead if not lead.strip() else _indent_of_line(text, at_)


def _indent_of_line(text: str, at_: int) -> str:
    line = text[text.rfind("\n", 0, at_) + 1:at_].lstrip("\ufeff")
    return line[:len(line) - len(line.lstrip(" \t"))]


def _unit(text: str) -> str:
    """One step of indentation: that of the first indented line."""
    found = re.search(r"[{\[][ \t]*(?://[^\n]*)?\r?\n([ \t]+)\S", text)
    return found.group(1) if found else "  "


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _compact(text: str) -> bool:
    """The whole file on one line."""
    return "\n" not in text.strip("\ufeff \t\r\n")


def _tight(text: str) -> bool:
    """On one line without a space between things."""
    return _compact(text) and not re.search(r"[:,][ \t]", text)
