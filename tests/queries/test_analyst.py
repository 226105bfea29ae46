"""Questions an analyst would write are answered on every grouped shape, and soundly."""

from __future__ import annotations

import pytest

from anonagram.errors import UnsupportedQuery
from anonagram.queries import Asked, database_with, load
from tests.databases import connect
from tests.queries.analyst import QUESTIONS, admissions, release_of
from tests.queries.releases import SHAPES
from tests.queries.test_bounds import assert_bounded
from tests.queries.test_engines import alike

TABLE = admissions()
MOST_REFUSED = 0.05


@pytest.fixture(scope="module", params=sorted(SHAPES))
def release(request):
    return release_of(request.param, TABLE)


def test_hardly_a_sensible_question_is_refused(release):
    refused = []
    for sql in QUESTIONS:
        try:
            release.query(sql)
        except UnsupportedQuery as error:
            refused.append((sql, error.what))
    assert len(refused) < MOST_REFUSED * len(QUESTIONS), refused


@pytest.mark.parametrize("sql", [q for q in QUESTIONS if "HAVING" not in q and "LIMIT" not in q])
def test_the_truth_is_between_the_bounds(release, sql):
    answers = release.query(sql)
    with connect() as original:
        original.register("data", TABLE.to_arrow())
        asked = original.execute(sql)
        names = [each[0] for each in asked.description or ()]
        rows = [dict(zip(names, row, strict=True)) for row in asked.fetchall()]
    key_places = [place for place, name in enumerate(answers[0]) if name in answers.keys]
    found = {
        tuple(list(row.values())[k] for k in key_places): list(row.values()) for row in answers
    }
    for row in rows:
        values = list(row.values())
        answered = found[tuple(values[k] for k in key_places)]
        for place, value in enumerate(values):
            if place not in key_places:
                assert_bounded(answered[place], value, sql)


def test_postgres_answers_an_analyst_as_duckdb_does(release, postgres_url):
    postgres = load(release, f"{postgres_url}?schema=analyst", force=True)
    duck, refused = database_with(release), []
    for sql in QUESTIONS:
        question = Asked.of(release, sql)
        try:
            answered = question.run(postgres)
        except UnsupportedQuery as error:
            refused.append((sql, error.what))
        else:
            assert alike(question.run(duck), answered), sql
    assert len(refused) < MOST_REFUSED * len(QUESTIONS), refused
