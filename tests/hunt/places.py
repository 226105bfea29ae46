"""Values on a scale where they can be compared, whatever type a database gave them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from datetime import MAXYEAR, date, datetime, time, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any

import polars as pl

Key = tuple[Any, ...]
FAR_DATE = re.compile(r"(\d+)-(\d\d)-(\d\d)( \(BC\))?(?: (\d\d):(\d\d):(\d\d)(?:\.(\d+))?)?")
INFINITE = Fraction(10) ** 400
"""Beyond every number that a database can give."""


def place(value: Any) -> Any:
    """A comparable form: numbers as fractions, calendar values as tuples, the rest as it is."""
    match value:
        case bool():
            return ("logic", value)
        case float():
            if math.isnan(value):
                return ("nan",)
            return (
                Fraction(value) if math.isfinite(value) else int(math.copysign(1, value)) * INFINITE
            )
        case int() | Decimal() | Fraction():
            return (
                Fraction(value) if not isinstance(value, Decimal) or value.is_finite() else ("nan",)
            )
        case datetime():
            return ("moment", value.year, value.month, value.day, value.hour, value.minute, value.second,
                    value.microsecond)  # fmt: skip
        case date():
            return ("moment", value.year, value.month, value.day, 0, 0, 0, 0)
        case time():
            return ("clock", value.hour, value.minute, value.second, value.microsecond)
        case timedelta():
            return ("span", value.days, value.seconds, value.microseconds)
        case list() | dict():
            return ("nested", repr(value))
    return value


def far_moment(value: Any) -> Any:
    """A date beyond Python's years, which databases give as a text, as a place."""
    found = FAR_DATE.fullmatch(value) if isinstance(value, str) else None
    if found is None:
        return place(value)
    year, month, day, before, hour, minute, second, rest = found.groups()
    clock = (
        int(hour or 0),
        int(minute or 0),
        int(second or 0),
        int((rest or "0").ljust(6, "0")[:6]),
    )
    return ("moment", 1 - int(year) if before else int(year), int(month), int(day), *clock)


def places(*values: Any) -> list[Any]:
    """The places of values that are to be compared with each other.

    >>> places("10000-01-01", date(1950, 1, 1))[0] > places("10000-01-01", date(1950, 1, 1))[1]
    True
    >>> places("10000-01-01", "1950-01-01")  # a date that Python has is given as one
    ['10000-01-01', '1950-01-01']
    """
    texts = [value for value in values if isinstance(value, str)]
    far = [far_moment(value) for value in values]
    is_far = all(kind(one) == "moment" for one in far)
    if texts and is_far and all(not 1 <= far_moment(text)[1] <= MAXYEAR for text in texts):
        return far
    return [place(value) for value in values]


def key_of(values: Iterable[Any]) -> Key:
    """Group keys that are equal where a person would call them so."""
    return tuple(place(value) for value in values)


def kind(value: Any) -> str:
    """Which values can be compared with it."""
    if isinstance(value, tuple):
        return str(value[0])
    return "number" if isinstance(value, Fraction) else type(value).__name__


def comparable(values: pl.Series) -> list[Any]:
    """Values that Python can hold and compare: ticks instead of times, and NaN is missing."""
    if values.dtype.is_temporal():
        values = values.to_physical()
    return (values.fill_nan(None) if values.dtype.is_float() else values).to_list()
