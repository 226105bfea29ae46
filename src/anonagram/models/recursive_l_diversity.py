"""Recursive (c,l)-diversity: the most frequent value is not too frequent even after l - 2 are ruled out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated

import polars as pl

from anonagram.calls import AtLeast, Fits
from anonagram.kernels import goals
from anonagram.lattice.goal import Test
from anonagram.microdata import Column
from anonagram.models.model import GroupModel, levels_by_attribute
from anonagram.release import WithGroups

MOST = 10**9
"""Products of counts and c's terms stay within 64 bits."""


def _is_small_fraction(c: float) -> bool:
    return 0 < c < MOST and Fraction(str(c)).denominator < MOST


@dataclass(frozen=True, repr=False)
class RecursiveLDiversity(
    GroupModel, call="recursive_l_diversity", example="recursive_l_diversity(c=2, l=3)"
):
    """r_1 < c (r_l + … + r_m), r sorted from most to least frequent (Machanavajjhala et al. 2006).

    The level is the largest l for which this c holds; 0 when not even l = 1 does.

    >>> RecursiveLDiversity(c=2, l=3)
    recursive_l_diversity(c=2, l=3)
    """

    c: Annotated[float, Fits(_is_small_fraction, "a number above 0")]
    l: Annotated[int, AtLeast(1)]
    counts_differing = True

    def tests(self, sensitive: Sequence[Column]) -> list[Test]:
        """For searches, of each sensitive column."""
        return [Test(goals.RECURSIVE, j, self.c, self.l) for j in range(len(sensitive))]

    def levels(self, release: WithGroups) -> pl.DataFrame:
        """The largest l that holds for c, by group."""
        descending = pl.col("count").cast(pl.Int64).sort(descending=True)
        tail = descending.cum_sum(reverse=True)
        # c as it is written, so that 121 < 2.2 · 55 is decided as false, not by rounding
        c = Fraction(str(self.c))
        # tails shrink with l, so the number of tails that are large enough is the largest l
        level = (descending.first() * c.denominator < tail * c.numerator).sum().cast(pl.Float64)
        return levels_by_attribute(release, level, self.l)
