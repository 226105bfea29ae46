"""The thesis' baseline: groups of whoever comes along (Zhang 2007, section 2.7.1)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anonagram.kernels.sweep import close_when_good
from anonagram.key import Key
from anonagram.partition.by_value.partitioner import SensitiveNumbers, ValuePartitioner
from anonagram.partition.partition import Partition


@dataclass(frozen=True, repr=False)
class RandomScan(ValuePartitioner, call="random", example="random()"):
    """Scan the rows in random order and close a group as soon as it is (k,e).

    The thesis scans them as they come; whoever knows that order would learn who shares a group.
    Running counts decide, of (k,e) alone; for diversity `deal` is its like.
    """

    def group(self, numbers: SensitiveNumbers, key: Key) -> Partition:
        """One scan."""
        order = key.permutation("partition/rows", numbers.microdata.rows)
        codes = np.stack([column.codes for column in numbers.columns], axis=1)[order]
        in_order = np.empty(order.size, np.int32)
        count = close_when_good(codes, numbers.needs, in_order)
        group_of = np.empty_like(in_order)
        group_of[order] = in_order
        return Partition(group_of, int(count))
