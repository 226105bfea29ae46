"""Anatomy's groups: one row from each of the l fullest buckets, again and again."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from anonagram.kernels.compiled import compiled
from anonagram.kernels.permute import draw


class Filled(NamedTuple):
    """Groups filled from buckets."""

    group_of: Any
    """The group of each row; -1 where it found none."""
    groups: int


@compiled
def fill_groups(rows, starts, bucket, size, l):
    """Give each row of the buckets rows[starts[v]:starts[v + 1]] a group; residual rows get -1.

    bucket lists the buckets by size, largest first, and is kept so; size is how many rows each has
    left. Taking one row from each of the l largest keeps that order if, among buckets as large as
    the l-th, the last ones are taken from; at_least[c], the number of buckets with c rows or more,
    says where those stand. So a group costs O(l), not a search through all buckets.
    """
    taken = np.zeros(bucket.size, np.int64)
    at_least = np.zeros(size[0] + 2, np.int64)
    for i in range(size.size):
        at_least[size[i]] += 1
    for c in range(size[0] - 1, -1, -1):
        at_least[c] += at_least[c + 1]

    group_of = np.full(rows.size, -1, np.int32)
    groups = 0
    while at_least[1] >= l:
        smallest = size[l - 1]
        larger, as_large = at_least[smallest + 1], at_least[smallest]
        for i in range(l):
            place = i if i < larger else as_large - l + i
            v = bucket[place]
            group_of[rows[starts[v] + taken[place]]] = groups
            taken[place] += 1
            at_least[size[place]] -= 1
            size[place] -= 1
        groups += 1
    return Filled(group_of, groups)


@compiled
def place_residual_rows(group_of, codes, groups, words):
    """Send each row without a group to a random group that lacks its value.

    Returns the words used, -1 if they ran out, -2 if some row finds no such group.
    """
    cursor = 0
    has_value = np.zeros(groups, np.bool_)
    for row in range(group_of.size):
        if group_of[row] >= 0:
            continue
        has_value[:] = False
        lacking = groups
        for other in range(group_of.size):
            g = group_of[other]
            if g >= 0 and codes[other] == codes[row] and not has_value[g]:
                has_value[g] = True
                lacking -= 1
        if lacking == 0:
            return -2
        skip, cursor = draw(words, cursor, lacking)
        if cursor < 0:
            return -1
        for g in range(groups):
            if not has_value[g]:
                if skip == 0:
                    group_of[row] = g
                    break
                skip -= 1
    return cursor
