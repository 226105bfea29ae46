"""Whether a group keeps what was promised, tested on how often each value occurs in it.

Tests are numbers, so that one compiled form serves every conjunction of them. The models check what
is published by code of their own.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from anonagram.kernels.compiled import compiled

SIZE, DISTINCT, MOST, ENTROPY, RECURSIVE, EQUAL, ORDERED, TREE, BASIC, ENHANCED, DISCLOSURE, SPREAD = (
    range(12)
)  # fmt: skip
"""Kinds of tests."""
ROUNDING = 1e-12
"""As the models have it: a level this much beyond what is promised is what rounding made of it."""


class Goal(NamedTuple):
    """Tests, and what the whole table's values are."""

    kinds: Any
    columns: Any
    """The column that a test is about; of a test of sizes -1."""
    first: Any
    second: Any
    """Its numbers."""
    grows: Any
    """Whether every group that contains one that passes does so too."""
    shares: Any
    """Of each value in the table, column behind column."""
    offset: Any
    """Where each column's values begin, and the end."""
    reach: Any
    """For each value the first such that both reach far enough; missing ones never do."""
    paths: Any
    """For each column, level above the values and value: which label, from 0."""
    path_offset: Any
    heights: Any


@compiled
def passes_size(goal, size):
    """Whether a group passes the tests that look at its size alone."""
    for i in range(goal.kinds.size):
        if goal.kinds[i] == SIZE and size < goal.first[i]:
            return False
    return True


@compiled
def smallest_size(goal):
    """How many rows every group has at least."""
    least = 1.0
    for i in range(goal.kinds.size):
        if goal.kinds[i] == SIZE:
            least = max(least, np.ceil(goal.first[i]))
    return least


@compiled
def passes_values(goal, column, size, codes, counts, m, scratch):
    """Whether a group passes the tests of one column.

    codes[:m] occur counts[:m] times. scratch has room for all values, is 0 and stays so.
    """
    for i in range(goal.kinds.size):
        if goal.columns[i] != column:
            continue
        if not _passes(goal, i, column, size, codes, counts, m, scratch):
            return False
    return True


@compiled
def fewest_removed(goal, column, size, codes, counts, m, scratch):
    """At least so many rows of a group that fails must be left out before the rest can pass.

    Every test is passed by two groups together that pass it apart. So whatever a group is divided
    into, those parts of it that pass are together a group that passes, and fewer rows than this
    cannot be in the others.
    """
    fewest = 1.0
    for i in range(goal.kinds.size):
        if goal.columns[i] == column and not _passes(
            goal, i, column, size, codes, counts, m, scratch
        ):
            fewest = max(fewest, _fewest(goal, i, column, size, codes, counts, m))
    return np.int64(np.floor(fewest + ROUNDING))


@compiled
def _fewest(goal, i, column, size, codes, counts, m):
    kind, a, begin = goal.kinds[i], goal.first[i], goal.offset[column]
    if goal.grows[i]:
        return float(size)
    fewest = 1.0
    if kind == MOST:
        for j in range(m):
            fewest = max(fewest, _share_above(counts[j], size, a))
    elif kind == ENTROPY:
        fewest = _above_cap(a, size, counts, m)
    elif kind in (BASIC, ENHANCED):
        for j in range(m):
            share = goal.shares[begin + codes[j]]
            gain = a if kind == BASIC else min(a, -np.log(share))
            fewest = max(fewest, _share_above(counts[j], size, (1.0 + gain) * share))
    elif kind == DISCLOSURE:
        if m < goal.offset[column + 1] - begin:
            return float(size)
        for j in range(m):
            share = goal.shares[begin + codes[j]]
            fewest = max(fewest, size - counts[j] * np.exp(a) / share)
            fewest = max(fewest, _share_above(counts[j], size, np.exp(a) * share))
    elif kind == EQUAL:
        fewest = _too_uneven(a, size, goal.shares[begin:], codes, counts, m)
    elif kind == TREE:
        fewest = _too_uneven_above(goal, column, a, size, codes, counts, m)
    return fewest


@compiled
def _share_above(count, size, share):
    """Rows with a value that must go before its share is not too large."""
    if share >= 1.0:
        return 1.0
    return np.ceil((count - share * size) / (1.0 - share) - 1e-6)


@compiled
def _above_cap(l, size, counts, m):
    """Rows of frequent values that must go: entropy is largest where they are capped alike."""
    if m < l:
        return float(size)
    low, high = 0.0, 0.0
    for j in range(m):
        high = max(high, float(counts[j]))
    for _ in range(40):
        cap = (low + high) / 2
        rows, entropy = 0.0, 0.0
        for j in range(m):
            rows += min(counts[j], cap)
        for j in range(m):
            share = min(counts[j], cap) / rows
            entropy -= share * np.log(share)
        if entropy >= np.log(l) - ROUNDING:
            low = cap
        else:
            high = cap
    gone = 0.0
    for j in range(m):
        gone += max(0.0, counts[j] - high)
    return np.ceil(gone - 1e-6)


@compiled
def _too_uneven(t, size, shares, codes, counts, m):
    """The fewest r for which Σ min(count, share · (size - r)) ≥ (1 - t) · (size - r)."""
    low, high = 0.0, float(size)
    for _ in range(40):
        left = size - (low + high) / 2
        even = 0.0
        for j in range(m):
            even += min(float(counts[j]), shares[codes[j]] * left)
        if even >= (1.0 - t - ROUNDING) * left:
            high = size - left
        else:
            low = size - left
    return np.ceil(low - 1e-6)


@compiled
def _too_uneven_above(goal, column, t, size, codes, counts, m):
    """The same for the labels below the top, between which everything moves all the way."""
    begin, end = goal.offset[column], goal.offset[column + 1]
    values, height = end - begin, goal.heights[column]
    paths = goal.paths[goal.path_offset[column] :]
    shares, found = np.zeros(values), np.zeros(values)
    here = np.arange(values)
    for level in range(height - 1):
        for v in range(values):
            here[v] = paths[level * values + here[v]]
    for v in range(values):
        shares[here[v]] += goal.shares[begin + v]
    for j in range(m):
        found[here[codes[j]]] += counts[j]
    labels = np.flatnonzero(found)
    return _too_uneven(t, size, shares, labels, found[labels], labels.size)


@compiled
def _passes(goal, i, column, size, codes, counts, m, scratch):
    kind, a = goal.kinds[i], goal.first[i]
    begin, end = goal.offset[column], goal.offset[column + 1]
    if kind == DISTINCT:
        return m >= a
    if kind == MOST:
        most = 0
        for j in range(m):
            most = max(most, counts[j])
        return most <= a * size * (1.0 + ROUNDING)
    if kind == ENTROPY:
        entropy = 0.0
        for j in range(m):
            share = counts[j] / size
            entropy -= share * np.log(share)
        return entropy >= np.log(a) - ROUNDING
    if kind == RECURSIVE:
        return _is_recursive(a, int(goal.second[i]), counts, m)
    if kind == EQUAL:
        moved = 0.0
        for j in range(m):
            moved += max(0.0, counts[j] / size - goal.shares[begin + codes[j]])
        return moved <= a * (1.0 + ROUNDING) + ROUNDING
    if kind == ORDERED:
        moved = _moved_along(goal, begin, end, size, codes, counts, m, scratch)
        return moved <= a * (1.0 + ROUNDING) + ROUNDING
    if kind == TREE:
        moved = _moved_in_tree(goal, column, size, codes, counts, m)
        return moved <= a * (1.0 + ROUNDING) + ROUNDING
    if kind in (BASIC, ENHANCED):
        for j in range(m):
            share = goal.shares[begin + codes[j]]
            gain = counts[j] / size / share - 1.0
            if gain > a * (1.0 + ROUNDING) + ROUNDING:
                return False
            if kind == ENHANCED and gain > -np.log(share) * (1.0 + ROUNDING) + ROUNDING:
                return False
        return True
    if kind == DISCLOSURE:
        if m < end - begin:
            return False
        for j in range(m):
            share = counts[j] / size
            if abs(np.log(share / goal.shares[begin + codes[j]])) >= a:
                return False
        return True
    return _is_spread(goal, begin, end, a, codes, m)


@compiled
def _is_recursive(c, l, counts, m):
    ordered = np.sort(counts[:m])[::-1]
    tail = 0
    for j in range(l - 1, m):
        tail += ordered[j]
    return ordered[0] < c * tail * (1.0 - ROUNDING)


@compiled
def _is_spread(goal, begin, end, k, codes, m):
    low, high, different = end - begin, -1, 0
    for j in range(m):
        c = codes[j]
        if goal.reach[begin + c] >= 0:  # else it is missing
            different += 1
            low = min(low, c)
            high = max(high, c)
    return different >= k and goal.reach[begin + low] <= high


@compiled
def _moved_along(goal, begin, end, size, codes, counts, m, scratch):
    values = end - begin
    for j in range(m):
        scratch[codes[j]] = counts[j]
    reached, moved = 0.0, 0.0
    for v in range(values - 1):
        reached += scratch[v] / size - goal.shares[begin + v]
        moved += abs(reached)
    for j in range(m):
        scratch[codes[j]] = 0.0
    return moved / max(1, values - 1)


@compiled
def _moved_in_tree(goal, column, size, codes, counts, m):
    """At each label what is too much below meets what is too little, at the cost of its height."""
    begin, end = goal.offset[column], goal.offset[column + 1]
    values, height = end - begin, goal.heights[column]
    excess, above = np.empty(values), np.empty((2, values))
    for v in range(values):
        excess[v] = -goal.shares[begin + v]
    for j in range(m):
        excess[codes[j]] += counts[j] / size
    moved, labels = 0.0, values
    paths = goal.paths[goal.path_offset[column] :]
    for level in range(height):
        above[:] = 0.0
        most = 0
        for v in range(labels):
            p = paths[level * values + v]
            most = max(most, p)
            if excess[v] > 0:
                above[0, p] += excess[v]
            else:
                above[1, p] -= excess[v]
        for p in range(most + 1):
            moved += min(above[0, p], above[1, p]) * (level + 1) / height
            excess[p] = above[0, p] - above[1, p]
        labels = most + 1
    return moved
