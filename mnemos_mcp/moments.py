"""Moments in time: what people and programs write, as seconds since 1970 UTC, and back. The one place that knows the forms."""
from __future__ import annotations

import re

from .errors import BadInput

ALLOWED = ("2026-01-31, 2026-01-31T09:30, 2026-01-31T09:30:00Z, 2026-01-31T09:30:00+01:00, or a number of seconds or milliseconds since 1970; "
           "without a zone UTC is meant")
# Seconds reach this value in the year 5138, milliseconds reached it in 1973: between them no plausible moment is ambiguous.
MILLISECONDS_FROM = 1e11
EARLIEST, LATEST = -62_135_596_800.0, 253_402_300_799.0  # years 1 and 9999: what a calendar date can say
# Neither compiled here nor with datetime at hand: a start of a session tells ages only.
_NUMBER = r"[-+]?\d+(\.\d+)?"
_COMPACT_DATE = r"(19|20|21)\d{6}"
_MONTH = r"\d{4}(-\d{2})?"
_UNITS = ((365.25 * 86400, "year"), (30.44 * 86400, "month"), (7 * 86400, "week"), (86400, "day"), (3600, "hour"), (60, "minute"))


def parse(given: str | int | float) -> float:
    """The moment as seconds since 1970 UTC. Raises BadInput naming the allowed forms."""
    if isinstance(given, bool) or not isinstance(given, str | int | float):
        raise _bad(given)
    from datetime import UTC, datetime
    text = str(given).strip()
    if re.fullmatch(_MONTH, text) and isinstance(given, str):
        text += "-01" if "-" in text else "-01-01"  # a year or a month alone is its beginning
    elif not isinstance(given, str) or (re.fullmatch(_NUMBER, text) and not re.fullmatch(_COMPACT_DATE, text)):
        return _epoch(float(text), given)
    try:
        moment = datetime.fromisoformat(text)
        at = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError) as error:
        raise _bad(given) from error
    if not EARLIEST <= at <= LATEST:  # a zone may reach over the edge of the calendar
        raise _bad(given)
    return at


def _epoch(number: float, given: object) -> float:
    if abs(number) >= MILLISECONDS_FROM:
        number /= 1000
    if not EARLIEST <= number <= LATEST:  # NaN compares false
        raise _bad(given)
    return number


def _bad(given: object) -> BadInput:
    return BadInput(f"'{given}' is no time. Allowed: {ALLOWED}.")


def iso(at: float, *, exact: bool = False) -> str:
    """ISO 8601 with Z, to the millisecond, or to the microsecond when `exact`.

    Milliseconds are rounded up: validity begins at `valid_from` and ends before `valid_to`, so a printed limit that
    somebody gives back as `as_of` lies on the right side of both.
    """
    from datetime import UTC, datetime
    micro = round(min(max(at, EARLIEST), LATEST) * 1e6)
    if not exact:
        micro = -(-micro // 1000) * 1000
    seconds, rest = divmod(micro, 1_000_000)
    fraction = f".{rest:06d}" if exact else f".{rest // 1000:03d}"
    text = datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S").rjust(19, "0")
    return f"{text}{fraction if rest else ''}Z"


def age(at: float, now: float) -> str:
    """'3 days ago', 'just now', 'in 2 weeks': coarse on purpose, for people and models."""
    away = abs(now - at)
    for seconds, unit in _UNITS:
        if away >= seconds:
            count = int(away // seconds)
            words = f"{count} {unit}{'' if count == 1 else 's'}"
            return f"{words} ago" if at <= now else f"in {words}"
    return "just now"
