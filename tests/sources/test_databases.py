from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import date

import polars as pl
import pytest

from anonagram import Microdata
from anonagram.errors import InputError, SchemaError
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
        connection.execute("CREATE TABLE bytes AS SELECT 1 AS x UNION ALL SELECT x'00ff'")
        connection.execute("CREATE TABLE imported (zip, age, day, code TEXT)")
        connection.executemany(
            "INSERT INTO imported VALUES (?, ?, ?, ?)",
            [
                ("02139", "31", "2024-01-02", "7"),
                ("94103", 45, "2024-01-03", "8"),
                ("10001", "", "2024-01-04", "9"),
            ],
        )
    return path


def test_columns_without_a_type_are_read_as_csv_would_be(clinic):
    roles = dict.fromkeys(("zip", "age", "day", "code"), "quasi")
    data = Microdata.read(f"sqlite:///{clinic}?table=imported", roles)
    assert [column.kind for column in data.columns] == ["nominal", "numeric", "date", "nominal"]
    assert data.column("age").decode(data.column("age").codes).to_list() == [31, 45, None]
    with pytest.raises(SchemaError, match="mixed, row 2: column 'x' is numeric, but holds 'two'"):
        Microdata.read(
            f"sqlite:///{clinic}?table=mixed", {"x": {"role": "quasi", "kind": "numeric"}}
        )


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
        ("?table=bytes", "row 2: it holds bytes"),
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


def test_a_database_given_as_a_file_is_told_its_address(tmp_path):
    path = tmp_path / "clinic.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE patients (age)")
        connection.execute("CREATE TABLE wards (name)")
        connection.execute("INSERT INTO patients VALUES (41), (52)")
        connection.commit()
    with pytest.raises(InputError, match="is an SQLite database") as refused:
        load(path)
    address, *_ = refused.value.remedy.removeprefix("say which table: ").split(" ")
    assert address == f"sqlite:///{path}?table=patients"
    assert "(or wards)" in refused.value.remedy
    assert load(address).frame["age"].to_list() == [41, 52]
