"""What was true when: chains of supersession and their revisions as turns, oldest first."""
from __future__ import annotations

from collections.abc import Sequence

from .model import Memory
from .ports import MemoryStore
from .results import Turn


def chronicle(memories: Sequence[Memory], store: MemoryStore) -> list[Turn]:
    """The chains of these memories as one; a turn that stands in several counts once."""
    turns = {(t.id, t.version): t for memory in memories for t in _turns(memory, store)}
    return sorted(turns.values(), key=lambda t: (t.valid_from, t.version))


def _turns(memory: Memory, store: MemoryStore) -> list[Turn]:
    turns = []
    for member, revisions in store.chain(memory):
        started = member.valid_from
        for r in revisions:
            turns.append(Turn(member.id, r.content, r.valid_from, r.valid_to, member.id, r.reason, r.version, "revised"))
            started = r.valid_to
        turns.append(Turn(member.id, member.content, started, member.valid_to, member.superseded_by, member.reason, member.version, member.status))
    return turns
