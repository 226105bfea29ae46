"""Every database gives the same answers."""

from __future__ import annotations

import math
import random
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

import polars as pl
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from anonagram.engines import DuckDb, Engine, Postgres, engine_at
from anonagram.errors import CannotWrite, InputError, MissingExtra, UnsupportedQuery
from anonagram.queries import Answers, Asked
from tests.queries.releases import SHAPES, released
from tests.queries.test_bounds import ROLES, questions, tables
from tests.release.forging import release_of


class AllInSql(DuckDb):
    """DuckDB without the compiled pass: the statement as `--explain` shows it."""

    answer = Engine.answer


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
@given(data=tables(), asked=st.lists(questions(), min_size=3, max_size=3))
def test_compiled_passes_say_what_the_statement_says(shape, data, asked):
    release = released(shape, data[0], ROLES, data[1])
    engine = DuckDb.holding(release)
    in_sql = AllInSql(engine.connection, release)
    for sql, _, _ in asked:
        try:
            question = Asked.of(release, sql)
            one = question.run(engine)
        except UnsupportedQuery:
            continue
        assert alike(one, question.run(in_sql)), sql


@pytest.mark.parametrize("shape", sorted(SHAPES))
@settings(max_examples=15, derandomize=True, phases=[Phase.generate])
@given(data=tables(), asked=st.lists(questions(), min_size=6, max_size=6))
def test_postgres_answers_like_duckdb(postgres_url, shape, data, asked):
    release = released(shape, data[0], ROLES, data[1])
    url = f"{postgres_url}?schema=drawn"
    postgres = Postgres.load(url, release, force=True)
    duck = DuckDb.holding(release)
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
    postgres = Postgres.load(f"{postgres_url}?schema=types_{shape}", release, force=True)
    duck = DuckDb.holding(release)
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
    Postgres.load(url, release)
    with pytest.raises(CannotWrite, match="holds a release already"):
        Postgres.load(url, other)
    engine_at(url, release)
    with pytest.raises(InputError, match="another release"):
        engine_at(url, other)
    with pytest.raises(InputError, match="holds no release"):
        engine_at(f"{postgres_url}?schema=empty", release)
    with pytest.raises(InputError, match="which schema"):
        engine_at(postgres_url, release)
    with psycopg.connect(postgres_url) as connection:
        connection.execute("CREATE SCHEMA mine; CREATE TABLE mine.quasi (a int)")
    with pytest.raises(CannotWrite, match="no release"):
        Postgres.load(f"{postgres_url}?schema=mine", release, force=True)
    with psycopg.connect(postgres_url) as connection:
        connection.execute("DROP SCHEMA mine CASCADE")
    bad = everything.with_columns(pay=pl.lit("\x00") + pl.col("pay").cast(pl.String))
    broken = released("anatomized", bad, roles, [i % 4 for i in range(everything.height)])
    with pytest.raises(CannotWrite, match="PostgreSQL refuses"):
        Postgres.load(url, broken, force=True)
    engine_at(url, release)  # still the one from before


def test_address_without_a_server_is_named_without_its_password(everything):
    roles = dict.fromkeys(everything.columns, "drop") | {"whole": "quasi", "pay": "sensitive"}
    release = released("anatomized", everything, roles, [i % 4 for i in range(everything.height)])
    with pytest.raises(InputError) as refusal:
        engine_at("postgresql://me:secret@127.0.0.1:1/x?schema=s", release)
    assert "secret" not in str(refusal.value)
    with pytest.raises(InputError, match="not the address"):
        engine_at("mysql://x", release)


def test_missing_driver_is_named(everything, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "psycopg", None)
    roles = dict.fromkeys(everything.columns, "drop") | {"whole": "quasi", "pay": "sensitive"}
    release = released("anatomized", everything, roles, [i % 4 for i in range(everything.height)])
    for ask in (Postgres.load, engine_at):
        first = ("postgresql://x/y?schema=s", release)
        with pytest.raises(MissingExtra, match="psycopg"):
            ask(*first)


def test_forcing_a_load_drops_our_tables_and_nothing_else(everything, postgres_url):
    import psycopg

    roles = dict.fromkeys(everything.columns, "drop") | {"whole": "quasi", "pay": "sensitive"}
    release = released("anatomized", everything, roles, [i % 4 for i in range(everything.height)])
    url = f"{postgres_url}?schema=shared"
    Postgres.load(url, release)
    with psycopg.connect(postgres_url) as connection:
        connection.execute("CREATE TABLE shared.payroll (a int)")
    Postgres.load(url, release, force=True)
    with psycopg.connect(postgres_url) as connection:
        connection.execute("SELECT * FROM shared.payroll")
        connection.execute("CREATE VIEW shared.theirs AS SELECT * FROM shared.quasi")
    with pytest.raises(CannotWrite, match="PostgreSQL refuses"):
        Postgres.load(url, release, force=True)
    engine_at(url, release)
    with psycopg.connect(postgres_url) as connection:
        connection.execute("DELETE FROM shared.quasi WHERE whole > 0")
    with pytest.raises(InputError, match="was changed"):
        engine_at(url, release)
    with pytest.raises(InputError) as refusal:
        engine_at(
            f"{postgres_url.replace('//', '//')}?schema=nope&application_name=s3cret", release
        )
    assert "s3cret" not in str(refusal.value)


def test_duckdb_leaves_nothing_behind(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    engine = DuckDb.holding(release_of("anatomy(l=2)"))
    ((where,),) = engine.run("SELECT current_setting('temp_directory')", "")
    assert where == ""
