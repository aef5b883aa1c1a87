"""What drawings for people are made of: bars, colours, tables. Rich is imported when something is drawn."""
from __future__ import annotations

from typing import Any

BAR = 48  # cells of a score of 1: its parts are drawn to the same scale, so that they add up to it
SHORT_BAR = 16  # beside other text
HELD = 6  # of what was withheld, shown with its text
COLOURS = ("cyan", "green", "yellow", "magenta", "blue", "red", "bright_cyan", "bright_green", "bright_yellow", "bright_magenta", "white")
# A signal has one colour everywhere; those that find come first.
SIGNALS = dict(zip(("semantic", "keyword", "context", "importance", "activation", "recency", "sector", "affect", "salience", "frequency", "coactivation"), COLOURS, strict=True))
FRESH = ((0.7, "green"), (0.4, "yellow"), (0.15, "dark_orange"), (0.0, "red"))  # from this retention on
MARKS = {"ok": ("✓", "green"), "warn": ("!", "yellow"), "fail": ("✗", "red")}


def bar(share: float, cells: int = BAR) -> str:
    """A bar of eighths of a cell; a share above nothing is never invisible."""
    eighths = round(max(0.0, min(share, 1.0)) * cells * 8)
    if share > 0:
        eighths = max(eighths, 1)
    return "█" * (eighths // 8) + " ▏▎▍▌▋▊▉"[eighths % 8].strip()


def stacked(parts: dict[str, float], cells: int = BAR, scale: float = 1.0) -> Any:
    """A score as one bar whose coloured parts stand side by side; `scale` is the score that fills all cells. The cells of the parts sum to the whole."""
    from rich.text import Text
    bar_, done, begun = Text(), 0.0, 0
    for name, share in sorted(parts.items(), key=lambda item: -item[1]):
        done += share
        end = min(cells, round(done / scale * cells))
        bar_.append("█" * (end - begun), style=SIGNALS.get(name, "white"))
        begun = end
    return bar_


def fresh(retention: float) -> str:
    """The colour of a retention."""
    return next(colour for least, colour in FRESH if retention >= least or least == 0.0)


def note(console: Any, r: dict[str, Any]) -> None:
    if "note" in r:
        console.print(text_of(f"note: {r['note']}", "yellow"))


def text_of(text: str, style: str = "") -> Any:
    from rich.text import Text
    return Text(text, style=style)


def table_of(*columns: str, numbers: bool = False) -> Any:
    """A table without lines between its rows; with `numbers` all columns but the first stand to the right."""
    from rich import box
    from rich.table import Table
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="dim", show_edge=False)
    for place, name in enumerate(columns):
        table.add_column(name, no_wrap=name in ("id", "kept", "scope"), overflow="fold", justify="right" if numbers and place else "left", ratio=1 if name == "memory" else None)
    return table
