"""How often the learner is right, for the protector, who knows whose value is whose."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from anonagram.learning.guesses import SUREST, Success
from anonagram.learning.learned import learn

if TYPE_CHECKING:
    from anonagram.microdata import Microdata
    from anonagram.release import WithGroups

ROWS = 20_000
"""A sample of whole groups is enough for two digits."""
MOST_VALUES = 1_000
"""Of an amount with more values than this nobody guesses the exact one."""


@dataclass(frozen=True)
class Scored:
    """What somebody gets right who knows a person's group and learns from all groups together."""

    column: str
    right: float
    surest: float
    """Of the people of whom he is surest."""
    by_group: float
    """What the most frequent value of a group would get."""

    def __str__(self) -> str:
        return (
            f"Somebody who knows a person's group and learns from all groups together guesses "
            f"{self.right:.0%} of {self.column} right, and {self.surest:.0%} for the {SUREST:.0%} of "
            f"people of whom he is surest; by the group alone it is {self.by_group:.0%}."
        )


def score_learner(
    release: WithGroups, microdata: Microdata, places: NDArray[np.int64]
) -> list[Scored]:
    """For each sensitive column of not too many values; places: where each row was published."""
    found = []
    for column in microdata.with_role("sensitive"):
        if column.cardinality > MOST_VALUES:
            continue
        learned = learn(release, column.name, ROWS)
        guess, belief = learned.likeliest()
        # a row that is nobody's has no truth
        truth = np.full(release.manifest.rows.published, -1, np.int32)
        truth[places] = column.codes
        codes = column.codes_of(learned.domain.extend_constant(None, 1))
        rows = np.sort(learned.order)
        is_real = truth[rows] >= 0
        success = Success.of((codes[guess] == truth[rows])[is_real], belief[is_real])
        most = np.maximum.reduceat(learned.counts, learned.value_starts[:-1])
        by_group = float(most.sum() / learned.counts.sum())
        found.append(Scored(column.name, success.everybody, success.surest, by_group))
    return sorted(found, key=lambda each: -each.right)
