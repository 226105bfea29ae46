"""Numbers rounded to multiples."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated

import numpy as np
import polars as pl

from anonagram.calls import Above
from anonagram.columns.coarsening import Coarsening, require_numbers
from anonagram.columns.hierarchy import Hierarchy
from anonagram.errors import SchemaError

LARGEST = 2**52
"""Larger numbers of steps are not counted exactly in floating point."""


@dataclass(frozen=True, repr=False)
class Round(Coarsening, call="round", example="round(to=5)"):
    """The nearest multiple of a number; of two as near, the higher.

    >>> Round(to=5).coarser(pl.Series([2, 3, -3, 97]), None).to_list()
    [0, 5, -5, 95]
    >>> Round(to=0.1).coarser(pl.Series([0.25, 0.31]), None).to_list()
    [0.3, 0.3]
    """

    to: Annotated[float, Above(0, LARGEST)]

    def coarser(self, values: pl.Series, hierarchy: Hierarchy | None) -> pl.Series:  # noqa: ARG002
        """Whole numbers without any rounding on the way, others to the decimals of `to`."""
        require_numbers(self, values)
        return self._whole(values) if values.dtype.is_integer() else self._real(values)

    @property
    def decimals(self) -> int:
        """How many decimals the multiples have."""
        return max(0, -int(Decimal(str(self.to)).normalize().as_tuple().exponent))

    def _whole(self, values: pl.Series) -> pl.Series:
        if self.to != int(self.to):
            raise SchemaError(
                f"{self!r}: the column has whole numbers.", "round to a whole number."
            )
        to, wide = pl.lit(int(self.to), pl.Int128), pl.lit(values.cast(pl.Int128))
        two = pl.lit(2, pl.Int128)
        multiples = pl.select(((wide * two + to) // (two * to) * to).alias(values.name)).to_series()
        narrow = multiples.cast(pl.Int64, strict=False)
        return multiples if narrow.has_nulls() else narrow

    def _real(self, values: pl.Series) -> pl.Series:
        # NumPy divides as every machine and the page do; Polars multiplies with the inverse
        scale = 10.0**self.decimals
        steps = np.floor(values.cast(pl.Float64).to_numpy() / self.to + 0.5)
        if np.abs(steps).max(initial=0.0) * self.to * scale > LARGEST:
            raise SchemaError(f"{self!r}: a value is too large for it.", "round to larger steps.")
        rounded = np.rint(steps * self.to * scale) / scale + 0.0  # -0.0 becomes 0.0
        result = pl.Series(values.name, rounded)
        return result.cast(values.dtype) if values.dtype.is_float() else result

    def told(self) -> str:
        """What a value stands for."""
        return f"rounded to multiples of {self.to:g}"
