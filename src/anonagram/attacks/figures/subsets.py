"""Linkage on some of the attributes: on those that moved least, two of them, three, and so on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anonagram.attacks.aligned import Aligned
from anonagram.attacks.figures.asked import LINKED, asked_records, linked_within, made_up_beside
from anonagram.attacks.figures.linkage import Linkage, link

WORK = LINKED // 4
EACH_SIZE = 4
"""Up to so many attributes each number is tried, then half as many more."""


@dataclass(frozen=True)
class Subset:
    """The attack on some of the attributes, those that moved least (the paper's Note 1)."""

    columns: tuple[str, ...]
    linkage: Linkage

    @property
    def records(self) -> int:
        """How many originals were linked; a sample of many."""
        return self.linkage.asked.size

    @property
    def correct(self) -> int:
        """Records whose only nearest masked record is their own."""
        return self.linkage.correct

    @property
    def advantage(self) -> float:
        """How many more originals than random records are matched within the best distance."""
        return self.linkage.advantage

    @property
    def is_linked(self) -> bool:
        """Whether people can be linked; that most matches are right is no proof on few attributes."""
        found = self.linkage
        return found.is_above_chance and (found.looks_linked or found.some_are_exposed)

    @property
    def withstands(self) -> bool:
        """Whether nobody is linked."""
        return not self.is_linked


def link_subsets(
    pair: Aligned, made_up: int, tolerance: float, records: int = 0
) -> tuple[Subset, ...]:
    """Link on the two attributes that moved least, on three, and so on, up to all but one."""
    originals, mapped = pair.original_ranks, pair.mapped_ranks
    moved = np.abs(originals[: pair.paired] - mapped[: pair.paired]).mean(axis=0)
    order = np.argsort(moved, kind="stable")
    names = [each.name for each in pair.attributes]
    sizes = _sizes(len(names))
    subsets = []
    for size in sizes:
        chosen = np.sort(order[:size])
        asked = asked_records(pair, records, linked_within(WORK, pair, size))
        beside = made_up_beside(made_up, asked.size, pair.paired)
        found = link(originals[:, chosen], mapped[:, chosen], asked, beside, tolerance, pair.paired)
        subsets.append(Subset(tuple(names[j] for j in chosen), found))
    return tuple(subsets)


def _sizes(attributes: int) -> list[int]:
    """How many attributes are tried: 2, 3, 4, then half as many more each time, and all but one.

    >>> _sizes(14)
    [2, 3, 4, 6, 9, 13]
    """
    sizes = [2]
    while sizes[-1] < attributes - 1:
        last = sizes[-1]
        sizes.append(min(last + 1 if last < EACH_SIZE else last * 3 // 2, attributes - 1))
    return sizes
