"""Columns and records that were left as they were, and whom they identify."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonagram.attacks.aligned import Aligned
from anonagram.attacks.figures.linkage import LEAST_PEOPLE, SURE, SURER, poisson_tail
from anonagram.attacks.figures.shares import Surest, percent, surest_of
from anonagram.shown.wording import how_many

TOLERATED = 0.1
"""Where fewer matches are right, whoever believes one is nearly always wrong."""
LEFT_AS_IT_IS = 0.95
"""An attribute counts as unmasked where more than this share of its values did not move."""


@dataclass(frozen=True)
class Unchanged:
    """People whose whole record stands as it was, beside how many it would be by chance."""

    people: int
    by_chance: float
    """How many, if masked records were dealt to people at random: many, where records repeat a lot."""
    alone: int
    """Of those who are as they were, how many nobody is like, neither before nor after."""
    of: int
    """How many people were looked at."""

    @property
    def sentence(self) -> str:
        """What is told of it."""
        stand = "stands as it was" if self.people == 1 else "stand as they were"
        told = (
            f"{self.people:,} of {how_many(self.of, 'record')} ({percent(self.people / self.of)}) {stand} "
            f"in all columns; by chance about {self.by_chance:,.1f} would."
        )
        return f"{told} {self.alone:,} of them nobody else has." if self.people else told


@dataclass(frozen=True)
class Unmasked:
    """What columns that were not masked tell by themselves, or records that were not."""

    columns: tuple[str, ...]
    is_alone: NDArray[np.bool_]
    """Who is alone with her values in these columns, before and after, and has them still."""
    claims: int
    """How many are alone with their values before, while one masked record alone has the same."""
    masked_rows: int
    surest: Surest
    """Of those matches the ones whose values are rarest, each by itself."""
    unchanged: Unchanged | None = None
    """Whole records that are as they were, where all columns were looked at."""

    @property
    def people(self) -> int:
        """How many people are identified."""
        return int(self.is_alone.sum())

    @property
    def identified(self) -> float:
        """The share of people who are."""
        return self.people / max(self.is_alone.size, 1)

    @property
    def is_exposed(self) -> bool:
        """Whether people are identified: enough such matches are right, and not by chance."""
        is_told = self.people > TOLERATED * self.claims or self.surest.is_mostly_right
        return is_told and self._by_chance < SURE

    @property
    def is_more_than_chance(self) -> bool:
        """Whether people have their values still whom nothing but missing masking explains.

        Among many who look alike nobody may be able to tell them.
        """
        return self.people >= LEAST_PEOPLE and self._by_chance < SURER

    @property
    def _by_chance(self) -> float:
        """The chance that so many are right where any of them is anybody's."""
        return poisson_tail(self.people, self.claims / max(self.masked_rows, 1))


def find_unmasked(pair: Aligned) -> Unmasked:
    """Columns whose values mostly did not move, and who is alone with them.

    >>> one = {"a": [1, 2, 2], "b": [1, 2, 3]}
    >>> found = find_unmasked(Aligned.read(one, {"a": [1, 2, 2], "b": [3, 1, 2]}, in_order=True))
    >>> found.columns, found.is_alone.tolist()
    (('a',), [True, False, False])
    """
    paired = slice(pair.paired)
    still = [
        j
        for j, each in enumerate(pair.attributes)
        if (each.original.ranks[paired] == each.mapped_ranks[paired]).mean() > LEFT_AS_IT_IS
    ]
    if not still:
        return Unmasked((), np.zeros(pair.paired, np.bool_), 0, pair.masked_rows, Surest(0, 0.0))
    kept = [pair.attributes[j] for j in still]
    tables = [each.original.ranks for each in kept], [each.mapped_ranks for each in kept]
    return _alone(pair, tuple(each.name for each in kept), *tables)


def find_untouched(pair: Aligned) -> Unmasked:
    """Who has the same record as before, and nobody else has it, neither before nor after.

    >>> rows = {"a": [1, 2, 2], "b": [1, 2, 3]}
    >>> found = find_untouched(Aligned.read(rows, {"a": [1, 2, 2], "b": [1, 3, 9]}, in_order=True))
    >>> found.is_alone.tolist(), found.claims
    ([True, False, False], 2)
    """
    before, after = _both(pair)
    found = _alone(pair, tuple(each.name for each in pair.attributes), before, after)
    return replace(found, unchanged=_unchanged(pair, before, after, int(found.is_alone.sum())))


def _both(pair: Aligned) -> tuple[list[NDArray[np.int64]], list[NDArray[np.int64]]]:
    """The values of every record before and after, as numbers that are equal where they are."""
    before, after = [], []
    for each in pair.attributes:
        last = each.original.places.size - 1
        is_missing = each.masked.codes == each.masked.places.size - 1
        before.append(each.original.codes.astype(np.int64))
        after.append(np.where(is_missing, last, each.same_codes))
    return before, after


def _unchanged(
    pair: Aligned, before: list[NDArray[np.int64]], after: list[NDArray[np.int64]], alone: int
) -> Unchanged:
    """Count records that equal their own image, and for chance those that equal anybody's."""
    people = slice(pair.paired)
    same = [one[people] == two[people] for one, two in zip(before, after, strict=True)]
    names = [str(place) for place in range(len(before))]
    counts = [
        pl.DataFrame(dict(zip(names, values, strict=True))).group_by(names).len()
        for values in ([one[people] for one in before], after)
    ]
    both = counts[0].join(counts[1], on=names, suffix="_masked")
    pairs = both.select(pl.col("len").cast(pl.Float64) * pl.col("len_masked")).sum().item()
    return Unchanged(
        int(np.logical_and.reduce(same).sum()), pairs / max(pair.masked_rows, 1), alone, pair.paired
    )


def _alone(
    pair: Aligned,
    columns: tuple[str, ...],
    before: list[NDArray[np.int64]],
    after: list[NDArray[np.int64]],
) -> Unmasked:
    """Who is alone with her values in some columns, and whose are alone in the masked table too."""
    names = [str(place) for place in range(len(columns))]
    sides = []
    for values in (before, after):
        table = pl.DataFrame(dict(zip(names, values, strict=True))).with_row_index("row")
        sides.append(
            table.group_by(names).agg(pl.col("row").first(), pl.len()).filter(pl.col("len") == 1)
        )
    both = sides[0].join(sides[1], on=names, suffix="_masked")
    rows = both["row"].to_numpy()
    right = (rows == both["row_masked"].to_numpy()) & (rows < pair.paired)
    is_alone = np.zeros(pair.paired, np.bool_)
    is_alone[rows[right]] = True
    surest = surest_of(_rarity(before, after, rows), right.astype(np.float64))
    return Unmasked(columns, is_alone, both.height, pair.masked_rows, surest)


def _rarity(
    before: list[NDArray[np.int64]], after: list[NDArray[np.int64]], rows: NDArray[np.int64]
) -> NDArray[np.float64]:
    """How rare the values of some rows are, taken together as if columns had nothing in common."""
    total = np.zeros(rows.size)
    for one, two in zip(before, after, strict=True):
        known, counts = np.unique(two, return_counts=True)
        found = np.searchsorted(known, one[rows])
        total += np.log(two.size / counts[np.minimum(found, known.size - 1)])
    return total
