"""A little of the hunt on every run, and that it does find what is wrong."""

from __future__ import annotations

from dataclasses import replace

import pytest

from anonagram import Answer, Release
from tests.hunt.case import LARGE, random_case
from tests.hunt.hunter import Hunter, Miss
from tests.hunt.report import Tally, snippet
from tests.hunt.shrink import shrink

CASES = 6
"""Of each seed: the same on every machine, so that a red run means a change."""


@pytest.mark.parametrize("seed", [13, 14, 15])
def test_nothing_is_wrong(seed: int) -> None:
    assert_no_miss(Hunter(), seed)


def test_nothing_is_wrong_in_postgresql(postgres_url: str) -> None:
    assert_no_miss(Hunter(postgres=f"{postgres_url}?schema=hunt"), 16)


def assert_no_miss(hunter: Hunter, seed: int) -> None:
    tally, first = Tally(), seed * 10**7
    small = [number for number in range(first, first + 2 * CASES) if number % LARGE]
    for number in [first - first % LARGE, *small[:CASES]]:  # a large table, and small ones
        case = random_case(number)
        tally.add(case, hunter.run(case))
    assert not tally.missed, tally.summary()


def test_case_is_the_same_for_the_same_seed() -> None:
    assert [q.sql() for q in random_case(7).questions] == [
        q.sql() for q in random_case(7).questions
    ]
    assert random_case(7).table.frame().equals(random_case(7).table.frame())


@pytest.fixture
def narrow_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Upper bounds of whole numbers above 2 are one too low."""
    honest = Release.query

    def lowered(answer):
        if not isinstance(answer, Answer) or type(answer.upper) is not int or answer.upper <= 2:
            return answer
        return replace(answer, upper=answer.upper - 1, lower=0, estimate=None, exact=False)

    def query(release, sql, engine=None):
        answers = honest(release, sql, engine)
        rows = tuple({name: lowered(value) for name, value in row.items()} for row in answers)
        return replace(answers, rows=rows)

    monkeypatch.setattr(Release, "query", query)


def first_miss(hunter: Hunter) -> Miss:
    for seed in (number for number in range(300) if number % LARGE):
        for miss in hunter.run(random_case(seed)).misses:
            if miss.what == "above its upper bound":
                return miss
    pytest.fail("no miss was found")


@pytest.mark.usefixtures("narrow_bounds")
def test_broken_bound_is_found_again_and_made_small() -> None:
    hunter = Hunter()
    miss = first_miss(hunter)
    assert any(other.sign == miss.sign for other in hunter.run(random_case(miss.seed)).misses)
    small = shrink(miss, hunter, 30)
    assert small.sign == miss.sign
    assert small.case.table.rows <= min(8, miss.case.table.rows)
    assert len(small.case.questions) == 1
    assert len(small.case.questions[0].sql()) <= len(miss.case.questions[0].sql())
    compile(snippet(small), "snippet", "exec")
