"""What a scope keeps: faded memories, those past its retention days and those beyond its cap go to the archive, restorable. At sleep, and after a store."""
from __future__ import annotations

from collections.abc import Sequence

from .mechanisms.decay import Decay
from .mechanisms.scopes import Governance
from .mind import Mind
from .model import Memory, Scope, View
from .writes import Keep, Move

DAY_S = 86400.0


def leaving(alive: Sequence[Memory], governance: Governance, decay: Decay, now: float, *, room: int = 0) -> list[tuple[Memory, str]]:
    """Memories of one scope whose time is over, with the reason. By the cap the least retained go first; `room` is kept free below it."""
    going = {m.id: (m, "faded") for m in alive if decay.faded(m, now)}
    if governance.retention_days:
        limit = now - governance.retention_days * DAY_S
        going |= {m.id: (m, f"older than {governance.retention_days} days") for m in alive
                  if m.id not in going and m.reinforced_at < limit and not m.protected}
    over = len(alive) - len(going) + room - governance.cap
    if governance.cap and over > 0:
        rest = sorted((m for m in alive if m.id not in going and not m.protected), key=lambda m: (decay.retention(m, now), m.importance, m.sequence))
        going |= {m.id: (m, f"beyond the cap of {governance.cap}") for m in rest[:over]}
    return list(going.values())


def keep_within(scope: Scope, stored: str, mind: Mind) -> tuple[str, ...]:
    """After a store: what the rules of its scope send to the archive, rather than at the next sleep. Never what was just stored, never another scope's.

    One count where there is room below the cap; a full scope is read once for several stores (a two-hundredth of the cap is cleared
    together). Retention days are looked at once a day.
    """
    governance, now, name = mind.govern(scope), mind.clock(), f"kept_within:{scope.level}:{scope.name}"
    crowded = bool(governance.cap) and mind.store.browse(View((scope,)), limit=1)[0] > governance.cap
    daily = bool(governance.retention_days) and now - float(mind.store.kept(name) or 0.0) >= DAY_S
    if not (crowded or daily):
        return ()
    decay = mind.config.decay
    _, memories = mind.store.browse(View((scope,)), limit=-1, order="sequence")
    going = leaving([m for m in memories if m.id != stored], governance, decay, now, room=int(bool(stored)) + governance.cap // 200 * crowded)
    applied = mind.store.apply([*(Move(m.id, "archived", why, now, decay.retention(m, now)) for m, why in going), Keep(name, repr(now))])
    return tuple(m.id for m, _ in going) if applied.done else ()
