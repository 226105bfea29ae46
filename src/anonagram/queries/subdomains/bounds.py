"""Bounds of aggregates over slots: whoever is asked about has any of a group's subdomains.

m people of a group with N published subdomains have any m of them, each any value inside. So at
least m - (N - c) of them meet a condition that c subdomains meet for certain, and at most as many as
there are subdomains with a value that does; the least sum is that of the m slots that are worth
least. Fakes are among the N and in no way special.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anonagram.columns.rounding import EXACT_IN_DOUBLE, MARGIN, MEAN_ROUNDING, ROUNDING
from anonagram.kernels.slots import find_least, sum_least, sum_least_above
from anonagram.kernels.subdomains import Pushed
from anonagram.queries.subdomains.worth import Numbers, Worth

Ints = NDArray[np.int64]
STEPS = 100
"""Halvings until the bounds of a mean are as near as doubles can be."""


@dataclass(frozen=True)
class Cells:
    """How many people of each group are asked about, for each key."""

    key: Ints
    group: Ints
    people: Ints
    keys: int

    @property
    def apart(self) -> Cells:
        """The same people, each cell a group of its own: what they have themselves is theirs alone."""
        return Cells(self.key, np.arange(self.group.size), self.people, self.keys)

    def total(self, each: NDArray[Any]) -> NDArray[Any]:
        """The sum over the groups of every key."""
        found = np.zeros(self.keys, each.dtype)
        np.add.at(found, self.key, each)
        return found


@dataclass(frozen=True)
class Hits:
    """How many people of each cell meet the conditions: at least, at most, and as expected."""

    fewest: Ints
    most: Ints
    expected: NDArray[np.float64]

    @property
    def is_known(self) -> bool:
        """Whether it is one number everywhere."""
        return bool((self.fewest == self.most).all())


class Slots:
    """What people of each group can have: the published subdomains of an attribute, or amounts."""

    def __init__(self, slots: Pushed, groups: int | None = None) -> None:
        self.slots = slots
        groups = int(slots.group.max()) + 1 if groups is None else groups
        self.starts = np.searchsorted(slots.group, np.arange(groups + 1)).astype(np.int64)
        self.sizes = self._summed(np.ones(slots.node.size))

    def _summed(self, each: NDArray[np.float64]) -> NDArray[np.float64]:
        """Something of every slot, added up by group."""
        amounts: NDArray[np.float64] = self.slots.count * each
        return np.bincount(self.slots.group, amounts, self.starts.size - 1).astype(np.float64)

    def means(self, of_node: NDArray[np.float64]) -> NDArray[np.float64]:
        """What is expected of a random slot of each group."""
        return self._summed(of_node[self.slots.node]) / self.sizes

    def counts(self, of_node: NDArray[np.bool_]) -> Ints:
        """How many slots of each group are of some nodes."""
        return self._summed(of_node[self.slots.node].astype(np.float64)).astype(np.int64)

    def sorted(self, of_node: Numbers) -> tuple[Numbers, Ints]:
        """The worth of every slot and how often it occurs, in ascending order inside each group."""
        worth = of_node[self.slots.node]
        order = np.lexsort((worth, self.slots.group))
        return worth[order], self.slots.count[order].astype(np.int64)


def everybody(cells: Cells) -> Hits:
    """All people who are asked about."""
    return Hits(cells.people, cells.people, cells.people.astype(np.float64))


def meeting(cells: Cells, hits: Hits, slots: Slots, worth: Worth) -> Hits:
    """Those of some people whose subdomains also meet a condition."""
    certain, possible = (slots.counts(each)[cells.group] for each in (worth.sure, worth.can))
    others = slots.sizes[cells.group].astype(np.int64) - certain
    return Hits(
        np.maximum(0, hits.fewest - others),
        np.minimum(hits.most, possible),
        hits.expected * slots.means(worth.chance)[cells.group],
    )


@dataclass(frozen=True)
class Aggregates:
    """The aggregates of one attribute for some people."""

    cells: Cells
    hits: Hits
    """Before the attribute's own condition."""
    slots: Slots
    worth: Worth

    @cached_property
    def counted(self) -> Hits:
        """How many people have a value that is there and meets the conditions."""
        return meeting(self.cells, self.hits, self.slots, self.worth)

    @cached_property
    def fewest(self) -> Ints:
        """Of each key."""
        return self.cells.total(self.counted.fewest)

    @cached_property
    def most(self) -> Ints:
        """Of each key."""
        return self.cells.total(self.counted.most)

    @property
    def expected(self) -> NDArray[np.float64]:
        """How many are expected, of each key."""
        return self.cells.total(self.counted.expected)

    def expected_sum(self) -> NDArray[np.float64]:
        """The sum that is expected, of each key."""
        means = self.slots.means(self.worth.mean)[self.cells.group]
        sums: NDArray[np.float64] = self.cells.total(self.hits.expected * means)
        return sums / 10.0 ** (self.worth.scale or 0)

    def sums(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """The least and the largest sum of each key, in the last decimal place where there is one."""
        low = self._least(np.where(self.worth.sure, self.worth.low, np.minimum(self.worth.low, 0)))
        high = -self._least(
            -np.where(self.worth.sure, self.worth.high, np.maximum(self.worth.high, 0))
        )
        return low, high

    def _least(self, worth: Numbers) -> NDArray[Any]:
        ordered, counts = self.slots.sorted(worth)
        sums = np.zeros(self.cells.group.size, ordered.dtype)
        found = sum_least(
            self.cells.group,
            self.hits.fewest,
            self.hits.most,
            self.slots.starts,
            ordered,
            counts,
            sums,
        )
        return self.cells.total(found)

    def slack(self, values: NDArray[Any]) -> NDArray[np.float64]:
        """By how much sums of floating-point numbers can be off."""
        if values.dtype != np.float64:
            return np.zeros(values.size)
        people = self.cells.total(self.hits.most).astype(np.float64)
        widest = np.maximum(np.abs(self.worth.low), np.abs(self.worth.high)).max(initial=0.0)
        return people * float(widest) * ((people + MARGIN) * ROUNDING)

    def variance_of_sum(self) -> NDArray[np.float64]:
        """Over all ways to give a group's slots to its people, where their number is known."""
        if not self.hits.is_known:
            return np.full(self.cells.keys, np.nan)
        size, m = self.slots.sizes[self.cells.group], self.hits.most
        mean = self.slots.means(self.worth.mean)[self.cells.group]
        between = self.slots.means(self.worth.mean**2)[self.cells.group] - mean**2
        inside = self.slots.means(self.worth.square - self.worth.mean**2)[self.cells.group]
        drawn = m * (size - m) / np.maximum(size - 1, 1) * between + m * inside
        return self.cells.total(drawn) / 100.0 ** (self.worth.scale or 0)

    # Means

    def means(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The least and the largest mean of each key; of nobody, 0."""
        scale = 10 ** (self.worth.scale or 0)
        if self.hits.is_known and self.worth.sure[self.slots.slots.node].all():
            return self._known_means(scale)
        return self._mean(1) / scale, -self._mean(-1) / scale

    def _known_means(self, scale: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        people, found = np.maximum(self.cells.total(self.hits.most), 1), []
        for sign, sums in zip((-1, 1), self.sums(), strict=True):
            off = self.slack(sums)
            if sums.dtype != np.float64:
                large = np.abs(sums) >= EXACT_IN_DOUBLE
                off = np.where(large | (scale > 1), np.abs(sums) * MEAN_ROUNDING, 0.0)
            found.append((sums + sign * off) / people / scale)
        return found[0], found[1]

    def _mean(self, sign: int) -> NDArray[np.float64]:
        """The least mean of each key, or the largest with its sign turned.

        A mean is at least x if, in every world, values above x make up for those below it. The
        larger x the less they do, so the largest such x is found by halves.
        """
        low = (self.worth.low if sign > 0 else -self.worth.high).astype(np.float64)
        # what can never be among them adds nothing, like what is worth too much
        worth = np.where(self.worth.can, low, np.inf)[self.slots.slots.node]
        order = np.lexsort((worth, self.slots.slots.group))
        sure = self.worth.sure[self.slots.slots.node][order]
        given = worth[order], sure, self.slots.slots.count[order].astype(np.int64)
        reached = worth[np.isfinite(worth)]
        # a mean is no less than the least value, nor is its least more than the largest least one
        first, last = (reached.min(), reached.max()) if reached.size else (0.0, 0.0)
        below, above = np.full(self.cells.keys, first), np.full(self.cells.keys, last)
        for _ in range(STEPS):
            middle = below / 2 + above / 2
            holds = self._is_above(middle, *given)
            below, above = np.where(holds, middle, below), np.where(holds, above, middle)
        # where no world is below the upper end either, it is the answer itself
        below = np.where(self._is_above(above, *given), above, below)
        people = self.cells.total(self.hits.most).astype(np.float64)
        return below - float(max(abs(first), abs(last))) * (people + MARGIN) * 2 * ROUNDING

    def _is_above(
        self,
        levels: NDArray[np.float64],
        worth: NDArray[np.float64],
        sure: NDArray[np.bool_],
        counts: Ints,
    ) -> NDArray[np.bool_]:
        """For each key whether no world has a mean below a level."""
        sums = sum_least_above(
            self.cells.group,
            self.hits.fewest,
            self.hits.most,
            levels[self.cells.key],
            self.slots.starts,
            worth,
            sure,
            counts,
        )
        return self.cells.total(sums) >= 0

    # Extremes

    def extremes(self, *, largest: bool) -> tuple[Numbers, Numbers]:
        """Between which values the least value of each key lies, or the largest."""
        sign = -1 if largest else 1
        low, high = (
            (self.worth.high, self.worth.low) if largest else (self.worth.low, self.worth.high)
        )
        none = np.iinfo(np.int64).max if low.dtype == np.int64 else math.inf
        first = np.where(self.worth.can, sign * low, none)
        last = np.where(self.worth.sure, sign * high, none)
        one = self._first(first, np.ones_like(self.hits.most), self.counted.most > 0, none)
        # with as few people as can be, who have the slots that are worth most
        rank = self.slots.sizes[self.cells.group].astype(np.int64) - self.hits.fewest + 1
        two = self._first(last, rank, self.hits.fewest > 0, none)
        two = np.where(
            two == none, self._furthest(np.where(self.worth.can, sign * high, -none)), two
        )
        return sign * one, sign * two

    def _first(self, worth: Numbers, rank: Ints, asked: NDArray[np.bool_], none: Any) -> Numbers:
        """The least over a key's groups of what the slot of a rank is worth."""
        ordered, counts = self.slots.sorted(worth)
        found = find_least(self.cells.group, rank, self.slots.starts, ordered, counts)
        least: Numbers = np.full(self.cells.keys, none).astype(ordered.dtype)  # type: ignore[assignment]
        np.minimum.at(least, self.cells.key[asked], found[asked])
        return least

    def _furthest(self, worth: Numbers) -> Numbers:
        """The largest worth of any slot that a key's people can have."""
        by_group = np.maximum.reduceat(worth[self.slots.slots.node], self.slots.starts[:-1])
        asked = self.counted.most > 0
        most: Numbers = np.full(self.cells.keys, worth.min(initial=0)).astype(worth.dtype)  # type: ignore[assignment]
        np.maximum.at(most, self.cells.key[asked], by_group[self.cells.group][asked])
        return most
