"""Ours: small ranges, and rows that are close together in what is known of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anonagram.calls import require
from anonagram.errors import CannotAnonymize
from anonagram.kernels.close import split_blocks
from anonagram.key import Key
from anonagram.partition.by_value.min_sum import MinSum
from anonagram.partition.by_value.partitioner import (
    SensitiveNumbers,
    Sweep,
    ValuePartitioner,
    ticks_of,
)
from anonagram.partition.partition import Partition
from anonagram.partition.partitioner import attributes_of, side_by_side

MOST = 1_000_000
Split = tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.float64]]
"""Rows in their new order, where groups begin, and each block's fears."""


@dataclass(frozen=True, repr=False)
class CloseRows(ValuePartitioner, call="close_rows", example="close_rows(factor=2)"):
    """Groups whose ranges sum up to at most factor times the least sum, of rows close together.

    A query for a range of a quasi-identifier is uncertain only about groups that it touches in part;
    there are fewer of those when the rows of a group are close. Groups of the least sum are split
    across their widest quasi-identifier, at the median, while both halves are (k,e) and the sum of
    ranges stays within the factor; or first joined by as many neighbours as the factor allows, then
    split, where that promises narrower answers.
    """

    factor: float = 2

    def __post_init__(self) -> None:
        is_number = isinstance(self.factor, int | float) and not isinstance(self.factor, bool)
        require(
            is_number and 1 <= self.factor <= MOST,
            f"close_rows: factor must be a number from 1 to {MOST:,}, not {self.factor!r}.",
            self.example,
        )

    def divide(self, numbers: SensitiveNumbers, key: Key) -> Partition:
        """The least sum, then splits within each block of neighbouring groups."""
        if not numbers.microdata.with_role("quasi"):
            raise CannotAnonymize("close_rows needs a quasi-identifier.", 'partition="min_sum".')
        sweep = numbers.sweep(key)
        groups = np.append(MinSum().cut(sweep), sweep.rows.size)
        blocks = np.append(groups[: -1 : max(1, int(self.factor))], sweep.rows.size)
        apart, joined = self._split(sweep, groups, groups), self._split(sweep, groups, blocks)
        # where one block begins, among the groups of the least sum
        firsts = np.searchsorted(groups, blocks[:-1])
        prefers_joined = joined[2] < np.add.reduceat(apart[2], firsts)
        of_row = np.repeat(prefers_joined, np.diff(blocks))
        rows = np.where(of_row, joined[0], apart[0])
        starts = np.concatenate([joined[1][of_row[joined[1]]], apart[1][~of_row[apart[1]]]])
        return sweep.partition(np.sort(starts), key, rows)

    def _split(self, sweep: Sweep, groups: NDArray[np.int64], blocks: NDArray[np.int64]) -> Split:
        """Split blocks of neighbouring groups; one whose joining costs too much fears infinity."""
        numbers, x = sweep.numbers, sweep.x
        ranges = (x[groups[1:] - 1] - x[groups[:-1]]).astype(np.float64)
        allowed = self.factor * np.add.reduceat(ranges, np.searchsorted(groups, blocks[:-1]))
        budgets = allowed - (x[blocks[1:] - 1] - x[blocks[:-1]])
        quasi = numbers.microdata.with_role("quasi")
        rows = sweep.rows.copy()
        starts, fears = split_blocks(
            side_by_side([column.codes for column in quasi], rows),
            side_by_side([column.codes for column in numbers.columns], rows),
            rows, blocks, budgets, numbers.k, ticks_of(numbers.columns[0]),
            np.concatenate(numbers.reach), numbers.offsets, attributes_of(quasi),
        )  # fmt: skip
        return rows, starts, np.where(budgets < 0, np.inf, fears)
