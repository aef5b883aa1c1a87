"""How a text holds a word: as what is so, as what was left or refused, as the thing that is used, and for what."""
from __future__ import annotations

import re

from .phrases import REFUSED, USE, USE_BEHIND, USE_CJK
from .wording import content, tokens


def _places(word: str, text: str) -> tuple[list[str], list[int]]:
    """The words of the text, and where among them `word` stands."""
    said = [token.casefold() for token in tokens(text)]
    return said, [i for i, token in enumerate(said) if word in content(token) or token == word]


def asserted(word: str, old: str) -> bool:
    """The text holds the word as something that is so: not what it came from, refuses or replaced."""
    said, places = _places(word, old)
    for place in places:
        before, after = said[max(0, place - 2):place], said[place + 1:place + 4]
        if not REFUSED & set(before) and not {"gone", "removed", "deprecated", "replaced", "dropped"} & set(after):
            return True
    return False


def asserted_elsewhere(word: str, statement: str) -> bool:
    """'use jest for units, not jest for the app': the refusal is not general."""
    return len(_places(word, statement)[1]) > 1


def is_used(word: str, old: str, reach: int, loose: frozenset[str] = frozenset()) -> bool:
    """A word of use, the loose ones aside, stands shortly before it, or the text says of it what it is here."""
    said, places = _places(word, old)
    governed = any((USE - loose) & set(said[max(0, place - reach):place]) for place in places)
    cjk = any(USE_CJK.search(token) for place in places for token in said[max(0, place - 1):place])
    behind = any(tuple(said[place + 1:place + 3]) in USE_BEHIND for place in places)
    return governed or behind or cjk or bool(re.search(rf":\s*{re.escape(word)}\b", old, re.IGNORECASE))


def has_purpose(word: str, old: str) -> bool:
    """'npm to publish the docs': used for one thing, and that may stay."""
    said, places = _places(word, old)
    return any({"to", "for", "when", "only", "für", "pour", "para"} & set(said[place + 1:place + 4]) for place in places)
