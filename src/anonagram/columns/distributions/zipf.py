"""Values the more probable the higher they rank."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from anonagram.calls import Between
from anonagram.columns.distribution import Distribution, Values


@dataclass(frozen=True, repr=False)
class Zipf(Distribution, call="zipf", example="zipf(s=1)"):
    """The value of rank k, from the lowest, weighs k to the power of s (Zhang 2007, section 3.7.3).

    With s above 0 high values are probable, with s below 0 low ones.
    """

    s: Annotated[float, Between(-20, 20)]

    def masses(self, values: Values) -> NDArray[np.float64]:
        """Ranks to the power of s."""
        ranks = np.arange(1, values.present + 1, dtype=np.float64)
        return values.with_missing(ranks**self.s)
