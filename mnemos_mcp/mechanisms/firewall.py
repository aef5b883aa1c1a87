"""Firewall: secrets blocked, personal data redacted, private parts never captured, before anything else sees a text.

Text becomes `CleanText` here and nowhere else (the row reader of storage gives back what once passed here). Rules and
ideas: own tables after gitleaks (MIT) and the vendors' pages; Luhn; ISO 13616 mod 97; the SSA's ranges.
"""
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Literal, NamedTuple

from mnemos_mcp.mechanisms.firewall_blocks import connection_findings, key_findings
from mnemos_mcp.mechanisms.firewall_commands import placed_findings
from mnemos_mcp.mechanisms.firewall_names import named_findings
from mnemos_mcp.mechanisms.firewall_pii import personal_findings
from mnemos_mcp.mechanisms.firewall_rules import PII_KINDS, SECRET_KINDS, Finding, vendor_findings
from mnemos_mcp.mechanisms.firewall_views import View, changed, clean, decoded_view, grouped_view, plain_view, spaced_view, wrapped_view
from mnemos_mcp.mechanisms.lazy import Lazy

__all__ = ["RULES", "Action", "CleanText", "Finding", "Firewall", "Redaction", "Refusal", "Screened"]

LONGEST_NAME = 200  # characters of the name of a session or an event
# Counts up whenever the rules catch more: `mnemos sweep` then has something to look for in what was stored before.
RULES = 4

Action = Literal["allow", "redact", "block"]

_MASKS = dict.fromkeys(SECRET_KINDS, "[REDACTED_SECRET]") | {
    "email": "[REDACTED_EMAIL]", "phone": "[REDACTED_PHONE]", "national_id": "[REDACTED_ID]",
    "payment_card": "[REDACTED_CARD]", "iban": "[REDACTED_IBAN]"}
_MASK = Lazy(r"\[REDACTED_[A-Z]{2,6}\]")
# Where findings overlap, the union bears the first of these kinds.
_RANK = {kind: rank for rank, kind in enumerate(SECRET_KINDS + PII_KINDS)}
# Masking may bring two halves of something together; so a masked text is read again. The last round masks whole lines.
_ROUNDS = 4


class CleanText(str):
    """Text that has passed the screen."""

    __slots__ = ()


class Redaction(NamedTuple):
    """How many values of one kind were masked in a text."""

    kind: str
    count: int  # type: ignore[assignment]


class Screened(NamedTuple):
    """Text that may be stored, embedded, logged and shown, and what was masked in it."""

    text: CleanText
    redactions: tuple[Redaction, ...] = ()


class Refusal(NamedTuple):
    """Why a text may not enter: `private`, `empty`, `too_long`, or the kind of what it holds. Never the text."""

    kind: str
    reason: str


def _secrets(text: str) -> Iterator[Finding]:
    yield from key_findings(text)
    yield from connection_findings(text)
    yield from vendor_findings(text)
    yield from named_findings(text)
    yield from placed_findings(text)


def _everything(text: str) -> Iterator[Finding]:
    yield from _secrets(text)
    yield from personal_findings(text)


def _merged(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """`findings` in order of place, overlapping ones joined under the gravest kind."""
    merged: list[Finding] = []
    for found in sorted(findings, key=lambda f: (f.start, -f.end)):
        if merged and found.start < merged[-1].end:
            last = merged[-1]
            grave = min(last, found, key=lambda f: _RANK[f.kind])
            merged[-1] = Finding(grave.kind, last.start, max(last.end, found.end), grave.rule)
        else:
            merged.append(found)
    return tuple(merged)


def _touched(findings: tuple[Finding, ...], start: int, end: int) -> bool:
    """Whether `start` to `end` overlaps one of `findings`, which are in order and apart."""
    place = bisect_left(findings, end, key=lambda f: f.start)
    return place > 0 and findings[place - 1].end > start


def _within(masks: tuple[Finding, ...], found: Finding) -> bool:
    place = bisect_right(masks, found.start, key=lambda f: f.start)
    return place > 0 and found.end <= masks[place - 1].end


def _hidden(text: str, seen: tuple[Finding, ...]) -> Iterator[Finding]:
    """What shows only in another reading of `text`, as spans of `text`."""
    readings: tuple[tuple[Callable, Callable], ...] = (
        (plain_view, _everything), (spaced_view, _secrets), (decoded_view, _secrets), (grouped_view, vendor_findings), (wrapped_view, vendor_findings))
    for read, search in readings:
        view = read(text)
        for found, (start, end) in _found(view, search) if view else ():
            if search is vendor_findings and _touched(seen, start, end):
                continue
            yield Finding(found.kind, start, end, f"hidden-{found.rule}")


def _found(view: View, search: Callable[[str], Iterable[Finding]]) -> Iterator[tuple[Finding, tuple[int, int]]]:
    """What `search` finds in the changed parts of `view`, or in all of it where a finding would go over from one part to another."""
    parts = changed(view)
    findings = list(search(parts.text))
    if any(parts.apart(found.start, found.end) for found in findings):
        return ((found, view.span(found.start, found.end)) for found in search(view.text))
    return ((found, parts.span(found.start, found.end)) for found in findings)


def _mask(text: str, findings: tuple[Finding, ...], whole_lines: bool) -> str:
    parts, done = [], 0
    for found in findings:
        start, end = found.start, found.end
        if whole_lines:
            start, end = text.rfind("\n", 0, start) + 1, text.find("\n", end) % (len(text) + 1)
        if end <= done:
            continue
        parts += [text[done:max(start, done)], _MASKS[found.kind]]
        done = end
    return "".join([*parts, text[done:]])


class Firewall(NamedTuple):
    """What may enter. Each action is allow, redact or block; `max_chars` bounds one text (characters). A named tuple: hooks load it."""

    secret_action: Action = "block"
    pii_action: Action = "redact"
    max_chars: int = 1_000_000

    def scan(self, text: str) -> tuple[Finding, ...]:
        """All secrets and personal data of `text` whatever the actions are: spans of `text`, in order, not overlapping."""
        masks = tuple(Finding("", *match.span(), "") for match in _MASK.finditer(text)) if "[REDACTED_" in text else ()
        plain = _merged(_everything(text))
        found = _merged((*plain, *_hidden(text, plain)))
        return tuple(f for f in found if not (masks and _within(masks, f)))

    def screen(self, text: str) -> Screened | Refusal:
        """`text` cleaned and judged. Never raises on any string; a refusal names kinds, never the text."""
        if len(text) > self.max_chars:
            return Refusal("too_long", f"the text has {len(text):,} characters, the limit is {self.max_chars:,}")
        cleaned = clean(text)
        if not cleaned.strip():
            private = "private" in text.lower()
            return Refusal(*(("private", "all of it is marked private") if private else ("empty", "there is no text in it")))
        findings = self.scan(cleaned)
        blocked = [f for f in findings if self._action(f.kind) == "block"]
        if blocked:
            kinds = ", ".join(dict.fromkeys(f.kind.replace("_", " ") for f in blocked))
            return Refusal(blocked[0].kind, f"it holds what looks like: {kinds}; nothing was kept")
        return self._masked(cleaned, findings, lambda kind: self._action(kind) == "redact")

    def redact(self, text: str) -> CleanText:
        """`text` cleaned with every secret and all personal data masked, whatever the actions are; may be empty."""
        cleaned = clean(text)
        return self._masked(cleaned, self.scan(cleaned), lambda kind: True).text

    def kept(self, text: str) -> str | None:
        """The clean text, None for one that is refused."""
        result = self.screen(text)
        return None if isinstance(result, Refusal) else result.text.strip()

    def named(self, name: str) -> str:
        """A client's name of a session or event as it may be kept: one that is odd or holds what is stopped or masked by its hash, the same each time."""
        result = self.screen(name) if name else Screened(CleanText(""))
        if isinstance(result, Refusal) or result.redactions or len(name) > LONGEST_NAME or not name.isprintable():
            import hashlib
            return hashlib.sha256(name.encode("utf-8", "replace")).hexdigest()[:32]
        return name

    def _action(self, kind: str) -> Action:
        return self.secret_action if kind in SECRET_KINDS else self.pii_action

    def _masked(self, text: str, findings: tuple[Finding, ...], chosen: Callable[[str], bool]) -> Screened:
        counts: Counter[str] = Counter()
        for round_ in range(_ROUNDS):
            found = tuple(f for f in findings if chosen(f.kind))
            if not found:
                break
            counts.update(f.kind for f in found)
            text = clean(_mask(text, found, whole_lines=round_ == _ROUNDS - 1))
            findings = self.scan(text)
        return Screened(CleanText(text), tuple(Redaction(kind, count) for kind, count in counts.items()))
