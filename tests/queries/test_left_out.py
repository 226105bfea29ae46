"""Questions about a release of which rows were left out: bounds hold whatever these rows are."""

from __future__ import annotations

import duckdb
import polars as pl
import pytest

from anonagram import KAnonymity, Microdata, Optimal
from anonagram.errors import UnsupportedQuery
from tests.methods.test_full_domain import KEY, clustered


def test_whatever_those_left_out_are_the_bounds_count_them_in():
    data = clustered()
    release = Optimal(KAnonymity(k=6), suppress=0.3, suppressed="left_out").anonymize(data, KEY)
    left_out, truth = release.manifest.rows.suppressed, duckdb.connect()
    truth.register("data", data.frame().to_arrow())
    everybody = release.query("SELECT COUNT(*) AS n FROM data")[0]["n"]
    assert everybody.exact
    assert everybody.estimate == data.rows
    for asked in (
        "COUNT(DISTINCT ill)", "100.0 * COUNT(*) FILTER (WHERE ill = 'p') / COUNT(*)",
        "SUM(CASE WHEN age > 40 THEN 1 ELSE 0 END)", "SUM(CASE WHEN ill = 'p' THEN -2 ELSE 3 END)",
        "MIN(CASE WHEN age > 1000 THEN 0 ELSE 5 END)", "MAX(CASE WHEN age < 0 THEN 9 ELSE 5 END)",
        "AVG(CASE WHEN age > 40 THEN 1 ELSE 0 END)", "SUM(CASE WHEN age > 40 THEN 1 END)",
    ):  # fmt: skip
        ((true,),) = truth.sql(f"SELECT {asked} FROM data").fetchall()
        answer = release.query(f"SELECT {asked} AS x FROM data")[0]["x"]
        assert answer.lower <= true <= answer.upper, asked
        assert answer.lower <= answer.estimate <= answer.upper, asked
        assert not answer.exact, asked
    counted = release.query("SELECT SUM(CASE WHEN age > 40 THEN 1 ELSE 0 END) AS x FROM data")[0][
        "x"
    ]
    assert counted.upper - counted.lower >= left_out
    # groups are chosen by the estimates that are told
    asked = "SELECT ill, COUNT(*) AS n FROM data GROUP BY ill"
    told = {row["ill"]: row["n"].estimate for row in release.query(asked)}
    limit = sorted(told.values())[len(told) // 2] - 0.01
    chosen = release.query(f"{asked} HAVING COUNT(*) > {limit}")
    assert {row["ill"] for row in chosen} == {ill for ill, n in told.items() if n > limit}


def test_perhaps_only_those_left_out_are_asked_about():
    table = {"a": [10] * 8 + [1], "b": [3, 9] * 4 + [7], "ill": [*"pqrpqrpq", "p"]}
    data = Microdata.read(table, {"a": "quasi", "b": "quasi", "ill": "sensitive"})
    release = Optimal(KAnonymity(k=5), suppress=0.3, suppressed="left_out").anonymize(data, KEY)
    assert release.manifest.rows.suppressed == 1
    truth = duckdb.connect()
    truth.register("data", pl.DataFrame(table).to_arrow())
    for asked in (
        "MAX(CASE WHEN a > 3 THEN 5 ELSE 1 END)",
        "MIN(CASE WHEN a < 3 THEN 5 ELSE 1 END)",
    ):
        sql = f"SELECT {asked} AS x FROM data WHERE b = 7"
        ((true,),) = truth.sql(sql).fetchall()
        answer = release.query(sql)[0]["x"]
        assert answer.lower <= true <= answer.upper, asked


def test_numbers_that_no_double_holds_are_not_added_up_as_others():
    data = clustered()
    release = Optimal(KAnonymity(k=6), suppress=0.3, suppressed="left_out").anonymize(data, KEY)
    with pytest.raises(UnsupportedQuery, match="left out"):
        release.query("SELECT SUM(CASE WHEN age > 0 THEN 9007199254740993 ELSE 0 END) FROM data")
