from __future__ import annotations

import sqlite3
from datetime import date

import polars as pl
import pytest

from anonagram.errors import InputError
from anonagram.sources import load


@pytest.fixture
def clinic(tmp_path):
    path = tmp_path / "clinic.db"
    with sqlite3.connect(path) as connection:
        connection.execute('CREATE TABLE patients (age INTEGER, "pain ""level" TEXT, weight REAL)')
        connection.executemany(
            "INSERT INTO patients VALUES (?, ?, ?)", [(30, "low", 70.5), (None, "high", 81)]
        )
        connection.execute(
            "CREATE TABLE mixed AS SELECT 1 AS x UNION ALL SELECT 'two' UNION ALL SELECT 3"
        )
    return path


def test_sqlite_table_and_query(clinic):
    table = load(f"sqlite:///{clinic}?table=patients")
    assert table.frame.to_dict(as_series=False) == {
        "age": [30, None],
        'pain "level': ["low", "high"],
        "weight": [70.5, 81.0],
    }
    query = load(f"sqlite:///{clinic}?query=SELECT+age+*+2+AS+double+FROM+patients")
    assert query.frame["double"].to_list() == [60, None]


@pytest.mark.parametrize(
    ("tail", "message"),
    [
        ("?table=patient", "did you mean 'patients'"),
        ("", "names no table"),
        ("?table=a&query=b", "names no table"),
        ("?query=DELETE+FROM+patients", "readonly"),
        ("?query=SELECT+1+AS+a,+2+AS+a", "two columns are called 'a'"),
        ("?query=BEGIN", "has no rows"),
        ("?table=mixed", "row 2 holds 'two'"),
        ('?table=patients";DROP+TABLE+patients;--', "no such table"),
    ],
)
def test_sqlite_errors_help(clinic, tail, message):
    with pytest.raises(InputError, match=message):
        load(f"sqlite:///{clinic}{tail}")
    assert load(f"sqlite:///{clinic}?table=patients").frame.height == 2


def test_missing_sqlite_file_and_unknown_database(tmp_path):
    with pytest.raises(InputError, match="no SQLite file"):
        load(f"sqlite:///{tmp_path}/none.db?table=a")
    assert not list(tmp_path.iterdir())
    with pytest.raises(InputError, match="'oracle' are not known"):
        load("oracle://host/db?table=a")


@pytest.fixture
def postgres(postgres_url):
    import psycopg

    with psycopg.connect(postgres_url) as connection:
        connection.execute("CREATE SCHEMA IF NOT EXISTS clinic")
        connection.execute("DROP TABLE IF EXISTS clinic.patients")
        connection.execute(
            "CREATE TABLE clinic.patients (age int, born date, pay numeric(9,2), sex text, ok boolean)"
        )
        connection.execute(
            "INSERT INTO clinic.patients VALUES (30, '1990-05-17', 12.50, 'F', true), "
            "(41, NULL, NULL, 'M', NULL)"
        )
    return postgres_url


def test_postgres_table(postgres):
    frame = load(f"{postgres}?table=clinic.patients").frame
    assert frame["age"].to_list() == [30, 41]
    assert frame["born"].to_list() == [date(1990, 5, 17), None]
    assert frame["pay"].cast(pl.Float64).to_list() == [12.5, None]
    assert frame["ok"].to_list() == [True, None]


@pytest.mark.parametrize(
    ("tail", "message"),
    [
        ("?table=clinic.nobody", "does not exist"),
        ("?query=DROP+TABLE+clinic.patients", "read-only"),
    ],
)
def test_postgres_errors_help_and_change_nothing(postgres, tail, message):
    with pytest.raises(InputError, match=message):
        load(f"{postgres}{tail}")
    assert load(f"{postgres}?table=clinic.patients").frame.height == 2


def test_password_is_never_shown():
    with pytest.raises(InputError) as error:
        load("postgresql://me:hunter2@127.0.0.1:1/db?table=a")
    assert "hunter2" not in str(error.value)
