"""Exchanging values between rows, fed by a stream of random 32-bit words."""

from __future__ import annotations

import numpy as np

from anonagram.kernels.compiled import compiled
from anonagram.kernels.permute import draw


@compiled
def swap_near(middles, furthest, words, partner):
    """Pair positions of a sorted column at random, no two with middles further apart than allowed.

    From the lowest position up, each that is still alone takes one of the later ones that are alone
    and near enough, all with the same chance. Those are kept in a pool, so that a draw is one step.
    Writes each position's partner (itself where none was left); words used, or -1 if too few.
    """
    n = middles.size
    pool = np.empty(n, np.int32)
    place = np.empty(n, np.int32)
    size, end, cursor = 0, 0, 0
    for i in range(n):
        while end < n and middles[end] - middles[i] <= furthest:
            pool[size] = end
            place[end] = size
            size += 1
            end += 1
        if place[i] < 0:
            continue
        size -= 1  # i leaves the pool
        pool[place[i]] = pool[size]
        place[pool[size]] = place[i]
        place[i] = -1
        if size == 0:
            partner[i] = i
            continue
        pick, cursor = draw(words, cursor, size)
        if cursor < 0:
            return -1
        j = pool[pick]
        size -= 1
        pool[pick] = pool[size]
        place[pool[size]] = pick
        place[j] = -1
        partner[i] = j
        partner[j] = i
    return cursor


@compiled
def swap_pairs(codes, rows, group_of, result):
    """Exchange the codes of every two rows that follow each other in one group."""
    result[:] = codes
    i = 0
    while i + 1 < rows.size:
        one, two = rows[i], rows[i + 1]
        if group_of[one] != group_of[two]:
            i += 1
            continue
        result[one], result[two] = codes[two], codes[one]
        i += 2
