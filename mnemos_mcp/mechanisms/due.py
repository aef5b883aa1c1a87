"""When sleep is due. By itself, because a hook asks it after every turn."""
from __future__ import annotations

from typing import Literal

Moment = Literal["idle", "stop", "precompact", "session_end"]
MIN_PENDING = 10  # episodes; contract, section 3
MIN_INTERVAL_S = 3600.0  # contract, section 3


def due(pending: int, seconds_since_last: float, moment: Moment, min_pending: int = MIN_PENDING, min_interval_s: float = MIN_INTERVAL_S) -> bool:
    """One pending is enough where a session's memory ends; else 10 and an hour. A clock set back counts as time gone by."""
    if moment in ("precompact", "session_end"):
        return pending >= 1
    return pending >= min_pending and not 0 <= seconds_since_last < min_interval_s
