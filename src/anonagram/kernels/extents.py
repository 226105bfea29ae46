"""How far the values of each group reach."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from anonagram.kernels.compiled import compiled

Codes = NDArray[np.int32]
Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


def count_distinct(codes: Codes, order: Codes, starts: Ints, cardinality: int) -> Ints:
    """How many different codes each group has; order lists the rows by group."""
    result = np.zeros(starts.size - 1, np.int64)
    _count_distinct(codes, order, starts, np.full(cardinality, -1, np.int64), result)
    return result


def measure_spans(places: Floats, group_of: Codes, groups: int) -> Floats:
    """From lowest to highest place of each group, not a number where one is missing and one not."""
    low, high = np.full(groups, np.inf), np.full(groups, -np.inf)
    misses = np.zeros(groups, np.uint8)
    _find_ends(places, group_of, low, high, misses)
    has_none = low > high  # nothing but missing values
    low[has_none] = high[has_none] = 0.0
    return np.where(misses.astype(np.bool_) & ~has_none, np.nan, high - low)


# room is made in Python: to compile that would take longer than the rest
@compiled
def _count_distinct(codes, order, starts, seen_in, result):
    for g in range(starts.size - 1):
        for i in range(starts[g], starts[g + 1]):
            code = codes[order[i]]
            if seen_in[code] != g:
                seen_in[code] = g
                result[g] += 1


@compiled
def _find_ends(places, group_of, low, high, misses):
    for i in range(places.size):
        g, place = group_of[i], places[i]
        if place < low[g]:
            low[g] = place
        if place > high[g]:
            high[g] = place
        if place != place:
            misses[g] = 1
