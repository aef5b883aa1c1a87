"""Parameters of the verbs: one row says what a client is shown (JSON schema) and how what it sends is read.

Written out by hand rather than generated: some clients drop a whole tool over one `anyOf`, and an agent that sends "5",
"false" or '["a"]' means something plain. What is not plain is refused in one sentence that names what is allowed.
"""
from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from . import moments
from .errors import BadInput

Kind = Literal["string", "integer", "boolean", "strings", "time", "objects"]
_TRUE = frozenset({"true", "yes", "on", "1"})
_FALSE = frozenset({"false", "no", "off", "0"})
MOST = 2**53  # where no bound is set: more than any store holds, and still an integer for SQLite and JSON
# Written into a text parameter by clients that mean "not given".
_ABSENT: tuple[Any, ...] = (None, "", [])


@dataclass(frozen=True, slots=True)
class Param:
    """One parameter. `default` is what the engine is told when it is not given, None: the engine is told nothing."""

    name: str
    kind: Kind
    description: str
    default: Any = None
    required: bool = False
    low: int | None = None  # least number, or least length of a text
    high: int | None = None
    choices: tuple[str, ...] = ()  # allowed words, of the text or of each item
    levels: Mapping[str, float] = field(default_factory=dict)  # words that stand for numbers: a number means the nearest
    commas: bool = False  # a bare text for a list is cut at its commas
    fields: tuple[Param, ...] = ()  # of each object

    def schema(self) -> dict[str, Any]:
        """The plain JSON schema of this parameter."""
        match self.kind:
            case "strings":
                items = {"type": "string"} | ({"enum": list(self.choices)} if self.choices else {})
                shape: dict[str, Any] = {"type": "array", "items": items}
            case "objects":
                shape = {"type": "array", "items": object_schema(self.fields)}
            case _:
                shape = {"type": "string" if self.kind == "time" else self.kind}
                shape |= {"enum": list(self.choices)} if self.choices else {}
                low, high = ("minimum", "maximum") if self.kind == "integer" else ("minLength", "maxLength")
                shape |= {low: self.low} if self.low is not None else {}
                shape |= {high: self.high} if self.high is not None else {}
        shape |= {"default": self.default} if self.default is not None else {}
        return shape | ({"description": self.description} if self.description else {})

    def read(self, value: Any) -> Any:
        """The value that is meant. Raises BadInput naming what is allowed; a text is never quoted back, it may hold a secret."""
        match self.kind:
            case "string":
                return self._text(value)
            case "time":
                return self._time(value)
            case "integer":
                return self._whole(value)
            case "boolean":
                return self._truth(value)
            case "strings":
                return self._texts(value)
            case "objects":
                return self._objects(value)

    def _text(self, value: Any) -> str:
        if self.choices:
            return self._choice(value)
        if not isinstance(value, str):
            raise BadInput(f"{self.name} must be a text, not {_said(value)}.")
        if not (self.low or 0) <= len(value) <= (self.high or math.inf) or (self.low and not value.strip()):
            most = f" to {self.high:,}" if self.high else " or more"
            raise BadInput(f"{self.name} must have {self.low or 0}{most} characters; this has {len(value.strip()) and len(value):,}.")
        return value

    def _choice(self, value: Any) -> str:
        word = value.strip().casefold() if isinstance(value, str) else value
        number = _number(word) if self.levels else None
        if number is not None and 0 <= number <= 1:
            return min(self.levels, key=lambda level: abs(self.levels[level] - number))
        if word not in self.choices:
            raise BadInput(f"{self.name} must be one of {', '.join(self.choices)}.")
        return word

    def _time(self, value: Any) -> float:
        if isinstance(value, str) and len(value) > 40:
            raise BadInput(f"{self.name} is no time. Allowed: {moments.ALLOWED}.")
        try:
            return moments.parse(value)
        except BadInput as reason:
            raise BadInput(f"{self.name}: {reason}") from None

    def _whole(self, value: Any) -> int:
        number = _number(value)
        low, high = -math.inf if self.low is None else self.low, math.inf if self.high is None else self.high
        if number is None or number != int(number) or not low <= number <= high:
            allowed = f"{self.low} to {self.high}" if self.high is not None else f"{self.low} or more"
            raise BadInput(f"{self.name} must be a whole number, {allowed}.")
        return min(int(number), MOST)

    def _truth(self, value: Any) -> bool:
        word = str(value).strip().casefold() if isinstance(value, str | int) else ""
        if word not in _TRUE | _FALSE:
            raise BadInput(f"{self.name} must be true or false.")
        return word in _TRUE

    def _texts(self, value: Any) -> tuple[str, ...]:
        value = _unpacked(value)
        items = value if isinstance(value, list) else value.split(",") if self.commas and isinstance(value, str) else [value]
        if not all(isinstance(item, str | int | float) and not isinstance(item, bool) for item in items):
            raise BadInput(f"{self.name} must be a list of texts.")
        words = tuple(word for word in (str(item).strip() for item in items) if word)
        words = tuple(word.casefold() for word in words) if self.choices else words
        if self.choices and not set(words) <= set(self.choices):
            raise BadInput(f"each of {self.name} must be one of {', '.join(self.choices)}.")
        return words

    def _objects(self, value: Any) -> tuple[dict[str, Any], ...]:
        value = _unpacked(value)
        items = [value] if isinstance(value, dict) else value
        if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
            names = ", ".join(p.name for p in self.fields)
            raise BadInput(f"{self.name} must be a list of objects with {names}.")
        return tuple(read_all(self.fields, item, f"each of {self.name}") for item in items)


def object_schema(params: Sequence[Param]) -> dict[str, Any]:
    """The schema of an object with these parameters."""
    required = [p.name for p in params if p.required]
    return {"type": "object", "properties": {p.name: p.schema() for p in params}} | ({"required": required} if required else {})


def read_all(params: Sequence[Param], given: Mapping[str, Any], taker: str) -> dict[str, Any]:
    """Every value that was given or has a default. An absent, null or empty optional one counts as not given."""
    known = {p.name: p for p in params}
    for name in given:
        if name not in known:
            raise BadInput(f"{taker} has no parameter '{name[:40]}'.{likely(name, known)} It takes: {', '.join(known) or 'none'}.")
    missing = [p.name for p in params if p.required and given.get(p.name) is None]
    if missing:
        raise BadInput(f"{taker} needs {' and '.join(missing)}.")
    values = {p.name: p.default if given.get(p.name) in _ABSENT and not p.required else p.read(given[p.name]) for p in params}
    return {name: value for name, value in values.items() if value is not None}


def likely(name: str, known: Iterable[str]) -> str:
    """' Did you mean x?' for a name that is close to a known one, else ''."""
    from difflib import get_close_matches  # only when something is wrong
    near = get_close_matches(name, list(known), n=1, cutoff=0.5)
    return f" Did you mean {near[0]}?" if near else ""


def _unpacked(value: Any) -> Any:
    """A list or object that came as JSON text."""
    if isinstance(value, str) and value.strip()[:1] in ("[", "{"):
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            return value
    return value


def _number(value: Any) -> float | None:
    """A finite number, also as text; true and false are none."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def _said(value: Any) -> str:
    """What kind of value came, in JSON's words."""
    names = {bool: "true or false", int: "a number", float: "a number", list: "a list", dict: "an object", type(None): "null"}
    return names.get(type(value), "something else")
