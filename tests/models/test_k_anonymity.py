"""k-anonymity is about people who look alike in what is published, on every shape."""

from __future__ import annotations

from collections import Counter

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonagram import KAnonymity, Key, Method, Microdata

KEY = Key(bytes(32))
ROLES = {"age": "quasi", "sex": "quasi", "disease": "sensitive"}


def made(method: str, table: dict[str, list[object]]):
    return Method.parse(method).anonymize(Microdata.read(table, ROLES), KEY)


def hospital(rows: int, ages: int) -> dict[str, list[object]]:
    return {
        "age": [20 + i * 7 % ages for i in range(rows)],
        "sex": ["FM"[i % 2] for i in range(rows)],
        "disease": [f"d{i % 5}" for i in range(rows)],
    }


@pytest.mark.parametrize("partition", ["buckets", "neighbours"])
def test_exact_rows_that_are_all_unique_are_not_4_anonymous(partition):
    release = made(f'anatomy(l=4, partition="{partition}")', hospital(200, 200))
    finding = KAnonymity(k=4).check(release)
    assert (finding.holds, finding.achieved, finding.violating_rows) == (False, 1, 200)
    assert "What this release promises is l_diversity(l=4)." in finding.note


@given(
    rows=st.lists(st.tuples(st.integers(0, 3), st.sampled_from("FM")), min_size=8, max_size=60),
    k=st.integers(1, 8),
)
def test_exact_rows_are_counted_as_they_stand(rows, k):
    table = {
        "age": [age for age, _ in rows] + [0, 1],
        "sex": [sex for _, sex in rows] + ["F", "M"],
        "disease": [i % 4 for i in range(len(rows) + 2)],
    }
    release = made("anatomy(l=2)", table)
    counts = Counter(zip(table["age"], table["sex"], strict=True))
    finding = KAnonymity(k=k).check(release)
    assert finding.achieved == min(counts.values())
    assert finding.holds == (min(counts.values()) >= k)
    assert finding.violating_rows == sum(n for n in counts.values() if n < k)


def test_a_generalized_group_looks_alike():
    release = made("generalize(l=4)", hospital(200, 50))
    finding = KAnonymity(k=4).check(release)
    assert finding.holds
    assert finding.achieved == release.groups["rows"].min()
    assert finding.note == ""


def test_a_permuted_group_is_what_an_outsider_can_find():
    release = made("permutation(l=4)", hospital(200, 50))
    finding = KAnonymity(k=4).check(release)
    assert finding.achieved == release.quasi.group_by("group").agg(pl.len())["len"].min()
    assert "No row is anybody's" in finding.note
