"""Times in English text: the stretch a query names ("in early March", "last week", "3 days ago"), and words that tell when something was."""
from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from .lazy import Lazy

_FULL = ["january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december"]
MONTHS: dict[str, int] = {**{name: i for i, name in enumerate(_FULL, 1)}, **{name[:3]: i for i, name in enumerate(_FULL, 1)}, "sept": 9}
DAYS: tuple[str, ...] = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_COUNTS = {"a": 1, "an": 1, "one": 1, "two": 2, "couple": 2, "three": 3, "few": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10}
_UNIT_DAYS = {"day": 1, "week": 7, "month": 30, "year": 365}
_DAY = timedelta(days=1)
_MONTH = "(?:" + "|".join(sorted(MONTHS, key=len, reverse=True)) + r")\b\.?"
_COUNT = r"(\d{1,4}|" + "|".join(_COUNTS) + ")"
_ISO = Lazy(r"\b(\d{4})-(\d\d)(?:-(\d\d))?\b")
_DAY_MONTH = Lazy(rf"\b(\d{{1,2}})(?:st|nd|rd|th)?(?: of)?[ -]({_MONTH})(?:,?[ -](\d{{4}})\b)?")
_MONTH_DAY = Lazy(rf"\b({_MONTH}) (\d{{1,2}})(?:st|nd|rd|th)?\b(?!\d)(?:,? (\d{{4}})\b)?")
_IN_MONTH = Lazy(rf"\b(?:(early|mid|late|(?:the )?(?:start|beginning|middle|end) of)[ -])?(in |of |during |since |by |last |this |on )?"
                       rf"({_MONTH})(?:,? (\d{{4}})\b)?")
_QUARTER = Lazy(r"\bq([1-4])(?: (?:of )?(\d{4}))?\b")
_IN_YEAR = Lazy(r"\b(?:in|during|of|since|year) ((?:19|20)\d\d)\b")
_AGO = Lazy(rf"\b{_COUNT}(?: of)? (day|week|month|year)s? ago\b")
_PAST_N = Lazy(rf"\bthe (?:last|past) {_COUNT} (day|week|month|year)s?\b")
_RELATIVE = Lazy(r"\b(yesterday|today|this morning|tonight|(?:last|this) (?:week|weekend|month|year))\b")

_DAY_NAMES = "|".join(DAYS)
TIME_WORDS = Lazy(
    rf"\b(?:yesterday|today|tonight|tomorrow|ago|recently|weekend|since|last (?:night|week|month|year|summer|winter|spring|fall|autumn)"
    rf"|next (?:week|month|year|summer)|this (?:morning|week|month|year|summer)|(?:a )?few (?:days|weeks|months|years)|{_DAY_NAMES}"
    rf"|(?:last|next) (?:{'|'.join(d[:3] for d in DAYS)})|{'|'.join(m for m in _FULL if m not in ('may', 'march'))}|(?:in|on|of|since) (?:may|march)"
    r"|(?:19|20)\d\d|\d{1,2}(?::\d\d)? ?(?:am|pm)|\d\d:\d\d|(?:a|one|two|three|four|five|six|\d{1,4}) (?:day|week|month|year)s?)\b", re.IGNORECASE)
NUMBER_WORDS = Lazy(r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|hundred|thousand|dozen|couple"
                          r"|once|twice|several|half)\b", re.IGNORECASE)
Span = tuple[datetime, datetime]


def _month(year: int, month: int, months: int = 1) -> Span:
    last = year * 12 + month - 1 + months
    return datetime(year, month, 1), datetime(last // 12, last % 12 + 1, 1)


def _count(word: str) -> int:
    return int(word) if word.isdigit() else _COUNTS[word]


def _date(day: str, month: str, year: str | None, now: datetime) -> Span | None:
    """A day without a year is the last one that has been."""
    number = MONTHS[month.rstrip(".")]
    try:
        start = datetime(int(year) if year else now.year, number, int(day))
        return (start, start + _DAY) if year or start <= now else (start.replace(year=now.year - 1), start.replace(year=now.year - 1) + _DAY)
    except ValueError:
        return None


def _iso(text: str, now: datetime) -> Span | None:
    hit = _ISO.search(text)
    if not hit or not 1 <= int(hit[2]) <= 12:
        return None
    if not hit[3]:
        return _month(int(hit[1]), int(hit[2]))
    return _date(hit[3], _FULL[int(hit[2]) - 1], hit[1], now)


def _named_day(text: str, now: datetime) -> Span | None:
    if hit := _DAY_MONTH.search(text):
        return _date(hit[1], hit[2], hit[3], now)
    if hit := _MONTH_DAY.search(text):
        return _date(hit[2], hit[1], hit[3], now)
    return None


def _named_month(text: str, now: datetime) -> Span | None:
    for hit in _IN_MONTH.finditer(text):
        part, before, name, year = hit[1] or "", hit[2], hit[3].rstrip("."), hit[4]
        if name in ("may", "march", "mar") and not (part or before or year):
            continue  # the verbs: "may I", "march on"
        number = MONTHS[name]
        start, end = _month(int(year) if year else now.year - (number > now.month), number)
        if re.search("early|start|begin", part):
            return start, start + 10 * _DAY
        if re.search("mid", part):
            return start + 9 * _DAY, start + 20 * _DAY
        return (start + 19 * _DAY, end) if part else (start, end)
    return None


def _quarter_or_year(text: str, now: datetime) -> Span | None:
    if hit := _QUARTER.search(text):
        return _month(int(hit[2] or now.year), 3 * int(hit[1]) - 2, 3)
    if hit := _IN_YEAR.search(text):
        return _month(int(hit[1]), 1, 12)
    return None


def _counted(text: str, now: datetime) -> Span | None:
    today = now.replace(hour=0, minute=0, second=0, microsecond=0)
    if hit := _AGO.search(text):
        middle, half = today - _count(hit[1]) * _UNIT_DAYS[hit[2]] * _DAY, _UNIT_DAYS[hit[2]] * _DAY / 2
        return middle - half, middle + half + _DAY
    if hit := _PAST_N.search(text):
        return today - _count(hit[1]) * _UNIT_DAYS[hit[2]] * _DAY, now + _DAY
    return None


def _relative(text: str, now: datetime) -> Span | None:
    hit = _RELATIVE.search(text)
    if not hit:
        return None
    today = now.replace(hour=0, minute=0, second=0, microsecond=0)
    monday = today - now.weekday() * _DAY
    before = _month(now.year - (now.month == 1), (now.month - 2) % 12 + 1)
    spans: dict[str, Span] = {
        "yesterday": (today - _DAY, today), "last week": (min(monday, today) - 7 * _DAY, monday), "this week": (monday, monday + 7 * _DAY),
        "last weekend": (monday - 2 * _DAY, monday), "this weekend": (monday + 5 * _DAY, monday + 7 * _DAY),
        "last month": before, "this month": _month(now.year, now.month), "last year": _month(now.year - 1, 1, 12), "this year": _month(now.year, 1, 12)}
    return spans.get(hit[1], (today, today + _DAY))


_READERS: tuple[Callable[[str, datetime], Span | None], ...] = (_iso, _named_day, _named_month, _quarter_or_year, _counted, _relative)


def window_of(text: str, as_of: float) -> tuple[float, float] | None:
    """[from, to) in seconds UTC that the text names, seen from `as_of`; None if it names no time. The most exact way of naming wins."""
    lowered = text.lower()
    try:
        now = datetime.fromtimestamp(as_of, UTC).replace(tzinfo=None)
        span = next((found for reader in _READERS if (found := reader(lowered, now))), None)
    except (ValueError, OverflowError, OSError):  # a year outside the calendar is no time
        return None
    return tuple(moment.replace(tzinfo=UTC).timestamp() for moment in span) if span else None  # type: ignore[return-value]
