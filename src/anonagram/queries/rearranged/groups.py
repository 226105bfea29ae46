"""The groups of a release as compiled passes need them: their sizes, and columns sorted inside."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonagram.kernels.hits import sum_in_groups
from anonagram.release.sheet import Sheet

LARGEST_SUM = 1 << 62
LARGEST_FLOAT = 1e150
"""Sums beyond this have squares that no float holds."""
SMALL = 1 << 31


class CannotCount(Exception):
    """The hits are better counted by the database."""


@dataclass(frozen=True)
class Values:
    """A column without missing values, sorted inside its groups."""

    starts: NDArray[Any]
    sums: NDArray[Any]
    """Group after group: the sum of its smallest 1, 2, … values."""
    means: NDArray[np.float64]
    spreads: NDArray[np.float64]
    """The variance of each group of N over N - 1."""
    sizes: NDArray[np.float64]
    """The sum of each group's absolute values, for rounding; empty for whole numbers."""

    @classmethod
    def sort(cls, groups: pl.Series, values: pl.Series, weights: pl.Series | None) -> Self:
        """Sort a column whose rows stand for as many people as their weights say."""
        if values.dtype == pl.Int128:
            raise CannotCount
        table = pl.DataFrame({"g": groups, "x": values})
        if weights is not None and weights.max() != 1:
            repeated = table.with_columns(pl.col("x").repeat_by(weights))
            table = repeated.explode("x")
        table = table.sort("g", "x")
        counts = group_sizes(table["g"].to_numpy())
        x = table["x"].to_numpy()
        is_whole = np.issubdtype(x.dtype, np.integer)
        if is_whole and float(np.abs(x.astype(np.float64)).max()) * x.size >= LARGEST_SUM:
            raise CannotCount
        x = x.astype(np.int64 if is_whole else np.float64)
        if not is_whole and float(np.abs(x).max()) * x.size > LARGEST_FLOAT:
            raise CannotCount
        firsts = np.concatenate([[0], np.cumsum(counts)[:-1]])
        means = np.add.reduceat(x, firsts) / counts
        starts = np.append(firsts, x.size)
        sums, sizes = sum_in_groups(x, starts), np.zeros(0)
        if not is_whole:
            sizes = np.add.reduceat(np.abs(x), firsts)
        else:
            sums = sums.astype(_smallest(sums))
        squares = np.add.reduceat((x - np.repeat(means, counts)) ** 2, firsts)
        spreads = squares / (counts * np.maximum(counts - 1, 1))
        starts = starts.astype(np.int32 if x.size < SMALL else np.int64)
        return cls(starts, sums, means, spreads, sizes)


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


class Groups:
    """The groups of a release; what was asked for once is kept."""

    def __init__(self, sheet: Sheet) -> None:
        self.sheet = sheet
        self._sorted: dict[str, Values] = {}

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """The rows of each group."""
        part = next(iter(self.sheet.parts.values()))
        return group_sizes(self.sheet.tables[part.table][self.sheet.group].to_numpy())

    def values(self, column: str) -> Values:
        """A column whose sums were asked for."""
        if column not in self._sorted:
            part = self.sheet.parts[self.sheet.part_of(column)]
            table, weight = self.sheet.tables[part.table], part.weight
            self._sorted[column] = Values.sort(
                table[self.sheet.group], table[column], None if weight is None else table[weight]
            )
        return self._sorted[column]
