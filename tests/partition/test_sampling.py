"""The rows that cuts are chosen from."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonagram.partition import sampling
from anonagram.partition.equal_rows import Contents, places_among_equals
from anonagram.partition.sampling import ALL, WHOLE, Draw, looked_at

SECRET = np.array([5, -6], np.int32)
LEAST = 1 << 10


@pytest.fixture
def small_sample(monkeypatch):
    monkeypatch.setattr(sampling, "SAMPLE", LEAST)


rows = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2**31 - 1)), max_size=40)


@given(rows, st.integers(1, 5))
def test_equal_rows_are_counted_whatever_the_parts(given_rows, parts):
    codes = np.array(given_rows, np.int32).reshape(-1, 2)
    counted = Contents.together([Contents.of(each) for each in np.array_split(codes, parts)])
    expected = {row: given_rows.count(row) for row in given_rows}
    found = zip(map(tuple, counted.codes.tolist()), counted.times.tolist(), strict=True)
    assert dict(found) == expected
    assert counted.times.size == len(expected)
    places = places_among_equals(codes).tolist()
    assert places == [given_rows[:n].count(row) for n, row in enumerate(given_rows)]


def people(kinds: int, alike: int) -> np.ndarray:
    """So many different rows, each so often."""
    return np.repeat(np.arange(2 * kinds, dtype=np.int32).reshape(-1, 2), alike, axis=0)


def drawn(codes: np.ndarray, most: int) -> tuple[np.ndarray, list[Draw]]:
    draws: list[Draw] = []

    def draw(which: Draw) -> Contents:
        draws.append(which)
        return which.kept(which.among(codes))

    return looked_at(SECRET, len(codes), most, draw), draws


def test_a_small_table_is_looked_at_as_a_whole():
    codes = people(10, 30)
    sample, draws = drawn(codes, 50)
    assert sorted(sample.tolist()) == codes.tolist()
    assert len(draws) == 1


@pytest.mark.usefixtures("small_sample")
@pytest.mark.parametrize("alike", [1, 4, 50, 1000])
def test_about_as_many_rows_are_looked_at_however_many_are_alike(alike):
    codes = people(40_000 // alike, alike)
    sample, draws = drawn(codes, len(codes) // 4)
    assert abs(len(sample) - LEAST) < LEAST / 4
    assert (len(draws) > 1) == (alike > 4)  # 4 of the 256 of a block are few
    for one, other in pairwise(draws):
        assert other.limit * other.share == pytest.approx(one.limit * one.share, rel=1e-6)


@pytest.mark.usefixtures("small_sample")
def test_of_many_equal_rows_their_share_is_looked_at():
    # half of the people are alike, and the other half differ: a plain sample has all of them or none
    codes = np.concatenate([people(1, 20_000), people(20_000, 1) + 7])
    for secret in range(8):
        which = Draw.of(np.array([secret, 1], np.int32), len(codes)).wider(100)
        assert which.limit == ALL
        kept = which.kept(which.among(codes))
        assert kept.times.max() in (LEAST // 2 - 1, LEAST // 2, LEAST // 2 + 1)


@pytest.mark.usefixtures("small_sample")
def test_different_people_are_looked_at_where_many_are_alike():
    codes = people(200, 200)
    sample, draws = drawn(codes, len(codes) // 4)
    first = draws[0].among(codes).times.size
    assert len(np.unique(sample, axis=0)) > 10 * max(first, 1) > 0
    assert draws[0].share == WHOLE > draws[1].share


@pytest.mark.usefixtures("small_sample")
def test_the_order_of_rows_and_their_parts_do_not_matter():
    codes = np.random.default_rng(1).integers(0, 9, (20_000, 3)).astype(np.int32)
    mixed = np.random.default_rng(2).permutation(codes)
    which = Draw.of(SECRET, len(codes)).wider(3)
    parts = [which.among(each) for each in np.array_split(mixed, 7)]
    one, other = which.kept(which.among(codes)), which.kept(Contents.together(parts))
    assert one.codes.tolist() == other.codes.tolist()
    assert one.times.tolist() == other.times.tolist()
    assert one.times.sum() > 0
