"""Many questions, one after the other: the rows of a perturbed release encoded once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from anonagram.microdata import Column, Microdata
from anonagram.queries.coded import CodedRows, Conditions
from anonagram.queries.replaced.inversion import Figure, NotInvertible, Perturbation
from anonagram.release import Replaced

Floats = NDArray[np.float64]
Reading = tuple[float | None, float | None, float | None]


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

    def answer(self, aggregate: str, conditions: Conditions, target: Column | None) -> Reading:
        """The estimate, None where there is none; the naive reading; the standard error."""
        asked, kept = self._axes(conditions)
        # each row's cell: one bit for each condition, and one for all that ask of kept columns
        bits = [self.rows.meeting([each]) for each in asked]
        bits += [self.rows.meeting(kept)] if kept else []
        cell = np.zeros(self.rows.height, np.int64)
        for place, bit in enumerate(bits):
            cell |= bit.astype(np.int64) << place
        shape = (2,) * len(bits)
        count = np.bincount(cell, minlength=2 ** len(bits)).astype(np.float64)
        places = tuple((np.arange(count.size) >> place) & 1 for place in range(len(bits)))
        function = np.zeros(shape)
        function[(1,) * len(bits)] = 1.0
        names = [column.name for column, _, _ in asked]
        own = [self._share(*each) for each in asked]
        perturbation = Perturbation(
            [*own, None] if kept else own,
            lambda axes: self.transition.share_untouched(names[axis] for axis in axes),
        )
        sums: Floats = count
        squares: Floats = count
        if target is not None:
            values = target.decode(self.codes[target.name]).to_numpy().astype(np.float64)
            sums = np.bincount(cell, values, minlength=count.size).astype(np.float64)
            squares = np.bincount(cell, values**2, minlength=count.size).astype(np.float64)
        naive = _naive(aggregate, count, sums)
        weights = (count, sums, squares)
        try:
            estimate, error = self._estimate(aggregate, function, perturbation, places, weights)
        except NotInvertible:
            return None, naive, None
        return estimate, naive, error

    def _axes(self, conditions: Conditions) -> tuple[Conditions, Conditions]:
        """The conditions on columns that may have been replaced, and those on others."""
        replaced = [each for each in conditions if each[0].name in self.shares]
        return replaced, [each for each in conditions if each[0].name not in self.shares]

    def _share(self, column: Column, first: int, stop: int) -> Floats:
        met = float(self.shares[column.name][first:stop].sum())
        return np.array([1 - met, met])

    @staticmethod
    def _estimate(
        aggregate: str,
        function: Floats,
        perturbation: Perturbation,
        cells: tuple[NDArray[np.int64], ...],
        weights: tuple[Floats, Floats, Floats],
    ) -> Figure:
        count, sums, squares = weights
        if aggregate == "SUM":
            return perturbation.sum(function, cells, sums, squares)
        if aggregate == "AVG":
            return perturbation.mean(function, cells, count, sums, squares)
        shares = [
            np.bincount(place, count, minlength=2) / count.sum() if own is None else own
            for own, place in zip(perturbation.shares, cells, strict=True)
        ]
        return perturbation.count(function, cells, count, shares)


def _naive(aggregate: str, count: Floats, sums: Floats) -> float | None:
    """What the published rows say as they stand; those that meet everything are in the last cell."""
    if aggregate != "AVG":
        return float(sums[-1])
    return float(sums[-1] / count[-1]) if count[-1] else None
