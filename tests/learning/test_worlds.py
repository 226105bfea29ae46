"""Complete tables that may be the original, against what the release tells and all matchings."""

from __future__ import annotations

from collections import Counter
from itertools import permutations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonagram import Key, Method, Microdata
from anonagram.errors import CallError
from anonagram.kernels.matchings import draw_by_exchange, draw_in_turn
from anonagram.kernels.states import find_steps, no_steps
from anonagram.release import Release
from tests.tables import AWKWARD_SCHEMA, anatomized, awkward_table

KEY = Key(bytes(32))
METHODS = [
    "anatomy(l=2)",
    "permutation(l=2)",
    "generalize(l=2)",
    'anatomy(l=3, partition="buckets")',
]


def grouped(world: pl.DataFrame, release: Release) -> pl.DataFrame:
    """A world with the group of each row; worlds stand by group."""
    sizes = release.grouped.group_sizes().sort("group")
    return world.with_columns(
        pl.Series("its group", np.repeat(sizes["group"].to_numpy(), sizes["rows"].to_numpy()))
    )


def told(frame: pl.DataFrame, group: str, columns: list[str]) -> Counter:
    return Counter(frame.select(group, *columns).rows())


def require_consistent(world: pl.DataFrame, release: Release) -> None:
    sheet, rows = release.sheet, grouped(world, release)
    assert world.columns == [column.name for column in release.manifest.columns]
    for part in sheet.parts.values():
        table = sheet.tables[part.table]
        if part.weight is not None:
            table = table.select(pl.exclude(part.weight).repeat_by(part.weight).explode())
        names = list(part.columns)
        assert told(rows, "its group", names) == told(table, sheet.group, names)
    for name, column in sheet.ranges.items():
        table = sheet.tables[column.table].sort(sheet.group)
        by_group = rows.group_by("its group", maintain_order=True)
        if column.ends is None:
            found = by_group.agg(pl.col(name).unique())[name].to_list()
            assert [set(each) for each in found] == [set(each) for each in table[name].to_list()]
            continue
        value = pl.col(name)
        if column.order is not None:
            value = value.cast(pl.Enum(column.order))
        found = by_group.agg(
            value.min().alias("low"), value.max().alias("high"), value.is_null().any().alias("none")
        )
        for mine, theirs in zip(("low", "high", "none"), column.ends, strict=True):
            assert found[mine].cast(table[theirs].dtype).to_list() == table[theirs].to_list()


@pytest.mark.parametrize("method", METHODS)
def test_every_world_gives_back_the_tables_of_the_release(method):
    release = Method.parse(method).anonymize(Microdata.read(awkward_table(60), AWKWARD_SCHEMA), KEY)
    worlds = list(release.worlds(3, seed=7))
    for world in worlds:
        require_consistent(world, release)
    assert not worlds[0].equals(worlds[1])
    again = list(release.worlds(2, seed=7))
    assert again[1].equals(worlds[1])
    assert not next(release.worlds(1, seed=8)).equals(worlds[0])


def test_ordinal_ranges_and_all_missing_groups_are_drawn():
    levels = ["low", "some", "high", "top"]
    table = {
        "pain": [levels[i % 4] for i in range(24)], "age": [None if i < 8 else i / 2 for i in range(24)],
        "ill": [f"d{i % 5}" for i in range(24)],
    }  # fmt: skip
    roles = {
        "pain": {"role": "quasi", "kind": "ordinal", "order": levels}, "age": "quasi",
        "ill": "sensitive",
    }  # fmt: skip
    release = Method.parse("generalize(l=2)").anonymize(Microdata.read(table, roles), KEY)
    for world in release.worlds(5):
        require_consistent(world, release)


def test_learned_worlds_are_consistent_and_follow_the_model():
    rng = np.random.default_rng(1)
    age = rng.integers(0, 8, 3000)
    ill = np.where(rng.random(3000) < 0.7, age, rng.integers(0, 8, 3000))
    table = {
        "age": age.tolist(),
        "ill": [f"d{i}" for i in ill],
        "bed": rng.integers(0, 5, 3000).tolist(),
    }
    roles = {"age": "quasi", "ill": "sensitive", "bed": {"role": "sensitive", "kind": "nominal"}}
    data = Microdata.read(table, roles)
    release = Method.parse('anatomy(l=3, partition="buckets")').anonymize(data, KEY)

    def agreeing(world: pl.DataFrame) -> float:
        return float((world["ill"] == "d" + world["age"].cast(pl.String)).mean())

    uniform, learned = next(release.worlds(1)), next(release.worlds(1, learned=True))
    for world in (uniform, learned):
        require_consistent(world, release)
    truth = float((ill == age).mean())
    assert agreeing(uniform) < 0.5
    assert abs(agreeing(learned) - truth) < abs(agreeing(uniform) - truth) / 2


def test_columns_that_were_rearranged_apart_are_matched_with_the_value_each_by_itself():
    rng = np.random.default_rng(1)
    ill = rng.integers(0, 8, 3000)
    age, ward = (np.where(rng.random(3000) < 0.7, ill, rng.integers(0, 8, 3000)) for _ in "ab")
    table = {"age": age.tolist(), "ill": [f"d{i}" for i in ill], "ward": [f"d{i}" for i in ward]}
    data = Microdata.read(table, {"age": "quasi", "ill": "sensitive", "ward": "quasi"})
    release = Method.parse('permutation(l=3, partition="buckets")').anonymize(data, KEY)
    uniform, learned = next(release.worlds(1)), next(release.worlds(1, learned=True))
    require_consistent(learned, release)
    for name, truth in (("age", age == ill), ("ward", ward == ill)):
        found = [
            float((world["ill"] == "d" + world[name].cast(pl.String).str.strip_prefix("d")).mean())
            for world in (uniform, learned)
        ]
        assert found[0] < 0.5
        assert abs(found[1] - truth.mean()) < abs(found[0] - truth.mean()) / 2
    awkward = Method.parse("permutation(l=2)").anonymize(
        Microdata.read(awkward_table(60), AWKWARD_SCHEMA), KEY
    )
    require_consistent(next(awkward.worlds(1, learned=True)), awkward)


def test_matchings_are_uniform_on_a_tiny_group():
    release = anatomized([1, 1, 1, 1], ["a", "b", "b", "c"])
    met = Counter(
        tuple(world["s"].to_list()) for seed in range(300) for world in release.worlds(4, seed)
    )
    ways = set(permutations("abbc"))
    assert set(met) == ways
    expected = 1200 / len(ways)
    assert sum((n - expected) ** 2 / expected for n in met.values()) < 35  # 11 degrees, p = 0.0002


@pytest.mark.parametrize("draw", ["in turn", "by exchange"])
def test_learned_matchings_are_drawn_as_often_as_their_weights_say(draw):
    weights = np.array([[1.0, 0.2, 0.5], [0.3, 1.0, 0.1], [0.4, 0.4, 1.0], [1.0, 0.9, 0.2]])
    counts = np.array([2.0, 1.0, 1.0])
    chance = Counter()
    for way in set(permutations([0, 0, 1, 2])):
        chance[way] = np.prod([weights[row, value] for row, value in enumerate(way)])
    total, met, state = sum(chance.values()), Counter(), np.array([5], np.uint64)
    steps = no_steps()
    ways = find_steps(steps, 3, counts, 0, 1024)
    for _ in range(6000):
        if draw == "in turn":
            taken = draw_in_turn(weights.ravel(), 4, 3, steps, ways, state)
        else:
            taken = draw_by_exchange(weights.ravel(), 4, 3, counts, 0, state)
        met[tuple(taken.tolist())] += 1
    off = sum((met[w] - 6000 * c / total) ** 2 / (6000 * c / total) for w, c in chance.items())
    assert off < 35  # 11 degrees of freedom


@given(st.lists(st.integers(1, 4), min_size=1, max_size=5), st.integers(0, 2**32))
def test_drawn_matchings_use_every_value_as_often_as_it_is_there(counts, seed):
    rng, steps, of = np.random.default_rng(seed), no_steps(), np.array(counts, float)
    rows, width = sum(counts), len(counts)
    weights, state = rng.uniform(1e-9, 1, rows * width), rng.integers(0, 2**62, 1, np.uint64)
    taken = [draw_by_exchange(weights, rows, width, of, 0, state)]
    if ways := find_steps(steps, width, of, 0, 1024):
        taken.append(draw_in_turn(weights, rows, width, steps, ways, state))
    for each in taken:
        assert np.bincount(each, minlength=width).tolist() == counts


def test_shapes_without_groups_and_rows_are_refused():
    data = Microdata.read(awkward_table(60), AWKWARD_SCHEMA)
    with pytest.raises(CallError, match="neither exact rows nor columns"):
        Method.parse("generalize(l=2)").anonymize(data, KEY).worlds(1, learned=True)
    nothing_sensitive = Microdata.read(awkward_table(60), AWKWARD_SCHEMA | {"value": "quasi"})
    with pytest.raises(CallError, match="neither exact rows nor columns"):
        Method.parse("permutation(l=2)").anonymize(nothing_sensitive, KEY).worlds(1, learned=True)
    masked = Method.parse("rank_swapping(p=20)").anonymize(data, KEY)
    with pytest.raises(CallError, match="inside groups"):
        masked.worlds(1)
    with pytest.raises(CallError, match="0 worlds"):
        Method.parse("anatomy(l=2)").anonymize(data, KEY).worlds(0)


def test_a_table_of_ranges_alone_has_worlds():
    data = Microdata.read({"age": [20, 30, 40, 50]}, {"age": "quasi"})
    release = Method.parse("generalize(l=2)").anonymize(data, KEY)
    (world,) = release.worlds(1)
    assert world.height == 4
    assert {20, 50} <= set(world["age"])
