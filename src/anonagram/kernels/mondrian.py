"""Cutting a table where it is widest, again and again (LeFevre, DeWitt and Ramakrishnan 2006)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from anonagram.kernels.compiled import compiled
from anonagram.kernels.cuts import swap_rows
from anonagram.kernels.goals import passes_size, passes_values


class Cut(NamedTuple):
    """How columns are cut."""

    places: Any
    """Where each code lies from 0 to 1, column behind column; beyond 1 a missing one."""
    offset: Any
    is_strict: bool
    """Whether equal values stay together."""
    keys: Any
    """Of columns that are cut along a hierarchy: the label of each code at each level, from 0."""
    shares: Any
    """And which share of all values has that label."""
    where: Any
    """Where a column's level begins in both; -1 for columns that are cut at their median."""
    heights: Any


@compiled
def cut_all(goal, cut, codes, sensitive, rows, values):
    """Cut until nothing can be cut; codes, sensitive and rows are reordered.

    Returns where groups begin, and the level of each column in each group.
    """
    n, m = codes.shape
    first, last = np.zeros(64, np.int64), np.zeros(64, np.int64)
    levels = np.zeros((64, m), np.int16)
    last[0], levels[0], count = n, cut.heights, 1
    starts, found_levels, found = np.zeros(1024, np.int64), np.zeros((1024, m), np.int16), 0
    most_codes = 0
    for j in range(m):
        most_codes = max(most_codes, cut.offset[j + 1] - cut.offset[j])
    tally, scratch = np.zeros(most_codes + 2, np.int64), np.zeros(2 * values + 2)
    counts, touched = np.zeros(values + 1, np.int32), np.zeros(values + 1, np.int32)
    low, high, widths = np.zeros(m, np.int32), np.zeros(m, np.int32), np.zeros(m)
    bounds = np.zeros(most_codes + 2, np.int64)
    while count > 0:
        count -= 1
        a, b = first[count], last[count]
        here = levels[count].copy()
        _measure(cut, codes, a, b, here, low, high, widths)
        parts = 0
        while parts == 0:
            j = np.argmax(widths)
            if widths[j] <= 0.0:
                break
            widths[j] = -1.0
            if cut.where[j, 0] >= 0:
                parts = _by_label(cut, codes, sensitive, rows, a, b, j, here, tally, bounds)
            else:
                parts = _by_median(
                    cut.is_strict, codes, sensitive, rows, a, b, j, low[j], high[j], tally, bounds
                )
            for part in range(parts):
                if not _holds(
                    goal, sensitive, bounds[part], bounds[part + 1], counts, touched, scratch
                ):
                    parts = 0
                    break
            if parts and cut.where[j, 0] >= 0:
                here[j] -= 1
        if parts == 0:
            if found == starts.size:
                starts, found_levels = _longer(starts), _longer_levels(found_levels)
            starts[found], found_levels[found] = a, here
            found += 1
            continue
        while count + parts > first.size:
            first, last, levels = _longer(first), _longer(last), _longer_levels(levels)
        for part in range(parts):
            # what is cut next lies behind, so that groups are found from the end
            first[count], last[count] = bounds[part], bounds[part + 1]
            levels[count] = here
            count += 1
    return starts[:found], found_levels[:found]


@compiled
def _longer(array):
    longer = np.zeros(2 * array.size, array.dtype)
    longer[: array.size] = array
    return longer


@compiled
def _longer_levels(array):
    longer = np.zeros((2 * array.shape[0], array.shape[1]), array.dtype)
    longer[: array.shape[0]] = array
    return longer


@compiled
def _measure(cut, codes, a, b, levels, low, high, widths):
    """The lowest and highest code of each column, and how wide they are."""
    m = codes.shape[1]
    for j in range(m):
        low[j] = high[j] = codes[a, j]
    for i in range(a + 1, b):
        for j in range(m):
            c = codes[i, j]
            low[j] = min(low[j], c)
            high[j] = max(high[j], c)
    for j in range(m):
        if low[j] == high[j]:
            widths[j] = 0.0
        elif cut.where[j, 0] >= 0:
            widths[j] = 0.0 if levels[j] == 0 else cut.shares[cut.where[j, levels[j]] + low[j]]
        else:
            widths[j] = cut.places[cut.offset[j] + high[j]] - cut.places[cut.offset[j] + low[j]]


@compiled
def _by_median(is_strict, codes, sensitive, rows, a, b, j, low, high, tally, bounds):
    """Cut into what is not above the median and what is; where both parts begin and end."""
    half = (b - a) // 2
    median, below = _median(codes, a, b, j, low, high, half, tally)
    if is_strict:
        # the lower part ends with the median; with what is below it, if nothing were left above
        border = below if median == high else median
        i, k = a, b - 1
        while i <= k:
            if codes[i, j] <= border:
                i += 1
            else:
                swap_rows(codes, sensitive, rows, i, k)
                k -= 1
        middle = i
    else:
        middle = _at_half(codes, sensitive, rows, a, b, j, median, a + half)
    bounds[0], bounds[1], bounds[2] = a, middle, b
    return 2 if a < middle < b else 0


@compiled
def _median(codes, a, b, j, low, high, half, tally):
    """The code in the middle, and the highest one below it."""
    if high - low > 4 * (b - a):
        found = np.sort(codes[a:b, j])
        median, below = found[max(0, half - 1)], low
        for c in found:
            if c < median:
                below = c
        return median, below
    for i in range(a, b):
        tally[codes[i, j] - low] += 1
    reached, c, below = tally[0], 0, 0
    while reached < max(1, half):
        if tally[c] > 0:
            below = c
        c += 1
        reached += tally[c]
    for v in range(high - low + 1):
        tally[v] = 0
    return low + c, low + below


@compiled
def _at_half(codes, sensitive, rows, a, b, j, median, half):
    """Rows below the median, then equal ones, then those above: cut in the middle of them all."""
    i, low, high = a, a, b
    while i < high:
        c = codes[i, j]
        if c < median:
            swap_rows(codes, sensitive, rows, i, low)
            low += 1
            i += 1
        elif c > median:
            high -= 1
            swap_rows(codes, sensitive, rows, i, high)
        else:
            i += 1
    return half


@compiled
def _by_label(cut, codes, sensitive, rows, a, b, j, levels, tally, bounds):
    """Cut into the labels one level below."""
    where = cut.where[j, levels[j] - 1]
    parts, lowest, highest = 0, 1 << 30, -1
    for i in range(a, b):
        label = cut.keys[where + codes[i, j]]
        parts += tally[label] == 0
        tally[label] += 1
        lowest, highest = min(lowest, label), max(highest, label)
    # a number for each label that is there, and where its rows begin
    at, number = a, 0
    heads = np.empty(parts, np.int64)
    for label in range(lowest, highest + 1):
        if tally[label]:
            bounds[number] = heads[number] = at
            at += tally[label]
            tally[label] = number
            number += 1
    bounds[number] = b
    for part in range(parts):
        while heads[part] < bounds[part + 1]:
            i = heads[part]
            home = tally[cut.keys[where + codes[i, j]]]
            if home == part:
                heads[part] += 1
            else:
                swap_rows(codes, sensitive, rows, i, heads[home])
                heads[home] += 1
    for label in range(lowest, highest + 1):
        tally[label] = 0
    return parts


@compiled
def _holds(goal, sensitive, a, b, counts, touched, scratch):
    if not passes_size(goal, b - a):
        return False
    for j in range(sensitive.shape[1]):
        m = 0
        for i in range(a, b):
            c = sensitive[i, j]
            if counts[c] == 0:
                touched[m] = c
                m += 1
            counts[c] += 1
        often = np.empty(m, np.int32)
        for t in range(m):
            often[t] = counts[touched[t]]
            counts[touched[t]] = 0
        if not passes_values(goal, j, b - a, touched[:m], often, m, scratch):
            return False
    return True
