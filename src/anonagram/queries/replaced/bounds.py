"""What no draw of the replacements can make untrue: bounds of a sum over rows."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def reach(values: Floats, perturbed: Sequence[int], several: int) -> tuple[Floats, Floats]:
    """The least and greatest value that any origin of a published row can have.

    An origin differs from it on no more axes than attributes were replaced in a row.
    """
    low, high = values, values
    for axes in combinations(perturbed, min(several, len(perturbed))):
        low = np.minimum(low, values.min(axis=axes, keepdims=True))
        high = np.maximum(high, values.max(axis=axes, keepdims=True))
    return np.broadcast_to(low, values.shape), np.broadcast_to(high, values.shape)


def counted(
    function: Floats,
    cells: tuple[Any, ...],
    n: Floats,
    several: int,
    counts: Mapping[int, Floats],
    shares: Sequence[Floats] | None,
) -> tuple[float, float]:
    """What no origin of the rows, and no table with these counts, can fall below or exceed.

    `counts` are those of the states of each perturbed axis, and `shares` of all axes. They are of
    all rows: where rows without a value are left out, `shares` is None and they do not help.
    """
    low, high = reach(function, list(counts), several)
    least, most = float((low[cells] * n).sum()), float((high[cells] * n).sum())
    if shares is None:
        return least, most
    for place, own in counts.items():
        others = tuple(axis for axis in range(function.ndim) if axis != place)
        least = max(least, float((function.min(axis=others) * own).sum()))
        most = min(most, float((function.max(axis=others) * own).sum()))
    return max(least, _least_together(function, float(n.sum()), shares)), most


def _least_together(function: Floats, rows: float, shares: Sequence[Floats]) -> float:
    """Of people who must meet all of several conditions, few as miss each (Fréchet)."""
    axes = range(function.ndim)
    alone = [function.max(axis=tuple(a for a in axes if a != i), keepdims=True) for i in axes]
    together = math.prod(alone, start=np.ones(1))
    if not np.array_equal(together, function) or not np.isin(function, (0.0, 1.0)).all():
        return -math.inf
    missing = sum(float(((1 - a.ravel()) * s).sum()) for a, s in zip(alone, shares, strict=True))
    return rows * (1 - missing)
