"""Counting the values inside each group."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from anonagram.kernels.compiled import compiled
from anonagram.kernels.permute import count_starts, sort_by_group

Ints = NDArray[np.int32]


class Histogram(NamedTuple):
    """Every value that occurs in a group, and how often."""

    group: Ints
    value: Ints
    rows: Ints


def count_in_groups(codes: Ints, group_of: Ints, groups: int, cardinality: int) -> Histogram:
    """Group, value and count of every value that occurs in a group, in the order of their codes.

    Not in the order of the rows: beside a table of the same rows, that order would tell whose value
    is whose.
    """
    rows = np.arange(codes.size, dtype=np.int32)
    by_code = sort_by_group(rows, codes, count_starts(codes, cardinality))
    by_group = sort_by_group(by_code, group_of, count_starts(group_of, groups))
    found = Histogram(*(np.empty(codes.size, np.int32) for _ in Histogram._fields))
    used = count_runs(codes, group_of, by_group, *found)
    return Histogram(*(each[:used].copy() for each in found))


@compiled
def count_runs(codes, group_of, order, group, value, count):
    """Write down group, value and length of every run of rows that share both; how many there are."""
    used = -1
    for q in range(order.size):
        g, v = group_of[order[q]], codes[order[q]]
        if used < 0 or group[used] != g or value[used] != v:
            used += 1
            group[used], value[used], count[used] = g, v, 0
        count[used] += 1
    return used + 1
