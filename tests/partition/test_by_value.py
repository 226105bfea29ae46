"""(k,e) partitioners against slow oracles: the thesis' recurrences, and every partition there is."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from anonagram import Key, Microdata
from anonagram.errors import CannotAnonymize
from anonagram.partition import Partition, Partitioner, Spread

PARTITIONERS = [
    Partitioner.parse(member.example)
    for member in Partitioner.known().values()
    if issubclass(Spread, member.makes)
]
PARTITIONERS += [Partitioner.parse("close_rows(factor=1)")]
PARTITIONERS += [Partitioner.parse("close_rows(factor=7.5)")]
KEY = Key(bytes(32))
INFINITE = 10**9

multisets = st.lists(st.integers(-6, 9), min_size=1, max_size=14)
seeds = st.binary(min_size=32, max_size=32)


@pytest.fixture(scope="module", params=PARTITIONERS, ids=repr)
def partitioner(request: pytest.FixtureRequest) -> Partitioner:
    return request.param


def divide(call: str | Partitioner, k: int, e: float, key: Key = KEY, **sensitive) -> Partition:
    """Partition rows with these sensitive columns and a quasi-identifier of one value a row."""
    rows = len(next(iter(sensitive.values())))
    roles = {"q": "quasi"} | dict.fromkeys(sensitive, "sensitive")
    microdata = Microdata.read({"q": list(range(rows)), **sensitive}, roles)
    method = Partitioner.parse(call) if isinstance(call, str) else call
    return method.divide(microdata, Spread(k, dict.fromkeys(sensitive, e)), key)


def groups_of(partition: Partition, values: list) -> list[list]:
    members = [[] for _ in range(partition.count)]
    for group, value in zip(partition.group_of.tolist(), values, strict=True):
        members[group].append(value)
    return members


def is_good(values: list, k: int, e: float) -> bool:
    values = [value for value in values if value is not None]
    return len(set(values)) >= k and max(values) - min(values) >= e


def span(values: list) -> int:
    return max(values) - min(values)


def is_feasible(values: list, k: int, e: float) -> bool:
    return len(set(values)) >= max(k, 2) and span(values) >= e


# the thesis' recurrences, with f[0] = 0 and sums in place of its misprints


def least_sum(values: list, k: int, e: float) -> tuple[int, int]:
    """The least sum of ranges, and with it the most groups."""
    x = sorted(values)
    best = [(0, 0)]
    for i in range(1, len(x) + 1):
        ways = [
            (best[d - 1][0] + x[i - 1] - x[d - 1], best[d - 1][1] - 1)
            for d in range(1, i + 1)
            if is_good(x[d - 1 : i], k, e)
        ]
        best.append(min(ways, default=(INFINITE, 0)))
    return best[-1][0], -best[-1][1]


def most_groups(values: list, k: int, e: float) -> tuple[int, int]:
    """The most groups of neighbours, and with it the least sum of ranges."""
    x = sorted(values)
    best = [(0, 0)]
    for i in range(1, len(x) + 1):
        ways = [
            (best[d - 1][0] - 1, best[d - 1][1] + x[i - 1] - x[d - 1])
            for d in range(1, i + 1)
            if is_good(x[d - 1 : i], k, e) and best[d - 1][0] < INFINITE
        ]
        best.append(min(ways, default=(INFINITE, 0)))
    return -best[-1][0], best[-1][1]


def least_widest(values: list, k: int, e: float) -> int:
    """The least widest range of groups of neighbours."""
    x = sorted(values)
    best = [0]
    for i in range(1, len(x) + 1):
        ways = [
            max(best[d - 1], x[i - 1] - x[d - 1])
            for d in range(1, i + 1)
            if is_good(x[d - 1 : i], k, e)
        ]
        best.append(min(ways, default=INFINITE))
    return best[-1]


def every_partition(values: list) -> Iterator[list[list]]:
    """All ways to put values into groups."""
    if not values:
        yield []
        return
    first, *rest = values
    for groups in every_partition(rest):
        yield [[first], *groups]
        for place in range(len(groups)):
            yield [*groups[:place], [first, *groups[place]], *groups[place + 1 :]]


@given(values=multisets, k=st.integers(1, 5), e=st.integers(0, 9), seed=seeds)
def test_every_group_is_good(partitioner, values, k, e, seed):
    assume(is_feasible(values, k, e))
    partition = divide(partitioner, k, e, Key(seed), s=values)
    groups = groups_of(partition, values)
    assert sum(map(len, groups)) == len(values)
    assert all(is_good(group, k, e) for group in groups)


@pytest.mark.parametrize(
    "partitioner", [each for each in PARTITIONERS if each.call != "min_max_exact"], ids=repr
)
@given(
    rows=st.lists(
        st.tuples(st.one_of(st.none(), st.integers(0, 9)), st.one_of(st.none(), st.integers(0, 5))),
        min_size=2,
        max_size=40,
    ),
    k=st.integers(1, 4),
    e=st.integers(0, 4),
)
def test_missing_values_count_for_nothing_and_every_column_is_good(partitioner, rows, k, e):
    first, second = (list(column) for column in zip(*rows, strict=True))
    present = [[v for v in column if v is not None] for column in (first, second)]
    assume(all(column and is_feasible(column, k, e) for column in present))
    together = [t for s, t in rows if s is not None and t is not None]
    partition = divide(partitioner, k, e, s=first, t=second)
    # those that sort rows by the first column: where rows that have it lack the second's values, all
    # rows stay together
    sorts = partitioner.call not in ("random", "ncp_split", "neighbours", "alike")
    if sorts and not (together and is_good(together, k, e)):
        assert partition.count == 1
    for column in (first, second):
        assert all(is_good(group, k, e) for group in groups_of(partition, column))


@given(
    values=st.lists(st.integers(0, 30), min_size=2, max_size=40),
    k=st.integers(1, 6),
    e=st.integers(0, 12),
)
def test_sweeps_agree_with_the_recurrences(values, k, e):
    assume(is_feasible(values, k, e))
    found = {
        call: groups_of(divide(call, k, e, s=values), values)
        for call in ("min_sum()", "max_groups()", "min_max()")
    }
    sums = {call: sum(map(span, groups)) for call, groups in found.items()}
    assert (sums["min_sum()"], len(found["min_sum()"])) == least_sum(values, k, e)
    assert (len(found["max_groups()"]), sums["max_groups()"]) == most_groups(values, k, e)
    assert max(map(span, found["min_max()"])) == least_widest(values, k, e)


@given(
    values=st.lists(st.integers(0, 9), min_size=2, max_size=8),
    k=st.integers(1, 4),
    e=st.integers(0, 6),
)
def test_least_sum_and_least_widest_of_all_partitions(values, k, e):
    """Lemma 2.6.1 (no better sum with overlapping groups), Lemma 2.6.2 and Theorem 4."""
    assume(is_feasible(values, k, e))
    good = [
        [span(group) for group in groups]
        for groups in every_partition(values)
        if all(is_good(group, k, e) for group in groups)
    ]
    by_sum = groups_of(divide("min_sum()", k, e, s=values), values)
    assert sum(map(span, by_sum)) == min(map(sum, good))
    exact = max(map(span, groups_of(divide("min_max_exact()", k, e, s=values), values)))
    assert exact == min(map(max, good))
    apart = max(map(span, groups_of(divide("min_max()", k, e, s=values), values)))
    assert exact <= apart <= 2 * exact


@given(
    values=st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=40),
    k=st.integers(1, 4),
    e=st.floats(0, 1e5),
)
def test_floats(partitioner, values, k, e):
    assume(is_feasible(values, k, e))
    groups = groups_of(divide(partitioner, k, e, s=values), values)
    assert all(is_good(group, k, e) for group in groups)
    exact = [Fraction(value) for value in values]
    found = sum(span([Fraction(v) for v in group]) for group in groups)
    if partitioner.call == "min_sum":
        # which windows are good is decided by floats, as the model does
        best = [Fraction(0)]
        x = sorted(exact)
        for i in range(1, len(x) + 1):
            ways = [
                best[d - 1] + x[i - 1] - x[d - 1]
                for d in range(1, i + 1)
                if is_good([float(v) for v in x[d - 1 : i]], k, e)
            ]
            best.append(min(ways, default=Fraction(10**30)))
        assert float(found) == pytest.approx(float(best[-1]), rel=1e-9, abs=1e-6)


def test_thesis_example_where_the_best_groups_overlap():
    values = [1, 2, 3, 5, 5, 6, 6, 8]
    groups = groups_of(divide("min_max_exact()", 4, 5, s=values), values)
    assert sorted(map(sorted, groups)) == [[1, 2, 5, 6], [3, 5, 6, 8]]
    assert max(map(span, groups_of(divide("min_max()", 4, 5, s=values), values))) == 7


def test_equal_values_may_fall_on_both_sides_of_a_border():
    values = [1, 2, 2, 3]
    assert len(groups_of(divide("min_sum()", 2, 1, s=values), values)) == 2


@given(
    values=st.lists(st.integers(0, 40), min_size=8, max_size=60),
    k=st.integers(2, 4),
    factor=st.sampled_from([1, 1.5, 2, 3, 10]),
)
def test_close_rows_stays_within_its_factor(values, k, factor):
    assume(is_feasible(values, k, 3))
    best = sum(map(span, groups_of(divide("min_sum()", k, 3, s=values), values)))
    groups = groups_of(divide(f"close_rows(factor={factor})", k, 3, s=values), values)
    assert sum(map(span, groups)) <= factor * best


def test_close_rows_puts_neighbours_together():
    """All values in every age: with room for it, groups become groups of one age."""
    ages = [age for age in (20, 40, 60, 80) for _ in range(5)]
    values = [0, 1, 2, 3, 4] * 4
    microdata = Microdata.read({"age": ages, "s": values}, {"age": "quasi", "s": "sensitive"})
    partition = Partitioner.parse("close_rows(factor=4)").divide(
        microdata, Spread(5, {"s": 4}), KEY
    )
    assert [set(group) for group in groups_of(partition, ages)] == [{20}, {40}, {60}, {80}]


TYPES = {
    "Date": ([date(2024, 1, day) for day in (1, 2, 3, 10, 11, 12)], 2, 3),
    "Datetime": ([datetime(2024, 1, 1, hour) for hour in (1, 2, 3, 10, 11, 12)], 7200, 7201),
    "Duration": ([timedelta(minutes=m) for m in (1, 2, 3, 10, 11, 12)], 120, 120.5),
    "Decimal": ([Decimal(v) / 10 for v in (1, 2, 3, 10, 11, 12)], 0.2, 0.21),
    "Int128": (pl.Series([2**70 + v for v in (1, 2, 3, 10, 11, 12)], dtype=pl.Int128), 2, 2.5),
    "Float32": (pl.Series([1, 2, 3, 10, 11, 12], dtype=pl.Float32), 2, 2.5),
    "UInt64": (pl.Series([2**63 + v for v in (1, 2, 3, 10, 11, 12)], dtype=pl.UInt64), 2, 3),
}  # fmt: skip


@pytest.mark.parametrize("name", TYPES)
def test_e_is_in_the_unit_of_the_column(name):
    """The first two groups of three fit exactly; a little more, and only one group is left."""
    values, fits, does_not = TYPES[name]
    assert divide("min_sum()", 3, fits, s=values).count == 2
    assert divide("min_sum()", 3, does_not, s=values).count == 1


@pytest.mark.parametrize(
    ("values", "k", "e", "what", "remedy"),
    [
        ([1, 1, 2, 5], 4, 0, "s has 3 different values", "k = 3 is the largest"),
        ([1, 1, 2, 5], 2, 4.5, "within 4 of each other, from 1 to 5", "e = 4 is the largest"),
        ([date(2024, 1, 1), date(2024, 1, 9)], 1, 9, "within 8 days", "e = 8 is the largest"),
        ([timedelta(seconds=1), timedelta(seconds=3)], 1, 9, "within 2 seconds", "e = 2 is"),
        (["a", "b", "c", "d"], 2, 1, "needs numbers, dates or durations; s is nominal", "anatomy"),
        (pl.Series([0, 2**100], dtype=pl.Int128), 1, 1, "2^62 steps", "round"),
    ],
)  # fmt: skip
def test_what_cannot_be_done_says_what_can(partitioner, values, k, e, what, remedy):
    with pytest.raises(CannotAnonymize) as refusal:
        divide(partitioner, k, e, s=values)
    assert what in refusal.value.what
    assert remedy in refusal.value.remedy


def test_exact_is_for_small_tables_and_one_column():
    with pytest.raises(CannotAnonymize, match="at most 200 rows"):
        divide("min_max_exact()", 2, 1, s=list(range(201)))
    with pytest.raises(CannotAnonymize, match="one sensitive column"):
        divide("min_max_exact()", 2, 1, s=[1, 2, 3], t=[1, 2, 3])
    assert divide("min_max_exact()", 10, 10, s=[v % 97 for v in range(200)]).count > 1
    with pytest.raises(CannotAnonymize, match="gives up after"):
        divide("min_max_exact()", 20, 40, s=list(range(200)))


def test_exact_keeps_small_groups_where_overlapping_gains_nothing():
    assert divide("min_max_exact()", 1, 0, s=[1, 1, 2, 3]).count == 4


@pytest.mark.parametrize("largest", [1e308, 1.7e308])
def test_huge_floats(partitioner, largest):
    values = [largest, -largest, 0.0, 1.0, 2.0, 3.0]
    assert divide(partitioner, 2, 1, s=values).count >= 1


def test_equal_rows_are_told_apart_by_chance(partitioner):
    """Which of two people with one value is in the group of the lowest value: half and half."""
    met = 0
    data = Microdata.read(
        {"q": list(range(4)), "s": [1, 2, 2, 3]}, {"q": "quasi", "s": "sensitive"}
    )
    for seed in range(300):
        key = Key(seed.to_bytes(32, "big"))
        group_of = partitioner.divide(data, Spread(2, {"s": 1}), key).group_of
        met += group_of[0] == group_of[1]
    if partitioner.call == "random":
        assert 60 < met < 240  # not always two groups
    elif partitioner.call not in ("close_rows", "ncp_split", "neighbours", "alike"):
        # in those the quasi-identifier, which tells them apart, may decide
        assert 98 < met < 202  # six standard deviations


def test_many_rows_with_ties(partitioner):
    rows = 200 if partitioner.call == "min_max_exact" else 20_000
    values = np.random.default_rng(0).zipf(1.5, rows).clip(max=500).tolist()
    groups = groups_of(divide(partitioner, 5, 20, s=values), values)
    assert all(is_good(group, 5, 20) for group in groups)
