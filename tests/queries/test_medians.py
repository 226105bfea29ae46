"""Medians as people write them: no room for rounding where nothing is rounded."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from statistics import median

import duckdb
import numpy as np
import polars as pl
import pytest

from anonagram import Anatomy, Key, Microdata
from anonagram.present import document_of
from anonagram.shown.outward import lower_end, upper_end

ROWS = 60


@pytest.fixture(scope="module")
def table():
    random = np.random.default_rng(5)
    return pl.DataFrame(
        {
            "age": random.integers(20, 60, ROWS),
            "born": [
                date(1950, 1, 1) + timedelta(days=int(each))
                for each in random.integers(0, 9000, ROWS)
            ],
            "weight": random.normal(75, 10, ROWS).round(1),
            "ill": random.choice(list("abcdef"), ROWS),
        }
    )


@pytest.fixture(scope="module")
def release(table):
    schema = {"age": "quasi", "born": "sensitive", "weight": "sensitive", "ill": "sensitive"}
    return Anatomy(l=2, partition="buckets").anonymize(
        Microdata.read(table, schema), Key(bytes(32))
    )


def true_answer(table, question):
    with duckdb.connect() as connection:
        connection.register("data", table)
        return connection.execute(question).fetchone()


WHERE = ["age > 40", "age > 20 AND age < 50", "ill = 'a' AND age > 30", "ill IN ('b', 'c')"]


@pytest.mark.parametrize("where", WHERE)
def test_ends_of_medians_are_values_that_people_have(release, table, where):
    """74.19999999999992 and 1980-03-03 23:59:59 were told, for 74.2 and 1980-03-04."""
    weights, days = set(table["weight"]), set(table["born"])
    (row,) = release.query(f"SELECT MEDIAN(weight), MEDIAN(born) FROM data WHERE {where}")
    truth = true_answer(table, f"SELECT MEDIAN(weight), MEDIAN(born) FROM data WHERE {where}")
    for answer, true in zip(row.values(), truth, strict=True):
        assert answer.lower <= true <= answer.upper
    told_weight, told_day = row.values()
    if not told_weight.exact:
        assert {told_weight.lower, told_weight.upper} <= weights
    if not told_day.exact:
        assert {told_day.lower.date(), told_day.upper.date()} <= days
        assert told_day.lower.time() == told_day.upper.time() == datetime(2000, 1, 1).time()


def test_a_median_that_is_known_is_exact(release, table):
    """It had room for rounding at both ends, although both values are known."""
    (row,) = release.query("SELECT MEDIAN(weight) FROM data")
    (answer,) = row.values()
    assert answer.exact
    assert answer.estimate == median(table["weight"].to_list())


def test_quantiles_that_are_rounded_keep_room_for_it(release, table):
    (row,) = release.query("SELECT QUANTILE_CONT(weight, 0.3) FROM data WHERE age > 25")
    (answer,) = row.values()
    (true,) = true_answer(table, "SELECT QUANTILE_CONT(weight, 0.3) FROM data WHERE age > 25")
    assert answer.lower <= true <= answer.upper
    assert answer.lower not in set(table["weight"])


def test_days_are_shown_as_days_and_bounds_are_rounded_outwards(release):
    shown = document_of(
        release.query("SELECT MEDIAN(born), AVG(weight) FROM data WHERE age > 25 AND age < 50")
    )
    days, mean = (each.table for each in shown.sections if each.table is not None)
    assert all(len(str(cell)) == len("1980-03-04") for cell in days.rows[0][:2])
    (row,) = release.query("SELECT AVG(weight) FROM data WHERE age > 25 AND age < 50")
    (answer,) = row.values()
    assert float(mean.rows[0][0]) <= answer.lower
    assert float(mean.rows[0][1]) >= answer.upper


@pytest.mark.parametrize("seed", range(5))
def test_rounding_outwards_never_narrows(seed):
    random = np.random.default_rng(seed)
    values = random.normal(size=400) * 10.0 ** random.integers(-30, 30, 400)
    for value in [0.0, -0.0, 1e-320, 1e300, *values.tolist()]:
        assert lower_end(value) <= value <= upper_end(value)
        assert upper_end(value) - lower_end(value) <= max(abs(value) * 1.1e-5, 0.011)
