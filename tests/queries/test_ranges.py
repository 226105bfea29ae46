"""What is asked of ranges and cannot be told by their ends alone: answered, and never wrongly."""

from __future__ import annotations

import random
from datetime import date, datetime, timedelta

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.databases import connect
from tests.queries.releases import released
from tests.queries.test_bounds import column

ROLES = {"w": "quasi", "x": "quasi", "came": "quasi", "born": "quasi", "s": "sensitive"}
AMOUNTS = st.one_of(st.integers(-20, 20).map(lambda each: each / 4), st.floats(-9, 9))
MOMENTS = st.datetimes(datetime(1960, 1, 1), datetime(2020, 1, 1))
DAYS = st.dates(date(1930, 1, 1), date(2020, 1, 1))
CONDITIONS = (
    "COALESCE(w, 0.5) >= 0.5", "COALESCE(w * 2, 1) < 1.5", "NOT COALESCE(-w, 2.5) <= 0",
    "COALESCE(FLOOR(w), 3) IN (3, -2)", "COALESCE(w, 1) NOT IN (1, 2)", "COALESCE(w, NULL) > 0",
    "COALESCE(w, 2) BETWEEN 1.5 AND 4", "NOT (COALESCE(w, 2) BETWEEN 1.5 AND 4)", "w + w > 1",
    "NULLIF(w, 0.5) < 1", "NOT NULLIF(FLOOR(w), 1) = 2", "NULLIF(COALESCE(w, 1), 1) >= 0",
    "NULLIF(w, 1) IS NULL", "COALESCE(w, 1) IS NULL", "w % 2 > 0.5", "ABS(w) < 2", "w < x",
    "COALESCE(w, 7) IS DISTINCT FROM 7", "w * w <= 4 OR x = 1", "x + w IS NULL", "5 > COALESCE(w, 9)",
    "EXTRACT(second FROM came) < 30", "EXTRACT(minute FROM came) = 0 OR EXTRACT(hour FROM came) > 20",
    "came + INTERVAL '1 month' > TIMESTAMP '1990-01-31 00:00:00'", "STRFTIME(came, '%H') = '07'",
    "CAST(came AS DATE) > born", "COALESCE(came, TIMESTAMP '2000-01-01') > TIMESTAMP '1999-01-01'",
    "NULLIF(DATE_TRUNC('year', came), TIMESTAMP '2000-01-01') >= TIMESTAMP '1980-01-01'",
)  # fmt: skip
KEYS = (
    "EXTRACT(second FROM came)", "EXTRACT(hour FROM came)", "DATE_TRUNC('year', came)",
    "DATE_TRUNC('month', born)", "EXTRACT(quarter FROM born)", "x",
)  # fmt: skip


@st.composite
def tables(draw: st.DrawFn) -> tuple[pl.DataFrame, list[int]]:
    rows = draw(st.integers(2, 9))
    table = pl.DataFrame(
        {
            "w": draw(column(AMOUNTS, rows)),
            "x": draw(column(st.integers(-2, 4), rows)),
            "came": draw(column(MOMENTS, rows)),
            "born": draw(column(DAYS, rows)),
            "s": draw(column(st.integers(0, 3), rows)),
        },
        {"w": pl.Float64, "x": pl.Int64, "came": pl.Datetime("us"), "born": pl.Date, "s": pl.Int64},
    ).with_columns(pl.col("w") + 0.0)
    groups = draw(st.lists(st.integers(0, 2), min_size=rows, max_size=rows))
    return table, [sorted(set(groups)).index(group) for group in groups]


def assert_held(table: pl.DataFrame, groups: list[int], asked: str, keys: int = 0) -> None:
    """Every bound of a question holds its true answer, and no group is missing."""
    answers = {
        tuple(row.values())[:keys]: list(row.values())[keys:]
        for row in released("generalized", table, ROLES, groups).query(f"SELECT {asked}")
    }
    with connect() as connection:
        connection.register("data", table.to_arrow())
        truth = connection.execute(f"SELECT {asked}").fetchall()
    for row in truth:
        for true, told in zip(row[keys:], answers[row[:keys]], strict=True):
            assert true is None or told.lower <= true <= told.upper, (asked, row, told)
            assert not told.exact or told.estimate == true, (asked, row, told)


@settings(max_examples=40)
@given(tables(), st.lists(st.sampled_from(CONDITIONS), min_size=2, max_size=2, unique=True))
def test_conditions_beyond_the_ends(data, conditions):
    shown = "COUNT(*), COUNT(w), MIN(w), MAX(s), COUNT(DISTINCT w), COUNT(DISTINCT came)"
    for condition in conditions:
        assert_held(*data, f"{shown} FROM data WHERE {condition}")


@settings(max_examples=15)
@given(tables(), st.sampled_from(["", " WHERE s > 1", " WHERE w > 0", " WHERE x = 1 OR s = 2"]))
def test_what_stands_for_missing_values_is_aggregated(data, condition):
    shown = "SUM(COALESCE(w, 1)), AVG(COALESCE(w * 0.5, 30)), MIN(COALESCE(-w, 0)), COUNT(COALESCE(w, 1))"
    shown += ", MEDIAN(COALESCE(w, 2e0)), COUNT(COALESCE(w, NULL)), COUNT(DISTINCT COALESCE(w, 1))"
    shown += ", MAX(COALESCE(came, TIMESTAMP '2000-01-01')), MIN(COALESCE(born, DATE '1900-01-01'))"
    assert_held(*data, f"{shown} FROM data{condition}")


@settings(max_examples=15)
@given(
    tables(),
    st.sampled_from(KEYS),
    st.sampled_from(["", "WHERE EXTRACT(second FROM came) > 30", "WHERE w % 2 < 1"]),
)
def test_keys_of_wide_ranges(data, key, condition):
    assert_held(*data, f"{key}, COUNT(*), MAX(s) FROM data {condition} GROUP BY 1", keys=1)


@pytest.mark.parametrize("key", KEYS)
def test_keys_where_every_value_is_missing(key):
    dtypes = {"w": pl.Float64, "x": pl.Int64, "came": pl.Datetime("us"), "born": pl.Date}
    empty = {name: pl.Series([None, None], dtype=dtype) for name, dtype in dtypes.items()}
    table = pl.DataFrame({**empty, "s": [1, 2]})
    assert_held(table, [0, 0], f"{key}, COUNT(*), MAX(s) FROM data GROUP BY 1", keys=1)


def test_where_everybody_has_one_value_it_decides():
    table = pl.DataFrame(
        {
            "w": [1.5, 1.5, None, None],
            "x": [1, 1, 2, 2],
            "came": [datetime(2000, 1, 1, 7)] * 4,
            "born": [date(2000, 1, 1)] * 4,
            "s": [1, 2, 1, 2],
        }
    )
    release = released("generalized", table, ROLES, [0, 0, 1, 1])
    for condition, number in {
        "w % 1 = 0.5": 2, "w % 1 = 0.25": 0, "COALESCE(w % 1, 0.5) = 0.5": 4, "w > x": 2,
        "w IS NULL AND x % 2 = 0": 2, "COALESCE(w, 3) = 3": 2, "COALESCE(w, 3) > 1": 4,
        "NULLIF(w, 1.5) < 9": 0, "STRFTIME(came, '%H') = '07'": 4,
    }.items():  # fmt: skip
        ((answer,),) = (
            row.values() for row in release.query(f"SELECT COUNT(*) FROM data WHERE {condition}")
        )
        assert (answer.lower, answer.upper) == (number, number), condition


def test_values_that_nobody_can_list_are_counted_between_both_ends():
    table = pl.DataFrame(
        {
            "w": [0.5, 1.5, 0.5, 1.5],
            "x": [1] * 4,
            "came": [datetime(2000, 1, 1)] * 4,
            "born": [date(2000, 1, 1)] * 4,
            "s": [1, 2, 1, 2],
        }
    )
    asked = "SELECT COUNT(DISTINCT w) AS n, COUNT(DISTINCT w * 2) AS m FROM data WHERE s < {}"
    for groups, least in ([0, 0, 0, 0], 1), ([0, 1, 0, 1], 2):
        for most, bounds in (3, (least, 4)), (2, (1, 2)), (1, (0, 0)):
            (row,) = released("generalized", table, ROLES, groups).query(asked.format(most))
            assert {(each.lower, each.upper) for each in row.values()} == {bounds}, (groups, most)


def test_years_of_days_beside_numbers_are_few_groups():
    rows = 8
    table = pl.DataFrame(
        {
            "w": [0.5] * rows,
            "x": list(range(0, 10 * rows, 10)),
            "came": [datetime(2000, 1, 1)] * rows,
            "born": [date(1920, 1, 1) + timedelta(days=4_000 * each) for each in range(rows)],
            "s": [1, 2] * 4,
        }
    )
    asked = "DATE_TRUNC('year', born), x, COUNT(*) FROM data GROUP BY 1, 2"
    assert_held(table, [0] * rows, asked, keys=2)


@pytest.mark.parametrize("column", ["whole", "amount"])
@pytest.mark.parametrize("word", ["IN", "NOT IN"])
def test_long_lists_of_values(column, word):
    """Looked up in what a range lists, or found by halves: as if each were compared with both ends."""
    draw = random.Random(7)
    rows = 60
    table = pl.DataFrame(
        {
            "whole": [draw.randrange(-200, 200) for _ in range(rows)],
            "amount": [draw.randrange(-200, 200) / 4 for _ in range(rows)],
            "s": [draw.choice("ab") for _ in range(rows)],
        }
    ).sort(column)
    groups = [i // 3 for i in range(rows)]
    roles = {"whole": "quasi", "amount": "quasi", "s": "sensitive"}
    release = released("generalized", table, roles, groups)
    named = [table[column][0], *(draw.randrange(-800, 800) / 4 for _ in range(40))]
    named = [round(each) for each in named] if column == "whole" else named
    sql = f"SELECT COUNT(*) AS n FROM data WHERE {column} {word} ({', '.join(map(str, named))})"
    least = most = 0
    for _, group in table.with_columns(g=pl.Series(groups)).group_by("g"):
        low, high = group[column].min(), group[column].max()
        can = any(low <= each <= high for each in named)
        must = low == high and low in named
        if word == "NOT IN":
            can, must = not must, not can
        least, most = least + 3 * must, most + 3 * can
    told = release.query(sql)[0]["n"]
    assert (told.lower, told.upper) == (least, most)
    assert told.lower <= told.estimate <= told.upper
    assert 0 < most - least < rows
