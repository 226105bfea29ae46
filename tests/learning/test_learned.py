"""What is learned from a release, against all matchings enumerated and against the truth."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonagram import Key, Method, Microdata
from anonagram.errors import CallError
from anonagram.kernels.learn import match_groups, scale_group
from anonagram.kernels.states import find_steps, no_steps, sum_matchings
from anonagram.learning import (
    LEARNERS,
    Apart,
    guess_released,
    learn,
    learn_all,
    predict_others,
    score_apart,
    score_learner,
)

KEY = Key(bytes(32))


def enumerated(weights: np.ndarray, values: list[int]) -> np.ndarray:
    """The chance of each value for each row over all ways to hand the values out."""
    chances = np.zeros(weights.shape)
    for way in permutations(values):
        weight = np.prod([weights[row, value] for row, value in enumerate(way)])
        for row, value in enumerate(way):
            chances[row, value] += weight
    return chances / chances.sum(axis=1, keepdims=True)


@given(st.data())
def test_small_groups_are_summed_over_all_matchings(data):
    counts = data.draw(
        st.lists(st.integers(1, 3), min_size=1, max_size=4).filter(lambda c: sum(c) <= 6)
    )
    values = [v for v, count in enumerate(counts) for _ in range(count)]
    weights = np.array(
        data.draw(
            st.lists(
                st.lists(st.floats(0.01, 1), min_size=len(counts), max_size=len(counts)),
                min_size=len(values), max_size=len(values),
            )
        )
    )  # fmt: skip
    block = np.concatenate([[7.0], weights.ravel()])
    steps = no_steps()
    if data.draw(st.booleans()):  # steps of another group do not stay
        find_steps(steps, 2, np.array([2.0, 1.0]), 0, 1024)
    ways = find_steps(steps, len(counts), np.array([0.0, *counts]), 1, 1024)
    assert ways == np.prod([count + 1 for count in counts])
    sum_matchings(block, 1, weights.size, steps, ways)
    assert block[0] == 7.0
    assert block[1:].reshape(weights.shape) == pytest.approx(enumerated(weights, values), abs=1e-9)


@given(st.integers(2, 12), st.integers(0, 2**32 - 1))
def test_scaled_groups_fit_rows_and_counts(rows, seed):
    rng = np.random.default_rng(seed)
    counts = np.array([1.0] * (rows - rows // 2) + [float(rows // 2)])
    chances = rng.uniform(0.2, 1, rows * counts.size)
    scale_group(chances, 0, rows, counts.size, counts, 0)
    table = chances.reshape(rows, counts.size)
    assert table.sum(axis=1) == pytest.approx(np.ones(rows))
    assert table.sum(axis=0) == pytest.approx(counts, rel=1e-3)


def dependent(rows: int, seed: int = 1) -> dict[str, list[object]]:
    """A disease that age tells to a large part."""
    rng = np.random.default_rng(seed)
    ages = rng.integers(0, 8, rows)
    disease = np.where(rng.random(rows) < 0.7, ages, rng.integers(0, 8, rows))
    return {
        "age": ages.tolist(), "ward": rng.integers(0, 3, rows).tolist(),
        "disease": [f"d{d}" for d in disease],
    }  # fmt: skip


ROLES = {"age": "quasi", "ward": "quasi", "disease": "sensitive"}


@pytest.mark.parametrize("partition", ["buckets", "neighbours"])
def test_learning_beats_the_groups_where_columns_depend_on_each_other(partition):
    data = Microdata.read(dependent(4000), ROLES)
    publication = Method.parse(f'anatomy(l=4, partition="{partition}")').publish(data, KEY)
    guess, belief = learn(publication.release, "disease").likeliest()
    truth = np.empty(data.rows, np.int32)
    place = next(name for name in publication.mapping.columns if name != "group")
    truth[publication.mapping[place].to_numpy()] = data.column("disease").codes
    right = (guess == truth).mean()
    assert right > 0.4  # a group alone gives a quarter
    assert abs(belief.mean() - right) < 0.1  # and he knows how sure he may be


def test_nothing_is_learned_where_columns_are_independent():
    rng = np.random.default_rng(3)
    table = {
        "age": rng.integers(0, 50, 4000).tolist(), "ward": rng.integers(0, 3, 4000).tolist(),
        "disease": [f"d{d}" for d in rng.integers(0, 8, 4000)],
    }  # fmt: skip
    data = Microdata.read(table, ROLES)
    publication = Method.parse("anatomy(l=4)").publish(data, KEY)
    guess, _ = learn(publication.release, "disease").likeliest()
    truth = np.empty(data.rows, np.int32)
    place = next(name for name in publication.mapping.columns if name != "group")
    truth[publication.mapping[place].to_numpy()] = data.column("disease").codes
    assert (guess == truth).mean() < 0.29


def test_chances_of_a_row_are_its_groups_values_and_sum_to_one():
    data = Microdata.read(dependent(500), ROLES)
    release = Method.parse("anatomy(l=3)").anonymize(data, KEY)
    learned = learn(release, "disease")
    counts = release.sensitive_counts()["disease"].sort("group", "value")
    assert learned.domain.gather(learned.values).to_list() == counts["value"].to_list()
    for group in range(learned.starts.size - 1):
        width = learned.value_starts[group + 1] - learned.value_starts[group]
        block = learned.chances[learned.blocks[group] : learned.blocks[group + 1]]
        table = block.reshape(-1, width)
        assert table.sum(axis=1) == pytest.approx(np.ones(len(table)))
        there = counts["count"][learned.value_starts[group] : learned.value_starts[group + 1]]
        assert table.sum(axis=0) == pytest.approx(there.to_numpy(), abs=1e-6)


def test_quick_rounds_learn_as_much(monkeypatch):
    """Of many rows all but the last rounds scale groups, and the last ones sum all matchings."""
    data = Microdata.read(dependent(4000), ROLES)
    release = Method.parse('anatomy(l=7, partition="buckets")').anonymize(data, KEY)
    whole = guess_released(release, data, "disease")
    monkeypatch.setattr("anonagram.learning.learned.MANY", 1000)
    quick = guess_released(release, data, "disease")
    for one, other in zip(whole, quick, strict=True):
        assert one.success.everybody == pytest.approx(other.success.everybody, abs=0.02)
        assert one.belief.mean() != other.belief.mean()


def test_a_sample_of_groups_is_whole_groups():
    data = Microdata.read(dependent(2000), ROLES)
    release = Method.parse("anatomy(l=4)").anonymize(data, KEY)
    learned = learn(release, "disease", most_rows=400)
    assert 390 <= learned.order.size <= 410
    assert learned.counts.sum() == learned.order.size


def test_a_group_that_is_larger_than_the_sample_is_sampled_itself():
    """Else it would be the whole sample for one key, and no part of it for another."""
    data = Microdata.read(dependent(4000) | {"disease": hours(4000)}, ROLES)
    release = Method.parse("ke(k=3, e=5)").anonymize(data, KEY)
    sizes = release.quasi["group"].value_counts(sort=True)
    assert sizes["count"][0] > 2000
    learned = learn(release, "disease", most_rows=2600)
    assert learned.order.size == np.unique(learned.order).size == pytest.approx(2600, abs=60)
    assert learned.counts.sum() == pytest.approx(learned.order.size)
    groups = release.quasi["group"].gather(learned.order).value_counts()
    assert groups.filter(group=sizes["group"][0])["count"].item() == round(
        sizes["count"][0] * 2600 / 4000
    )


def hours(rows):
    """Nearly everybody works as much."""
    return pl.Series([40] * (rows - 6) + [1, 2, 3, 50, 60, 70]).shuffle(seed=1)


def test_nobodys_own_value_is_in_the_model_that_guesses_her():
    """People who differ from everybody in one attribute cannot be guessed by it."""
    table = {
        "age": list(range(400)),
        "ward": [0] * 200 + [1] * 200,
        "disease": [f"d{i % 5}" for i in range(400)],
    }
    data = Microdata.read(pl.DataFrame(table).with_columns(pl.col("age").cast(pl.String)), ROLES)
    assert predict_others(data, "disease").success.everybody < 0.35


def test_missing_values_and_numbers_of_many_values_are_features_too():
    rng = np.random.default_rng(5)
    pay = rng.normal(0, 1, 3000)
    table = pl.DataFrame({
        "age": pl.Series(pay).scatter([0, 5], None), "ward": ["a", None, "b"] * 1000,
        "disease": [f"d{d}" for d in np.clip(np.digitize(pay, [-1, -0.5, 0, 0.5, 1]), 0, 5)],
    })  # fmt: skip
    data = Microdata.read(table, ROLES)
    assert predict_others(data, "disease").success.everybody > 0.7


def test_other_shapes_are_refused_with_the_reason():
    data = Microdata.read(dependent(100), ROLES)
    release = Method.parse("permutation(l=2)").anonymize(data, KEY)
    with pytest.raises(CallError, match="no exact rows"):
        learn(release, "disease")


def test_scores_are_those_of_the_rows_as_they_were():
    data = Microdata.read(dependent(4000), ROLES)
    publication = Method.parse('anatomy(l=4, partition="buckets")').publish(data, KEY)
    places = publication.mapping["row_in_quasi"].to_numpy()
    (scored,) = score_learner(publication.release, data, places)
    truth = np.empty(data.rows, np.int32)
    truth[places] = data.column("disease").codes
    guesses = [
        learn(publication.release, "disease", learner=each).likeliest()[0] for each in LEARNERS
    ]
    # the best of all learners, as `anonagram attack` has it: a weaker one would comfort
    assert scored.right == max((guess == truth).mean() for guess in guesses) > 0.4
    assert scored.by_group == pytest.approx(0.25, abs=0.01)
    assert str(scored).endswith("by the group alone it is 25%.")
    sampled = replace(scored, tried=1000)
    assert "That is from 1,000 of 4,000 rows; anonagram attack" in str(sampled)
    assert "rows and by the quickest learner alone; " in str(replace(sampled, alone=True))


def test_many_columns_or_values_are_left_to_the_quickest_learner():
    """A table of 46 quasi-identifiers kept `anonymize` busy for minutes."""
    random = np.random.default_rng(1)
    table = {f"q{j}": random.integers(0, 2, 80) for j in range(30)}
    table |= {"disease": [f"d{i % 4}" for i in range(80)]}
    roles = {f"q{j}": "quasi" for j in range(30)} | {"disease": "sensitive"}
    publication = Method.parse("anatomy(l=2)").publish(Microdata.read(table, roles), KEY)
    places = publication.mapping["row_in_quasi"].to_numpy()
    (scored,) = score_learner(publication.release, Microdata.read(table, roles), places)
    assert scored.alone
    assert "That is by the quickest learner alone; " in str(scored)


def test_amounts_of_very_many_values_are_not_scored():
    table = {"age": list(range(2000)), "ward": [0, 1] * 1000, "disease": list(range(2000))}
    data = Microdata.read(table, ROLES)
    publication = Method.parse("anatomy(l=4)").publish(data, KEY)
    places = publication.mapping["row_in_quasi"].to_numpy()
    assert score_learner(publication.release, data, places) == []


@pytest.mark.parametrize("learner", ["logistic", "logistic_after"])
def test_the_logistic_learner_is_calibrated_and_beats_the_groups(learner):
    data = Microdata.read(dependent(4000), ROLES)
    publication = Method.parse('anatomy(l=4, partition="buckets")').publish(data, KEY)
    learned = learn(publication.release, "disease", learner=learner)
    guess, belief = learned.likeliest()
    truth = np.empty(data.rows, np.int32)
    truth[publication.mapping["row_in_quasi"].to_numpy()] = data.column("disease").codes
    right = (guess == truth).mean()
    assert right > 0.45
    assert abs(belief.mean() - right) < 0.15


def test_a_logistic_model_learns_what_two_attributes_say_only_together():
    """Neither of two bits tells anything of their exclusive or."""
    rng = np.random.default_rng(1)
    a, b = rng.integers(0, 2, 2000), rng.integers(0, 2, 2000)
    value = np.where(rng.random(2000) < 0.9, a ^ b, rng.integers(0, 2, 2000))
    table = {n: [str(v) for v in each] for n, each in zip("abv", (a, b, value), strict=True)}
    data = Microdata.read(table, {"a": "quasi", "b": "quasi", "v": "sensitive"})
    alone, together = (predict_others(data, "v", logistic=each) for each in (False, True))
    assert alone.success.everybody < 0.6
    assert together.success.everybody > 0.9
    assert abs(together.believed - together.success.everybody) < 0.1
    assert together.bits < 0.6 < 0.9 < alone.bits


def test_all_learners_one_after_the_other_learn_what_each_learns_alone():
    data = Microdata.read(dependent(300), ROLES)
    release = Method.parse("anatomy(l=3)").anonymize(data, KEY)
    together = [learned.chances.copy() for learned in learn_all(release, "disease")]
    alone = [learn(release, "disease", learner=each).chances for each in LEARNERS]
    assert all((one == other).all() for one, other in zip(together, alone, strict=True))


def test_scores_of_columns_apart_are_those_of_each_persons_group():
    """Person by person: her group's values, weighed by what the model says of her attributes."""
    data = Microdata.read(dependent(400), ROLES)
    publication = Method.parse('permutation(l=3, partition="buckets")').publish(data, KEY)
    release, group_of = publication.release, publication.mapping["group"].to_numpy()
    (scored,) = score_apart(release, data, group_of)
    groups = int(group_of.max())
    model, truth = Apart.of(release, groups), data.column("disease")
    tables = {c.name: model.likely(release, c, truth) for c in data.with_role("quasi")}
    right = []
    for person, group in enumerate(group_of):
        counts = release.sensitive_counts()["disease"].filter(group=group)
        likely = {}
        for value, count in counts.select("value", "count").iter_rows():
            (code,) = truth.codes_of(pl.Series([value]))
            likely[code] = np.log(count) + sum(
                table[data.column(name).codes[person], code] for name, table in tables.items()
            )
        right.append(max(likely, key=likely.get) == truth.codes[person])
    assert scored.right == pytest.approx(np.mean(right))
    assert scored.right > scored.by_group + 0.2
    assert scored.by_group == pytest.approx(1 / 3, abs=0.01)


@given(st.integers(0, 2**32 - 1), st.sampled_from([0.0, 3.0, 2000.0]))
def test_one_attribute_alone_says_what_it_says_among_several(seed, spread):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(2, 6, 4)
    starts = np.concatenate([[0], np.cumsum(sizes)])
    values = np.concatenate([rng.permutation(6)[:size] for size in sizes]).astype(np.int32)
    codes = rng.integers(0, 5, (starts[-1], 1)).astype(np.int32)
    blocks = np.concatenate([[0], np.cumsum(sizes**2)])
    tables = rng.normal(0, 1, (5, 6)) * spread
    found = []
    # a second attribute that says nothing
    for columns, offsets, model in (
        (codes, [0, 5], tables),
        (np.hstack([codes, 0 * codes]), [0, 5, 6], np.vstack([tables, np.zeros((1, 6))])),
    ):
        chances = np.empty(blocks[-1])
        match_groups(
            columns, np.array(offsets), starts, starts, values, np.ones(values.size),
            blocks[:-1], model, 1024, chances,
        )  # fmt: skip
        found.append(chances)
    assert found[0] == pytest.approx(found[1], rel=1e-9, abs=1e-12)
