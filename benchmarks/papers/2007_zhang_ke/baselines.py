"""What the thesis compares with: full-domain generalization, and rank swapping with its bounds."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Self

import numpy as np
from numpy.typing import NDArray

from anonagram import Microdata
from anonagram.microdata import Column
from anonagram.partition import Partition

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def full_domain(microdata: Microdata, l: int) -> Partition:
    """The groups of a full-domain generalization with l different sensitive values in each.

    Every combination of levels is looked at; of those that are good, the one with most groups.
    """
    (sensitive,) = microdata.with_role("sensitive")
    levels = [_levels(column) for column in microdata.with_role("quasi")]
    best = np.zeros(microdata.rows, np.int64)
    most = 1
    for chosen in product(*levels):
        combined = np.zeros(microdata.rows, np.int64)
        for labels in chosen:
            combined = combined * (int(labels.max()) + 1) + labels
        groups, group_of = np.unique(combined, return_inverse=True)
        if groups.size <= most:
            continue
        pairs = np.unique(group_of * sensitive.cardinality + sensitive.codes)
        if np.bincount(pairs // sensitive.cardinality, minlength=groups.size).min() >= l:
            best, most = group_of, groups.size
    return Partition(best.astype(np.int32), most)


def _levels(column: Column) -> list[Ints]:
    """Every row's label at each level of the column's hierarchy."""
    if column.hierarchy is None:
        return [column.codes.astype(np.int64), np.zeros(column.codes.size, np.int64)]
    # a hierarchy lists more values than occur; codes follow its order
    place = {value: number for number, value in enumerate(column.hierarchy.values)}
    own = np.array([place[column.text(code)] for code in range(len(column.domain))])
    found = []
    for labels in column.hierarchy.levels:
        _, numbers = np.unique(labels, return_inverse=True)
        found.append(numbers[own][column.codes])
    return found


@dataclass(frozen=True)
class RankSwapped:
    """Values swapped within the smallest (k,e) window of ranks around each (Moore 1996)."""

    x: Floats
    """The values, sorted."""
    published: Ints
    """The rank of the value that each row was given."""
    window: Ints
    """For each rank, how far on both sides its window goes."""

    @classmethod
    def of(cls, values: Floats, k: int, e: float, seed: int) -> Self:
        """Swap every value once, with a random one of its window that is not swapped yet."""
        random = np.random.default_rng(seed)
        order = np.lexsort((random.random(values.size), values))
        x = values[order]
        window = _windows(x, k, e)
        given = np.arange(x.size)
        free = np.ones(x.size, np.bool_)
        for rank in random.permutation(x.size):
            if not free[rank]:
                continue
            near = np.arange(max(0, rank - window[rank]), min(x.size, rank + window[rank] + 1))
            near = near[free[near] & (near != rank)]
            if near.size:
                other = random.choice(near)
                given[rank], given[other] = other, rank
                free[[rank, other]] = False
        published = np.empty(x.size, np.int64)
        published[order] = given
        return cls(x, published, window)

    def average(self, mask: NDArray[np.bool_]) -> tuple[float, float]:
        """Bounds of the mean true value of some rows: each has a rank of its own within reach."""
        low, high = self._reach
        ranks = np.sort(self.published[mask])
        least = most = 0.0
        taken = -1
        for rank in ranks:
            taken = max(taken + 1, low[rank])
            least += self.x[taken]
        taken = self.x.size
        for rank in ranks[::-1]:
            taken = min(taken - 1, high[rank])
            most += self.x[taken]
        return least / ranks.size, most / ranks.size

    @cached_property
    def _reach(self) -> tuple[Ints, Ints]:
        """The ranks from which a value can have come: within its own window or within theirs."""
        size = self.x.size
        every = np.arange(size)
        low = np.maximum(0, every - self.window)
        high = np.minimum(size - 1, every + self.window)
        for rank in every:
            first, last = max(0, rank - self.window[rank]), min(size, rank + self.window[rank] + 1)
            low[rank:last] = np.minimum(low[rank:last], rank)
            high[first : rank + 1] = np.maximum(high[first : rank + 1], rank)
        # never falling, so that taking the next free rank is the best assignment or better
        return np.minimum.accumulate(low[::-1])[::-1], np.maximum.accumulate(high)


def _windows(x: Floats, k: int, e: float) -> Ints:
    codes = np.unique(x, return_inverse=True)[1]
    window = np.empty(x.size, np.int64)
    for rank in range(x.size):
        reach = 0
        while True:
            low, high = max(0, rank - reach), min(x.size - 1, rank + reach)
            if codes[high] - codes[low] + 1 >= k and x[high] - x[low] >= e:
                break
            reach += 1
        window[rank] = reach
    return window
