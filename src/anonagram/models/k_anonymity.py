"""k-anonymity: nobody's group is smaller than k."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import polars as pl

from anonagram.calls import AtLeast
from anonagram.models.model import GroupModel
from anonagram.release import WithGroups


@dataclass(frozen=True, repr=False)
class KAnonymity(GroupModel, call="k_anonymity", example="k_anonymity(k=3)"):
    """Every group has at least k rows (Samarati and Sweeney 1998).

    >>> KAnonymity(k=3)
    k_anonymity(k=3)
    """

    k: Annotated[int, AtLeast(1)]
    about_sensitive = False

    def levels(self, release: WithGroups) -> pl.DataFrame:
        """The size of each group."""
        return release.group_sizes().select(
            "group",
            pl.lit(None, pl.String).alias("attribute"),
            "rows",
            pl.col("rows").cast(pl.Float64).alias("level"),
            (pl.col("rows") >= self.k).alias("holds"),
        )
