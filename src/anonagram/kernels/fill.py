"""Making groups of neighbours inside a small run of rows."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from anonagram.kernels.compiled import compiled, in_place

TAKEN_FIRST = 1e6
OTHER_VALUE = 1.5
"""A second value of a nominal attribute costs two shares of its domain, a third one more."""


class Nearest(NamedTuple):
    """Room for what is found about the sensitive values of a node."""

    values: Any
    """Those that have free rows."""
    rows: Any
    """For each value its free row nearest to the seed."""
    near: Any
    """How near that is."""


class Merged(NamedTuple):
    """Groups that were joined."""

    number: Any
    """The new number of each old group."""
    groups: int


class Scales(NamedTuple):
    """How far apart codes are."""

    is_nominal: Any
    position: Any
    offset: Any
    """As `Attributes` has them."""
    other: Any
    """What another value of a nominal attribute costs."""


@in_place
def distance(codes, i, k, scales):
    """How much wider a group gets, about, when it holds both rows."""
    is_nominal, position, offset, other = scales
    total = 0.0
    for j in range(codes.shape[1]):
        one, two = codes[i, j], codes[k, j]
        # without a branch where values are nominal: whether they differ cannot be foreseen
        if is_nominal[j]:
            total += other[j] * (one != two)
        elif one != two:
            total += abs(position[offset[j] + one] - position[offset[j] + two])
    return total


@in_place
def find_farthest(codes, first, last, group, seed, scales):
    """The free row farthest from a row."""
    farthest, most = -1, -1.0
    for i in range(first, last):
        if group[i] < 0:
            far = distance(codes, i, seed, scales)
            if far > most:
                farthest, most = i, far
    return farthest


@in_place
def rank_values(codes, sensitive, first, last, group, seed, groups, scales, counts, found):
    """For each sensitive value its free row nearest to the seed; how many values there are.

    Values that every group still to be made needs come before all others, and the seed's own first.
    """
    values, nearest, near = found
    total = 0
    for i in range(first, last):
        if group[i] >= 0:
            continue
        v = sensitive[i, 0]
        away = distance(codes, i, seed, scales)
        if i == seed:
            away = -1.0
        if counts[v] > 0:  # met for the first time: its count is negative until all are met
            counts[v] = -counts[v]
            values[total] = v
            total += 1
            nearest[v], near[v] = i, away
        elif away < near[v]:
            nearest[v], near[v] = i, away
    for q in range(total):
        v = values[q]
        counts[v] = -counts[v]
        if counts[v] == groups:
            near[v] -= TAKEN_FIRST
    return total


@in_place
def select_nearest(values, near, total, size):
    """Bring the size nearest of the values to the front (Hoare's selection)."""
    first, last = 0, total - 1
    while first < last:
        pivot = near[values[(first + last) // 2]]
        i, k = first, last
        while i <= k:
            while near[values[i]] < pivot:
                i += 1
            while near[values[k]] > pivot:
                k -= 1
            if i <= k:
                values[i], values[k] = values[k], values[i]
                i += 1
                k -= 1
        if size <= k:
            last = k
        elif size > i:
            first = i
        else:
            return


@in_place
def fill_node(codes, sensitive, first, last, l, scales, counts, found, group, number):
    """Give the node's rows group numbers from number on; the number after the last.

    A group begins with the row farthest from the last group's first row, which peels the node from
    outside, and takes its nearest rows with different values. With g groups to come, a value left in
    g rows must be in each of them; since no value is in more, at most size/g values are that frequent,
    and that is the group's size.
    """
    groups, left, seed = (last - first) // l, last - first, first
    for i in range(first, last):
        group[i] = -1
        counts[sensitive[i, 0]] += 1
    values, nearest, near = found
    while groups > 1:
        size = left // groups
        seed = find_farthest(codes, first, last, group, seed, scales)
        total = rank_values(
            codes, sensitive, first, last, group, seed, groups, scales, counts, found
        )
        select_nearest(values, near, total, size)
        for q in range(size):
            group[nearest[values[q]]] = number
            counts[values[q]] -= 1
        number += 1
        groups -= 1
        left -= size
    for i in range(first, last):
        if group[i] < 0:
            group[i] = number
        counts[sensitive[i, 0]] = 0
    return number + 1


@in_place
def deal_node(sensitive, first, last, l, place, group, number):
    """Deal the node's rows by value, one after the other, to its groups; the number after the last.

    Rows of one value follow each other in the dealing and are at most as many as groups, so they
    all go to different ones (Li et al. 2015, Algorithm 1). place must be zero and is afterwards.
    """
    groups = (last - first) // l
    for i in range(first, last):
        place[sensitive[i, 0]] += 1
    reached = 0
    for i in range(first, last):
        v = sensitive[i, 0]
        if place[v] > 0:  # the value's first row: from here on its place in the dealing
            count = place[v]
            place[v] = -1 - reached
            reached += count
        group[i] = number + (-1 - place[v]) % groups
        place[v] -= 1
    for i in range(first, last):
        place[sensitive[i, 0]] = 0
    return number + groups


@compiled
def deal_nodes(sensitive, starts, l, values, group):
    """Deal the rows of every node from one start to the next; how many groups were made."""
    place = np.zeros(values, np.int64)
    number = 0
    for s in range(starts.size - 1):
        number = deal_node(sensitive, starts[s], starts[s + 1], l, place, group, number)
    return number


def fill_nodes(
    codes: Any,
    sensitive: Any,
    starts: Any,
    l: int,
    small: int,
    attributes: Any,
    values: int,
    group: Any,
) -> Any:
    """Make groups in every node from one start to the next; how many were made.

    A node that stayed large holds equal rows, or could not be cut: there rows are dealt.
    """
    counts = np.zeros(values, np.int64)
    found = Nearest(np.empty(values, np.int32), np.empty(values, np.int64), np.empty(values))
    is_nominal, position, offset, spread = attributes
    scales = Scales(is_nominal, position, offset, OTHER_VALUE / spread)
    return _fill_nodes(codes, sensitive, starts, l, small, scales, counts, found, group)


@in_place
def _fill_nodes(codes, sensitive, starts, l, small, scales, counts, found, group):
    number = 0
    for s in range(starts.size - 1):
        first, last = starts[s], starts[s + 1]
        if last - first >= small:
            number = deal_node(sensitive, first, last, l, counts, group, number)
        else:
            number = fill_node(
                codes, sensitive, first, last, l, scales, counts, found, group, number
            )
    return number


@compiled
def merge_groups(sensitive, order, starts, l, values):
    """Join each group to those after it until no value of any attribute fills more than 1/l.

    order lists the rows by group. Gives each group its new number; the last ones, if they stay too
    uneven, join the groups before them, in the end all of them, and the whole table is eligible.
    """
    groups = starts.size - 1
    number = np.empty(groups, np.int32)
    counts = np.zeros((sensitive.shape[1], values), np.int32)
    first, new = 0, 0
    g = 0
    while g < groups:
        number[g] = new
        most = _count_group(sensitive, order, starts[g], starts[g + 1], counts)
        g += 1
        while most * l > starts[g] - starts[first] and g < groups:
            number[g] = new
            most = max(most, _count_group(sensitive, order, starts[g], starts[g + 1], counts))
            g += 1
        while most * l > starts[g] - starts[first]:  # the end is reached: go back
            first -= 1
            most = max(
                most, _count_group(sensitive, order, starts[first], starts[first + 1], counts)
            )
            while first > 0 and number[first - 1] == number[first]:
                first -= 1
                most = max(
                    most, _count_group(sensitive, order, starts[first], starts[first + 1], counts)
                )
            new = number[first]
        number[first:g] = new
        for i in range(starts[first], starts[g]):
            for j in range(sensitive.shape[1]):
                counts[j, sensitive[order[i], j]] = 0
        first = g
        new += 1
    return Merged(number, new)


@compiled
def _count_group(sensitive, order, first, last, counts):
    """Add rows to the counts; the highest count met."""
    most = 0
    for i in range(first, last):
        for j in range(sensitive.shape[1]):
            v = sensitive[order[i], j]
            counts[j, v] += 1
            most = max(most, counts[j, v])
    return most
