"""Questions of any length are answered or refused at once."""

from __future__ import annotations

import time
from datetime import date

import polars as pl
import pytest

from anonagram import Key, Method, Microdata, Release
from anonagram.errors import UnsupportedQuery
from anonagram.queries.reading.limits import MOST_LINKS
from anonagram.queries.rearranged import listing
from tests.release.forging import release_of

SHAPES = ["anatomy(l=2)", "permutation(l=2)", "generalize(l=2)", "random()"]


def asked(condition: str) -> str:
    return f"SELECT COUNT(*) FROM data WHERE {condition}"


@pytest.mark.parametrize(
    "condition",
    [
        " OR ".join(f"age = {i}" for i in range(5_000)),
        " AND ".join(f"age <> {i}" for i in range(5_000)),
        "NOT " * 5_000 + "age > 3",
        "age" + " + 1" * 5_000 + " > 3",
        "CASE " + "".join(f"WHEN age = {i} THEN {i} " for i in range(5_000)) + "END > 3",
        f"age IN ({', '.join(map(str, range(100_000)))})",
        "age = '" + "x" * 10**7 + "'",
        "(" * 5_000 + "age > 3" + ")" * 5_000,
    ],
    ids=["or", "and", "not", "plus", "case", "in", "text", "parentheses"],
)
@pytest.mark.parametrize("method", SHAPES)
def test_endless_question_is_refused_at_once(method, condition):
    release = release_of(method)
    began = time.process_time()
    with pytest.raises(UnsupportedQuery, match=r"too long|too deeply") as told:
        release.query(asked(condition))
    # seconds of work: a tenth of one, and before there was a limit twenty
    assert time.process_time() - began < 5
    assert len(str(told.value)) < 1_000


@pytest.mark.parametrize("method", SHAPES)
def test_as_many_conditions_as_allowed_are_answered(method):
    links = " OR ".join(f"pay = {i}" for i in range(MOST_LINKS))
    assert release_of(method).query(asked(links))[0]["COUNT(*)"].upper >= 0
    listed = ", ".join(map(str, range(2_000)))
    assert release_of(method).query(asked(f"pay IN ({listed})"))[0]["COUNT(*)"].upper == 24


WIDE = pl.DataFrame(
    {
        "born": [date(1920, 1, 1), date(2020, 1, 1)] * 4,
        "came": [date(1990, 1, 1), date(2024, 1, 1)] * 4,
        "ward": ["a", "b", "c", "d"] * 2,
    }
)


@pytest.fixture(scope="module")
def wide_release() -> Release:
    roles = {"born": "quasi", "came": "quasi", "ward": "sensitive"}
    return Method.parse("generalize(l=4)").anonymize(Microdata.read(WIDE, roles), Key(bytes(32)))


@pytest.mark.parametrize(
    ("question", "reason"),
    [
        ("born, came, COUNT(*) FROM data GROUP BY born, came", "values beside each other"),
        (
            "DATE_TRUNC('day', born), DATE_TRUNC('month', came), COUNT(*) FROM data GROUP BY 1, 2",
            "values beside each other",
        ),
    ],
)
def test_ranges_with_too_many_values_are_refused(wide_release, question, reason):
    with pytest.raises(UnsupportedQuery, match=reason):
        wide_release.query(f"SELECT {question}")


def test_values_too_many_to_be_listed_lie_between_what_they_can_be(wide_release):
    answers = wide_release.query(
        "SELECT DATE_TRUNC('day', born) AS day, COUNT(DISTINCT EXTRACT(dow FROM came)) AS different, "
        "SUM(EXTRACT(doy FROM born)) AS days FROM data GROUP BY 1"
    )
    by_day = {row["day"].date(): row for row in answers}
    for day in (date(1920, 1, 1), date(2020, 1, 1)):  # four people each
        assert by_day[day]["different"].lower <= 1 <= by_day[day]["different"].upper <= WIDE.height
        assert by_day[day]["days"].lower <= 4 <= by_day[day]["days"].upper <= WIDE.height * 366


def test_answer_of_too_many_groups_is_refused(wide_release, monkeypatch):
    question = "SELECT born, COUNT(*) FROM data GROUP BY born"
    # the days of a century are answered: grouping by a date of birth is what people do
    assert len(wide_release.query(question)) > 36_000
    monkeypatch.setattr(listing, "MOST_KEYS", 36_000)
    with pytest.raises(UnsupportedQuery, match=r"up to 36,5.. groups; 36,000 are the most"):
        wide_release.query(question)
    # the same values, but few groups
    years = wide_release.query("SELECT YEAR(born), COUNT(*) FROM data GROUP BY 1")
    assert len(years) == 101


PEOPLE = 3_000
CROWD = pl.DataFrame(
    {
        "born": pl.date_range(date(1920, 1, 1), date(2020, 1, 1), "10d", eager=True)[:PEOPLE],
        "sex": ["F", "M"] * (PEOPLE // 2),
        "pay": range(PEOPLE),
    }
)


@pytest.fixture(scope="module", params=["generalize", "anatomy", "permutation"])
def crowd_release(request) -> Release:
    """Everybody in one group: each key stands beside each value."""
    roles = {"born": "quasi", "sex": "quasi", "pay": "sensitive"}
    method = Method.parse(f"{request.param}(l={PEOPLE})")
    return method.anonymize(Microdata.read(CROWD, roles), Key(bytes(32)))


def test_question_that_would_take_minutes_is_refused_at_once(crowd_release):
    question = "SELECT born, MIN(pay), MAX(pay), AVG(pay), MEDIAN(pay) FROM data GROUP BY born"
    began = time.process_time()
    with pytest.raises(UnsupportedQuery, match=r"steps; 100,000,000 are the most") as told:
        crowd_release.query(question)
    assert time.process_time() - began < 5
    assert "coarser keys" in str(told.value)


def test_few_keys_beside_many_values_are_answered(crowd_release):
    decades = "SELECT DATE_TRUNC('decade', born), MIN(pay), AVG(pay) FROM data GROUP BY 1"
    assert 9 <= len(crowd_release.query(decades)) <= 11
    # the size of the group alone allows for too much; that there are two keys is counted
    both = crowd_release.query("SELECT sex, MIN(pay), AVG(pay), MEDIAN(pay) FROM data GROUP BY sex")
    assert [row["sex"] for row in both] == ["F", "M"]
