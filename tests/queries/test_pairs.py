"""Conditions that compare columns which were rearranged apart hold in every world there can be."""

from __future__ import annotations

from itertools import chain, permutations, product

import duckdb
import polars as pl
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from anonagram.errors import UnsupportedQuery
from anonagram.queries import database_with, load
from tests.queries.releases import released
from tests.queries.test_engines import alike

ROLES = {"a": "quasi", "b": "sensitive"}
CONDITIONS = (
    "a > b", "a = b", "a + b < 4", "a IS DISTINCT FROM b", "a > b OR a = 0", "a <> b AND b > 1",
    "NOT (a < b)", "CASE WHEN a > 1 THEN b = 2 ELSE b < a END", "COALESCE(a, b) = 1", "a < b AND a + b > 2",
)  # fmt: skip
values = st.one_of(st.none(), st.integers(0, 3))


def worlds(table: pl.DataFrame, groups: list[int]) -> pl.DataFrame:
    """Every way in which the sensitive values of each group can belong to its rows, numbered."""
    rows = [[i for i, each in enumerate(groups) if each == g] for g in sorted(set(groups))]
    found = []
    for number, chosen in enumerate(product(*(permutations(each) for each in rows))):
        place = dict(zip(chain(*rows), chain(*chosen), strict=True))
        b = [table["b"][place[i]] for i in range(table.height)]
        named = table.with_columns(pl.Series("b", b, dtype=pl.Int64), world=pl.lit(number))
        found.append(named)
    return pl.concat(found)


@pytest.mark.parametrize("shape", ["anatomized", "permuted", "generalized"])
@settings(max_examples=40, derandomize=True, phases=[Phase.generate, Phase.shrink], deadline=None)
@given(
    rows=st.lists(st.tuples(values, values), min_size=6, max_size=6),
    condition=st.sampled_from(CONDITIONS),
)
def test_every_world_lies_between_the_bounds(shape, condition, rows):
    table = pl.DataFrame(rows, schema={"a": pl.Int64, "b": pl.Int64}, orient="row")
    groups = [0, 0, 0, 1, 1, 1]
    (row,) = released(shape, table, ROLES, groups).query(
        f"SELECT COUNT(*) AS n, SUM(b) AS total, MIN(a) AS least FROM data WHERE {condition}"
    )
    assert row["n"].lower <= row["n"].estimate <= row["n"].upper
    every = worlds(table, groups)  # noqa: F841
    met = f"FILTER (WHERE {condition})"
    asked = f"COUNT(*) {met}, SUM(b) {met}, MIN(a) {met}"
    for found in duckdb.sql(f"SELECT {asked} FROM every GROUP BY world").fetchall():
        for told, value in zip(row.values(), found, strict=True):
            assert value is None or told.lower <= value <= told.upper


def test_bounds_say_something():
    """Who earns more than he owes: of 3 with 5, 6, 7 and debts of 1, 6, 9, at least one and two at most."""
    table = pl.DataFrame({"a": [5, 6, 7], "b": [1, 6, 9]})
    for shape in ("anatomized", "permuted"):
        release = released(shape, table, ROLES, [0, 0, 0])
        told = release.query("SELECT COUNT(*) AS n FROM data WHERE a > b")[0]["n"]
        assert (told.lower, told.upper) == (1, 2)
        assert told.estimate == pytest.approx(4 / 3)


def test_keys_and_other_conditions_beside_a_comparison():
    table = pl.DataFrame({"a": [5, 6, 7, 8], "c": ["x", "x", "y", "y"], "b": [1, 6, 9, 9]})
    roles = {"a": "quasi", "c": "quasi", "b": "sensitive"}
    for shape in ("anatomized", "permuted", "generalized"):
        release = released(shape, table, roles, [0, 0, 1, 1])
        answers = release.query(
            "SELECT c, COUNT(*) AS n FROM data WHERE a > b AND a < 8 GROUP BY c"
        )
        for row in answers:
            truth = 1 if row["c"] == "x" else 0
            assert row["n"].lower <= truth <= row["n"].upper


def test_three_parts_are_refused_and_too_many_pairs():
    table = pl.DataFrame({"a": [1, 2], "b": [1, 2], "c": [1, 2]})
    roles = {"a": "quasi", "c": "quasi", "b": "sensitive"}
    release = released("permuted", table, roles, [0, 0])
    with pytest.raises(UnsupportedQuery, match="no row holds both"):
        release.query("SELECT COUNT(*) FROM data WHERE a + b > c")
    wide = pl.DataFrame({"a": range(5_000), "b": range(5_000)})
    release = released("permuted", wide, ROLES, [0] * 5_000)
    with pytest.raises(UnsupportedQuery, match="no row holds both"):
        release.query("SELECT COUNT(*) FROM data WHERE a > b")


def test_both_databases_say_the_same(postgres_url):
    table = pl.DataFrame({"a": [1, 2, None, 3, 0, 2], "b": [2, 2, 1, None, 3, 0]})
    for shape in ("anatomized", "permuted", "generalized"):
        release = released(shape, table, ROLES, [0, 0, 0, 1, 1, 1])
        postgres, duck = (
            load(release, f"{postgres_url}?schema=pairs", force=True),
            database_with(release),
        )
        for condition in CONDITIONS:
            sql = f"SELECT COUNT(*), SUM(b), MAX(a) FROM data WHERE {condition}"
            assert alike(release.query(sql, duck), release.query(sql, postgres)), condition
