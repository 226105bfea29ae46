"""Counting the values inside each group."""

from __future__ import annotations

import numpy as np

from anonagram.kernels.compiled import compiled
from anonagram.kernels.permute import count_starts, sort_by_group


@compiled
def count_in_groups(codes, group_of, groups, cardinality):
    """Group, value and count of every value that occurs in a group, in the order of their codes.

    Not in the order of the rows: beside a table of the same rows, that order would tell whose value
    is whose.
    """
    rows = np.arange(codes.size).astype(np.int32)
    by_code = sort_by_group(rows, codes, count_starts(codes, cardinality))
    by_group = sort_by_group(by_code, group_of, count_starts(group_of, groups))
    group = np.empty(codes.size, np.int32)
    value = np.empty(codes.size, np.int32)
    count = np.empty(codes.size, np.int32)
    used = -1
    for q in range(codes.size):
        g, v = group_of[by_group[q]], codes[by_group[q]]
        if used < 0 or group[used] != g or value[used] != v:
            used += 1
            group[used], value[used], count[used] = g, v, 0
        count[used] += 1
    return group[: used + 1].copy(), value[: used + 1].copy(), count[: used + 1].copy()
