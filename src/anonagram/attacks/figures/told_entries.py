"""What groups tell of quasi-identifiers that stand apart: moved values with their counts, or ranges."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonagram.kernels.permute import count_starts
from anonagram.key import PUBLIC
from anonagram.microdata import Column, Microdata
from anonagram.registers.told_ranges import Ranges, codes_in, group_codes, told_ranges
from anonagram.release import GroupedRelease, Told

Floats = NDArray[np.float64]


def ways_told(release: GroupedRelease) -> set[Told]:
    """In which ways quasi-identifiers are told."""
    return {release.how_told(name) for name in release.manifest.named("quasi")}


def sample_of(people: int, most: int) -> NDArray[np.int64]:
    """The places of people who are looked for: all of them, or a random part of many."""
    if people <= most:
        return np.arange(people)
    return np.sort(PUBLIC.permutation("people looked for", people)[:most].astype(np.int64))


@dataclass(frozen=True)
class ToldEntries:
    """For each column and group the codes that its people can have, from starts[column, group] on."""

    columns: list[Column]
    """The quasi-identifiers, those first that tell people apart best."""
    numbers: pl.DataFrame
    """The groups' numbers in the release, and from 0."""
    sizes: NDArray[np.int64]
    starts: NDArray[np.int64]
    low: NDArray[np.int32]
    high: NDArray[np.int32]
    counts: NDArray[np.int64]
    """How many rows of the group have them; 1 for ranges."""
    widths: Floats
    """For each column and group among how many codes a range leaves it."""
    is_moved: bool
    """Whether every column was permuted by itself; else ranges are told."""

    @classmethod
    def of(cls, release: GroupedRelease, original: Microdata) -> Self:
        """Look at a release all of whose quasi-identifiers were moved, or all told as ranges."""
        columns = sorted(original.with_role("quasi"), key=lambda c: float((c.counts**2.0).sum()))
        sizes = release.group_sizes().sort("group")
        numbers = sizes.select("group").with_row_index("number")
        is_moved = ways_told(release) == {Told.MOVED}
        each = [(_moved if is_moved else _ranges)(release, c, numbers) for c in columns]
        before = np.cumsum([0, *(ranges.low.size for ranges, _, _ in each)])
        return cls(
            columns=columns,
            numbers=numbers,
            sizes=sizes["rows"].to_numpy().astype(np.int64),
            starts=np.stack([ranges.starts + before[j] for j, (ranges, _, _) in enumerate(each)]),
            low=np.concatenate([ranges.low for ranges, _, _ in each]),
            high=np.concatenate([ranges.high for ranges, _, _ in each]),
            counts=np.concatenate([counts for _, counts, _ in each]),
            widths=np.stack([widths for _, _, widths in each]),
            is_moved=is_moved,
        )

    def by_first(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Groups that can hold each code of the first column: from where to where, and which.

        Where ranges are told, all of them: listing every code of a range may take more than looking.
        """
        codes = len(self.columns[0].domain) + 1
        if not self.is_moved:
            return np.tile([0, self.sizes.size], (codes, 1)), np.arange(self.sizes.size)
        own = self.low[self.starts[0, 0] : self.starts[0, -1]]
        order = np.argsort(own, kind="stable")
        ends = np.cumsum(np.bincount(own, minlength=codes))
        groups = np.repeat(np.arange(self.sizes.size), np.diff(self.starts[0]))
        return np.stack([np.append(0, ends[:-1]), ends], axis=1), groups[order]

    def records(self, asked: NDArray[np.int64]) -> NDArray[np.int32]:
        """What is known of some people."""
        return np.stack([column.codes[asked] for column in self.columns], axis=1)


def told_codes(column: Column, values: pl.Series) -> NDArray[np.int32]:
    """The codes of published values, missing ones too; -1 for one that nobody of the table has."""
    codes = codes_in(column, values)
    return np.where(values.is_null().to_numpy(), np.int32(len(column.domain)), codes)


Told3 = tuple[Ranges, NDArray[np.int64], Floats]


def _moved(release: GroupedRelease, column: Column, numbers: pl.DataFrame) -> Told3:
    sheet = release.sheet
    table = sheet.tables[sheet.parts[sheet.part_of(column.name)].table]
    codes, size = told_codes(column, table[column.name]), len(column.domain) + 1
    group, is_known = group_codes(table[sheet.group], numbers).astype(np.int64), codes >= 0
    cells, counts = np.unique(group[is_known] * size + codes[is_known], return_counts=True)
    at, code = (cells // size).astype(np.int32), (cells % size).astype(np.int32)
    ranges = Ranges(count_starts(at, numbers.height), code, code)
    return ranges, counts.astype(np.int64), np.ones(numbers.height)


def _ranges(release: GroupedRelease, column: Column, numbers: pl.DataFrame) -> Told3:
    about = release.manifest.column(column.name)
    ranges = told_ranges(release, release.sheet.ranges[column.name], about, column, numbers)
    lengths = np.concatenate([[0], np.cumsum(ranges.high.astype(np.int64) - ranges.low + 1)])
    wide = lengths[ranges.starts[1:]] - lengths[ranges.starts[:-1]]
    return ranges, np.ones(ranges.low.size, np.int64), np.maximum(wide, 1).astype(np.float64)
