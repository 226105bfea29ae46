"""Entropy l-diversity: the values of every group are spread as evenly as over l equal ones."""

from __future__ import annotations

import math
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

DOUBTFUL = 1e-9
"""Closer to l than this (relatively), rounding could decide: those groups are decided exactly."""


@dataclass(frozen=True, repr=False)
class EntropyLDiversity(GroupModel, call="entropy_l_diversity", example="entropy_l_diversity(l=3)"):
    """The entropy of every group's values is at least ln l (Machanavajjhala et al. 2006).

    The level is exp(entropy). l equally frequent values have exactly the level l; so that rounding
    does not spoil it, groups that come close are decided with whole numbers.

    >>> EntropyLDiversity(l=4)
    entropy_l_diversity(l=4)
    """

    in_words = "the sensitive values of every group are spread as evenly as over {l} equal ones"

    l: Annotated[int, AtLeast(1)]
    counts_differing = True

    def tests(self, sensitive: Sequence[Column]) -> list[Test]:
        """For searches, of each sensitive column."""
        return [Test(goals.ENTROPY, j, self.l) for j in range(len(sensitive))]

    def levels(self, release: WithGroups) -> pl.DataFrame:
        """exp(entropy), by group."""
        # sorted, because a sum of floats depends on the order of its terms
        share = pl.col("count").sort() / pl.col("count").sum()
        levels = levels_by_attribute(release, (-(share * share.log()).sum()).exp(), self.l)
        near = (pl.col("level") / self.l - 1).abs() < DOUBTFUL
        if not levels.select(near.any()).item():
            return levels
        verdicts = _decide_exactly(release, levels.filter(near), self.l)
        decided = levels.join(verdicts, on=["group", "attribute"], how="left")
        return decided.select(
            "group",
            "attribute",
            "rows",
            pl.when(pl.col("exact")).then(float(self.l)).otherwise("level").alias("level"),
            pl.coalesce("exact", "holds").alias("holds"),
        )


def _decide_exactly(release: WithGroups, doubtful: pl.DataFrame, l: int) -> pl.DataFrame:
    """Whether entropy ≥ ln l, that is n^n ≥ l^n · Π c^c, for the doubtful groups.

    Groups with the same counts are decided once: there are few such patterns.
    """
    frames = []
    for attribute, counts in release.promised_counts().items():
        groups = doubtful.filter(pl.col("attribute") == attribute).select("group")
        patterns = (
            counts.join(groups, on="group", how="semi")
            .group_by("group")
            .agg(pl.col("count").cast(pl.Int64).sort().alias("pattern"))
            .group_by("pattern")
            .agg("group")
        )
        verdicts = [_is_entropy_diverse(pattern, l) for pattern in patterns["pattern"].to_list()]
        frames.append(
            patterns.with_columns(
                pl.Series("exact", verdicts, pl.Boolean), attribute=pl.lit(attribute)
            )
            .explode("group")
            .select("group", "attribute", "exact")
        )
    return pl.concat(frames)


def _is_entropy_diverse(counts: list[int], l: int) -> bool:
    shared = math.gcd(*counts)  # the same shares in the smallest whole numbers
    counts = [count // shared for count in counts]
    rows = sum(counts)
    return bool(rows**rows >= l**rows * math.prod(count**count for count in counts))
