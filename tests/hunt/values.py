"""Values of every type Polars has: few that repeat, ordinary ones, and the ends of each type.

Values are physical where Python has no object for them: days of dates, ticks of times.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Context, Decimal
from random import Random
from typing import Any

import polars as pl

Draw = Callable[[Random, str], Any]
"""Draws one value; the manner is "few", "spread" or "extreme"."""
DAY = 86_400
ZONES = (
    "UTC", "Europe/Berlin", "America/New_York", "America/St_Johns", "Australia/Lord_Howe",
    "Asia/Kathmandu", "Pacific/Apia", "Africa/Casablanca",
)  # fmt: skip
CLOCK_CHANGES = (1_698_541_200, 1_679_792_400, 1_699_164_000, 1_710_054_000, 1_696_089_600)
"""Seconds at which clocks were changed in Berlin (autumn, spring), New York (both), Lord Howe."""
ENDS = (0, 1, -1, 2, 127, 128, 255, 2**31 - 1, 2**31, 2**53 - 1, 2**53, 2**53 + 1, -(2**53) - 1)
TEXTS = (
    "", " ", "a ", " a", "A", "a", "ä", "Ä", "ß", "ẞ", "İ", "ı", "ſ", "e\u0301", "é", "Σ", "ς", "σ",
    "日本", "🙂", "👩‍👩‍👧", "%", "_", "a%", "a_b", "\\", "'", '"', "''", "NULL", "null", "nan", "inf", "1",
    "01", "1e3", "-0", "2020-01-01", "true", "a\nb", "\t", "\u200b", "\u202e", "\u00a0", "x" * 80,
    "ab", "abc", "aB", "{0}", "%s", "ﬁ", "ǅ", "data", "select", "12:00:00", "[1, 2]",
)  # fmt: skip
WORDS = ("flu", "Flu", "asthma", "ulcer", "burn", "cut", "gastritis", "angina", "cold", "gout")
FLOATS = (0.0, -0.0, 5e-324, 2.2e-308, 1e308, -1e308, 1.7976931348623157e308, 0.1, 0.2, 0.3, 1e16,
          2.0**53 + 2, -(2.0**53), 1e-300, 123456789.123, 1e22, 1 / 3)  # fmt: skip
SINGLES = (0.0, -0.0, 1e-45, 1.1754944e-38, 3.4028235e38, -3.4028235e38, 0.1, 5.9, 2.8, 7.7, 1e10,
           16777217.0, 1 / 3)  # fmt: skip


@dataclass(frozen=True)
class Type:
    """A type of column: how it is stored, what its values are, and what questions take it for."""

    dtype: Any
    sort: str
    """What an analyst would call it: whole, real, decimal, text, logic, day, moment, clock, span."""
    draw: Draw
    in_csv: bool = False

    @property
    def label(self) -> str:
        """Its name in reports."""
        return str(self.dtype)


def series(name: str, dtype: Any, values: list[Any]) -> pl.Series:
    """A column from values as they are stored here."""
    if dtype.is_temporal():
        return pl.Series(name, values, dtype=pl.Int64).cast(dtype)
    return pl.Series(name, values, dtype=dtype, strict=False)


def _whole(low: int, high: int) -> Draw:
    def draw(rng: Random, manner: str) -> int:
        if manner == "extreme":
            return rng.choice(
                [low, high, low + 1, high - 1, *(n for n in ENDS if low <= n <= high)]
            )
        reach = 4 if manner == "few" else 100
        return rng.randint(max(low, -reach // 2), min(high, reach))

    return draw


def _real(ends: tuple[float, ...]) -> Draw:
    def draw(rng: Random, manner: str) -> float:
        if manner == "extreme":
            return float("nan") if rng.random() < 0.03 else rng.choice(ends)
        if manner == "few":
            return rng.choice((0.1, 0.2, 0.3, 1.5, 2.5, 5.9, 7.7, -1.1))
        return rng.choice((round(rng.gauss(50, 30), 2), rng.random(), rng.gauss(0, 1e6)))

    return draw


EXACT = Context(prec=50)
"""Python rounds to 28 digits unless told otherwise; a decimal has up to 38."""


def _decimal(precision: int, scale: int) -> Draw:
    def draw(rng: Random, manner: str) -> Decimal:
        top = 10**precision - 1
        if manner == "extreme":
            whole = rng.choice(
                (top, -top, top - 1, 0, 1, -1, min(2**53 + 1, top), 10 ** (precision // 2))
            )
        else:
            whole = (
                rng.randint(-3, 9) * 10**scale // 4
                if manner == "few"
                else max(-top, min(rng.randint(-9999, 99999), top))
            )
        return EXACT.scaleb(Decimal(whole), -scale)

    return draw


def _text(rng: Random, manner: str) -> str:
    if manner == "extreme":
        return rng.choice(TEXTS)
    return rng.choice(("a", "b", "c", "A")) if manner == "few" else rng.choice(WORDS)


def _logic(rng: Random, manner: str) -> bool:
    return rng.random() < 0.5


def _day(rng: Random, manner: str) -> int:
    if manner == "extreme":
        ends = (-719_162, 2_932_896, -719_161, 0, -1, 11_016, 19_782, 2_932_530, 18_262, 18_261)
        return rng.choice((2_932_897, 9_000_000)) if rng.random() < 0.02 else rng.choice(ends)
    return rng.randint(18_260, 18_264) if manner == "few" else rng.randint(-10_000, 22_000)


def _moment(ticks: int) -> Draw:
    def draw(rng: Random, manner: str) -> int:
        if manner == "few":
            return (rng.choice(CLOCK_CHANGES[:1]) + rng.randint(-4, 4) * 900) * ticks
        if manner == "spread":
            return rng.randint(0, 20_000 * DAY) * ticks + rng.choice((0, 0, rng.randrange(ticks)))
        ends = [0, -1, 1, ticks - 1, -ticks, 951_782_400 * ticks, 1_704_067_199 * ticks + ticks - 1]
        if ticks < 10**9:
            ends += [-62_135_596_800 * ticks, 253_402_300_799 * ticks]
        else:
            ends += [2**63 - 1 - DAY * ticks, -(2**63) + 2 * DAY * ticks]
        return rng.choice(
            [*ends, *(c * ticks + rng.randint(-3, 3) * 450 * ticks for c in CLOCK_CHANGES)]
        )

    return draw


def _span(ticks: int) -> Draw:
    def draw(rng: Random, manner: str) -> int:
        if manner == "few":
            return rng.randint(-1, 4) * 3600 * ticks
        if manner == "spread":
            return rng.randint(-DAY, 100 * DAY) * ticks + rng.choice((0, 0, rng.randrange(ticks)))
        return rng.choice((0, 1, -1, ticks, -ticks, 3600 * ticks, DAY * ticks, 31 * DAY * ticks,
                           36_500 * DAY * ticks, -36_500 * DAY * ticks))  # fmt: skip

    return draw


def _clock(rng: Random, manner: str) -> int:
    if manner == "few":
        return rng.randint(8, 12) * 3600 * 10**9
    if manner == "spread":
        return rng.randrange(DAY) * 10**9 + rng.choice(
            (0, 0, 500_000_000, rng.randrange(10**6) * 1000)
        )
    return rng.choice(
        (0, 1000, DAY * 10**9 - 1000, DAY * 10**9 - 1, 1, 43_200 * 10**9, 999_999_000)
    )


def _bytes(rng: Random, manner: str) -> bytes:
    return _text(rng, manner).encode()


def _list(rng: Random, manner: str) -> list[int]:
    return [rng.randint(0, 2)]


def _nothing(rng: Random, manner: str) -> None:
    return None


TICKS = {"ms": 10**3, "us": 10**6, "ns": 10**9}
SIGNED = {8: pl.Int8(), 16: pl.Int16(), 32: pl.Int32(), 64: pl.Int64(), 128: pl.Int128()}
UNSIGNED = {8: pl.UInt8(), 16: pl.UInt16(), 32: pl.UInt32(), 64: pl.UInt64(), 128: pl.UInt128()}
WHOLE = [
    *(
        Type(t, "whole", _whole(-(2 ** (n - 1)), 2 ** (n - 1) - 1), n == 64)
        for n, t in SIGNED.items()
    ),
    *(Type(t, "whole", _whole(0, 2**n - 1)) for n, t in UNSIGNED.items()),
]
REAL = [Type(pl.Float64(), "real", _real(FLOATS), True), Type(pl.Float32(), "real", _real(SINGLES))]
DECIMAL = [
    Type(pl.Decimal(p, s), "decimal", _decimal(p, s))
    for p, s in ((4, 1), (9, 2), (18, 2), (18, 6), (38, 2), (38, 10), (30, 0))
]
TEXT = [
    Type(pl.String(), "text", _text, True),
    Type(pl.Categorical(), "text", _text),
    Type(pl.Enum(list(TEXTS) + [w for w in (*WORDS, "b", "c") if w not in TEXTS]), "text", _text),
]
LOGIC = [Type(pl.Boolean(), "logic", _logic)]
DAYS = [Type(pl.Date(), "day", _day, True)]
MOMENTS = [
    *(Type(pl.Datetime(unit), "moment", _moment(n), unit == "us") for unit, n in TICKS.items()),
    *(
        Type(pl.Datetime(unit, zone), "moment", _moment(TICKS[unit]))
        for unit in TICKS
        for zone in ZONES
    ),
]
SPANS = [Type(pl.Duration(unit), "span", _span(n)) for unit, n in TICKS.items()]
CLOCKS = [Type(pl.Time(), "clock", _clock)]
OTHER = [
    Type(pl.Binary(), "other", _bytes),
    Type(pl.List(pl.Int64()), "other", _list),
    Type(pl.Null(), "other", _nothing),
    Type(pl.Float16(), "real", _real((0.0, -0.0, 1.5, 65504.0, 6e-8))),
]
FAMILIES = (
    (5, WHOLE), (4, REAL), (3, DECIMAL), (5, TEXT), (2, LOGIC), (3, DAYS), (4, MOMENTS), (2, SPANS),
    (2, CLOCKS), (0.3, OTHER),
)  # fmt: skip

EVERYDAY = (
    pl.Int64(), pl.Int32(), pl.Float64(), pl.Decimal(9, 2), pl.Decimal(18, 2), pl.String(),
    pl.Categorical(), pl.Boolean(), pl.Date(), pl.Datetime("us"), pl.Datetime("us", "UTC"),
    pl.Datetime("us", "Europe/Berlin"), pl.Duration("us"), pl.Time(),
)  # fmt: skip
"""What tables of people are made of."""


def any_type(
    rng: Random, *, csv: bool = False, everyday: bool = False, sorts: tuple[str, ...] = ()
) -> Type:
    """A type, every family of types in turn; `sorts` narrows the choice."""
    while True:
        family = rng.choices([f for _, f in FAMILIES], [w for w, _ in FAMILIES])[0]
        found = rng.choice(family)
        is_usual = not everyday or found.dtype in EVERYDAY
        if getattr(found.dtype, "time_unit", "") == "ns" and rng.random() < 0.6:
            continue  # what is finer than microseconds is mostly refused
        if is_usual and (not csv or found.in_csv) and (not sorts or found.sort in sorts):
            return found
