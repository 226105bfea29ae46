"""Every database gives the same answers."""

from __future__ import annotations

import gc
import math
import random
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from anonagram.engines import Engine, duck, kind_at
from anonagram.engines.engine import IN_MEMORY
from anonagram.errors import CannotWrite, InputError, MissingExtra, UnsupportedQuery
from anonagram.queries import Answers, Asked, database_with, load
from tests.queries.releases import SHAPES, released
from tests.queries.test_bounds import ROLES, questions, tables
from tests.release.forging import release_of


def alike(one: Answers, two: Answers) -> bool:
    return len(one) == len(two) and all(
        _alike(a, b)
        for first, second in zip(one.to_dicts(), two.to_dicts(), strict=True)
        for a, b in zip(_flat(first), _flat(second), strict=True)
    )


def _flat(row: dict[str, Any]) -> list[Any]:
    return [
        x
        for value in row.values()
        for x in (value.values() if isinstance(value, dict) else [value])
    ]


def _alike(a: Any, b: Any) -> bool:
    if isinstance(a, int | float) and isinstance(b, int | float):
        return math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-6)
    return a == b


@pytest.mark.parametrize("shape", sorted(SHAPES))
@settings(max_examples=settings().max_examples // 6, phases=[Phase.generate])
@given(data=tables(), asked=st.lists(questions(), min_size=6, max_size=6))
def test_postgres_answers_like_duckdb(postgres_url, shape, data, asked):
    release = released(shape, data[0], ROLES, data[1])
    url = f"{postgres_url}?schema=drawn"
    postgres = load(release, url, force=True)
    duck = database_with(release)
    for sql, _, _ in asked:
        try:
            question = Asked.of(release, sql)
            one = question.run(duck)
        except UnsupportedQuery:
            continue
        refused = ""
        try:
            is_alike = alike(one, question.run(postgres))
        except UnsupportedQuery as error:
            is_alike, refused = False, error.what
        assert is_alike or "PostgreSQL is not asked" in refused, sql


@pytest.fixture(scope="module")
def everything() -> pl.DataFrame:
    """A column of every type that a release can hold."""
    draw = random.Random(1)
    rows = 40
    numbers = [draw.randrange(-5, 6) for _ in range(rows)]
    table = {
        "whole": numbers,
        "text": [draw.choice(["a'b", 'c"d', "{e,f}", "", "back\\slash"]) for _ in range(rows)],
        "real": [n / 4 for n in numbers],
        "day": [date(2000, 1, 1) + timedelta(days=n) for n in numbers],
        "moment": [datetime(2000, 1, 1, 12) + timedelta(hours=n) for n in numbers],
        "clock": [time(12 + n % 6, 30, 0, 250_000 * (n % 3)) for n in numbers],
        "yes": [n > 0 for n in numbers],
        "money": [Decimal(n) / 4 for n in numbers],
        "pay": [draw.randrange(0, 30) for _ in range(rows)],
    }
    return pl.DataFrame(table).with_columns(
        huge=pl.Series([n * 10**20 for n in numbers], dtype=pl.Int128),
        short=pl.Series(numbers, dtype=pl.Int8),
        wide=(pl.Series(numbers) + 5).cast(pl.UInt64),
        zoned=pl.Series(table["moment"]).dt.replace_time_zone("Europe/Paris"),
        took=pl.Series([timedelta(hours=n) for n in numbers]),
    )


CONDITIONS = [
    "whole > 0", "text = 'a''b'", "text IN ('{e,f}', '')", "real >= 0.25", "day < DATE '2000-01-02'",
    "moment > TIMESTAMP '2000-01-01 12:30:00'", "clock >= TIME '13:30:00.25'", "yes", "money > 0.25",
    "huge > 0", "short <> 2", "wide > 5", "zoned < TIMESTAMP '2000-01-01 12:30:00'",
    "EXTRACT(month FROM day) = 1", "text LIKE '%\\%' OR NOT yes", "whole / 2 > 1.4",
    "whole % 2 = 1", "LOWER(text) = 'a''b' AND LENGTH(text) = 3", "COALESCE(whole, 0) BETWEEN -1 AND 3",
    "CASE WHEN yes THEN whole > 2 ELSE FALSE END", "DATE_TRUNC('month', day) = DATE '2000-01-01'",
]  # fmt: skip
EXTREMES = ["MIN", "MAX"]


@pytest.mark.parametrize("shape", ["anatomized", "permuted"])
def test_every_type_of_column(everything, postgres_url, shape):
    roles = dict.fromkeys(everything.columns, "plain") | {"whole": "quasi", "pay": "sensitive"}
    release = released(shape, everything, roles, [i % 4 for i in range(everything.height)])
    postgres = load(release, f"{postgres_url}?schema=types_{shape}", force=True)
    duck = database_with(release)
    for condition in CONDITIONS:
        for what in ("COUNT(*)", "AVG(pay), MIN(pay)", "SUM(whole), SUM(money), MAX(day)"):
            sql = f"SELECT {what} FROM data WHERE {condition}"
            try:
                question = Asked.of(release, sql)
                answers = question.run(duck)
            except UnsupportedQuery:
                assert shape == "permuted"  # a condition over columns that were taken apart
                continue
            assert alike(answers, question.run(postgres)), sql
    for name in everything.columns:
        sql = f"SELECT MIN({name}), MAX({name}), COUNT({name}) FROM data WHERE pay > 10"
        assert alike(Asked.of(release, sql).run(duck), Asked.of(release, sql).run(postgres)), sql


def test_loading_is_all_or_nothing_and_asks_before_replacing(everything, postgres_url):
    import psycopg

    roles = dict.fromkeys(everything.columns, "drop") | {"whole": "quasi", "pay": "sensitive"}
    release = released("anatomized", everything, roles, [i % 4 for i in range(everything.height)])
    other = released("anatomized", everything, roles, [i % 5 for i in range(everything.height)])
    url = f"{postgres_url}?schema=Odd%20%22name"
    load(release, url)
    with pytest.raises(CannotWrite, match="holds a release already"):
        load(other, url)
    database_with(release, url)
    with pytest.raises(InputError, match="another release"):
        database_with(other, url)
    with pytest.raises(InputError, match="holds no release"):
        database_with(release, f"{postgres_url}?schema=empty")
    with pytest.raises(InputError, match="which schema"):
        database_with(release, postgres_url)
    with psycopg.connect(postgres_url) as connection:
        connection.execute("CREATE SCHEMA mine; CREATE TABLE mine.quasi (a int)")
    with pytest.raises(CannotWrite, match="no release"):
        load(release, f"{postgres_url}?schema=mine", force=True)
    with psycopg.connect(postgres_url) as connection:
        connection.execute("DROP SCHEMA mine CASCADE")
    bad = everything.with_columns(pay=pl.lit("\x00") + pl.col("pay").cast(pl.String))
    broken = released("anatomized", bad, roles, [i % 4 for i in range(everything.height)])
    with pytest.raises(CannotWrite, match="PostgreSQL refuses"):
        load(broken, url, force=True)
    database_with(release, url)  # still the one from before


def test_address_without_a_server_is_named_without_its_password(everything):
    roles = dict.fromkeys(everything.columns, "drop") | {"whole": "quasi", "pay": "sensitive"}
    release = released("anatomized", everything, roles, [i % 4 for i in range(everything.height)])
    with pytest.raises(InputError) as refusal:
        database_with(release, "postgresql://me:secret@127.0.0.1:1/x?schema=s")
    assert "secret" not in str(refusal.value)
    with pytest.raises(InputError, match="not the address"):
        database_with(release, "mysql://x")
    for address in ("duckdb:file.db", "duckdb:///file.db"):
        with pytest.raises(InputError, match="in memory only"):
            database_with(release, address)
    with pytest.raises(InputError, match="in memory only"):
        load(release, "duckdb:")


def test_missing_driver_is_named(everything, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "psycopg", None)
    roles = dict.fromkeys(everything.columns, "drop") | {"whole": "quasi", "pay": "sensitive"}
    release = released("anatomized", everything, roles, [i % 4 for i in range(everything.height)])
    for ask in (load, database_with):
        with pytest.raises(MissingExtra, match="psycopg"):
            ask(release, "postgresql://x/y?schema=s")


def test_forcing_a_load_drops_our_tables_and_nothing_else(everything, postgres_url):
    import psycopg

    roles = dict.fromkeys(everything.columns, "drop") | {"whole": "quasi", "pay": "sensitive"}
    release = released("anatomized", everything, roles, [i % 4 for i in range(everything.height)])
    url = f"{postgres_url}?schema=shared"
    load(release, url)
    with psycopg.connect(postgres_url) as connection:
        connection.execute("CREATE TABLE shared.payroll (a int)")
    load(release, url, force=True)
    with psycopg.connect(postgres_url) as connection:
        connection.execute("SELECT * FROM shared.payroll")
        connection.execute("CREATE VIEW shared.theirs AS SELECT * FROM shared.quasi")
    with pytest.raises(CannotWrite, match="PostgreSQL refuses"):
        load(release, url, force=True)
    database_with(release, url)
    with psycopg.connect(postgres_url) as connection:
        connection.execute("DELETE FROM shared.quasi WHERE whole > 0")
    with pytest.raises(InputError, match="was changed"):
        database_with(release, url)
    with pytest.raises(InputError) as refusal:
        database_with(release, f"{postgres_url}?schema=nope&application_name=s3cret")
    assert "s3cret" not in str(refusal.value)


def test_duckdb_leaves_nothing_behind(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    engine = database_with(release_of("anatomy(l=2)"))
    ((where,),) = engine.run("SELECT current_setting('temp_directory')", "")
    assert where == ""


def test_a_new_engine_is_one_class_that_names_its_scheme(monkeypatch):
    monkeypatch.setattr(Engine, "kinds", dict(Engine.kinds))

    class Abacus(Engine, schemes=("abacus",)):
        dialect = "duckdb"
        place = "a shelf"

        def __init__(self, tables):
            self.tables = tables

        @classmethod
        def at(cls, address, tables, about=""):
            return cls(tables)

        load = at

        def run(self, statement, question):
            heights = {name: table.height for name, table in self.tables.items()}
            return [(heights["quasi"], heights["quasi"], heights["quasi"], 0.0, 1)]

    release = release_of("anatomy(l=2)")
    assert kind_at("abacus://here") is Abacus
    answers = release.query("SELECT COUNT(*) FROM data", database_with(release, "abacus://here"))
    assert answers[0]["COUNT(*)"].estimate == release.manifest.rows.published


def test_means_of_whole_numbers_are_rounded_as_duckdb_rounds_them(postgres_url):
    sizes = range(1, 60)
    rows = [(n, 1 if i else 7919 * n % 101) for n in sizes for i in range(n)]
    table = pl.DataFrame(rows, {"n": pl.Int64, "x": pl.Int64}, orient="row").with_columns(
        s=pl.lit(1)
    )
    roles = {"n": "quasi", "x": "quasi", "s": "sensitive"}
    release = released("anatomized", table, roles, [0] * table.height)
    engine = load(release, f"{postgres_url}?schema=means")
    truth = table.group_by("n").agg(pl.col("x").sum() / pl.len())
    for row in release.query("SELECT n, AVG(x) AS mean FROM data GROUP BY n", engine):
        assert (row["n"], row["mean"].estimate) in truth.rows()
        assert row["mean"].exact


def test_a_database_that_is_used_again_holds_nothing_of_what_was_there():
    duck._LEFT.clear()
    first = duck.DuckDb.at(IN_MEMORY, {"secrets": pl.DataFrame({"ill": ["flu"]})})
    kept = first.connection
    del first
    gc.collect()
    assert [names for _, names in duck._LEFT] == [("secrets",)]
    second = duck.DuckDb.at(IN_MEMORY, {"open": pl.DataFrame({"age": [41]})})
    assert second.connection is kept
    assert second.run("SELECT table_name FROM duckdb_tables()", "") == [("open",)]
    third = duck.DuckDb.at(IN_MEMORY, {"open": pl.DataFrame({"age": [42]})})
    assert third.connection is not kept
    assert (second.run("SELECT * FROM open", ""), third.run("SELECT * FROM open", "")) == (
        [(41,)],
        [(42,)],
    )
    with pytest.raises(UnsupportedQuery, match="secrets"):
        second.run("SELECT * FROM secrets", "SELECT * FROM secrets")


def test_a_large_database_is_not_kept():
    duck._LEFT.clear()
    rows = duck.MOST_KEPT_ROWS + 1
    large = duck.DuckDb.at(IN_MEMORY, {"t": pl.DataFrame({"a": np.arange(rows)})})
    assert large.run("SELECT COUNT(*) FROM t", "") == [(rows,)]
    del large
    gc.collect()
    assert not duck._LEFT
