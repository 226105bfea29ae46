"""What a known number of picks from each group can add up to.

Nodes stand in the order of their groups. Somebody picks so many of every group, which ones is not
known; or gives each of some values to a node of its own.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from anonagram.kernels.compiled import compiled


class Ends(NamedTuple):
    """The least and the most that is possible."""

    least: Any
    most: Any


class Reached(NamedTuple):
    """The most that values times weights can be, and the weights with which it is."""

    total: Any
    weight: Any


SMALL = 64
"""Groups up to this size are sorted by insertion, which needs no memory of its own."""


@compiled
def _sort_into(own, values, first, last):
    """Sort values[first:last] into the beginning of own, the lowest first."""
    if last - first > SMALL:
        own[: last - first] = np.sort(values[first:last])
        return
    for v in range(first, last):
        value, place = values[v], v - first
        while place > 0 and own[place - 1] > value:
            own[place] = own[place - 1]
            place -= 1
        own[place] = value


@compiled
def pick_sums(starts, low, high, picks):
    """The least sum of low and the most of high over that many nodes of each group."""
    least = most = 0.0
    own = np.empty((starts[1:] - starts[:-1]).max())
    for g in range(starts.size - 1):
        first, last = starts[g], starts[g + 1]
        if picks[g] == 0:
            continue
        _sort_into(own, low, first, last)
        for place in range(picks[g]):
            least += own[place]
        _sort_into(own, high, first, last)
        for place in range(last - first - picks[g], last - first):
            most += own[place]
    return Ends(least, most)


@compiled
def pick_hits(starts, low, high, picks):
    """For each group between how many of the nodes picked have a weight of at least 1."""
    least, most = np.zeros(picks.size, np.int64), np.zeros(picks.size, np.int64)
    for g in range(picks.size):
        sure = possible = 0
        for v in range(starts[g], starts[g + 1]):
            sure += low[v] > 0
            possible += high[v] > 0
        least[g] = max(0, picks[g] - (starts[g + 1] - starts[g] - sure))
        most[g] = min(picks[g], possible)
    return Ends(least, most)


@compiled
def match_most(value_starts, values, starts, low, high):
    """The most that values times weights can be, each value at a node of its own in its group.

    Values above 0 meet the largest weights that nodes can have, others the smallest: at worst both
    want the same node, and the true most is less.
    """
    total = weight = 0.0
    for g in range(starts.size - 1):
        first, last = value_starts[g], value_starts[g + 1]
        if first == last:
            continue
        own = np.sort(values[first:last])
        lows, highs = (
            np.sort(low[starts[g] : starts[g + 1]]),
            np.sort(high[starts[g] : starts[g + 1]]),
        )
        place = 0
        while place < own.size and own[place] < 0:
            total += own[place] * lows[place]
            weight += lows[place]
            place += 1
        for rank in range(own.size - place):
            heaviest = highs[highs.size - 1 - rank]
            total += own[own.size - 1 - rank] * heaviest
            weight += heaviest
    return Reached(total, weight)


@compiled
def pick_most(starts, gains, weights, picks):
    """The most that gains of nodes can be over that many nodes of each group, and their weights."""
    total = weight = 0.0
    for g in range(starts.size - 1):
        if picks[g] == 0:
            continue
        first = starts[g]
        order = np.argsort(gains[first : starts[g + 1]])
        for rank in range(picks[g]):
            chosen = first + order[order.size - 1 - rank]
            total += gains[chosen]
            weight += weights[chosen]
    return Reached(total, weight)


@compiled
def highest_matched(value_starts, ranks, starts, low, high):
    """Between which ranks the highest lies of values whose node has a weight; -1 where none can.

    A value is certain to have one where the nodes that may have none are too few for it and all
    higher ones.
    """
    least = most = -1
    lowest = -1
    for g in range(starts.size - 1):
        first, last = value_starts[g], value_starts[g + 1]
        if first == last:
            continue
        unsure = possible = 0
        for v in range(starts[g], starts[g + 1]):
            unsure += low[v] == 0
            possible += high[v] > 0
        if possible == 0:
            continue
        own = np.sort(ranks[first:last])
        most = max(most, own[own.size - 1])
        lowest = own[0] if lowest < 0 else min(lowest, own[0])
        if own.size > unsure:
            least = max(least, own[own.size - 1 - unsure])
    return Ends(least if least >= 0 else lowest, most)


@compiled
def highest_picked(starts, ranks, low, high, picks):
    """Between which ranks the highest lies of nodes that are picked and have a weight; -1: none."""
    least = most = -1
    lowest = -1
    for g in range(starts.size - 1):
        if picks[g] == 0:
            continue
        first, last = starts[g], starts[g + 1]
        sure = np.empty(last - first, np.int64)
        count = 0
        for v in range(first, last):
            if high[v] > 0:
                most = max(most, ranks[v])
                lowest = ranks[v] if lowest < 0 else min(lowest, ranks[v])
            if low[v] > 0:
                sure[count] = ranks[v]
                count += 1
        certain = picks[g] - (last - first - count)
        if certain > 0:
            least = max(least, np.sort(sure[:count])[certain - 1])
    return Ends(least if least >= 0 else lowest, most)


class Weighed(NamedTuple):
    """What the edges of each node come to, in the order of the nodes' places."""

    low: Any
    high: Any
    expected: Any
    none: Any
    """The chance that no edge of it counts."""
    all: Any
    """Every edge that is kept."""


@compiled
def weigh(starts, groups, edges, kept, shares):
    """How many of a node's edges lead to somebody picked: surely, possibly, expected.

    The edges of a node stand together, each with the group of its other end, of which a share is
    picked. Without any entry in `kept` all edges are kept.
    """
    nodes = starts.size - 1
    low, high, expected = np.zeros(nodes), np.zeros(nodes), np.zeros(nodes)
    none, every = np.ones(nodes), np.zeros(nodes)
    for v in range(nodes):
        sure = possible = total = 0
        likely, unhit = 0.0, 1.0
        for e in range(starts[v], starts[v + 1]):
            if kept.size > 0 and not kept[edges[e]]:
                continue
            share = shares[groups[e]]
            total += 1
            sure += share == 1.0
            possible += share > 0.0
            likely += share
            unhit *= 1.0 - share
        low[v], high[v], expected[v], none[v], every[v] = sure, possible, likely, unhit, total
    return Weighed(low, high, expected, none, every)


@compiled
def sort_in_groups(starts, values):
    """The values of each group, the lowest first."""
    ordered = np.empty(values.size)
    for g in range(starts.size - 1):
        _sort_into(ordered[starts[g] : starts[g + 1]], values, starts[g], starts[g + 1])
    return ordered


@compiled
def count_picks(groups, chosen, count):
    """How many of each group are chosen."""
    picks = np.zeros(count, np.int64)
    for row in range(groups.size):
        picks[groups[row]] += chosen[row]
    return picks


class PairEnds(NamedTuple):
    """Between which numbers the selected edges of each pair of groups are, put together."""

    least: Any
    most: Any
    left: Any
    """For each group of the left side: the largest least of all its pairs, as at least so many of
    its entities have an edge; and all that is possible."""
    right: Any


@compiled
def pair_bounds(left, right, between, left_picks, left_sizes, right_picks, right_sizes):
    """Bounds from each pair of groups: `between` edges, no two of which share a node."""
    least = most = 0
    left_least, left_most = np.zeros_like(left_picks), np.zeros_like(left_picks)
    right_least, right_most = np.zeros_like(right_picks), np.zeros_like(right_picks)
    left_missing, right_missing = left_sizes - left_picks, right_sizes - right_picks
    for p in range(left.size):
        g, h = left[p], right[p]
        high = min(left_picks[g], right_picks[h], between[p])
        low = between[p] - left_missing[g] - right_missing[h]
        # not all of the edges can be hit by those who are not picked
        if low > 0:
            least += low
            left_least[g] = max(left_least[g], low)
            right_least[h] = max(right_least[h], low)
        most += high
        left_most[g] += high
        right_most[h] += high
    return PairEnds(least, most, Ends(left_least, left_most), Ends(right_least, right_most))


@compiled
def cheapest(starts, costs, picks, most):
    """How many of the cheapest picks of each group cost 0, 1, …, most; costs stand in order."""
    found = np.zeros(most + 1, np.int64)
    for g in range(picks.size):
        for place in range(starts[g], starts[g] + picks[g]):
            found[int(costs[place])] += 1
    return found
