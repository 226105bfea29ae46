"""Fisher-Yates shuffles fed by a stream of random 32-bit words."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from anonagram.kernels.compiled import compiled

LOW_32 = np.uint64(0xFFFFFFFF)
TWO_32 = np.uint64(1 << 32)


class Draw(NamedTuple):
    """A number drawn from a stream of words."""

    number: int
    cursor: int
    """Where the next draw begins; -1 when the words ran out."""


class Runs(NamedTuple):
    """Rows in the order of their groups."""

    rows: Any
    starts: Any
    """Where each group begins, and the end of the last."""


@compiled
def draw(words, cursor, bound):
    """An unbiased number below bound.

    Lemire (2019): multiply and keep the high half; reject the few words that would favour some
    results.
    """
    wide = np.uint64(bound)
    while cursor < words.size:
        product = np.uint64(words[cursor]) * wide
        cursor += 1
        low = product & LOW_32
        if low >= wide or low >= (TWO_32 - wide) % wide:
            return Draw(np.int64(product >> np.uint64(32)), cursor)
    return Draw(np.int64(0), -1)


@compiled
def shuffle_groups(items, starts, words):
    """Shuffle items[starts[g]:starts[g + 1]] in place for every g; words used, or -1 if too few."""
    cursor = 0
    for g in range(starts.size - 1):
        first = starts[g]
        for last in range(starts[g + 1] - 1, first, -1):
            offset, cursor = draw(words, cursor, last - first + 1)
            if cursor < 0:
                return -1
            other = first + offset
            items[last], items[other] = items[other], items[last]
    return cursor


@compiled
def sort_by_group(rows, group_of, starts):
    """The rows in the order of their groups; inside a group, in the order they come in."""
    cursor = starts.copy()
    result = np.empty_like(rows)
    for i in range(rows.size):
        g = group_of[rows[i]]
        result[cursor[g]] = rows[i]
        cursor[g] += 1
    return result


def count_starts(group_of: NDArray[np.int32], count: int) -> NDArray[np.int64]:
    """Where each group begins once rows are sorted by group, and the end of the last."""
    starts = np.zeros(count + 1, np.int64)
    np.cumsum(np.bincount(group_of, minlength=count), out=starts[1:])
    return starts


@compiled
def order_runs(runs, number):
    """Runs of rows in the order of their new numbers."""
    rows, begins = runs
    count = begins.size - 1
    old = np.empty(count, np.int64)
    for g in range(count):
        old[number[g]] = g
    result = np.empty_like(rows)
    starts = np.empty(count + 1, np.int64)
    filled = 0
    for g in range(count):
        starts[g] = filled
        for i in range(begins[old[g]], begins[old[g] + 1]):
            result[filled] = rows[i]
            filled += 1
    starts[count] = filled
    return Runs(result, starts)
