"""Between what an expression over ranges lies, where its values can neither be listed nor ordered.

Every step is sound and some are loose: a CASE lies between the least and the greatest of all its
values, whatever its conditions say.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import polars as pl
from sqlglot import exp

from anonagram.queries.kinds import DATE, DOUBLE, MOMENT, NUMBERS, WHOLE
from anonagram.queries.reading.kinds import kind_of
from anonagram.queries.reading.question import DIALECT, columns_of
from anonagram.queries.rearranged.monotone import direction, factor
from anonagram.queries.sql import quote
from anonagram.release.sheet import Sheet

PARTS: dict[str, tuple[int, int]] = {
    "QUARTER": (1, 4), "MONTH": (1, 12), "WEEK": (1, 53), "DAY": (1, 31), "DOW": (0, 6),
    "ISODOW": (1, 7), "DOY": (1, 366), "HOUR": (0, 23), "MINUTE": (0, 59), "SECOND": (0, 59),
}  # fmt: skip
"""Between what parts of dates and times of day lie."""
NO_ENDS = ("", "", "")
"""Of a set, which has an enclosure of no kind."""
WITH_PARTS = {pl.Date, pl.Datetime, pl.Time}
ORDERED = (*NUMBERS, DATE, MOMENT)
"""Kinds of which databases agree what is less."""


@dataclass(frozen=True)
class Enclosure:
    """SQL for the least and the greatest that an expression can be in a group, `t`.

    Both are NULL where it is missing for everybody.
    """

    low: str
    high: str
    can_miss: str = "FALSE"
    """SQL for whether it can be missing."""


def enclosure_of(node: exp.Expr, sheet: Sheet) -> Enclosure | None:
    """Between what an expression lies in each group; None where that is not known.

    Where everybody of a group has one value of each column, the expression itself tells.
    """
    columns = [sheet.ranges[name] for name in columns_of(node)]
    found = None if any(column.is_listed for column in columns) else _enclosed(node, sheet)
    if found is None:
        return None
    ends = {column.name: column.ends or NO_ENDS for column in columns}
    known = [f"(t.{quote(a)} = t.{quote(b)} AND NOT t.{quote(c)})" for a, b, c in ends.values()]
    point, value = " AND ".join(known), _at(node, {name: low for name, (low, *_) in ends.items()})
    low, high = (
        f"CASE WHEN {point} THEN {value} ELSE {end} END" for end in (found.low, found.high)
    )
    return Enclosure(low, high, f"(NOT ({point}) AND {found.can_miss})")


def _at(node: exp.Expr, places: Mapping[str, str]) -> str:
    """SQL for an expression with columns of the table of groups in place of its own."""

    def swap(part: exp.Expr) -> exp.Expr:
        is_own = isinstance(part, exp.Column) and not part.table
        return exp.column(places[part.name], table="t", quoted=True) if is_own else part

    return f"({node.transform(swap).sql(DIALECT)})"


def _enclosed(node: exp.Expr, sheet: Sheet) -> Enclosure | None:
    node = node.unnest()
    names = columns_of(node)
    if not names:
        return _constant(node)
    by_ends = _by_ends(node, names, sheet)
    if by_ends is not None:
        return by_ends
    rule = RULES.get(type(node))
    return None if rule is None else rule(node, sheet)


def _constant(node: exp.Expr) -> Enclosure | None:
    if isinstance(node, exp.Null):
        return Enclosure("NULL", "NULL", "TRUE")
    of = node.this if isinstance(node, exp.Cast) else node
    if factor(of) is None and not isinstance(of, exp.Literal):
        return None
    return Enclosure(node.sql(DIALECT), node.sql(DIALECT))


def _by_ends(node: exp.Expr, names: list[str], sheet: Sheet) -> Enclosure | None:
    """A function that keeps the order of one column, or turns it round."""
    column = sheet.ranges[names[0]]
    turned = direction(node, column.dtype) if len(names) == 1 else 0
    if not turned:
        return None
    *ends, missing = column.ends or NO_ENDS
    low, high = (_at(node, {column.name: end}) for end in (ends if turned > 0 else reversed(ends)))
    return Enclosure(low, high, f"t.{quote(missing)}")


def _of_all(nodes: Sequence[exp.Expr], sheet: Sheet) -> Enclosure | None:
    """Between the least and the greatest of several expressions, of which any may be the one."""
    parts = [_enclosed(each, sheet) for each in nodes]
    if any(part is None for part in parts):
        return None
    found = [part for part in parts if part is not None]
    told = [part for part in found if part.low != "NULL"]
    if not told:
        return None
    low, high = (", ".join(ends) for ends in zip(*((p.low, p.high) for p in told), strict=True))
    if len(told) > 1:
        low, high = f"LEAST({low})", f"GREATEST({high})"
    return Enclosure(low, high, f"({' OR '.join(part.can_miss for part in found)})")


def _case(node: exp.Expr, sheet: Sheet) -> Enclosure | None:
    values = [each.args["true"] for each in node.args["ifs"]]
    values.append(node.args.get("default") or exp.Null())
    present = [each for each in values if not isinstance(each, exp.Null)]
    if present and all(isinstance(each, exp.Literal) and each.is_string for each in present):
        # byte by byte, as DuckDB compares
        low, *_, high = sorted(present * 2, key=lambda each: each.name.encode())
        missing = str(len(present) < len(values)).upper()
        return Enclosure(low.sql(DIALECT), high.sql(DIALECT), missing)
    return _of_all(values, sheet) if kind_of(node, sheet.dtypes) in ORDERED else None


def _coalesce(node: exp.Expr, sheet: Sheet) -> Enclosure | None:
    kind = kind_of(node, sheet.dtypes)
    return _of_all([node.this, *node.expressions], sheet) if kind in ORDERED else None


def _nullif(node: exp.Expr, sheet: Sheet) -> Enclosure | None:
    first = _enclosed(node.this, sheet)
    return None if first is None else Enclosure(first.low, first.high, "TRUE")


def _extract(node: exp.Expr, sheet: Sheet) -> Enclosure | None:
    ends = PARTS.get(node.name.upper())
    if ends is None or not _has_parts(node.expression, sheet):
        return None
    return Enclosure(str(ends[0]), str(ends[1]), "TRUE")


def _has_parts(node: exp.Expr, sheet: Sheet) -> bool:
    """Whether it is a date, a moment or a time of day.

    Between two moments lies a length of time, which may have a thousand days, or less than none.
    """
    node = node.unnest()
    match node:
        case exp.Column():
            return type(sheet.dtypes[node.name]) in WITH_PARTS
        case exp.Add() | exp.Sub():
            is_moved = isinstance(node.expression.unnest(), exp.Interval)
            return is_moved and _has_parts(node.this, sheet)
        case exp.DateTrunc() | exp.TimestampTrunc():
            return _has_parts(node.this, sheet)
        case exp.Coalesce():
            return all(_has_parts(each, sheet) for each in (node.this, *node.expressions))
    return kind_of(node, sheet.dtypes) in (DATE, MOMENT)


def _absolute(node: exp.Expr, sheet: Sheet) -> Enclosure | None:
    of = _number(node.this, sheet)
    if of is None:
        return None
    low = f"CASE WHEN {of.low} >= 0 THEN {of.low} WHEN {of.high} <= 0 THEN -({of.high}) ELSE 0 END"
    low = f"CASE WHEN {of.low} IS NOT NULL THEN {low} END"
    return Enclosure(f"({low})", f"GREATEST(ABS({of.low}), ABS({of.high}))", of.can_miss)


def _remainder(node: exp.Expr, sheet: Sheet) -> Enclosure | None:
    """It has the sign of what is divided, and is neither larger than that nor as the divisor."""
    of, number = _number(node.this, sheet), factor(node.expression)
    if of is None or not number:
        return None
    is_whole = kind_of(node, sheet.dtypes) == WHOLE
    size = exp.Paren(this=node.expression.copy()).sql(DIALECT)
    most = f"(ABS({size}) - 1)" if is_whole else f"ABS({size})"
    low = f"GREATEST(-{most}, LEAST(0, {of.low}))"
    high = f"LEAST({most}, GREATEST(0, {of.high}))"
    if kind_of(node.this, sheet.dtypes) == DOUBLE:  # of what is too large there is no number
        high = f"({high} + 0 * ({of.low}) + 0 * ({of.high}))"
    there = f"CASE WHEN {of.low} IS NOT NULL THEN"
    return Enclosure(f"({there} {low} END)", f"({there} {high} END)", of.can_miss)


def _corners(sign: str) -> Callable[[exp.Expr, Sheet], Enclosure | None]:
    """Arithmetic that is least and greatest at the ends of both sides, however it is rounded."""

    def rule(node: exp.Expr, sheet: Sheet) -> Enclosure | None:
        one, two = _number(node.this, sheet), _number(node.expression, sheet)
        if one is None or two is None:
            return None
        corners = [
            f"({a} {sign} {b})" for a, b in product((one.low, one.high), (two.low, two.high))
        ]
        ends = dict.fromkeys(corners)
        low, high = (f"{name}({', '.join(ends)})" for name in ("LEAST", "GREATEST"))
        missing = f"({one.can_miss} OR {two.can_miss})"
        return Enclosure(low, high, missing)

    return rule


def _quotient(node: exp.Expr, sheet: Sheet) -> Enclosure | None:
    return _corners("/")(node, sheet) if factor(node.expression) else None


def _number(node: exp.Expr, sheet: Sheet) -> Enclosure | None:
    return _enclosed(node, sheet) if kind_of(node, sheet.dtypes) in NUMBERS else None


RULES: dict[type[exp.Expr], Callable[[exp.Expr, Sheet], Enclosure | None]] = {
    exp.Case: _case,
    exp.Coalesce: _coalesce,
    exp.Nullif: _nullif,
    exp.Extract: _extract,
    exp.Abs: _absolute,
    exp.Mod: _remainder,
    exp.Add: _corners("+"),
    exp.Sub: _corners("-"),
    exp.Mul: _corners("*"),
    exp.Div: _quotient,
}
