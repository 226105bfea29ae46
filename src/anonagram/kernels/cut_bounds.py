"""What groups of a set of cuts cost, and what they cost at least in every finer set."""

from __future__ import annotations

import numpy as np

from anonagram.kernels.compiled import compiled
from anonagram.kernels.lattice import GEOMETRIC, GROUPS, SQUARES


@compiled
def gains_at(p, level, k):
    """What is lost more of a row of each group of a level if it is suppressed."""
    at, groups, m, kind = p.places[level], p.groups[level], p.codes.shape[1], p.ladders.kind
    gains = np.zeros((groups, m if kind == GEOMETRIC else 1))
    for g in range(groups):
        rep, size = p.pool[at + g], p.pool[at + groups + g]
        if kind == SQUARES:
            gains[g, 0] = p.rows - max(k, float(size))
        elif kind != GROUPS:
            for i in range(m):
                here = p.ladders.losses[p.ladders.where[i, level] + p.codes[rep, i]]
                gains[g, i if kind == GEOMETRIC else 0] += p.ladders.most[i] - here
    return gains


@compiled
def add_terms(p, k, size, fewest, count, gain, smallest, of_head, sign, low, high):
    """Add what a group costs at least, and what it costs, to sums over groups.

    fewest of its rows must be suppressed; count groups of the finest are in it. gain is what all its
    rows would lose more if they were suppressed, smallest that of the row that loses least more.
    """
    kind = p.ladders.kind
    if kind == GROUPS:
        if fewest < size:
            low[0] += sign * min(float(count), np.floor(size / k))
        if fewest == 0:
            high[0] += sign
        return
    for c in range(low.size):
        if fewest >= size:
            low[c] += sign * gain[c]
        else:
            low[c] += sign * fewest * smallest[c]
        if kind == SQUARES:
            high[c] += sign * float(size) * (size if fewest == 0 else p.rows)
        elif fewest > 0:
            high[c] += sign * size * of_head[c]


@compiled
def combined_bound(p, level, k, terms):
    """What a sum of least terms says of the cost, where all cuts of a level are made."""
    kind, m = p.ladders.kind, p.codes.shape[1]
    if kind == GROUPS:
        published = p.rows if p.rule.is_kept else max(0, p.rows - p.rule.limit)
        may_be_last = 1.0 if p.rule.is_kept and p.rule.limit > 0 else 0.0
        return published / max(1.0, terms[0] + may_be_last)
    if kind == SQUARES:
        squares, at, groups = 0.0, p.places[level], p.groups[level]
        for g in range(groups):
            size = float(p.pool[at + groups + g])
            squares += size * max(k, size)
        return squares + terms[0]
    if kind == GEOMETRIC:
        product = 1.0
        for i in range(m):
            product *= 1.0 + (p.ladders.least[i, level] + terms[i]) / p.ladders.scale
        return product ** (1.0 / m) - 1.0
    return (p.ladders.least[:m, level].sum() + terms[0]) / p.ladders.scale
