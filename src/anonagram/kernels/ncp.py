"""Splitting a table by normalized certainty penalty (Li et al. 2015, Algorithm 2)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from anonagram.kernels.compiled import compiled
from anonagram.kernels.cuts import both_are_groups, swap_rows
from anonagram.kernels.permute import draw

NEEDS_WORDS = 1
DONE = 0


class Progress(NamedTuple):
    """How far the splitting is: what a later call goes on with."""

    stack: Any
    """Nodes still to be split, the first and the end of each."""
    starts: Any
    """Where the sub-tables found so far begin."""
    numbers: Any
    """How many nodes are open, the tries used for the topmost, how many starts are found."""


@compiled
def shuffle_rows(codes, sensitive, rows, first, last, words, cursor):
    """Put the node's rows into a random order; the next cursor, or -1 if words run out."""
    for i in range(last - 1, first, -1):
        offset, cursor = draw(words, cursor, i - first + 1)
        if cursor < 0:
            return -1
        swap_rows(codes, sensitive, rows, i, first + offset)
    return cursor


@compiled
def widened(codes, row, side, attributes, extent, members, mark):
    """The sum of widths of a side once it holds the row too."""
    is_nominal, position, offset, _ = attributes
    total = 0.0
    for j in range(codes.shape[1]):
        c = codes[row, j]
        place = offset[j] + c
        if is_nominal[j]:
            distinct = extent[side, j, 0] + (members[side, place] != mark)
            total += distinct / (offset[j + 1] - offset[j]) if distinct > 1 else 0.0
        else:
            low, high = extent[side, j, 0], extent[side, j, 1]
            total += max(high, position[place]) - min(low, position[place])
    return total


@compiled
def join_side(codes, row, side, attributes, extent, members, mark):
    """Let a side hold the row."""
    is_nominal, position, offset, _ = attributes
    for j in range(codes.shape[1]):
        place = offset[j] + codes[row, j]
        if is_nominal[j]:
            extent[side, j, 0] += members[side, place] != mark
            members[side, place] = mark
        else:
            extent[side, j, 0] = min(extent[side, j, 0], position[place])
            extent[side, j, 1] = max(extent[side, j, 1], position[place])


@compiled
def seed_sides(attributes, extent, members, mark):
    """Side 0 begins with the artificial tuple of all maxima, side 1 with that of all minima."""
    is_nominal, position, offset, _ = attributes
    for side in range(2):
        for j in range(is_nominal.size):
            place = offset[j] if side else offset[j + 1] - 1
            if is_nominal[j]:
                extent[side, j, 0] = 1.0
                members[side, place] = mark
            else:
                extent[side, j, 0] = extent[side, j, 1] = position[place]


@compiled
def split_once(codes, sensitive, rows, first, last, attributes, extent, members, mark):
    """Give each row to the side whose penalty grows less; where side 1 begins.

    The penalty of a side is its number of rows, the artificial one included, times its width.
    """
    seed_sides(attributes, extent, members, mark)
    width = np.zeros(2)
    size = np.ones(2)
    i, k = first, last
    while i < k:
        wider = (
            widened(codes, i, 0, attributes, extent, members, mark),
            widened(codes, i, 1, attributes, extent, members, mark),
        )
        growth_0 = (size[0] + 1) * wider[0] - size[0] * width[0]
        growth_1 = (size[1] + 1) * wider[1] - size[1] * width[1]
        side = 0 if growth_0 < growth_1 else 1
        join_side(codes, i, side, attributes, extent, members, mark)
        width[side] = wider[side]
        size[side] += 1
        if side == 0:
            i += 1
        else:
            k -= 1
            swap_rows(codes, sensitive, rows, i, k)
    return i


@compiled
def split_by_ncp(codes, sensitive, rows, needs, least, tries, attributes, values, progress, words):
    """Split until no sub-table can be split; NEEDS_WORDS when more random words are wanted."""
    stack, starts, numbers = progress
    offset = attributes[2]
    extent = np.empty((2, codes.shape[1], 2))
    members = np.zeros((2, offset[-1]), np.int64)
    counts = np.zeros(values, np.int32)
    cursor, mark = 0, 0
    while numbers[0] > 0:
        first, last = stack[numbers[0] - 1]
        middle = -1
        while numbers[1] < tries and last - first >= 2 * least and middle < 0:
            # a little over one word a row, for the few that are rejected
            if words.size - cursor < last - first + 64 + (last - first) // 64:
                return NEEDS_WORDS
            cursor = shuffle_rows(codes, sensitive, rows, first, last, words, cursor)
            if cursor < 0:
                return NEEDS_WORDS
            mark += 1
            numbers[1] += 1
            border = split_once(
                codes, sensitive, rows, first, last, attributes, extent, members, mark
            )
            if both_are_groups(needs, sensitive, first, border, last, counts):
                middle = border
        numbers[0] -= 1
        numbers[1] = 0
        if middle >= 0:
            stack[numbers[0]] = middle, last
            stack[numbers[0] + 1] = first, middle
            numbers[0] += 2
        else:
            starts[numbers[2]] = first
            numbers[2] += 1
    return DONE
