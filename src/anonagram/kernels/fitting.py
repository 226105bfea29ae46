"""Which people fit what groups tell.

Ranges tell the codes of each group (group g of column j: from range_starts[j, g]); lists have, for each
code of the first column, the groups that can hold it, or are empty.
"""

from __future__ import annotations

import numpy as np

from anonagram.kernels.compiled import compiled


@compiled
def _fits(records, record, group, range_starts, low, high):
    for column in range(records.shape[1]):
        code, is_inside = records[record, column], False
        for place in range(range_starts[column, group], range_starts[column, group + 1]):
            if low[place] <= code <= high[place]:
                is_inside = True
                break
        if not is_inside:
            return False
    return True


@compiled
def _asked(records, record, list_starts, lists, groups):
    """The groups that may hold a record."""
    if list_starts.size == 0:
        return groups
    code = records[record, 0]
    return lists[list_starts[code] : list_starts[code + 1]]


@compiled
def count_fitting(records, times, list_starts, lists, range_starts, low, high, groups):
    """For each of the first groups: how many people it can hold; a record stands for several."""
    found = np.zeros(groups, np.int64)
    every = np.arange(groups, dtype=np.int32)
    for record in range(len(records)):
        for group in _asked(records, record, list_starts, lists, every):
            if group < groups and _fits(records, record, group, range_starts, low, high):
                found[group] += times[record]
    return found


@compiled
def add_fitting(records, list_starts, lists, range_starts, low, high, shares, lowest, highest):
    """For each record the sum of the shares of all groups that can hold it.

    Each group gets the lowest and the highest sum of the records that it can hold.
    """
    sums = np.zeros(len(records))
    every = np.arange(shares.size, dtype=np.int32)
    fitting = np.empty(shares.size, np.int32)
    for record in range(len(records)):
        count = 0
        for group in _asked(records, record, list_starts, lists, every):
            if _fits(records, record, group, range_starts, low, high):
                fitting[count] = group
                count += 1
                sums[record] += shares[group]
        for group in fitting[:count]:
            lowest[group] = min(lowest[group], sums[record])
            highest[group] = max(highest[group], sums[record])
    return sums


@compiled
def list_fitting(records, list_starts, lists, range_starts, low, high, groups):
    """For each record the groups that can hold it: where those of each begin, and which they are."""
    starts = np.zeros(len(records) + 1, np.int64)
    every = np.arange(groups, dtype=np.int32)
    for record in range(len(records)):
        starts[record + 1] = starts[record]
        for group in _asked(records, record, list_starts, lists, every):
            starts[record + 1] += _fits(records, record, group, range_starts, low, high)
    found = np.empty(starts[-1], np.int64)
    place = 0
    for record in range(len(records)):
        for group in _asked(records, record, list_starts, lists, every):
            if _fits(records, record, group, range_starts, low, high):
                found[place] = group
                place += 1
    return starts, found
