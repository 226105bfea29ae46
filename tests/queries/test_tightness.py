"""Bounds are tight: every rearrangement of a tiny release, tried one by one, gives the same ends."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import groupby, permutations, product
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonagram.errors import UnsupportedQuery
from tests.queries.releases import released

Row = dict[str, Any]


def originals(rows: list[Row], groups: list[int], parts: list[list[str]]) -> Iterator[list[Row]]:
    """Every table that gives the same release: the parts of each group in any order."""
    order = sorted(range(len(rows)), key=lambda i: groups[i])
    per_group = []
    for _, members in groupby(order, key=lambda i: groups[i]):
        inside = [rows[i] for i in members]
        ways = []
        for shuffles in product(*(permutations(inside) for _ in parts[1:])):
            columns = [inside, *shuffles]
            ways.append(
                [
                    {name: each[i][name] for part, each in zip(parts, columns, strict=True) for name in part}
                    for i in range(len(inside))
                ]
            )  # fmt: skip
        per_group.append(ways)
    for chosen in product(*per_group):
        yield [row for group in chosen for row in group]


def present(rows: list[Row], name: str) -> list[Any]:
    return [row[name] for row in rows if row[name] is not None]


AGGREGATES: dict[str, Callable[[list[Row], str], Any]] = {
    "COUNT(*)": lambda rows, _: len(rows),
    "COUNT({})": lambda rows, name: len(present(rows, name)),
    "SUM({})": lambda rows, name: sum(present(rows, name)) if present(rows, name) else None,
    "AVG({})": lambda rows, name: (
        sum(present(rows, name)) / len(present(rows, name)) if present(rows, name) else None
    ),
    "MIN({})": lambda rows, name: min(present(rows, name), default=None),
    "MAX({})": lambda rows, name: max(present(rows, name), default=None),
}
CONDITIONS: list[tuple[str, Callable[[Row], bool]]] = [
    ("a > 0", lambda row: row["a"] is not None and row["a"] > 0),
    ("a > 0 AND b = 'x'", lambda row: (row["a"] or 0) > 0 and row["b"] == "x"),
    ("a <= 1 OR b = 'x'", lambda row: (row["a"] is not None and row["a"] <= 1) or row["b"] == "x"),
    ("pay > 0", lambda row: (row["pay"] or 0) > 0),
    ("a > 0 AND pay <= 2", lambda row: (row["a"] or 0) > 0 and row["pay"] is not None and row["pay"] <= 2),
    ("b = 'x' OR pay IS NULL", lambda row: row["b"] == "x" or row["pay"] is None),
    ("NOT (a > 0 AND pay > 0)", lambda row: (row["a"] is not None and row["a"] <= 0)
        or (row["pay"] is not None and row["pay"] <= 0)),
    ("a IS NOT NULL", lambda row: row["a"] is not None),
]  # fmt: skip
PARTS = {"anatomized": [["a", "b"], ["pay"]], "permuted": [["a"], ["b"], ["pay"]]}
ROLES = {"a": "quasi", "b": {"role": "quasi", "kind": "nominal"}, "pay": "sensitive"}


@pytest.mark.parametrize("shape", sorted(PARTS))
@given(
    rows=st.lists(
        st.tuples(
            st.one_of(st.none(), st.integers(-1, 3)),
            st.sampled_from(["x", "y", None]),
            st.one_of(st.none(), st.integers(-3, 4)),
        ),
        min_size=2,
        max_size=5,
    ),
    split=st.integers(1, 4),
    condition=st.sampled_from(CONDITIONS),
    aggregate=st.sampled_from(sorted(AGGREGATES)),
    name=st.sampled_from(["a", "pay"]),
)
def test_bounds_are_the_ends_of_what_is_possible(shape, rows, split, condition, aggregate, name):
    sql, holds = condition
    table = pl.DataFrame(
        rows, schema={"a": pl.Int64, "b": pl.String, "pay": pl.Int64}, orient="row"
    )
    groups = [0 if i < split else 1 for i in range(len(rows))]
    text = aggregate.format(name)
    release = released(shape, table, ROLES, groups)
    try:
        (row,) = release.query(f"SELECT {text} FROM data WHERE {sql}")
    except UnsupportedQuery:
        # refused only where OR joins the column's part with another
        assert " OR " in sql or "NOT (" in sql
        assert aggregate != "COUNT(*)"
        return
    answer = row[text]
    possible = {
        AGGREGATES[aggregate]([r for r in original if holds(r)], name)
        for original in originals(table.to_dicts(), groups, PARTS[shape])
    }
    assert answer.exact == (len(possible) == 1), (answer, possible)
    ends = possible - {None}
    if not ends:
        assert answer.lower is None
        return
    if aggregate == "SUM({})" and None in possible:
        ends |= {0}  # a sum of nobody counts as 0 in the bounds
    assert (answer.lower, answer.upper) == (min(ends), max(ends)), (answer, possible)
