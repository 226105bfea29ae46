"""What is listed of a range stands for every value in it, and functions keep the order they claim."""

from __future__ import annotations

import math
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlglot import parse_one

from anonagram import Key, Method, Microdata
from anonagram.queries.rearranged.cells import cells_of
from anonagram.queries.rearranged.listing import Sampled, listing_of
from anonagram.queries.rearranged.monotone import direction
from anonagram.release.sheet import Sheet
from tests.databases import connect

FLOATS = st.one_of(
    st.floats(-30, 30, allow_nan=False), st.sampled_from([0.0, 0.5, 1.5, 2.0, -0.5, -3.0, 1e16])
)
DECIMALS = st.decimals(-40, 40, places=2)
MOMENTS = st.datetimes(datetime(2019, 12, 28), datetime(2020, 3, 4))
OF_NUMBERS = (
    "FLOOR(x)", "CEIL(x)", "CAST(x AS INT)", "CASE WHEN x < 1.5 THEN 'a' WHEN x = 2 THEN 'b' END",
    "CASE WHEN FLOOR(x) = CEIL(x) THEN 1 ELSE 0 END", "x IN (-0.5, 0, 2)", "x NOT BETWEEN 0 AND 1.25",
    "x IS DISTINCT FROM 1.5", "COALESCE(FLOOR(x) % 2, 7)", "x IS NULL", "0.5 <= x", "x <> -3",
)  # fmt: skip
OF_MOMENTS = (
    "DATE_TRUNC('month', x)", "DATE_TRUNC('day', x)", "EXTRACT(dow FROM x)", "CAST(x AS DATE)",
    "STRFTIME(x, '%Y-%m')", "EXTRACT(year FROM x) * 100 + EXTRACT(month FROM x)",
    "x < TIMESTAMP '2020-01-01 12:00:00'", "x = TIMESTAMP '2020-02-29 00:00:00'",
    "x BETWEEN TIMESTAMP '2019-12-31 00:00:00' AND TIMESTAMP '2020-01-02 00:00:00'",
    "CASE WHEN EXTRACT(day FROM x) > 15 THEN 'late' ELSE 'early' END", "EXTRACT(hour FROM x)",
    "DATE_TRUNC('minute', x)",
)  # fmt: skip


def sheet_with(values: list[Any], dtype: pl.DataType) -> Sheet:
    frame = pl.DataFrame(
        {"x": pl.Series(values, dtype=dtype, strict=False), "s": range(len(values))}
    )
    data = Microdata.read(frame, {"x": "quasi", "s": "sensitive"})
    key = Key(bytes(32))
    return Method.parse(f"generalize(l={len(values)})").anonymize(data, key).sheet


def assert_covered(ends: list[Any], inner: list[Any], dtype: pl.DataType, asked: list[str]) -> None:
    sheet = sheet_with(ends, dtype)
    parsed = [parse_one(each, read="duckdb") for each in asked]
    listing = listing_of(sheet, sheet.ranges["x"], parsed)
    assert isinstance(listing, Sampled), asked
    groups = sheet.tables["groups"]
    with connect() as connection:
        connection.register("groups", groups.to_arrow())
        listed = connection.sql(listing.query()).pl()
    low, high = min(ends), max(ends)
    assert listed["v"].drop_nulls().is_between(low, high).all()
    inside = pl.DataFrame({"v": pl.Series(inner, dtype=dtype)})
    assert results_of(inside, asked) <= results_of(listed, asked)


def results_of(table: pl.DataFrame, asked: list[str]) -> set[tuple[Any, ...]]:
    """What expressions give together, for every value of a table."""
    with connect() as connection:
        connection.register("listed", table.to_arrow())
        columns = ", ".join(f"({each}) AS e{place}" for place, each in enumerate(asked))
        found = connection.execute(f"SELECT {columns} FROM (SELECT v AS x FROM listed)").fetchall()
    return set(found)


@settings(max_examples=40)
@given(
    st.lists(FLOATS, min_size=2, max_size=2, unique=True),
    st.lists(st.floats(0, 1), min_size=1, max_size=40),
    st.lists(st.sampled_from(OF_NUMBERS), min_size=1, max_size=3, unique=True),
)
def test_listed_amounts_stand_for_all(ends, shares, asked):
    low, high = min(ends), max(ends)
    if abs(high) > 1e15:
        return
    special = [0.0, 0.5, 1.5, 2.0, -0.5, -3.0, 1.25]
    near = [math.nextafter(each, way) for each in special for way in (-math.inf, math.inf)]
    inner = [low + (high - low) * share for share in shares] + special + near
    inner = [each + 0.0 for each in inner if low <= each <= high]
    assert_covered([low + 0.0, high + 0.0], inner, pl.Float64(), asked)


@settings(max_examples=40)
@given(
    st.lists(DECIMALS, min_size=2, max_size=2, unique=True),
    st.lists(st.integers(0, 8000), min_size=1, max_size=60),
    st.lists(st.sampled_from(OF_NUMBERS), min_size=1, max_size=3, unique=True),
)
def test_listed_decimals_stand_for_all(ends, steps, asked):
    low, high = min(ends), max(ends)
    inner = [low + Decimal(step) / 100 for step in steps] + [low, high]
    assert_covered([low, high], [e for e in inner if e <= high], pl.Decimal(9, 2), asked)


@settings(max_examples=40)
@given(
    st.lists(MOMENTS, min_size=2, max_size=2, unique=True),
    st.lists(MOMENTS, min_size=1, max_size=60),
    st.lists(st.sampled_from(OF_MOMENTS), min_size=1, max_size=3, unique=True),
)
def test_listed_moments_stand_for_all(ends, inner, asked):
    low, high = min(ends), max(ends)
    borders = [datetime(2020, 1, 1, 12), datetime(2020, 2, 29), datetime(2019, 12, 31)]
    near = [e + timedelta(microseconds=step) for e in borders for step in (-1, 0, 1)]
    inside = [each for each in (*inner, *near, low, high) if low <= each <= high]
    assert_covered([low, high], inside, pl.Datetime("us"), asked)


@settings(max_examples=15)
@given(
    st.lists(st.datetimes(datetime(1990, 1, 1), datetime(2020, 1, 1)), min_size=2, unique=True),
    st.lists(st.sampled_from(("hour", "minute", "second")), min_size=1, max_size=2, unique=True),
)
def test_parts_that_come_again_are_listed_once(inner, parts):
    asked = [f"EXTRACT({part} FROM x)" for part in parts]
    assert_covered([min(inner), max(inner)], inner, pl.Datetime("us"), asked)


@pytest.mark.parametrize(
    ("text", "dtype"),
    [
        ("x", pl.Float64()),
        ("x + 1", pl.Float64()),
        ("COALESCE(x, 0)", pl.Float64()),
        ("ABS(x)", pl.Decimal(9, 2)),
        ("x < 1.5", pl.Float32()),
        ("x < 1e3", pl.Decimal(9, 2)),
        ("STRFTIME(x, '%H:%M')", pl.Datetime("us")),
        ("x < y", pl.Float64()),
        ("x = CAST('60.5' AS INTEGER)", pl.Float64()),
        ("x = CAST('60.5' AS FLOAT)", pl.Float64()),
        ("x = CAST('60.55' AS DECIMAL(9, 1))", pl.Decimal(9, 2)),
        ("x = CAST('2020-01-31 12:34:00' AS DATE)", pl.Datetime("us")),
        ("x IS TRUE", pl.Datetime("us")),
        ("x = TIMESTAMP '2020-01-01 00:00:00'", pl.Datetime("ns")),
        ("EXTRACT(millisecond FROM x)", pl.Datetime("us")),
        (f"x IN ({', '.join(map(str, range(200)))})", pl.Float64()),
    ],
)
def test_what_looks_at_the_value_itself_has_no_cells(text, dtype):
    assert cells_of([parse_one(text, read="duckdb")], dtype) is None


MONOTONE = {
    pl.Float64(): ("x", "-x", "x * 2", "x / -3", "1 - x", "FLOOR(x * 0.5)", "CEIL(-x)", "x - 1.1",
                   "CAST(x AS INT)", "CAST(x * 1.5 AS BIGINT)", "-(x + 1) * 2", "x * -0.1",
                   "CAST(x AS DECIMAL(18, 3))"),
    pl.Datetime("us"): ("DATE_TRUNC('month', x)", "CAST(x AS DATE)", "EXTRACT(year FROM x)",
                        "x + INTERVAL '3 hours'", "x - INTERVAL '2 days'", "EXTRACT(epoch FROM x)",
                        "DATE_TRUNC('week', x + INTERVAL 1 DAY)", "x - TIMESTAMP '2000-01-01'",
                        "DATE '2020-01-01' - CAST(x AS DATE)"),
    pl.Date(): ("x - DATE '2000-01-01'", "DATE '2000-01-01' - x", "x + INTERVAL '1 month'",
                "x - INTERVAL '5 years'", "EXTRACT(year FROM x + INTERVAL '1 month')",
                "x + 7", "x - 3", "EXTRACT(year FROM x)", "DATE_TRUNC('quarter', x)"),
}  # fmt: skip


@pytest.mark.parametrize(("dtype", "text"), [(d, t) for d, ts in MONOTONE.items() for t in ts])
@settings(max_examples=25)
@given(st.data())
def test_functions_keep_the_order_they_claim(dtype, text, data):
    drawn = {
        pl.Float64(): FLOATS.filter(lambda each: abs(each) < 1e15),
        pl.Datetime("us"): MOMENTS,
        pl.Date(): st.dates(date(1990, 1, 1), date(2030, 1, 1)),
    }[dtype]
    values = sorted(data.draw(st.lists(drawn, min_size=2, max_size=12)))
    way = direction(parse_one(text, read="duckdb"), dtype)
    assert way in (1, -1)
    frame = pl.DataFrame({"x": pl.Series(values, dtype=dtype)}).with_row_index("i").to_arrow()
    with connect() as connection:
        connection.register("listed", frame)
        found = connection.execute(f"SELECT {text} FROM listed ORDER BY i").fetchall()
    told = [row[0] for row in found]
    assert told == sorted(told, reverse=way < 0)


@pytest.mark.parametrize(
    ("text", "dtype"),
    [
        ("x * 0", pl.Float64()),
        ("x / 0", pl.Float64()),
        ("2 / x", pl.Float64()),
        ("x * x", pl.Float64()),
        ("x - x", pl.Float64()),
        ("ABS(x)", pl.Float64()),
        ("x % 3", pl.Int64()),
        ("CAST(x AS VARCHAR)", pl.Float64()),
        ("EXTRACT(month FROM x)", pl.Datetime("us")),
        ("x + INTERVAL '1 month'", pl.Datetime("us")),
        ("(x + INTERVAL '1 hour') + INTERVAL '1 month'", pl.Date()),
        ("EXTRACT(year FROM x)", pl.Duration("us")),
    ],
)
def test_functions_that_may_not_keep_the_order_claim_nothing(text, dtype):
    assert direction(parse_one(text, read="duckdb"), dtype) == 0
