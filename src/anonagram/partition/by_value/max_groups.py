"""As many groups as possible (Zhang 2007, section 2.7.1)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anonagram.kernels.sweep import cut_cheaply
from anonagram.partition.by_value.partitioner import Sweep, SweepPartitioner


@dataclass(frozen=True, repr=False)
class MaxGroups(SweepPartitioner, call="max_groups", example="max_groups()"):
    """The most groups of neighbouring values; of several such partitions, the least sum of ranges."""

    def cut(self, sweep: Sweep) -> NDArray[np.int64]:
        """One sweep."""
        starts: NDArray[np.int64] = cut_cheaply(sweep.x, sweep.latest, sweep.whole, True)
        return starts
