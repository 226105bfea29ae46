"""What a query needs to know about each shape: which columns were rearranged together.

The groups of a release consist of parts. Inside a group, the rows of a part stay whole and those of
two parts are related in no way that is told. Anatomy has two parts, permutation anonymization one
for each column; a generalized table has one part with rows, and ranges in place of the other.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import polars as pl
from sqlglot import exp

from anonagram.columns.rounding import EXACT_IN_DOUBLE
from anonagram.columns.spans import has_nanoseconds
from anonagram.errors import CallError, InternalError
from anonagram.release import (
    AnatomizedRelease,
    GeneralizedRelease,
    GroupedRelease,
    MaskedRelease,
    PermutedRelease,
    PerturbedRelease,
    Release,
)
from anonagram.release.manifest import PublishedColumn

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


@dataclass(frozen=True)
class Sheet:
    """The parts of a release, and where its groups are counted."""

    group: str
    parts: dict[str, Part]
    ranges: dict[str, RangeColumn]
    size_table: str
    size_column: str | None
    """The column with a group's rows, where they need not be counted."""
    rows: int
    dtypes: dict[str, pl.DataType]
    with_missing: frozenset[str]
    told: Mapping[str, tuple[pl.Series, ...]]
    """Where the values of each column stand: in one column, or lowest and highest in two."""
    tables: dict[str, pl.DataFrame]
    """What is published, for databases that must know the values."""
    _small: dict[str, bool] = field(default_factory=dict)

    def part_of(self, column: str) -> str:
        """The part in which a column is."""
        if column in self.ranges:
            return RANGES
        return next(name for name, part in self.parts.items() if column in part.columns)

    @property
    def apart(self) -> str:
        """Why two parts cannot be asked about in one expression."""
        if not self.group:
            return "may have been replaced one without the other"
        return "were rearranged apart: no row holds both"

    def is_small(self, column: str) -> bool:
        """Whether all rows together cannot have more than 64 bits of a whole number."""
        if column not in self._small:
            self._small[column] = self._largest(column) * self.rows < LARGEST
        return self._small[column]

    def digits_in_double(self, expression: exp.Expr) -> int | None:
        """The digits behind the point of a column of decimals that a double holds; else None."""
        column, dtype = expression.unnest(), None
        if isinstance(column, exp.Column):
            dtype = self.dtypes[column.name]
        if not isinstance(dtype, pl.Decimal):
            return None
        is_held = self._largest(column.name) * 10**dtype.scale < EXACT_IN_DOUBLE
        return dtype.scale if is_held else None

    def is_single(self, expression: exp.Expr) -> bool:
        """Whether an expression may be computed in 32 bits."""
        columns = [self.dtypes[each.name] for each in expression.find_all(exp.Column)]
        casts = [cast.to.this for cast in expression.find_all(exp.Cast)]
        return pl.Float32 in columns or exp.DataType.Type.FLOAT in casts

    def has_nanoseconds(self, column: str) -> bool:
        """Whether moments or times of a column are finer than microseconds."""
        return any(has_nanoseconds(each) for each in self.told[column])

    def _largest(self, column: str) -> Any:
        """The largest absolute value of a column of numbers."""
        ends: list[Any] = [e for each in self.told[column] for e in (each.min(), each.max())]
        return max((abs(end) for end in ends if end is not None), default=0)

    @property
    def columns(self) -> list[str]:
        """Every column that can be asked about."""
        return list(self.dtypes)


def sheet_of(release: Release) -> Sheet:
    """The parts of a release."""
    if isinstance(release, PerturbedRelease):
        return _perturbed_sheet(release)
    if isinstance(release, MaskedRelease):
        raise CallError(
            "Answers from a masked table have no bounds: how far its values moved is left to chance.",
            "ask the table rows with any tool, and read answers as estimates.",
        )
    if not isinstance(release, GroupedRelease):
        raise InternalError(f"The shape {release.shape} has no groups to be asked about.")
    group = release.manifest.layout["group"]
    size_table, size_column = "quasi", None
    ranges: dict[str, RangeColumn] = {}
    if isinstance(release, AnatomizedRelease):
        count = release.manifest.layout["count"]
        named = release.manifest.named
        parts = [Part("quasi", "quasi", tuple(named("quasi", "plain")))]
        for attribute in named("sensitive"):
            table = release.table_of(attribute)
            parts.append(Part(table, table, (attribute,), count))
    elif isinstance(release, PermutedRelease):
        parts = [
            # a name of its own kind: a column may be called like a part, such as ranges
            Part(f"column {column}", name, (column,))
            for name, table in release.tables.items()
            for column in table.columns
            if column != group
        ]
    elif isinstance(release, GeneralizedRelease):
        parts = [Part("rows", "rows", tuple(release.manifest.named("sensitive", "plain")))]
        ranges = _ranges(release)
        size_table, size_column = "groups", release.manifest.layout["rows"]
    else:
        raise InternalError(f"No rule says how a {release.shape} release is asked.")
    known = {part.name: part for part in parts}
    series = {
        column: release.tables[part.table][column] for part in parts for column in part.columns
    }
    return Sheet(
        group=group,
        parts=known,
        ranges=ranges,
        size_table=size_table,
        size_column=size_column,
        rows=release.manifest.rows,
        dtypes={
            column.name: series[column.name].dtype
            if column.name in series
            else ranges[column.name].dtype
            for column in release.manifest.columns
        },
        with_missing=frozenset(name for name, values in series.items() if values.has_nulls()),
        told={name: (values,) for name, values in series.items()} | _told(release, ranges),
        tables=release.tables,
    )


def _perturbed_sheet(release: PerturbedRelease) -> Sheet:
    """Every quasi-identifier is a part of its own: it may have been replaced alone."""
    kept = release.manifest.named("sensitive", "plain")
    parts = [Part(ROWS, "rows", tuple(kept))]
    parts += [Part(f"quasi {name}", "rows", (name,)) for name in release.marginals]
    dtypes = dict(release.rows.schema)
    missing = frozenset(name for name in dtypes if release.rows[name].has_nulls())
    known = {part.name: part for part in parts}
    told = {name: (release.rows[name],) for name in dtypes}
    rows, tables = release.manifest.rows, release.tables
    return Sheet("", known, {}, "rows", None, rows, dtypes, missing, told, tables)


def _told(
    release: GroupedRelease, ranges: Mapping[str, RangeColumn]
) -> dict[str, tuple[pl.Series, ...]]:
    groups = release.tables.get("groups", pl.DataFrame())
    return {
        name: (groups[name].explode(),)
        if column.ends is None
        else tuple(groups[end] for end in column.ends[:2])
        for name, column in ranges.items()
    }


def _ranges(release: GeneralizedRelease) -> dict[str, RangeColumn]:
    return {
        column.name: _range(release, column)
        for column in release.manifest.columns
        if column.role == "quasi"
    }


def _range(release: GeneralizedRelease, column: PublishedColumn) -> RangeColumn:
    told = release.told_as(column)
    dtype = release.groups.schema[told[0]]
    if len(told) == 1:
        return RangeColumn(column.name, dtype.inner, None, None)  # type: ignore[attr-defined]
    low, high, missing = told
    widest = None if column.order is not None else _widest(release.groups, low, high)
    return RangeColumn(column.name, dtype, column.order, (low, high, missing), widest)


def _widest(groups: pl.DataFrame, low: str, high: str) -> int | None:
    """The most whole numbers or days in a range, if those of all groups are not too many."""
    dtype = groups.schema[low]
    if dtype not in COUNTABLE:
        return None
    wide = groups.select(_steps(high, dtype) - _steps(low, dtype) + 1).to_series().drop_nulls()
    return int(wide.max()) if wide.len() and int(wide.sum()) <= MOST_LISTED else None  # type: ignore[arg-type]


def _steps(name: str, dtype: pl.DataType) -> pl.Expr:
    column = pl.col(name).cast(pl.Int32) if dtype == pl.Date else pl.col(name)
    return column.cast(pl.Int128)
