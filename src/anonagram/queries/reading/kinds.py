"""What kind of value an expression has: whole numbers are summed without rounding, others are not."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Set

import polars as pl
from sqlglot import exp

from anonagram.queries.kinds import (
    CASTS,
    DATE,
    DECIMAL,
    DOUBLE,
    MOMENT,
    NUMBERS,
    TEXT,
    WHOLE,
    Type,
    kind_of_column,
)

Kinds = Mapping[str, pl.DataType]
READ = {*NUMBERS, DATE, MOMENT, TEXT}
"""Kinds by which anything is decided here."""
SHORT = {Type.TINYINT: WHOLE, Type.FLOAT: DOUBLE}
"""Casts that are not written for other databases."""


def kind_of(node: exp.Expr, dtypes: Kinds) -> str | None:
    """The kind of an expression over columns of these types; None where it is not known.

    >>> from sqlglot import parse_one
    >>> kind_of(parse_one("CASE WHEN a > 1.5 THEN 1 ELSE ABS(a) END"), {"a": pl.Int64()})
    'whole'
    """
    node = node.unnest()
    rule = RULES.get(type(node))
    return rule(node, dtypes) if rule else None


def _column(node: exp.Expr, dtypes: Kinds) -> str | None:
    dtype = dtypes[node.name]
    if dtype.is_integer():
        return WHOLE
    return _read(DOUBLE if dtype.is_float() else kind_of_column(dtype).name)


def _read(name: str | None) -> str | None:
    return name if name in READ else None


def _literal(node: exp.Expr, _: Kinds) -> str | None:
    if node.is_string:
        return None  # a text, or whatever it is compared with
    return WHOLE if node.is_int else DOUBLE if "e" in node.name.lower() else DECIMAL


def _same(*names: str) -> Callable[[exp.Expr, Kinds], str | None]:
    """The kind that all of these parts have, or become as numbers; NULL has any."""

    def rule(node: exp.Expr, dtypes: Kinds) -> str | None:
        parts: list[exp.Expr] = []
        for name in names:
            value = node.args.get(name)
            parts += value if isinstance(value, list) else [value] if value is not None else []
        kinds = {kind_of(each, dtypes) for each in parts if not isinstance(each, exp.Null)}
        if kinds and kinds <= set(NUMBERS):
            return _widest(kinds)
        return kinds.pop() if len(kinds) == 1 else None

    return rule


def _number(node: exp.Expr, dtypes: Kinds) -> str | None:
    """Whole numbers give a whole number, and floating-point numbers one of their kind."""
    sides = [node.args[name] for name in ("this", "expression") if name in node.args]
    kinds = {kind_of(each, dtypes) for each in sides}
    return _widest(kinds) if kinds <= set(NUMBERS) else None


def _widest(kinds: Set[str | None]) -> str:
    """What numbers of several kinds become side by side."""
    return next(kind for kind in (DOUBLE, DECIMAL, WHOLE) if kind in kinds)


def _quotient(node: exp.Expr, dtypes: Kinds) -> str | None:
    return DOUBLE if _number(node, dtypes) else None


def _difference(node: exp.Expr, dtypes: Kinds) -> str | None:
    is_days = _same("this", "expression")(node, dtypes) == DATE
    return WHOLE if is_days else _number(node, dtypes)


def _whole_part(node: exp.Expr, dtypes: Kinds) -> str | None:
    """DuckDB rounds decimals to decimals, and whole numbers to floating-point ones."""
    kind = _number(node, dtypes)
    return DOUBLE if kind == WHOLE else kind


def _extract(node: exp.Expr, _: Kinds) -> str:
    return DOUBLE if node.name.upper() == "EPOCH" else WHOLE


def _case(node: exp.Expr, dtypes: Kinds) -> str | None:
    values = [each.args["true"] for each in node.args["ifs"]]
    values += [node.args["default"]] if node.args.get("default") is not None else []
    return _same("expressions")(exp.Tuple(expressions=[v.copy() for v in values]), dtypes)


RULES: dict[type[exp.Expr], Callable[[exp.Expr, Kinds], str | None]] = {
    exp.Column: _column,
    exp.Literal: _literal,
    exp.Neg: _number,
    exp.Abs: _number,
    exp.Floor: _whole_part,
    exp.Ceil: _whole_part,
    exp.Add: _number,
    exp.Sub: _difference,
    exp.Mul: _number,
    exp.Div: _quotient,
    exp.IntDiv: _number,
    exp.Mod: _number,
    exp.Length: lambda *_: WHOLE,
    exp.Extract: _extract,
    exp.Case: _case,
    exp.If: _same("true", "false"),
    exp.Coalesce: _same("this", "expressions"),
    exp.Nullif: _same("this"),
    exp.Cast: lambda node, _: _read((CASTS | SHORT).get(node.args["to"].this)),
    exp.Lower: lambda *_: TEXT,
    exp.Upper: lambda *_: TEXT,
    exp.Left: lambda *_: TEXT,
    exp.Right: lambda *_: TEXT,
    exp.TimeToStr: lambda *_: TEXT,
}
