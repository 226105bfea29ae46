from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from anonagram import Key, Microdata
from anonagram.errors import CannotAnonymize
from anonagram.partition import anatomy_buckets


def column_of(values: list[object]):
    table = {"q": list(range(len(values))), "s": values}
    return Microdata.read(table, {"q": "quasi", "s": "sensitive"}).column("s")


@given(
    values=st.lists(st.integers(0, 7), min_size=4, max_size=80),
    l=st.integers(2, 5),
    seed=st.binary(min_size=32, max_size=32),
)
def test_every_value_at_most_once_in_a_group(values, l, seed):
    assume(len(set(values)) > 1 and max(Counter(values).values()) * l <= len(values))
    partition = anatomy_buckets(column_of(values), l, Key(seed))
    assert partition.count == len(values) // l
    assert partition.group_of.min() == 0
    for group in range(partition.count):
        members = [value for value, g in zip(values, partition.group_of, strict=True) if g == group]
        assert l <= len(members) <= 2 * l - 1
        assert len(set(members)) == len(members)


def test_boundary_case_is_feasible():
    """Theorem 3 allows a value in exactly 1/l of the rows; Algorithm 1 as printed would refuse."""
    partition = anatomy_buckets(column_of(["a", "a", "b", "c"]), 2, Key(bytes(32)))
    assert partition.sizes.tolist() == [2, 2]


def test_refusal_names_value_share_and_largest_l():
    with pytest.raises(CannotAnonymize) as refusal:
        anatomy_buckets(
            column_of(["flu"] * 3 + ["cut", "burn", "ulcer", "cold"]), 4, Key(bytes(32))
        )
    assert "'flu' is in 3 of 7 rows (42.9%)" in refusal.value.what
    assert "l = 2 is the largest" in refusal.value.remedy


def test_missing_values_count_as_a_value():
    with pytest.raises(CannotAnonymize, match="missing"):
        anatomy_buckets(column_of([None, None, None, "a", "b"]), 2, Key(bytes(32)))


def test_rows_of_a_bucket_are_taken_at_random():
    """Each of the two 'a' rows meets 'b' about half of the time."""
    column = column_of(["a", "a", "b", "c"])
    met = 0
    for seed in range(400):
        group_of = anatomy_buckets(column, 2, Key(seed.to_bytes(32, "big"))).group_of
        met += group_of[0] == group_of[2]
    assert 140 < met < 260  # six standard deviations


def test_residual_rows_go_to_any_group_that_lacks_their_value():
    """Seven values, l = 3: two groups and one residual row that may join either."""
    column = column_of(list(range(7)))
    larger = Counter()
    for seed in range(400):
        partition = anatomy_buckets(column, 3, Key(seed.to_bytes(32, "big")))
        larger[int(np.argmax(partition.sizes))] += 1
    assert min(larger.values()) > 140


def test_many_values_and_large_groups():
    random = np.random.default_rng(0)
    values = random.zipf(1.6, 20_000).clip(max=3000).tolist()
    column = column_of(values)
    l = len(values) // int(column.counts.max())
    partition = anatomy_buckets(column, l, Key(bytes(32)))
    pairs = set(zip(partition.group_of.tolist(), values, strict=True))
    assert len(pairs) == len(values)
