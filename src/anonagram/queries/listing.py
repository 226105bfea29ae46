"""The values that a generalized column can have in each group, one by one."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from math import prod
from operator import mul

import polars as pl
from sqlglot import exp

from anonagram.queries.question import DIALECT
from anonagram.queries.sheets import RangeColumn, Sheet
from anonagram.queries.sql import quote

MOST_KEYS = 100_000
"""Groups of an answer that come from ranges: more of them say nothing and take long."""
MOST_MADE_KEYS = 200_000
"""The same, where keys are made of values (a year of a day) and are mostly fewer than these."""
MOST_PAIRS = 20_000_000
"""Values of one column beside those of others, over all groups of a release."""


def most_keys(sheet: Sheet, columns: Sequence[RangeColumn], *, are_values: bool) -> str | None:
    """Why the values that columns can have together are too many to group by; None if they are not."""
    too_many = most_pairs(sheet, columns)
    if too_many is not None:
        return too_many
    keys = min(_pairs(sheet, columns), prod(_possible(sheet, column) for column in columns))
    most = MOST_KEYS if are_values else MOST_MADE_KEYS
    return f"which make up to {keys:,} groups; {most:,} are the most" if keys > most else None


def most_pairs(sheet: Sheet, columns: Sequence[RangeColumn]) -> str | None:
    """Why the values that columns can have are too many to be looked at beside each other."""
    pairs = _pairs(sheet, columns)
    if pairs <= MOST_PAIRS:
        return None
    return f"with {pairs:,} values beside each other; {MOST_PAIRS:,} are the most"


def _pairs(sheet: Sheet, columns: Sequence[RangeColumn]) -> int:
    counts = [_listed_in(sheet, column) for column in columns]
    return int(reduce(mul, counts).sum())


def _listed_in(sheet: Sheet, column: RangeColumn) -> pl.Series:
    """How many values a column can have in each group."""
    groups = sheet.tables[sheet.size_table]
    if column.ends is None:
        return groups[column.name].list.len().cast(pl.Float64)
    low, high, missing = (groups[end] for end in column.ends)
    if column.order is not None:
        ranks = dict(zip(column.order, range(len(column.order)), strict=True))
        low, high = (end.replace_strict(ranks, default=None) for end in (low, high))
    wide = high.to_physical().cast(pl.Float64) - low.to_physical().cast(pl.Float64) + 1
    return wide.fill_null(0) + missing.cast(pl.Float64)


def _possible(sheet: Sheet, column: RangeColumn) -> int:
    """How many values a column can have at all."""
    if column.ends is None:
        return sheet.told[column.name][0].n_unique()
    if column.order is not None:
        return len(column.order) + 1
    low, high = (each.to_physical() for each in sheet.told[column.name])
    return int(high.max() or 0) - int(low.min() or 0) + 2  # type: ignore[arg-type]


def listed_values(sheet: Sheet, column: RangeColumn) -> str:
    """A query for the values a column can have in each group: g and v."""
    group, table = quote(sheet.group), quote(sheet.size_table)
    if column.ends is None:
        return f"SELECT t.{group} AS g, UNNEST(t.{quote(column.name)}) AS v FROM {table} AS t"
    low, high, missing = (quote(end) for end in column.ends)
    between = f"SELECT t.{group} AS g, {{}} AS v FROM {table} AS t "
    between = (
        between.format("o.v") + _between_ranks(column, low, high)
        if column.order is not None
        else between.format(_counted(column, low)) + _counting(column, low, high)
    )
    kind = "" if column.widest is None else _typed(column)
    nothing = f"CAST(NULL AS {kind})" if kind else "NULL"
    return (
        f"{between} UNION ALL SELECT t.{group} AS g, {nothing} AS v FROM {table} AS t "
        f"WHERE t.{missing}"
    )


def _between_ranks(column: RangeColumn, low: str, high: str) -> str:
    """The values of an order from the lowest to the highest."""
    ranks = ", ".join(
        f"({exp.Literal.string(value).sql(DIALECT)}, {rank})"
        for rank, value in enumerate(column.order or ())
    )
    order = f"(SELECT * FROM (VALUES {ranks}) AS w(v, r))"
    return (
        f"JOIN {order} AS a ON a.v = t.{low} JOIN {order} AS b ON b.v = t.{high} "
        f"JOIN {order} AS o ON o.r BETWEEN a.r AND b.r"
    )


def _typed(column: RangeColumn) -> str:
    return "DATE" if column.dtype == pl.Date else "BIGINT"


def _counted(column: RangeColumn, low: str) -> str:
    steps = "CAST(s.i AS INT)" if column.dtype == pl.Date else "s.i"
    kind = _typed(column)
    return f"CAST(CAST(t.{low} AS {kind}) + {steps} AS {kind})"


def _counting(column: RangeColumn, low: str, high: str) -> str:
    """Steps from the lowest value to the highest; day after day, or one number after the other."""
    kind = _typed(column)
    steps = f"GENERATE_SERIES(0, {(column.widest or 1) - 1}) AS s(i)"
    wide = f"CAST(t.{high} AS {kind}) - CAST(t.{low} AS {kind})"
    return f"JOIN {steps} ON s.i <= {wide}"
