"""What partitioners that look at sorted sensitive numbers are given, and what they must give."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from anonagram.kernels.needs import Spread as SpreadNeed
from anonagram.kernels.permute import Runs, sort_by_group
from anonagram.kernels.sweep import find_latest, hold_back, number_runs
from anonagram.key import Key
from anonagram.microdata import Column, Microdata
from anonagram.partition.partition import Partition
from anonagram.partition.partitioner import Partitioner
from anonagram.partition.requirements import Spread
from anonagram.partition.requirements.spread import ticks_of

HUGE = 2.0**900


class ValuePartitioner(Partitioner):
    """A way to divide rows by their sensitive numbers.

    It is about the order of the values and about ranges, so it makes (k,e) groups only. The first
    sensitive column is the one whose ranges are kept small. Missing values count for nothing.
    """

    makes = (Spread,)
    blind = True

    def make(self, microdata: Microdata, requirement: Spread, key: Key) -> Partition:
        """Find out how far every value reaches, and group the numbers."""
        return self.group(SensitiveNumbers.of(microdata, requirement), key)

    @abstractmethod
    def group(self, numbers: SensitiveNumbers, key: Key) -> Partition:
        """The groups of a table."""


class SweepPartitioner(ValuePartitioner):
    """One whose groups are runs of neighbouring values."""

    def group(self, numbers: SensitiveNumbers, key: Key) -> Partition:
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
    requirement: Spread
    columns: Sequence[Column]
    needs: SpreadNeed
    """What kernels test of a group."""

    @classmethod
    def of(cls, microdata: Microdata, requirement: Spread) -> Self:
        """Find the reach of every value of every column."""
        columns = microdata.with_role("sensitive")
        return cls(microdata, requirement, columns, requirement.needs(columns))

    @property
    def reach(self) -> list[NDArray[np.int32]]:
        """For each column and value the first value such that a group with both can be good."""
        return np.split(self.needs.reach, self.needs.offset[1:-1])

    @property
    def k(self) -> int:
        """How many different values a group needs."""
        return self.requirement.k

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
        runs = Runs(rows, np.append(starts, rows.size))
        group_of = np.empty(rows.size + self.missing.size, np.int32)
        number_runs(runs, group_of)
        if not self.missing.size:
            return Partition(group_of, starts.size, runs)
        # rows without a value are dealt evenly, to groups in random order
        turn = key.permutation("partition/missing", starts.size)
        group_of[self.missing] = turn[np.arange(self.missing.size) % starts.size]
        return Partition(group_of, starts.size)
