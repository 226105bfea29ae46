"""How often a row's own value occurs in its group."""

from __future__ import annotations

import numpy as np

from anonagram.kernels.compiled import compiled


@compiled
def multiply_shares(codes, order, starts, cardinality, result):
    """Multiply each row's result by its value's share of the row's group.

    order lists the rows by group; result is by row.
    """
    counts = np.zeros(cardinality, np.int64)
    for g in range(starts.size - 1):
        first, last = starts[g], starts[g + 1]
        for i in range(first, last):
            counts[codes[order[i]]] += 1
        for i in range(first, last):
            result[order[i]] *= counts[codes[order[i]]] / (last - first)
        for i in range(first, last):
            counts[codes[order[i]]] = 0
