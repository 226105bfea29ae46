"""How often the likeliest value is right: of everybody, and of those he is surest of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonagram.learning import learn, predict_others
from anonagram.microdata import Microdata
from anonagram.release import WithGroups

SUREST = 0.01
"""The share of people of whom an intruder is surest."""


@dataclass(frozen=True)
class Guesses:
    """Guesses of one sensitive column."""

    right: NDArray[np.bool_]
    belief: NDArray[np.float64]

    @property
    def share(self) -> float:
        """How many of them are right."""
        return float(self.right.mean())

    @property
    def surest(self) -> float:
        """How many of the surest are right; ties at the limit count in proportion.

        >>> Guesses(np.array([True, False, False]), np.array([0.9, 0.5, 0.5])).surest
        1.0
        """
        number = max(round(self.right.size * SUREST), 1)
        limit = np.partition(self.belief, -number)[-number]
        above, at = self.belief > limit, self.belief == limit
        rest = number - int(above.sum())
        return float((self.right[above].sum() + rest * self.right[at].mean()) / number)

    @classmethod
    def of(
        cls, guess: NDArray[np.int32], belief: NDArray[np.float64], truth: NDArray[np.int32]
    ) -> Self:
        """Compare guesses with the truth."""
        return cls(guess == truth, belief)


@dataclass(frozen=True)
class ColumnGuesses:
    """What is guessed of one sensitive column with the release, without it, and by a group alone."""

    column: str
    learned: Guesses
    without: Guesses
    """By a model of other people, who has no release."""
    in_group: float
    """How often somebody is right who takes the most frequent value of a person's group."""


def guess_column(release: WithGroups, microdata: Microdata, column: str) -> ColumnGuesses:
    """Learn from the release, and guess everybody who is found in it by her quasi-identifiers."""
    truth = microdata.column(column)
    learned = learn(release, column)
    people = _people(release, microdata)
    believed = _believed(learned.entries(), people)
    codes = truth.codes_of(learned.domain.extend_constant(None, 1))
    guess, belief = codes[believed["code"].to_numpy()], believed["chance"].to_numpy()
    return ColumnGuesses(
        column,
        Guesses.of(guess, belief, truth.codes),
        Guesses.of(*predict_others(microdata, column), truth.codes),
        _in_group(release, column),
    )


def _people(release: WithGroups, microdata: Microdata) -> pl.DataFrame:
    """Columns alike (people and rows with the same quasi-identifiers), row; and who is alike."""
    names = release.manifest.named("quasi")
    rows = release.tables["quasi"].select(names)
    both = pl.concat([rows, microdata.frame().select(names).cast(rows.schema)])
    return both.select(pl.struct(names).rank("dense").alias("alike")).with_row_index("row")


def _believed(entries: pl.DataFrame, people: pl.DataFrame) -> pl.DataFrame:
    """For each person, in the original's order, the likeliest code and what is believed of it.

    Rows that look like her are hers with the same chance.
    """
    published = people.height // 2
    rows = people.head(published).with_columns(pl.col("row").cast(pl.Int64))
    alike = rows.with_columns(pl.len().over("alike").alias("rows"))
    best = (
        entries.join(alike, on="row")
        .group_by("alike", "code")
        .agg((pl.col("chance") / pl.col("rows")).sum())
        .sort("chance", "code", descending=[True, False])
        .unique("alike", keep="first", maintain_order=True)
    )
    return people.tail(published).join(best, on="alike", how="left", maintain_order="left")


def _in_group(release: WithGroups, column: str) -> float:
    counts = release.sensitive_counts()[column]
    most = counts.group_by("group").agg(pl.col("count").max())
    return int(most["count"].sum()) / int(counts["count"].sum())
