"""The durable part of what was said: a prompt often states a fact and asks for something in one breath."""
from __future__ import annotations

from collections.abc import Callable

from .wording import is_question, sentences


def lasting(text: str, durable: Callable[[str], bool]) -> str:
    """The sentences that state something durable, in their own words and order; the whole text when all do, '' when none does. A question states nothing, and `durable`, which may
    have much to import, is not asked about it."""
    parts = [part.strip() for part in sentences(text) if part.strip()]
    if len(parts) < 2:
        return text.strip() if not is_question(text) and durable(text) else ""
    kept = [part for part in parts if not is_question(part) and durable(part)]
    return text.strip() if len(kept) == len(parts) else " ".join(kept)
