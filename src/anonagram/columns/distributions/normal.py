"""Values around the middle of the domain are probable, those far from it are not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from anonagram.calls import Above
from anonagram.columns.distribution import Distribution, Values
from anonagram.columns.places import line_places

LARGEST, SMALLER = 2.0**500, 2.0**-500


@dataclass(frozen=True, repr=False)
class Normal(Distribution, call="normal", example="normal(r=4)"):
    """A bell around the middle of the domain, whose standard deviation is the range over r.

    Zhang (2007, section 3.7.3) says that range/r is the variance, but his Table 3.5 (29:71 below
    the middle for r = 4) has it as the standard deviation, which does not depend on the unit.
    """

    r: Annotated[float, Above(0)]

    def masses(self, values: Values) -> NDArray[np.float64]:
        """The density at each value."""
        places = line_places(values.domain.head(values.present), values.kind)[:-1]
        if not places.size:
            return values.with_missing(np.zeros(0))
        if (
            np.abs(places).max() > LARGEST
        ):  # whatever the unit: differences of any floats are floats
            places = places * SMALLER
        middle, wide = (places[0] + places[-1]) / 2, places[-1] - places[0]
        away = (places - middle) * self.r / (wide or 1.0)
        return values.with_missing(np.exp(-(away**2) / 2))
