"""Groups of people of whom the same is predicted."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonagram import Key, Method, Microdata
from anonagram.learning import score_learner
from anonagram.partition import Diversity, Partitioner, Size
from anonagram.prediction.features import Features
from anonagram.prediction.likeness import FOLDS, Likeness, learned_elsewhere

KEY = Key(bytes(32))


def people(rows: int, seed: int = 1) -> Microdata:
    """An illness that age tells to a part, and four wards that tell nothing."""
    rng = np.random.default_rng(seed)
    age = rng.integers(0, 40, rows)
    ill = np.where(rng.random(rows) < 0.35, age // 5, rng.integers(0, 8, rows))
    table = {
        "age": age.tolist(), "ill": [f"d{d}" for d in ill],
        **{f"ward{n}": [f"w{w}" for w in rng.integers(0, 5, rows)] for n in range(4)},
    }  # fmt: skip
    return Microdata.read(table, dict.fromkeys(table, "quasi") | {"ill": "sensitive"})


def groups_of(call: str, data: Microdata, l: int = 2) -> np.ndarray:
    return Partitioner.parse(call).divide(data, Diversity(l), KEY).group_of


def test_a_learner_gains_less_than_from_close_rows():
    data = people(4000)
    right = {}
    for partition in ("alike", "neighbours", "buckets"):
        method = Method.parse(f'anatomy(l=2, partition="{partition}")')
        made = method.publish(data, KEY)
        (scored,) = score_learner(made.release, data, made.mapping["row_in_quasi"].to_numpy())
        right[partition] = scored.right
    assert right["alike"] < right["neighbours"] - 0.03
    assert right["alike"] < right["buckets"] - 0.05


def test_people_of_whom_the_same_is_predicted_share_groups():
    """Alone, likeness keeps the likely illness of a group's people together."""
    data = people(4000)
    likely = data.column("age").codes // 5
    near, like = groups_of("neighbours", data), groups_of("alike(near=0)", data)

    def of_one_kind(group_of: np.ndarray) -> float:
        kinds = np.unique(group_of.astype(np.int64) * 8 + likely).size
        return float((group_of.max() + 1) / kinds)

    assert of_one_kind(like) > of_one_kind(near) + 0.1


def test_with_nearness_alone_groups_are_those_of_neighbours():
    data = people(600)
    two = Microdata(
        [c for c in data.columns if c.name in ("age", "ward0", "ill")], data.rows, data.label
    )
    assert (groups_of("alike(near=1)", two) == groups_of("neighbours", two)).all()


def test_nothing_sensitive_leaves_nearness():
    table = {"age": [1, 5, 2, 6, 1, 5, 2, 6], "sex": ["F", "M"] * 4}
    data = Microdata.read(table, dict.fromkeys(table, "quasi"))
    made = [Partitioner.parse(c).divide(data, Size(2), KEY) for c in ("alike", "neighbours")]
    assert (made[0].group_of == made[1].group_of).all()


@given(st.integers(0, 2**32 - 1))
def test_nobodys_own_value_shapes_what_is_predicted_of_her(seed):
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 3, (40, 2)).astype(np.int32)
    features = Features(codes, np.array([0, 3, 6]))
    classes, fold = rng.integers(0, 4, 40).astype(np.int32), rng.integers(0, FOLDS, 40, np.int8)
    changed, who = classes.copy(), rng.integers(40)
    changed[who] = (changed[who] + 1) % 4
    before = learned_elsewhere(features, classes, 4, fold)
    after = learned_elsewhere(features, changed, 4, fold)
    assert (before[fold[who]] == after[fold[who]]).all()
    others = [f for f in range(FOLDS) if f != fold[who]]
    assert all((before[f] != after[f]).any() for f in others)


def test_logarithms_are_those_of_shares_among_others():
    features = Features(np.array([[0], [1], [0], [0]], np.int32), np.array([0, 2]))
    classes = np.array([0, 0, 1, 0], np.int32)
    found = learned_elsewhere(features, classes, 2, np.array([0, 1, 1, 1], np.int8))
    # the others of the first: class 0 has values 1 and 0, class 1 has a 0; one added to each
    assert found[0] == pytest.approx(np.log([[2 / 4, 2 / 3], [2 / 4, 1 / 3]]), abs=1e-4)


def test_places_are_the_same_everywhere():
    """A digest of whole numbers: where it changes, releases of the same key do too."""
    places = Likeness.of(people(500), KEY).places
    assert places.dtype == np.int64
    assert (
        hashlib.sha256(np.ascontiguousarray(places, "<i8").tobytes()).hexdigest()[:16]
        == "0a28e0595035f171"
    )


def test_values_that_follow_from_nothing_are_told_apart_by_nearness():
    rng = np.random.default_rng(3)
    table = {"age": rng.integers(0, 50, 400).tolist(), "ill": rng.integers(0, 6, 400).tolist()}
    roles = {"age": "quasi", "ill": {"role": "sensitive", "kind": "nominal"}}
    data = Microdata.read(table, roles)
    wide = np.ptp(data.column("age").codes[groups_of("alike(near=0.9)", data) == 3])
    assert wide < 10


@pytest.mark.parametrize("method", ["permutation", "generalize"])
def test_other_methods_take_it_too(method):
    data = people(300)
    release = Method.parse(f'{method}(l=3, partition="alike(near=0.25)")').anonymize(data, KEY)
    assert release.manifest.claims[-1].achieved >= 3


def test_amounts_and_many_values_are_predicted_in_bins():
    rng = np.random.default_rng(4)
    age = rng.integers(0, 50, 2000)
    table = {
        "age": age.tolist(), "pay": (age * 10 + rng.integers(0, 400, 2000)).tolist(),
        "ill": [f"i{i}" for i in rng.zipf(1.3, 2000).clip(max=900)],
    }  # fmt: skip
    data = Microdata.read(table, {"age": "quasi", "pay": "sensitive", "ill": "sensitive"})
    release = Method.parse('anatomy(l=2, partition="alike")').anonymize(data, KEY)
    assert release.manifest.claims[0].achieved >= 2
