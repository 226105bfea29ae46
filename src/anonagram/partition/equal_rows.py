"""Rows of codes that are equal in everything: how often each occurs, and which is which."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray


class Contents(NamedTuple):
    """Different rows, and how often each occurs."""

    codes: NDArray[np.int32]
    times: NDArray[np.int64]

    @classmethod
    def of(cls, codes: NDArray[np.int32]) -> Self:
        """Each of some rows once."""
        return cls._added(codes, np.ones(len(codes), np.int64))

    @classmethod
    def together(cls, found: Sequence[Contents]) -> Self:
        """The same of several parts of a table."""
        codes, times = zip(*found, strict=True)
        return cls._added(np.concatenate(codes), np.concatenate(times))

    @classmethod
    def _added(cls, codes: NDArray[np.int32], times: NDArray[np.int64]) -> Self:
        if not len(codes):
            return cls(codes, times)
        order, starts = _runs(codes)
        return cls(codes[order[starts]], np.add.reduceat(times[order], starts))

    def repeated(self) -> NDArray[np.int32]:
        """Every row as often as it occurs."""
        return np.repeat(self.codes, self.times, axis=0)


def places_among_equals(codes: NDArray[np.int32]) -> NDArray[np.int32]:
    """For each row how many of those before it are equal to it."""
    if not len(codes):
        return np.zeros(0, np.int32)
    order, starts = _runs(codes)
    sizes = np.diff(np.append(starts, order.size))
    places = np.empty(order.size, np.int32)
    places[order] = np.arange(order.size) - np.repeat(starts, sizes)
    return places


def _runs(codes: NDArray[np.int32]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Rows in an order in which equal ones stand together, and where each run of them begins."""
    words = _packed(codes)
    order = np.lexsort(words)
    is_new = np.append(True, np.any([w[order[1:]] != w[order[:-1]] for w in words], axis=0))
    return order, np.flatnonzero(is_new)


def _packed(codes: NDArray[np.int32]) -> list[NDArray[np.int64]]:
    """The same rows as fewer numbers: equal where they are equal. Sorting takes time for each."""
    words, room = [np.zeros(len(codes), np.int64)], 2**62
    for column in codes.T:
        size = int(column.max()) + 1
        if size > room:
            words, room = [*words, np.zeros(len(codes), np.int64)], 2**62
        words[-1] = words[-1] * size + column
        room //= size
    return words
