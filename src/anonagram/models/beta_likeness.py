"""β-likeness: no value is much more frequent in a group than in the whole table."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

import polars as pl

from anonagram.calls import Above
from anonagram.kernels import goals
from anonagram.lattice.goal import Test
from anonagram.microdata import Column
from anonagram.models.compared import ROUNDING, levels_at_most, shares
from anonagram.models.model import GroupModel
from anonagram.release import WithGroups


@dataclass(frozen=True, repr=False)
class BetaLikeness(GroupModel, call="beta_likeness", example="beta_likeness(beta=1)"):
    """A value's share q of a group is at most (1 + β) times its share p of the table (Cao 2012).

    That is (q - p) / p ≤ β; enhanced, ≤ min(β, -ln p), which frequent values feel. The level is the
    largest (q - p) / p of a group, beyond all numbers where -ln p is already passed. The table is
    the whole original, also where rows were left out.

    >>> BetaLikeness(beta=1)
    beta_likeness(beta=1, kind="enhanced")
    """

    beta: Annotated[float, Above(0, 1e300)]
    kind: Literal["basic", "enhanced"] = "enhanced"
    less_is_stronger = True

    def tests(self, sensitive: Sequence[Column]) -> list[Test]:
        """For searches, of each sensitive column."""
        kind = goals.ENHANCED if self.kind == "enhanced" else goals.BASIC
        return [Test(kind, j, self.beta, is_compared=True) for j in range(len(sensitive))]

    def levels(self, release: WithGroups) -> pl.DataFrame:
        """The largest gain of a value, by group."""
        gain = pl.col("here") / pl.col("table") - 1
        if self.kind == "enhanced":
            too_far = gain > -pl.col("table").log() * (1 + ROUNDING) + ROUNDING
            gain = pl.when(too_far).then(math.inf).otherwise(gain)
        return pl.concat(
            levels_at_most(
                attribute,
                found.group_by("group").agg(pl.col("rows").first(), level=gain.max()),
                self.beta,
            )
            for attribute, found in shares(release)
        )
