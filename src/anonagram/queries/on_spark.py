"""A statement in the words of Apache Spark, and what it is not asked.

Spark is asked what DuckDB and Spark were seen to understand alike: comparisons of columns with values of
their own kind, and the aggregates of columns. Everything else is refused.
"""

from __future__ import annotations

from dataclasses import fields, is_dataclass

import polars as pl
from sqlglot import exp

from anonagram.queries.meanings import require_alike
from anonagram.queries.reading.question import Question
from anonagram.release.sheet import Sheet
from anonagram.shown.wording import option

WORDS = (
    exp.And, exp.Or, exp.Not, exp.Paren, exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.Between,
    exp.In, exp.Is, exp.Null, exp.Boolean, exp.Literal, exp.Neg, exp.Column, exp.Identifier, exp.Ordered,
)  # fmt: skip
AGGREGATES = ("COUNT", "SUM", "AVG", "MIN", "MAX")
KINDS = (
    pl.Int8, pl.Int16, pl.Int32, pl.Int64, pl.UInt8, pl.UInt16, pl.UInt32, pl.Float64, pl.String,
    pl.Boolean, pl.Date,
)  # fmt: skip
"""Types that Spark reads from a file, and compares, as DuckDB does."""
COMPARED = (exp.Predicate, exp.Between, exp.In)


def require_plain(question: Question, sheet: Sheet) -> None:
    """Refuse a question that Spark may understand in another way."""
    remedy = f"ask without {option('--engine', 'engine')}: DuckDB knows it."
    if sheet.ranges:
        name = next(iter(sheet.ranges))
        question.refuse(
            name, f"Spark is not asked about ranges and sets, as {name} is told.", remedy
        )
    for aggregate in question.aggregates:
        if aggregate.function not in AGGREGATES:
            question.refuse(
                aggregate.function, f"Spark is not asked for {aggregate.function}.", remedy
            )
    for tree in _trees(question):
        for node in tree.walk():
            if not isinstance(node, WORDS):
                text = node.sql("duckdb")
                question.refuse(
                    node,
                    f"Spark is not asked {text}: it was not shown to mean the same there.",
                    remedy,
                )
            dtype = sheet.dtypes.get(node.name) if isinstance(node, exp.Column) else None
            if dtype is not None and dtype not in KINDS:
                question.refuse(
                    node, f"Spark is not asked about {node.name}, which holds {dtype}.", remedy
                )
    require_alike(question, sheet, "Spark")


def _trees(value: object) -> list[exp.Expr]:
    if isinstance(value, exp.Expr):
        return [value]
    if isinstance(value, dict):
        value = tuple(value.values())
    if isinstance(value, tuple):
        return [tree for each in value for tree in _trees(each)]
    if not is_dataclass(value):
        return []
    return [tree for part in fields(value) for tree in _trees(getattr(value, part.name))]


def for_spark(tree: exp.Expr) -> exp.Expr:
    """The same statement where numbers with a point are decimals, of which quotients lose digits."""
    for literal in [each for each in tree.find_all(exp.Literal) if _is_fraction(each)]:
        literal.replace(exp.cast(literal.copy(), "DOUBLE"))
    for quotient in list(tree.find_all(exp.Div)):
        for side in ("this", "expression"):
            quotient.set(side, exp.cast(quotient.args[side].copy(), "DOUBLE"))
    return tree


def _is_fraction(literal: exp.Literal) -> bool:
    """Whether it is a number with a point that is reckoned with, and not compared with a column."""
    holder = literal.parent
    while isinstance(holder, (exp.Paren, exp.Neg)):
        holder = holder.parent
    is_whole = literal.is_string or literal.name.isdigit()
    return not is_whole and not isinstance(holder, (*COMPARED, exp.Cast))
