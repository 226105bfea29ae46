"""Every value as probable as any other."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anonagram.columns.distribution import Distribution, Values


@dataclass(frozen=True, repr=False)
class Uniform(Distribution, call="uniform", example="uniform()"):
    """Every value as probable as any other, a missing one included."""

    def masses(self, values: Values) -> NDArray[np.float64]:
        """One each."""
        return np.ones(len(values.domain))
