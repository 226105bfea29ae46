"""Which rows of a published table belong together, for passes over groups."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Self

import numpy as np
import polars as pl
from numpy.typing import NDArray

if TYPE_CHECKING:
    from anonagram.kernels.histogram import Histogram

DENSE = 4
"""Numbers of groups that spread over no more than so many times the rows are looked up by place."""


@dataclass(frozen=True)
class GroupIndex:
    """The groups of a table in the order of their numbers, and the place of every row's group.

    >>> index = GroupIndex.of(pl.Series([7, 3, 7]))
    >>> index.numbers.to_list(), index.group_of.tolist(), index.sizes.tolist()
    ([3, 7], [1, 0, 1], [1, 2])
    """

    numbers: pl.Series
    group_of: NDArray[np.int32]
    is_in_order: bool = False
    """Whether rows stand by group."""

    @classmethod
    def of(cls, groups: pl.Series) -> Self:
        """Find the groups of rows that have these numbers."""
        found = groups.to_numpy()
        if not found.size:
            return cls(groups, found.astype(np.int32))
        if (found[1:] >= found[:-1]).all():  # as tables are published
            begins = np.append(True, found[1:] != found[:-1])
            group_of = np.cumsum(begins, dtype=np.int32) - np.int32(1)
            return cls(pl.Series(found[begins], dtype=groups.dtype), group_of, is_in_order=True)
        low, high = int(found.min()), int(found.max())
        if high - low >= DENSE * found.size:
            numbers, places = np.unique(found, return_inverse=True)
            return cls(pl.Series(numbers, dtype=groups.dtype), places.astype(np.int32))
        is_there = np.zeros(high - low + 1, np.bool_)
        is_there[found - low] = True
        numbers = np.flatnonzero(is_there)
        place = (np.cumsum(is_there) - 1).astype(np.int32)
        return cls(pl.Series(numbers + low).cast(groups.dtype), place[found - low])

    @cached_property
    def starts(self) -> NDArray[np.int64]:
        """Where each group begins once rows are sorted by group, and the end of the last."""
        from anonagram.kernels.permute import count_starts

        starts: NDArray[np.int64] = count_starts(self.group_of, len(self.numbers))
        return starts

    @cached_property
    def order(self) -> NDArray[np.int32]:
        """The rows by group."""
        from anonagram.kernels.permute import sort_by_group

        rows = np.arange(self.group_of.size, dtype=np.int32)
        if self.is_in_order:
            return rows
        order: NDArray[np.int32] = sort_by_group(rows, self.group_of, self.starts)
        return order

    def count(self, codes: NDArray[np.int32], cardinality: int) -> Histogram:
        """How often each code occurs in each group, groups as their places in the index."""
        from anonagram.kernels.histogram import count_in_groups

        return count_in_groups(codes, self.group_of, len(self.numbers), cardinality)

    def sums(self, numbers: NDArray[np.int64]) -> NDArray[np.int64]:
        """The sum of the rows' numbers in each group."""
        return np.add.reduceat(self._by_group(numbers), self.starts[:-1], dtype=np.int64)

    def most(self, numbers: NDArray[np.int64]) -> NDArray[np.int64]:
        """The largest of the rows' numbers in each group."""
        return np.maximum.reduceat(self._by_group(numbers), self.starts[:-1])

    def _by_group(self, numbers: NDArray[np.int64]) -> NDArray[np.int64]:
        return numbers if self.is_in_order else numbers[self.order]

    @property
    def sizes(self) -> NDArray[np.int64]:
        """The rows of each group."""
        return np.diff(self.starts)
