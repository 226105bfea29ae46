"""Many questions, one after the other: the rows of a perturbed release encoded once."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anonagram.columns.rounding import MARGIN, ROUNDING
from anonagram.microdata import Column, Microdata
from anonagram.queries.answers import Estimate
from anonagram.queries.coded import CodedRows, Conditions
from anonagram.queries.replaced.bounds import counted, reach
from anonagram.queries.replaced.inversion import Figure, Moments, NotInvertible, Perturbation
from anonagram.queries.replaced.taken import estimated
from anonagram.release import Replaced

Floats = NDArray[np.float64]


class ManyRows:
    """The published rows, and the distribution of every quasi-identifier."""

    def __init__(self, release: Replaced, microdata: Microdata) -> None:
        self.transition = release.transition
        codes = {c.name: c.codes_of(release.rows[c.name]) for c in microdata.columns}
        self.rows = CodedRows(microdata.columns, codes)
        self.codes = codes
        self.shares: dict[str, Floats] = {}
        count = release.manifest.layout["count"]
        for name, table in release.marginals.items():
            column = microdata.column(name)
            shares = np.zeros(len(column.domain) + 1)
            shares[column.codes_of(table[name])] = (
                table[count].to_numpy() / release.manifest.rows.original
            )
            self.shares[name] = shares

    def answer(self, aggregate: str, conditions: Conditions, target: Column | None) -> Estimate:
        """Both readings, the better one of them, and bounds; no estimate where there is none."""
        asked, kept = self._axes(conditions)
        # each row's cell: one bit for each condition, and one for all that ask of kept columns
        bits = [self.rows.meeting([each]) for each in asked]
        bits += [self.rows.meeting(kept)] if kept else []
        cell = np.zeros(self.rows.height, np.int64)
        for place, bit in enumerate(bits):
            cell |= bit.astype(np.int64) << place
        count = np.bincount(cell, minlength=2 ** len(bits)).astype(np.float64)
        function = np.zeros((2,) * len(bits))
        function[(1,) * len(bits)] = 1.0
        names = [column.name for column, _, _ in asked]
        own = [self._share(*each) for each in asked]
        perturbation = Perturbation(
            [*own, None] if kept else own,
            lambda axes: self.transition.share_untouched(names[axis] for axis in axes),
        )
        cells = tuple((np.arange(count.size) >> place) & 1 for place in range(len(bits)))
        values = None if target is None else self._numbers(target)
        sums, squares = count, count
        if values is not None:
            sums = np.bincount(cell, values, minlength=count.size).astype(np.float64)
            squares = np.bincount(cell, values**2, minlength=count.size).astype(np.float64)
        moments = Moments(count, sums, squares)
        asking = _Asking(aggregate, function, perturbation, cells, moments)
        touched = [i for i, name in enumerate(names) if self.transition.replaced[name] > 0]
        several = self.transition.attributes
        bounds: tuple[float | None, float | None]
        if values is None:
            bounds = asking.count_bounds(touched, several)
        else:
            low, high = (each[cells][cell] > 0 for each in reach(function, touched, several))
            bounds = _bounds(aggregate, values, low, high)
        return estimated(asking.figure(), *bounds)

    def _numbers(self, target: Column) -> Floats:
        numbers: Floats = target.decode(self.codes[target.name]).to_numpy().astype(np.float64)
        return numbers

    def _axes(self, conditions: Conditions) -> tuple[Conditions, Conditions]:
        """The conditions on columns that may have been replaced, and those on others."""
        replaced = [each for each in conditions if each[0].name in self.shares]
        return replaced, [each for each in conditions if each[0].name not in self.shares]

    def _share(self, column: Column, first: int, stop: int) -> Floats:
        met = float(self.shares[column.name][first:stop].sum())
        return np.array([1 - met, met])


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


def _bounds(
    aggregate: str, values: Floats, must: NDArray[np.bool_], can: NDArray[np.bool_]
) -> tuple[float | None, float | None]:
    """Of a SUM or AVG of values of people who must, or can, be meant."""
    if not can.any():
        return None, None
    slack = (values.size + MARGIN) * ROUNDING
    if aggregate == "AVG":
        ends = float(values[can].min()), float(values[can].max())
        off = max(map(abs, ends)) * slack
    else:
        sure, maybe = values[must].sum(), values[can & ~must]
        ends = float(sure + maybe[maybe < 0].sum()), float(sure + maybe[maybe > 0].sum())
        off = float(np.abs(values[can]).sum()) * slack
    return ends[0] - off, ends[1] + off
