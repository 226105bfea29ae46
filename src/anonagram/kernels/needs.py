"""What a group needs, tested on the counts of a run of rows.

Each need is a named tuple of its numbers, and several needs together are a tuple of them. A kernel
takes any of these as ``needs`` and is compiled for the kinds it is called with, so that who asks for
one of them neither waits for the tests of the others nor pays for choosing between them.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from anonagram.kernels.compiled import by_types, compiled, in_place

ROUNDING = 1e-15


class Diverse(NamedTuple):
    """No value of any column fills more than 1/l of the rows."""

    l: int


class Many(NamedTuple):
    """There are at least so many rows."""

    least: int


class Spread(NamedTuple):
    """Every column has k different values, and the highest is beyond the reach of the lowest."""

    k: int
    reach: Any
    """The reach of each value of the first column, behind it those of the second, and so on."""
    offset: Any
    """Where each column's begin; codes above their number are missing values."""


class Close(NamedTuple):
    """No column's distribution is further than t from the whole table's."""

    t: float
    is_ordered: bool
    """Whether moving a share costs how many values it moves over, and not the same everywhere."""
    upto: Any
    """How many rows of the table have a lower value, for each value and the end of each column."""
    area: Any
    """The sum of upto below each."""
    offset: Any
    """Where each column's begin."""


@in_place
def find_uneven(sensitive, first, last, l, counts):
    """The sensitive column with the value that is most too frequent in the node; -1 if none is.

    A value is too frequent when it fills more than 1/l. counts must be zero and is zero afterwards.
    """
    limit = (last - first) // l
    worst, uneven = limit, -1
    for j in range(sensitive.shape[1]):
        for i in range(first, last):
            counts[sensitive[i, j]] += 1
        most = 0
        if counts.size <= last - first:
            for v in range(counts.size):
                most = max(most, counts[v])
                counts[v] = 0
        else:
            for i in range(first, last):
                v = sensitive[i, j]
                most = max(most, counts[v])
                counts[v] = 0
        if most > worst:
            worst, uneven = most, j
    return uneven


@in_place
def find_narrow(sensitive, first, last, needs, counts):
    """A column without k different values that reach far enough; -1 if there is none."""
    for j in range(sensitive.shape[1]):
        begin, missing = needs.offset[j], needs.offset[j + 1] - needs.offset[j]
        different, low, high = 0, missing, -1
        for i in range(first, last):
            c = sensitive[i, j]
            if c < missing:
                low = min(low, c)
                high = max(high, c)
                different += counts[c] == 0
                counts[c] = 1
        for i in range(first, last):
            counts[sensitive[i, j]] = 0
        if different < needs.k or needs.reach[begin + low] > high:
            return j
    return -1


@compiled
def find_distant(sensitive, first, last, needs, counts):
    """A column whose distribution in the node is further than t from the table's; -1 if none is.

    The earth mover's distance, times the rows of node and table so that all shares are whole
    numbers; the limit is a whole number too, since what is above it is above it by one.
    """
    size = last - first
    for j in range(sensitive.shape[1]):
        begin, end = needs.offset[j], needs.offset[j + 1] - 1  # the last is the table's end
        values, rows = end - begin, needs.upto[end]
        for i in range(first, last):
            counts[sensitive[i, j]] += 1
        farthest = values - 1 if needs.is_ordered else 1
        limit = np.floor(needs.t * farthest * size * rows * (1.0 + ROUNDING))
        upto = needs.upto[begin : end + 1]
        if not needs.is_ordered:
            far = _moved(sensitive, first, last, j, upto, counts)
        elif values <= 4 * size:
            far = _moved_along(size, upto, counts)
        else:
            far = _moved_over_gaps(sensitive, first, last, j, upto, needs.area[begin:], counts)
        for i in range(first, last):
            counts[sensitive[i, j]] = 0
        if far > limit:
            return j
    return -1


@in_place
def _moved(sensitive, first, last, j, upto, counts):
    """How much of the node must change its value: what it has above the table's share."""
    size, rows, total = last - first, float(upto[-1]), 0.0
    for i in range(first, last):
        v = sensitive[i, j]
        total += max(0.0, counts[v] * rows - float(upto[v + 1] - upto[v]) * size)
        counts[v] = 0
    return total


@in_place
def _moved_along(size, upto, counts):
    """How much is moved from each value to the next, in all."""
    rows, reached, total = float(upto[-1]), 0, 0.0
    for v in range(upto.size - 2):
        reached += counts[v]
        total += abs(reached * rows - float(upto[v + 1]) * size)
    return total


@compiled
def _moved_over_gaps(sensitive, first, last, j, upto, area, counts):
    """The same where most values are not in the node: gaps between those that are, at once.

    Inside a gap the node's part is constant and the table's grows, so the difference changes its
    sign once at most.
    """
    size, rows, total = last - first, float(upto[-1]), 0.0
    codes = np.empty(size, np.int32)
    for i in range(size):
        codes[i] = sensitive[first + i, j]
    codes.sort()
    values = upto.size - 1
    total = float(area[codes[0] + 1] - area[1]) * size  # nothing of the node is below its lowest
    for i in range(size):
        v, following = codes[i], codes[i + 1] if i + 1 < size else values - 1
        if following == v:
            continue
        here = (i + 1) * rows
        turn = v + np.searchsorted(upto[v + 1 : following + 1], here / size, side="right")
        total += here * (turn - v) - float(area[turn + 1] - area[v + 1]) * size
        total += float(area[following + 1] - area[turn + 1]) * size - here * (following - turn)
    return total


@by_types
def find_lacking(needs, sensitive, first, last, counts):
    """A column for whose sake the rows from first to last are no group; -1 if they are one.

    counts has a place for every code, must be zero and is zero afterwards.
    """
    kind = getattr(needs, "instance_class", None)
    if kind is Diverse:
        return _lacks_diversity
    if kind is Many:
        return _lacks_rows
    if kind is Spread:
        return _lacks_spread
    if kind is Close:
        return _lacks_closeness
    return _lacks_one_of if needs.types else _lacks_nothing


def _lacks_nothing(needs, sensitive, first, last, counts):
    return -1


def _lacks_diversity(needs, sensitive, first, last, counts):
    if first == last:
        return 0
    return find_uneven(sensitive, first, last, needs.l, counts)


def _lacks_rows(needs, sensitive, first, last, counts):
    return -1 if last - first >= needs.least else 0


def _lacks_spread(needs, sensitive, first, last, counts):
    return find_narrow(sensitive, first, last, needs, counts)


def _lacks_closeness(needs, sensitive, first, last, counts):
    if first == last:
        return 0
    return find_distant(sensitive, first, last, needs, counts)


def _lacks_one_of(needs, sensitive, first, last, counts):
    column = find_lacking(needs[0], sensitive, first, last, counts)
    if column >= 0:
        return column
    return find_lacking(needs[1:], sensitive, first, last, counts)


@in_place
def is_group(needs, sensitive, first, last, counts):
    """Whether the rows from first to last have all that a group needs."""
    return find_lacking(needs, sensitive, first, last, counts) < 0
