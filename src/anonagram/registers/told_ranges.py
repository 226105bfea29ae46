"""What a release tells of a column in each of its groups, as ranges of the original's codes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonagram.columns.hierarchy import value_texts
from anonagram.columns.recoding import codes_among, label_ranks
from anonagram.kernels.permute import count_starts, sort_by_group
from anonagram.microdata import Column
from anonagram.release import GroupedRelease
from anonagram.release.manifest import PublishedColumn
from anonagram.release.sheet import RangeColumn

Codes = NDArray[np.int32]
Places = NDArray[np.int64]


@dataclass(frozen=True)
class Ranges:
    """For each group ranges of codes, one of which a person's code must be in."""

    starts: Places
    low: Codes
    high: Codes

    @classmethod
    def of(cls, group: Codes, low: Codes, high: Codes, groups: int) -> Self:
        """Ranges that stand in any order; those that hold no code of the original are left out."""
        kept = np.flatnonzero((low >= 0) & (low <= high)).astype(np.int32)
        starts = count_starts(group[kept], groups)
        order = sort_by_group(kept, group, starts)
        return cls(starts, low[order], high[order])

    def lists(self, codes: int) -> tuple[Places, Codes]:
        """For each code the groups that can hold it."""
        lengths = self.high.astype(np.int64) - self.low + 1
        group = np.repeat(np.arange(self.starts.size - 1, dtype=np.int32), np.diff(self.starts))
        ends = np.cumsum(lengths)
        inside = np.arange(ends[-1] if ends.size else 0) - np.repeat(ends - lengths, lengths)
        code = (np.repeat(self.low, lengths) + inside).astype(np.int32)
        starts = count_starts(code, codes)
        order = sort_by_group(np.arange(code.size, dtype=np.int32), code, starts)
        return starts, np.repeat(group, lengths)[order]

    @property
    def listed(self) -> int:
        """How many entries the lists have."""
        return int((self.high.astype(np.int64) - self.low + 1).sum())


def group_codes(groups: pl.Series, numbers: pl.DataFrame) -> Codes:
    """Groups by their numbers from 0."""
    asked = pl.DataFrame({"group": groups})
    found = asked.join(numbers, on="group", how="left", maintain_order="left")["number"]
    return found.cast(pl.Int32).to_numpy()


def codes_in(column: Column, values: pl.Series) -> Codes:
    """The codes that values of a release have in the original; -1 for one that it does not have."""
    domain, asked = _comparable(column.domain, values)
    return codes_among(domain, asked, -1)


def _comparable(one: pl.Series, two: pl.Series) -> tuple[pl.Series, pl.Series]:
    """Two series in a type in which equal values are equal."""
    if one.dtype == two.dtype:
        return one, two
    if one.dtype.is_numeric() and two.dtype.is_numeric():
        whole = one.dtype.is_integer() and two.dtype.is_integer()
        common = pl.Int128() if whole else pl.Float64()
        return one.cast(common), two.cast(common)
    if {type(one.dtype), type(two.dtype)} == {pl.Date, pl.Datetime}:
        moment = pl.Datetime("us")
        return one.cast(moment), two.cast(moment)
    texts = [pl.Series(value_texts(each), dtype=pl.String) for each in (one, two)]
    return texts[0], texts[1]


def listed_values(column: Column, rows: pl.DataFrame, numbers: pl.DataFrame) -> Ranges:
    """The values of a column that stand in each group; rows have a group and a value."""
    unique = rows.unique()
    codes = codes_in(column, unique["value"])
    return Ranges.of(group_codes(unique["group"], numbers), codes, codes, numbers.height)


def told_ranges(
    release: GroupedRelease,
    told_as: RangeColumn,
    about: PublishedColumn,
    column: Column,
    numbers: pl.DataFrame,
) -> Ranges:
    """What is told of a column in place of its values: among which they are, or between which."""
    table, groups = release.sheet.tables[told_as.table], numbers.height
    number = group_codes(table[release.sheet.group], numbers)
    if told_as.ends is None:
        lists = table[column.name]
        codes = codes_in(column, lists.explode(empty_as_null=False))
        return Ranges.of(np.repeat(number, lists.list.len().to_numpy()), codes, codes, groups)
    told = [table[name] for name in told_as.ends]
    if about.order is not None:
        return _between_labels(column, about.order, told, number, groups)
    low, high = _between(column, told[0], told[1])
    return _with_missing(column, told[2], number, low, high, groups)


def _between(column: Column, low: pl.Series, high: pl.Series) -> tuple[Codes, Codes]:
    """The codes from the first value not below to the last one not above; none where nothing is told."""
    domain, lowest = _comparable(column.domain, low)
    _, highest = _comparable(column.domain, high)
    ordered = domain.to_physical()
    first = ordered.search_sorted(lowest.to_physical(), side="left").to_numpy().astype(np.int32)
    end = ordered.search_sorted(highest.to_physical(), side="right").to_numpy().astype(np.int32)
    is_told = low.is_not_null().to_numpy()
    return np.where(is_told, first, -1).astype(np.int32), (end - 1).astype(np.int32)


def _between_labels(
    column: Column, order: tuple[str, ...], told: list[pl.Series], number: Codes, groups: int
) -> Ranges:
    """Labels lie between others in the release's own order, which need not be the original's."""
    labels = pl.Series(order, dtype=pl.String)
    of_label = np.append(codes_in(column, labels), np.int32(-1))
    ends = [label_ranks(each, order).fill_null(len(order)).to_numpy() for each in told[:2]]
    lengths = ends[1] - ends[0] + 1
    inside = np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    codes = of_label[np.repeat(ends[0], lengths) + inside]
    return _with_missing(column, told[2], np.repeat(number, lengths), codes, codes, groups, number)


def _with_missing(
    column: Column,
    missing: pl.Series,
    group: Codes,
    low: Codes,
    high: Codes,
    groups: int,
    number: Codes | None = None,
) -> Ranges:
    """Ranges, and the code of a missing value where some values of a group are missing."""
    without = (group if number is None else number)[missing.to_numpy()]
    code = np.full(without.size, len(column.domain), np.int32)
    return Ranges.of(
        np.concatenate([group, without]),
        np.concatenate([low, code]),
        np.concatenate([high, code]),
        groups,
    )
