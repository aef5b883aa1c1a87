"""Whether a newer text says that an older one stopped being true: an explicit change phrase, about the same subject, with evidence of conflict.

Three things must come together, because a false supersession hides a true fact: the phrase reports a change that was made (no question, plan or
condition); its subject stands in the older text; and the older text holds the value that was left, or another value of the same type, or the
predicate that no longer holds. Where one is missing the answer is '' and both texts stay.
"""
from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from .frame_words import ADDS
from .frames import heard, successor
from .holds import asserted, asserted_elsewhere, has_purpose, is_used
from .instead import in_its_place
from .lazy import Lazy
from .phrases import ATTRIBUTES, CONDITION, FROM_NOW_ON, GENERIC, INTENT, LOOSE, NARROWING, PHRASES, STATE, USE, Kind
from .quantities import Quantity, quantities
from .rivals import kind_of
from .wording import DATES, content, fold, is_question, names, negations, opposed, sentences, stem, tokens

MAX_CHARS = 4000  # of a text that are read for change phrases: what changed is said first, and a pasted log costs no time
MAX_STATEMENT = 600  # characters; longer "sentences" are code or data
MAX_VALUE = 60  # characters of what is called gone
_CLAUSE = Lazy(r"[,;:，；：。]|\s[-–—]\s|\b(?:and|und|et)\b", re.IGNORECASE)
_ATTRIBUTE = {stem(word): group[0] for group in ATTRIBUTES for word in group}
_GENERIC = frozenset(stem(word) for word in GENERIC)
_USE = frozenset(stem(word) for word in USE)


@dataclass(frozen=True, slots=True)
class Change:
    """What a change phrase says; '' where it does not say it."""

    kind: Kind
    what: str = ""
    gone: str = ""
    new: str = ""
    rest: str = ""
    statement: str = ""


@dataclass(frozen=True)
class Changes:
    """Reads change phrases and weighs them against an older text. Shares are 0..1 of the content words of the subject that the phrase names."""

    value_share: float = 0.75  # of the subject must stand in the older text when only the values differ; own judgement, checked on open pairs
    gone_share: float = 0.7  # of the subject when the older text holds the very name that was left: stronger evidence than a number
    shared_words: int = 2  # content words (the value's label counts) that must be shared when only the values differ
    rest_words: int = 2  # content words the older clause may hold besides subject and value when a rival name is the only evidence
    reach: int = 4  # tokens before a value within which a word of use makes it the thing used
    statement_share: float = 0.5  # of an older text's statements must be hit; below, the rest of it is still true

    def conflict(self, newer: str, older: str) -> str:
        """Why `older` stopped being true by what `newer` says, or ''."""
        olds = sentences(older[:MAX_CHARS]) if read(newer) or heard(newer) else []
        reasons = [reason for old in olds if (reason := self._conflict_of(newer, old))]
        return reasons[0] if olds and len(reasons) / len(olds) >= self.statement_share else ""

    def hit(self, newer: str, older: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The statements of `newer` that carry a conflict, and the statements of `older` that they end."""
        carriers, ended = [], []
        for new in sentences(newer[:MAX_CHARS]):
            struck = [old for old in sentences(older[:MAX_CHARS]) if self._conflict_of(new, old)]
            carriers += [new] if struck else []
            ended += [old for old in struck if old not in ended]
        return tuple(carriers), tuple(ended)

    def hints(self, newer: str, older: str) -> bool:
        """A change phrase names something that stands in the older text: not enough to retire it, enough to report it."""
        held = set(content(older))
        named = [set(content(change.gone or change.what)) - _GENERIC for change in read(newer)]
        return any(words and words <= held for words in named)

    def _conflict_of(self, newer: str, old: str) -> str:
        if is_question(old):
            return ""
        for change in read(newer):
            if reason := self._evidence(change, old):
                return reason
        return successor(newer, old)

    def _evidence(self, change: Change, old: str) -> str:
        if _elsewhere(change, old):
            return ""
        if change.kind == "ended":
            return self._predicate_ended(change, old)
        if change.kind == "instead" and in_its_place(change.statement, change.gone, old) and asserted(content(change.gone)[0], old):
            return f"'{change.gone.strip()}' is left"
        if change.gone and (reason := self._value_left(change, old)):
            return reason
        return self._value_differs(change, old) if change.kind in ("set", "state", "replaced") else ""

    def _predicate_ended(self, change: Change, old: str) -> str:
        """'X is no longer P' against 'X ... P'."""
        held, subject, predicate = _words(old), _subject(change.what), _subject(change.new)
        named = any(name in predicate for name in names(change.statement))
        enough = len(predicate) >= 2 if not subject else _share(subject, held) >= self.value_share
        if negations(old) or not predicate or not enough or not (named or len(subject | predicate) >= self.shared_words + 1):
            return ""
        return f"no longer: {change.new.strip()}" if _share(predicate, held) >= self.value_share else ""

    def _value_left(self, change: Change, old: str) -> str:
        """The older text asserts the very thing that the phrase calls gone."""
        gone = frozenset(content(change.gone)) - _GENERIC
        named = [word if word in gone or change.kind == "instead" else stem(word) for word in names(f"x {change.gone}")]
        specific = [word for word in named if word in gone] or [q.value for q in quantities(change.gone)]
        specific = specific or sorted(word for word in gone if kind_of(word, change.gone))
        held, arrived = _words(old), _arrived(old)
        if not specific or not gone <= frozenset(content(old)) or not (asserted(specific[0], old) or any(gone <= words for words in arrived)):
            return ""
        if not named and not _same_count(change, old):
            return ""
        stands = is_used(specific[0], old, self.reach)
        used = stands or any(specific[0] in words for words in arrived)
        subject = _subject(change.what, change.rest) - gone - _subject(change.new)
        if any(name not in fold(old) for name in names(f"x {change.what} {change.rest}") if name in subject):
            return ""
        shared = (_subject(change.statement) - gone) & held
        if change.kind == "instead":
            fits = used and len(shared) >= self.shared_words and not asserted_elsewhere(specific[0], change.statement)
        elif subject:
            fits = _share(subject, held) >= (self.gone_share if named else self.value_share)
        else:
            thing = is_used(specific[0], old, self.reach, LOOSE) or (used and not stands)
            whole = thing and (change.kind == "gone" or not has_purpose(specific[0], old))
            fits = bool(whole or (used and shared))
        return f"'{change.gone.strip()}' is left" if fits else ""

    def _value_differs(self, change: Change, old: str) -> str:
        """The same subject with another value of the same type: '60 minutes' and '10 minutes', 'Postgres 14' and 'Postgres 16', a rival name."""
        held = _words(old)
        news = (change.new,) if change.kind != "state" else tuple(_values(change.new))
        for value in news:
            subject = _subject(change.what, change.rest) if change.kind != "state" else _subject(change.new.split(value)[0])
            subject -= frozenset(content(value)) - frozenset(_subject(change.what))
            if any(name in subject and name not in fold(old) for name in names(f"x {change.statement}")):
                continue
            if _share(subject, held) < self.value_share and subject:
                continue
            if pair := self._other_quantity(subject, value, old, held):
                return f"{pair[0]} became {pair[1]}"
            if not change.gone and (pair := self._rival(subject, value, old, held)):
                return f"{pair[0]} became {pair[1]}"
        return ""

    def _other_quantity(self, subject: frozenset[str], value: str, old: str, held: frozenset[str]) -> tuple[str, str] | None:
        for new in quantities(value)[:1]:
            like = [q for q in quantities(old) if _same_type(new, q, subject)]
            labels = {new.label} & {q.label for q in like} - {""}
            shared = len((subject & held) | labels)
            counted = frozenset(q.value for q in like) | frozenset(content(value)) | _counted(old)
            alone = shared == 1 and not labels and subject == _subject(old) - counted - _USE
            if len(like) == 1 and like[0].value != new.value and (shared >= self.shared_words or alone) and not _narrowed(subject, old):
                return f"{like[0].label} {like[0].value}".strip(), f"{new.label} {new.value}".strip()
        return None

    def _rival(self, subject: frozenset[str], value: str, old: str, held: frozenset[str]) -> tuple[str, str] | None:
        for new in content(value):
            kind = kind_of(new, value)
            rivals = [word for word in dict.fromkeys(content(old)) if kind and kind_of(word, old) == kind and asserted(word, old)]
            if len(rivals) != 1 or rivals[0] == new or not (is_used(rivals[0], old, self.reach) or any(rivals[0] in words for words in _arrived(old))):
                continue
            rest = _subject(old) - subject - {rivals[0]} - _USE
            rest = frozenset(word for word in rest if not word.isdigit())
            if len(rest) <= (self.rest_words if subject else 0):
                return rivals[0], new
        return None


@lru_cache(maxsize=256)
def read(text: str) -> tuple[Change, ...]:
    """The changes that a text reports as made, strongest kind first in each statement. Bounded: a long text is no note of a change."""
    found: list[Change] = []
    for statement in sentences(text[:MAX_CHARS]):
        if len(statement) > MAX_STATEMENT or is_question(statement) or CONDITION.search(statement):
            continue
        told: list[tuple[int, int]] = []
        for kind, pattern, gone_before in PHRASES:
            for match in pattern.finditer(statement):
                if kind == "set" and any(start < match.end() and match.start() < end for start, end in told):
                    continue  # "from npm to yarn" is read once, with what was left
                told += [match.span()] if kind == "replaced" else []
                groups = match.groupdict()
                before = _CLAUSE.split(statement[:match.start()])[-1]
                if _meant(statement, match, kind):
                    gone = before[-MAX_VALUE:].strip() if gone_before else groups.get("gone") or ""
                    found.append(Change(kind, "" if gone_before else f"{before} {groups.get('what') or ''}".strip(), gone,
                                        groups.get("new") or groups.get("pred") or "", _narrowing(groups.get("rest")), statement))
        found += [Change("state", new=clause, statement=statement) for clause in _state_clauses(statement)]
    return tuple(found)


def _meant(statement: str, match: re.Match[str], kind: Kind) -> bool:
    """Not a plan, a wish, a trial or a denial, as far as the clause of the phrase says."""
    start = max((found.end() for found in re.finditer(r"[,;:，；：。]", statement[:match.start()])), default=0)
    around = statement[start:match.end()]
    if kind in ("ended", "instead", "gone"):  # these deny by nature
        around = re.sub(r"\b(?:not|nicht|never)\b", " ", around, flags=re.IGNORECASE)
    return not INTENT.search(around) or bool(FROM_NOW_ON.search(statement))


def _narrowing(rest: str | None) -> str:
    return " ".join(NARROWING.findall(rest or ""))


def _state_clauses(statement: str) -> list[str]:
    """Clauses that tell a state as new; a marker before a colon or comma speaks for what follows."""
    if not STATE.search(statement) or ADDS.search(statement):
        return []
    clauses = [piece for piece in re.split(r"[,;:，；：。]\s", statement) if piece.strip()]
    marked = [i for i, clause in enumerate(clauses) if STATE.search(clause)]
    chosen = [clause for i, clause in enumerate(clauses) if i in marked or i - 1 in marked]
    return [clause for clause in chosen if not INTENT.search(clause) or FROM_NOW_ON.search(statement)]


def _values(clause: str) -> list[str]:
    """Places in a clause where a value stands: numbers with what they count, and rival names."""
    numbered = [match[0] for match in re.finditer(r"(?:\b[^\W\d_][\w.-]*\s+)?v?\d[\w.,:-]*(?:\s?%|\s+[^\W\d_]\w*)?", clause)]
    return numbered + [token for token in tokens(clause) if kind_of(token.casefold(), clause)]


def _words(text: str) -> frozenset[str]:
    """Content words with the words for one attribute folded together."""
    return frozenset(_ATTRIBUTE.get(word, word) for word in content(text))


def _subject(*parts: str) -> frozenset[str]:
    """The words of a phrase that can tell one subject from another."""
    return _words(" ".join(parts)) - _GENERIC


def _share(subject: frozenset[str], held: frozenset[str]) -> float:
    return len(subject & held) / len(subject) if subject else 0.0


def _arrived(old: str) -> list[frozenset[str]]:
    """What the older text's own changes led to, as content words: 'from PostgreSQL 14 to 16' led to PostgreSQL 16."""
    found = []
    for change in read(old):
        bare = change.gone and not names(f"x {change.new}") and quantities(change.new)
        kept = frozenset(content(change.gone)) - {q.value for q in quantities(change.gone)} if bare else frozenset()
        found.append(frozenset(content(change.new)) | kept)
    return found


def _same_type(new: Quantity, old: Quantity, subject: frozenset[str]) -> bool:
    """Seconds and minutes are one type, two numbers with one label are, a bare number takes its label from the subject."""
    dated = [q.unit in DATES or q.unit in ("may", "march") for q in (new, old)]
    if all(dated) or (new.label and new.label == old.label):
        return True
    if new.unit or old.unit:
        return new.dimension == old.dimension
    return not new.label and (not old.label or _ATTRIBUTE.get(old.label, old.label) in subject)


def _same_count(change: Change, old: str) -> bool:
    """'from 20 to 12 minutes' left 20 minutes, not 20 percent. Without a number there is nothing to compare."""
    left = quantities(change.gone)[:1]
    unit = next((q.dimension for q in (*left, *quantities(change.new)) if q.unit), "")
    return not left or any(q.value == left[0].value and q.dimension == unit for q in quantities(old))


def _counted(text: str) -> frozenset[str]:
    return frozenset(stem(token.casefold()) for token in tokens(text) if stem(token.casefold()) in {q.unit for q in quantities(text)} or re.fullmatch(
        r"(?:milli)?(?:second|minute|hour|day|week|month|year)s?|[kmgt]i?b|ms|s", token.casefold()))


def _narrowed(subject: frozenset[str], old: str) -> bool:
    """The older text speaks of one case ('for uploads', 'during tests') that the newer does not name."""
    cases = re.findall(r"\b(?:for|during|except|when|while|without|für|pour|para)\s+(?:the\s+|an?\s+)?([\w-]+)", old, re.IGNORECASE)
    return any(_subject(case) - subject for case in cases if not re.match(r"\d", case))


def _elsewhere(change: Change, old: str) -> bool:
    """Staging and production, client and server: a change in one is none in the other."""
    return opposed(f"{change.what} {change.rest} {change.new}", old)
