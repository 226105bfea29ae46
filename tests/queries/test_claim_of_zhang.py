"""Zhang 2007, section 2.5: with the same groups, permuted tables answer within what generalized do."""

from __future__ import annotations

from typing import Any

from hypothesis import event, given, settings
from hypothesis import strategies as st

from anonagram.errors import UnsupportedQuery
from tests.queries.releases import released
from tests.queries.test_bounds import ROLES, questions, tables

# as in the thesis: every column but one is a quasi-identifier, and no other stays with its rows
THESIS_ROLES = {**ROLES, "weight": "quasi"}
ROUNDING = 1e-9


@settings(max_examples=settings().max_examples // 2)  # eight questions each
@given(data=tables(), asked=st.lists(questions(), min_size=4, max_size=4))
def test_permuted_bounds_lie_inside_the_generalized_ones(data, asked):
    table, groups = data
    permuted, generalized = (
        released(shape, table, THESIS_ROLES, groups) for shape in ("anatomized", "generalized")
    )
    for sql, keys, aggregates in asked:
        try:
            inside, outside = permuted.query(sql), generalized.query(sql)
        except UnsupportedQuery:
            event("refused")
            continue
        event("compared")
        wider = {tuple(row[name] for name in keys): row for row in outside}
        for row in inside:
            around = wider[tuple(row[name] for name in keys)]
            for name in aggregates:
                one, other = row[name], around[name]
                if one.lower is None:
                    continue
                # sums of floating-point numbers are widened by what rounding can do
                slack = ROUNDING if "weight" in name else None
                assert _at_most(other.lower, one.lower, slack), (sql, one, other)
                assert _at_most(one.upper, other.upper, slack), (sql, one, other)


def _at_most(one: Any, other: Any, slack: float | None) -> bool:
    return one <= other if slack is None else one <= other + slack
