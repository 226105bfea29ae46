"""Many questions about subdomains, one after the other: the tables encoded once."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from anonagram.columns.places import is_measured
from anonagram.columns.recoding import codes_among
from anonagram.columns.spans import to_ticks
from anonagram.errors import CallError
from anonagram.microdata import Column, Microdata
from anonagram.queries.coded import CodedRows, Conditions
from anonagram.queries.subdomains.bounds import Aggregates, Cells, Slots, everybody, meeting
from anonagram.queries.subdomains.worth import NotFinite, Worth, as_numbers
from anonagram.release import WithSubdomains
from anonagram.shown.wording import option

Reading = tuple[float | None, Any, Any]
"""Estimate, lower and upper."""


class ManySubdomains:
    """The groups of a release of subdomains, ready for many questions."""

    def __init__(self, release: WithSubdomains, microdata: Microdata) -> None:
        self.release = release
        kept = [column for column in microdata.columns if column.name not in release.sensitive]
        codes = {column.name: column.codes_of(release.quasi[column.name]) for column in kept}
        self.rows = CodedRows(kept, codes)
        self.group_of = release.quasi[release.manifest.layout["group"]].to_numpy() - 1
        self.groups = int(self.group_of.max()) + 1
        self.slots = {name: Slots(release.slots(name)) for name in release.sensitive}
        self.between = {
            name: _neighbours(microdata.column(name), release) for name in release.sensitive
        }

    def answer(
        self,
        aggregate: str,
        conditions: Conditions,
        target: Column | None,
        picked: NDArray[np.bool_] | None = None,
    ) -> Reading:
        """Estimate and bounds of a COUNT, SUM or AVG over everybody, or over rows that were picked."""
        exact = [each for each in conditions if each[0].name not in self.slots]
        mask = self.rows.meeting(exact).astype(np.bool_)
        cells = self._cells(mask if picked is None else mask & picked)
        hits = everybody(cells)
        own = np.ones(0, np.bool_)
        for column, first, stop in conditions:
            if column.name not in self.slots:
                continue
            met = self._met(column.name, first, stop)
            if target is not None and column.name == target.name:
                own = met
                continue
            tree = self.release.tree(column.name)
            worth = Worth.of(tree, met, np.zeros(met.size, np.int64), None)
            hits = meeting(cells, hits, self.slots[column.name], worth)
        if target is None:
            return (
                float(hits.expected.sum()),
                int(hits.fewest.sum()),
                int(hits.most.sum()),
            )
        return self._total(
            aggregate, Aggregates(cells, hits, self.slots[target.name], self._worth(target, own))
        )

    def _cells(self, mask: NDArray[np.bool_]) -> Cells:
        people = np.bincount(self.group_of[mask], minlength=self.groups)
        group = np.flatnonzero(people)
        return Cells(np.zeros(group.size, np.int64), group, people[group], 1)

    def _met(self, name: str, first: int, stop: int) -> NDArray[np.bool_]:
        low, high = self.between[name]
        found: NDArray[np.bool_] = (low >= first) & (high < stop)
        return found

    def _worth(self, target: Column, met: NDArray[np.bool_]) -> Worth:
        tree = self.release.tree(target.name)
        there = ~tree.is_missing & (met if met.size else True)
        try:
            amounts, scale = as_numbers(
                tree.values.to_list(), int(self.slots[target.name].sizes.sum())
            )
        except NotFinite as error:
            raise CallError(
                f"The numbers of {target.name!r} are too large to be added up for a workload.",
                option("--aggregate COUNT", 'aggregate="COUNT"'),
            ) from error
        return Worth.of(tree, there, amounts, scale)

    def _total(self, aggregate: str, found: Aggregates) -> Reading:
        if found.most[0] == 0:
            return None, None, None
        estimate = float(found.expected_sum()[0])
        if aggregate == "AVG":
            low, high = found.means()
            return estimate / max(float(found.expected[0]), 1e-300), float(low[0]), float(high[0])
        low, high = found.sums()
        off, scale = found.slack(low), 10 ** (found.worth.scale or 0)
        return estimate, float(low[0] - off[0]) / scale, float(high[0] + off[0]) / scale


def _neighbours(
    column: Column, release: WithSubdomains
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """For each value of the tree its code in the original, or those that it lies between."""
    values = release.tree(column.name).values
    codes = codes_among(column.domain, values.cast(column.domain.dtype), -1).astype(np.int64)
    if not is_measured(column.kind) or (codes >= 0).all():
        return codes, codes
    places = to_ticks(column.domain).to_numpy().astype(np.float64)
    after = np.searchsorted(places, to_ticks(values).fill_null(0).to_numpy().astype(np.float64))
    return np.where(codes < 0, after - 1, codes), np.where(codes < 0, after, codes)
