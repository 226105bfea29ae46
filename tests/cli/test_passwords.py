"""A database's password is never told: not in messages, results or files, however it was written."""

from __future__ import annotations

import traceback
from pathlib import Path

import pytest

from anonagram.engines.postgres import Postgres
from anonagram.errors import AnonagramError
from anonagram.shown.passwords import without_passwords
from anonagram.sources import load
from anonagram.sources.connection import split_secrets
from tests.inside import run_inside
from tests.tables import PATIENTS

SCHEMA = '[columns]\nname = "identifier"\nage = "quasi"\nsex = "quasi"\ndisease = "sensitive"\n'
# none of them can be opened; {} is what else the address says
ADDRESSES = [
    "postgresql://me:hunter2@127.0.0.1:1/db?{}",
    "postgresql://me:hun%74er2@127.0.0.1:1/db?{}",
    "postgresql://me:hunter2%zz@127.0.0.1:1/db?{}",
    "postgresql://me:hunter2%00@127.0.0.1:1/db?{}",
    "postgresql://me@127.0.0.1:1/db?password=hunter2&{}",
    "postgresql://me@127.0.0.1:1/db?{}&sslpassword=hunter2%zz",
    "postgresql://me@127.0.0.1:1/db?{}&pass%77ord=hunter2",
    "postgresql://me:a@hunter2@127.0.0.1:1/db?{}",
    "postgresql://me:a/hunter2@127.0.0.1:1/db?{}",
    "postgresql://me:hunter2/a@127.0.0.1:1/db?{}",
    "postgresql://me:hunter2?a@127.0.0.1:1/db?{}",
    "postgresql://me:a?hunter2@127.0.0.1:1/db?{}",
    "postgresql://me:a?b=hunter2@127.0.0.1:1/db&{}",
    "postgresql://me:hunter2#a@127.0.0.1:1/db?{}",
    "postgresql://me:hunter2@[::1/db?{}",
    "postgresql://me:hunter2@ho\u2100st/db?{}",
    "postgresql://me:hunter2 x@127.0.0.1:1/db?{}",
    "postgresql://me:x y:hunter2@127.0.0.1:1/db?{}",
    "postgresql://127.0.0.1:hunter2/db?{}",
    "postgresql://me:hunter2@127.0.0.1:1/db?nothing=1&{}",
    "postgresql:/me:hunter2@127.0.0.1:1/db?{}",
    "postgresql:///me:hunter2@127.0.0.1:1/db?{}",
    "mysql://me:hunter2@127.0.0.1:1/db?{}",
    "sqlite://me:hunter2@127.0.0.1:1/db?{}",
    "https://me:hunter2@127.0.0.1:1/db?{}",
    "https://127.0.0.1:1/db?token=hunter2&{}",
    "host=127.0.0.1 user=me password=hunter2 {}",
    "host=127.0.0.1 user=me password='x hunter2' {}",
]


@pytest.fixture
def here(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    PATIENTS.write_csv("patients.csv")
    Path("patients.toml").write_text(SCHEMA)
    made = run_inside(
        "anonymize", "patients.csv", "--schema", "patients.toml", "--method", "anatomy(l=3)",
        "-o", "release",
    )  # fmt: skip
    assert made.returncode == 0, made.stderr
    return tmp_path


def commands(data: str, engine: str) -> list[list[str]]:
    """Every command with an address in every place where one is expected, or slips in."""
    method = ["--method", "noise(scale=0.3)"]
    return [
        ["inspect", data],
        ["inspect", data, "--json"],
        ["inspect", "patients.csv", data],
        ["inspect", "patients.csv", "--write-schema", data],
        ["inspect", f"--{data}"],
        ["anonymize", data, "--schema", "patients.toml", *method, "-o", "out"],
        ["anonymize", "patients.csv", "--schema", data, *method, "-o", "out"],
        ["anonymize", data, "--schema", "patients.toml", *method, "-o", data],
        ["anonymize", "patients.csv", "--schema", "patients.toml", "--method", data, "-o", "out"],
        [
            "anonymize",
            "patients.csv",
            "--schema",
            "patients.toml",
            *method,
            "-o",
            "o",
            "--key",
            data,
        ],
        ["tune", data, "--schema", "patients.toml", "--method", "noise", "--withstands"],
        ["audit", data, "patients.csv"],
        ["audit", "patients.csv", data],
        ["measure", "release", "--original", data],
        ["measure", data, "--original", data],
        ["workload", "release", "--original", data],
        ["rules", "release", "--original", data],
        ["check", data],
        ["verify", data, "--set", "age=40"],
        ["verify", "release", "--set", data],
        ["query", "release", "SELECT COUNT(*) FROM data", "--engine", engine],
        ["query", "release", "SELECT COUNT(*) FROM data", "--engine", engine, "--explain"],
        ["load", "release", engine],
        ["load", engine, "release"],
        ["demo", data],
    ]


@pytest.mark.parametrize("address", ADDRESSES)
def test_no_command_tells_it(here, address):
    for words in commands(address.format("table=patients"), address.format("schema=clinic")):
        done = run_inside(*words)
        assert done.returncode in (0, 2), (words, done.text)  # some are fine names of new files
        assert "hunter2" not in done.text, (words, done.text)


@pytest.mark.parametrize("address", ADDRESSES)
def test_no_exception_tells_it(address):
    """Also not the exceptions below ours, which a traceback shows."""
    with pytest.raises(AnonagramError) as error:
        load(address.format("table=patients"))
    shown = traceback.TracebackException.from_exception(error.value)
    while shown is not None:
        assert "hunter2" not in str(shown)
        shown = shown.__cause__ or (None if shown.__suppress_context__ else shown.__context__)


def test_nothing_that_works_tells_it_either(here, postgres_url):
    """From a table in PostgreSQL to a release, its audit and its answers; the files included."""
    import psycopg

    with psycopg.connect(postgres_url) as connection:
        connection.execute("DROP SCHEMA IF EXISTS secretly CASCADE")
        connection.execute("DROP TABLE IF EXISTS people")
        connection.execute("CREATE TABLE people (age int, pay int)")
        connection.execute(
            "INSERT INTO people SELECT i % 40, i * 7 % 50 FROM generate_series(1, 80) i"
        )
    base = postgres_url.replace("tester@", "tester:hunter2@")
    data = f"{base}?table=people"
    Path("people.toml").write_text('[columns]\nage = "quasi"\npay = "sensitive"\n')
    schema = ["--schema", "people.toml"]
    engine = f"{base}?schema=secretly"
    question = "SELECT COUNT(*) FROM data WHERE age < 20"
    for words in (
        ["inspect", data, "--write-schema", "new.toml"],
        ["inspect", data, "--json"],
        ["anonymize", data, *schema, "--method", "anatomy(l=3)", "-o", "grouped"],
        [
            "anonymize",
            data,
            *schema,
            "--method",
            "noise(scale=0.3)",
            "-o",
            "masked",
            "--private",
            "p",
        ],
        ["anonymize", data, *schema, "--method", "noise(scale=0.3)", "-o", "m2", "--json"],
        ["audit", data, "masked", "--private", "p", "--html", "audit.html", "--random", "100"],
        ["audit", data, "masked", "--private", "p", "--json", "--random", "100"],
        ["measure", "grouped", "--original", data],
        ["workload", "grouped", "--original", data, "--queries", "10", "--conditions", "1"],
        ["rules", "grouped", "--original", data],
        ["load", "grouped", engine],
        ["query", "grouped", question, "--engine", engine],
        ["query", "grouped", question, "--engine", engine, "--explain", "--json"],
    ):
        done = run_inside(*words)
        # an audit ends with 1 where somebody is found, or 4 where it cannot be told
        assert done.returncode in ((0, 1, 4) if words[0] == "audit" else (0,)), (words, done.text)
        assert "hunter2" not in done.text, (words, done.text)
    written = [path for path in here.rglob("*") if path.is_file()]
    assert len(written) > 8
    assert [path for path in written if b"hunter2" in path.read_bytes()] == []


def test_an_engine_does_not_show_it():
    assert "hunter2" not in repr(Postgres("postgresql://me:hunter2@host/db", "clinic"))


@pytest.mark.parametrize(
    ("url", "public", "secrets"),
    [
        ("postgresql://me@h/db", "postgresql://me@h/db", {}),
        ("postgresql:///db", "postgresql:///db", {}),
        ("postgresql://me:p%2Fq@h:1,k:2/db", "postgresql://me@h:1,k:2/db", {"password": "p/q"}),
        ("postgresql://me:a@b@[::1]:5/db", "postgresql://me@[::1]:5/db", {"password": "a@b"}),
        ("postgresql://h/db?password=x&user=me", "postgresql://h/db?user=me", {"password": "x"}),
    ],
)
def test_what_reaches_the_driver(url, public, secrets):
    assert split_secrets(url) == (public, secrets)


def test_other_texts_stay_as_they_are():
    for text in (
        "postgresql://me@host:5432/db?table=a@b",
        "There is no file http://localhost:8000/x.csv.",
        "sqlite:///clinic.db?table=patients",
        "me@example.org: 12:30",
    ):
        assert without_passwords(text) == text
    once = without_passwords("anonagram audit 'postgresql://me:pw@h/db' a@b")
    assert without_passwords(once) == once
