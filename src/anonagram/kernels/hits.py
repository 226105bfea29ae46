"""Bounds when the number of hits in each group is known."""

from __future__ import annotations

import numpy as np

from anonagram.kernels.compiled import compiled


@compiled
def count_hits(groups, keys, weights, hits):
    """Add the rows of each key and group (numbered from 1) to hits[key, group]."""
    if keys.size or weights.size:
        for i in range(groups.size):
            key = keys[i] if keys.size else 0
            hits[key, groups[i] - 1] += weights[i] if weights.size else 1
        return
    # neighbours are often of one group: taking rows from two places, no sum waits for the last
    half = groups.size // 2
    for i in range(half):
        hits[0, groups[i] - 1] += 1
        hits[0, groups[half + i] - 1] += 1
    if groups.size % 2:
        hits[0, groups[-1] - 1] += 1


@compiled
def sum_in_groups(x, starts):
    """Group after group: the sum of its first 1, 2, … values."""
    sums = np.empty_like(x)
    for g in range(starts.size - 1):
        running = x[starts[g]]
        sums[starts[g]] = running
        for i in range(starts[g] + 1, starts[g + 1]):
            running += x[i]
            sums[i] = running
    return sums


@compiled
def bound_counts(hits, others, sizes, first, end):
    """For each key, over groups first to end: people who meet the conditions of several parts.

    Gives the expected number, its variance, and the least and greatest number (Fréchet).
    """
    keys, parts = hits.shape[0], others.shape[0]
    expected, variance = np.zeros(keys), np.zeros(keys)
    low, high = np.zeros(keys, np.int64), np.zeros(keys, np.int64)
    for k in range(keys):
        for g in range(first, end):
            n = sizes[g]
            least = most = np.int64(hits[k, g])
            share = most / n
            pair = most * (most - 1.0)
            for j in range(parts):
                m = np.int64(others[j, g])
                least += m - n
                most = min(most, m)
                share *= m / n
                if n > 1:
                    pair *= m * (m - 1.0) / (n * (n - 1.0))
            if most == 0:
                continue
            low[k] += max(0, least)
            high[k] += most
            mean = n * share
            expected[k] += mean
            variance[k] += mean + pair - mean * mean
    return expected, variance, low, high


@compiled
def bound_sums(hits, starts, sums, means, spreads, sizes, low, high, first, end):
    """For each key, over groups first to end: hits, expected sum, its variance, sum of sizes.

    Least and greatest sums are added to low and high. `sums` holds, group after group, the sums of
    its smallest 1, 2, … values; the largest m have what the smallest N - m leave over. `spreads`
    are variances over N - 1.
    """
    keys = hits.shape[0]
    total = np.zeros(keys, np.int64)
    expected, variance, size = np.zeros(keys), np.zeros(keys), np.zeros(keys)
    for k in range(keys):
        count, least, most = 0, low[k], high[k]
        mean = spread = weight = 0.0
        for g in range(first, end):
            m = np.int64(hits[k, g])
            if m == 0:
                continue
            begin, stop = starts[g], starts[g + 1]
            count += m
            least += sums[begin + m - 1]
            most += sums[stop - 1]
            if m < stop - begin:
                most -= sums[stop - m - 1]
                spread += m * (stop - begin - m) * spreads[g]
            mean += m * means[g]
            if sizes.size:
                weight += sizes[g]
        total[k], expected[k], variance[k], size[k] = count, mean, spread, weight
        low[k], high[k] = least, most
    return total, expected, variance, size
