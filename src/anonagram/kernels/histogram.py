"""Counting the values inside each group."""

from __future__ import annotations

import numpy as np

from anonagram.kernels.compiled import compiled


@compiled
def count_in_groups(codes, starts, cardinality):
    """Group, value and count of every value that occurs in a group.

    Codes come sorted by group; inside a group values are listed as they first occur.
    """
    groups = np.empty(codes.size, np.int32)
    values = np.empty(codes.size, np.int32)
    counts = np.empty(codes.size, np.int32)
    slot = np.full(cardinality, -1, np.int64)
    used = 0
    for g in range(starts.size - 1):
        first = used
        for i in range(starts[g], starts[g + 1]):
            v = codes[i]
            if slot[v] < first:
                slot[v] = used
                groups[used] = g
                values[used] = v
                counts[used] = 0
                used += 1
            counts[slot[v]] += 1
    return groups[:used].copy(), values[:used].copy(), counts[:used].copy()
