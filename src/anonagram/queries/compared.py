"""Which columns a question compares with which values, and values that are not written as released."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import polars as pl
from sqlglot import exp

from anonagram.columns.original import Original
from anonagram.columns.written import NUMBERS, is_read, read_as
from anonagram.queries.reading.question import DIALECT, Question, plain_name
from anonagram.release import Manifest

EQUAL = (exp.EQ, exp.NEQ, exp.NullSafeEQ, exp.NullSafeNEQ)
ORDERED = (exp.GT, exp.GTE, exp.LT, exp.LTE)
YEAR_FIRST = "year/month/day"
"""Databases read such days whatever stands between the numbers."""


def equal_to(question: Question) -> Iterator[tuple[str, exp.Expr]]:
    """Columns, and the values that a question takes for equal to them or not."""
    for sides in _comparisons(question):
        yield from _column_and_values(sides)


def texts_alone(question: Question) -> Iterator[exp.Expr]:
    """Texts that a question compares with nothing but texts."""
    for sides in _comparisons(question, ordered=True):
        if all(isinstance(side, exp.Literal) and side.is_string for side in sides):
            yield from sides


def refuse_as_in_the_table(
    question: Question, manifest: Manifest, dtypes: Mapping[str, pl.DataType]
) -> None:
    """Refuse a day or an amount written as the original has it, with how it is written here."""
    originals = {column.name: column.original for column in manifest.columns}
    for sides in _comparisons(question, ordered=True):
        for name, value in _column_and_values(sides):
            original = originals.get(name)
            plain = None if original is None else _plain(value, original, dtypes[name])
            if plain is not None:
                question.refuse(
                    value,
                    f"{value.sql(DIALECT)} is not how the release writes {plain_name(name)}.",
                    f"{plain} instead of it.",
                )


def _plain(value: exp.Expr, original: Original, dtype: pl.DataType) -> str | None:
    """What is written in a question for a value as in the table; None where it is no such value."""
    written = original.format
    is_day = isinstance(dtype, pl.Date | pl.Datetime)
    if written in (None, YEAR_FIRST) or not (value.is_string and (is_day or dtype.is_numeric())):
        return None
    text = pl.Series([value.name])
    read = read_as(text, written)[0] if is_read(text, written)[0] else None
    if read is None or read == value.name:
        return None
    return read if written in NUMBERS else exp.Literal.string(read).sql(DIALECT)


def _comparisons(question: Question, *, ordered: bool = False) -> Iterator[list[exp.Expr]]:
    """The sides of every comparison; those that ask for more or less too where `ordered`."""
    for expression in question.expressions:
        for node in expression.walk():
            sides: list[exp.Expr] = []
            if isinstance(node, (*EQUAL, *ORDERED) if ordered else EQUAL):
                sides = [node.this, node.expression]
            elif isinstance(node, exp.Between) and ordered:
                sides = [node.this, node.args["low"], node.args["high"]]
            elif isinstance(node, exp.In):
                sides = [node.this, *node.expressions]
            elif isinstance(node, exp.Case) and node.this is not None:
                sides = [node.this, *(each.this for each in node.args["ifs"])]
            if sides:
                yield [side.unnest() for side in sides]


def _column_and_values(sides: list[exp.Expr]) -> Iterator[tuple[str, exp.Expr]]:
    """The only column of a comparison with each value beside it."""
    columns = [side.name for side in sides if isinstance(side, exp.Column)]
    for side in sides if len(columns) == 1 else ():
        if isinstance(side.this if isinstance(side, exp.Neg) else side, exp.Literal):
            yield columns[0], side
