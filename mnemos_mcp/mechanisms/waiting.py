"""Why what was heard is left for another sleep, in words for the reply."""
from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence

from ..model import Episode


def reasons(left: Sequence[Episode], refused: Collection[str], days: int) -> dict[str, int]:
    """Reason -> number of the episodes that a run left, the commonest first. `refused`: ids whose fact was; `days`: small talk stays so long."""
    return dict(Counter(_reason(episode, refused, days) for episode in left).most_common())


def _reason(episode: Episode, refused: Collection[str], days: int) -> str:
    if episode.id in refused:
        return "its fact was refused"
    if episode.memory_id:
        return "the gate kept it already"
    if episode.kind == "failure":
        return "a failure without its fix"
    if episode.kind == "summary":
        return "a summary of a session"
    if episode.durable:
        return "a question, or too few words to be a fact by themselves"
    return f"small talk, which stays {days} days for the agent to distil"
