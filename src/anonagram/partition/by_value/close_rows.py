"""Ours: small ranges, and rows that are close together in what is known of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from anonagram.calls import Between
from anonagram.kernels.close import split_blocks
from anonagram.key import Key
from anonagram.partition.by_value.max_groups import MaxGroups
from anonagram.partition.by_value.min_sum import MinSum
from anonagram.partition.by_value.partitioner import (
    SensitiveNumbers,
    Sweep,
    ValuePartitioner,
)
from anonagram.partition.partition import Partition
from anonagram.partition.partitioner import attributes_of, side_by_side

MOST = 1_000_000


@dataclass(frozen=True, repr=False)
class CloseRows(ValuePartitioner, call="close_rows", example="close_rows(factor=2)"):
    """Groups whose ranges sum up to at most factor times the least sum, of rows close together.

    A query for a range of a quasi-identifier is uncertain only about groups that it touches in part;
    there are fewer of those when the rows of a group are close. The groups of `min_sum` (or those of
    `max_groups`, where their sum allows it) are split across their widest quasi-identifier, at the
    median, while both halves are (k,e) and the sum of ranges stays within the factor; or first
    joined by as many neighbours as the factor allows, where that promises narrower answers. (Where
    ranges do not matter, `neighbours` makes (k,e) groups of rows that are closer still.)
    """

    blind = False
    factor: Annotated[float, Between(1, MOST)] = 2

    def group(self, numbers: SensitiveNumbers, key: Key) -> Partition:
        """Begin with the least sum and with most groups, and keep what promises narrower answers."""
        sweep = numbers.sweep(key)
        if not sweep.is_possible:
            return numbers.one_group
        runs = [np.append(way.cut(sweep), sweep.rows.size) for way in (MinSum(), MaxGroups())]
        sums = [float(_ranges(sweep, groups).sum()) for groups in runs]
        allowed = self.factor * sums[0]
        splits = [
            _split_best(sweep, groups, allowed / total if total else 1.0)
            for groups, total in zip(runs, sums, strict=True)
            if total <= allowed
        ]
        closest = min(splits, key=lambda split: split.fears.sum())
        return sweep.partition(closest.starts, key, closest.rows)


@dataclass(frozen=True)
class _Split:
    rows: NDArray[np.int32]
    """The rows in their new order."""
    starts: NDArray[np.int64]
    """Where groups begin."""
    fears: NDArray[np.float64]
    """For each block the sum over its groups of rows x range x extent."""


def _ranges(sweep: Sweep, runs: NDArray[np.int64]) -> NDArray[np.float64]:
    ranges: NDArray[np.float64] = (sweep.x[runs[1:] - 1] - sweep.x[runs[:-1]]).astype(np.float64)
    return ranges


def _split_best(sweep: Sweep, groups: NDArray[np.int64], factor: float) -> _Split:
    """Split the groups, each by itself or as many joined as the factor allows, block by block."""
    blocks = np.append(groups[: -1 : max(1, int(factor))], sweep.rows.size)
    # where each block begins, among the groups
    firsts = np.searchsorted(groups, blocks[:-1])
    least = np.add.reduceat(_ranges(sweep, groups), firsts)
    joined = _split(sweep, blocks, factor * least - _ranges(sweep, blocks))
    apart = _split(sweep, groups, (factor - 1) * _ranges(sweep, groups))
    fears = np.add.reduceat(apart.fears, firsts)
    prefers_joined = joined.fears < fears
    of_row = np.repeat(prefers_joined, np.diff(blocks))
    starts = np.concatenate(
        [joined.starts[of_row[joined.starts]], apart.starts[~of_row[apart.starts]]]
    )
    return _Split(
        np.where(of_row, joined.rows, apart.rows),
        np.sort(starts),
        np.where(prefers_joined, joined.fears, fears),
    )


def _split(sweep: Sweep, blocks: NDArray[np.int64], budgets: NDArray[np.float64]) -> _Split:
    """Split blocks of rows within their budgets; one with less than nothing fears infinity."""
    numbers = sweep.numbers
    quasi = numbers.microdata.with_role("quasi")
    rows = sweep.rows.copy()
    splits = split_blocks(
        side_by_side([column.codes for column in quasi], rows),
        side_by_side([column.codes for column in numbers.columns], rows),
        rows, blocks, budgets, numbers.needs, sweep.ticks,
        attributes_of(quasi), max(column.cardinality for column in numbers.columns),
    )  # fmt: skip
    return _Split(rows, splits.starts, np.where(budgets < 0, np.inf, splits.fears))
