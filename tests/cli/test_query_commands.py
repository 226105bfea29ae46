"""`query`, `load` and `workload` as they are typed."""

from __future__ import annotations

import json
from pathlib import Path

import duckdb
import pytest

from anonagram import Anatomy, Key, Microdata, Permutation
from anonagram.demo import HOSPITAL_SCHEMA, hospital_table

FLU = "SELECT sex, COUNT(*) FROM data WHERE age > 50 AND disease = 'Flu' GROUP BY sex"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("queries")
    hospital_table().write_csv(home / "hospital.csv")
    (home / "hospital.toml").write_text(HOSPITAL_SCHEMA)
    data = Microdata.read(home / "hospital.csv", home / "hospital.toml")
    Anatomy(4).anonymize(data, Key(bytes(32))).write(home / "release")
    Permutation(4).anonymize(data, Key(bytes(32))).write(home / "permuted")
    return home


def test_json_is_a_list_of_rows_with_five_fields(anonagram, folder):
    done = anonagram("query", folder / "release", FLU, "--json")
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)
    truth = dict(duckdb.sql(FLU.replace("data", f"'{folder / 'hospital.csv'}'", 1)).fetchall())
    assert {row["sex"] for row in rows} >= set(truth)
    for row in rows:
        answer = row["COUNT(*)"]
        assert list(answer) == ["estimate", "lower", "upper", "deviation_over_matchings", "exact"]
        assert answer["lower"] <= truth.get(row["sex"], 0) <= answer["upper"]


def test_table_shows_the_interval(anonagram, folder):
    done = anonagram("query", folder / "release", FLU)
    assert done.returncode == 0, done.stderr
    for word in ("COUNT(*)", "estimate", "lower", "upper", "├", "●"):
        assert word in done.stdout
    # nothing that would be read as an error bar: how often it holds the truth is not known
    assert "±" not in done.stdout
    assert "95" not in done.stdout
    exact = anonagram("query", folder / "release", "SELECT COUNT(*) FROM data WHERE age > 50")
    assert "exact" in exact.stdout
    keys = anonagram("query", folder / "release", "SELECT sex FROM data GROUP BY sex")
    assert "F" in keys.stdout
    none = anonagram("query", folder / "release", FLU + " HAVING COUNT(*) > 99999")
    assert "No group fits" in none.stdout
    nobody = anonagram("query", folder / "release", "SELECT AVG(age) FROM data WHERE age > 500")
    assert "nobody" in nobody.stdout
    dates = anonagram("query", folder / "release", "SELECT MIN(admitted) FROM data WHERE age > 9")
    assert "-" in dates.stdout


def test_explain_shows_a_statement_that_runs(anonagram, folder):
    done = anonagram("query", folder / "release", FLU, "--explain")
    assert done.returncode == 0, done.stderr
    with duckdb.connect() as connection:
        for name in ("quasi", "sensitive"):
            path = folder / "release" / f"{name}.parquet"
            connection.execute(f"CREATE VIEW {name} AS SELECT * FROM '{path}'")
        rows = connection.execute(done.stdout).fetchall()
    asked = json.loads(anonagram("query", folder / "release", FLU, "--json").stdout)
    assert [row[0] for row in rows] == [row["sex"] for row in asked]
    assert [row[2:4] for row in rows] == [
        (row["COUNT(*)"]["lower"], row["COUNT(*)"]["upper"]) for row in asked
    ]
    as_json = anonagram("query", folder / "release", FLU, "--explain", "--json")
    assert json.loads(as_json.stdout)["dialect"] == "duckdb"


def test_question_from_the_input(anonagram, folder):
    done = anonagram("query", folder / "release", "-", "--json", stdin=FLU)
    assert done.returncode == 0, done.stderr
    assert len(json.loads(done.stdout)) == 2


def test_key_is_named_as_its_column(anonagram, folder):
    sql = 'SELECT "sex", COUNT(*) FROM data GROUP BY "sex"'
    assert "sex" in json.loads(anonagram("query", folder / "release", sql, "--json").stdout)[0]


def test_bad_question_points_and_ends_with_2(anonagram, folder):
    done = anonagram("query", folder / "release", "SELECT STDDEV(age) FROM data")
    assert done.returncode == 2
    assert done.stdout == ""
    assert "    SELECT STDDEV(age) FROM data\n           ^^^^^^" in done.stderr
    assert "Try: SELECT AVG(age) FROM data" in done.stderr
    assert anonagram("query", folder / "nowhere", FLU).returncode == 2


def test_postgres_is_loaded_and_asked(anonagram, folder, postgres_url):
    url = f"{postgres_url}?schema=hospital"
    done = anonagram("load", folder / "release", url)
    assert done.returncode == 0, done.stderr
    assert "quasi, sensitive are in the schema hospital" in done.stdout
    here = anonagram("query", folder / "release", FLU, "--json")
    there = anonagram("query", folder / "release", FLU, "--json", "--engine", url)
    assert there.returncode == 0, there.stderr
    for one, two in zip(json.loads(here.stdout), json.loads(there.stdout), strict=True):
        assert one["sex"] == two["sex"]
        assert one["COUNT(*)"] == pytest.approx(two["COUNT(*)"])
    assert anonagram("load", folder / "release", url).returncode == 2
    other = anonagram("query", folder / "permuted", FLU, "--engine", url)
    assert other.returncode == 2
    assert "another release" in other.stderr
    assert anonagram("load", folder / "permuted", url, "--force").returncode == 0
    assert anonagram("query", folder / "permuted", FLU, "--engine", url).returncode == 0


def test_workload_prints_errors_and_widths(anonagram, folder, tmp_path):
    words = ("workload", folder / "release", "--original", folder / "hospital.csv", "--queries", 50)
    done = anonagram(*words, "--json", "--chart", tmp_path / "curve.svg")
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["queries"] == 50
    assert 0 < result["error"]["median"] < result["width"]["median"]
    assert "<svg" in (tmp_path / "curve.svg").read_text()
    table = anonagram(*words)
    assert "Every true answer lies between its bounds." in table.stdout
    people = anonagram(*words, "--kind", "people")
    assert people.returncode == 0, people.stderr
    refused = anonagram(*words, "--aggregate", "sum")
    assert refused.returncode == 2
    assert "needs a sensitive column of numbers" in refused.stderr
    other = anonagram(*words[:2], "--original", folder / "hospital.toml")
    assert other.returncode == 2


def test_nothing_is_said_at_the_end_of_the_process(anonagram, folder):
    """DuckDB reports connections that outlive it on standard error."""
    assert anonagram("query", folder / "release", FLU).stderr == ""
    assert anonagram("query", folder / "release", "SELECT COUNT(*) FROM data").stderr == ""
