"""Packing: no five near-identical memories in one budget (maximal marginal relevance, Carbonell and Goldstein 1998)."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ..model import Recalled, Withheld


@dataclass(frozen=True, slots=True)
class Packing:
    """Chooses by MMR = lambda * score - (1 - lambda) * max cosine to the chosen, and hands back best score first.

    Scores are taken relative to the best, so that both terms are 0..1. Choosing decides who is in, not the order: reordering by MMR itself cost
    recall@10 on BEAM and won nothing anywhere (see the ablation).
    """

    trade: float = 0.7  # lambda: 1 = score only, 0 = variety only
    alike_from: float = 0.6  # cosine under which nothing is repeated; 0 is the plain formula, which prefers the unrelated to the related
    pool: int = 24  # best candidates among which it chooses, at least as many as are asked for
    least_tokens: int = 24  # a memory is shortened to fit the budget only if so much of it remains

    def pack(self, recalled: Sequence[Recalled], *, limit: int, budget_tokens: int, similarity: Callable[[str, str], float | None],
             tokens: Callable[[str], int]) -> tuple[list[Recalled], list[Withheld]]:
        """(kept, left out with the reason). The best memory is always kept, shortened if it alone breaks the budget."""
        pool = max(self.pool, limit)
        waiting = list(recalled[:pool])
        top = max((r.score for r in waiting), default=0.0) or 1.0
        nearest = {r.id: 0.0 for r in waiting}
        twin: dict[str, str] = {}
        kept: list[Recalled] = []
        left: list[Withheld] = [Withheld(r.id, "beyond the pool", r.score) for r in recalled[pool:]]
        spent = 0
        while waiting and len(kept) < limit:
            best = max(waiting, key=lambda r: self.trade * r.score / top - (1 - self.trade) * nearest[r.id])
            waiting.remove(best)
            cost = tokens(best.content)
            if spent + cost > budget_tokens and kept:
                left.append(Withheld(best.id, "budget", best.score))
                continue
            kept.append(best._replace(tokens=min(cost, budget_tokens), truncated=cost > budget_tokens))
            spent += min(cost, budget_tokens)
            for other in waiting:
                close = ((similarity(best.id, other.id) or 0.0) - self.alike_from) / (1 - self.alike_from)
                if close > nearest[other.id]:
                    nearest[other.id], twin[other.id] = close, best.id
        left += [Withheld(r.id, f"like {twin[r.id]}" if nearest[r.id] >= 0.5 else "limit", r.score) for r in waiting]
        return sorted(kept, key=lambda r: (-r.score, -r.memory.sequence)), left
