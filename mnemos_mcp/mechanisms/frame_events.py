"""What happened to a value, against an older statement of it: it moved, was renamed or rewritten, somebody took over, it was stopped, it is gone."""

from __future__ import annotations

import re
from functools import lru_cache

from .frame_values import NUMBER, Value, became, kind_of_value, named, names_it, one_type, plain, words_of
from .frame_words import (
    ARE,
    CALLED,
    COPULA,
    GONE,
    LINKS,
    MARK,
    MOVES,
    PLACES,
    PREPOSITIONS,
    RENAMED,
    REWRITTEN,
    ROLE,
    ROLES,
    STATES,
    STOPPED,
    SWITCHED,
    TAIL,
    USED_FOR,
    WRITTEN,
)
from .lazy import Lazy
from .wording import STOP, stem


@lru_cache(maxsize=1024)
def framed(old: str) -> list[tuple[list[str], list[str], Value]]:
    """(subject, link, value) of 'S is written in V', 'we use V for S'; none where the clause has another form."""
    if used := USED_FOR.fullmatch(MARK.sub(" ", old).strip(" .!")):
        return [([word for word, _ in words_of(used["s"])], ["use"], words_of(used["v"]))]
    words = words_of(old)
    for at in range(1, len(words)):
        if words[at][0] in COPULA or words[at][0] in LINKS:
            end = at
            while end < len(words) and not words[end][1][0].isupper() and (words[end][0] in COPULA or words[end][0] in LINKS or words[end][0] in PREPOSITIONS):
                end += 1
            return [([word for word, _ in words[:at]], [word for word, _ in words[at:end]], words[end:])]
    return []


@lru_cache(maxsize=256)
def _told_by(patterns: tuple[Lazy, ...], clause: str) -> tuple[re.Match[str], ...]:
    return tuple(met for met in (pattern.fullmatch(clause) for pattern in patterns) if met)


def happened(clause: str) -> bool:
    """Whether the clause has the form of one of these events at all."""
    said = MARK.sub(" ", clause)
    return bool(_told_by(MOVES, said.strip(" .!")) or _told_by(ROLES, clause.strip(" .!")) or STOPPED.search(said) or GONE.fullmatch(said.strip(" .!")))


def moved(clause: str, old: str) -> str:
    """'S was migrated to B' against 'S lives in A': the verb says what changed, so the link of the older clause must tell that very thing."""
    for met in _told_by(MOVES, MARK.sub(" ", clause).strip(" .!")):
        value = tuple(pair for pair in words_of(TAIL.sub("", met["b"].strip())))
        verb = stem(met["v"].casefold())
        allowed = WRITTEN if REWRITTEN.match(verb) else CALLED if RENAMED.match(verb) else PLACES
        for subject, link, former in framed(old):
            if subject != [word for word, _ in words_of(met["s"])] or not set(link) - COPULA <= allowed or not plain(value) or not plain(former) or value == former:
                continue
            if met.groupdict().get("a"):
                if names_it(met["a"], former):
                    return became(value, former)
            elif one_type(value, former) and _fits(value, former, link, allowed, bool(SWITCHED.match(verb))):
                return became(value, former)
    return ""


def _fits(value: Value, former: Value, link: list[str], allowed: frozenset[str], switched: bool) -> bool:
    """A bare 'is' tells a name of the same row, or of none ('logs are JSON' tells no place); a place or language after its preposition tells itself."""
    kinds = kind_of_value(" ".join(word for _, word in value)), kind_of_value(" ".join(word for _, word in former))
    if all(kinds) and kinds[0] != kinds[1]:
        return False
    copular = all(word in COPULA for word in link)
    if copular and allowed is not CALLED and not switched and (kinds[0] != kinds[1] or (not kinds[0] and set(link) & ARE)):
        return False
    return named(" ".join(word for _, word in former)) or allowed is CALLED or (not copular and not any(written.casefold() in STATES for _, written in former))


def succeeded(clause: str, old: str) -> str:
    """'B took over as R from A', 'B is the new R' against 'R is A' or 'A is the R'."""
    for met in _told_by(ROLES, clause.strip(" .!")):
        value, role, left = words_of(met["b"]), {word for word, _ in words_of(met["r"])}, met.groupdict().get("a") or ""
        if not role or not plain(value):
            continue
        for subject, link, former in framed(old):
            for post, holder in ((set(subject), former), ({word for word, _ in former}, tuple((word, word) for word in subject))):
                if not set(link) - COPULA and _post(post, role, value, bool(left)) and plain(holder) and value != holder \
                        and (names_it(left, holder) if left else one_type(_numbers(value), holder)):
                    return became(value, holder)
    return ""


def _post(held: set[str], role: set[str], value: Value, told: bool) -> bool:
    """The same post: 'frontend' for 'frontend owner' only where its holder is named; the label of a number counts to its subject."""
    numbered = any(NUMBER.fullmatch(word) for word, _ in value)
    label = {word for word, _ in value if not NUMBER.fullmatch(word)} if numbered else set()
    return held in (role, role | label) or (told and role < held and held - role <= ROLE)


def _numbers(value: Value) -> Value:
    return tuple(pair for pair in value if NUMBER.fullmatch(pair[0])) or value


def stopped(clause: str, old: str) -> str:
    """'we stopped deploying with Helm' against 'we deploy with Helm': all that the older clause says, and nothing narrower."""
    if not (met := STOPPED.search(MARK.sub(" ", clause))):
        return ""
    ended, held = ({word for word, _ in words_of(text) if word not in STOP and word not in PREPOSITIONS} for text in (met["pred"], old))
    return f"no longer: {met['pred'].strip()}" if len(held) > 1 and ended == held else ""


def gone(clause: str, old: str) -> str:
    """'the mac mini is gone' against 'builds run on the mac mini'."""
    if not (met := GONE.fullmatch(MARK.sub(" ", clause).strip(" .!"))):
        return ""
    left = [word for word, _ in words_of(met["gone"])]
    for _, _, former in framed(old):
        if left and left == [word for word, _ in former] and plain(former):
            return f"'{met['gone'].strip()}' is left"
    return ""
