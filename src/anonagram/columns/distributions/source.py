"""Every value as probable as it is frequent."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anonagram.columns.distribution import Distribution, Values


@dataclass(frozen=True, repr=False)
class Source(Distribution, call="source", example="source()"):
    """Every value as probable as it is frequent in the whole table, or in its part of it."""

    def masses(self, values: Values) -> NDArray[np.float64]:
        """How often each occurs."""
        return values.counts.astype(np.float64)
