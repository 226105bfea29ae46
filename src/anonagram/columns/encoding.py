"""From a column as read to codes over an ordered domain.

Types of text columns (CSV) are found on the distinct values, so the work grows with the domain and
not with the table, and a value that does not fit can be named with its row.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonagram.columns.hierarchy import value_texts
from anonagram.columns.written import DATES, Written, find_format, is_read, read_as
from anonagram.errors import SchemaError
from anonagram.schema import ColumnRule, Kind
from anonagram.sources import Table

NUMBER = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$"
FLOAT_DIGITS = 17
"""More digits than a float carries; a text that has more stays a text, so that no value changes."""
WHOLE_DIGITS = 38
MOST_WHOLE = 10**WHOLE_DIGITS - 1
FEW = 8
"""With fewer than this many rows a value, on average, a column is sorted whole."""
SOME = 10_000
"""Rows of which few are different only where few are in all rows."""
Coded = tuple[NDArray[np.int32], pl.Series]
"""Codes, and the domain they point into; behind its last value, missing ones."""
Encoded = tuple[NDArray[np.int32], pl.Series, Kind, bool]


@dataclass(frozen=True)
class Read:
    """A column as codes, and how it was read."""

    codes: NDArray[np.int32]
    domain: pl.Series
    kind: Kind
    has_missing: bool
    format: str | None = None
    """How its dates or numbers are written, where they are not plain."""
    why: str = ""
    """Why this format was taken, where the schema does not say."""


def encode(table: Table, name: str, rule: ColumnRule) -> Encoded:
    """The codes of a column, its domain in order, its kind, and whether values are missing."""
    read = read_column(table, name, rule)
    return read.codes, read.domain, read.kind, read.has_missing


def read_column(table: Table, name: str, rule: ColumnRule) -> Read:
    """A column as codes over its ordered domain, and how it was read."""
    series = _as_read(table, name, rule)
    is_varied = None
    if _may_be_numbers(table, name, rule, series):
        is_varied = _has_mostly_different(series)
        series = _typed_at_once(rule, series) if is_varied else series
    if series.dtype.is_float():
        # one zero: which of the two a table has first would be told otherwise
        series = series.fill_nan(None)
        series = series.set((series == 0).fill_null(False), 0.0)
        _refuse_infinite(table, name, series)
    if series.dtype == pl.Int128:
        _refuse_beyond(table, name, series)
    codes, domain = dictionary(series, is_varied=is_varied)
    has_missing = series.has_nulls()
    if rule.missing:
        codes, domain, is_marked = _without_marked(codes, domain, rule.missing)
        has_missing = has_missing or is_marked
    written, why = None, ""
    if domain.dtype == pl.String and (
        table.is_untyped(name) or rule.kind in ("numeric", "date") or rule.format
    ):
        typed, written, why = _typed(table, name, rule, codes, domain)
        if typed.dtype != pl.String:
            codes, domain = _merge(codes, typed)
    kind = rule.kind or _kind_of(domain.dtype)
    _require_kind(table, name, kind, domain, rule)
    if kind == "ordinal" and domain.dtype != pl.String:
        # the order of the numbers (or of a Polars Enum) stays, the values become its labels
        domain = pl.Series(name, value_texts(domain), dtype=pl.String)
    return Read(codes, domain, kind, has_missing, written, why)


def _as_read(table: Table, name: str, rule: ColumnRule) -> pl.Series:
    """A column with its own values; texts that were counted when they were read stay so, if few."""
    series = table.frame[name]
    if isinstance(series.dtype, pl.Categorical):
        is_counted = table.is_text and len(_texts_of(series)) * FEW <= len(series)
        return series if is_counted else series.cast(pl.String)
    is_ranked = series.dtype == pl.Enum and rule.kind == "ordinal"
    return series.cast(pl.String) if series.dtype == pl.Enum and not is_ranked else series


def _without_marked(
    codes: NDArray[np.int32], domain: pl.Series, marked: Sequence[str]
) -> tuple[NDArray[np.int32], pl.Series, bool]:
    """The column with some values as missing ones, and whether any of them occurs."""
    texts = pl.Series(value_texts(domain), dtype=pl.String).str.strip_chars()
    is_kept = ~texts.is_in(list(marked))
    kept = int(is_kept.sum())
    new_code = np.full(len(domain) + 1, kept, np.int32)
    new_code[:-1][is_kept.to_numpy()] = np.arange(kept, dtype=np.int32)
    return new_code[codes], domain.filter(is_kept), kept < len(domain)


def _refuse_infinite(table: Table, name: str, series: pl.Series) -> None:
    infinite = series.is_infinite().fill_null(False)
    if infinite.any():
        raise SchemaError(
            f"{table.place(infinite.arg_max() or 0)}: column {name!r} is infinite.",
            "make it missing, or write it as a text.",
        )


def _refuse_beyond(table: Table, name: str, series: pl.Series) -> None:
    """Databases and files have decimals of 38 digits."""
    beyond = ~series.is_between(-MOST_WHOLE, MOST_WHOLE).fill_null(True)
    if beyond.any():
        raise SchemaError(
            f"{table.place(beyond.arg_max() or 0)}: column {name!r} holds a whole number of "
            f"more than {WHOLE_DIGITS} digits.",
            "make the column a text.",
        )


def dictionary(series: pl.Series, *, is_varied: bool | None = None) -> Coded:
    """Codes over the sorted distinct values; missing has the code behind the last.

    Whoever knows whether most values differ says so, and they are not counted again.
    """
    if series.dtype.is_integer() and _is_dense(series):
        return _dictionary_by_counting(series)
    is_sortable = series.dtype.is_numeric() or series.dtype == pl.String
    if is_varied is None:
        is_varied = is_sortable and _has_mostly_different(series)
    if is_varied:
        return _dictionary_by_sorting(series)
    if series.dtype == pl.String:
        # of its own, so that nothing else is among its texts
        series = series.cast(pl.Categorical(pl.Categories.random()))
    if isinstance(series.dtype, pl.Categorical):
        return _dictionary_of_texts(series)
    domain = series.drop_nulls().unique().sort()
    if series.dtype == pl.Null or len(domain) == 0:
        codes = pl.zeros(len(series), dtype=pl.Int32, eager=True)
    else:
        numbers = pl.int_range(len(domain), dtype=pl.Int32, eager=True)
        codes = series.replace_strict(domain, numbers, default=None, return_dtype=pl.Int32)
    return codes.fill_null(len(domain)).to_numpy().astype(np.int32, copy=False), domain


def _is_dense(series: pl.Series) -> bool:
    """Whether whole numbers lie so close together that each can have a place of its own."""
    low, high = series.min(), series.max()
    if not isinstance(low, int) or not isinstance(high, int):
        return False
    return high - low < len(series) and low >= -(2**63) and high < 2**63


def _dictionary_by_counting(series: pl.Series) -> Coded:
    """The same for whole numbers that lie close together: nothing is sorted or looked up."""
    numbers = series.cast(pl.Int64)
    low, high = int(numbers.min()), int(numbers.max())  # type: ignore[arg-type]
    width = high - low + 1
    places = (numbers - low).fill_null(width).to_numpy()
    is_met = np.bincount(places, minlength=width + 1)[:width] > 0
    codes = np.append(np.cumsum(is_met) - is_met, is_met.sum()).astype(np.int32)
    domain = pl.Series(series.name, np.flatnonzero(is_met) + low).cast(series.dtype)
    return codes.take(places), domain


def _dictionary_of_texts(series: pl.Series) -> Coded:
    """The same for texts that were looked up: only those that differ are sorted."""
    texts = _texts_of(series)
    codes = series.to_physical().fill_null(len(texts)).to_numpy().astype(np.int32, copy=False)
    is_met = np.zeros(len(texts) + 1, np.bool_)
    is_met[codes] = True  # rows may have been left out since
    order = texts.arg_sort().to_numpy()
    order = order[is_met[order]]
    place = np.full(len(texts) + 1, order.size, np.int32)
    place[order] = np.arange(order.size, dtype=np.int32)
    return place.take(codes), texts.gather(order).alias(series.name)


def _texts_of(series: pl.Series) -> pl.Series:
    """All that were looked up, in the order in which they were met."""
    found: pl.Series = series.dtype.categories.to_series()  # type: ignore[attr-defined]
    return found


def _may_be_numbers(table: Table, name: str, rule: ColumnRule, series: pl.Series) -> bool:
    """Whether the texts of a column are looked at for plain numbers as they stand."""
    is_plain = rule.kind in (None, "numeric") and rule.format is None and not rule.missing
    is_asked = table.is_untyped(name) or rule.kind is not None
    return series.dtype == pl.String and is_plain and is_asked


def _typed_at_once(rule: ColumnRule, series: pl.Series) -> pl.Series:
    """Texts, most of them different, as numbers if they are: sorting numbers takes less."""
    if series.null_count() == len(series):
        return series
    typed = _as_numbers(series.drop_nulls().str.strip_chars(), leading_zeros=rule.kind == "numeric")
    if typed is None:
        return series
    if not series.has_nulls():
        return typed
    is_there = series.is_not_null()
    place = is_there.cast(pl.Int64).cum_sum() - 1
    return typed.gather(place.set(~is_there, None)).alias(series.name)


def _has_mostly_different(series: pl.Series) -> bool:
    some = series.gather_every(max(len(series) // SOME, 1))
    return _has_many(some) and (len(some) == len(series) or _has_many(series))


def _has_many(series: pl.Series) -> bool:
    different: int = series.to_physical().approx_n_unique()  # type: ignore[assignment]
    return different * FEW > len(series)


def _dictionary_by_sorting(series: pl.Series) -> tuple[NDArray[np.int32], pl.Series]:
    """The same, faster where most values differ: looking them up would cost more than sorting."""
    present = len(series) - series.null_count()
    order = series.arg_sort(nulls_last=True).head(present)
    ordered = series.gather(order)
    is_new = (ordered != ordered.shift()).fill_null(True)
    domain = ordered.filter(is_new)
    codes = np.full(len(series), len(domain), np.int32)
    codes[order.to_numpy()] = is_new.cast(pl.Int32).cum_sum().to_numpy() - 1
    return codes, domain


def _typed(
    table: Table, name: str, rule: ColumnRule, codes: NDArray[np.int32], domain: pl.Series
) -> tuple[pl.Series, str | None, str]:
    """The distinct texts as numbers or dates where all of them are, how they are written, and why so.

    Where the kind or format asks for them in vain, the first row that does not fit is named.
    """
    if rule.kind in ("nominal", "ordinal") or not len(domain):
        return domain, None, ""
    trimmed = domain.str.strip_chars()
    if rule.format is not None:
        plain = read_as(trimmed, rule.format)
        typed = None if plain.has_nulls() else _plain_values(plain, _kind_written(rule.format))
        if typed is None:
            raise _misfit(table, name, rule, codes, domain)
        return typed, rule.format, ""
    typed = _plain_values(trimmed, rule.kind)
    if typed is not None:
        return typed, None, ""
    found = find_format(trimmed)
    if found is not None and rule.kind in (None, _kind_written(found.formats[0])):
        if len(found.formats) > 1:
            raise _ambiguous(table, name, found, codes, domain)
        typed = _plain_values(read_as(trimmed, found.formats[0]), _kind_written(found.formats[0]))
        if typed is not None:
            return typed, found.formats[0], found.why
    if rule.kind is not None:
        raise _misfit(table, name, rule, codes, domain)
    return domain, None, ""


def _kind_written(written: str) -> Kind:
    return "date" if written in DATES else "numeric"


def _plain_values(texts: pl.Series, kind: Kind | None) -> pl.Series | None:
    """Texts that are all plain numbers, or all plain dates, as such."""
    found = None
    if kind != "date":
        found = _as_numbers(texts, leading_zeros=kind == "numeric")
    if found is None and kind != "numeric":
        found = _as_dates(texts)
    return found


def _ambiguous(
    table: Table, name: str, found: Written, codes: NDArray[np.int32], domain: pl.Series
) -> SchemaError:
    """The error that asks which of two readings is meant."""
    row = int(np.argmax(codes < len(domain)))
    readings = " or ".join(found.formats)
    return SchemaError(
        f"{table.place(row)}: column {name!r} holds {domain[int(codes[row])]!r}, and no value "
        f"of it tells whether that is {readings}.",
        " or ".join(f'format = "{each}"' for each in found.formats)
        + f' for {name!r} in the schema; or kind = "nominal", to leave it a text.',
    )


def _as_numbers(texts: pl.Series, *, leading_zeros: bool) -> pl.Series | None:
    # 01234 is a code, not a number, unless the schema says otherwise: as a number it would change
    if not leading_zeros and texts.str.contains(r"^[+-]?0[0-9]").any():
        return None
    for width in (pl.Int64, pl.Int128):
        whole = texts.cast(width, strict=False)
        if not whole.has_nulls() and texts.str.len_chars().max() <= WHOLE_DIGITS:  # type: ignore[operator]
            return whole
    if not texts.str.contains(NUMBER).all():
        return None
    digits = (
        texts.str.replace("[eE].*$", "").str.replace_all("[^0-9]", "").str.strip_chars_start("0")
    )
    if digits.str.len_chars().max() > FLOAT_DIGITS:  # type: ignore[operator]
        return None
    real = texts.cast(pl.Float64, strict=False)
    return real if real.is_finite().fill_null(False).all() else None


def _as_dates(texts: pl.Series) -> pl.Series | None:
    if not texts.str.contains(r"^[0-9]{4}-[0-9]{2}-[0-9]{2}").all():
        return None
    days = texts.str.to_date("%Y-%m-%d", strict=False)
    if not days.has_nulls():
        return days
    moments = _as_moments(texts)
    return None if moments.has_nulls() else moments


def _as_moments(texts: pl.Series) -> pl.Series:
    """Dates with a time of day; null where a text is not one. No digit of a second is lost."""
    unit: Literal["ns", "us"] = "ns" if texts.str.contains(r"\.[0-9]{7}").any() else "us"
    exact = pl.when(~texts.str.contains(r"\.[0-9]{10}")).then(texts)
    return (
        pl.select(exact)
        .to_series()
        .str.replace("T", " ", literal=True)
        .str.to_datetime("%Y-%m-%d %H:%M:%S%.f", time_unit=unit, strict=False)
    )


def as_type(texts: pl.Series, dtype: pl.DataType) -> pl.Series:
    """Texts as values of a column's type; null where a text is none.

    >>> as_type(pl.Series(["2024-02-29", "2023-02-29"]), pl.Date()).to_list()
    [datetime.date(2024, 2, 29), None]
    >>> as_type(pl.Series(["1.5", "x"]), pl.Decimal(6, 2)).to_list()
    [Decimal('1.50'), None]
    """
    if not dtype.is_temporal():
        return texts.cast(dtype, strict=False)
    days = texts.str.to_date("%Y-%m-%d", strict=False)
    if dtype == pl.Date:
        return days
    if dtype != pl.Datetime:
        return pl.Series(texts.name, [None] * len(texts), dtype)
    moments = _as_moments(texts).cast(dtype)
    return moments.zip_with(moments.is_not_null(), days.cast(dtype))


def _merge(codes: NDArray[np.int32], typed: pl.Series) -> tuple[NDArray[np.int32], pl.Series]:
    """Codes over the typed domain; texts of the same number (1 and 1.0) become one value."""
    domain = typed.unique().sort()
    new_code = np.full(len(typed) + 1, len(domain), np.int32)
    new_code[:-1] = typed.rank("dense").to_numpy()
    new_code[:-1] -= 1
    return new_code[codes], domain


def _kind_of(dtype: pl.DataType) -> Kind:
    if dtype.is_numeric() or dtype == pl.Duration:
        return "numeric"
    return "date" if dtype.is_temporal() else "nominal"


def _require_kind(table: Table, name: str, kind: Kind, domain: pl.Series, rule: ColumnRule) -> None:
    natural = _kind_of(domain.dtype)
    if kind in ("numeric", "date") and natural != kind and len(domain):
        raise SchemaError(
            f"{table.label}: column {name!r} holds {domain.dtype}, which is not {kind}.",
            f'kind = "{natural}".',
        )
    if kind == "ordinal" and domain.dtype == pl.String and not (rule.order or rule.hierarchy):
        raise SchemaError(
            f"{table.label}: column {name!r} is ordinal, but the order of its values is not known.",
            'add order = ["lowest", …, "highest"], or a hierarchy that lists them in order.',
        )


def _misfit(
    table: Table, name: str, rule: ColumnRule, codes: NDArray[np.int32], domain: pl.Series
) -> SchemaError:
    """The error that names the first row whose text is not what the schema says."""
    trimmed = domain.str.strip_chars()
    kind = _kind_written(rule.format) if rule.format else rule.kind
    if rule.format is not None:
        fits = is_read(trimmed, rule.format)
    elif kind == "numeric":
        fits = trimmed.str.contains(NUMBER)
    else:
        days = trimmed.str.to_date("%Y-%m-%d", strict=False)
        fits = days.is_not_null() | _as_moments(trimmed).is_not_null()
    bad = np.append(~fits.to_numpy(), False)
    if not bad[codes].any():  # each has the form, but no type of numbers or days holds them all
        return SchemaError(
            f"{table.label}: column {name!r} is {kind}, but some of its values have more digits than "
            "can be read.",
            f'say kind = "nominal" for {name!r}, or correct them.',
        )
    row = int(np.argmax(bad[codes]))
    value = str(domain[int(codes[row])])
    written = f", written {rule.format}" if rule.format else ""
    return SchemaError(
        f"{table.place(row)}: column {name!r} is {kind}{written}, but holds {value!r}.",
        f'correct that value, say missing = ["{value}"] if it stands for a missing one, or '
        f'kind = "nominal" for {name!r}.',
    )
