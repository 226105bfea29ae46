"""Distributions in a few numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

QUANTILES = (0.0, 0.25, 0.5, 0.75, 1.0)


@dataclass(frozen=True)
class Spread:
    """A distribution over rows or groups in six numbers."""

    mean: float
    least: float
    quarter: float
    median: float
    three_quarters: float
    most: float


class Weighted(NamedTuple):
    """Values that stand for as many rows or groups as their weights say."""

    values: NDArray[Any]
    weights: NDArray[Any]

    @classmethod
    def once(cls, values: NDArray[Any]) -> Self:
        """Each stands for itself."""
        return cls(values, np.ones(values.size))

    @classmethod
    def joined(cls, several: Sequence[Self]) -> Self:
        """All of them; those that are equal are one."""
        if len(several) == 1:
            return several[0]
        values, place = np.unique(np.concatenate([v for v, _ in several]), return_inverse=True)
        return cls(values, np.bincount(place, np.concatenate([w for _, w in several])))

    @property
    def spread(self) -> Spread:
        """How they are spread."""
        return spread(self.values, self.weights)


def spread(values: NDArray[Any], weights: NDArray[Any]) -> Spread:
    """The distribution of values that stand for as many rows as their weights say.

    >>> spread(np.array([1.0, 3.0]), np.array([3, 1])).median
    1.0
    """
    # fully sorted: the sum of floats must not depend on the order in which groups were counted
    order = np.lexsort((weights, values))
    values, weights = values[order], weights[order]
    reached = np.cumsum(weights)
    places = np.searchsorted(reached, np.array(QUANTILES) * reached[-1])
    quantiles = values[np.minimum(places, values.size - 1)]
    mean = (values * weights).sum() / reached[-1]
    return Spread(float(mean), *(float(each) for each in quantiles))
