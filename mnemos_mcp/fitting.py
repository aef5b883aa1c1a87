"""Replies that fit. Clients put large tool results into a file or drop them, so texts are shortened with a mark, then tails are cut.

What was shortened names where the rest is; what was cut is counted in `left_out`.
"""
from __future__ import annotations

import json
from typing import Any

from . import prose

WHOLE = 19_500  # characters of JSON and text together; the envelope of the protocol stays under 500
STRUCTURED = 14_000  # of these at most for the JSON, which is what models are given
SHORTEST = 120  # no text is cut below this; then whole items go
FOR_COUNTS = 60  # characters kept free for what says that items are missing
ON_TERMINAL = {"list": 500, "consolidate": 500, "timeline": 2_000, "inspect": 5_000}  # characters of one text
STEP = 32  # characters: how exactly the cut is searched
MORE = "mnemos_inspect {id}"
MORE_OF_ONE = "resource mnemos://memory/{id}"


def fitted(verb: str, reply: dict[str, Any]) -> tuple[dict[str, Any], str]:
    """The reply of a verb as JSON and as text, together within WHOLE."""
    more = MORE_OF_ONE if verb == "inspect" else MORE
    structured = fit(reply, STRUCTURED, more)
    left = WHOLE - size(structured)
    for share in (1.0, 0.75, 0.5):  # indented line ends and quotes may make the text longer than its JSON
        text = prose.as_text(verb, fit(structured, int(left * share), more))
        if size(text) <= left:
            break
    else:
        text = text[:max(left - (size(text) - len(text)) - 20, 0)] + "… [shortened]"
    return structured, text


def fit(reply: Any, limit: int, more: str = MORE) -> Any:
    """The reply in at most `limit` characters of JSON: the longest texts give way first, evenly, then the last items of the longest list."""
    if size(reply) <= limit:
        return reply
    low, high = SHORTEST, limit
    if size(_shortened(reply, low, more)) > limit:
        return _without_tails(_shortened(reply, low, more), limit)
    while high - low > STEP:
        middle = (low + high) // 2
        low, high = (middle, high) if size(_shortened(reply, middle, more)) <= limit else (low, middle)
    return _shortened(reply, low, more)


def for_people(verb: str, reply: dict[str, Any]) -> dict[str, Any]:
    """The reply with endless texts cut, for a terminal; --json has them whole, and so has `mnemos inspect ID --full`."""
    where = "--full or --json" if verb == "inspect" else "--json or `mnemos inspect ID --full`"
    cut: dict[str, Any] = _cut(reply, ON_TERMINAL[verb], where) if verb in ON_TERMINAL else reply
    return cut


def _cut(value: Any, most: int, where: str) -> Any:
    if isinstance(value, str):
        return value if len(value) <= most * 1.1 else f"{value[:most].rstrip()}… (+{len(value) - most:,} characters; {where} shows all)"
    if isinstance(value, dict):
        return {k: _cut(v, most, where) for k, v in value.items()}
    return [_cut(v, most, where) for v in value] if isinstance(value, list) else value


def size(value: Any) -> int:
    """Characters on the wire."""
    return len(dumped(value))


def dumped(value: Any) -> str:
    """JSON as it is written everywhere: every script as itself."""
    return json.dumps(value, ensure_ascii=False)


def _shortened(value: Any, cap: int, more: str, memory_id: str = "") -> Any:
    """A copy in which no text is longer than `cap` and its mark."""
    if isinstance(value, str):
        where = f"; full text: {more.format(id=memory_id)}" if memory_id else ""
        return value if len(value) <= cap else f"{value[:cap].rstrip()}… [shortened{where}]"
    if isinstance(value, dict):
        own = str(value.get("id", ""))
        return {k: _shortened(v, cap, more, own if k == "content" else "") for k, v in value.items()}
    if isinstance(value, list):
        return [_shortened(v, cap, more) for v in value]
    return value


def _without_tails(reply: dict[str, Any], limit: int) -> dict[str, Any]:
    """The reply with items taken off the end of whatever list is longest now. Changes the copy that it is given."""
    left_out = 0
    while (excess := size(reply) - limit + FOR_COUNTS) > 0:
        longest = max(_lists(reply), key=size, default=[])
        if not longest:
            break
        freed, most = 0, min(excess, size(longest) // 2)  # half at most: another list may be the longest then
        while longest and freed <= most:
            freed += size(longest.pop())
            left_out += 1
    if "showing" in reply:
        reply["showing"] = len(reply["memories"])
        said = [part for part in reply.get("note", "").split("; ") if part and not part.startswith("more with offset")]
        reply["note"] = "; ".join([*said, f"more with offset {reply.get('offset', 0) + reply['showing']}"])
    if left_out:
        reply["left_out"] = left_out
    return reply


def _lists(value: Any) -> list[list[Any]]:
    """Every list in a reply, at any depth."""
    if isinstance(value, dict):
        return [found for inner in value.values() for found in _lists(inner)]
    if isinstance(value, list):
        return [value, *(found for inner in value for found in _lists(inner))]
    return []
