"""Distributions of the distance at which records are matched, and how they differ."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

MOST_DISTANCES = 64
"""Up to so many different distances, distributions are compared distance by distance."""


@dataclass(frozen=True)
class Distances:
    """How far records are from their matches.

    >>> Distances(np.array([2, 2, 5])).shares
    {1: 0.6666666666666666, 2.5: 0.3333333333333333}
    """

    twice: NDArray[np.int64]
    """Twice the distance in ranks of each record."""

    @cached_property
    def ordered(self) -> NDArray[np.int64]:
        """From the nearest to the furthest."""
        return np.sort(self.twice)

    @property
    def shares(self) -> dict[float, float]:
        """The share of records at each distance."""
        found, counts = np.unique(self.ordered, return_counts=True)
        return {
            (int(d) // 2 if d % 2 == 0 else int(d) / 2): int(count) / self.twice.size
            for d, count in zip(found, counts, strict=True)
        }

    def share_within(
        self, twice: NDArray[np.int64], *, is_sample: bool = False
    ) -> NDArray[np.float64]:
        """The share of records that are matched within each of these distances.

        In a sample the record asked about counts as one more, so that nothing is impossible.
        """
        within = np.searchsorted(self.ordered, twice, side="right")
        return (within + is_sample) / (self.twice.size + is_sample)

    def advantage(self, other: Distances) -> float:
        """The most by which the share within some distance exceeds that of another distribution."""
        places = np.unique(self.ordered)
        return float(max(0.0, (self.share_within(places) - other.share_within(places)).max()))

    def p_value(self, other: Distances) -> float:
        """The one-sided test of Kolmogorov and Smirnov: are these no nearer than the others?

        The limit for many records, which is on the safe side where distances repeat.
        """
        n, m = self.twice.size, other.twice.size
        return math.exp(-2 * self.advantage(other) ** 2 * n * m / (n + m))

    def hellinger(self, other: Distances) -> float:
        """Hellinger's distance of two distributions.

        With many different distances each would be seen too rarely to compare; then it is taken
        over parts that hold about as many records each, of one or the other.
        """
        bins = np.union1d(self.ordered, other.ordered)
        if bins.size > MOST_DISTANCES:
            shares = np.linspace(0, 1, MOST_DISTANCES // 2 + 1)
            bins = np.union1d(np.quantile(self.ordered, shares), np.quantile(other.ordered, shares))
        one, two = (_shares(each.ordered, bins) for each in (self, other))
        return math.sqrt(max(0.0, 1.0 - float(np.sqrt(one * two).sum())))

    def quantile(self, share: float) -> float:
        """The distance within which a share of the records is matched."""
        return float(self.ordered[max(0, math.ceil(share * self.twice.size) - 1)]) / 2


def binned(
    original: Distances, random: Distances, most: int
) -> tuple[int, NDArray[np.float64], list[NDArray[np.float64]]]:
    """Both distributions over at most so many ranges of distances: their width, starts and shares.

    >>> width, starts, shares = binned(Distances(np.array([2, 4])), Distances(np.array([6])), 2)
    >>> width, starts.tolist(), [each.tolist() for each in shares]
    (2, [0.0, 2.0], [[0.5, 0.5], [0.0, 1.0]])
    """
    furthest = max(float(each.twice.max()) for each in (original, random)) / 2
    width = max(1, math.ceil((furthest + 1) / most))
    edges = np.arange(0.0, furthest + width + 1, width)
    edges = edges[: int(furthest // width) + 2]
    shares = [
        np.histogram(each.twice / 2, edges)[0] / each.twice.size for each in (original, random)
    ]
    return width, edges[:-1], shares


def _shares(ordered: NDArray[np.int64], ends: NDArray[Any]) -> NDArray[np.float64]:
    """The share up to each end, from the end before it; and beyond the last."""
    within = np.searchsorted(ordered, ends, side="right") / ordered.size
    return np.diff(np.concatenate([[0.0], within, [1.0]]))
