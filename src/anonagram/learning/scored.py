"""How often the learner is right, for the protector, who knows whose value is whose."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonagram.learning.apart import Apart
from anonagram.learning.guesses import SUREST, Success
from anonagram.learning.learned import LEARNERS, Learned, learn
from anonagram.runtime.threads import in_threads
from anonagram.shown.wording import how_many

if TYPE_CHECKING:
    from anonagram.microdata import Column, Microdata
    from anonagram.release import GroupedRelease, WithGroups

ROWS = 20_000
"""A sample of whole groups is enough for two digits."""
AFFORDABLE = 100_000
"""Rows of a table of which every learner tries the sample; of more, which are made in a moment, one."""
MOST_CELLS = 1_000
"""Pairs of quasi-identifiers times values, of which the slower learners know a figure each: about a second
for each of them. With more they would take longer than all the rest."""
MOST_VALUES = 1_000
"""Of an amount with more values than this no model guesses the exact one; its order inside groups may."""


@dataclass(frozen=True)
class Scored:
    """What somebody gets right who knows a person's group and learns from all groups together."""

    column: str
    right: float
    surest: float
    """Of the people of whom he is surest."""
    by_group: float
    """What the most frequent value of a group would get."""
    alone: bool
    """Whether only the quickest learner tried; else the best of all counts."""
    tried: int
    """The rows that he learned from and that were guessed."""
    rows: int
    """All that were published."""

    def __str__(self) -> str:
        return (
            f"Somebody who knows a person's group and learns from all groups together guesses "
            f"{self.right:.0%} of {self.column} right, and {self.surest:.0%} for the {SUREST:.0%} of "
            f"people of whom he is surest; by the group alone it is {self.by_group:.0%}.{self._sampled()}"
        )

    def _sampled(self) -> str:
        """That others get more, where not all that there is was tried."""
        parts = (
            [f"from {self.tried:,} of {how_many(self.rows, 'row')}"]
            if self.tried < self.rows
            else []
        )
        parts += ["by the quickest learner alone"] if self.alone else []
        if not parts:
            return ""
        return f" That is {' and '.join(parts)}; anonagram attack lets all of them learn from all rows."


def score_learner(
    release: WithGroups, microdata: Microdata, places: NDArray[np.int64]
) -> list[Scored]:
    """For each sensitive column of not too many values; places: where each row was published."""
    found = []
    is_large = release.manifest.rows.published > AFFORDABLE
    columns = len(microdata.with_role("quasi"))
    pairs = columns * (columns + 1) // 2
    for column in microdata.with_role("sensitive"):
        if column.cardinality > MOST_VALUES:
            continue
        # a row that is nobody's has no truth
        truth = np.full(release.manifest.rows.published, -1, np.int32)
        truth[places] = column.codes
        alone = is_large or pairs * column.cardinality > MOST_CELLS
        learners = LEARNERS[:1] if alone else LEARNERS
        tried = [learn(release, column.name, ROWS, learner) for learner in learners]
        best = Success.best(_success(learned, column, truth) for learned in tried)
        counts = tried[0].counts
        most = np.maximum.reduceat(counts, tried[0].value_starts[:-1])
        by_group = float(most.sum() / counts.sum())
        sizes = tried[0].order.size, truth.size
        found.append(Scored(column.name, best.everybody, best.surest, by_group, alone, *sizes))
    return sorted(found, key=lambda each: -each.right)


def _success(learned: Learned, column: Column, truth: NDArray[np.int32]) -> Success:
    """How many of the people are right whose rows were learned from."""
    guess, belief = learned.likeliest()
    codes = column.codes_of(learned.domain.extend_constant(None, 1))
    rows = np.sort(learned.order)
    is_real = truth[rows] >= 0
    return Success.of((codes[guess] == truth[rows])[is_real], belief[is_real])


def score_apart(
    release: GroupedRelease, microdata: Microdata, group_of: NDArray[np.int64]
) -> list[Scored]:
    """The same where every column was rearranged by itself; group_of: the group of each person."""
    (name,) = release.manifest.named("sensitive")
    truth, counted = microdata.column(name), release.sensitive_counts()[name]
    if truth.cardinality > MOST_VALUES:
        return []
    below = np.cumsum(np.bincount(group_of)[1:])
    groups = int(np.searchsorted(below, min(ROWS, below[-1]))) + 1
    learned = Apart.of(release, groups)
    people = np.flatnonzero(group_of <= groups)
    counted = counted.filter(pl.col("group") <= groups).sort("group", "value", maintain_order=True)
    numbers, counts = counted["group"].to_numpy(), counted["count"].to_numpy()
    starts = np.searchsorted(numbers, np.arange(1, groups + 2))
    place = group_of[people] - 1
    widths = np.diff(starts)[place]
    begins = np.cumsum(widths) - widths
    person = np.repeat(people, widths)
    entry = np.repeat(starts[place] - begins, widths) + np.arange(person.size)
    codes = truth.codes_of(counted["value"])[entry]
    likely = np.log(counts[entry].astype(np.float64))
    quasi = microdata.with_role("quasi")
    tables = in_threads(
        lambda column: learned.likely(release, column, truth), [(c,) for c in quasi]
    )
    for column, table in zip(quasi, tables, strict=True):
        likely += table[column.codes[person], codes]
    likely = np.exp(likely - np.repeat(np.maximum.reduceat(likely, begins), widths))
    highest = likely == 1.0
    # of values as likely each is guessed in proportion
    right = np.add.reduceat(highest & (codes == truth.codes[person]), begins, dtype=np.float64)
    right /= np.add.reduceat(highest, begins, dtype=np.float64)
    success = Success.of(right, 1.0 / np.add.reduceat(likely, begins))
    most = np.maximum.reduceat(counts, starts[:-1])
    by_group, sizes = float(most.sum() / counts.sum()), (int(people.size), int(group_of.size))
    return [Scored(name, success.everybody, success.surest, by_group, False, *sizes)]
