"""Masked cells on the scale of their original column, some of which stand for several values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonagram.attacks.aligned.sets import Span, is_suppressed, period_of, span_of
from anonagram.columns.encoding import dictionary, encode
from anonagram.columns.hierarchy import hierarchy_for, value_texts
from anonagram.columns.places import line_places
from anonagram.columns.ranks import Codes, Ranked
from anonagram.columns.spans import to_units
from anonagram.errors import SchemaError
from anonagram.schema import ColumnRule
from anonagram.sources import Table

Range = tuple[int, int]
Encoded = tuple[Codes, pl.Series, str]
SECONDS_A_DAY = 86_400


@dataclass(frozen=True)
class Cells:
    """A masked column as codes in the order of their places."""

    masked: Ranked
    ranges: NDArray[np.int32] | None = None
    """For each code the first and last original code it may stand for; -1 for a single value."""

    @classmethod
    def at(
        cls,
        codes: Codes,
        texts: Sequence[str],
        order: Sequence[str],
        ranges: Mapping[str, Range],
        original: Ranked,
    ) -> Self:
        """Texts of which some are values in an order, some stand for a range of it, some for nothing."""
        position = {text: place for place, text in enumerate(order)}
        both = [(-1, -1) if text in position else ranges.get(text, (-1, -1)) for text in texts]
        places = [
            middle_of(original, low, high) if low >= 0 else float(position.get(text, np.inf))
            for text, (low, high) in zip(texts, both, strict=True)
        ]
        return cls.ordered(*without_suppressed(codes, places, both))

    @classmethod
    def ordered(cls, codes: Codes, places: Sequence[float], ranges: Sequence[Range]) -> Self:
        """Codes put into the order of their places; the code behind the last is a missing value."""
        order = np.argsort(np.asarray(places, np.float64), kind="stable")
        new = np.empty(order.size + 1, np.int32)
        new[order] = np.arange(order.size)
        new[-1] = order.size
        known = np.append(np.asarray(places, np.float64)[order], np.inf)
        both = np.full((order.size + 1, 2), -1, np.int32)
        both[:-1] = np.asarray(ranges, np.int32).reshape(-1, 2)[order]
        return cls(Ranked(new[codes], known), both if (both[:, 0] >= 0).any() else None)


def middle_of(original: Ranked, low: int, high: int) -> float:
    """Where a range of values lies: the mean place of the rows that have one of them."""
    counts, places = original.counts[low : high + 1], original.places[low : high + 1]
    if not counts.sum():
        return float(original.places[min(low, original.places.size - 2)])
    return float(np.average(places, weights=counts))


def measured_cells(
    table: Table, name: str, rule: ColumnRule, domain: pl.Series, folder: Path
) -> Encoded | Cells:
    """A masked column of numbers or dates: encoded where all are values, else with its intervals."""
    try:
        codes, values, kind, _ = encode(table, name, rule)
        return codes, values, kind
    except SchemaError as error:
        series = table.frame[name]
        if not isinstance(series.dtype, pl.String | pl.Categorical | pl.Enum):
            raise
        found = _with_intervals(series.cast(pl.String), name, rule, domain, folder)
        if found is None:
            raise SchemaError(
                error.what,
                "correct that value, or write what stands for several as [20, 30), 20-29 or >=90, "
                "and what is suppressed as * or an empty field.",
            ) from error
        return found


def _with_intervals(
    series: pl.Series, name: str, rule: ColumnRule, domain: pl.Series, folder: Path
) -> Cells | None:
    """Values, intervals, labels of the schema's hierarchy and suppressed cells; None for others."""
    codes, texts = dictionary(series)
    original = Ranked(np.arange(len(domain), dtype=np.int32), line_places(domain, str(rule.kind)))
    labels = _ranges_of_labels(name, rule, domain, folder)
    places, ranges = [], []
    for text, value in zip(texts.to_list(), _values(texts, domain), strict=True):
        range_, place = (-1, -1), float(value)
        if is_suppressed(text):
            place = np.inf
        elif np.isnan(value):
            found = labels.get(text) or _range_of_text(text, domain, original.places)
            if found is None:
                return None
            range_, place = found, _place_of(original, found)
        places.append(place)
        ranges.append(range_)
    return Cells.ordered(*without_suppressed(codes, places, ranges))


def without_suppressed(
    codes: Codes, places: list[float], ranges: list[Range]
) -> tuple[Codes, list[float], list[Range]]:
    """Suppressed cells, whose place is infinite, become missing ones: their codes are the last."""
    is_there = np.isfinite(places)
    new = np.where(is_there, np.cumsum(is_there) - 1, is_there.sum())
    codes = np.append(new, is_there.sum()).astype(np.int32)[codes]
    both = [each for each, there in zip(ranges, is_there, strict=True) if there]
    return codes, [place for place in places if np.isfinite(place)], both


def _place_of(original: Ranked, found: Range) -> float:
    """Where an interval lies; one without any original value beside the next of them."""
    low, high = found
    last = original.places.size - 2
    return middle_of(original, low, high) if low <= high else float(original.places[min(low, last)])


def _values(texts: pl.Series, domain: pl.Series) -> NDArray[np.float64]:
    """Where texts lie that are single values; not a number where they are none."""
    trimmed = texts.str.strip_chars()
    if domain.dtype.is_numeric():
        return trimmed.cast(pl.Float64, strict=False).fill_null(np.nan).to_numpy()
    days = trimmed.str.to_date("%Y-%m-%d", strict=False)
    moments = days.cast(domain.dtype if domain.dtype.is_temporal() else pl.Date)
    found = np.full(len(texts), np.nan)
    found[moments.is_not_null().to_numpy()] = to_units(moments.drop_nulls()).to_numpy()
    return found


def _range_of_text(text: str, domain: pl.Series, places: NDArray[np.float64]) -> Range | None:
    """The codes of the values in an interval; None for what is none."""
    is_number = domain.dtype.is_numeric()
    span = span_of(text) if is_number else period_of(text) or span_of(text)
    if span is None:
        return None
    low, high = _ends(span, domain)
    if np.isnan([low, high]).any() or low > high:
        return None
    known = places[:-1]
    first = np.searchsorted(known, low, side="left" if span.has_low else "right")
    last = np.searchsorted(known, high, side="right" if span.has_high else "left")
    return int(first), int(last) - 1


def _ends(span: Span, domain: pl.Series) -> tuple[float, float]:
    """Both ends on the column's scale; the end of a day is its last moment."""
    low = -np.inf if span.low is None else float(_values(pl.Series([span.low]), domain)[0])
    high = np.inf if span.high is None else float(_values(pl.Series([span.high]), domain)[0])
    if span.has_high and isinstance(domain.dtype, pl.Datetime):
        high += SECONDS_A_DAY - 1e-6
    return low, high


def _ranges_of_labels(
    name: str, rule: ColumnRule, domain: pl.Series, folder: Path
) -> dict[str, Range]:
    """What the labels of the schema's hierarchy stand for, as codes of the column."""
    if rule.hierarchy is None:
        return {}
    hierarchy = hierarchy_for(name, rule.hierarchy, domain, folder)
    code_of = {text: code for code, text in enumerate(value_texts(domain))}
    ranges: dict[str, Range] = {}
    for level in range(hierarchy.height, 0, -1):
        found: dict[str, Range] = {}
        for value, label in zip(hierarchy.values, hierarchy.levels[level], strict=True):
            if (code := code_of.get(value)) is not None:
                low, high = found.get(label, (code, code))
                found[label] = min(low, code), max(high, code)
        ranges |= found
    return ranges
