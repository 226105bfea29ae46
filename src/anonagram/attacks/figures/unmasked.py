"""Columns and records that were left as they were, and whom they identify."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonagram.attacks.aligned import Aligned
from anonagram.attacks.figures.linkage import LEAST_PEOPLE, SURE, SURER, poisson_tail
from anonagram.attacks.figures.shares import Surest, surest_of

TOLERATED = 0.1
"""Where fewer matches are right, whoever believes one is nearly always wrong."""
LEFT_AS_IT_IS = 0.95
"""An attribute counts as unmasked where more than this share of its values did not move."""


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
    before, after = [], []
    for each in pair.attributes:
        last = each.original.places.size - 1
        same = each.same_codes
        is_missing = each.masked.codes == each.masked.places.size - 1
        before.append(each.original.codes.astype(np.int64))
        after.append(np.where(is_missing, last, same))
    return _alone(pair, tuple(each.name for each in pair.attributes), before, after)


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
