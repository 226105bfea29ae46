"""Undoing a known perturbation: unbiased answers from a table in which values were replaced.

In every row some quasi-identifiers were replaced by draws from their own distributions, others not,
with published chances. Averaging over an attribute's distribution is a projection, and projections
of different attributes commute, so any function of a row is a sum of parts, one for each set A of
attributes: averaged over all others, and with average 0 over each of A. Perturbing a row multiplies
that part, in expectation, by the chance that none of A was replaced. Dividing by it gives a function
of the *published* row whose expectation is the function of the original row.

Rows are perturbed independently, so the variance of a sum over rows is the sum of variances, and
E[g²] - h² of every row is itself estimated without bias, by g² minus the inverse of h².
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
TINY = 1e-12
RESIDUE = 1e-10
"""What rounding may leave of a part that is 0, relative to the function."""


class NotInvertible(Exception):
    """The perturbation leaves nothing from which these axes' interplay could be learned."""

    def __init__(self, axes: Sequence[int]) -> None:
        super().__init__(axes)
        self.axes = axes


def invert(
    values: Floats, shares: Sequence[Floats | None], untouched: Callable[[Sequence[int]], float]
) -> Floats:
    """The function of a published row that has the expectation `values` of the original row.

    `values` has an axis for each attribute, over its states; `shares` the distribution of each, None
    for an axis that is never perturbed; `untouched` the chance that none of some axes was replaced.
    """
    residue = RESIDUE * float(np.abs(values).max(initial=0.0))

    def part(function: Floats, axis: int, chosen: tuple[int, ...]) -> Floats:
        while axis < len(shares) and shares[axis] is None:
            axis += 1
        if axis == len(shares):
            chance = untouched(chosen)
            if chance <= TINY:
                if np.abs(function).max(initial=0.0) > residue:
                    raise NotInvertible(chosen)
                return np.zeros_like(function)
            return function / chance
        # the average along this axis, which the others stay beside
        own: Any = shares[axis]
        flat = np.tensordot(function, own, axes=([axis], [0]))
        average = np.moveaxis(flat[..., None], -1, axis)
        rest = part(average, axis + 1, chosen)
        return rest + part(function - average, axis + 1, (*chosen, axis))

    return part(values, 0, ())


class Figure(NamedTuple):
    """An estimate without bias, and its standard error; None where there is none."""

    estimate: float | None
    error: float | None


@dataclass(frozen=True)
class Perturbation:
    """What happened to the axes on which a row's states stand."""

    shares: Sequence[Floats | None]
    """The distribution of each axis' states; None for one that is never perturbed."""
    untouched: Callable[[Sequence[int]], float]

    def total(self, function: Floats, cells: tuple[Any, ...], weights: Floats) -> float:
        """The sum over the original rows, estimated from published ones: so many in each cell."""
        return float((self.inverse(function)[cells] * weights).sum())

    def variance(self, function: Floats, cells: tuple[Any, ...], squares: Floats) -> float:
        """The variance of such a total, itself estimated; squares are those of the weights."""
        with np.errstate(over="ignore", invalid="ignore"):  # squares of large numbers have no room
            inverse, of_square = self.inverse(function), self.inverse(function**2)
            first = float((inverse[cells] ** 2 * squares).sum())
            variance = first - float((of_square[cells] * squares).sum())
        if not math.isfinite(first) or not math.isfinite(variance):
            return math.inf
        # what rounding leaves of nothing is nothing
        return 0.0 if abs(variance) <= RESIDUE * first else variance

    def error(
        self, function: Floats, cells: tuple[Any, ...], squares: Floats, over: float = 1.0
    ) -> float | None:
        """The standard error of a total over something.

        None where few rows make the estimated variance negative, or numbers are too large.
        """
        variance = self.variance(function, cells, squares)
        return math.sqrt(variance) / over if 0 <= variance < math.inf else None

    def count(
        self, function: Floats, cells: tuple[Any, ...], n: Floats, shares: Sequence[Floats] | None
    ) -> Figure:
        """A sum of a function over rows; `shares` of all axes, where they are those of all rows."""
        if shares is not None:
            function = without_known(function, shares)
        return Figure(self.total(function, cells, n), self.error(function, cells, n))

    def sum(self, function: Floats, cells: tuple[Any, ...], x: Floats, xx: Floats) -> Figure:
        """A sum of values x, with their squares xx, of rows that a function picks."""
        return Figure(self.total(function, cells, x), self.error(function, cells, xx))

    def mean(
        self, function: Floats, cells: tuple[Any, ...], n: Floats, x: Floats, xx: Floats
    ) -> Figure:
        """The mean of n values; nothing where nobody is expected."""
        among = self.total(function, cells, n)
        if among <= 0:
            return Figure(None, None)
        mean = self.total(function, cells, x) / among
        # a ratio varies as its numerator does around it
        around = xx - 2 * mean * x + mean * mean * n
        return Figure(mean, self.error(function, cells, around, among))

    def inverse(self, function: Floats) -> Floats:
        """The function of published rows whose expectation is this function of original ones."""
        return invert(function, self.shares, self.untouched)


def without_known(values: Floats, shares: Sequence[Floats]) -> Floats:
    """The function without the parts of single axes, whose sum over all rows is known to be 0.

    The counts of each axis' states are published, so that much needs no estimate: what is left has
    the same sum over the original rows, and less noise.
    """

    def average(function: Floats, axes: Sequence[int]) -> Floats:
        for axis in axes:
            flat = np.tensordot(function, shares[axis], axes=([axis], [0]))
            function = np.moveaxis(flat[..., None], -1, axis)
        return function

    every = range(values.ndim)
    mean = average(values, every)
    rest = values
    for axis in every:
        rest = rest - (average(values, [other for other in every if other != axis]) - mean)
    # what rounding leaves of parts that are gone would otherwise look like parts
    residue = RESIDUE * float(np.abs(values).max(initial=0.0))
    return np.where(np.abs(rest - mean) <= residue, mean, rest)


def reach(values: Floats, perturbed: Sequence[int], several: int) -> tuple[Floats, Floats]:
    """The least and greatest value that any origin of a published row can have.

    An origin differs from it on no more axes than attributes were replaced in a row.
    """
    low, high = values, values
    for axes in combinations(perturbed, min(several, len(perturbed))):
        low = np.minimum(low, values.min(axis=axes, keepdims=True))
        high = np.maximum(high, values.max(axis=axes, keepdims=True))
    return np.broadcast_to(low, values.shape), np.broadcast_to(high, values.shape)
