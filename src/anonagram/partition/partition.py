"""A division of the rows into groups, and the order in which it is published."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from anonagram.columns.recoding import inverse
from anonagram.kernels.permute import Runs, count_starts, order_runs, sort_by_group
from anonagram.key import Key


@dataclass(frozen=True)
class Partition:
    """Which group each row belongs to.

    >>> Partition(np.array([0, 1, 0], np.int32), 2).sizes.tolist()
    [2, 1]
    """

    group_of: NDArray[np.int32]
    """The group of each row, from 0."""
    count: int
    """How many groups there are."""
    runs: Runs | None = None
    """The rows in the order of their groups: saves sorting where known."""

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """The number of rows in each group."""
        return np.bincount(self.group_of, minlength=self.count)

    def arrange(self, key: Key, label: str, last: int | None = None) -> Arrangement:
        """Put the groups, and the rows inside each, into a random order; one may be the last.

        Groups are numbered at random and rows shuffled inside each of them, so neither numbers nor
        positions tell anything about the input's order. The label (the method's call) gives every
        method an order of its own: in the same order, the exact rows of one release would stand
        beside the sensitive values of another.
        """
        number = key.permutation(f"{label}/groups", self.count)
        if last is not None:
            number[number == self.count - 1] = number[last]
            number[last] = self.count - 1
        runs = self._sorted(number)
        return Arrangement(key.shuffle(f"{label}/rows", runs.rows, runs.starts), runs.starts)

    def _sorted(self, number: NDArray[np.int32]) -> Runs:
        """The rows by the new numbers of their groups."""
        if self.runs is not None:
            ordered: Runs = order_runs(self.runs, number)
            return ordered
        numbered = number[self.group_of]
        starts = count_starts(numbered, self.count)
        every = np.arange(self.group_of.size, dtype=np.int32)
        return Runs(sort_by_group(every, numbered, starts), starts)


@dataclass(frozen=True)
class Arrangement:
    """The published order: group g holds the input rows order[starts[g]:starts[g + 1]]."""

    order: NDArray[np.int32]
    starts: NDArray[np.int64]

    @cached_property
    def group_ids(self) -> NDArray[np.int32]:
        """The published group number, from 1, of each published row."""
        sizes = np.diff(self.starts)
        return np.repeat(np.arange(1, sizes.size + 1, dtype=np.int32), sizes)

    @cached_property
    def position_of(self) -> NDArray[np.int32]:
        """The published position of each input row: the secret mapping."""
        return inverse(self.order)
