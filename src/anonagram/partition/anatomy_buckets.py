"""Anatomy's own partition (Xiao and Tao 2006, Figure 3)."""

from __future__ import annotations

import numpy as np

from anonagram.errors import InternalError
from anonagram.kernels.buckets import fill_groups, place_residual_rows
from anonagram.kernels.permute import count_starts, sort_by_group
from anonagram.key import Key
from anonagram.microdata import Column
from anonagram.partition.feasibility import require_eligible
from anonagram.partition.partition import Partition


def anatomy_buckets(sensitive: Column, l: int, key: Key) -> Partition:
    """Groups of l rows with l different values; at most l - 1 rows join groups that lack theirs.

    Rows are put into one bucket a value, in random order. While l buckets have rows left, a new
    group takes a row from each of the l fullest.
    """
    require_eligible(sensitive, l)
    codes = sensitive.codes
    starts = count_starts(codes, sensitive.cardinality)
    shuffled = key.permutation("buckets/rows", codes.size)
    fullest_first = np.argsort(-np.diff(starts), kind="stable")
    rows = sort_by_group(shuffled, codes, starts)
    group_of, groups = fill_groups(rows, starts, fullest_first, l)

    spare = 64 + l
    used = -1
    while used == -1:
        trial = group_of.copy()
        used = place_residual_rows(trial, codes, groups, key.words("buckets/residual", spare))
        spare *= 2
    if used < 0:  # impossible after require_eligible: Xiao and Tao, Property 2
        raise InternalError("A residual row found no group that lacks its value.")
    return Partition(trial.astype(np.int32, copy=False), int(groups))
