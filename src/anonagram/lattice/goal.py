"""What every group must keep, as tests that kernels run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from anonagram.kernels import goals
from anonagram.microdata import Column


class Test(NamedTuple):
    """A test of one column's values in a group, or of its size (column -1)."""

    kind: int
    column: int = -1
    first: float = 0.0
    second: float = 0.0
    grows: bool = False
    """Whether every group that contains one that passes does so too."""
    is_compared: bool = False
    """Whether values are compared with those of the whole table."""
    reach: NDArray[np.int32] | None = None
    """For each value the first such that a group with both reaches far enough."""
    paths: Sequence[Sequence[str]] | None = None
    """For each value its labels up to one that all have."""


def goal_of(tests: Sequence[Test], sensitive: Sequence[Column]) -> goals.Goal:
    """The tests beside what the whole table's values are."""
    offset = np.cumsum([0, *(column.cardinality for column in sensitive)])
    shares = [c.counts_in_table / c.counts_in_table.sum() for c in sensitive]
    reach = np.full(offset[-1], -1, np.int64)
    paths: list[NDArray[np.int32]] = []
    path_offset = np.zeros(len(sensitive) + 1, np.int64)
    heights = np.zeros(len(sensitive) + 1, np.int64)
    for test in tests:
        if test.reach is not None:
            begin = offset[test.column]
            reach[begin : begin + test.reach.size] = test.reach
        if test.paths is not None:
            path_offset[test.column] = sum(each.size for each in paths)
            climbed = _climbed(test.paths)
            heights[test.column] = len(climbed)
            paths += climbed
    return goals.Goal(
        np.array([test.kind for test in tests], np.int64),
        np.array([test.column for test in tests], np.int64),
        np.array([test.first for test in tests], np.float64),
        np.array([test.second for test in tests], np.float64),
        np.array([test.grows for test in tests], np.bool_),
        np.concatenate([np.empty(0), *shares]),
        offset.astype(np.int64),
        reach,
        np.concatenate([np.empty(0, np.int32), *paths]),
        path_offset,
        heights,
    )


def _climbed(paths: Sequence[Sequence[str]]) -> list[NDArray[np.int32]]:
    """For each level the label above each label below, in arrays as long as there are values."""
    below, climbed = np.arange(len(paths)), []
    for level in range(1, len(paths[0])):
        # a label counts together with all above it, so that two of one name stay two
        names = [repr(path[level:]) for path in paths]
        here = np.unique(names, return_inverse=True)[1]
        above = np.zeros(len(paths), np.int32)
        above[below] = here
        climbed.append(above)
        below = here
    return climbed
