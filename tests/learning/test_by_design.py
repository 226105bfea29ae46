"""Intervals where rows of a value are in groups by chance: against all draws, and against the truth."""

from __future__ import annotations

from itertools import permutations, product

import numpy as np
import polars as pl
import pytest
from scipy.sparse import csr_array

from anonagram import Key, Method, Microdata
from anonagram.learning import ByDesign
from tests.tables import anatomized

KEY = Key(bytes(32))
ROLES = {"age": "quasi", "sex": "quasi", "ill": "sensitive"}


def table(rows: int, seed: int = 2) -> pl.DataFrame:
    """Illness depends on age, and illnesses are of very different frequency."""
    rng = np.random.default_rng(seed)
    age = rng.integers(0, 8, rows)
    ill = np.where(rng.random(rows) < 0.6, age, rng.binomial(7, 0.3, rows))
    sex = np.where(rng.random(rows) < 0.1 + 0.1 * age, "F", "M")
    return pl.DataFrame({"age": age, "sex": sex, "ill": [f"d{i}" for i in ill]})


def release_of(frame: pl.DataFrame, partition: str, **more):
    data = Microdata.read(frame, ROLES)
    return Method.parse(f'anatomy(l=3, partition="{partition}")').publish(data, KEY, **more).release


def test_over_all_draws_it_is_right_on_average_and_knows_how_far_it_is_off():
    """Every way to put the rows of each value into the groups that have it."""
    groups = ["ab", "ac", "bc", "ab"]
    design = design_of(groups, "abc")
    meets = {"a": (1, 0, 0), "b": (1, 1, 0), "c": (0, 1)}
    weights = design.counts @ (design.inverse @ (design.totals * np.array([0, 1, 0])))
    found = []
    for drawn in product(*(permutations(meets[v]) for v in "abc")):
        hits, left = np.zeros(4), {v: list(each) for v, each in zip("abc", drawn, strict=True)}
        for number, group in enumerate(groups):
            hits[number] = sum(left[v].pop() for v in group)
        found.append(weights @ hits)
    assert np.mean(found) == pytest.approx(sum(meets["b"]))
    shares = np.array([np.mean(meets[v]) for v in "abc"])
    assert design._variance(weights, shares) == pytest.approx(np.var(found))


@pytest.mark.parametrize("seed", [1, 2])
def test_so_many_intervals_hold_the_truth(seed):
    frame = table(4000, seed)
    release = release_of(frame, "buckets")
    design = ByDesign.of(release)
    group, counted = release.quasi["group"].to_numpy() - 1, release.sensitive_counts()["ill"]
    held, narrower = [], []
    for age, sex, ill in product(range(8), "FM", [f"d{i}" for i in range(8)]):
        truth = frame.filter(pl.struct("age", "sex", "ill") == {"age": age, "sex": sex, "ill": ill})
        people = ((release.quasi["age"] == age) & (release.quasi["sex"] == sex)).to_numpy()
        hits = np.bincount(group[people], minlength=design.counts.shape[0]).astype(float)
        there = counted.filter(value=ill)["group"].to_numpy() - 1
        values = np.bincount(there, minlength=hits.size).astype(float)
        low, high = design.interval(hits, values)
        held.append(low <= truth.height <= high)
        narrower.append(high - low < np.minimum(hits, values).sum())
    assert 0.9 <= np.mean(held) <= 1
    assert np.mean(narrower) > 0.5


@pytest.mark.parametrize("partition", ["neighbours", "alike", "ncp_split"])
def test_rules_that_look_at_people_have_none(partition):
    assert ByDesign.of(release_of(table(300), partition)) is None


def test_a_release_made_block_by_block_has_none():
    """Its blocks are of close people, and nothing else says so."""
    assert ByDesign.of(release_of(table(3000), "buckets", block=1000)) is None


def test_several_sensitive_columns_and_unknown_rules_have_none():
    frame = table(300).with_columns(other=pl.Series([f"o{i % 5}" for i in range(300)]))
    data = Microdata.read(frame, ROLES | {"other": "sensitive"})
    release = Method.parse('anatomy(l=2, partition="buckets")').anonymize(data, KEY)
    assert ByDesign.of(release) is None
    assert ByDesign.of(anatomized([1, 1], ["a", "b"])) is None


def design_of(groups: list[str], values: str) -> ByDesign:
    counts = np.array([[group.count(v) for v in values] for group in groups], float)
    squares = counts.T @ counts
    return ByDesign(
        csr_array(counts), counts.sum(axis=0), squares, np.linalg.pinv(squares, rcond=1e-9)
    )


def test_values_that_always_stand_together_are_not_told_apart():
    design = design_of(["ab", "ac", "bc", "de"], "abcde")
    hits = np.array([1.0, 1.0, 0.0, 1.0])
    assert design.interval(hits, np.array([0.0, 0.0, 0.0, 1.0])) is None
    low, high = design.interval(hits, np.array([0.0, 0.0, 0.0, 2.0]))
    assert low <= 1 <= high
    assert design.interval(hits, np.array([1.0, 1.0, 0.0, 0.0])) is not None
