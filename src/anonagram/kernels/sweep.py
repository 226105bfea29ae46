"""Groups of neighbouring values, cut in one sweep over the sorted values (Zhang 2007, chapter 2).

Rows stand in the order of their values. A run of rows is good when it has k different values and
reaches e, that is, when its highest value's code is at least reach[lowest value's code]; whatever
contains a good run is good. So the last place where a good run that ends at row i can begin never
moves back as i grows, and the recurrences that look at all beginnings become running minima.
"""

from __future__ import annotations

import numpy as np

from anonagram.kernels.compiled import compiled


@compiled
def find_reach(ticks, k, e):
    """For each of the sorted different values the first one that is k - 1 further on and e higher.

    The number of values where there is none.
    """
    reach = np.empty(ticks.size, np.int32)
    other = 0
    for code in range(ticks.size):
        other = max(other, code + k - 1)
        while other < ticks.size and ticks[other] - ticks[code] < e:
            other += 1
        reach[code] = min(other, ticks.size)
    return reach


@compiled
def find_latest(codes, reach):
    """For every row the last beginning of a good run that ends there; -1 where there is none."""
    latest = np.empty(codes.size, np.int32)
    begin = -1
    for i in range(codes.size):
        while begin < i and reach[codes[begin + 1]] <= codes[i]:
            begin += 1
        latest[i] = begin
    return latest


@compiled
def hold_back(latest, codes, reach, k):
    """Move the latest beginnings back to where the run is good in another column too.

    The other column's codes come in the order of the sweep, so it needs the lowest, the highest and
    the number of different values in a moving window. Codes beyond reach's size are missing values.
    """
    low, high = np.empty(codes.size, np.int32), np.empty(codes.size, np.int32)
    low_first = low_end = high_first = high_end = 0
    counts, different = np.zeros(reach.size, np.int32), 0
    begin = -1  # the window after it is not good, or not known to be
    for i in range(codes.size):
        if codes[i] < reach.size:
            while low_end > low_first and codes[low[low_end - 1]] >= codes[i]:
                low_end -= 1
            low[low_end] = i
            low_end += 1
            while high_end > high_first and codes[high[high_end - 1]] <= codes[i]:
                high_end -= 1
            high[high_end] = i
            high_end += 1
            different += counts[codes[i]] == 0
            counts[codes[i]] += 1
        # rows from begin + 1 to i; while they are good, the next beginning is tried
        while begin < i:
            while low_first < low_end and low[low_first] <= begin:
                low_first += 1
            while high_first < high_end and high[high_first] <= begin:
                high_first += 1
            if different < k or low_first == low_end:
                break
            if reach[codes[low[low_first]]] > codes[high[high_first]]:
                break
            begin += 1
            if codes[begin] < reach.size:
                counts[codes[begin]] -= 1
                different -= counts[codes[begin]] == 0
        latest[i] = min(latest[i], begin)


@compiled
def cut_cheaply(x, latest, limit, most_groups):
    """Where each group begins: runs whose ranges have the least sum, and none is above the limit.

    Among those of the same sum, most groups; with most_groups it is the other way round. The sum up
    to row i is x[i] plus the least of (sum before d) - x[d]: a window moves over the beginnings d,
    and those that a later one beats are dropped.
    """
    size = x.size
    cost, groups = np.empty(size + 1, x.dtype), np.full(size + 1, -1, np.int32)
    begins = np.empty(size, np.int32)
    window = np.empty(size, np.int32)
    first = end = known = 0
    cost[0], groups[0] = 0, 0
    for i in range(size):
        while known <= latest[i]:
            if groups[known] >= 0:
                own = cost[known] - x[known]
                while end > first:
                    last = window[end - 1]
                    other = cost[last] - x[last]
                    if most_groups:
                        better = groups[last] > groups[known] or (
                            groups[last] == groups[known] and other < own
                        )
                    else:
                        better = other < own or (other == own and groups[last] > groups[known])
                    if better:
                        break
                    end -= 1
                window[end] = known
                end += 1
            known += 1
        while first < end and x[i] - x[window[first]] > limit:
            first += 1
        if first < end:
            begin = window[first]
            cost[i + 1] = x[i] + (cost[begin] - x[begin])
            groups[i + 1] = groups[begin] + 1
            begins[i] = begin
    return _walk_back(begins, groups[size])


@compiled
def _walk_back(begins, groups):
    starts = np.empty(groups, np.int64)
    end = begins.size
    for g in range(groups - 1, -1, -1):
        starts[g] = begins[end - 1]
        end = begins[end - 1]
    return starts


@compiled
def find_least_limit(x, latest):
    """The least possible range of the widest group.

    widest(i) is the least over beginnings d of max(widest before d, x[i] - x[d]). Kept beginnings
    have growing first terms and shrinking second ones; the best stands where they cross, and that
    place only moves on.
    """
    size = x.size
    widest, is_possible = np.empty(size + 1, x.dtype), np.zeros(size + 1, np.bool_)
    kept = np.empty(size, np.int32)
    first = end = known = 0
    widest[0], is_possible[0] = 0, True
    for i in range(size):
        while known <= latest[i]:
            if is_possible[known]:
                while end > first and widest[kept[end - 1]] >= widest[known]:
                    end -= 1
                kept[end] = known
                end += 1
            known += 1
        while end - first > 1 and x[i] - x[kept[first + 1]] >= widest[kept[first + 1]]:
            first += 1
        if first < end:
            best = max(widest[kept[first]], x[i] - x[kept[first]])
            if end - first > 1:
                best = min(best, widest[kept[first + 1]])
            widest[i + 1], is_possible[i + 1] = best, True
    return widest[size]


@compiled
def number_runs(runs, group_of):
    """Give the rows of each run its number."""
    for g in range(runs.starts.size - 1):
        for i in range(runs.starts[g], runs.starts[g + 1]):
            group_of[runs.rows[i]] = g


@compiled
def close_when_good(codes, needs, group_of):
    """Scan the rows and close a group as soon as it is spread enough; how many there are.

    codes has a row each person. What is left over joins the last group.
    """
    k, reach, offset = needs
    columns = codes.shape[1]
    seen = np.full(reach.size, -1, np.int32)
    low, high = np.empty(columns, np.int32), np.empty(columns, np.int32)
    different = np.zeros(columns, np.int32)
    group = first = 0
    for i in range(codes.shape[0]):
        group_of[i] = group
        is_good = True
        for j in range(columns):
            c = codes[i, j]
            values = offset[j + 1] - offset[j]
            if c < values:
                low[j] = min(low[j], c) if different[j] else c
                high[j] = max(high[j], c) if different[j] else c
                if seen[offset[j] + c] != group:
                    seen[offset[j] + c] = group
                    different[j] += 1
            if different[j] < k or reach[offset[j] + low[j]] > high[j]:
                is_good = False
        if is_good:
            group += 1
            first = i + 1
            different[:] = 0
    for i in range(first, codes.shape[0]):
        group_of[i] = group - 1
    return group
