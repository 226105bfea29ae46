"""Ranks of values, and the mapping of masked values back to original ones.

Ranks start at 1. Equal values share the middle of the ranks they take up together, so that the
distance between equal values is 0. Ranks are counted twice, which keeps such middles whole.

>>> middle_ranks(np.array([1, 2, 1])).tolist()  # one value, two equal ones, one more
[2, 5, 8]
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anonagram.kernels.permute import count_starts, sort_by_group
from anonagram.key import Key

Codes = NDArray[np.int32]


def middle_ranks(counts: NDArray[Any]) -> NDArray[np.int64]:
    """Twice the middle rank of each code, from how often each occurs."""
    ends = np.cumsum(counts, dtype=np.int64)
    return np.asarray(2 * ends - counts + 1)


def by_frequency(counts: NDArray[np.int64]) -> Codes:
    """The codes from the most frequent to the rarest, from how often each occurs; of equals, the lower.

    Masking, audits and verification must rank values without an order alike.

    >>> by_frequency(np.array([0, 1, 2])).tolist()
    [2, 1, 0]
    """
    return np.argsort(-counts, kind="stable").astype(np.int32)


def sorted_rows(codes: Codes, size: int, key: Key, purpose: str) -> Codes:
    """The rows from the lowest code to the highest; rows with equal codes in a random order."""
    rows = key.permutation(purpose, codes.size)
    ordered: Codes = sort_by_group(rows, codes, count_starts(codes, size))
    return ordered


def reverse_map(original: Codes, masked: Codes, key: Key, purpose: str) -> Codes:
    """For each masked value the original value of the same rank (Algorithm 1), as its code.

    Domingo-Ferrer and Muralidhar (2016): ties among masked values are broken at random. Where one
    column has more rows than the other, ranks are shares of them.

    >>> x, y = np.array([2, 0, 1], np.int32), np.array([0, 1, 2], np.int32)
    >>> reverse_map(x, y, Key(bytes(32)), "example").tolist()
    [0, 1, 2]
    """
    order = sorted_rows(masked, int(masked.max()) + 1, key, purpose)
    ordered = np.repeat(np.arange(int(original.max()) + 1, dtype=np.int32), np.bincount(original))
    mapped = np.empty_like(masked)
    if masked.size == original.size:
        mapped[order] = ordered
    else:
        middles = 2 * np.arange(masked.size, dtype=np.int64) + 1
        mapped[order] = ordered[middles * original.size // (2 * masked.size)]
    return mapped


@dataclass(frozen=True)
class Ranked:
    """A column of which every value has a rank and a place on a line."""

    codes: Codes
    """Missing values have the last code: they rank highest."""
    places: NDArray[np.float64]
    """Where the value of each code lies: numbers where they are, others at their position."""

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """How often each code occurs."""
        return np.bincount(self.codes, minlength=self.places.size)

    @cached_property
    def middles(self) -> NDArray[np.int64]:
        """Twice the middle rank of each code."""
        return middle_ranks(self.counts)

    @property
    def ranks(self) -> NDArray[np.int64]:
        """Twice the middle rank of every row."""
        return self.middles[self.codes]

    @property
    def values(self) -> NDArray[np.float64]:
        """Where every row's value lies."""
        return self.places[self.codes]

    def closest(self, places: NDArray[np.float64]) -> Codes:
        """The code of the value that is closest to each place; of two, the lower."""
        present = np.flatnonzero(self.counts)
        known = self.places[present]
        above = np.clip(np.searchsorted(known, places), 0, known.size - 1)
        below = np.maximum(above - 1, 0)
        with np.errstate(invalid="ignore"):  # missing values lie at infinity
            is_below = places - known[below] <= known[above] - places
        is_same = known[above] == places
        return present[np.where(is_below & ~is_same, below, above)].astype(np.int32)


def rank_correlation(one: NDArray[np.int64], two: NDArray[np.int64]) -> float | None:
    """Spearman's correlation of ranks; None where one of them does not vary.

    >>> round(rank_correlation(np.array([2, 4, 6]), np.array([2, 6, 4])), 3)
    0.5
    """
    a, b = (ranks - ranks.mean() for ranks in (one, two))
    spread = float(np.sqrt((a @ a) * (b @ b)))
    return float(a @ b) / spread if spread > 0 else None
