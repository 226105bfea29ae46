"""Releases of subdomains in PostgreSQL: loaded and asked there, with the answers that DuckDB gives."""

from __future__ import annotations

import polars as pl
import pytest

from anonagram import Key, Method, Microdata
from anonagram.queries import Asked, database_with, load
from tests.queries.test_engines import alike

QUESTIONS = (
    "SELECT COUNT(*) FROM data WHERE age < 40 AND pay > 20",
    "SELECT SUM(pay), AVG(pay), MIN(pay), MAX(pay) FROM data WHERE area = 'n' AND age >= 30",
    "SELECT area, COUNT(*), AVG(pay) FROM data GROUP BY area ORDER BY area",
    "SELECT MIN(since), MAX(since) FROM data WHERE age < 50",
    "SELECT COUNT(*) FROM data WHERE since >= '2020-01-20'",
    "SELECT COUNT(pay) FROM data WHERE age > 25",
    "SELECT AVG(age), SUM(age), MAX(area) FROM data WHERE pay > 20",
    "SELECT area, pay, COUNT(*), AVG(age) FROM data GROUP BY area, pay ORDER BY area, pay",
)
TABLE = pl.DataFrame(
    {
        "age": [20 + 7 * n % 45 for n in range(90)],
        "area": ["nse"[n % 3] for n in range(90)],
        "pay": [None if n % 31 == 5 else 11 * n % 40 for n in range(90)],
        "since": pl.date_range(pl.date(2020, 1, 1), pl.date(2020, 3, 30), eager=True),
        "wish": [["0", "5", "all", ""][n % 4] for n in range(90)],
    }
)
CALLS = {
    'distributional(target="source", groups=["area"], fakes=0.1)': {
        "since": "sensitive",
        "wish": "drop",
    },
    'personalized(guard="wish", groups=["area"])': {"since": "plain", "wish": "guard"},
}


@pytest.mark.parametrize("call", CALLS)
def test_postgres_answers_like_duckdb(call, postgres_url):
    roles = {"age": "quasi", "area": "quasi", "pay": "sensitive"} | CALLS[call]
    release = Method.parse(call).anonymize(Microdata.read(TABLE, roles), Key(bytes(32)))
    postgres = load(release, f"{postgres_url}?schema=subdomains", force=True)
    for question in QUESTIONS:
        asked = Asked.of(release, question)
        assert alike(asked.run(database_with(release)), asked.run(postgres)), question
