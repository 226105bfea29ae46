"""δ-disclosure: no value is much more, or much less, frequent in a group than in the whole table."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import polars as pl

from anonagram.calls import Above
from anonagram.kernels import goals
from anonagram.lattice.goal import Test
from anonagram.microdata import Column
from anonagram.models.compared import shares
from anonagram.models.model import GroupModel
from anonagram.release import WithGroups


@dataclass(frozen=True, repr=False)
class DeltaDisclosure(GroupModel, call="delta_disclosure", example="delta_disclosure(delta=1)"):
    """|ln(q / p)| < δ for a value's share q of a group and p of the table (Brickell 2008).

    For every value of the table: a group without one of them is infinitely far, since who is in it
    is known not to have that value. The level is the largest |ln(q / p)|. The table is the whole
    original, also where rows were left out.

    >>> DeltaDisclosure(delta=1)
    delta_disclosure(delta=1)
    """

    in_words = (
        "no sensitive value is e^{delta} times more or less frequent in a group than in the table"
    )

    delta: Annotated[float, Above(0, 1e300)]
    less_is_stronger = True

    def tests(self, sensitive: Sequence[Column]) -> list[Test]:
        """For searches, of each sensitive column."""
        return [
            Test(goals.DISCLOSURE, j, self.delta, is_compared=True) for j in range(len(sensitive))
        ]

    def levels(self, release: WithGroups) -> pl.DataFrame:
        """How far the farthest value is, by group."""
        totals = release.sensitive_totals()
        far = (pl.col("here") / pl.col("table")).log().abs().max()
        return pl.concat(
            found.group_by("group")
            .agg(
                rows=pl.col("rows").first(),
                level=pl.when(pl.len() < totals[attribute].height).then(math.inf).otherwise(far),
            )
            .select(
                "group",
                pl.lit(attribute).alias("attribute"),
                "rows",
                "level",
                # strictly below, as it is defined
                (pl.col("level") < self.delta).alias("holds"),
            )
            for attribute, found in shares(release)
        )
