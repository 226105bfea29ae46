"""Fake values that let a group be generalized least: Zhang (2007, Algorithm 4), exactly.

Which values are fakes is never decided, only how many there are and which nodes come out.

What comes out of a node is settled by how many values go on to its children: `units` times their
weights. So many values m of a subtree with n own ones need m - n fakes in it, and no fewer than its
children need together; all else is free. So for every node and number of units the least sum of
ranges is a falling function of the fakes that may be needed, and two children are joined by the
best division of these. A larger number of units costs no more where there are fakes for it, and
each unit less costs its weight times the range: one comparison with the row before.

Units lie between those without any fake and those of a tree without bounds, and rows end where more
fakes no longer help, so work is that of the steps of these functions: at most about n t² for n
values and t fakes, and far less where values are near the target.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from anonagram.kernels.compiled import compiled
from anonagram.kernels.subdomains import Pushed, first_at_least


class Rows(NamedTuple):
    """For each node and number of units what any number of fakes costs; a row each, end to end."""

    first: Any
    """The number of the first row of a node."""
    least: Any
    """The units of that row."""
    starts: Any
    ends: Any
    costs: Any


class Plan(NamedTuple):
    """What comes out of each node, and how many fakes it takes."""

    count: Any
    fakes: int
    cost: float


@compiled
def place_fakes(counts, nodes, weights, ranges, most):
    """Generalize values, with at most so many fakes, so that the sum of ranges is least.

    `counts` are the values in each node of a tree in which no node has more than two children.
    """
    rows = _all_rows(counts, nodes, weights, ranges, most)
    best, fakes = np.inf, 0
    for added in range(most + 1):
        cost = _cost(rows, counts, nodes, weights, ranges, 0, counts[0] + added, added)
        if cost < best:
            best, fakes = cost, added
    count = _follow(rows, counts, nodes, weights, ranges, fakes)
    return Plan(count, fakes, best)


@compiled
def _all_rows(counts, nodes, weights, ranges, most):
    size = counts.size
    least, highest = _units_between(counts, nodes, weights, most)
    first = np.zeros(size + 1, np.int64)
    for node in range(size):
        first[node + 1] = first[node] + (highest[node] - least[node] + 1)
    starts = np.zeros(first[size], np.int64)
    ends = np.zeros(first[size], np.int64)
    costs = np.empty(4096, np.float64)
    used = 0
    row = np.empty(most + 1, np.float64)
    for node in range(size - 1, -1, -1):
        whole, left, right = _children(nodes, weights, node)
        for units in range(least[node], highest[node] + 1):
            number = first[node] + units - least[node]
            length = 1
            row[0] = 0.0
            if whole:
                rows = Rows(first, least, starts, ends, costs)
                length = _join(rows, counts, nodes, weights, ranges, left, right, units, row)
            if units > least[node]:
                before = costs[starts[number - 1] : ends[number - 1]]
                length = _or_fewer(row, length, before, whole * ranges[node])
            if used + length > costs.size:
                larger = np.empty(2 * (used + length), np.float64)
                larger[:used] = costs[:used]
                costs = larger
            costs[used : used + length] = row[:length]
            starts[number], ends[number] = used, used + length
            used += length
    return Rows(first, least, starts, ends, costs)


@compiled
def _or_fewer(row, length, before, behind):
    """The row, or where that is less the one before it and what stays behind; its new length."""
    longest = max(length, before.size)
    for j in range(longest):
        one = row[length - 1] if j >= length else row[j]
        row[j] = min(one, before[min(j, before.size - 1)] + behind)
    while longest > 1 and row[longest - 2] == row[longest - 1]:
        longest -= 1
    return longest


@compiled
def _children(nodes, weights, node):
    """The sum of the children's weights, and which they are."""
    if nodes.children[node] == 0:
        return 0, -1, -1
    left = nodes.first[node]
    return weights[left] + weights[left + 1], left, left + 1


@compiled
def _units_between(counts, nodes, weights, most):
    """The fewest units of each node, those without fakes, and the most, as if all were there."""
    low, high = np.zeros(counts.size, np.int64), np.zeros(counts.size, np.int64)
    fewest, largest = np.zeros(counts.size, np.int64), np.zeros(counts.size, np.int64)
    fewest[0], largest[0] = counts[0], counts[0] + most
    for node in range(counts.size):
        whole, left, right = _children(nodes, weights, node)
        if whole == 0:
            continue
        low[node], high[node] = fewest[node] // whole, largest[node] // whole
        for child in (left, right):
            if weights[child]:
                low[node] = min(low[node], counts[child] // weights[child])
                high[node] = min(high[node], (counts[child] + most) // weights[child])
        for child in (left, right):
            fewest[child], largest[child] = weights[child] * low[node], weights[child] * high[node]
    return low, high


@compiled
def _cost(rows, counts, nodes, weights, ranges, node, values, fakes):
    """The least sum of ranges of so many values of a subtree that needs at most so many fakes."""
    if values - counts[node] > fakes:
        return np.inf
    if values == 0:
        return 0.0
    whole = _children(nodes, weights, node)[0]
    if whole == 0:
        return 0.0
    units = min(values // whole, rows.least[node] + rows.first[node + 1] - rows.first[node] - 1)
    number = rows.first[node] + units - rows.least[node]
    place = min(rows.starts[number] + fakes, rows.ends[number] - 1)
    return rows.costs[place] + (values - units * whole) * ranges[node]


@compiled
def _join(rows, counts, nodes, weights, ranges, left, right, units, row):
    """The least cost of both children for any number of fakes; how long it keeps falling."""
    one = _row_of(rows, counts, nodes, weights, ranges, left, units * weights[left])
    two = _row_of(rows, counts, nodes, weights, ranges, right, units * weights[right])
    length = min(row.size, one.begin + two.begin + one.costs.size + two.costs.size - 1)
    row[:length] = np.inf
    for i in range(min(one.costs.size, length - one.begin - two.begin)):
        if i and one.costs[i] == one.costs[i - 1]:  # no step here: fewer fakes do the same
            continue
        here = row[one.begin + two.begin + i : length]
        for j in range(min(two.costs.size, here.size)):
            here[j] = min(here[j], one.costs[i] + two.costs[j])
    behind = one.behind + two.behind
    for j in range(length):
        row[j] += behind
        if j:
            row[j] = min(row[j], row[j - 1])
    return length


class Row(NamedTuple):
    """What fakes cost in a subtree."""

    begin: int
    """Fewer fakes cannot be."""
    costs: Any
    """From there on; more change nothing."""
    behind: float
    """What all of them cost more, since values stay at the node."""


@compiled
def _row_of(rows, counts, nodes, weights, ranges, node, values):
    begin = max(0, values - counts[node])
    whole = _children(nodes, weights, node)[0]
    if whole == 0 or values == 0:
        return Row(begin, np.zeros(1), 0.0)
    units = min(values // whole, rows.least[node] + rows.first[node + 1] - rows.first[node] - 1)
    number = rows.first[node] + units - rows.least[node]
    start = min(rows.starts[number] + begin, rows.ends[number] - 1)
    costs = rows.costs[start : rows.ends[number]]
    return Row(begin, costs, (values - units * whole) * ranges[node])


@compiled
def _follow(rows, counts, nodes, weights, ranges, fakes):
    """What comes out of each node of the best plan with so many fakes."""
    count = np.zeros(counts.size, np.int64)
    values, given = np.zeros(counts.size, np.int64), np.zeros(counts.size, np.int64)
    values[0], given[0] = counts[0] + fakes, fakes
    for node in range(counts.size):
        whole, left, right = _children(nodes, weights, node)
        units, x = 0, 0
        if whole and values[node]:
            units, x = _choose(
                rows, counts, nodes, weights, ranges, node, values[node], given[node]
            )
            values[left], given[left] = units * weights[left], x
            values[right], given[right] = units * weights[right], given[node] - x
        count[node] = values[node] - units * whole
    return count


@compiled
def _choose(rows, counts, nodes, weights, ranges, node, values, fakes):
    """The units that go on from a node, and how many fakes its left child may need."""
    whole, left, right = _children(nodes, weights, node)
    most = min(values // whole, rows.least[node] + rows.first[node + 1] - rows.first[node] - 1)
    best, chosen, given = np.inf, 0, 0
    for units in range(most, -1, -1):
        kept = (values - units * whole) * ranges[node]
        if kept >= best:
            break
        for x in range(fakes + 1):
            one = _cost(rows, counts, nodes, weights, ranges, left, units * weights[left], x)
            two = _cost(
                rows, counts, nodes, weights, ranges, right, units * weights[right], fakes - x
            )
            if one + two + kept < best:
                best, chosen, given = one + two + kept, units, x
        if units == rows.least[node]:
            break
    return chosen, given


@compiled
def push_with_fakes(codes, starts, nodes, weights, ranges, share):
    """Generalize the sorted codes of every group, each with fakes of at most a share of its rows.

    Nodes of a group come out from left to right, wider ones first.
    """
    size, groups = nodes.low.size, starts.size - 1
    room = codes.size + np.int64(np.ceil(codes.size * share)) + 1
    found = Pushed(np.empty(room, np.int32), np.empty(room, np.int32), np.empty(room, np.int32))
    order = _from_left(nodes)
    used = 0
    for group in range(groups):
        counts = np.zeros(size, np.int64)
        own = codes[starts[group] : starts[group + 1]]
        for node in range(size):
            begin = first_at_least(own, 0, own.size, nodes.low[node])
            counts[node] = first_at_least(own, begin, own.size, nodes.high[node]) - begin
        most = np.int64(np.floor(own.size * share + 1e-9))
        plan = place_fakes(counts, nodes, weights, ranges, most)
        for node in order:
            if plan.count[node]:
                found.group[used], found.node[used] = group, node
                found.count[used] = plan.count[node]
                used += 1
    return Pushed(found.group[:used], found.node[:used], found.count[:used])


@compiled
def _from_left(nodes):
    """The nodes from left to right, wider ones first."""
    order, stack = np.empty(nodes.low.size, np.int64), np.empty(nodes.low.size, np.int64)
    depth, used = 1, 0
    stack[0] = 0
    while depth:
        depth -= 1
        node = stack[depth]
        order[used] = node
        used += 1
        for child in range(nodes.first[node] + nodes.children[node] - 1, nodes.first[node] - 1, -1):
            if nodes.children[node]:
                stack[depth] = child
                depth += 1
    return order
