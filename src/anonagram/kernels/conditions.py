"""Which rows and groups meet conditions on codes, for many questions one after the other."""

from __future__ import annotations

from anonagram.kernels.compiled import compiled


@compiled
def keep_between(codes, first, stop, mask):
    """Leave in the mask the rows whose code is at least first and below stop."""
    for i in range(codes.size):
        mask[i] &= (codes[i] >= first) & (codes[i] < stop)


@compiled
def sum_by_group(mask, weights, starts, totals):
    """How many rows of the mask each group has, each counted by its weight."""
    for g in range(starts.size - 1):
        total = 0
        if weights.size:
            for i in range(starts[g], starts[g + 1]):
                total += mask[i] * weights[i]
        else:
            for i in range(starts[g], starts[g + 1]):
                total += mask[i]
        totals[g] = total


@compiled
def reach_of_range(low, high, missing, places, first, stop, sizes, certain, possible, share):
    """Narrow what is certain, possible and expected by a condition on a published range of codes.

    The share is that of the values' range, `places` telling where each code lies; a group with
    missing values counts one of them.
    """
    a, b = places[first], places[stop - 1]
    for g in range(low.size):
        inside = low[g] >= 0 and first <= low[g] and high[g] < stop
        touched = low[g] >= 0 and high[g] >= first and low[g] < stop
        certain[g] &= inside and not missing[g]
        possible[g] &= touched
        part = 1.0 if inside else 0.0
        if touched and not inside:
            start, width = places[low[g]], places[high[g]] - places[low[g]]
            above = min(1.0, max(0.0, (b - start) / width)) if width > 0 else 0.5
            below = min(1.0, max(0.0, (a - start) / width)) if width > 0 else 0.5
            part = max(0.0, above - below)
        share[g] *= part * (1.0 - 1.0 / sizes[g] if missing[g] else 1.0)


@compiled
def reach_of_set(members, starts, first, stop, certain, possible, share):
    """The same for a published set: members, group after group, are codes."""
    for g in range(starts.size - 1):
        met = 0
        listed = starts[g + 1] - starts[g]
        for i in range(starts[g], starts[g + 1]):
            met += first <= members[i] < stop
        certain[g] &= met == listed
        possible[g] &= met > 0
        share[g] *= met / listed
