"""Workloads are answered by compiled passes with the figures that `release.query` gives."""

from __future__ import annotations

from unittest.mock import patch

import polars as pl
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from anonagram import Microdata
from anonagram.errors import CallError, PromiseBroken
from anonagram.measures import RowSets, Workload, run_workload
from anonagram.measures.workload import _require_bounds, answer_workload
from tests.queries.releases import SHAPES, released
from tests.queries.test_bounds import ROLES, tables
from tests.queries.test_golden import SALARIES, SALARY_GROUPS, SALARY_ROLES


@pytest.mark.parametrize("aggregate", ["COUNT", "SUM", "AVG"])
@pytest.mark.parametrize("shape", sorted(SHAPES))
@settings(phases=[Phase.generate], max_examples=settings().max_examples // 4)  # four questions each
@given(data=tables(), seed=st.integers(0, 1000), volume=st.sampled_from([0.05, 0.3, 0.8]))
def test_passes_agree_with_queries(shape, aggregate, data, seed, volume):
    table, groups = data
    if aggregate != "COUNT":  # sums are asked of a column without missing values
        table = table.with_columns(pl.col("pay").fill_null(1))
    with patch("anonagram.microdata.refuse_constant"):
        microdata = Microdata.read(table, ROLES)
    release = released(shape, table, ROLES, groups)
    if any(len(column.domain) == 0 for column in microdata.columns):
        return
    try:
        workload = Workload.draw(microdata, aggregate, None, volume, 4, seed)
        result = run_workload(release, microdata, workload)
    except CallError:
        assert aggregate != "COUNT"
        return
    for number, row in enumerate(result.answers.iter_rows(named=True)):
        ((_, answer),) = release.query(workload.sql(number))[0].items()
        for name in ("estimate", "lower", "upper"):
            # a release that holds nobody who is asked about: a sum of 0 here, NULL there
            expected = getattr(answer, name)
            if expected is None or row[name] is None:
                assert not expected
                assert not row[name]
                continue
            assert row[name] == pytest.approx(expected, abs=1e-9), (workload.sql(number), name)


def test_bounds_of_row_sets_hold_and_are_narrow_for_everybody():
    microdata = Microdata.read(SALARIES, SALARY_ROLES)
    release = released("anatomized", SALARIES, SALARY_ROLES, SALARY_GROUPS)
    for aggregate in ("COUNT", "SUM", "AVG"):
        result = run_workload(release, microdata, RowSets.draw(microdata, aggregate, 0.5, 50, 1))
        assert result.queries == 50
        everybody = run_workload(release, microdata, RowSets.draw(microdata, aggregate, 1.0, 3, 1))
        assert everybody.error.most == 0
        assert everybody.width.most == 0
    permuted = released("permuted", SALARIES, SALARY_ROLES, SALARY_GROUPS)
    with pytest.raises(CallError, match="Arbitrary people"):
        run_workload(permuted, microdata, RowSets.draw(microdata, "SUM", 0.5, 5, 1))


def test_a_wrong_bound_is_not_averaged_away():
    answers = pl.DataFrame({"truth": [1.0, 5.0], "lower": [0.0, 0.0], "upper": [2.0, 4.0]})
    with pytest.raises(PromiseBroken, match="A bound is wrong"):
        _require_bounds(answers)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"conditions": 9}, "1 to 4 conditions"),
        ({"volume": 0.0}, "not above 0"),
        ({"seed": -1}, "negative"),
        ({"queries": 0}, "are none"),
        ({"aggregate": "MEDIAN"}, "no aggregate"),
    ],
)
def test_what_makes_no_workload_is_refused(words, message):
    with pytest.raises(CallError, match=message):
        Workload.draw(Microdata.read(SALARIES, SALARY_ROLES), **words)


def test_the_same_seed_asks_the_same():
    microdata = Microdata.read(SALARIES, SALARY_ROLES)
    release = released("anatomized", SALARIES, SALARY_ROLES, SALARY_GROUPS)
    one, two = (Workload.draw(microdata, seed=7, queries=20) for _ in range(2))
    assert [one.sql(i) for i in range(20)] == [two.sql(i) for i in range(20)]
    assert answer_workload(release, microdata, one).equals(answer_workload(release, microdata, two))
