"""The groups of a release as compiled passes need them: their sizes, and columns sorted inside."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonagram.kernels.hits import Sorted, sum_in_groups
from anonagram.release.sheet import Sheet

LARGEST_SUM = 1 << 62
LARGEST_FLOAT = 1e150
"""Sums beyond this have squares that no float holds."""
SMALL = 1 << 31


class CannotCount(Exception):
    """The hits are better counted by the database."""


@dataclass(frozen=True)
class Ranked:
    """A column sorted inside its groups, missing values last, a row for each person."""

    groups: pl.Series
    values: pl.Series
    starts: NDArray[np.int64]

    @classmethod
    def of(cls, groups: pl.Series, values: pl.Series, weights: pl.Series | None) -> Self:
        """Sort a column whose rows stand for as many people as their weights say."""
        table = pl.DataFrame({"g": groups, "x": values})
        if weights is not None and weights.max() != 1:
            table = table.with_columns(pl.col("x").repeat_by(weights)).explode("x")
        table = table.sort("g", "x", nulls_last=True, maintain_order=True)
        first = np.flatnonzero(np.diff(table["g"].to_numpy())) + 1
        return cls(table["g"], table["x"], np.concatenate([[0], first, [table.height]]))

    def counted(self, condition: pl.Series) -> NDArray[np.int32]:
        """In how many rows of each group a condition holds."""
        holds = condition.fill_null(value=False).cast(pl.Int32).to_numpy()
        return np.add.reduceat(holds, self.starts[:-1])

    def signs(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """How many values of each group are negative, and positive."""
        if not self.values.dtype.is_numeric():
            none = np.zeros(self.starts.size - 1, np.int32)
            return none, none
        return self.counted(self.values < 0), self.counted(self.values > 0)

    def summed(self) -> Sorted:
        """What sums of the column are bounded from, if it has no missing values."""
        if self.values.dtype == pl.Int128:
            raise CannotCount
        counts, x = np.diff(self.starts), self.values.to_numpy()
        is_whole = np.issubdtype(x.dtype, np.integer)
        largest = float(np.abs(x.astype(np.float64)).max()) * x.size
        if largest >= LARGEST_SUM if is_whole else largest > LARGEST_FLOAT:
            raise CannotCount
        x = x.astype(np.int64 if is_whole else np.float64)
        firsts = self.starts[:-1]
        means = np.add.reduceat(x, firsts) / counts
        sums, sizes = sum_in_groups(x, self.starts), np.zeros(0)
        if not is_whole:
            sizes = np.add.reduceat(np.abs(x), firsts)
        else:
            sums = sums.astype(_smallest(sums))
        squares = np.add.reduceat((x - np.repeat(means, counts)) ** 2, firsts)
        spreads = squares / (counts * np.maximum(counts - 1, 1))
        starts = self.starts.astype(np.int32 if x.size < SMALL else np.int64)
        return Sorted(starts, sums, means, spreads, sizes, *self.signs())


def _smallest(sums: NDArray[np.int64]) -> type[np.signedinteger[Any]]:
    """The shortest type that holds whole numbers: the less there is to read, the faster."""
    largest = int(np.abs(sums).max())
    return np.int16 if largest < 1 << 15 else np.int32 if largest < SMALL else np.int64


def group_sizes(groups: NDArray[Any]) -> NDArray[np.int64]:
    """The rows of groups that are numbered from 1 without a gap."""
    if groups.size == 0 or groups.min() != 1:
        raise CannotCount
    counts = np.bincount(groups)[1:].astype(np.int64)
    if (counts == 0).any():
        raise CannotCount
    return counts


def hit_type(sizes: NDArray[np.int64]) -> type[np.integer[Any]]:
    """A type that holds the hits of any group: none has more than rows."""
    return np.uint8 if sizes.max() < 256 else np.int32


class Groups:
    """The groups of a release; what was asked for once is kept."""

    def __init__(self, sheet: Sheet) -> None:
        self.sheet = sheet
        self._sorted: dict[str, Sorted] = {}

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """The rows of each group."""
        part = next(iter(self.sheet.parts.values()))
        return group_sizes(self.sheet.tables[part.table][self.sheet.group].to_numpy())

    def values(self, column: str) -> Sorted:
        """A column whose sums were asked for."""
        if column not in self._sorted:
            part = self.sheet.parts[self.sheet.part_of(column)]
            table, weight = self.sheet.tables[part.table], part.weight
            self._sorted[column] = Ranked.of(
                table[self.sheet.group], table[column], None if weight is None else table[weight]
            ).summed()
        return self._sorted[column]
