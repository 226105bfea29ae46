"""Linkage on some of the attributes: on those that moved least, two of them, three, and so on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anonagram.attacks.aligned import Aligned
from anonagram.attacks.figures.linkage import Linkage, link
from anonagram.key import PUBLIC

SUBSET_RECORDS = 20_000
"""How many originals are linked on fewer attributes."""


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


def link_subsets(pair: Aligned, made_up: int, tolerance: float) -> tuple[Subset, ...]:
    """Link on the two attributes that moved least, on three, up to all but one."""
    originals, mapped = pair.original_ranks, pair.mapped_ranks
    order = np.argsort(np.abs(originals - mapped).mean(axis=0), kind="stable")
    asked = np.sort(PUBLIC.permutation("subsets", pair.rows)[:SUBSET_RECORDS].astype(np.int64))
    names = [each.name for each in pair.attributes]
    subsets = []
    for size in range(2, len(names)):
        chosen = np.sort(order[:size])
        found = link(originals[:, chosen], mapped[:, chosen], asked, made_up, tolerance)
        subsets.append(Subset(tuple(names[j] for j in chosen), found))
    return tuple(subsets)
