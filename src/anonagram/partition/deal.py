"""Dealing rows like cards, value by value (Li et al. 2015, Algorithm 1)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anonagram.kernels.fill import deal_nodes
from anonagram.key import Key
from anonagram.partition.partitioner import Grouped, RowPartitioner, Rows


@dataclass(frozen=True, repr=False)
class Deal(RowPartitioner, call="deal", example="deal()"):
    """Rows sorted by sensitive value go to ⌊n/l⌋ groups in turn, so no group meets a value twice.

    Quasi-identifiers play no part. (For (k,e), `random` is its like.)
    """

    blind = True

    def group(self, rows: Rows, key: Key) -> Grouped:  # noqa: ARG002
        """Deal the whole table."""
        return deal(rows, np.array([0, rows.rows.size]))


def deal(rows: Rows, starts: NDArray[np.int64]) -> Grouped:
    """Deal every sub-table from one start to the next."""
    group = np.empty(rows.rows.size, np.int32)
    return Grouped(group, int(deal_nodes(rows.sensitive, starts, rows.least, rows.values, group)))
