"""(α,k)-anonymity: groups of k, and no value fills more than α of one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import polars as pl

from anonagram.calls import AtLeast, Between
from anonagram.kernels import goals
from anonagram.lattice.goal import Test
from anonagram.microdata import Column
from anonagram.models.compared import levels_at_most
from anonagram.models.model import GroupModel, Seen
from anonagram.release import Manifest, Release, WithGroups
from anonagram.shown.wording import how_many


@dataclass(frozen=True, repr=False)
class AlphaK(GroupModel, call="alpha_k", example="alpha_k(alpha=0.5, k=3)"):
    """At least k rows, of which a share of at most α has the same value (Wong et al. 2006).

    For every value of every sensitive column. The level is the highest share.

    >>> AlphaK(alpha=0.5, k=3)
    alpha_k(alpha=0.5, k=3)
    """

    alpha: Annotated[float, Between(0, 1)]
    k: Annotated[int, AtLeast(1)]
    less_is_stronger = True
    counts_differing = True

    def tests(self, sensitive: Sequence[Column]) -> list[Test]:
        """For searches, of the rows of a group and of each sensitive column."""
        shares = [Test(goals.MOST, j, self.alpha) for j in range(len(sensitive))]
        return [Test(goals.SIZE, first=self.k, grows=True), *shares]

    def levels(self, release: WithGroups) -> pl.DataFrame:
        """The share of the most frequent value, by group."""
        most = pl.col("count").max() / pl.col("count").sum()
        frames = [
            levels_at_most(
                attribute,
                counts.group_by("group").agg(rows=pl.col("count").sum(), level=most),
                self.alpha,
            )
            for attribute, counts in release.promised_counts().items()
        ]
        return pl.concat(frames).with_columns(pl.col("holds") & (pl.col("rows") >= self.k))

    def explain(self, seen: Seen, manifest: Manifest, shape: type[Release]) -> str:
        """The smallest group, which is the other half of the promise."""
        near = super().explain(seen, manifest, shape)
        return f"The smallest group has {how_many(seen.smallest, 'row')}. {near}".rstrip()
