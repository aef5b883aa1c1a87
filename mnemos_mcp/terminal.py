"""Replies drawn for people: tables and bars by rich, imported when there is a terminal. Recalled text is never read as markup."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

Reply = dict[str, Any]
Draw = Callable[[Any], None]
BAR = 48  # cells of a score of 1: its parts are drawn to the same scale, so that they add up to it
SHORT_BAR = 16  # beside other text
COLOURS = ("cyan", "green", "yellow", "magenta", "blue", "red", "bright_cyan", "bright_green", "bright_yellow", "bright_magenta", "white")
MARKS = {"ok": ("✓", "green"), "warn": ("!", "yellow"), "fail": ("✗", "red")}


def drawn(verb: str, reply: Reply) -> Draw | None:
    """How the reply of a verb is drawn; None: its plain text is best."""
    draw = {"retrieve": recalled, "list": page, "stats": stats, "health": health, "timeline": timeline, "store": stored}.get(verb)
    return (lambda console: draw(console, reply)) if draw else None


def bar(share: float, cells: int = BAR) -> str:
    """A bar of eighths of a cell; a share above nothing is never invisible."""
    eighths = round(max(0.0, min(share, 1.0)) * cells * 8)
    if share > 0:
        eighths = max(eighths, 1)
    return "█" * (eighths // 8) + " ▏▎▍▌▋▊▉"[eighths % 8].strip()


def stored(console: Any, r: Reply) -> None:
    """The outcome in colour, the rest as text."""
    from rich.text import Text

    from .prose import as_text
    head, _, rest = as_text("store", r).partition("\n")
    console.print(Text(head, style="green" if r["stored"] else "yellow"))
    if rest:
        console.print(Text(rest))


def recalled(console: Any, r: Reply) -> None:
    """Each memory with a bar for its score and, when explained, one for every share of it."""
    from rich.text import Text
    for m in r["memories"]:
        about = " · ".join([m["id"], m.get("age", ""), m["scope"], *(f"{n} {m[n]}" for n in ("key", "origin", "status", "valid_from", "valid_to", "version") if n in m)])
        score = (f"{m['score']:.2f} ", "bold"), (f"{bar(m['score'], SHORT_BAR):<{SHORT_BAR}}  ", "cyan")
        console.print(Text.assemble(*(() if "why" in m else score), (about, "dim")))
        console.print(Text(m["content"], style="bold"))
        if "why" in m:
            shares(console, m["why"], m["score"])
    searched = r["searched"]
    where = f"{len(r['memories'])} of {searched.get('candidates', 0)} candidates in {', '.join(searched.get('scopes', ())) or 'no scope'}, {searched['mode']}"
    console.print(Text(where + (f", as of {searched['as_of']}" if "as_of" in searched else ""), style="dim"))
    for held in r.get("withheld", ()):
        console.print(Text(f"withheld {held['id']}: {held['reason']}", style="dim"))
    note(console, r)


def shares(console: Any, why: dict[str, float], score: float) -> None:
    """A score and its parts, largest first; they sum to it."""
    from rich.text import Text
    console.print(Text.assemble(f"  {'score':<14}", (f"{score:5.2f} ", "bold"), (bar(score), "bold")))
    for colour, (name, share) in zip(COLOURS * 3, sorted(why.items(), key=lambda item: -item[1]), strict=False):
        console.print(Text.assemble((f"  {name:<14}", ""), (f"{share:5.2f} ", "bold"), (bar(share), colour)))


def page(console: Any, r: Reply) -> None:
    """A table of memories."""
    table = _table("id", "memory", "scope", "age", "retention")
    for m in r["memories"]:
        marks = [m[n] for n in ("key", "status") if n in m] + ([f"from {m['valid_from']}"] if "valid_from" in m else [])
        marks += (["pinned"] if m.get("pinned") else []) + m.get("tags", [])
        text = _text(m["content"])
        if marks:
            text.append("  " + " · ".join(marks), style="dim")
        kept = m.get("retention", 0.0)
        table.add_row(m["id"], text, m["scope"], m.get("age", ""), f"{bar(kept, 8):<8} {kept:.2f}")
    if r["memories"]:
        console.print(table)
    console.print(_text(f"{r['showing']} of {r['total']}", "dim"))
    note(console, r)


def stats(console: Any, r: Reply) -> None:
    """Counts as a table, sectors as bars."""
    table = _table("scope", "active", "superseded", "archived")
    for scope, counts in r.get("memories", {}).items():
        table.add_row(scope, *(str(counts.get(status, 0)) for status in ("active", "superseded", "archived")))
    console.print(table)
    for colour, (name, share) in zip(COLOURS, r.get("sectors", {}).items(), strict=False):
        console.print(_text(f"  {name:<12} {share:4.2f} "), _text(bar(share), colour), sep="")
    gate, episodes = r["gate"], r["episodes"]
    console.print(_text(f"gate: {gate.get('kept', 0)} kept, {gate.get('dropped', 0)} dropped · episodes: {episodes.get('pending', 0)} pending of "
                        f"{episodes.get('total', 0)} · recalls {r.get('recalls', 0)} · injections {r.get('injections', 0)} · "
                        f"{r.get('file_bytes', 0):,} bytes", "dim"))


def health(console: Any, r: Reply) -> None:
    """Every check with its mark; effect and remedy where something is wrong."""
    for check in r["checks"]:
        mark, colour = MARKS[check["status"]]
        console.print(_text(f"{mark} {check['name']:<16}", colour), _text(check.get("detail", "")), sep="")
        if check["status"] != "ok":
            for name in ("effect", "remedy"):
                if name in check:
                    console.print(_text(f"    {name}: {check[name]}", "dim"))
    for name, said in (("versions", "version"), ("paths", "path"), ("differs", "not the default:")):
        for key, value in r.get(name, {}).items():
            console.print(_text(f"{said} {key}: {value}", "dim"))


def timeline(console: Any, r: Reply) -> None:
    """The chain from the oldest to what holds now."""
    for turn in r["chain"]:
        now = "valid_to" not in turn
        console.print(_text("● " if now else "○ ", "green" if now else "dim"),
                      _text(f"{turn['valid_from']} – {turn.get('valid_to', 'now')}  {turn['id']}", "dim"), sep="")
        console.print(_text(f"  {turn['content']}", "bold" if now else ""))
        if "reason" in turn:
            console.print(_text(f"  {turn['reason']}", "dim"))
    note(console, r)


def note(console: Any, r: Reply) -> None:
    if "note" in r:
        console.print(_text(f"note: {r['note']}", "yellow"))


def _text(text: str, style: str = "") -> Any:
    from rich.text import Text
    return Text(text, style=style)


def _table(*columns: str) -> Any:
    from rich import box
    from rich.table import Table
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for name in columns:
        table.add_column(name, no_wrap=name in ("id", "retention", "scope"), overflow="fold")
    return table
