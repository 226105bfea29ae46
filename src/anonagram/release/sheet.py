"""What a question needs to know about a release: which columns were rearranged together.

The groups of a release consist of parts. Inside a group, the rows of a part stay whole and those of
two parts are related in no way that is told. Anatomy has two parts, permutation anonymization one
for each column; a generalized table has one part with rows, and ranges in place of the other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import polars as pl

from anonagram.columns.spans import has_nanoseconds
from anonagram.release.manifest import Manifest

LARGEST = 1 << 63
RANGES = "ranges"
COUNTABLE = (
    pl.Int8, pl.Int16, pl.Int32, pl.Int64, pl.UInt8, pl.UInt16, pl.UInt32, pl.Date,
)  # fmt: skip
"""Types of ranges whose values can be counted through."""
MOST_LISTED = 2_000_000
"""Values that are listed for all groups together."""
ROWS = "rows"
"""The part of a perturbed release whose values are as they were."""


@dataclass(frozen=True)
class Part:
    """Columns of a table whose rows are whole."""

    name: str
    table: str
    columns: tuple[str, ...]
    weight: str | None = None
    """The column that says for how many people a row stands."""


@dataclass(frozen=True)
class RangeColumn:
    """A quasi-identifier that is told as a range or as a set of values."""

    name: str
    table: str
    """The table that tells of it, a row each group."""
    dtype: pl.DataType
    order: tuple[str, ...] | None
    ends: tuple[str, str, str] | None
    """The columns with lowest and highest value and whether some are missing; None for a set."""
    widest: int | None = None
    """The most values of a group, where a range is of whole numbers or days and not too wide."""

    @property
    def is_listed(self) -> bool:
        """Whether the possible values of a group are named one by one."""
        return self.ends is None or self.order is not None

    def told(self, tables: Mapping[str, pl.DataFrame]) -> tuple[pl.Series, ...]:
        """The values of the sets one after the other, or the lowest and the highest of each range."""
        table = tables[self.table]
        if self.ends is None:
            return (table[self.name].explode(),)
        return tuple(table[end] for end in self.ends[:2])


@dataclass(frozen=True)
class Sheet:
    """The parts of a release, and where its groups are counted."""

    group: str
    """The column with the number of a group; empty where there are no groups."""
    parts: dict[str, Part]
    ranges: dict[str, RangeColumn]
    size_table: str
    size_column: str | None
    """The column with a group's rows, where they need not be counted."""
    rows: int
    like_others: float
    """By what an estimate of a count is multiplied, where rows were left out."""
    dtypes: dict[str, pl.DataType]
    with_missing: frozenset[str]
    told: Mapping[str, tuple[pl.Series, ...]]
    """Where the values of each column stand: in one column, or lowest and highest in two."""
    tables: dict[str, pl.DataFrame]
    """What is published, for databases that must know the values."""
    real: str | None = None
    """The column that says which rows are people's, where some are not: every question asks for it."""
    _largest: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        manifest: Manifest,
        tables: dict[str, pl.DataFrame],
        parts: Sequence[Part],
        ranges: Mapping[str, RangeColumn] | None = None,
        *,
        group: str = "",
        size_table: str = "quasi",
        size_column: str | None = None,
        real: str | None = None,
    ) -> Sheet:
        """A sheet of parts, and of columns that are told as ranges."""
        told = {column: (tables[part.table][column],) for part in parts for column in part.columns}
        missing = frozenset(name for name, (values,) in told.items() if values.has_nulls())
        dtypes = {name: values.dtype for name, (values,) in told.items()}
        dtypes |= {name: column.dtype for name, column in (ranges or {}).items()}
        return cls(
            group=group,
            parts={part.name: part for part in parts},
            ranges=dict(ranges or {}),
            size_table=size_table,
            size_column=size_column,
            rows=manifest.rows.published,
            like_others=manifest.rows.like_others,
            dtypes={name: dtypes[name] for name in _asked(manifest, real)},
            with_missing=missing,
            told=told | {name: column.told(tables) for name, column in (ranges or {}).items()},
            tables=tables,
            real=real,
        )

    def part_of(self, column: str) -> str:
        """The part in which a column is."""
        if column in self.ranges:
            return RANGES
        return next(name for name, part in self.parts.items() if column in part.columns)

    @cached_property
    def sizes(self) -> pl.Series:
        """The rows of each group."""
        table = self.tables[self.size_table]
        if self.size_column is None:
            return table[self.group].value_counts()["count"].cast(pl.Float64)
        return table[self.size_column].cast(pl.Float64)

    @property
    def apart(self) -> str:
        """Why two parts cannot be asked about in one expression."""
        if not self.group:
            return "may have been replaced one without the other"
        if self.ranges and len(self.parts) < 2:
            return "are told as ranges and beside them: no row holds both"
        return "were rearranged apart: no row holds both"

    def is_small(self, column: str) -> bool:
        """Whether all rows together cannot have more than 64 bits of a whole number."""
        return bool(self.largest(column) * self.rows < LARGEST)

    def has_nanoseconds(self, column: str) -> bool:
        """Whether moments or times of a column are finer than microseconds."""
        return any(has_nanoseconds(each) for each in self.told[column])

    def largest(self, column: str) -> Any:
        """The largest absolute value of a column of numbers."""
        if column not in self._largest:
            ends: list[Any] = [e for each in self.told[column] for e in (each.min(), each.max())]
            self._largest[column] = max((abs(end) for end in ends if end is not None), default=0)
        return self._largest[column]

    @property
    def columns(self) -> list[str]:
        """Every column that can be asked about."""
        return [name for name in self.dtypes if name != self.real]


def _asked(manifest: Manifest, real: str | None) -> list[str]:
    """The columns of the data, and the one that questions ask for by themselves."""
    return [*(column.name for column in manifest.columns), *([] if real is None else [real])]


def widest_range(table: pl.DataFrame, low: str, high: str) -> int | None:
    """The most whole numbers or days in a range, if those of all groups are not too many."""
    dtype = table.schema[low]
    if dtype not in COUNTABLE:
        return None
    wide = table.select(_steps(high, dtype) - _steps(low, dtype) + 1).to_series().drop_nulls()
    # where everybody's value is missing there is nothing to list
    return int(wide.max() or 0) if int(wide.sum()) <= MOST_LISTED else None  # type: ignore[arg-type]


def _steps(name: str, dtype: pl.DataType) -> pl.Expr:
    column = pl.col(name).cast(pl.Int32) if dtype == pl.Date else pl.col(name)
    return column.cast(pl.Int128)
