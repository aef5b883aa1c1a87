"""Groups by union-find: what is tied to each other, directly or through others. The same groups for every order of the input."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Duplicates:
    """One fact in several memories: the one that says it best, and those whose words it holds."""

    representative: str
    others: tuple[str, ...]


def joined(items: Sequence[T], tied: Callable[[T, T], bool]) -> list[list[T]]:
    """Every item in exactly one group; groups and members in the order of the input."""
    parent = list(range(len(items)))

    def root(i: int) -> int:
        while parent[i] != i:
            parent[i] = parent[parent[i]]
            i = parent[i]
        return i

    for i in range(len(items)):
        for j in range(i):
            if root(i) != root(j) and tied(items[i], items[j]):
                parent[max(root(i), root(j))] = min(root(i), root(j))
    groups: dict[int, list[T]] = {}
    for i, item in enumerate(items):
        groups.setdefault(root(i), []).append(item)
    return list(groups.values())
