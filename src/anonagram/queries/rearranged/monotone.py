"""Functions of one column that keep its order, or turn it round: the ends of a range become theirs."""

from __future__ import annotations

import polars as pl
from sqlglot import exp

from anonagram.queries.reading.question import columns_of

NUMERIC = {
    exp.DataType.Type.SMALLINT, exp.DataType.Type.INT, exp.DataType.Type.BIGINT,
    exp.DataType.Type.DOUBLE, exp.DataType.Type.DECIMAL,
}  # fmt: skip
MOMENTS = {
    exp.DataType.Type.DATE, exp.DataType.Type.TIMESTAMP, exp.DataType.Type.TIMESTAMPNTZ,
    exp.DataType.Type.DATETIME,
}  # fmt: skip
EVEN_UNITS = {"WEEK", "DAY", "HOUR", "MINUTE", "SECOND"}
"""Intervals that are everywhere as long; a month is not, and two moments may change places.

Two days may not: at worst both become the last of a month."""
GROWING_PARTS: dict[type[pl.DataType], set[str]] = {
    pl.Date: {"YEAR", "EPOCH"}, pl.Datetime: {"YEAR", "EPOCH"}, pl.Duration: {"EPOCH", "HOUR"},
    pl.Time: {"HOUR", "EPOCH"},
}  # fmt: skip
"""Parts of which a later value never has less."""


def direction(node: exp.Expr, dtype: pl.DataType) -> int:
    """1 if a function of a column of this type never falls, -1 if it never rises, 0 if unknown.

    >>> from sqlglot import parse_one
    >>> [direction(parse_one(text), pl.Float64()) for text in ("x * 2", "1 - x", "ABS(x)")]
    [1, -1, 0]
    """
    node = node.unnest()
    match node:
        case exp.Column():
            return 1
        case exp.Neg():
            return -direction(node.this, dtype)
        case exp.Floor() | exp.Ceil():
            return direction(node.this, dtype)
        case exp.DateTrunc() | exp.TimestampTrunc():
            return direction(node.this, dtype)
        case exp.Extract():
            is_growing = node.name.upper() in GROWING_PARTS.get(type(dtype), ())
            return direction(node.expression, dtype) if is_growing else 0
        case exp.Cast():
            fitting = NUMERIC if dtype.is_numeric() else MOMENTS
            return direction(node.this, dtype) if node.to.this in fitting else 0
        case exp.Add() | exp.Sub():
            return _shifted(node, dtype)
        case exp.Mul() | exp.Div():
            return _scaled(node, dtype)
    return 0


def of_present(node: exp.Expr) -> exp.Expr:
    """A function as it is where values are there: what COALESCE puts for missing ones is not used."""

    def peel(part: exp.Expr) -> exp.Expr:
        is_filled = isinstance(part, exp.Coalesce) and not any(map(columns_of, part.expressions))
        return part.this if is_filled else part

    return node.transform(peel)


def _shifted(node: exp.Expr, dtype: pl.DataType) -> int:
    one, two = node.this, node.expression
    if columns_of(two):
        one, two = two, one
        sign = -1 if isinstance(node, exp.Sub) else 1
    else:
        sign = 1
    is_day = dtype == pl.Date and isinstance(one.unnest(), exp.Column)
    is_kept = _is_even(two, dtype) or (is_day and isinstance(two.unnest(), exp.Interval))
    return sign * direction(one, dtype) if is_kept else 0


def _is_even(node: exp.Expr, dtype: pl.DataType) -> bool:
    """Whether adding or subtracting this moves everything by as much."""
    node = node.unnest()
    if isinstance(node, exp.Interval):
        # three hours after 22:00 it is 1:00
        return dtype != pl.Time and str(node.unit).upper().rstrip("S") in EVEN_UNITS
    if isinstance(node, exp.Cast) and isinstance(node.this, exp.Literal):
        return node.to.this in MOMENTS and type(dtype) in (pl.Date, pl.Datetime)
    is_day = dtype == pl.Date and isinstance(node, exp.Literal) and node.is_int
    return (dtype.is_numeric() or is_day) and factor(node) is not None


def _scaled(node: exp.Expr, dtype: pl.DataType) -> int:
    one, two = node.this, node.expression
    if isinstance(node, exp.Mul) and columns_of(two):
        one, two = two, one
    number = factor(two)
    if not number or not dtype.is_numeric():  # by zero it is missing, or not a number
        return 0
    return direction(one, dtype) * (1 if number > 0 else -1)


def factor(node: exp.Expr) -> float | None:
    """The number that a literal is; None for anything else."""
    node = node.unnest()
    if isinstance(node, exp.Neg):
        number = factor(node.this)
        return None if number is None else -number
    return float(node.name) if isinstance(node, exp.Literal) and not node.is_string else None
