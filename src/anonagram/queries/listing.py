"""The values that a generalized column can have in each group, one by one."""

from __future__ import annotations

import polars as pl
from sqlglot import exp

from anonagram.queries.question import DIALECT
from anonagram.queries.sheets import RangeColumn, Sheet
from anonagram.queries.sql import quote


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
