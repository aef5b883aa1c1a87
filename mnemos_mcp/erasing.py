"""Erase a memory with whatever of its own past holds the same words, and name what else speaks of the same: that is for the caller to decide."""
from __future__ import annotations

from .mechanisms.sameness import differing
from .mechanisms.wording import content, content_set, ordered, sentences
from .model import Episode, Memory, View
from .results import Forgotten
from .storage import aside
from .storage.sqlite import SqliteStore

LIKE_WORDS, LIKE_LEAST = 0.5, 3  # share of the shorter text's content words, and their number, from which another memory is named
NAMED = 8


def erase(memory: Memory, view: View, store: SqliteStore) -> Forgotten:
    """Every trace of the memory, of the superseded forms of it that hold its words and of pending episodes that say it, with proof; `like` are ids of
    memories and pending episodes with similar text, which stay."""
    aside.take_in(store.path, store.apply)  # what lies beside the file would bring the words back
    past = [m for m, _ in store.chain(memory) if m.status == "superseded" and m.id != memory.id and near_copy(m.content, memory.content)]
    gone = {memory.id, *(m.id for m in past)}
    heard = unread(view, store)
    said = [e for e in heard if any(_says(e.content, m.content) for m in (memory, *past))]
    like = (*(m.id for m in alike(memory, view, store) if m.id not in gone), *(e.id for e in heard if e not in said and _is_like(e.content, memory.content)))
    rows = store.erase([memory, *past], said)
    found = rows.pop("bytes_found")
    return Forgotten("erased", memory.id, rows, found, tuple(m.id for m in past), like[:NAMED], max(0, len(like) - NAMED))


def said(episode_id: str, view: View, store: SqliteStore) -> Forgotten | None:
    """Every trace of a pending episode, such as `like` names; None when this is the id of none."""
    found = [e for e in unread(view, store) if e.id == episode_id.strip()]
    if not found:
        return None
    rows = store.erase([], found)
    return Forgotten("erased", found[0].id, rows, rows.pop("bytes_found"))


def near_copy(former: str, text: str) -> bool:
    """The same statement with the same content words in their order, or with fewer or more of them; never one with another word in the place of one, another
    number, name or negation: that is another value, and history."""
    return bool(content(former)) and not differing(former, text) and ordered(former, text)


def _says(episode: str, text: str) -> bool:
    """As a whole or in a sentence that is more than a word or two of it."""
    least = min(LIKE_LEAST, len(content_set(text)))
    return any(len(content_set(part)) >= least and near_copy(part, text) for part in (episode, *sentences(episode)))


def unread(view: View, store: SqliteStore) -> list[Episode]:
    """What was said in the projects of the view and sleep has not read."""
    return [e for scope in view.scopes if scope.level == "project" for e in store.episodes(project=scope.name, limit=-1)]


def _is_like(other: str, text: str) -> bool:
    """Many words shared, by the shorter of the two."""
    words, more = content_set(text), content_set(other)
    shared = len(words & more)
    return shared >= LIKE_LEAST and shared / min(len(words), len(more)) >= LIKE_WORDS


def alike(memory: Memory, view: View, store: SqliteStore) -> list[Memory]:
    """Memories of any status, visible from here, that share many of their words with this one, the closest first."""
    words = content_set(memory.content)
    near = []
    for other in store.browse(view, status="all", limit=-1)[1]:
        folded = other.content.casefold()
        if other.id == memory.id or sum(word[:4] in folded for word in words) < LIKE_LEAST:  # most texts end here and are not taken apart
            continue
        if _is_like(other.content, memory.content):
            near.append((len(words & content_set(other.content)), other))
    return [m for _, m in sorted(near, key=lambda pair: -pair[0])]
