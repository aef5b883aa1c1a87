"""Replies drawn for people: tables and bars by rich, imported when there is a terminal. Recalled text is never read as markup."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .bars import BAR, COLOURS, HELD, MARKS, SHORT_BAR, SIGNALS, bar, fresh, note, stacked, table_of, text_of
from .portraits import inspected, slept

WIDE = 100  # columns; below them a table keeps its text readable and puts the rest under it
Reply = dict[str, Any]
Draw = Callable[[Any], None]


def drawn(verb: str, reply: Reply) -> Draw | None:
    """How the reply of a verb is drawn; None: its plain text is best."""
    draw = {"retrieve": recalled, "why": why, "list": page, "stats": stats, "health": health, "timeline": timeline, "store": stored, "inspect": inspected,
            "consolidate": slept}.get(verb)
    return (lambda console: draw(console, reply)) if draw else None


def stored(console: Any, r: Reply) -> None:
    """The outcome in colour, the rest as text."""
    from rich.text import Text

    from .prose import as_text
    head, _, rest = as_text("store", r).partition("\n")
    console.print(Text(head, style="green" if r["stored"] else "yellow"))
    if rest:
        console.print(Text(rest))


def _shares(parts: dict[str, float]) -> Any:
    from rich.text import Text
    return Text("  ").join(Text.assemble((name, SIGNALS.get(name, "white")), f" {share:.2f}") for name, share in sorted(parts.items(), key=lambda item: -item[1]))


def _about(m: Reply) -> str:
    days = (f"true {said} {m[n][:10]}" for n, said in (("valid_from", "from"), ("valid_to", "until")) if n in m)
    return " · ".join([m["id"], m["scope"], m.get("age", ""), *(f"{n} {m[n]}" for n in ("key", "origin", "status", "version") if n in m), *days])


def recalled(console: Any, r: Reply) -> None:
    """Each memory with a bar for its score and, when explained, its parts."""
    from rich.text import Text
    for m in r["memories"]:
        explained = "why" in m
        bar_ = stacked(m["why"], SHORT_BAR) if explained else Text(bar(m["score"], SHORT_BAR), style="cyan")
        bar_.append(" " * (SHORT_BAR - len(bar_)))
        console.print(Text.assemble((f"{m['score']:.2f} ", "bold"), bar_, "  ", (_about(m), "dim")))
        console.print(Text(m["content"], style="bold"))
        if explained:
            console.print(_shares(m["why"]))
        console.print()
    searched = r["searched"]
    where = f"{len(r['memories'])} of {searched.get('candidates', 0)} candidates in {', '.join(searched.get('scopes', ())) or 'no scope'}, {searched['mode']}"
    console.print(Text(where + (f", as of {searched['as_of']}" if "as_of" in searched else ""), style="dim"))
    note(console, r)


def why(console: Any, r: Reply) -> None:
    """A recall taken apart: one bar a memory on one scale, its parts below it, and what was held back by which gate."""
    from rich.text import Text
    cells = max(20, min(BAR, console.width - 8))
    scale = max([m["score"] for m in r["memories"]] + [0.35])  # where the best is weak, it looks weak
    for m in r["memories"]:
        console.print(Text.assemble((f"{m['score']:.2f}  ", "bold"), stacked(m.get("why", {}), cells, scale)))
        _indented(console, _shares(m.get("why", {})))
        _indented(console, Text(m["content"], style="bold"))
        _indented(console, Text(_about(m), style="dim"))
        console.print()
    searched = r["searched"]
    as_of = f", as of {searched['as_of'][:10]}" if "as_of" in searched else ""
    where = ", ".join(searched.get("scopes", ())) or "no scope"
    console.print(Text.assemble((f"{len(r['memories'])} recalled", "bold"), f" of {searched.get('candidates', 0)} weighed in {where}{as_of}"))
    held = r.get("withheld", [])
    for reason in dict.fromkeys(h["reason"] for h in held):
        same = [h for h in held if h["reason"] == reason]
        console.print(Text.assemble("\n", ("held back: ", "yellow"), reason))
        for h in same[:HELD]:
            line = Text.assemble((f"{h.get('score', 0.0):.2f}  ", "dim"), (h["id"], "dim"), f"  {h.get('content', '')}")
            line.truncate(console.width - 1, overflow="ellipsis")
            console.print(line)
        if len(same) > HELD:
            console.print(Text("      and more", style="dim"))
    note(console, r)


def _indented(console: Any, text: Any, by: int = 6) -> None:
    from rich.padding import Padding
    console.print(Padding(text, (0, 0, 0, by)))


def shares(console: Any, why: dict[str, float], score: float) -> None:
    """A score and its parts, largest first; they sum to it."""
    from rich.text import Text
    console.print(Text.assemble(f"  {'score':<14}", (f"{score:5.2f} ", "bold"), (bar(score), "bold")))
    for name, share in sorted(why.items(), key=lambda item: -item[1]):
        console.print(Text.assemble((f"  {name:<14}", ""), (f"{share:5.2f} ", "bold"), (bar(share), SIGNALS.get(name, "white"))))


def page(console: Any, r: Reply) -> None:
    """A table of memories, what is left of each first."""
    from rich.text import Text
    wide = console.width >= WIDE
    table = table_of("kept", "memory", *(("scope", "age", "id") if wide else ()))
    for m in r["memories"]:
        marks = [] if wide else [m["id"], m["scope"], *([m["age"]] if "age" in m else [])]
        marks += [m[n] for n in ("key", "status", "origin") if n in m] + ([f"from {m['valid_from']}"] if "valid_from" in m else [])
        marks += (["pinned"] if m.get("pinned") else []) + [f"#{tag}" for tag in m.get("tags", [])]
        text = text_of(m["content"])
        if marks:
            text.append("\n" + " · ".join(marks), style="dim")
        kept = m.get("retention", 0.0)
        beside = (m["scope"], text_of(m.get("age", ""), "dim"), text_of(m["id"], "dim")) if wide else ()
        table.add_row(Text.assemble((f"{bar(kept, 8):<8}", fresh(kept)), f" {kept:4.0%}"), text, *beside)
    if r["memories"]:
        console.print(table)
    after = r.get("offset", 0) + r["showing"]
    console.print(text_of(f"{r['showing']} of {r['total']}" + (f", more with --offset {after}" if after < r["total"] else ""), "dim"))


def stats(console: Any, r: Reply) -> None:
    """Counts as a table, the gate and the sectors as bars."""
    from rich.text import Text
    table = table_of("scope", "active", "superseded", "archived", numbers=True)
    for scope, counts in r.get("memories", {}).items():
        table.add_row(scope, *(f"{counts.get(status, 0):,}" for status in ("active", "superseded", "archived")))
    console.print(table)
    gate, episodes = r["gate"], r["episodes"]
    kept, dropped = gate.get("kept", 0), gate.get("dropped", 0)
    if kept + dropped:
        cells = round(SHORT_BAR * 2 * kept / (kept + dropped))
        console.print(Text.assemble(f"  {'gate':<12}", ("█" * cells, "green"), ("█" * (SHORT_BAR * 2 - cells), "bright_black"), f"  {kept:,} kept, {dropped:,} let go"))
    for colour, (name, share) in zip(COLOURS, r.get("sectors", {}).items(), strict=False):
        console.print(Text.assemble(f"  {name:<12}", (f"{bar(share, SHORT_BAR * 2):<{SHORT_BAR * 2}}", colour), f" {share:4.0%}"))
    console.print(text_of(f"episodes {episodes.get('pending', 0):,} waiting of {episodes.get('total', 0):,} · recalls {r.get('recalls', 0):,} · "
                        f"injections {r.get('injections', 0):,} · file {r.get('file_bytes', 0) / 1e6:,.1f} MB", "dim"))


def health(console: Any, r: Reply) -> None:
    """Every check with its mark, faults first; effect and remedy where something is wrong."""
    from rich.table import Table
    from rich.text import Text
    table = Table.grid(padding=(0, 2))
    for check in sorted(r["checks"], key=lambda c: ("fail", "warn", "ok").index(c["status"])):
        mark, colour = MARKS[check["status"]]
        table.add_row(Text(f"{mark} {check['name'].replace('_', ' ')}", style=colour), Text(check.get("detail", "")))
        for name in ("effect", "remedy") if check["status"] != "ok" else ():
            if name in check:
                table.add_row("", Text.assemble((f"{name}: ", "bold"), check[name]))
    console.print(table)
    for name, said in (("versions", "versions"), ("paths", "paths"), ("differs", "not the default")):
        if r.get(name):
            console.print(text_of(f"\n{said}", "bold"))
            for key, value in r[name].items():
                console.print(text_of(f"  {key:<22} {value}", "dim"), soft_wrap=True)  # a path is copied in one piece
    wrong = sum(c["status"] != "ok" for c in r["checks"])
    verdict = f"{wrong} of {len(r['checks'])} checks want a look" if wrong else f"all {len(r['checks'])} checks are well"
    console.print(Text.assemble("\n", (verdict, "bold " + MARKS[r["status"]][1])))


def timeline(console: Any, r: Reply) -> None:
    """The chain from the oldest to what holds now, the words that are new in each state marked."""
    former = ""
    for turn in r["chain"]:
        now = "valid_to" not in turn
        span = f"{turn['valid_from'][:10]} – {turn.get('valid_to', 'now')[:10]}"
        console.print(text_of("● " if now else "○ ", "green" if now else "dim"), text_of(span, "bold"), text_of(f"  {turn['id']}", "dim"), sep="")
        console.print(text_of("│ " if not now else "  ", "dim"), _changed(turn["content"], former), sep="")
        if "reason" in turn:
            console.print(text_of(f"│ {turn['reason']}", "dim"))
        former = turn["content"]
    note(console, r)


def _changed(text: str, former: str) -> Any:
    """The text with the words marked that the former one does not have at that place."""
    from difflib import SequenceMatcher

    from rich.text import Text
    words, before = text.split(" "), former.split(" ")
    out = Text()
    for what, _, _, start, end in SequenceMatcher(None, before, words, autojunk=False).get_opcodes():
        if end > start:
            out.append(" ".join(words[start:end]) + (" " if end < len(words) else ""), style="bold green" if former and what != "equal" else "")
    return out
