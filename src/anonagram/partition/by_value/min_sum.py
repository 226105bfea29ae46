"""The least sum of ranges (Zhang 2007, section 2.6.1)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anonagram.kernels.sweep import cut_cheaply
from anonagram.partition.by_value.partitioner import Sweep, SweepPartitioner


@dataclass(frozen=True, repr=False)
class MinSum(SweepPartitioner, call="min_sum", example="min_sum()"):
    """Groups whose ranges have the least possible sum; of several such partitions, most groups."""

    def cut(self, sweep: Sweep) -> NDArray[np.int64]:
        """One sweep."""
        starts: NDArray[np.int64] = cut_cheaply(sweep.x, sweep.latest, sweep.whole, False)
        return starts
