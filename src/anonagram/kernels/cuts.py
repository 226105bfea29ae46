"""Cutting rows into ever smaller neighbourhoods, each of which could be a group.

Rows stand in a matrix of codes, a row each, that is partitioned in place. A node is a run of rows
[first, last).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from anonagram.kernels.compiled import by_types, compiled, in_place
from anonagram.kernels.needs import Diverse, find_lacking, is_group

MASK_BITS = 64
NEAR = 512
"""Rows that are looked at again, one attribute after the other, while they are still at hand."""


class Attributes(NamedTuple):
    """What kernels know of the quasi-identifiers."""

    is_nominal: Any
    position: Any
    """The place of every code on a scale from 0 to 1, one attribute behind the other."""
    offset: Any
    """Where each attribute's positions begin, and the end."""
    spread: Any
    """How many values of a nominal attribute count as its whole extent: its domain, or more where
    it shall count for less than others."""


class Border(NamedTuple):
    """Where an attribute is cut."""

    code: int
    """The highest code on the left side."""
    rows: int
    """How many rows the left side has."""


class Scratch(NamedTuple):
    """Room that cuts write to and find again."""

    counts: Any
    """A place for every code of an attribute, and two more."""
    value_counts: Any
    """A place for every sensitive code; zero between two uses."""
    seen: Any
    """A place for every sensitive code."""
    order: Any
    """A place for every row of a node, and two more."""
    goes_left: Any
    """A place for every row of a node."""
    side: Any
    """A place for every row."""


class Extents(NamedTuple):
    """Room for what a node spans on each attribute."""

    low: Any
    high: Any
    """The extreme codes."""
    width: Any
    """As a share of the domain."""
    mask: Any
    """Which codes it has, a bit each."""


def room_for_extents(attributes: int) -> Extents:
    """Room for what nodes span on so many attributes."""
    return Extents(
        np.empty(attributes, np.int32), np.empty(attributes, np.int32), np.empty(attributes),
        np.empty(attributes, np.uint64),
    )  # fmt: skip


@in_place
def find_widths(codes, first, last, attributes, extents):
    """The extent of the node on each attribute, as a share of the domain; also the extreme codes.

    A nominal attribute's width is its number of values over the domain's size, 0 when it is one
    (with more than 64 codes, those between the extremes are counted as if all were there).
    """
    is_nominal, position, offset, spread = attributes
    low, high, width, mask = extents
    for j in range(low.size):
        low[j] = high[j] = codes[first, j]
        mask[j] = 0
    for begin in range(first, last, NEAR):
        end = min(begin + NEAR, last)
        for j in range(low.size):
            if _is_counted(attributes, j):
                found = mask[j]
                for i in range(begin, end):
                    found |= np.uint64(1) << np.uint64(codes[i, j])
                mask[j] = found
            else:
                lowest, highest = low[j], high[j]
                for i in range(begin, end):
                    lowest, highest = min(lowest, codes[i, j]), max(highest, codes[i, j])
                low[j], high[j] = lowest, highest
    for j in range(low.size):
        if _is_counted(attributes, j):
            met = _count_bits(mask[j])
            width[j] = met / spread[j] if met > 1 else 0.0
            low[j], high[j] = 0, offset[j + 1] - offset[j] - 1
            while not _has_bit(mask[j], low[j]):
                low[j] += 1
            while not _has_bit(mask[j], high[j]):
                high[j] -= 1
        elif low[j] == high[j]:
            width[j] = 0.0
        elif not is_nominal[j]:
            width[j] = position[offset[j] + high[j]] - position[offset[j] + low[j]]
        else:
            width[j] = (high[j] - low[j] + 1) / spread[j]


@in_place
def _is_counted(attributes, j):
    """Whether an attribute's values are counted, each as a bit."""
    return attributes.is_nominal[j] and attributes.offset[j + 1] - attributes.offset[j] <= MASK_BITS


@in_place
def _has_bit(mask, place):
    return (mask >> np.uint64(place)) & np.uint64(1) == np.uint64(1)


@in_place
def _count_bits(mask):
    count = 0
    while mask:
        mask &= mask - np.uint64(1)
        count += 1
    return count


@in_place
def sort_keys(keys):
    """Sort in place, by Floyd's heapsort: numpy's sort takes five times as long to compile."""
    size, parent = keys.size, keys.size // 2
    while size > 1:
        if parent > 0:  # the heap is still being made
            parent -= 1
            key = keys[parent]
        else:
            size -= 1
            key = keys[size]
            keys[size] = keys[0]
        hole, child = parent, 2 * parent + 1
        while child < size:
            if child + 1 < size and keys[child] < keys[child + 1]:
                child += 1
            if keys[child] <= key:
                break
            keys[hole] = keys[child]
            hole, child = child, 2 * child + 1
        keys[hole] = key


@compiled
def sort_by_code(codes, first, last, attribute, low, high, counts, order):
    """order[:last - first] lists the node's rows by code; rows of one code in their own order."""
    size = last - first
    if high - low > 4 * size:  # counting would walk through mostly empty codes
        keys = np.empty(size, np.int64)
        for i in range(size):
            keys[i] = (np.int64(codes[first + i, attribute]) << 32) | i
        sort_keys(keys)
        for q in range(size):
            order[q] = first + (keys[q] & 0xFFFFFFFF)
        return
    counts[low : high + 2] = 0
    for i in range(first, last):
        counts[codes[i, attribute] + 1] += 1
    for c in range(low, high + 1):
        counts[c + 1] += counts[c]
    for i in range(first, last):
        c = codes[i, attribute]
        order[counts[c]] = i
        counts[c] += 1


@in_place
def find_border(codes, first, last, attribute, low, high, counts, order):
    """The code such that rows up to it are nearest to half of the node, and how many they are."""
    size = last - first
    if high - low > 4 * size:
        sort_by_code(codes, first, last, attribute, low, high, counts, order)
        return _border_in_order(codes, order, size, attribute)
    counts[low : high + 1] = 0
    for i in range(first, last):
        counts[codes[i, attribute]] += 1
    border, rows_up_to, reached = low, 0, 0
    for c in range(low, high):
        reached += counts[c]
        if abs(2 * reached - size) < abs(2 * rows_up_to - size):
            border, rows_up_to = c, reached
        if 2 * reached >= size:
            break
    return Border(border, rows_up_to)


@in_place
def _border_in_order(codes, order, size, attribute):
    middle = codes[order[size // 2], attribute]
    below = size // 2
    while below > 0 and codes[order[below - 1], attribute] == middle:
        below -= 1
    up_to = size // 2
    while up_to < size and codes[order[up_to], attribute] == middle:
        up_to += 1
    if up_to == size or (below > 0 and size - 2 * below < 2 * up_to - size):
        return Border(codes[order[below - 1], attribute], below)
    return Border(middle, up_to)


@in_place
def swap_rows(codes, sensitive, rows, i, k):
    """Exchange two rows with all that belongs to them."""
    for j in range(codes.shape[1]):
        codes[i, j], codes[k, j] = codes[k, j], codes[i, j]
    for j in range(sensitive.shape[1]):
        sensitive[i, j], sensitive[k, j] = sensitive[k, j], sensitive[i, j]
    rows[i], rows[k] = rows[k], rows[i]


@in_place
def bring_left_first(codes, sensitive, rows, first, middle, last, side, order):
    """Bring the rows whose side is 1, as many as fit before the middle, before those whose side is 0.

    The first row that stands too far left changes places with the last one too far right, and so on.
    All are listed first: whether a row stands right cannot be foreseen, and a wrong guess at it takes
    longer than to write it down in vain. order has room for two numbers more than the node has rows.
    """
    second = (last - first) // 2 + 1
    found = met = 0
    for i in range(first, middle):
        order[found] = i
        found += side[i] == 0
    for k in range(last - 1, middle - 1, -1):
        order[second + met] = k
        met += side[k] == 1
    for q in range(found):
        swap_rows(codes, sensitive, rows, order[q], order[second + q])


@in_place
def choose_sides(sensitive, column, first, last, l, wanted, scratch):
    """Split a node's rows, listed in order, into sides where the column is eligible.

    Gives the left side's size; side says of each row whether it goes there. With g groups to make in
    all, g_left of them on the left, a value in c rows must have between c - g_right and g_left of them
    on the left: its first rows are bound to the left as far as needed, its last ones to the right, and
    those between are free. The left side takes free rows from the beginning of the order until it has
    its size, so rows move over the border only where l-diversity asks for it, and those nearest to the
    border do.
    """
    counts, seen, order, goes_left, side = scratch[1:]
    size = last - first
    groups = size // l
    spare = size - groups * l
    groups_left = min(max(int(wanted / l + 0.5), 1), groups - 1)
    rows_left = min(max(wanted, groups_left * l), groups_left * l + spare)
    for i in range(first, last):
        v = sensitive[i, column]
        counts[v] += 1
        seen[v] = 0
    bound = possible = 0
    for q in range(size):
        v = sensitive[order[q], column]
        met = seen[v]
        is_bound = met < counts[v] - (groups - groups_left)
        is_possible = met < groups_left
        goes_left[q] = 1 if is_bound else 2 if is_possible else 0
        bound += is_bound
        possible += is_possible
        seen[v] = met + 1
    for i in range(first, last):
        counts[sensitive[i, column]] = 0
    # few values may not fill the wanted size; groups_left · l rows are always possible
    rows_left = min(max(rows_left, bound), possible)
    free = rows_left - bound
    for q in range(size):
        goes = goes_left[q]
        if goes == 2:
            goes = 1 if free > 0 else 0
            free -= 1
        side[order[q]] = goes
    return rows_left


@in_place
def cut_node(codes, sensitive, rows, first, last, needs, widest, low, high, scratch):
    """Cut the node across one attribute; where the right side begins, or -1 if it cannot be cut."""
    border = find_border(codes, first, last, widest, low, high, scratch.counts, scratch.order)
    middle = first + border.rows
    for i in range(first, last):
        scratch.side[i] = codes[i, widest] <= border.code
    bring_left_first(codes, sensitive, rows, first, middle, last, scratch.side, scratch.order)
    column = find_lacking(needs, sensitive, first, middle, scratch.value_counts)
    if column < 0:
        column = find_lacking(needs, sensitive, middle, last, scratch.value_counts)
    if column < 0:
        return middle
    return mend_cut(
        needs, codes, sensitive, rows, first, last, border.rows, column, widest, low, high, scratch
    )


@by_types
def mend_cut(
    needs, codes, sensitive, rows, first, last, wanted, column, widest, low, high, scratch
):
    """Let rows change sides where a side lacks something; where the right side begins, or -1.

    A column that is not l-diverse on both sides can be mended; nothing else can.
    """
    if getattr(needs, "instance_class", None) is Diverse:
        return _mend_diversity
    # of several needs, diversity is the first
    if needs and getattr(needs[0], "instance_class", None) is Diverse:
        return _mend_and_test
    return _mend_nothing


def _mend_nothing(
    needs, codes, sensitive, rows, first, last, wanted, column, widest, low, high, scratch
):
    return -1


def _mend_diversity(
    needs, codes, sensitive, rows, first, last, wanted, column, widest, low, high, scratch
):
    middle = move_over_border(
        codes, sensitive, rows, first, last, needs.l, wanted, column, widest, low, high, scratch
    )
    # with others to please too, moving rows for one column's sake may not be enough
    if sensitive.shape[1] == 1 or both_are_groups(
        needs, sensitive, first, middle, last, scratch.value_counts
    ):
        return middle
    return -1


def _mend_and_test(
    needs, codes, sensitive, rows, first, last, wanted, column, widest, low, high, scratch
):
    if last - first < 2 * needs[0].l:
        return -1
    middle = move_over_border(
        codes, sensitive, rows, first, last, needs[0].l, wanted, column, widest, low, high, scratch
    )
    if both_are_groups(needs, sensitive, first, middle, last, scratch.value_counts):
        return middle
    return -1


@in_place
def both_are_groups(needs, sensitive, first, middle, last, counts):
    """Whether both sides of a cut have all that a group needs."""
    return is_group(needs, sensitive, first, middle, counts) and is_group(
        needs, sensitive, middle, last, counts
    )


@in_place
def move_over_border(
    codes, sensitive, rows, first, last, l, wanted, column, widest, low, high, scratch
):
    """Cut such that a column is l-diverse on both sides, the rows nearest to the border moving."""
    size = last - first
    sort_by_code(codes, first, last, widest, low, high, scratch.counts, scratch.order)
    # far from the middle a cut hardly gets on, and would be made again and again: rather part rows
    # of one code
    wanted = min(max(wanted, size // 16), size - size // 16)
    rows_left = choose_sides(sensitive, column, first, last, l, wanted, scratch)
    middle = first + rows_left
    bring_left_first(codes, sensitive, rows, first, middle, last, scratch.side, scratch.order)
    return middle


def cut_rows(
    codes: Any, sensitive: Any, rows: Any, first: int, last: int, needs: Any, least: int, small: int,
    attributes: Attributes, values: int,
) -> Any:  # fmt: skip
    """Cut until a node has fewer than small rows or cannot be cut; where the nodes begin.

    The widest attribute is cut at its median; where that cannot be done, the next widest. A group
    has at least so many rows.
    """
    # room is made here: what numba knows of making it takes as long to compile as many a kernel
    run = last - first
    largest = int(np.diff(attributes.offset).max(initial=0))
    scratch = Scratch(
        np.zeros(largest + 2, np.int64), np.zeros(values, np.int32), np.zeros(values, np.int32),
        np.empty(run + 2, np.int32), np.empty(run, np.int8), np.empty(last, np.int8),
    )  # fmt: skip
    starts, ends = np.empty((2, run // least + 2), np.int64)
    found = _cut_rows(
        codes, sensitive, rows, first, last, needs, least, small, attributes, scratch,
        room_for_extents(codes.shape[1]), starts, ends,
    )  # fmt: skip
    return starts[:found].copy()


@in_place
def _cut_rows(
    codes,
    sensitive,
    rows,
    first,
    last,
    needs,
    least,
    small,
    attributes,
    scratch,
    extents,
    starts,
    ends,
):
    """The same with room for all that is written; how many nodes there are."""
    low, high, width, _ = extents
    found = 0
    # nodes to come, from right to left; each begins where the one after it ends
    waiting = 1
    ends[0] = last
    while waiting > 0:
        last = ends[waiting - 1]
        middle = -1
        if last - first >= max(small, 2 * least):
            find_widths(codes, first, last, attributes, extents)
            for _ in range(width.size):
                widest = 0
                for j in range(1, width.size):
                    if width[j] > width[widest]:
                        widest = j
                if width[widest] <= 0.0 or middle >= 0:
                    break
                middle = cut_node(
                    codes, sensitive, rows, first, last, needs, widest, low[widest], high[widest],
                    scratch,
                )  # fmt: skip
                width[widest] = 0.0
        if middle >= 0:
            ends[waiting] = middle
            waiting += 1
        else:
            starts[found] = first
            found += 1
            first = last
            waiting -= 1
    return found
