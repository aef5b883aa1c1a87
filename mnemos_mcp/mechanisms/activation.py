"""SpreadingActivation: recall brings its neighbourhood (Collins and Loftus 1975)."""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..model import Edge


@dataclass(frozen=True)
class SpreadingActivation:
    """Energy runs from the seeds over ties, weaker with every hop: Docker 1.0, Ubuntu 0.8, nginx 0.64, proxy 0.51.

    A tie either conducts or not; its weight decides only which ones are taken where there are too many. The gates of a read (scope, time, trust) lie
    before: ties to what may not be seen are not handed in.
    """

    loss: float = 0.20  # share of the energy that a hop costs, 0..1
    threshold: float = 0.30  # energy below which nothing is activated, 0..1
    hops: int = 3  # farthest reach
    fan_out: int = 6  # strongest ties that one memory passes energy on to; a hub would light up everything
    likeness: float = 0.60  # cosine from which two memories are tied; calibrated to the embedder, 0.6 in the published preset
    joint_recalls: float = 2.0  # recalls together from which coactivation is a tie

    def spread(self, seeds: Mapping[str, float], edges: Sequence[Edge]) -> dict[str, float]:
        """Energy 0..1 of every memory that is reached, seeds included. The best path counts; paths do not add up."""
        ties = self._ties(edges)
        energy = {id_: min(1.0, start) for id_, start in seeds.items() if start >= self.threshold}
        front = dict(energy)
        for _ in range(self.hops):
            reached: dict[str, float] = {}
            for id_, strength in front.items():
                passed = strength * (1 - self.loss)
                for other in ties.get(id_, ()) if passed >= self.threshold else ():
                    if passed > max(energy.get(other, 0.0), reached.get(other, 0.0)):
                        reached[other] = passed
            energy |= reached
            front = reached
        return energy

    def _conducts(self, edge: Edge) -> bool:
        if edge.kind == "likeness":
            return edge.weight >= self.likeness
        return edge.weight >= self.joint_recalls if edge.kind == "coactivation" else edge.weight > 0

    def _ties(self, edges: Sequence[Edge]) -> dict[str, list[str]]:
        """For each memory whom it passes energy on to: the strongest ties first, no more than the fan-out."""
        weights: dict[str, dict[str, float]] = {}
        for edge in edges:
            if edge.a != edge.b and self._conducts(edge):
                for a, b in ((edge.a, edge.b), (edge.b, edge.a)):
                    beside = weights.setdefault(a, {})
                    beside[b] = max(beside.get(b, 0.0), min(1.0, edge.weight))
        return {id_: sorted(beside, key=lambda other: (-beside[other], other))[: self.fan_out] for id_, beside in weights.items()}
