"""Sweep: every stored text before today's firewall, and what it would not let in is erased or masked, with proof.

A text that is refused today goes with its row: a memory with all that belongs to it, a former text, an episode. What would be
masked today, and what is no statement of its own (a key, a tag, a note, a query), is masked where it stands.
"""
from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from .errors import MnemosError
from .mechanisms.firewall import RULES, Firewall, Refusal
from .mind import Mind
from .storage import aside
from .storage.sqlite import SqliteStore
from .storage.sweeping import StoredText
from .writes import Keep, Mask, Remove, Write

SWEPT = "swept"  # name of the kept value: the number of the rules of the last whole sweep
_STATEMENTS = frozenset({"memory", "revision", "episode"})
_JSON = frozenset({"tags", "diff", "before"})
_ROUNDS = 5  # while other processes change memories in between


@dataclass(frozen=True, slots=True)
class Caught:
    """A stored text that today's rules catch. `does`: erase or mask; never the text."""

    table: str
    id: str
    field: str
    kinds: tuple[str, ...]
    does: str


@dataclass(frozen=True, slots=True)
class Swept:
    """What a sweep read, caught and removed. `rows`: removed per table; `bytes_found`: of the caught values, afterwards (None: nothing was changed)."""

    rules: int
    scanned: dict[str, int]
    caught: tuple[Caught, ...]
    rows: dict[str, int] = field(default_factory=dict)
    bytes_found: int | None = None
    left: tuple[str, ...] = ()  # ids that other processes kept changing


def sweep(mind: Mind, store: SqliteStore, *, dry_run: bool = False, progress: Callable[[int], None] | None = None) -> Swept:
    """Read, judge, remove, and look for the bytes. Raises StoreUnavailable."""
    scanned: Counter[str] = Counter()
    caught: dict[tuple[str, str, str], Caught] = {}
    rows: Counter[str] = Counter()
    values: set[str] = set()
    left: tuple[str, ...] = ()
    beside = _beside(mind, store, dry_run)
    scanned.update({"aside": beside[0]} if beside[0] else {})
    caught.update({(found.table, found.id, found.field): found for found in beside[1]})
    for round_ in range(1 if dry_run else _ROUNDS):
        writes: dict[tuple[Any, ...], Write] = {}
        for texts in store.texts():
            if round_ == 0:
                scanned.update(text.table for text in texts if text.field == texts[0].field)
                _ = progress and progress(len({text.key for text in texts}))
            for text in texts:
                found = _judged(text, mind, writes)
                if found:
                    caught[found.table, found.id, found.field] = found
                    values |= _values(text.text, mind.config.firewall)
        if dry_run or not writes:
            break
        gone, left = store.sweep_away(list(writes.values()))
        rows.update(gone)
        if not left:
            break
    if dry_run:
        return Swept(RULES, dict(scanned), tuple(caught.values()))
    bytes_found = store.bytes_of(values, settle=bool(caught))
    if not left and not bytes_found:
        store.apply([Keep(SWEPT, str(RULES))])
    return Swept(RULES, dict(scanned), tuple(caught.values()), {k: v for k, v in rows.items() if v}, bytes_found, left)


def _beside(mind: Mind, store: SqliteStore, dry_run: bool) -> tuple[int, list[Caught]]:
    """What hooks put aside goes into the file and is judged there; in a dry run its lines are read where they lie: how many, and what is caught."""
    if not dry_run:
        aside.take_in(store.path, store.apply)
        return 0, []
    lines = aside.lines(store.path)
    judged = (_judged(StoredText("aside", (n,), "line", line), mind, {}) for n, line in enumerate(lines, 1))
    return len(lines), [found for found in judged if found]


def _values(text: str, wall: Firewall) -> set[str]:
    """The caught values themselves, long ones by their ends: kept in this process only, to look for their bytes."""
    pieces = {text[f.start:f.end] for f in wall.scan(text)}
    return {part for piece in pieces for part in ((piece[:40], piece[-40:]) if len(piece) > 80 else (piece,))}


def _judged(at: StoredText, mind: Mind, writes: dict[tuple[Any, ...], Write]) -> Caught | None:
    """What today's firewall says of a stored text; the write that follows goes into `writes`."""
    wall, row = mind.config.firewall, (at.table, at.key)
    if isinstance(writes.get(row), Remove):
        return None
    verdict = wall.screen(at.text)
    refused = isinstance(verdict, Refusal) and verdict.kind not in ("empty", "too_long")
    masked = not isinstance(verdict, Refusal) and verdict.redactions
    if not (refused or masked):
        return None
    kinds = tuple(dict.fromkeys(f.kind for f in wall.scan(at.text))) or (verdict.kind if isinstance(verdict, Refusal) else "",)
    name = str(wall.redact(str(at.key[0])))  # of some rows the name is the text
    if refused and at.field == "content" and at.table in _STATEMENTS:
        writes[row] = Remove(at.table, at.key)
        return Caught(at.table, name, at.field, kinds, "erase")
    before = writes.get(row)
    fields = {**(before.fields if isinstance(before, Mask) else {}), **_masked(at, mind)}
    writes[row] = Mask(at.table, at.key, fields, at.version)
    return Caught(at.table, name, at.field, kinds, "mask")


def _masked(at: StoredText, mind: Mind) -> dict[str, Any]:
    """The columns that change when this text is masked."""
    wall, config = mind.config.firewall, mind.config
    if at.field in _JSON:
        return {at.field: _json(at.text, wall)}
    if at.table == "memory" and at.field == "key":
        return {"key": ""}  # two masked keys would be one address
    text = str(wall.redact(at.text))
    if at.table == "memory" and at.field == "content":
        words = config.keywords.index(text)
        return {"content": text, "words": words, "length": words.count(" ") + 1, "text_hash": config.supersession.text_hash(text)}
    return {at.field: text}


def _json(text: str, wall: Firewall) -> str:
    def clean(value: Any) -> Any:
        if isinstance(value, str):
            return str(wall.redact(value))
        if isinstance(value, list):
            return [clean(part) for part in value]
        return {clean(k): clean(v) for k, v in value.items()} if isinstance(value, dict) else value
    try:
        return json.dumps(clean(json.loads(text)), ensure_ascii=False)
    except ValueError:
        return str(wall.redact(text))


def state(store: SqliteStore) -> tuple[int, bool]:
    """Number of the rules of the last whole sweep (0: never), and whether anything was stored at all."""
    try:
        kept = store.kept(SWEPT)
        return (int(kept) if kept.isdigit() else 0), store.browse(None, status="all", limit=0)[0] > 0
    except MnemosError:
        return 0, False


def described(caught: Iterable[Caught]) -> str:
    """'2 api_token, 1 email' over all that was caught."""
    kinds = Counter(kind for one in caught for kind in one.kinds)
    return ", ".join(f"{n} {kind.replace('_', ' ')}" for kind, n in kinds.most_common())
