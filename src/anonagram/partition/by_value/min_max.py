"""The least widest range of groups that do not overlap (Zhang 2007, section 2.6.2)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anonagram.kernels.sweep import cut_cheaply, find_least_limit
from anonagram.partition.by_value.partitioner import Sweep, SweepPartitioner


@dataclass(frozen=True, repr=False)
class MinMax(SweepPartitioner, call="min_max", example="min_max()"):
    """The widest group is as narrow as it can be, at most twice what overlapping groups allow.

    Of several such partitions, the least sum of ranges.
    """

    def cut(self, sweep: Sweep) -> NDArray[np.int64]:
        """One sweep for the least limit, one for the best groups within it."""
        limit = find_least_limit(sweep.x, sweep.latest)
        starts: NDArray[np.int64] = cut_cheaply(sweep.x, sweep.latest, limit, False)
        return starts
