"""Anatomy's own partition (Xiao and Tao 2006, Figure 3)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anonagram.errors import InternalError
from anonagram.kernels.buckets import fill_groups, place_residual_rows
from anonagram.kernels.permute import count_starts, sort_by_group
from anonagram.key import Key
from anonagram.partition.partitioner import Grouped, RowPartitioner, Rows


@dataclass(frozen=True, repr=False)
class Buckets(RowPartitioner, call="buckets", example="buckets()"):
    """Groups of l rows with l different values; at most l - 1 rows join groups that lack theirs.

    Rows are put into one bucket a value, in random order. While l buckets have rows left, a new
    group takes a row from each of the l fullest. Quasi-identifiers play no part.
    """

    blind = True

    def group(self, rows: Rows, key: Key) -> Grouped:
        """Fill groups from the fullest buckets, then place the residual rows."""
        codes = np.ascontiguousarray(rows.sensitive[:, 0])
        starts = count_starts(codes, rows.values)
        in_buckets = sort_by_group(np.arange(codes.size, dtype=np.int32), codes, starts)
        sizes = np.diff(starts)
        fullest_first = np.argsort(-sizes, kind="stable")
        filled = fill_groups(in_buckets, starts, fullest_first, sizes[fullest_first], rows.least)

        spare = 64 + rows.least
        used = -1
        while used == -1:
            group = filled.group_of.copy()
            words = key.words("buckets/residual", spare)
            used = place_residual_rows(group, codes, filled.groups, words)
            spare *= 2
        if used < 0:  # impossible for an eligible table: Xiao and Tao, Property 2
            raise InternalError("A residual row found no group that lacks its value.")
        return Grouped(group, int(filled.groups))
