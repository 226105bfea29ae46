"""Bounds are sound and tight: every rearrangement of a tiny release, tried one by one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import combinations, groupby, permutations, product
from math import ceil, floor
from statistics import median
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

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


def discrete(values: list[int], share: Fraction) -> int | None:
    """The least value that so large a share of all is not above."""
    return sorted(values)[max(1, ceil(len(values) * share)) - 1] if values else None


AGGREGATES: dict[str, Callable[[list[Row], str], Any]] = {
    "COUNT(*)": lambda rows, _: len(rows),
    "COUNT({})": lambda rows, name: len(present(rows, name)),
    "SUM({})": lambda rows, name: sum(present(rows, name)) if present(rows, name) else None,
    "AVG({})": lambda rows, name: (
        sum(present(rows, name)) / len(present(rows, name)) if present(rows, name) else None
    ),
    "MIN({})": lambda rows, name: min(present(rows, name), default=None),
    "MAX({})": lambda rows, name: max(present(rows, name), default=None),
    "QUANTILE_DISC({}, 0.3)": lambda rows, name: discrete(present(rows, name), Fraction(3, 10)),
    "QUANTILE_DISC({}, 0.5)": lambda rows, name: discrete(present(rows, name), Fraction(1, 2)),
    "MEDIAN({})": lambda rows, name: median(present(rows, name)) if present(rows, name) else None,
    "COUNT(DISTINCT {})": lambda rows, name: len(set(present(rows, name))),
}
LOOSE = {"MEDIAN({})", "COUNT(DISTINCT {})"}
"""Not always tight: where the number of hits is not known, or over several groups."""
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
    (row,) = release.query(f"SELECT {text} FROM data WHERE {sql}")
    answer = row[text]
    possible = {
        AGGREGATES[aggregate]([r for r in original if holds(r)], name)
        for original in originals(table.to_dicts(), groups, PARTS[shape])
    }
    # where OR joins the column's part with another, hits are bounded and their values are not
    is_tight = aggregate == "COUNT(*)" or not (
        aggregate in LOOSE or " OR " in sql or "NOT (" in sql
    )
    assert not answer.exact or len(possible) == 1, (answer, possible)
    assert answer.exact or len(possible) > 1 or not is_tight, (answer, possible)
    ends = possible - {None}
    if not ends:
        assert answer.lower is None or not is_tight
        return
    if aggregate == "SUM({})" and None in possible:
        ends |= {0}  # a sum of nobody counts as 0 in the bounds
    assert answer.lower <= min(ends) <= max(ends) <= answer.upper, (answer, possible)
    if is_tight:
        assert (answer.lower, answer.upper) == (min(ends), max(ends)), (answer, possible)


@given(
    values=st.lists(st.tuples(st.integers(-1, 3), st.integers(-3, 4)), min_size=2, max_size=5),
    limit=st.integers(-1, 3),
    share=st.sampled_from(["0.1", "0.25", "0.3", "0.5", "0.75", "0.9", "1.0"]),
)
def test_quantiles_are_tight_where_hits_are_known(values, limit, share):
    """In one group, of so many hits: all ways to choose their values."""
    table = pl.DataFrame(values, schema={"a": pl.Int64, "pay": pl.Int64}, orient="row")
    release = released("anatomized", table, {"a": "quasi", "pay": "sensitive"}, [0] * len(values))
    text = f"QUANTILE_CONT(pay, {share})"
    (row,) = release.query(f"SELECT {text}, COUNT(DISTINCT pay) FROM data WHERE a <= {limit}")
    hits = sum(a <= limit for a, _ in values)
    if not hits:
        assert row[text].lower is None
        return
    worlds = list(combinations([pay for _, pay in values], hits))
    possible = [continuous(sorted(world), float(share)) for world in worlds]
    assert row[text].lower == pytest.approx(min(possible), abs=1e-12)
    assert row[text].upper == pytest.approx(max(possible), abs=1e-12)
    assert row[text].lower <= min(possible) <= max(possible) <= row[text].upper
    different = {len(set(world)) for world in worlds}
    answer = row["COUNT(DISTINCT pay)"]
    assert (answer.lower, answer.upper) == (min(different), max(different))


def continuous(values: list[int], share: float) -> float:
    """Between two values, as far as the share goes."""
    place = (len(values) - 1) * share
    low, high = values[floor(place)], values[ceil(place)]
    return low * (1 - (place - floor(place))) + high * (place - floor(place))
