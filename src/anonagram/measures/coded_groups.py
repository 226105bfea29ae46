"""The groups of a release, encoded and sorted for many queries one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonagram.errors import CallError
from anonagram.kernels.workload import keep_between, reach_of_range, reach_of_set, sum_by_group
from anonagram.microdata import Column, Microdata
from anonagram.queries.rearranged.groups import CannotCount, Values
from anonagram.release import GroupedRelease
from anonagram.release.sheet import RANGES, Part, RangeColumn

Conditions = Sequence[tuple[Column, int, int]]
"""A column each, its first code and the code after the last."""
Event = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]
"""Least and most rows of every group that meet a condition, and the expected share."""
Events = list[Event]


class CodedRows:
    """Codes of a table's columns, packed for quick passes."""

    def __init__(self, columns: Sequence[Column], codes: dict[str, NDArray[np.int32]]) -> None:
        self.codes = {
            column.name: codes[column.name].astype(
                np.uint8 if column.cardinality < 256 else np.int32
            )
            for column in columns
            if column.name in codes
        }
        self.height = len(next(iter(self.codes.values()))) if self.codes else 0

    def meeting(self, conditions: Conditions) -> NDArray[np.uint8]:
        """Which rows meet every condition."""
        mask = np.ones(self.height, np.uint8)
        for column, first, stop in conditions:
            codes = self.codes[column.name]
            keep_between(codes, codes.dtype.type(first), codes.dtype.type(stop), mask)
        return mask


@dataclass(frozen=True)
class SummedColumn:
    """A numeric column sorted in its groups."""

    sorted: Values
    negatives: NDArray[np.int64]
    positives: NDArray[np.int64]


class CodedGroups:
    """The groups of a release as its sheet lays them out, ready for many queries."""

    def __init__(self, release: GroupedRelease, microdata: Microdata) -> None:
        sizes = release.group_sizes().sort("group")
        self.numbers = sizes["group"]
        self.sizes = sizes["rows"].to_numpy()
        self.starts: dict[str, NDArray[np.int64]] = {}
        self.weights: dict[str, NDArray[np.int64]] = {}
        self.rows: dict[str, CodedRows] = {}
        self.tables: dict[str, pl.DataFrame] = {}
        self.ranges: dict[str, tuple[NDArray[Any], ...]] = {}
        self.sets: dict[str, tuple[NDArray[Any], NDArray[np.int64]]] = {}
        self.sheet, self.group = release.sheet, release.sheet.group
        self.is_exact = release.has_exact_rows
        for part in self.sheet.parts.values():
            if part.table not in self.rows:
                self.add(part.table, self.sheet.tables[part.table], microdata, part.weight)
        for name, told in self.sheet.ranges.items():
            groups = self.sheet.tables[told.table].sort(self.group)
            self.add_range(told, groups, microdata.column(name))

    def part_of(self, column: Column) -> Part:
        """The part in which a column that stands in rows is."""
        return self.sheet.parts[self.sheet.part_of(column.name)]

    def add_range(self, told: RangeColumn, groups: pl.DataFrame, column: Column) -> None:
        """Encode what the groups tell of a column in place of its values."""
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
            places = column.domain.to_physical().cast(pl.Float64).to_numpy()
            self.ranges[told.name] = (first, last, unknown, places)

    def events(self, conditions: Conditions) -> Events:
        """What a query's conditions tell about every group: one event each part, one of all ranges."""
        asked: dict[str, list[tuple[Column, int, int]]] = {}
        for each in conditions:
            asked.setdefault(self.sheet.part_of(each[0].name), []).append(each)
        ranged = asked.pop(RANGES, [])
        found = []
        for name, these in asked.items():
            table = self.sheet.parts[name].table
            found.append(self.sharp(table, self.rows[table].meeting(these)))
        return [*found, self.reach(ranged)] if ranged else found

    def reach(self, conditions: Conditions) -> Event:
        """What conditions on columns that are told as ranges tell about every group."""
        certain = np.ones(self.sizes.size, np.bool_)
        possible, share = certain.copy(), np.ones(self.sizes.size)
        for column, first, stop in conditions:
            if column.name in self.sets:
                reach_of_set(*self.sets[column.name], first, stop, certain, possible, share)
            else:
                low, high, missing, places = self.ranges[column.name]
                reach_of_range(
                    low, high, missing, places, first, stop, self.sizes, certain, possible, share
                )
        return self.sizes * certain, self.sizes * possible, share

    def add(
        self, name: str, table: pl.DataFrame, microdata: Microdata, weight: str | None = None
    ) -> None:
        """Encode a table with a row each person (or several, as a weight says)."""
        ordered = table.sort(self.group, maintain_order=True)
        columns = [column for column in microdata.columns if column.name in table.columns]
        self.rows[name] = CodedRows(columns, {c.name: c.codes_of(ordered[c.name]) for c in columns})
        places = ordered[self.group].search_sorted(self.numbers).to_numpy()
        self.starts[name] = np.append(places, table.height).astype(np.int64)
        self.weights[name] = np.zeros(0, np.int64)
        if weight is not None:
            self.weights[name] = ordered[weight].cast(pl.Int64).to_numpy()
        self.tables[name] = ordered

    def sharp(self, name: str, mask: NDArray[np.uint8]) -> Event:
        """An event that is known to hold for the rows of a mask."""
        counts = np.empty(self.sizes.size, np.int64)
        sum_by_group(mask, self.weights[name], self.starts[name], counts)
        return counts, counts, counts / self.sizes

    def values(self, target: Column) -> SummedColumn:
        """The sensitive numbers of each group."""
        name = next(name for name, rows in self.rows.items() if target.name in rows.codes)
        table, weights = self.tables[name], self.weights[name]
        numbers = pl.Series(
            np.repeat(np.arange(1, self.sizes.size + 1), np.diff(self.starts[name]))
        )
        weight = pl.Series(weights) if weights.size else None
        try:
            values = Values.sort(numbers, table[target.name], weight)
        except CannotCount as error:
            raise CallError(
                f"The numbers of {target.name!r} are too large to be added up for a workload.",
                "--aggregate COUNT",
            ) from error
        signs = table.select(negative=pl.col(target.name) < 0, positive=pl.col(target.name) > 0)
        counted = []
        for sign in ("negative", "positive"):
            counts = np.empty(self.sizes.size, np.int64)
            mask = signs[sign].cast(pl.UInt8).to_numpy()
            sum_by_group(mask, weights, self.starts[name], counts)
            counted.append(counts)
        wide = np.float64 if values.sums.dtype == np.float64 else np.int64
        plain = Values(
            values.starts, values.sums.astype(wide), values.means, values.spreads, values.sizes
        )
        return SummedColumn(plain, *counted)


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
