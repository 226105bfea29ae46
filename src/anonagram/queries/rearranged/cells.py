"""Which values of a range a question can tell apart, where they cannot all be listed.

Between two amounts or moments lie too many others to be named. But a question that looks at days of
moments, or compares an amount with 1.5, treats all values of a cell alike: one of each cell is enough.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal, InvalidOperation
from typing import Any

import polars as pl
from sqlglot import exp

from anonagram.queries.reading.question import columns_of

WHOLE, DAY, HOUR, MINUTE, SECOND = "whole", "day", "hour", "minute", "second"
YEAR, MONTH, WEEK = "year", "month", "week"
COMPARED = (
    exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.NullSafeEQ, exp.NullSafeNEQ,
)  # fmt: skip
WHOLE_TYPES = {exp.DataType.Type.SMALLINT, exp.DataType.Type.INT, exp.DataType.Type.BIGINT}
WITHIN_DAYS = {"HOUR": HOUR, "MINUTE": MINUTE, "SECOND": SECOND}
CALENDAR = {
    "YEAR": YEAR, "DECADE": YEAR, "CENTURY": YEAR, "QUARTER": MONTH, "MONTH": MONTH, "WEEK": WEEK,
    "DAY": DAY, "DOW": DAY, "DOY": DAY, "ISODOW": DAY,
}  # fmt: skip
"""The longest piece of a calendar in which a part of dates stays as it is."""
DAY_FORMATS = {"%Y", "%m", "%d", "%y", "%j", "%a", "%A", "%b", "%B", "%w", "%u"}
FINEST = (YEAR, MONTH, WEEK, DAY, HOUR, MINUTE, SECOND)
SECONDS = {
    YEAR: 365 * 86_400, MONTH: 28 * 86_400, WEEK: 7 * 86_400, DAY: 86_400, HOUR: 3_600, MINUTE: 60,
    SECOND: 1,
}  # fmt: skip
"""Of each piece of a calendar and a clock, at least."""
TURNS = {HOUR: DAY, MINUTE: HOUR, SECOND: MINUTE}
"""After which the hours, minutes or seconds of moments come again."""
PLAIN_DAY = r"\d{4}-\d\d-\d\d"
MOMENTS = {
    exp.DataType.Type.TIMESTAMP, exp.DataType.Type.TIMESTAMPNTZ, exp.DataType.Type.DATETIME,
}  # fmt: skip
KEEPING: dict[type[pl.DataType], set[Any]] = {
    pl.Float64: {exp.DataType.Type.DOUBLE}, pl.Datetime: MOMENTS, pl.Date: MOMENTS,
}  # fmt: skip
"""What a quoted text is cast to without losing a digit that a column's values have."""
MOST_BORDERS = 60
DECIMAL_DIGITS = 18
"""Longer decimals may be compared as floating-point numbers, which have other neighbours."""


class _Unread(Exception):
    """An expression looks at the value itself."""


@dataclass(frozen=True)
class Cells:
    """The borders between values that some expressions treat differently."""

    grid: str | None
    """A cell for each whole number, day, … between the ends of a range."""
    borders: tuple[str, ...]
    """SQL for values at which a condition may change, and their neighbours."""
    turn: int | None = None
    """After so many cells of the grid everything comes again."""


def cells_of(expressions: Sequence[exp.Expr], dtype: pl.DataType) -> Cells | None:
    """What expressions over one column tell apart; None where that is every value."""
    try:
        found = [each for node in expressions for each in _borders(node.unnest(), dtype)]
    except _Unread:
        return None
    grids = {each for each in found if isinstance(each, _Grid)}
    units = sorted((each.unit for each in grids), key=[WHOLE, *FINEST].index)
    texts = dict.fromkeys(each for each in found if isinstance(each, str))
    if len(texts) > MOST_BORDERS:
        return None
    unit = units[-1] if units else None
    if unit == WEEK and set(units) != {WEEK}:  # weeks are cut by months and years
        unit = DAY
    return Cells(unit, tuple(texts), None if texts else _turn(unit, grids))


def _turn(unit: str | None, grids: set[_Grid]) -> int | None:
    """The cells of all hours, minutes or seconds there are, where nothing else is looked at."""
    if unit is None or not all(each.comes_again for each in grids):
        return None
    return max(SECONDS[TURNS[each.unit]] for each in grids) // SECONDS[unit]


@dataclass(frozen=True)
class _Grid:
    unit: str
    comes_again: bool = False
    """Whether cells are told apart within the next larger unit only."""


def _borders(node: exp.Expr, dtype: pl.DataType) -> Iterator[str | _Grid]:
    """What an expression looks at."""
    node = node.unnest()
    if not columns_of(node):
        return
    if isinstance(node, exp.Column):
        raise _Unread
    grid = _grid(node, dtype)
    if grid is not None:
        yield _Grid(grid, isinstance(node, exp.Extract) and grid in TURNS)
    elif isinstance(node, exp.Is) and _is_column(node.this):
        if not isinstance(node.expression, exp.Null):  # 0 is false, and other numbers are true
            yield from _around(exp.Literal.number(0), dtype)
    elif isinstance(node, COMPARED) and (_is_column(node.this) or _is_column(node.expression)):
        value = node.expression if _is_column(node.this) else node.this
        yield from _around(value, dtype)
    elif isinstance(node, exp.Between) and _is_column(node.this):
        yield from _around(node.args["low"], dtype)
        yield from _around(node.args["high"], dtype)
    elif isinstance(node, exp.In) and _is_column(node.this):
        for value in node.expressions:
            yield from _around(value, dtype)
    else:
        for child in node.iter_expressions():
            yield from _borders(child, dtype)


def _is_column(node: exp.Expr) -> bool:
    return isinstance(node.unnest(), exp.Column)


def _grid(node: exp.Expr, dtype: pl.DataType) -> str | None:
    """The unit in which a function looks at the column it is directly made of."""
    inner = node.expression if isinstance(node, exp.Extract) else node.this
    if not isinstance(inner, exp.Expr) or not _is_column(inner):
        return None
    if dtype.is_numeric():
        to_whole = isinstance(node, exp.Cast) and node.to.this in WHOLE_TYPES
        return WHOLE if to_whole or isinstance(node, exp.Floor | exp.Ceil) else None
    if not isinstance(dtype, pl.Datetime | pl.Date):
        return None
    match node:
        case exp.Extract():
            return _unit(node.name)
        case exp.DateTrunc() | exp.TimestampTrunc():
            return _unit(str(node.args["unit"].name))
        case exp.Cast():
            return DAY if node.to.this == exp.DataType.Type.DATE else None
        case exp.TimeToStr():
            return _format(node.args["format"])
    return None


def _unit(name: str) -> str | None:
    return (CALENDAR | WITHIN_DAYS).get(name.upper())


def _format(node: exp.Expr) -> str | None:
    if not isinstance(node, exp.Literal):
        return None
    pieces = node.name.replace("%%", "").split("%")[1:]
    return DAY if all(f"%{piece[:1]}" in DAY_FORMATS for piece in pieces) else None


def _around(node: exp.Expr, dtype: pl.DataType) -> Iterator[str]:
    """A constant and its neighbours, as values of the column."""
    text = _text(node, dtype)
    if text is None:
        raise _Unread
    try:
        match dtype:
            case pl.Float64():
                yield from _floats(float(text))
            case pl.Decimal():
                yield from _decimals(text, dtype)
            case pl.Int64():
                yield from _wholes(text)
            case pl.Datetime() if dtype.time_unit != "ns":
                yield from _moments(datetime.fromisoformat(text))
            case pl.Date():
                yield from _days(date.fromisoformat(text))
            case _:
                raise _Unread
    except (ValueError, OverflowError, InvalidOperation) as error:
        raise _Unread from error


def _text(node: exp.Expr, dtype: pl.DataType) -> str | None:
    """The text of a literal; of a quoted one only where it says what it is."""
    node = node.unnest()
    if isinstance(node, exp.Neg):
        text = _text(node.this, dtype)
        return None if text is None else f"-{text}"
    if isinstance(node, exp.Cast) and isinstance(node.this, exp.Literal) and node.this.is_string:
        return str(node.this.name) if _is_kept(node, dtype) else None
    return str(node.name) if isinstance(node, exp.Literal) and not node.is_string else None


def _is_kept(cast: exp.Cast, dtype: pl.DataType) -> bool:
    """Whether a type keeps all that a text says: whole numbers are rounded, days have no hours."""
    if cast.to.this == exp.DataType.Type.DATE:
        return bool(re.fullmatch(PLAIN_DAY, cast.this.name))
    return cast.to.this in KEEPING.get(type(dtype), ())


def _floats(value: float) -> Iterator[str]:
    if not math.isfinite(value):
        raise _Unread
    for each in (math.nextafter(value, -math.inf), value, math.nextafter(value, math.inf)):
        if math.isfinite(each):
            yield f"CAST('{each!r}' AS DOUBLE)"


def _decimals(text: str, dtype: pl.Decimal) -> Iterator[str]:
    """Numbers between two values of the column have these for neighbours."""
    value = Decimal(text)
    _, digits, exponent = value.as_tuple()
    is_short = isinstance(exponent, int) and max(len(digits), -exponent) <= DECIMAL_DIGITS
    if "e" in text.lower() or not is_short or (dtype.precision or 38) > DECIMAL_DIGITS:
        raise _Unread
    step = Decimal(1).scaleb(-dtype.scale)
    below, above = (value.quantize(step, how) for how in (ROUND_FLOOR, ROUND_CEILING))
    for each in sorted({below - step, below, above, above + step}):
        if abs(each) < Decimal(10) ** ((dtype.precision or 38) - dtype.scale):
            yield f"CAST('{each:f}' AS DECIMAL({dtype.precision}, {dtype.scale}))"


def _wholes(text: str) -> Iterator[str]:
    value = Decimal(text)
    if "e" in text.lower() or abs(value) >= 2**53:
        raise _Unread
    below, above = (int(value.to_integral_value(how)) for how in (ROUND_FLOOR, ROUND_CEILING))
    for each in sorted({below - 1, below, above, above + 1}):
        yield f"CAST({each} AS BIGINT)"


def _moments(moment: datetime) -> Iterator[str]:
    if moment.tzinfo is not None:
        raise _Unread
    for steps in (-1, 0, 1):
        yield f"CAST('{moment + timedelta(microseconds=steps)}' AS TIMESTAMP)"


def _days(day: date) -> Iterator[str]:
    for steps in (-1, 0, 1):
        yield f"CAST('{day + timedelta(days=steps)}' AS DATE)"
