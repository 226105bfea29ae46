"""How far apart the values of a column are, in the column's own unit.

Numbers have no other unit than themselves; dates are apart by days, times and durations by seconds.
Whole numbers, decimals and times are compared without rounding, in ticks: the smallest steps of
their type.

>>> ticks_for(1.5, pl.Duration("ms")), ticks_for(0.25, pl.Decimal(10, 1)), ticks_for(7, pl.Date())
(1500, 3, 7)
>>> span_text(86_400_500, pl.Datetime("ms")), span_text(0.3, pl.Float64())
('86400.5 seconds', '0.3')
"""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

import polars as pl

TICKS_A_SECOND = {"ms": 10**3, "us": 10**6, "ns": 10**9}


def has_spans(dtype: pl.DataType) -> bool:
    """Whether values of this type lie at distances from each other."""
    return dtype.is_numeric() or dtype.is_temporal()


def unit_of(dtype: pl.DataType) -> str:
    """What distances are counted in; empty for numbers."""
    if not dtype.is_temporal():
        return ""
    return "days" if isinstance(dtype, pl.Date) else "seconds"


def to_ticks(values: pl.Series) -> pl.Series:
    """The values as whole numbers of ticks; floating-point numbers as they are."""
    physical = values.to_physical()
    return physical.cast(pl.Float64 if physical.dtype.is_float() else pl.Int128)


def to_units(values: pl.Series) -> pl.Series:
    """The values as floating-point numbers in the column's unit: themselves, days or seconds.

    >>> to_units(pl.Series(["1.25"]).str.to_decimal(scale=2)).to_list()
    [1.25]
    """
    if values.dtype.is_numeric():
        return values.cast(pl.Float64)
    return values.to_physical().cast(pl.Float64) / _ticks_a_unit(values.dtype)


def ticks_for(span: float, dtype: pl.DataType) -> int | float:
    """The least number of ticks that is at least a span."""
    if dtype.is_float():
        return span
    # as it is written: 0.1 means a tenth, not the nearest binary fraction
    return math.ceil(Fraction(str(span)) * _ticks_a_unit(dtype))


def span_text(ticks: float, dtype: pl.DataType) -> str:
    """A number of ticks in the column's unit, exactly."""
    if dtype.is_float():
        return repr(float(ticks))
    amount = Decimal(int(ticks)) / _ticks_a_unit(dtype)  # a power of ten
    unit = unit_of(dtype)
    return f"{amount:f}{f' {unit}' if unit else ''}"


def has_nanoseconds(values: pl.Series) -> bool:
    """Whether moments or times of day are finer than microseconds, which is all that Python tells.

    >>> has_nanoseconds(pl.Series([1000, 2001]).cast(pl.Time))
    True
    """
    dtype = values.dtype
    if not isinstance(dtype, pl.Time) and getattr(dtype, "time_unit", None) != "ns":
        return False
    return bool((values.to_physical().drop_nulls() % 1000 != 0).any())


def _ticks_a_unit(dtype: pl.DataType) -> int:
    match dtype:
        case pl.Datetime() | pl.Duration():
            return TICKS_A_SECOND[dtype.time_unit]
        case pl.Time():
            return TICKS_A_SECOND["ns"]
        case pl.Decimal():
            return int(10**dtype.scale)
    return 1
