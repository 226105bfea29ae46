"""How the values of an aggregate are added up: in which type, and how far rounding can take it.

A database computes an expression in the type of its columns, and so do conditions: `x = 5.9` means
something else of 32 bits than of 64. Only what is added up is widened here, as `SUM` itself widens
it, so that a value that stands for several people is not multiplied in a type without room for it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Self

import polars as pl
from sqlglot import exp

from anonagram.columns.rounding import EXACT_IN_DOUBLE, MARGIN, MEAN_ROUNDING, ROUNDING
from anonagram.queries.reading.question import columns_of
from anonagram.queries.rearranged.plan import Plan
from anonagram.release.sheet import Sheet

LONG = (pl.Int64, pl.UInt64, pl.Int128)


@dataclass(frozen=True)
class Amount:
    """What is added up by SUM and AVG."""

    kind: Literal["whole", "decimal", "float"]
    wide: str | None
    """The type in which values are multiplied, where their own may be too small."""
    rounding: float
    """By which share of the sum of absolute values a sum of floats can be off."""
    is_short: bool = False
    """Whether a double holds every sum there can be."""

    @classmethod
    def of(cls, plan: Plan, argument: exp.Expr) -> Self:
        """How an argument of the question is added up."""
        rounding = (plan.sheet.rows + MARGIN) * ROUNDING
        if plan.is_float(argument):
            return cls("float", "DOUBLE", rounding)
        if not plan.is_integer(argument):
            return cls("decimal", None, rounding)
        wide = None if _has_room(plan, argument) else "DECIMAL(38, 0)"
        return cls("whole", wide, rounding, _is_short(plan, argument))

    def times(self, x: str, count: str) -> str:
        """SQL for a value that occurs so often."""
        return f"{x if self.wide is None else f'CAST({x} AS {self.wide})'} * {count}"

    def sum_slack(self, size: str) -> str | None:
        """By how much a sum can be off, if its values have this size together."""
        return f"{size} * {self.rounding!r}" if self.kind == "float" else None

    def mean_slack(self, size: str, mean: str) -> str | None:
        """By how much a mean can be off, if it is no larger than `mean`.

        Quotients of whole numbers that a double holds are rounded alike by everybody; of others,
        and of decimals, the sum is rounded before it is divided.
        """
        if self.is_short:  # a database need not add up sizes then
            return None
        share = self.rounding if self.kind == "float" else MEAN_ROUNDING
        slack = f"{mean} * {share!r}"
        if self.kind == "whole":
            return f"CASE WHEN {size} < {EXACT_IN_DOUBLE} THEN 0.0 ELSE {slack} END"
        return slack


def _has_room(plan: Plan, argument: exp.Expr) -> bool:
    """Whether a value of all rows together surely has 64 bits."""
    if not isinstance(argument.unnest(), exp.Column):
        return False
    column = columns_of(argument)[0]
    return not isinstance(plan.sheet.dtypes[column], LONG) or plan.sheet.is_small(column)


def _is_short(plan: Plan, argument: exp.Expr) -> bool:
    """Whether values of all rows together surely are whole numbers that a double holds."""
    column = argument.unnest()
    if not isinstance(column, exp.Column):
        return False
    return bool(plan.sheet.largest(column.name) * plan.sheet.rows < EXACT_IN_DOUBLE)


def digits_in_double(sheet: Sheet, expression: exp.Expr) -> int | None:
    """The digits behind the point of a column of decimals that a double holds; else None."""
    column, dtype = expression.unnest(), None
    if isinstance(column, exp.Column):
        dtype = sheet.dtypes[column.name]
    if not isinstance(dtype, pl.Decimal):
        return None
    is_held = sheet.largest(column.name) * 10**dtype.scale < EXACT_IN_DOUBLE
    return dtype.scale if is_held else None


def is_single(sheet: Sheet, expression: exp.Expr) -> bool:
    """Whether an expression may be computed in 32 bits."""
    columns = [sheet.dtypes[each.name] for each in expression.find_all(exp.Column)]
    casts = [cast.to.this for cast in expression.find_all(exp.Cast)]
    return pl.Float32 in columns or exp.DataType.Type.FLOAT in casts
