"""What every way of making groups must do; a new one is picked up by itself."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from anonagram import Key, Microdata
from anonagram.errors import CannotAnonymize
from anonagram.partition import Diversity, Partition, Partitioner, Size

PARTITIONERS = [
    Partitioner.parse(member.example)
    for member in Partitioner.known().values()
    if issubclass(Diversity, member.makes)
]
# small leaves cut further, where constraints bind hardest
PARTITIONERS.append(Partitioner.parse("neighbours(leaf=2)"))

seeds = st.binary(min_size=32, max_size=32)


@pytest.fixture(scope="module", params=PARTITIONERS, ids=repr)
def partitioner(request: pytest.FixtureRequest) -> Partitioner:
    return request.param


def table_of(quasi: dict[str, list[object]], **sensitive: list[object]) -> Microdata:
    rows = len(next(iter(quasi.values())))
    columns = {**quasi, "row": list(range(rows)), **sensitive}
    roles = dict.fromkeys([*quasi, "row"], "quasi") | dict.fromkeys(sensitive, "sensitive")
    roles |= {name: "plain" for name, values in quasi.items() if len(set(values)) == 1}
    return Microdata.read(columns, roles)


def is_diverse(values: list[object], l: int) -> bool:
    return max(Counter(values).values()) * l <= len(values)


def members(partition: Partition, values: list[object]) -> list[list[object]]:
    found: list[list[object]] = [[] for _ in range(partition.count)]
    for group, value in zip(partition.group_of.tolist(), values, strict=True):
        found[group].append(value)
    return found


mixed = st.lists(
    st.tuples(
        st.integers(0, 7),  # sensitive
        st.one_of(st.none(), st.floats(-9, 9)),  # numeric with missing values
        st.sampled_from(["x", "y", "z", None]),  # nominal
    ),
    min_size=4,
    max_size=120,
)


@given(rows=mixed, l=st.integers(2, 6), seed=seeds)
def test_every_group_is_diverse_and_small(partitioner, rows, l, seed):
    values, numbers, words = (list(column) for column in zip(*rows, strict=True))
    assume(len(set(values)) > 1 and is_diverse(values, l))
    partition = partitioner.divide(
        table_of({"a": numbers, "b": words}, s=values), Diversity(l), Key(seed)
    )
    groups = members(partition, values)
    assert sum(map(len, groups)) == len(rows)
    for group in groups:
        assert l <= len(group) < 2 * l
        assert len(set(group)) == len(group)  # fewer than 2l rows: a value fits once


@given(rows=mixed, l=st.integers(2, 5), seed=seeds)
def test_several_sensitive_columns_are_all_diverse(partitioner, rows, l, seed):
    values, numbers, words = (list(column) for column in zip(*rows, strict=True))
    others = [v * 3 % 5 for v in values]
    assume(len(set(values)) > 1 and len(set(others)) > 1 and len(set(words)) > 1)
    # the largest l that all three allow, so that few draws are wasted
    most = max(max(Counter(column).values()) for column in (values, others, words))
    l = min(l, len(rows) // most)
    assume(l >= 2)
    microdata = table_of({"a": numbers}, s=values, t=others, u=words)
    partition = partitioner.divide(microdata, Diversity(l), Key(seed))
    for column in (values, others, words):
        assert all(is_diverse(group, l) for group in members(partition, column))


@given(rows=mixed, l=st.integers(2, 6), seed=seeds)
def test_without_a_sensitive_column_groups_have_l_rows(partitioner, rows, l, seed):
    assume(len(rows) >= l)
    numbers = [number for _, number, _ in rows]
    for requirement in (Diversity(l), Size(l)):
        partition = partitioner.divide(table_of({"a": numbers}), requirement, Key(seed))
        assert partition.sizes.min() >= l
        assert partition.sizes.max() < 2 * l


def test_boundary_case_is_feasible(partitioner):
    """Theorem 3 allows a value in exactly 1/l of the rows; Algorithm 1 as printed would refuse."""
    microdata = table_of({"a": [1, 2, 3, 4]}, s=["a", "a", "b", "c"])
    assert partitioner.divide(microdata, Diversity(2), Key(bytes(32))).sizes.tolist() == [2, 2]


def test_refusal_names_value_share_and_largest_l(partitioner):
    microdata = table_of({"a": list(range(7))}, s=["flu"] * 3 + ["cut", "burn", "ulcer", "cold"])
    with pytest.raises(CannotAnonymize) as refusal:
        partitioner.divide(microdata, Diversity(4), Key(bytes(32)))
    assert "'flu' is in 3 of 7 rows (42.9%)" in refusal.value.what
    assert "l = 2 is the largest" in refusal.value.remedy


def test_missing_values_count_as_a_value(partitioner):
    with pytest.raises(CannotAnonymize, match="missing"):
        partitioner.divide(
            table_of({"a": [1, 2, 3, 4, 5]}, s=[None, None, None, "a", "b"]),
            Diversity(2),
            Key(bytes(32)),
        )


def test_too_few_rows_are_refused(partitioner):
    with pytest.raises(CannotAnonymize, match="a group needs 9"):
        partitioner.divide(table_of({"a": [1, 2, 3]}), Diversity(9), Key(bytes(32)))


def test_equal_rows_are_told_apart_by_chance(partitioner):
    """All rows alike but for the sensitive value: each 'a' meets the first 'b' equally often."""
    microdata = Microdata.read(
        {"q": [1, 1, 1, 1, 1, 2], "s": ["a", "a", "b", "b", "c", "c"]},
        {"q": "quasi", "s": "sensitive"},
    )
    met = Counter()
    for seed in range(400):
        group_of = partitioner.divide(
            microdata, Diversity(3), Key(seed.to_bytes(32, "big"))
        ).group_of
        met[int(group_of[0] == group_of[2])] += 1
    assert min(met.values()) > 140  # six standard deviations from half


def test_skewed_data_with_many_values_and_large_l(partitioner):
    random = np.random.default_rng(0)
    values = random.zipf(1.6, 20_000).clip(max=3000).tolist()
    quasi = {
        "a": random.exponential(9, 20_000).round(3).tolist(),
        "b": random.integers(0, 3, 20_000).tolist(),
    }
    microdata = table_of(quasi, s=values)
    l = len(values) // int(microdata.column("s").counts.max())
    partition = partitioner.divide(microdata, Diversity(l), Key(bytes(32)))
    pairs = set(zip(partition.group_of.tolist(), values, strict=True))
    assert len(pairs) == len(values)
    assert partition.sizes.min() >= l
