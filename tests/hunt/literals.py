"""Literals: values of a column as SQL writes them, and others of its sort."""

from __future__ import annotations

import math
from decimal import Decimal
from random import Random
from typing import Any

import polars as pl

from tests.hunt.functions import INTERVALS
from tests.hunt.tables import Column
from tests.hunt.values import TEXTS, WORDS

NUMBERS = ("whole", "real", "decimal")
ODD = (
    "NULL", "''", "'a'", "0", "1.5", "TRUE", "1e400", "-1", "'2020-01-01'", "1e308", "0x10",
    "99999999999999999999", "DATE '2020-02-30'", "'NaN'::DOUBLE", "(1, 2)", "'1e2'", "1_000",
)  # fmt: skip
USUAL = {
    "whole": ("0", "1", "2", "3", "5", "10", "18", "2020"),
    "real": ("0", "1.5", "0.1", "10", "100.25", "-2.5"),
    "decimal": ("0", "1.5", "0.1", "10", "100.25", "-2.5"),
    "logic": ("TRUE", "FALSE"),
    "day": ("DATE '2020-01-01'", "DATE '1999-12-31'", "'2000-02-29'", "CAST('2010-06-15' AS DATE)"),
    "moment": (
        "TIMESTAMP '2020-01-01 00:00:00'", "TIMESTAMP '2023-10-29 02:15:00'", "DATE '2023-10-29'",
        "'2023-10-29 02:30:00'",
    ),
    "clock": ("TIME '09:00:00'", "'10:30:00'", "TIME '23:59:59.5'"),
    "span": INTERVALS,
    "any": ("1", "'a'", "NULL", "2.5", "DATE '2020-01-01'"),
}  # fmt: skip
"""What an analyst might write without looking."""


EDGES = (
    "9007199254740993", "-9007199254740993", "9007199254740993.0", "9007199254740992.5",
    "9.007199254740993e15", "9223372036854775807", "9223372036854775806", "-9223372036854775807",
    "-9223372036854775808", "9223372036854775808", "9223372036854775807.5", "9.3e18", "1e19",
    "18446744073709551615", "18446744073709551616", "4611686018427387904", "3037000500",
    "170141183460469231731687303715884105727", "170141183460469231731687303715884105728",
    "2147483648", "2147483647", "-2147483648", "65536", "32768", "256", "255", "128", "-128",
    "16777217", "3.4028235e38", "1.7976931348623157e308", "1e-320", "5e-324", "0.10", "1e0", "2.50",
    "99999999999999999999999999999999999999", "0.00000000000000000000000000000000000001",
)  # fmt: skip
"""Numbers at which types end, whole ones above those that a double holds, and other ways to write."""


def edge(rng: Random, sort: str) -> str:
    """A number at the end of some type; of anything else a usual literal."""
    return rng.choice(EDGES) if sort in NUMBERS else usual(rng, sort)


def quoted(text: str) -> str:
    """A text literal."""
    return "'" + text.replace("'", "''") + "'"


def usual(rng: Random, sort: str) -> str:
    """A literal of a sort."""
    return quoted(rng.choice((*WORDS, *TEXTS))) if sort == "text" else rng.choice(USUAL[sort])


def own(rng: Random, sort: str, column: Column) -> str:
    """A value of the column, or one beside it."""
    text = text_of(rng, column)
    if text is None or rng.random() < 0.1:
        return usual(rng, sort)
    match sort:
        case "text":
            return quoted(text)
        case "day":
            return f"DATE '{text}'"
        case "moment":
            return rng.choice((f"TIMESTAMP '{text}'", f"'{text}'", f"CAST('{text}' AS TIMESTAMP)"))
        case "clock":
            return f"TIME '{text}'"
    return text if sort in NUMBERS else usual(rng, sort)


def text_of(rng: Random, column: Column) -> str | None:
    """One value of a column as SQL would write it between quotes, or as a number."""
    value = rng.choice(column.values)
    if value is None or value != value:
        return None
    if column.type.sort in ("day", "moment"):
        return _calendar_text(value, column.type.dtype)
    if column.type.sort == "clock":
        seconds, rest = divmod(value, 10**9)
        return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}.{rest // 1000:06}"
    return _plain_text(rng, value)


def _calendar_text(value: int, dtype: Any) -> str | None:
    moment = pl.Series([value], dtype=pl.Int64).cast(dtype)
    if dtype == pl.Datetime and dtype.time_zone is not None:
        moment = moment.dt.replace_time_zone(None)
    text = str(moment.cast(pl.String).item())
    return None if text.startswith("-") else text.lstrip("+")


def _plain_text(rng: Random, value: Any) -> str | None:
    match value:
        case str():
            return value
        case bool() | bytes() | list():
            return None
        case Decimal():
            return f"{value:f}"
        case int() if rng.random() < 0.2:
            return str(value + rng.choice((-1, 1)))
        case int() if rng.random() < 0.15:
            return f"{value}{rng.choice(('.0', '.5', 'e0'))}"
        case float() if rng.random() < 0.15:
            return repr(math.nextafter(value, rng.choice((-math.inf, math.inf))))
    return repr(value)
