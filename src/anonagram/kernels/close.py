"""Splitting (k,e) groups into ones whose rows are closer together, within a budget of range."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from anonagram.kernels.compiled import compiled
from anonagram.kernels.cuts import (
    Extents,
    both_are_groups,
    bring_left_first,
    find_border,
    find_widths,
)


class Splits(NamedTuple):
    """Blocks of rows split into groups."""

    starts: Any
    """Where groups begin."""
    fears: Any
    """For each block the sum over its groups of rows x range x extent."""


@compiled
def find_range(sensitive, first, last, ticks):
    """The range of the first sensitive column."""
    low = high = sensitive[first, 0]
    for i in range(first + 1, last):
        low = min(low, sensitive[i, 0])
        high = max(high, sensitive[i, 0])
    return ticks[high] - ticks[low]


@compiled
def split_blocks(codes, sensitive, rows, blocks, budgets, needs, ticks, attributes, values):
    """Split every block across its widest attribute while halves are good and the budget lasts.

    A split costs what the ranges of the halves are together more than the range of the whole. Rows
    are brought into their order. Gives where groups begin, and for each block the sum over its
    groups of rows x range x extent: what a query for a range of an attribute has to fear.
    """
    offset = attributes.offset
    d = codes.shape[1]
    low, high, width = np.empty(d, np.int32), np.empty(d, np.int32), np.empty(d)
    extents = Extents(low, high, width, np.empty(d, np.uint64))
    largest = 0
    for j in range(d):
        largest = max(largest, offset[j + 1] - offset[j])
    counts, order = np.zeros(largest + 2, np.int64), np.empty(rows.size + 2, np.int32)
    side, value_counts = np.empty(rows.size, np.int8), np.zeros(values, np.int32)
    starts, found = np.empty(rows.size, np.int64), 0
    fears = np.zeros(blocks.size - 1)
    for b in range(blocks.size - 1):
        queue = [(blocks[b], blocks[b + 1])]
        left = budgets[b]
        done = 0
        while done < len(queue):
            first, last = queue[done]
            done += 1
            span = find_range(sensitive, first, last, ticks)
            find_widths(codes, first, last, attributes, extents)
            extent = width.sum()
            middle = -1
            while last - first >= 2 * needs.k and middle < 0:
                widest = np.argmax(width)
                if width[widest] <= 0.0:
                    break
                width[widest] = 0.0
                border = find_border(
                    codes, first, last, widest, low[widest], high[widest], counts, order
                )
                for i in range(first, last):
                    side[i] = codes[i, widest] <= border.code
                cut = first + border.rows
                bring_left_first(codes, sensitive, rows, first, cut, last, side, order)
                cost = (
                    find_range(sensitive, first, cut, ticks)
                    + find_range(sensitive, cut, last, ticks)
                    - span
                )
                if cost > left:
                    continue
                if both_are_groups(needs, sensitive, first, cut, last, value_counts):
                    middle = cut
                    left -= cost
            if middle >= 0:
                queue.append((first, middle))
                queue.append((middle, last))
            else:
                starts[found] = first
                found += 1
                fears[b] += (last - first) * extent * span
    starts = starts[:found].copy()
    starts.sort()
    return Splits(starts, fears)
