"""m-uniqueness: every group has at least m sensitive values, and none of them twice."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import polars as pl

from anonagram.calls import AtLeast
from anonagram.models.model import GroupModel, levels_by_attribute
from anonagram.release import WithGroups


@dataclass(frozen=True, repr=False)
class MUniqueness(GroupModel, call="m_uniqueness", example="m_uniqueness(m=4)"):
    """At least m values in a group, all different (Xiao and Tao 2007, Definition 2).

    Then each is as likely as the others for everybody in the group, and the set of them, the group's
    signature, can be repeated in the next release. The level of a group with a value that occurs
    twice is 0.

    >>> MUniqueness(m=4)
    m_uniqueness(m=4)
    """

    in_words = "every group has at least {m} sensitive values, all different"

    m: Annotated[int, AtLeast(1)]

    def levels(self, release: WithGroups) -> pl.DataFrame:
        """How many values occur, by group, where none occurs twice."""
        values = pl.len().cast(pl.Float64)
        level = pl.when(pl.col("count").max() == 1).then(values).otherwise(0.0)
        return levels_by_attribute(release, level, self.m)
