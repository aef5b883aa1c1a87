"""One memory and one run of sleep, drawn for people."""
from __future__ import annotations

from typing import Any

from .bars import COLOURS, SHORT_BAR, bar, fresh, note

Reply = dict[str, Any]
AHEAD = (("now", "now"), ("in_30_days", "in 30 days"), ("in_90_days", "in 90 days"), ("in_365_days", "in a year"))


def inspected(console: Any, r: Reply) -> None:
    """Everything about one memory, section by section."""
    from rich.text import Text
    console.print(Text(r["content"], style="bold"))
    marks = [r["id"], r["status"], r["scope"], *(f"{n} {r[n]}" for n in ("key", "version", "valid_to", "superseded_by", "reason") if n in r), r.get("age", "")]
    console.print(Text(" · ".join([*marks, *(["pinned"] if r.get("pinned") else []), *(f"#{t}" for t in r.get("tags", []))]), style="dim"))
    _heading(console, "retention", f"half-life {r['retention'].get('half_life_days', 0):.0f} days, stability {r['retention'].get('stability_days', 0):.0f} days")
    for name, said in AHEAD:
        left = r["retention"].get(name) or 0.0
        console.print(Text.assemble(f"  {said:<12}", (f"{bar(left, SHORT_BAR * 2):<{SHORT_BAR * 2}}", fresh(left)), f" {left:4.0%}"))
    signals = r["signals"]
    _heading(console, "judged as", ", ".join(f"{n} {signals[n]}" for n in ("importance", "surprisal", "salience", "reinforcements", "recalls") if n in signals))
    for colour, (name, share) in zip(COLOURS, signals.get("sectors", {}).items(), strict=False):
        console.print(Text.assemble(f"  {name:<12}", (f"{bar(share, SHORT_BAR * 2):<{SHORT_BAR * 2}}", colour), f" {share:4.0%}"))
    provenance = {k: v for k, v in r["provenance"].items() if k != "episodes"}
    _heading(console, "from", ", ".join(f"{k.replace('_', ' ')} {v}" for k, v in provenance.items()))
    _lines(console, "said before", [f"{v['valid_from'][:10]} – {v['valid_to'][:10]}  {v['content']}" for v in r.get("revisions", [])])
    _lines(console, "its topic", [f"{t['valid_from'][:10]} – {t.get('valid_to', 'now')[:10]}  {t['content']}" for t in r.get("timeline", [])])
    _lines(console, "ties", [f"{e['id']}  {e['kind']} {e['weight']}" for e in r.get("edges", [])[:8]])
    _lines(console, "last recalls", [f"{x['at'][:10]}  {x['query']}" for x in r.get("recalls", [])[:5]])
    _lines(console, "what happened", [f"{x['at'][:10]}  {x['signal']} {x.get('note', '')}" for x in r.get("notes", [])[-5:]])


def slept(console: Any, r: Reply) -> None:
    """A run as a diff."""
    from rich.text import Text
    if "undone" in r:
        console.print(Text(f"undone: {r['undone']}; memories and episodes are as they were before it", style="green"))
        return
    head = f"would read {r['episodes']} episodes" if r.get("dry_run") else f"read {r['episodes']} episodes" + (f", run {r['run']}" if r["run"] else "")
    console.print(Text(head, style="bold"))
    lines = [("+ ", "green", f"{f['id']}  {f['outcome']}  {f.get('reason', '')}") for f in r.get("facts", ())]
    lines += [("≈ ", "cyan", f"{m['gone']} is the same as {m['kept']}") for m in r.get("merged", ())]
    lines += [("~ ", "yellow", f"{i} revised") for i in r.get("revised", ())]
    lines += [("− ", "red", f"{a['id']} archived at retention {a.get('retention', 0):.2f}") for a in r.get("archived", ())]
    lines += [("· ", "dim", f"{r['pruned']} episodes settled")] if r.get("pruned") else []
    for mark, colour, text in lines or [("  ", "dim", "nothing was to be done")]:
        console.print(Text.assemble((mark, colour), text))
    _lines(console, "waiting", [f"{number}: {reason}" for reason, number in r.get("waiting", {}).items()])
    _lines(console, "of these", [f"{p['id']}  {p['role']}: {p['text'][:200]}" for p in r.get("pending", ())[:10]])
    if r["run"]:
        console.print(Text(f"\nmnemos consolidate --undo {r['run']}  takes it back", style="dim"))
    note(console, r)


def _heading(console: Any, title: str, text: str = "") -> None:
    from rich.text import Text
    console.print(Text.assemble("\n", (title, "bold"), (f"  {text}" if text else "", "dim")))


def _lines(console: Any, title: str, lines: list[str]) -> None:
    from rich.text import Text
    if lines:
        _heading(console, title)
        for line in lines:
            console.print(Text(f"  {line}"))
