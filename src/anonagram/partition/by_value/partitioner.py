"""What every (k,e) partitioner is given, and what it must give."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonagram.calls import Call
from anonagram.columns.spans import ticks_for, to_ticks
from anonagram.errors import CannotAnonymize
from anonagram.kernels.permute import sort_by_group
from anonagram.kernels.sweep import find_latest, find_reach, hold_back, number_runs
from anonagram.key import Key
from anonagram.microdata import Column, Microdata
from anonagram.partition.feasibility import require_spread
from anonagram.partition.partition import Partition

LARGEST_SPAN = 2**62
HUGE = 2.0**900


class ValuePartitioner(Call, home="anonagram.partition.by_value"):
    """A way to divide rows by their sensitive numbers.

    Every group has k different values of each sensitive column, and they reach over e. The first
    sensitive column is the one whose ranges are kept small. Missing values count for nothing.
    """

    noun = "(k,e) partitioner"

    @abstractmethod
    def divide(self, numbers: SensitiveNumbers, key: Key) -> Partition:
        """The groups of a table."""


class SweepPartitioner(ValuePartitioner):
    """One whose groups are runs of neighbouring values."""

    def divide(self, numbers: SensitiveNumbers, key: Key) -> Partition:
        """Cut the sorted values; rows without one are dealt to the groups."""
        sweep = numbers.sweep(key)
        return sweep.partition(self.cut(sweep), key) if sweep.is_possible else numbers.one_group

    @abstractmethod
    def cut(self, sweep: Sweep) -> NDArray[np.int64]:
        """Where each group begins in the order of the sweep."""


@dataclass(frozen=True)
class SensitiveNumbers:
    """A table's sensitive numbers and what is asked of every group of them."""

    microdata: Microdata
    columns: Sequence[Column]
    k: int
    reach: Sequence[NDArray[np.int32]]
    """For each column and value the first value such that a group with both can be good."""

    @classmethod
    def of(cls, microdata: Microdata, k: int, e: Mapping[str, float]) -> Self:
        """Check that the table as a whole has what every group must have; e is in its units."""
        columns = microdata.with_role("sensitive")
        reach = []
        for column in columns:
            needed = ticks_for(e[column.name], column.domain.dtype)
            require_spread(column, k, e[column.name], needed)
            reach.append(find_reach(ticks_of(column), k, needed))
        return cls(microdata, columns, k, reach)

    @property
    def offsets(self) -> NDArray[np.int64]:
        """Where each column's part begins when all reaches stand behind each other."""
        return np.cumsum([0, *(each.size for each in self.reach)])

    def sweep(self, key: Key) -> Sweep:
        """The rows that have a value in the first column, lowest first; equal ones by chance."""
        first, *others = self.columns
        starts = np.concatenate([[0], np.cumsum(first.counts)])
        every = np.arange(self.microdata.rows, dtype=np.int32)
        ordered = key.shuffle("partition/ties", sort_by_group(every, first.codes, starts), starts)
        present = int(first.counts[: len(first.domain)].sum())
        rows, missing = ordered[:present], ordered[present:]
        codes = np.repeat(
            np.arange(len(first.domain), dtype=np.int32), first.counts[: len(first.domain)]
        )
        latest = find_latest(codes, self.reach[0])
        for column, reach in zip(others, self.reach[1:], strict=True):
            hold_back(latest, column.codes[rows], reach, self.k)
        ticks = ticks_of(first)
        if ticks.dtype == np.float64 and np.abs(ticks[[0, -1]]).max() > HUGE:
            ticks = ticks / HUGE  # so that ranges, and multiples of them, stay finite
        return Sweep(self, rows, missing, ticks, ticks[codes], latest)

    @property
    def one_group(self) -> Partition:
        """Everybody together, which is good whenever anything is."""
        return Partition(np.zeros(self.microdata.rows, np.int32), 1)


@dataclass(frozen=True)
class Sweep:
    """Rows in the order of their values, and where runs that are good can begin."""

    numbers: SensitiveNumbers
    rows: NDArray[np.int32]
    missing: NDArray[np.int32]
    """Rows without a value."""
    ticks: NDArray[Any]
    """The first column's values, lowest first."""
    x: NDArray[Any]
    """The value of each row."""
    latest: NDArray[np.int32]
    """The last beginning of a good run that ends at each row; -1 where there is none."""

    @property
    def is_possible(self) -> bool:
        """Whether the rows that have a first value are good together."""
        return bool(self.latest[-1] >= 0)

    @cached_property
    def whole(self) -> Any:
        """The range of all values together."""
        return self.x[-1] - self.x[0]

    def partition(
        self, starts: NDArray[np.int64], key: Key, rows: NDArray[np.int32] | None = None
    ) -> Partition:
        """The partition whose groups are runs of the rows, in the sweep's order or another."""
        rows = self.rows if rows is None else rows
        group_of = np.empty(rows.size + self.missing.size, np.int32)
        number_runs(starts, rows, group_of)
        if not self.missing.size:
            return Partition(group_of, starts.size, (rows, starts))
        # rows without a value are dealt evenly, to groups in random order
        turn = key.permutation("partition/missing", starts.size)
        group_of[self.missing] = turn[np.arange(self.missing.size) % starts.size]
        return Partition(group_of, starts.size)


def ticks_of(column: Column) -> NDArray[Any]:
    """A column's different values for computing with distances: ticks above the lowest, or floats."""
    ticks = to_ticks(column.domain)
    if ticks.dtype == pl.Float64:
        return ticks.to_numpy()
    if ticks[-1] - ticks[0] > LARGEST_SPAN:
        raise CannotAnonymize(
            f"The values of {column.name} are more than 2^62 steps apart.",
            "round them to fewer digits.",
        )
    above = pl.select(pl.lit(ticks) - pl.lit(ticks).first()).to_series()
    return above.cast(pl.Int64).to_numpy()
