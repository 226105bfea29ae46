"""Sums and extremes of the slots that people of a group can have: any so many of them.

A slot is a published subdomain. Slots of a group stand in ascending order of what they are worth,
each with how often it occurs.
"""

from __future__ import annotations

import numpy as np

from anonagram.kernels.compiled import compiled


@compiled
def sum_least(groups, fewest, most, starts, worth, counts, sums):
    """The least sum of any number of slots between two, for each group that is asked about."""
    for i in range(groups.size):
        taken, total = 0, sums[i]
        for slot in range(starts[groups[i]], starts[groups[i] + 1]):
            # beyond those that must be, only what makes the sum less
            last = most[i] if worth[slot] < 0 else fewest[i]
            here = min(counts[slot], last - taken)
            if here <= 0:
                break
            total += here * worth[slot]
            taken += here
        sums[i] = total
    return sums


@compiled
def find_least(groups, rank, starts, worth, counts):
    """What the slot of a rank, from 1, is worth in each group that is asked about."""
    found = np.empty(groups.size, worth.dtype)
    for i in range(groups.size):
        passed = 0
        for slot in range(starts[groups[i]], starts[groups[i] + 1]):
            passed += counts[slot]
            found[i] = worth[slot]
            if passed >= rank[i]:
                break
    return found


@compiled
def sum_least_above(groups, fewest, most, levels, starts, worth, sure, counts):
    """The least sum of how far slots lie above a level, for each group that is asked about.

    Slots stand in ascending order of their least value. One that is not sure may add nothing.
    """
    sums = np.zeros(groups.size)
    for i in range(groups.size):
        taken, idle, total = 0, 0, 0.0
        for slot in range(starts[groups[i]], starts[groups[i] + 1]):
            if worth[slot] < levels[i]:
                here = min(counts[slot], most[i] - taken)
                total += here * (worth[slot] - levels[i])
                taken += here
            elif not sure[slot]:
                idle += counts[slot]
        left = fewest[i] - taken - idle
        for slot in range(starts[groups[i]], starts[groups[i] + 1]):
            if left <= 0:
                break
            if sure[slot] and worth[slot] >= levels[i]:
                here = min(counts[slot], left)
                total += here * (worth[slot] - levels[i])
                left -= here
        sums[i] = total
    return sums
