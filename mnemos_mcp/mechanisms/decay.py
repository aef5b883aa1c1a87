"""Decay: retention fades by importance and age, use strengthens it (forgetting curve, Ebbinghaus 1885).

half_life(importance): log-linear through (0.2, 30 d), (0.5, 150 d), (0.75, 730 d); beyond the ends the outer lines go on, so importance 0 has 10.3 d and 1.0 has 3553 d.
stability = half_life * (1 + ln(1 + reinforcements)); retention = 0.5 ^ (days since stored or last reinforced / stability). Derived at read time, never written.
"""

# No `from __future__ import annotations` on this page: a named tuple compiles each annotation that is a string, and every start of a session pays for it.
import math
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from mnemos_mcp.model import Memory

DAY_SECONDS = 86_400.0


class Decay(NamedTuple):
    """Forgetting curve. Fields are its tunable numbers; the defaults are those of the contract."""

    form: Literal["mnemos", "ebbinghaus"] = "mnemos"  # which half-life: by importance level, or base * (0.5 + importance) as published
    low_days: float = 30.0  # half-life at importance 0.2
    medium_days: float = 150.0  # half-life at importance 0.5
    high_days: float = 730.0  # half-life at importance 0.75
    base_days: float = 30.0  # "ebbinghaus" only: base of base * (0.5 + importance)
    faded_below: float = 0.05  # retention 0..1; not protected and below: archived at sleep
    explicit_step: float = 1.0  # reinforcements: evidence of use (reinforce, the same fact again, cited)
    recalled_step: float = 0.1  # reinforcements: merely returned by a recall
    shown_step: float = 0.0  # reinforcements: shown by a hook
    ceiling: float = 20.0  # reinforcements: the saturation; stability grows to (1 + ln 21) = 4.04 half-lives at most

    LEVELS = (0.2, 0.5, 0.75)

    @classmethod
    def ebbinghaus(cls) -> "Decay":
        """The published preset: half-life = base * (0.5 + importance), base 30 days."""
        return cls(form="ebbinghaus")

    def half_life_days(self, importance: float) -> float:
        """Days until retention is 0.5 without reinforcement. Importance is clipped to 0..1; exact at the three levels."""
        importance = _clip(importance, 0.0, 1.0)
        if self.form == "ebbinghaus":
            return self.base_days * (0.5 + importance)
        low, medium, high = self.LEVELS
        for level, days in ((low, self.low_days), (medium, self.medium_days), (high, self.high_days)):
            if importance == level:  # exactly, not by way of a logarithm
                return days
        start, end, a, b = (low, medium, self.low_days, self.medium_days) if importance < medium else (medium, high, self.medium_days, self.high_days)
        a, b = max(a, 1e-9), max(b, 1e-9)
        return a * math.exp(_clip(math.log(b / a) * (importance - start) / (end - start), -300.0, 300.0))

    def stability_days(self, importance: float, reinforcements: float) -> float:
        """half-life * (1 + ln(1 + reinforcements)), in days."""
        return self.half_life_days(importance) * (1.0 + math.log1p(_clip(reinforcements, 0.0, 1e12)))

    def retention(self, memory: "Memory", now: float) -> float:
        """0..1. `now` in seconds since 1970 UTC; a stamp in the future counts as just now."""
        since = memory.reinforced_at or memory.created_at
        days = _clip((now - since) / DAY_SECONDS, 0.0, 1e9)
        return 0.5 ** min(1e4, days / max(1e-9, self.stability_days(memory.importance, memory.reinforcements)))

    def ahead(self, memory: "Memory", now: float, days: float) -> float:
        """Retention in `days` if nothing happens until then, 0..1."""
        return self.retention(memory, now + _clip(days, 0.0, 1e9) * DAY_SECONDS)

    def faded(self, memory: "Memory", now: float) -> bool:
        """Ready for the archive: below the floor and not protected."""
        return not memory.protected and self.retention(memory, now) < self.faded_below

    def fades_at(self, memory: "Memory") -> float | None:
        """The moment at which it will have faded if nothing happens until then, seconds since 1970 UTC. None: protected."""
        if memory.protected or not 0.0 < self.faded_below < 1.0:
            return None
        days = self.stability_days(memory.importance, memory.reinforcements) * math.log2(1.0 / self.faded_below)
        return (memory.reinforced_at or memory.created_at) + days * DAY_SECONDS

    def reinforced(self, reinforcements: float, amount: float = 1.0) -> float:
        """Reinforcements after a use: r + amount * (1 - r / ceiling). The first counts in full, the more there are the less the next adds; a negative amount weakens, never below 0."""
        held = _clip(reinforcements, 0.0, self.ceiling)
        amount = _clip(amount, -self.ceiling, self.ceiling)
        if amount < 0:
            return max(0.0, held + amount)
        return min(self.ceiling, held + amount * (1.0 - held / self.ceiling)) if self.ceiling > 0 else 0.0


def _clip(value: float, low: float, high: float) -> float:
    """Into low..high; what is not a number counts as the nearer to nothing."""
    return low if math.isnan(value) else min(high, max(low, value))
