"""The compiled pass says what the statement says, and it is what answers."""

from __future__ import annotations

from collections import Counter

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonagram.engines import Engine, InProcess
from anonagram.errors import UnsupportedQuery
from anonagram.queries import Asked, database_with
from tests.queries.releases import SHAPES, released
from tests.queries.test_bounds import ROLES, questions, tables
from tests.queries.test_engines import alike


class AllInSql(Engine):
    """A database that is sent whole statements, as `--explain` shows them."""

    dialect, place = "duckdb", "elsewhere"
    at = load = None

    def __init__(self, engine: InProcess) -> None:
        self.engine = engine

    def run(self, statement, question):
        return self.engine.run(statement, question)


class Watched(AllInSql, InProcess):
    """A database in this process that notes what it is asked for."""

    def __init__(self, engine: InProcess) -> None:
        super().__init__(engine)
        self.noted: Counter[str] = Counter()

    def run(self, statement, question):
        self.noted["whole statements"] += 1
        return super().run(statement, question)

    def frame(self, statement, question):
        self.noted["hits"] += 1
        return self.engine.frame(statement, question)

    def run_over(self, name, table, statement, question):
        self.noted["last steps"] += 1
        return self.engine.run_over(name, table, statement, question)


def both_ways(release, sql: str, engine: InProcess) -> Counter[str]:
    """What the database was asked for by the shortcut, which must answer like the statement."""
    asked, watched = Asked.of(release, sql), Watched(engine)
    assert alike(asked.run(watched), asked.run(AllInSql(engine))), sql
    return watched.noted


@st.composite
def plain_questions(draw: st.DrawFn) -> str:
    """Questions of the kind that can be counted, if no value is missing."""
    what = draw(st.sampled_from(["COUNT(*)", "SUM(pay)", "AVG(pay), COUNT(*)", "COUNT(pay)"]))
    condition = f"age {draw(st.sampled_from(['<', '>=', '<>']))} {draw(st.integers(-2, 9))}"
    if what == "COUNT(*)":
        condition += f" AND pay > {draw(st.integers(-5, 5))}"
    if draw(st.booleans()):
        return f"SELECT {what} FROM data WHERE {condition}"
    return f"SELECT age, {what} FROM data WHERE {condition} GROUP BY age"


# about a generalized release no question is counted: conditions are met by ranges
@pytest.mark.parametrize("shape", ["anatomized", "permuted"])
def test_compiled_passes_say_what_the_statement_says(shape):
    counted: Counter[bool] = Counter()
    drawn = st.one_of(questions().map(lambda asked: asked[0]), plain_questions())

    @settings(max_examples=settings().max_examples // 2)
    @given(data=tables(), asked=st.lists(drawn, min_size=4, max_size=4))
    def ask(data, asked):
        release = released(shape, data[0], ROLES, data[1])
        engine = database_with(release)
        for sql in asked:
            try:
                noted = both_ways(release, sql, engine)
            except UnsupportedQuery:
                continue
            counted[noted["hits"] > 0 and not noted["whole statements"]] += 1

    ask()
    print(shape, counted)
    assert counted[False] >= 10
    assert counted[True] >= 15


COUNTED = {
    "SELECT COUNT(*) FROM data WHERE age > 2 AND pay > 3": {"anatomized", "permuted"},
    "SELECT SUM(pay) FROM data WHERE age BETWEEN 1 AND 3": {"anatomized", "permuted"},
    "SELECT AVG(pay), COUNT(*), COUNT(pay) FROM data WHERE age < 4": {"anatomized", "permuted"},
    "SELECT age, SUM(pay) FROM data GROUP BY age ORDER BY 2 LIMIT 2": {"anatomized", "permuted"},
    "SELECT age, COUNT(*) FROM data WHERE pay > 3 GROUP BY age": {"anatomized", "permuted"},
    "SELECT AVG(pay) FROM data WHERE age < 4 AND sex = 'f'": {"anatomized"},
    "SELECT COUNT(*) FROM data WHERE age < 4 AND sex = 'f' AND pay > 3": {"anatomized", "permuted"},
    "SELECT MIN(pay) FROM data WHERE age < 4": set(),
    "SELECT COUNT(*) FROM data WHERE age < 4 OR pay > 3": set(),
    "SELECT SUM(pay * 2) FROM data WHERE age < 4": set(),
    "SELECT COUNT(*) FROM data WHERE pay > 3": set(),
}  # fmt: skip


@pytest.mark.parametrize("shape", sorted(SHAPES))
def test_which_questions_are_counted(shape):
    table = pl.DataFrame(
        {"age": [1, 2, 3, 4, 5, 6] * 2, "sex": ["f", "m", "m"] * 4, "pay": range(12)}
    )
    roles = {"age": "quasi", "sex": "quasi", "pay": "sensitive"}
    release = released(shape, table, roles, [row % 3 for row in range(12)])
    engine = database_with(release)
    counted = {sql for sql in COUNTED if both_ways(release, sql, engine)["hits"]}
    assert counted == {sql for sql, shapes in COUNTED.items() if shape in shapes}
