"""How far the values of each group reach."""

from __future__ import annotations

import numpy as np

from anonagram.kernels.compiled import compiled


@compiled
def count_distinct(codes, order, starts, cardinality):
    """How many different codes each group has; order lists the rows by group."""
    seen_in = np.full(cardinality, -1, np.int64)
    result = np.zeros(starts.size - 1, np.int64)
    for g in range(starts.size - 1):
        for i in range(starts[g], starts[g + 1]):
            code = codes[order[i]]
            if seen_in[code] != g:
                seen_in[code] = g
                result[g] += 1
    return result


@compiled
def measure_spans(places, group_of, groups):
    """From lowest to highest place of each group, not a number where one is missing and one not."""
    low = np.full(groups, np.inf)
    high = np.full(groups, -np.inf)
    misses = np.zeros(groups, np.bool_)
    for i in range(places.size):
        g = group_of[i]
        if np.isnan(places[i]):
            misses[g] = True
            continue
        low[g] = min(low[g], places[i])
        high[g] = max(high[g], places[i])
    for g in range(groups):
        if low[g] > high[g]:
            low[g] = 0.0  # nothing but missing values
        elif misses[g]:
            low[g] = np.nan
        else:
            low[g] = high[g] - low[g]
    return low
