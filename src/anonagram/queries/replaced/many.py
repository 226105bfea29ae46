"""Many questions, one after the other: the rows of a perturbed release encoded once."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from anonagram.columns.rounding import MARGIN, ROUNDING
from anonagram.microdata import Column, Microdata
from anonagram.queries.answers import Estimate
from anonagram.queries.coded import CodedRows, Conditions
from anonagram.queries.replaced.bounds import counted, reach
from anonagram.queries.replaced.inversion import Figure, Moments, NotInvertible, Perturbation
from anonagram.queries.replaced.taken import estimated
from anonagram.release import Replaced, Transition

Floats = NDArray[np.float64]


class Ends(NamedTuple):
    """Values of people who may be meant, for the bounds of a SUM or AVG."""

    rows: int
    possible: int
    least: float
    most: float
    sure: float
    """The sum of those who are meant for certain."""
    below: float
    above: float
    """The sums of the negative and of the positive values of others."""
    size: float
    """The sum of absolute values."""

    @classmethod
    def of(cls, values: Floats, must: NDArray[np.bool_], can: NDArray[np.bool_]) -> Self:
        """Values of people who must, or can, be meant."""
        meant, maybe = values[can], values[can & ~must]
        least, most = (meant.min(), meant.max()) if meant.size else (math.inf, -math.inf)
        return cls(
            values.size, meant.size, float(least), float(most), float(values[must].sum()),
            float(maybe[maybe < 0].sum()), float(maybe[maybe > 0].sum()),
            float(np.abs(meant).sum()),
        )  # fmt: skip

    @classmethod
    def joined(cls, several: Sequence[Ends]) -> Self:
        """Those of the rows of several parts."""
        rows, possible, least, most, sure, below, above, size = zip(*several, strict=True)
        return cls(
            sum(rows), sum(possible), min(least), max(most), sum(sure), sum(below), sum(above),
            sum(size),
        )  # fmt: skip

    def bounds(self, aggregate: str) -> tuple[float | None, float | None]:
        """Of a SUM or AVG."""
        if not self.possible:
            return None, None
        slack = (self.rows + MARGIN) * ROUNDING
        if aggregate == "AVG":
            ends = self.least, self.most
            off = max(map(abs, ends)) * slack
        else:
            ends = self.sure + self.below, self.sure + self.above
            off = self.size * slack
        return ends[0] - off, ends[1] + off


class Gathered(NamedTuple):
    """What a question finds in some rows: how many, and of what sums, are in each of its cells."""

    moments: Moments
    ends: Ends | None = None


@dataclass(frozen=True)
class Replacing:
    """How values were replaced, and the share of each value of a quasi-identifier in the original."""

    transition: Transition
    shares: dict[str, Floats]

    def answer(
        self, aggregate: str, conditions: Conditions, several: Sequence[Gathered]
    ) -> Estimate:
        """Both readings, the better one of them, and bounds; no estimate where there is none."""
        asked, kept = self.axes(conditions)
        axes = len(asked) + bool(kept)
        function = np.zeros((2,) * axes)
        function[(1,) * axes] = 1.0
        names = [column.name for column, _, _ in asked]
        own = [self._share(*each) for each in asked]
        perturbation = Perturbation(
            [*own, None] if kept else own,
            lambda axes: self.transition.share_untouched(names[axis] for axis in axes),
        )
        found = zip(*(each.moments for each in several), strict=True)
        moments = Moments(*(np.sum(each, axis=0) for each in found))
        asking = _Asking(aggregate, function, perturbation, _cells(axes), moments)
        ends = [each.ends for each in several if each.ends is not None]
        if ends:
            return estimated(asking.figure(), *Ends.joined(ends).bounds(aggregate))
        touched = self.touched(asked)
        return estimated(asking.figure(), *asking.count_bounds(touched, self.transition.attributes))

    def touched(self, asked: Conditions) -> list[int]:
        """Which of some conditions are on columns that can have been replaced."""
        return [i for i, (c, _, _) in enumerate(asked) if self.transition.replaced[c.name] > 0]

    def axes(self, conditions: Conditions) -> tuple[Conditions, Conditions]:
        """The conditions on columns that may have been replaced, and those on others."""
        replaced = [each for each in conditions if each[0].name in self.shares]
        return replaced, [each for each in conditions if each[0].name not in self.shares]

    def _share(self, column: Column, first: int, stop: int) -> Floats:
        met = float(self.shares[column.name][first:stop].sum())
        return np.array([1 - met, met])


class ManyRows:
    """The published rows, and the distribution of every quasi-identifier."""

    def __init__(self, release: Replaced, microdata: Microdata) -> None:
        codes = {c.name: c.codes_of(release.rows[c.name]) for c in microdata.columns}
        self.rows = CodedRows(microdata.columns, codes)
        self.codes = codes
        all_shares: dict[str, Floats] = {}
        count = release.manifest.layout["count"]
        for name, table in release.marginals.items():
            column = microdata.column(name)
            shares = np.zeros(len(column.domain) + 1)
            shares[column.codes_of(table[name])] = (
                table[count].to_numpy() / release.manifest.rows.original
            )
            all_shares[name] = shares
        self.replacing = Replacing(release.transition, all_shares)

    def answer(self, aggregate: str, conditions: Conditions, target: Column | None) -> Estimate:
        """Both readings, the better one of them, and bounds; no estimate where there is none."""
        return self.replacing.answer(aggregate, conditions, [self.gather(conditions, target)])

    def gather(self, conditions: Conditions, target: Column | None) -> Gathered:
        """What a question finds in these rows."""
        asked, kept = self.replacing.axes(conditions)
        # each row's cell: one bit for each condition, and one for all that ask of kept columns
        bits = [self.rows.meeting([each]) for each in asked]
        bits += [self.rows.meeting(kept)] if kept else []
        cell = np.zeros(self.rows.height, np.int64)
        for place, bit in enumerate(bits):
            cell |= bit.astype(np.int64) << place
        count = np.bincount(cell, minlength=2 ** len(bits)).astype(np.float64)
        if target is None:
            return Gathered(Moments(count, count, count))
        values = self._numbers(target)
        sums = np.bincount(cell, values, minlength=count.size).astype(np.float64)
        squares = np.bincount(cell, values**2, minlength=count.size).astype(np.float64)
        function = np.zeros((2,) * len(bits))
        function[(1,) * len(bits)] = 1.0
        several = self.replacing.transition.attributes
        ends = reach(function, self.replacing.touched(asked), several)
        must, can = (each[_cells(len(bits))][cell] > 0 for each in ends)
        return Gathered(Moments(count, sums, squares), Ends.of(values, must, can))

    def _numbers(self, target: Column) -> Floats:
        numbers: Floats = target.decode(self.codes[target.name]).to_numpy().astype(np.float64)
        return numbers


def _cells(axes: int) -> tuple[NDArray[np.int64], ...]:
    """For each cell whether a row in it meets a condition, for one after the other."""
    return tuple((np.arange(2**axes) >> place) & 1 for place in range(axes))


@dataclass(frozen=True)
class _Asking:
    """One question: which cells it is about, and what lies in them."""

    aggregate: str
    function: Floats
    perturbation: Perturbation
    cells: tuple[NDArray[np.int64], ...]
    moments: Moments

    @property
    def shares(self) -> list[Floats]:
        """Of all axes' states; those that were never perturbed are as the rows say."""
        count = self.moments.n
        return [
            np.bincount(place, count, minlength=2) / count.sum() if own is None else own
            for own, place in zip(self.perturbation.shares, self.cells, strict=True)
        ]

    def figure(self) -> Figure:
        """Both readings; only the naive one where nothing is left to correct by."""
        try:
            if self.aggregate == "SUM":
                return self.perturbation.sum(self.function, self.cells, self.moments)
            if self.aggregate == "AVG":
                return self.perturbation.mean(self.function, self.cells, self.moments)
            return self.perturbation.count(self.function, self.cells, self.moments.n, self.shares)
        except NotInvertible:
            return Figure(None, None, self._naive, None)

    @property
    def _naive(self) -> float | None:
        """What the published rows say as they stand; those that meet everything are last."""
        n, x, _ = self.moments
        if self.aggregate != "AVG":
            return float(x[-1])
        return float(x[-1] / n[-1]) if n[-1] else None

    def count_bounds(self, perturbed: list[int], several: int) -> tuple[int, int]:
        """Of a COUNT."""
        n, shares = self.moments.n, self.shares
        counts = {place: shares[place] * n.sum() for place in perturbed}
        low, high = counted(self.function, self.cells, n, several, counts, shares)
        return math.ceil(low - 1e-6), math.floor(high + 1e-6)
