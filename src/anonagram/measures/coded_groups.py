"""The groups of a release, encoded and sorted for many queries one after the other."""

from __future__ import annotations

from abc import ABC, abstractmethod
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
from anonagram.release import (
    AnatomizedRelease,
    GeneralizedRelease,
    GroupedRelease,
    PermutedRelease,
)

Conditions = Sequence[tuple[Column, int, int]]
"""A column each, its first code and the code after the last."""
Events = list[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]]
"""For each condition: least and most rows of every group that meet it, and the expected share."""


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


class CodedGroups(ABC):
    """The groups of a release, ready for many queries."""

    is_exact = False
    """Whether conditions on quasi-identifiers leave no doubt how many rows of a group meet them."""

    def __init__(self, release: GroupedRelease, microdata: Microdata) -> None:
        sizes = release.group_sizes().sort("group")
        self.numbers = sizes["group"]
        self.sizes = sizes["rows"].to_numpy()
        self.starts: dict[str, NDArray[np.int64]] = {}
        self.weights: dict[str, NDArray[np.int64]] = {}
        self.rows: dict[str, CodedRows] = {}
        self.tables: dict[str, pl.DataFrame] = {}
        self.group = release.manifest.layout["group"]
        self.prepare(release, microdata)

    @staticmethod
    def of(release: GroupedRelease, microdata: Microdata) -> CodedGroups:
        """The groups of a release of any grouped shape."""
        kinds: dict[type, type[CodedGroups]] = {
            AnatomizedRelease: _Anatomized,
            PermutedRelease: _Permuted,
            GeneralizedRelease: _Generalized,
        }
        return kinds[type(release)](release, microdata)

    @abstractmethod
    def prepare(self, release: Any, microdata: Microdata) -> None:
        """Sort the tables by group and encode them."""

    @abstractmethod
    def events(self, conditions: Conditions) -> Events:
        """What a query's conditions tell about every group."""

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

    def sharp(
        self, name: str, mask: NDArray[np.uint8]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
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


class _Anatomized(CodedGroups):
    is_exact = True

    def prepare(self, release: AnatomizedRelease, microdata: Microdata) -> None:
        self.add("quasi", release.quasi, microdata)
        count = release.manifest.layout["count"]
        for attribute, table in release.sensitive.items():
            self.add(release.table_of(attribute), table, microdata, count)

    def events(self, conditions: Conditions) -> Events:
        found = []
        for name, rows in self.rows.items():
            asked = [each for each in conditions if each[0].name in rows.codes]
            if asked:
                found.append(self.sharp(name, rows.meeting(asked)))
        return found


class _Permuted(CodedGroups):
    def prepare(self, release: PermutedRelease, microdata: Microdata) -> None:
        for name, table in release.tables.items():
            self.add(name, table, microdata)

    def events(self, conditions: Conditions) -> Events:
        found = []
        for each in conditions:
            name = next(n for n, rows in self.rows.items() if each[0].name in rows.codes)
            found.append(self.sharp(name, self.rows[name].meeting([each])))
        return found


class _Generalized(CodedGroups):
    def prepare(self, release: GeneralizedRelease, microdata: Microdata) -> None:
        self.add("rows", release.rows, microdata)
        told = release.groups.sort(self.group)
        self.ranges: dict[str, tuple[NDArray[Any], ...]] = {}
        self.sets: dict[str, tuple[NDArray[Any], NDArray[np.int64]]] = {}
        for column in release.manifest.columns:
            if column.role != "quasi":
                continue
            domain = microdata.column(column.name)
            names = release.told_as(column)
            if len(names) == 1:
                listed = told[names[0]]
                lengths = listed.list.len().to_numpy().astype(np.int64)
                members = domain.codes_of(listed.explode())
                self.sets[column.name] = (members, np.concatenate([[0], np.cumsum(lengths)]))
                continue
            low, high, missing = (told[name] for name in names)
            absent, unknown = len(domain.domain), missing.to_numpy()
            first, last = (
                np.where(codes == absent, -1, codes.astype(np.int64))
                for codes in (domain.codes_of(low), domain.codes_of(high))
            )
            if column.order is not None:
                self.sets[column.name] = _listed(first, last, unknown, absent)
            else:
                places = domain.domain.to_physical().cast(pl.Float64).to_numpy()
                self.ranges[column.name] = (first, last, unknown, places)

    def events(self, conditions: Conditions) -> Events:
        asked = [each for each in conditions if each[0].name in self.rows["rows"].codes]
        found = [self.sharp("rows", self.rows["rows"].meeting(asked))] if asked else []
        ranged = [each for each in conditions if each[0].name not in self.rows["rows"].codes]
        if not ranged:
            return found
        certain = np.ones(self.sizes.size, np.bool_)
        possible, share = certain.copy(), np.ones(self.sizes.size)
        for column, first, stop in ranged:
            if column.name in self.sets:
                reach_of_set(*self.sets[column.name], first, stop, certain, possible, share)
            else:
                low, high, missing, places = self.ranges[column.name]
                reach_of_range(
                    low, high, missing, places, first, stop, self.sizes, certain, possible, share
                )
        return [*found, (self.sizes * certain, self.sizes * possible, share)]


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
