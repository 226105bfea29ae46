"""Where the values of a column lie.

Numbers, dates and times are measured: they lie at distances from each other. Other values lie one
after the other, in their order.
"""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonagram.columns.spans import to_units


def is_measured(kind: str) -> bool:
    """Whether the values of a kind of column lie at distances from each other.

    >>> is_measured("date"), is_measured("ordinal")
    (True, False)
    """
    return kind in ("numeric", "date")


def line_places(domain: pl.Series, kind: str) -> NDArray[np.float64]:
    """A place for each code: measured values in their unit, others at their position.

    The last is that of a missing value: infinity.

    >>> line_places(pl.Series([20, 50]), "numeric").tolist()
    [20.0, 50.0, inf]
    >>> line_places(pl.Series(["low", "high"]), "ordinal").tolist()
    [0.0, 1.0, inf]
    """
    if is_measured(kind):
        return np.append(to_units(domain).to_numpy(), np.inf)
    return np.append(np.arange(len(domain), dtype=np.float64), np.inf)


def on_scale(values: pl.Series) -> pl.Series:
    """Numbers, dates or times on a scale from 0 (the lowest of them) to 1 (the highest).

    >>> on_scale(pl.Series([2**60, 2**60 + 1, 2**60 + 4])).to_list()
    [0.0, 0.25, 1.0]
    """
    physical = values.to_physical()
    # halves, so that the span of floats cannot overflow; whole numbers of any size keep their
    # distances, which are taken before they become floats
    is_whole = physical.dtype.is_integer()
    place = pl.lit(physical.cast(pl.Int128) if is_whole else physical.cast(pl.Float64) / 2)
    away = (place - place.min()).cast(pl.Float64)
    scaled = away / pl.when(away.max() > 0).then(away.max()).otherwise(1.0)
    return pl.select(scaled.alias(values.name)).to_series()
