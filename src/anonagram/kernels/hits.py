"""Bounds when the number of hits in each group is known."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from anonagram.kernels.compiled import compiled

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


class Reach(NamedTuple):
    """How far conditions reach into groups that are told as ranges; empty where none are."""

    certain: NDArray[np.bool_]
    possible: NDArray[np.bool_]
    share: Floats


class Sorted(NamedTuple):
    """A column without missing values, sorted inside its groups."""

    starts: NDArray[Any]
    sums: NDArray[Any]
    """Group after group: the sum of its smallest 1, 2, … values."""
    means: Floats
    spreads: Floats
    """The variance of each group of N over N - 1."""
    sizes: Floats
    """The sum of each group's absolute values, for rounding; empty for whole numbers."""
    negatives: NDArray[np.int32]
    positives: NDArray[np.int32]
    """How many values of each group are below and above 0."""


class Counts(NamedTuple):
    """People who meet conditions, for each key."""

    expected: Floats
    variance: Floats
    low: Ints
    high: Ints


class Sums(NamedTuple):
    """Sums of values among hits, for each key."""

    low: NDArray[Any]
    high: NDArray[Any]
    sure: Ints
    possible: Ints
    expected: Floats
    variance: Floats
    size: Floats


class Met(NamedTuple):
    """How many of a group's people meet conditions."""

    least: int
    most: int
    expected: float
    pairs: float
    """Pairs of people who both meet them, expected."""


class Taken(NamedTuple):
    """How many values of a group sums take."""

    few: int
    """By the least sum."""
    many: int
    """By the greatest."""


class Lines(NamedTuple):
    """Every number of hits in every group, line after line."""

    number: Ints
    least: Ints
    """Values, and no missing ones, that must be among the hits; and that can be."""
    most: Ints
    few: Ints
    """Values that the least sum takes; and the greatest."""
    many: Ints


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
def met_by(people):
    """So many of a group's people meet the conditions, for certain."""
    return Met(people, people, np.float64(people), people * (people - 1.0))


@compiled
def also(met, m, n):
    """Of a group's n people, how many meet conditions if m of them meet those of one more part.

    Least and most are Fréchet's bounds.
    """
    pairs = met.pairs
    if n > 1:
        pairs *= m * (m - 1.0) / (n * (n - 1.0))
    return Met(met.least + m - n, min(met.most, m), met.expected * (m / n), pairs)


@compiled
def within(met, certain, possible, share, n):
    """The same if the group is told as ranges, of which a share meets one more condition."""
    least, most = met.least - (0 if certain else n), met.most if possible else 0
    return Met(least, most, met.expected * share, met.pairs)


@compiled
def taken(least, most, negatives, positives):
    """How many values the least sum takes, and the greatest, if least to most are among the hits.

    What must be taken is; of what may be, whatever lowers (raises) the sum.
    """
    return Taken(min(max(negatives, least), most), min(max(positives, least), most))


@compiled
def bound_counts(hits, others, reach, sizes, first, end):
    """For each key, over groups first to end: people who meet the conditions of several parts.

    Gives the expected number, its variance (where nothing is told as ranges), and the least and
    greatest number.
    """
    keys, parts = hits.shape[0], others.shape[0]
    certain, possible, share = reach
    expected, variance = np.zeros(keys), np.zeros(keys)
    low, high = np.zeros(keys, np.int64), np.zeros(keys, np.int64)
    for k in range(keys):
        for g in range(first, end):
            n = sizes[g]
            met = met_by(np.int64(hits[k, g]))
            for j in range(parts):
                met = also(met, np.int64(others[j, g]), n)
            if share.size:
                met = within(met, certain[g], possible[g], share[g], n)
            if met.most == 0:
                continue
            low[k] += max(0, met.least)
            high[k] += met.most
            expected[k] += met.expected
            variance[k] += met.expected + met.pairs - met.expected * met.expected
    return Counts(expected, variance, low, high)


@compiled
def bound_sums(hits, others, reach, values, low, high, first, end):
    """For each key, over groups first to end, the sum of another part's values among the hits.

    Least and greatest sums are added to low and high. The largest m values have what the smallest
    N - m leave over. The variance is that of hits whose number is known.
    """
    keys, parts = hits.shape[0], others.shape[0]
    certain, possible, share = reach
    starts, sums, means, spreads, sizes, negatives, positives = values
    sure, can = np.zeros(keys, np.int64), np.zeros(keys, np.int64)
    expected, variance, size = np.zeros(keys), np.zeros(keys), np.zeros(keys)
    for k in range(keys):
        must, may, least_sum, greatest_sum = 0, 0, low[k], high[k]
        mean = spread = weight = 0.0
        for g in range(first, end):
            begin, stop = starts[g], starts[g + 1]
            n = np.int64(stop - begin)
            met = met_by(np.int64(hits[k, g]))
            for j in range(parts):
                met = also(met, np.int64(others[j, g]), n)
            if share.size:
                met = within(met, certain[g], possible[g], share[g], n)
            if met.most == 0:
                continue
            least, most = max(0, met.least), met.most
            few = many = most
            if least < most:
                few, many = taken(least, most, negatives[g], positives[g])
            if few > 0:
                least_sum += sums[begin + few - 1]
            if many > 0:
                greatest_sum += sums[stop - 1]
            if 0 < many < n:
                greatest_sum -= sums[stop - many - 1]
                spread += most * (n - most) * spreads[g]
            must += least
            may += most
            mean += met.expected * means[g]
            if sizes.size:
                weight += sizes[g]
        sure[k], can[k], low[k], high[k] = must, may, least_sum, greatest_sum
        expected[k], variance[k], size[k] = mean, spread, weight
    return Sums(low, high, sure, can, expected, variance, size)


@compiled
def every_hit(starts, present, negatives, positives):
    """For every number of hits in every group: which values may be among them, and are summed."""
    lines = starts[-1]
    number, least, most = (
        np.empty(lines, np.int64),
        np.empty(lines, np.int64),
        np.empty(lines, np.int64),
    )
    few, many = np.empty(lines, np.int64), np.empty(lines, np.int64)
    for g in range(starts.size - 1):
        holes = starts[g + 1] - starts[g] - present[g]
        for i in range(starts[g], starts[g + 1]):
            number[i] = i - starts[g] + 1
            least[i] = max(0, number[i] - holes)
            most[i] = min(number[i], present[g])
            few[i], many[i] = taken(least[i], most[i], negatives[g], positives[g])
    return Lines(number, least, most, few, many)
