"""Estimates from worlds: between the bounds, nearer to the truth, and refused where nothing is learned."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from anonagram import Key, Method, Microdata
from anonagram.errors import CallError, UnsupportedQuery
from anonagram.present import document_of

KEY = Key(bytes(32))


def table(rows: int = 3000) -> pl.DataFrame:
    rng = np.random.default_rng(2)
    age = rng.integers(0, 8, rows)
    ill = np.where(rng.random(rows) < 0.6, age, rng.integers(0, 8, rows))
    return pl.DataFrame(
        {"age": age, "sex": rng.choice(["F", "M"], rows), "ill": [f"d{i}" for i in ill]}
    )


@pytest.fixture(scope="module")
def release():
    data = Microdata.read(table(), {"age": "quasi", "sex": "quasi", "ill": "sensitive"})
    return Method.parse('anatomy(l=3, partition="buckets")').anonymize(data, KEY)


def test_estimates_come_nearer_and_stay_between_the_bounds(release):
    sql = "SELECT age, COUNT(*) AS n FROM data WHERE ill = 'd3' GROUP BY age"
    truth = dict(table().filter(pl.col("ill") == "d3").group_by("age").len().rows())
    plain, learned = release.query(sql), release.query(sql, learned=True)
    assert learned.learned
    assert not plain.learned
    off = {}
    for name, answers in (("plain", plain), ("learned", learned)):
        rows = {row["age"]: row["n"] for row in answers}
        assert all(each.lower <= each.estimate <= each.upper for each in rows.values())
        off[name] = sum(abs(rows[age].estimate - count) for age, count in truth.items())
    assert off["learned"] < off["plain"] / 2
    same = [(row["age"], row["n"].lower, row["n"].upper) for row in plain]
    assert same == [(row["age"], row["n"].lower, row["n"].upper) for row in learned]


def test_what_is_exact_stays_exact(release):
    (row,) = release.query("SELECT COUNT(*) AS n FROM data WHERE sex = 'F'", learned=True)
    assert row["n"].exact
    assert row["n"].estimate == (table()["sex"] == "F").sum()


def test_means_filters_and_arithmetic_are_learned_too(release):
    sql = (
        "SELECT AVG(age) FILTER (WHERE ill = 'd7') AS a, COUNT(*) FILTER (WHERE ill = 'd7' AND age > 6) "
        "* 100.0 / COUNT(*) AS share FROM data"
    )
    (row,) = release.query(sql, learned=True)
    truth = table().filter(pl.col("ill") == "d7")["age"].mean()
    assert abs(row["a"].estimate - truth) < 1
    for each in row.values():
        assert each.lower <= each.estimate <= each.upper


def test_texts_and_questions_about_nobody_keep_their_answers(release):
    (row,) = release.query("SELECT MIN(ill) AS first FROM data WHERE age = 3", learned=True)
    assert row["first"].estimate is None or isinstance(row["first"].estimate, str)
    (row,) = release.query("SELECT COUNT(*) AS n FROM data WHERE age > 99", learned=True)
    assert row["n"].estimate == 0


def test_what_chooses_rows_is_refused(release):
    for sql in (
        "SELECT age, COUNT(*) AS n FROM data WHERE ill = 'd1' GROUP BY age HAVING COUNT(*) > 3",
        "SELECT age, COUNT(*) AS n FROM data WHERE ill = 'd1' GROUP BY age ORDER BY n LIMIT 2",
    ):
        with pytest.raises(UnsupportedQuery, match="every world would choose others"):
            release.query(sql, learned=True)


def test_columns_that_were_rearranged_apart_are_learned_from_too():
    data = Microdata.read(table(900), {"age": "quasi", "sex": "quasi", "ill": "sensitive"})
    release = Method.parse('permutation(l=2, partition="buckets")').anonymize(data, KEY)
    sql = "SELECT age, COUNT(*) AS n FROM data WHERE ill = 'd3' GROUP BY age"
    truth = dict(table(900).filter(pl.col("ill") == "d3").group_by("age").len().rows())
    off = {}
    for learned in (False, True):
        rows = {row["age"]: row["n"] for row in release.query(sql, learned=learned)}
        assert all(each.lower <= each.estimate <= each.upper for each in rows.values())
        off[learned] = sum(abs(rows[age].estimate - count) for age, count in truth.items())
    assert off[True] < off[False] / 2


@pytest.mark.parametrize("method", ["generalize(l=2)", "random()"])
def test_releases_without_exact_rows_are_refused(method):
    data = Microdata.read(table(300), {"age": "quasi", "sex": "quasi", "ill": "sensitive"})
    with pytest.raises(CallError, match="neither exact rows nor columns"):
        Method.parse(method).anonymize(data, KEY).query("SELECT COUNT(*) FROM data", learned=True)


def test_the_command_learns_and_says_so(anonagram, release, tmp_path):
    release.write(tmp_path / "r")
    done = anonagram(
        "query", tmp_path / "r", "SELECT COUNT(*) FROM data WHERE ill = 'd3' AND age = 3", "--learn"
    )
    assert done.returncode == 0
    assert "worlds drawn as a model" in done.stdout


def test_a_count_about_people_and_values_has_an_interval(release):
    """Groups were drawn given the value, so a regression over them knows how far it can be off."""
    held = 0
    (first, *_) = release.query(
        "SELECT COUNT(*) AS n FROM data WHERE age < 4 AND ill = 'd2'", learned=True
    )
    low, high = first["n"].interval
    assert first["n"].lower <= low <= first["n"].estimate <= high <= first["n"].upper
    assert first["n"].to_dict()["interval"] == [low, high]
    sql = "SELECT age, COUNT(*) AS n FROM data WHERE ill IN ('d2', 'd5') AND sex = 'F' GROUP BY age"
    answers = release.query(sql, learned=True)
    assert "n interval" in answers.to_polars().columns
    assert "95 % of the time" in str(document_of(answers))
    for row in answers:
        truth = table().filter(
            (pl.col("age") == row["age"])
            & (pl.col("sex") == "F")
            & pl.col("ill").is_in(["d2", "d5"])
        )
        low, high = row["n"].interval
        assert row["n"].lower <= low <= row["n"].estimate <= high <= row["n"].upper
        held += low <= truth.height <= high
    assert held >= 7


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT COUNT(*) FILTER (WHERE ill = 'd7') AS n FROM data WHERE age > 6",
        "SELECT COUNT(*) * 2 AS n FROM data WHERE ill = 'd7' AND age > 6",
        "SELECT SUM(age) AS n FROM data WHERE ill = 'd7'",
    ],
)
def test_other_answers_have_none(release, sql):
    (row,) = release.query(sql, learned=True)
    assert not hasattr(row["n"], "interval")


def test_without_learning_there_is_none(release):
    (row,) = release.query("SELECT COUNT(*) AS n FROM data WHERE age < 4 AND ill = 'd2'")
    assert not hasattr(row["n"], "interval")
