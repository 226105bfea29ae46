"""l-diversity by frequency: no sensitive value fills more than 1/l of a group."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import polars as pl

from anonagram.calls import AtLeast
from anonagram.kernels import goals
from anonagram.lattice.goal import Test
from anonagram.microdata import Column
from anonagram.models.model import GroupModel
from anonagram.release import WithGroups
from anonagram.release.group_index import GroupIndex


@dataclass(frozen=True, repr=False)
class LDiversity(GroupModel, call="l_diversity", example="l_diversity(l=4)"):
    """The most frequent value's share of a group is at most 1/l (Li et al. 2015, Definition 2).

    An intruder who knows a person's group and looks no further guesses her value with probability
    1/l. The level of a group is its rows over its highest count.

    >>> LDiversity(l=4)
    l_diversity(l=4)
    """

    in_words = "in no group does a sensitive value belong to more than one in {l} people"

    l: Annotated[int, AtLeast(1)]
    counts_differing = True

    def tests(self, sensitive: Sequence[Column]) -> list[Test]:
        """For searches, of each sensitive column."""
        return [Test(goals.MOST, j, 1 / self.l) for j in range(len(sensitive))]

    def levels(self, release: WithGroups) -> pl.DataFrame:
        """Rows over the highest count, by group."""
        return pl.concat(
            self._levels(attribute, counts)
            for attribute, counts in release.promised_counts().items()
        )

    def _levels(self, attribute: str, counts: pl.DataFrame) -> pl.DataFrame:
        index, times = GroupIndex.of(counts["group"]), counts["count"].to_numpy()
        rows = index.sums(times)
        level = pl.Series("level", rows / index.most(times))
        groups = pl.DataFrame({"group": index.numbers, "rows": rows})
        return groups.select(
            "group", pl.lit(attribute).alias("attribute"), "rows", level, holds=level >= self.l
        )
