"""Many questions, one after the other: the groups of a release encoded and sorted once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonagram.columns.recoding import codes_among
from anonagram.columns.spans import to_ticks
from anonagram.errors import CallError
from anonagram.kernels.conditions import reach_of_range, reach_of_set, sum_by_group
from anonagram.kernels.hits import Counts, Reach, Sorted, Sums, bound_counts
from anonagram.microdata import Column, Microdata
from anonagram.queries.coded import CodedRows, Conditions
from anonagram.queries.rearranged.counting import NOWHERE, Summed, bounds_of, sums_between
from anonagram.queries.rearranged.groups import LARGEST_SUM, CannotCount, Groups, hit_type
from anonagram.release.sheet import RANGES, Part, RangeColumn
from anonagram.shown.wording import option

Reading = tuple[float | None, Any, Any]
"""Estimate, lower and upper."""


class Met(NamedTuple):
    """What the conditions of a question tell about every group."""

    hits: NDArray[Any]
    """The rows that meet them: those of each part."""
    reach: Reach


class Table(NamedTuple):
    """A table sorted by group."""

    rows: CodedRows
    starts: NDArray[np.int64]
    weights: NDArray[np.int64]
    """How many people each row stands for; empty where it is one."""


class ManyGroups:
    """The groups of a release as its sheet lays them out, ready for many questions."""

    def __init__(self, groups: Groups, microdata: Microdata) -> None:
        self.groups, self.sheet = groups, groups.sheet
        self.tables: dict[str, Table] = {}
        self.ranges: dict[str, tuple[NDArray[Any], ...]] = {}
        self.sets: dict[str, tuple[NDArray[Any], NDArray[np.int64]]] = {}
        for part in self.sheet.parts.values():
            if part.table not in self.tables:
                self._add(part, microdata)
        for name, told in self.sheet.ranges.items():
            self._add_range(told, microdata.column(name))
        self.real = None if self.sheet.real is None else self._real(self.sheet.real)

    def part_of(self, column: Column) -> Part:
        """The part in which a column that stands in rows is."""
        return self.sheet.parts[self.sheet.part_of(column.name)]

    def _add(self, part: Part, microdata: Microdata) -> None:
        """Encode a table with a row each person (or several, as a weight says)."""
        table = self.sheet.tables[part.table]
        ordered = table.sort(self.sheet.group, maintain_order=True)
        stand = {n for p in self.sheet.parts.values() if p.table == part.table for n in p.columns}
        columns = [column for column in microdata.columns if column.name in stand]
        rows = CodedRows(columns, {c.name: _known_codes(c, ordered[c.name]) for c in columns})
        numbers = pl.Series(np.arange(1, self.groups.sizes.size + 1))
        places = ordered[self.sheet.group].search_sorted(numbers).to_numpy()
        weights = np.zeros(0, np.int64)
        if part.weight is not None:
            weights = ordered[part.weight].cast(pl.Int64).to_numpy()
        starts = np.append(places, table.height).astype(np.int64)
        self.tables[part.table] = Table(rows, starts, weights)

    def _real(self, name: str) -> tuple[str, NDArray[np.uint8]]:
        """Which rows of its table stand for people, in the order of groups."""
        table = self.sheet.parts[self.sheet.part_of(name)].table
        ordered = self.sheet.tables[table].sort(self.sheet.group, maintain_order=True)
        return table, ordered[name].to_numpy().astype(np.uint8)

    def _add_range(self, told: RangeColumn, column: Column) -> None:
        """Encode what the groups tell of a column in place of its values."""
        groups = self.sheet.tables[told.table].sort(self.sheet.group)
        if told.ends is None:
            listed = groups[told.name]
            lengths = listed.list.len().to_numpy().astype(np.int64)
            members = column.codes_of(listed.explode())
            self.sets[told.name] = (members, np.concatenate([[0], np.cumsum(lengths)]))
            return
        low, high, missing = (groups[name] for name in told.ends)
        absent, unknown = len(column.domain), missing.to_numpy()
        first, last = (
            np.where(codes == absent, -1, codes.astype(np.int64))
            for codes in (column.codes_of(low), column.codes_of(high))
        )
        if told.order is not None:
            self.sets[told.name] = _listed(first, last, unknown, absent)
        else:
            places = to_ticks(column.domain).cast(pl.Float64).to_numpy()
            self.ranges[told.name] = (first, last, unknown, places)

    def met(
        self, conditions: Conditions, picked: tuple[Part, NDArray[np.uint8]] | None = None
    ) -> Met:
        """What conditions, and rows of a part that were picked by hand, tell about every group."""
        asked: dict[str, list[tuple[Column, int, int]]] = {}
        for each in conditions:
            asked.setdefault(self.sheet.part_of(each[0].name), []).append(each)
        reach = self._reach(asked.pop(RANGES)) if RANGES in asked else NOWHERE
        masks = [] if picked is None else [(picked[0].table, picked[1])]
        for name, these in asked.items():
            table = self.sheet.parts[name].table
            masks.append((table, self.tables[table].rows.meeting(these)))
        if self.real is not None:
            masks.append(self.real)
        sizes = self.groups.sizes
        hits = np.empty((max(1, len(masks)), sizes.size), hit_type(sizes))
        if not masks:
            hits[0] = sizes  # everybody
        for place, (table, mask) in enumerate(masks):
            coded = self.tables[table]
            sum_by_group(mask, coded.weights, coded.starts, hits[place])
        return Met(hits, reach)

    def _reach(self, conditions: Conditions) -> Reach:
        """What conditions on columns that are told as ranges tell about every group."""
        sizes = self.groups.sizes
        certain = np.ones(sizes.size, np.bool_)
        possible, share = certain.copy(), np.ones(sizes.size)
        for column, first, stop in conditions:
            if column.name in self.sets:
                reach_of_set(*self.sets[column.name], first, stop, certain, possible, share)
            else:
                low, high, missing, places = self.ranges[column.name]
                reach_of_range(
                    low, high, missing, places, first, stop, sizes, certain, possible, share
                )
        return Reach(certain, possible, share)

    def answer(self, aggregate: str, met: Met, target: Column | None) -> Reading:
        """Estimate and bounds of a COUNT, of a SUM, or of an AVG where hits are certain."""
        return reading(aggregate, [self.gather(met, target)], target)

    def gather(self, met: Met, target: Column | None) -> Gathered:
        """What a question finds in these groups."""
        first, others, sizes = met.hits[:1], met.hits[1:], self.groups.sizes
        if target is None:
            counts = bound_counts(first, others, met.reach, sizes, 0, sizes.size)
            return Gathered(counts)
        values = self.values(target)
        sums = sums_between(first, others, met.reach, values, 0, sizes.size)
        return Gathered(sums, Summed.of(values))

    def values(self, target: Column) -> Sorted:
        """The numbers of each group that are summed."""
        try:
            return self.groups.values(target.name)
        except CannotCount as error:
            raise _too_large(target) from error


class Gathered(NamedTuple):
    """What a question finds in some groups; with what it finds in all others, its answer."""

    found: Counts | Sums
    summed: Summed | None = None


def reading(aggregate: str, several: Sequence[Gathered], target: Column | None) -> Reading:
    """The answer from what was gathered in parts that share no group."""
    kind = type(several[0].found)
    total = kind(*(np.sum(each, axis=0) for each in zip(*(g.found for g in several), strict=True)))
    if isinstance(total, Counts):
        return total.expected[0], total.low[0], total.high[0]
    if total.possible[0] == 0:
        return None, None, None
    ends = [abs(float(end)) for g in several for end in (g.found.low[0], g.found.high[0])]
    if target is not None and total.low.dtype == np.int64 and sum(ends) >= LARGEST_SUM:
        raise _too_large(target)
    summed = Summed.joined([g.summed for g in several if g.summed is not None])
    estimate, low, high, *_ = bounds_of(aggregate, total, summed)
    return estimate[0], low[0], high[0]


def _too_large(target: Column) -> CallError:
    return CallError(
        f"The numbers of {target.name!r} are too large to be added up for a workload.",
        option("--aggregate COUNT", 'aggregate="COUNT"'),
    )


def _known_codes(column: Column, values: pl.Series) -> NDArray[np.int32]:
    """The codes of values; one that nobody has meets no condition."""
    return codes_among(column.domain, values.cast(column.domain.dtype), -1)


def _listed(
    low: NDArray[np.int64], high: NDArray[np.int64], missing: NDArray[np.bool_], absent: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The codes between two ends of each group, and the missing one where there are some."""
    present = np.where(low >= 0, high - low + 1, 0)
    lengths = present + missing
    starts = np.concatenate([[0], np.cumsum(lengths)])
    inside = np.arange(starts[-1]) - np.repeat(starts[:-1], lengths)
    members = np.where(
        inside < np.repeat(present, lengths), np.repeat(low, lengths) + inside, absent
    )
    return members, starts
