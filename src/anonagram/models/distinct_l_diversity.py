"""Distinct l-diversity: at least l different sensitive values in every group."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import polars as pl

from anonagram.calls import AtLeast
from anonagram.kernels import goals
from anonagram.lattice.goal import Test
from anonagram.microdata import Column
from anonagram.models.model import GroupModel, levels_by_attribute
from anonagram.release import WithGroups


@dataclass(frozen=True, repr=False)
class DistinctLDiversity(
    GroupModel, call="distinct_l_diversity", example="distinct_l_diversity(l=4)"
):
    """Every group has at least l different values (Machanavajjhala et al. 2006).

    A missing value counts as a value of its own.

    >>> DistinctLDiversity(l=4)
    distinct_l_diversity(l=4)
    """

    l: Annotated[int, AtLeast(1)]
    counts_differing = True

    def tests(self, sensitive: Sequence[Column]) -> list[Test]:
        """For searches, of each sensitive column."""
        return [Test(goals.DISTINCT, j, self.l, grows=True) for j in range(len(sensitive))]

    def levels(self, release: WithGroups) -> pl.DataFrame:
        """How many values occur, by group."""
        return levels_by_attribute(release, pl.len().cast(pl.Float64), self.l)
