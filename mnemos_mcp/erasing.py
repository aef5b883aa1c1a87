"""Erase a memory with whatever of its own past holds the same words, and name what else speaks of the same: that is for the caller to decide."""
from __future__ import annotations

from .mechanisms.sameness import differing, fuller
from .mechanisms.wording import content_set, overlap
from .model import Memory, View
from .results import Forgotten
from .storage import aside
from .storage.sqlite import SqliteStore

SAME_WORDS = 0.7  # shared content words, 0..1, from which a superseded form is a near-copy although each has a word of its own
LIKE_WORDS, LIKE_LEAST = 0.5, 3  # share of the shorter text's content words, and their number, from which another memory is named
NAMED = 8


def erase(memory: Memory, view: View, store: SqliteStore) -> Forgotten:
    """Every trace of the memory and of the superseded forms of it that hold its words, with proof; `like` are ids that hold similar text and stay."""
    aside.take_in(store.path, store.apply)  # what lies beside the file would bring the words back
    past = [m for m, _ in store.chain(memory) if m.status == "superseded" and m.id != memory.id and near_copy(m.content, memory.content)]
    gone = {memory.id, *(m.id for m in past)}
    like = tuple(m.id for m in alike(memory, view, store) if m.id not in gone)
    rows = store.erase([memory, *past])
    found = rows.pop("bytes_found")
    return Forgotten("erased", memory.id, rows, found, tuple(m.id for m in past), like[:NAMED], max(0, len(like) - NAMED))


def near_copy(former: str, text: str) -> bool:
    """The same statement in other or fewer words; never one with another number, name or negation: that is another value, and history."""
    return not differing(former, text) and (fuller(former, text) is not None or overlap(former, text) >= SAME_WORDS)


def alike(memory: Memory, view: View, store: SqliteStore) -> list[Memory]:
    """Memories of any status, visible from here, that share many of their words with this one, the closest first."""
    words = content_set(memory.content)
    near = []
    for other in store.browse(view, status="all", limit=-1)[1]:
        folded = other.content.casefold()
        if other.id == memory.id or sum(word[:4] in folded for word in words) < LIKE_LEAST:  # most texts end here and are not taken apart
            continue
        shared = len(words & content_set(other.content))
        if shared >= LIKE_LEAST and shared / min(len(words), len(content_set(other.content))) >= LIKE_WORDS:
            near.append((shared, other))
    return [m for _, m in sorted(near, key=lambda pair: -pair[0])]
