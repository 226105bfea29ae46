"""Columns that are published coarser than they are read, as the documentation says what becomes of a value.

Written apart from the project: with Python's integers, fractions and calendar.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from random import Random
from typing import Any
from zoneinfo import ZoneInfo

import polars as pl

from tests.hunt.values import TICKS, Type

Become = Callable[[Any], Any]
"""What a value, as it is stored here, becomes."""
UNITS = ("day", "week", "month", "quarter", "year", "decade")
DAYS = (-715_000, 2_932_896)
"""From year 12, whose decade Python's calendar has, to 9999."""
EPOCH = date(1970, 1, 1)
LARGEST = 2**40


def random_steps(rng: Random, type_: Type, values: tuple[Any, ...]) -> tuple[str, ...]:
    """One or two ways to publish such values coarser; none where the calendar of Python ends."""
    present = [value for value in values if value is not None]
    match type_.sort:
        case "whole":
            steps = [
                f"round(to={rng.choice((2, 5, 10))})",
                f"clip(low={rng.choice((-1, 0, 1))}, high=7)",
            ]
            return _some(rng, steps if all(abs(v) < LARGEST for v in present) else steps[1:])
        case "real" if all(abs(value) < LARGEST for value in present):
            return _some(rng, [f"round(to={rng.choice((2, 5, 0.5))})", "clip(low=0, high=60.5)"])
        case "decimal":
            return (rng.choice(("clip(low=0, high=7)", "clip(high=7)")),)
        case "text":
            side = rng.choice(("", ", side=left"))
            return (f"mask(keep={rng.randint(0, 3)}{side})",)
        case "day" if all(DAYS[0] < value < DAYS[1] for value in present):
            return _some(rng, [rng.choice(UNITS), 'clip(low="1990-01-01", high="2020-01-02")'])
        case "moment" if all(abs(value) < 8 * 10**9 * _ticks(type_) for value in present):
            return (rng.choice((*UNITS, 'clip(low="1990-01-01", high="2023-10-29")')),)
    return ()


def _some(rng: Random, steps: list[str]) -> tuple[str, ...]:
    return tuple(rng.sample(steps, rng.randint(1, len(steps))))


def published(
    type_: Type, values: tuple[Any, ...], steps: tuple[str, ...]
) -> tuple[Type, tuple[Any, ...]]:
    """A column's type and values after all steps."""
    for step in steps:
        become = _way(type_, step)
        values = tuple(
            None if value is None or value != value else become(value) for value in values
        )
        type_ = _type_after(type_, step, values)
    return type_, values


def _type_after(type_: Type, step: str, values: tuple[Any, ...]) -> Type:
    if step.startswith("mask"):
        return replace(type_, dtype=pl.String())
    if step.startswith("round") and type_.sort == "whole":
        fits = all(-(2**63) <= value < 2**63 for value in values if value is not None)
        return replace(type_, dtype=pl.Int64() if fits else pl.Int128())
    return type_


def _way(type_: Type, step: str) -> Become:
    name, _, rest = step.partition("(")
    given = dict(part.split("=") for part in rest.rstrip(")").split(", ")) if rest else {}
    match name:
        case "round":
            return _rounded(Fraction(given["to"]), is_whole=type_.sort == "whole")
        case "mask":
            return _masked(int(given["keep"]), is_end="side" in given)
        case "clip":
            return _clipped(type_, given)
    return _begun(type_, name)


def _rounded(to: Fraction, *, is_whole: bool) -> Become:
    def become(value: Any) -> Any:
        multiple = (Fraction(value) / to + Fraction(1, 2)).__floor__() * to
        return int(multiple) if is_whole else float(multiple)

    return become


def _masked(keep: int, *, is_end: bool) -> Become:
    stars = "*" * keep
    if is_end:
        return lambda text: "*" + (stars + text)[len(text) :]
    return lambda text: (text + stars)[:keep] + "*"


def _clipped(type_: Type, given: dict[str, str]) -> Become:
    low, high = (_end(type_, given[end]) if end in given else None for end in ("low", "high"))

    def become(value: Any) -> Any:
        value = value if low is None or value >= low else low
        return value if high is None or value <= high else high

    return become


def _end(type_: Type, text: str) -> Any:
    if type_.sort == "day":
        return (date.fromisoformat(text.strip('"')) - EPOCH).days
    if type_.sort == "moment":
        return _from_clock(type_, datetime.fromisoformat(text.strip('"')))
    kinds: dict[str, Callable[[str], Any]] = {"decimal": Decimal, "whole": int, "real": float}
    return kinds[type_.sort](text)


def _begun(type_: Type, unit: str) -> Become:
    """The first day of a period, for clocks its first moment."""
    if type_.sort == "day":
        return lambda days: (_first(EPOCH + timedelta(days), unit) - EPOCH).days

    def become(ticks: Any) -> Any:
        day = _first(_on_clock(type_, ticks).date(), unit)
        return _from_clock(type_, datetime(day.year, day.month, day.day))

    return become


def _first(day: date, unit: str) -> date:
    match unit:
        case "week":
            return day - timedelta(day.weekday())
        case "month":
            return day.replace(day=1)
        case "quarter":
            return day.replace(month=(day.month - 1) // 3 * 3 + 1, day=1)
        case "year" | "decade":
            years = 10 if unit == "decade" else 1
            return date(max(1, day.year // years * years), 1, 1)
    return day


def _ticks(type_: Type) -> int:
    return TICKS[type_.dtype.time_unit]


def _zone(type_: Type) -> Any:
    return ZoneInfo(type_.dtype.time_zone) if type_.dtype.time_zone else UTC


def _on_clock(type_: Type, ticks: int) -> datetime:
    seconds = timedelta(seconds=ticks // _ticks(type_))
    return (datetime(1970, 1, 1, tzinfo=UTC) + seconds).astimezone(_zone(type_))


def _from_clock(type_: Type, moment: datetime) -> int:
    since = moment.replace(tzinfo=_zone(type_)) - datetime(1970, 1, 1, tzinfo=UTC)
    return (since.days * 86_400 + since.seconds) * _ticks(type_)
