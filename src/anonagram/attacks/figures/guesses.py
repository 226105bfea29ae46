"""How often the likeliest value is right: of everybody, and of those he is surest of."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonagram.learning import (
    POINTS,
    SUREST,
    Guesses,
    Success,
    Tried,
    excess,
    guess_released,
    guess_without,
)
from anonagram.microdata import Microdata
from anonagram.release import WithGroups

NEARLY_SURE = 0.9
"""Who is guessed right with more belief is given away by herself."""


@dataclass(frozen=True)
class ColumnGuesses:
    """What is guessed of one sensitive column with the release, without it, and by a group alone."""

    column: str
    tried: Tried
    """With the release, by each model that tried."""
    tried_without: Tried
    """By models of other people, who have no release."""
    in_group: float
    """How often somebody is right who takes the most frequent value of a person's group."""
    people: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))
    """Who was guessed, by their place in the original, where it was not everybody."""

    @property
    def learned(self) -> Success:
        """The best with the release."""
        return Success.best(each.success for each in self.tried)

    @property
    def without(self) -> Success:
        """The best without it."""
        return Success.best(each.success for each in self.tried_without)

    @property
    def best(self) -> Guesses:
        """The guesses of whoever gets most right of everybody."""
        return max(self.tried, key=lambda each: each.success.everybody)

    @property
    def baseline(self) -> float:
        """The better of the two who do not learn from the release."""
        return max(self.without.everybody, self.in_group)

    @property
    def gain(self) -> float:
        """How much more than allowed he guesses right, of everybody or of those he is surest of."""
        number, learned, without = self.places.size, self.learned, self.without
        surest = max(without.surest, self.in_group)
        return max(
            excess(learned.everybody, self.baseline, number),
            excess(learned.surest, surest, number * SUREST),
        )

    @property
    def may_gain(self) -> bool:
        """Whether he guesses better by more than is allowed, but may owe it to chance."""
        return self.gain <= 0 and self.learned.everybody - self.baseline > POINTS

    @property
    def places(self) -> NDArray[np.int64]:
        """Who was guessed."""
        return self.people if self.people.size else np.arange(self.tried[0].right.size)

    @property
    def exposed(self) -> NDArray[np.int64]:
        """Who is guessed right, and surely, by whoever gets most right of his surest."""
        surest = max(self.tried, key=lambda each: each.success.surest)
        is_given: NDArray[np.bool_] = (surest.right == 1) & (surest.belief > NEARLY_SURE)
        return self.places[is_given]


def guess_column(release: WithGroups, microdata: Microdata, column: str) -> ColumnGuesses:
    """Learn from the release, and guess everybody who is found in it by her quasi-identifiers."""
    return ColumnGuesses(
        column,
        guess_released(release, microdata, column),
        guess_without(microdata, column),
        most_in_group(release, column),
    )


def most_in_group(release: WithGroups, column: str) -> float:
    """How often the most frequent value of a group is right."""
    counts = release.sensitive_counts()[column]
    most = counts.group_by("group").agg(pl.col("count").max())
    return int(most["count"].sum()) / int(counts["count"].sum())


def bits_in_group(release: WithGroups, column: str) -> float:
    """How many bits of everybody's value somebody lacks who knows her group and nothing else."""
    counts = release.sensitive_counts()[column].select("group", pl.col("count").cast(pl.Float64))
    share = pl.col("count") / pl.col("count").sum().over("group")
    lacking = counts.select((-pl.col("count") * share.log(2)).sum() / pl.col("count").sum())
    return float(lacking.item())
