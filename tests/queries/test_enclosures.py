"""What is made of ranges lies between its bounds, also where its values cannot be listed."""

from __future__ import annotations

from datetime import datetime, time, timedelta
from random import Random

import duckdb
import polars as pl
import pytest

from anonagram import Key, Method, Microdata
from anonagram.errors import UnsupportedQuery
from anonagram.queries import load

EXPRESSIONS = (
    "weight % 7", "-weight % 2.5", "ABS(weight)", "ABS(paid - 60)", "weight + paid", "weight * paid",
    "paid - weight", "(weight + paid) / -4", "NULLIF(weight, 61.5)", "COALESCE(weight, 0) - paid",
    "CASE WHEN weight % 2 > 1 THEN 1 ELSE 3 END", "CASE WHEN weight < paid THEN paid END",
    "EXTRACT(minute FROM clock)", "EXTRACT(hour FROM spent)", "CASE WHEN paid > weight THEN 2 END",
)  # fmt: skip
TEXT = "CASE WHEN EXTRACT(second FROM clock) = 1 THEN 'a' ELSE 'Z' END"


def table(seed: int, rows: int = 24) -> pl.DataFrame:
    """Amounts, moments and times of day: nothing that can be counted through."""
    chance = Random(seed)
    came = datetime(2020, 1, 1)
    return pl.DataFrame(
        {
            "weight": [chance.choice((None, chance.uniform(-50, 120))) for _ in range(rows)],
            "paid": [chance.choice((60.0, round(chance.gauss(40, 40), 2))) for _ in range(rows)],
            "came": [came + timedelta(hours=chance.randint(0, 50_000)) for _ in range(rows)],
            "clock": [time(chance.randint(0, 23), chance.randint(0, 59), 1) for _ in range(rows)],
            "spent": [timedelta(minutes=chance.randint(-99, 9_999)) for _ in range(rows)],
            "ill": ["pqr"[i % 3] for i in range(rows)],
        }
    )


def published(frame: pl.DataFrame):
    roles = dict.fromkeys(frame.columns, "quasi") | {"ill": "sensitive"}
    data = Microdata.read(frame, roles)
    return Method.parse('generalize(l=2, partition="neighbours")').anonymize(data, Key(bytes(32)))


def assert_inside(asked: str, frame: pl.DataFrame, release, engine=None) -> None:
    connection = duckdb.connect()
    connection.register("data", frame.to_arrow())
    truth = connection.sql(asked).fetchall()[0]
    (row,) = release.query(asked, engine)
    for true, answer in zip(truth, row.values(), strict=True):
        if true is not None:
            assert answer.lower <= true <= answer.upper, asked
        if answer.exact and answer.lower is not None:
            assert answer.lower == true, asked


def questions() -> list[str]:
    aggregates = ("MIN", "MAX", "SUM", "AVG", "COUNT", "MEDIAN")
    asked = [", ".join(f"{name}({x}) AS {name}_" for name in aggregates) for x in EXPRESSIONS]
    asked += [f"MIN({TEXT}) AS a, MAX({TEXT}) AS b, COUNT({TEXT}) AS c"]
    ends = ("", " WHERE ill = 'p'", " WHERE weight > 10 AND ill <> 'q'")
    return [f"SELECT {items} FROM data{end}" for items in asked for end in ends]


@pytest.mark.parametrize("seed", range(3))
def test_what_is_made_of_ranges_is_bounded(seed):
    frame = table(seed)
    release = published(frame)
    for asked in questions():
        assert_inside(asked, frame, release)


def test_it_means_the_same_in_postgresql(postgres_url):
    frame = table(3)
    release = published(frame)
    engine = load(release, f"{postgres_url}?schema=enclosed", force=True)
    for asked in questions():
        if "%" not in asked:  # remainders of floating-point numbers are DuckDB's alone
            assert_inside(asked, frame, release, engine)


def test_people_who_are_alike_leave_no_doubt():
    frame = pl.DataFrame(
        {
            "weight": [61.5] * 4 + [-3.25] * 4,
            "paid": [2.0] * 4 + [-1.5] * 4,
            "ill": list("pqpqpqpq"),
        }
    )
    release = published(frame)
    (row,) = release.query(
        "SELECT MIN(weight % 7) AS a, MAX(weight * paid) AS b, COUNT(NULLIF(weight, 61.5)) AS c FROM data"
    )
    assert [answer.estimate for answer in row.values()] == [-3.25, 123.0, 4]
    assert row["c"].exact


def test_months_of_wide_ranges_are_listed_as_months():
    days = [datetime(1950 + 3 * i, 1 + i % 12, 3).date() for i in range(24)]
    frame = pl.DataFrame({"born": days, "since": days[::-1], "ill": list("pqr") * 8})
    release = published(frame)
    asked = (
        "SELECT DATE_TRUNC('year', born) AS y, DATE_TRUNC('decade', since) AS d, COUNT(*) AS n "
        "FROM data WHERE born >= DATE '1960-05-01' GROUP BY 1, 2"
    )
    connection = duckdb.connect()
    connection.register("data", frame.to_arrow())
    bounds = {(row["y"], row["d"]): row["n"] for row in release.query(asked)}
    for year, decade, number in connection.sql(asked).fetchall():
        answer = next(
            n for (y, d), n in bounds.items() if (y.year, d.year) == (year.year, decade.year)
        )
        assert answer.lower <= number <= answer.upper


def test_comparing_amounts_with_rows_is_bounded():
    frame = table(5)
    data = Microdata.read(frame.select("weight", "paid"), {"weight": "quasi", "paid": "sensitive"})
    release = Method.parse("mondrian(k_anonymity(k=3))").anonymize(data, Key(bytes(32)))
    for condition in ("weight > paid", "weight + paid NOT IN (7, 8.5)", "ABS(weight - paid) < 40"):
        assert_inside(f"SELECT COUNT(*) AS n FROM data WHERE {condition}", frame, release)


def test_lengths_of_time_have_other_parts_than_moments():
    """Between two moments lie hundreds of days, or less than none; docs know no bounds for that."""
    frame = table(6).with_columns(went=pl.col("came").reverse())
    release = published(frame)
    for gone in ("came - went", "came - TIMESTAMP '2010-01-01'"):
        for part in ("day", "hour", "minute"):
            with pytest.raises(UnsupportedQuery, match="range"):
                release.query(f"SELECT MAX(EXTRACT({part} FROM {gone})) AS x FROM data")
    moved = "EXTRACT(day FROM COALESCE(came, went) + INTERVAL '3 days')"
    assert_inside(f"SELECT MAX({moved}) AS x, MIN({moved}) AS y FROM data", frame, release)


def test_after_midnight_times_of_day_begin_anew():
    hours = [20, 22, 23, 21, 22, 20, 23, 21]
    frame = pl.DataFrame({"clock": [time(hour, 30) for hour in hours], "ill": list("pqrspqrs")})
    data = Microdata.read(frame, {"clock": "quasi", "ill": "sensitive"})
    release = Method.parse('generalize(l=4, partition="deal")').anonymize(data, Key(bytes(32)))
    later = [time((hour + 3) % 24, 30) for hour in hours]
    for limit in (0, 1, 2, 23):
        asked = f"clock + INTERVAL '3 hours' < '{limit:02}:45:00'"
        try:
            answer = release.query(f"SELECT COUNT(*) AS n FROM data WHERE {asked}")[0]["n"]
        except UnsupportedQuery:
            continue
        assert answer.lower <= sum(each < time(limit, 45) for each in later) <= answer.upper
    with pytest.raises(UnsupportedQuery):
        release.query("SELECT MIN(clock + INTERVAL '3 hours') FROM data")


def test_nothing_but_missing_values_has_no_bounds():
    with pytest.raises(UnsupportedQuery):
        published(table(7)).query("SELECT MAX(CASE WHEN weight % 2 > 1 THEN NULL END) FROM data")


def test_what_is_too_large_has_no_remainder():
    frame = pl.DataFrame({"weight": [1.5e200, 2e200, 3.5, -2.0], "ill": list("pqrs")})
    data = Microdata.read(frame, {"weight": "quasi", "ill": "sensitive"})
    release = Method.parse("generalize(l=4)").anonymize(data, Key(bytes(32)))
    with pytest.raises(UnsupportedQuery, match="too large"):
        release.query("SELECT MAX((weight * 1e200) % 7) FROM data")
