"""The values that a generalized column can have in each group, one by one.

Sets and orders name them; whole numbers and days are counted through; of amounts and moments one
value stands for each cell that a question tells apart.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from operator import mul

import polars as pl
from sqlglot import exp

from anonagram.columns.recoding import label_ranks
from anonagram.queries.reading.question import DIALECT
from anonagram.queries.rearranged.cells import DAY, SECONDS, WHOLE, Cells, cells_of
from anonagram.queries.sql import quote
from anonagram.release.sheet import MOST_LISTED, RangeColumn, Sheet

MOST_KEYS = 40_000
"""Groups of an answer that are all numbers or days of ranges: more than the days of a century."""
MOST_NAMED_KEYS = 200_000
"""The same, where values are named, or keys (a year of a day) are mostly fewer than these."""
MOST_PAIRS = 20_000_000
"""Values of one column beside those of others, over all groups of a release."""
FEW_DAYS = 366
"""Ranges of so many days are listed day by day, wider ones by the months or years that are asked for."""
LARGEST_COUNTED = 2.0**53
TICKS = {"ms": 10**3, "us": 10**6, "ns": 10**9}


DAYS = {"WEEK": 7, "MONTH": 28, "QUARTER": 90, "YEAR": 365, "DECADE": 3_652, "CENTURY": 36_524}
"""The fewest in each period."""
DIFFERENT = {
    "QUARTER": 4, "MONTH": 12, "WEEK": 53, "DAY": 31, "DOW": 7, "ISODOW": 7, "DOY": 366,
    "HOUR": 24, "MINUTE": 60, "SECOND": 60,
}  # fmt: skip
"""Of parts of dates and times."""


@dataclass(frozen=True)
class Listing(ABC):
    """Values of one column, in every group."""

    sheet: Sheet
    column: RangeColumn

    @abstractmethod
    def query(self) -> str:
        """A query for the values a column can have in each group: g and v."""

    @abstractmethod
    def counts(self) -> pl.Series:
        """How many values are listed in each group."""

    @abstractmethod
    def different(self) -> float:
        """At most so many different values are listed in all."""

    @property
    def _groups(self) -> pl.DataFrame:
        return self.sheet.tables[self.sheet.size_table]

    @property
    def _table(self) -> str:
        return quote(self.sheet.size_table)

    @property
    def _group(self) -> str:
        return f"t.{quote(self.sheet.group)}"

    def _ends(self) -> tuple[str, str, str]:
        low, high, missing = (f"t.{quote(end)}" for end in self.column.ends or ())
        return low, high, missing

    def _each(self, value: str, rest: str = "") -> str:
        return f"SELECT {self._group} AS g, {value} AS v FROM {self._table} AS t{rest}"

    def _with_missing(self, queries: Sequence[str], nothing: str = "NULL") -> str:
        missing = self._each(nothing, f" WHERE {self._ends()[2]}")
        return " UNION ALL ".join([*queries, missing])


def listing_of(
    sheet: Sheet, column: RangeColumn, expressions: Sequence[exp.Expr]
) -> Listing | None:
    """How the values of a column are listed for expressions over it; None where they cannot be."""
    if column.ends is None:
        return Named(sheet, column)
    if column.order is not None:
        return Ordered(sheet, column)
    cells = cells_of(expressions, column.dtype)
    if column.widest is not None and (column.widest <= FEW_DAYS or not _is_coarse(cells)):
        return Counted(sheet, column)
    listing = None if cells is None else Sampled(sheet, column, cells)
    return listing if listing is not None and listing.is_short else None


def _is_coarse(cells: Cells | None) -> bool:
    """Whether pieces of a calendar are told apart that are longer than days."""
    return cells is not None and SECONDS.get(cells.grid or "", 0) > SECONDS[DAY]


class Named(Listing):
    """A set of values."""

    def query(self) -> str:
        """Every value of a group's set."""
        return self._each(f"UNNEST(t.{quote(self.column.name)})")

    def counts(self) -> pl.Series:
        """As many as its set has."""
        return self._groups[self.column.name].list.len().cast(pl.Float64)

    def different(self) -> float:
        """As many as all sets have together."""
        return self.sheet.told[self.column.name][0].n_unique()


class Ordered(Listing):
    """The values of an order from the lowest to the highest."""

    def query(self) -> str:
        """Values whose rank lies between those of both ends."""
        low, high, _ = self._ends()
        ranks = ", ".join(
            f"({exp.Literal.string(value).sql(DIALECT)}, {rank})"
            for rank, value in enumerate(self._order)
        )
        order = f"(SELECT * FROM (VALUES {ranks}) AS w(v, r))"
        joins = (
            f" JOIN {order} AS a ON a.v = {low} JOIN {order} AS b ON b.v = {high} "
            f"JOIN {order} AS o ON o.r BETWEEN a.r AND b.r"
        )
        return self._with_missing([self._each("o.v", joins)])

    def counts(self) -> pl.Series:
        """Ranks from the lowest to the highest."""
        low, high, missing = (self._groups[end] for end in self.column.ends or ())
        low, high = (label_ranks(end, self._order) for end in (low, high))
        return (high - low + 1).cast(pl.Float64).fill_null(0) + missing.cast(pl.Float64)

    def different(self) -> float:
        """All of the order, and missing."""
        return len(self._order) + 1

    @property
    def _order(self) -> tuple[str, ...]:
        return self.column.order or ()


class Counted(Listing):
    """One whole number after the other, or day after day."""

    def query(self) -> str:
        """The lowest value and so many steps from it."""
        low, high, _ = self._ends()
        is_day = self.column.dtype == pl.Date
        kind, step = ("DATE", "CAST(s.i AS INT)") if is_day else ("BIGINT", "s.i")
        steps = f"GENERATE_SERIES(0, {(self.column.widest or 1) - 1}) AS s(i)"
        wide = f"CAST({high} AS {kind}) - CAST({low} AS {kind})"
        value = f"CAST(CAST({low} AS {kind}) + {step} AS {kind})"
        counted = self._each(value, f" JOIN {steps} ON s.i <= {wide}")
        return self._with_missing([counted], f"CAST(NULL AS {kind})")

    def counts(self) -> pl.Series:
        """Steps from the lowest to the highest value."""
        low, high, missing = (self._groups[end] for end in self.column.ends or ())
        wide = high.to_physical().cast(pl.Float64) - low.to_physical().cast(pl.Float64) + 1
        return wide.fill_null(0) + missing.cast(pl.Float64)

    def different(self) -> float:
        """Steps from the lowest of all to the highest."""
        low, high = (each.to_physical() for each in self.sheet.told[self.column.name])
        return float(high.max() or 0) - float(low.min() or 0) + 2  # type: ignore[arg-type]


@dataclass(frozen=True)
class Sampled(Listing):
    """A value of each cell that a question tells apart; both ends of a range are among them."""

    cells: Cells

    def query(self) -> str:
        """Both ends, the borders between them, and what lies on the grid."""
        low, high, _ = self._ends()
        kind = self._kind
        queries = [
            self._each(f"CAST({low} AS {kind})", f" WHERE {low} IS NOT NULL"),
            self._each(f"CAST({high} AS {kind})", f" WHERE {high} > {low}"),
        ]
        queries += [
            self._each(border, f" WHERE {border} > {low} AND {border} < {high}")
            for border in self.cells.borders
        ]
        queries += [self._on_grid(low, high)] if self.cells.grid is not None else []
        return self._with_missing(queries, f"CAST(NULL AS {kind})")

    def _on_grid(self, low: str, high: str) -> str:
        """Where the next quarters of whole numbers, days or hours begin."""
        most = int(self._steps(*self._told).max() or 0) + 2  # type: ignore[arg-type]
        steps = f" JOIN GENERATE_SERIES(1, {most}) AS s(i) ON "
        if self.cells.grid == WHOLE:  # what FLOOR, CEIL and rounding together tell apart
            value = f"CAST(CAST(FLOOR({low}) AS BIGINT) + s.i * 0.25 AS {self._kind})"
        elif self.cells.grid == DAY:
            value = f"CAST(CAST({low} AS DATE) + CAST(s.i AS INT) AS {self._kind})"
        else:
            unit = str(self.cells.grid)
            begin = f"DATE_TRUNC('{unit}', {low})"
            value = f"CAST({begin} + s.i * INTERVAL '1' {unit.upper()} AS {self._kind})"
        return self._each(value, f"{steps}{value} > {low} AND {value} < {high}")

    @property
    def _kind(self) -> str:
        match self.column.dtype:
            case pl.Float64():
                return "DOUBLE"
            case pl.Decimal() as dtype:
                return f"DECIMAL({dtype.precision}, {dtype.scale})"
            case pl.Int64():
                return "BIGINT"
            case pl.Date():
                return "DATE"
        return "TIMESTAMP"

    @property
    def has_type(self) -> bool:
        """Whether values are of a type that is known here."""
        dtype = self.column.dtype
        is_fine = isinstance(dtype, pl.Datetime) and dtype.time_unit == "ns"
        return not is_fine and isinstance(
            dtype, pl.Float64 | pl.Decimal | pl.Int64 | pl.Date | pl.Datetime
        )

    @property
    def is_short(self) -> bool:
        """Whether the values can be told exactly and are not too many."""
        if self.column.dtype.is_numeric() and self.cells.grid is not None:
            ends = [float(each.abs().max() or 0) for each in self._told]  # type: ignore[arg-type]
            if not max(ends) < LARGEST_COUNTED:
                return False
        total = float(self._steps(*self._told).sum())
        return math.isfinite(total) and total <= MOST_LISTED

    @property
    def _told(self) -> tuple[pl.Series, ...]:
        return self.sheet.told[self.column.name]

    def _steps(self, low: pl.Series, high: pl.Series) -> pl.Series:
        """Cells of the grid between two ends, about."""
        if self.cells.grid is None:
            return pl.Series([0.0]).new_from_index(0, low.len())
        if self.cells.grid == WHOLE:
            return (high.cast(pl.Float64) - low.cast(pl.Float64) + 2).fill_null(0) * 4
        ticks = (
            TICKS[low.dtype.time_unit] if isinstance(low.dtype, pl.Datetime) else 1 / SECONDS[DAY]
        )
        wide = high.to_physical().cast(pl.Float64) - low.to_physical().cast(pl.Float64)
        # clocks that were changed show up to a few hours more
        steps = (wide / ticks + 4 * 3600).fill_null(0) / SECONDS[self.cells.grid]
        return steps if self.cells.turn is None else steps.clip(upper_bound=self.cells.turn)

    def counts(self) -> pl.Series:
        """About so many: each border may be in each group."""
        return self._steps(*self._told) + 3.0 + len(self.cells.borders)

    def different(self) -> float:
        """No more than in all groups together; of a grid, cells from the lowest to the highest."""
        low, high = self._told
        all_groups = float(self.counts().sum())
        if self.cells.grid is None:
            return all_groups
        steps = self._steps(low.sort().head(1), high.sort(descending=True).head(1))
        return min(all_groups, float(steps.sum()) + 3.0 + len(self.cells.borders))


def most_keys(listings: Sequence[Listing], keyed: Sequence[Sequence[exp.Expr]]) -> str | None:
    """Why the keys that columns can have together are too many to group by; None if they are not."""
    too_many = most_pairs(listings)
    if too_many is not None:
        return too_many
    different = map(different_keys, listings, keyed)
    keys = min(_pairs(listings), math.prod(different))
    are_values = all(isinstance(key.unnest(), exp.Column) for each in keyed for key in each)
    are_named = any(isinstance(each, Named | Ordered) for each in listings)
    most = MOST_KEYS if are_values and not are_named else MOST_NAMED_KEYS
    return f"which make up to {keys:,.0f} groups; {most:,} are the most" if keys > most else None


def different_keys(listing: Listing, keys: Sequence[exp.Expr]) -> float:
    """At most so many different keys come from the values of a column."""
    values = listing.different()
    return min(values, math.prod(_different(key.unnest(), values) for key in keys))


def _different(key: exp.Expr, values: float) -> float:
    """Years of so many days are fewer, and there are no more than twelve months."""
    if isinstance(key, exp.DateTrunc | exp.TimestampTrunc):
        return values / DAYS.get(key.args["unit"].name.upper(), 1) + 3
    if isinstance(key, exp.Extract):
        word = key.name.upper()
        return DIFFERENT.get(word, values / DAYS.get(word, 1) + 2) + 1
    return values


def most_pairs(listings: Sequence[Listing]) -> str | None:
    """Why the values that columns can have are too many to be looked at beside each other."""
    pairs = _pairs(listings)
    if pairs <= MOST_PAIRS:
        return None
    return f"with {pairs:,.0f} values beside each other; {MOST_PAIRS:,} are the most"


def _pairs(listings: Sequence[Listing]) -> float:
    return float(reduce(mul, (each.counts() for each in listings)).sum())
