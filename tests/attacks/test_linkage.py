"""The attack against slow, obvious computations, and its verdicts on cases whose truth is known."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ks_2samp, rankdata, wasserstein_distance

from anonagram import DataSwapping, Key, Microdata, Noise, Shuffling
from anonagram.attacks import (
    Aligned,
    Distances,
    EqualCells,
    FewerAttributes,
    MaximumKnowledge,
    Target,
    Verdict,
    audit,
    permuted_privacy,
)
from anonagram.attacks.aligned.published import aligned_with
from anonagram.columns.diversity import CRITERIA, diversity
from anonagram.columns.nearest import Records
from anonagram.columns.ranks import Ranked
from anonagram.methods import Method
from anonagram.schema import ColumnRule
from anonagram.sources import Table

values = st.integers(0, 6) | st.none()
tables = st.integers(1, 4).flatmap(
    lambda m: st.lists(st.tuples(*[st.tuples(values, values) for _ in range(m)]), min_size=2, max_size=30)
)  # fmt: skip


def pair_of(rows: list[tuple[tuple[int | None, int | None], ...]]) -> Aligned:
    names = [f"c{j}" for j in range(len(rows[0]))]
    one, two = (
        pl.DataFrame(
            {n: [row[j][side] for row in rows] for j, n in enumerate(names)},
            schema=dict.fromkeys(names, pl.Int64),
        )
        for side in (0, 1)
    )
    rules = dict.fromkeys(names, ColumnRule("quasi", "numeric"))
    return Aligned.of(Table(one, "x"), Table(two, "y"), rules)


def average_ranks(column: list[int | None]) -> np.ndarray:
    """Missing values rank highest."""
    return 2 * rankdata([99 if value is None else value for value in column], method="average")


@given(rows=tables)
def test_linkage_agrees_with_comparing_all_pairs(rows):
    pair = pair_of(rows)
    found = MaximumKnowledge().run(Target(pair=pair)).figures
    x = np.column_stack([average_ranks([row[j][0] for row in rows]) for j in range(len(rows[0]))])
    assert pair.original_ranks.tolist() == x.tolist()
    z = pair.mapped_ranks
    away = np.abs(x[:, None, :] - z[None, :, :]).max(axis=2)
    least = away.min(axis=1)
    at_least = away == least[:, None]
    assert found.nearest.distance.tolist() == least.tolist()
    assert found.nearest.is_only.tolist() == (at_least.sum(axis=1) == 1).tolist()
    assert all(at_least[i, record] for i, record in enumerate(found.nearest.record))
    own = [at_least[i, i] and at_least[i].sum() == 1 for i in range(len(rows))]
    assert found.correct == sum(own)
    assert found.multiple == int((at_least.sum(axis=1) > 1).sum())
    assert found.correct + found.multiple + found.wrong == len(rows)


@given(rows=tables)
def test_reverse_mapping_permutes_x_in_the_order_of_y(rows):
    for attribute in pair_of(rows).attributes:
        mapped = attribute.original.places[attribute.mapped]
        assert sorted(mapped) == sorted(attribute.original.values)
        # a lower masked value never gets a higher original one
        order = np.lexsort((mapped, attribute.masked.values))
        assert mapped[order].tolist() == sorted(mapped)


@given(rows=tables, views=st.sampled_from(["protector", "subject"]))
def test_permuted_privacy_agrees_with_the_definition(rows, views):
    pair = pair_of(rows)
    found = permuted_privacy(pair, views)
    for i in range(len(rows)):
        wanted = []
        for attribute in pair.attributes:
            released = attribute.masked.values
            x = attribute.original.values[i]
            # a missing value is closest to another, or to the highest
            near = [-y if np.isinf(x) else abs(y - x) for y in released]
            closest = min(y for y, away in zip(released, near, strict=True) if away == min(near))
            wanted.append(attribute.masked.ranks[released == closest][0])
        released = np.column_stack([a.masked.ranks for a in pair.attributes])
        away = np.abs(released - wanted)
        if views == "subject":
            assert away[found.image[i]].max() == away.max(axis=1).min()
        else:
            assert found.image[i] == i
        assert found.d[i].tolist() == (away[found.image[i]] / 2).tolist()


@given(
    column=st.lists(st.integers(0, 8), min_size=1, max_size=30),
    at=st.integers(0, 29),
    within=st.integers(0, 40),
)
@pytest.mark.parametrize("criterion", CRITERIA)
def test_diversity_agrees_with_listing_the_values(criterion, column, at, within):
    codes = np.array(column, np.int32)
    ranked = Ranked(codes, np.arange(10, dtype=float) ** 2)
    rank = ranked.ranks[at % len(column)]
    found = diversity(ranked, np.array([rank]), np.array([within]), criterion)[0]
    near = codes[np.abs(ranked.ranks - rank) <= within]
    _, counts = np.unique(near, return_counts=True)
    shares = counts / counts.sum()
    known, positions = np.unique(codes, return_inverse=True)
    expected = {
        "variance": np.var(near.astype(float) ** 2),
        "distinct": counts.size,
        "entropy": -(shares * np.log(shares)).sum(),
        "closeness": wasserstein_distance(
            positions[np.isin(codes, near)], positions
        ) / max(known.size - 1, 1),
    }[criterion]  # fmt: skip
    assert found == pytest.approx(expected, abs=1e-9)


@given(
    one=st.lists(st.integers(0, 20), min_size=1, max_size=50),
    two=st.lists(st.integers(0, 20), min_size=1, max_size=50),
)
def test_distributions_agree_with_another_library(one, two):
    a, b = Distances(np.array(one)), Distances(np.array(two))
    test = ks_2samp(one, two, alternative="greater", method="asymp")
    assert a.advantage(b) == pytest.approx(max(test.statistic, 0))
    assert a.p_value(b) == pytest.approx(
        np.exp(-2 * a.advantage(b) ** 2 * len(one) * len(two) / (len(one) + len(two)))
    )
    shares = [np.bincount(each, minlength=21) / len(each) for each in (one, two)]
    assert a.hellinger(b) == pytest.approx(
        np.sqrt(((np.sqrt(shares[0]) - np.sqrt(shares[1])) ** 2).sum() / 2), abs=1e-7
    )
    assert sum(a.shares.values()) == pytest.approx(1)
    assert a.hellinger(a) == pytest.approx(0, abs=1e-7)


def thousand(seed: int) -> Microdata:
    random = np.random.default_rng(seed)
    drawn = random.normal([100, 1000, 5000], [10, 50, 200], (1000, 3))
    return Microdata.read(
        {name: drawn[:, j] for j, name in enumerate("abc")}, dict.fromkeys("abc", "quasi")
    )


def attacked(microdata: Microdata, method: Method, key: Key):
    publication = method.publish(microdata, key)
    rows = publication.release.tables["rows"][publication.mapping["row_in_rows"].to_numpy()]
    return audit(Aligned.read(microdata.frame(), rows, in_order=True))


def test_table_6_small_noise_fails_with_every_key():
    for seed in range(20):
        found = attacked(thousand(seed), Noise(0.005), Key(bytes([seed]) * 32))
        assert not found.withstands
        linkage = found.linkage
        assert 0.9 < (linkage.original.twice <= 10).mean() < 0.98  # about 94 % within d = 5
        assert (linkage.random.twice <= 10).mean() < 0.005  # about 0.1 %
        assert linkage.too_near_correct > 900


def test_figure_2_larger_noise_withstands_with_every_key():
    for seed in range(20):
        found = attacked(thousand(seed), Noise(0.5), Key(bytes([seed]) * 32))
        assert found.withstands
        assert found.linkage.hellinger < 0.15
        assert found.linkage.too_near == 0


def test_records_of_the_same_distribution_withstand_although_they_are_near():
    """Random records ignore correlations; nobody can be linked to a new sample all the same."""
    random = np.random.default_rng(1)
    covariance = [[1, 0.9, 0.8], [0.9, 1, 0.9], [0.8, 0.9, 1]]
    x, y = (random.multivariate_normal([0, 0, 0], covariance, 2000) for _ in range(2))
    frames = [{name: each[:, j] for j, name in enumerate("abc")} for each in (x, y)]
    found = audit(Aligned.read(*frames, in_order=True))
    assert found.linkage.looks_linked
    assert not found.linkage.is_above_chance
    assert found.withstands


@pytest.mark.parametrize("values", [3, 50, 5000])
def test_an_unmasked_table_fails_however_often_values_repeat(values):
    random = np.random.default_rng(2)
    table = {name: random.integers(0, values, 3000) for name in "abcde"}
    found = audit(Aligned.read(table, table))
    assert all(each.rank_correlation == pytest.approx(1) for each in found.attributes)
    assert all(each.largest_distance == 0 for each in found.attributes)
    assert (found.linkage.nearest.distance == 0).all()
    if values > 3:  # of 243 combinations each is there a dozen times: that is hiding in a crowd
        assert not found.withstands


def test_full_permutation_withstands():
    for method in (DataSwapping(share=1), Shuffling()):
        found = attacked(thousand(5), method, Key(bytes(32)))
        assert found.withstands
        assert found.linkage.correct < 10


def test_points_that_are_equal_do_not_slow_the_search():
    """A million comparisons of 60,000 equal points with each other would take minutes."""
    ranks = np.zeros((60_000, 3), np.int64)
    found = Records(ranks).nearest(ranks)
    assert not found.is_only.any()
    assert (found.distance == 0).all()


def test_an_unmasked_column_gives_people_away_however_much_the_others_move():
    """By the largest difference alone, what moved far would hide what did not move."""
    random = np.random.default_rng(4)
    table = {name: random.normal(size=2000) for name in "abcd"}
    moved = {name: random.permutation(values) for name, values in table.items()} | {"d": table["d"]}
    found = audit(Aligned.read(table, moved, in_order=True))
    assert not found.linkage.is_linked
    assert found.unmasked.columns == ("d",)
    assert found.unmasked.identified == 1
    assert not found.withstands
    assert "columns that are as they were (d)" in found.summary()[0]


def test_two_columns_that_hardly_moved_give_people_away():
    random = np.random.default_rng(5)
    table = {name: random.normal(size=2000) for name in "abcd"}
    masked = {name: random.permutation(values) for name, values in table.items()}
    masked |= {name: table[name] + random.normal(scale=0.01, size=2000) for name in "ab"}
    found = audit(Aligned.read(table, masked))
    assert not found.linkage.is_linked
    fewer = found.results.by(FewerAttributes)
    assert fewer.reason == "near matches on a, b"
    assert not found.withstands


def test_few_people_with_rare_values_in_unmasked_columns_are_found():
    random = np.random.default_rng(6)
    table = {name: random.normal(size=3000) for name in "abc"}
    table["town"] = ["A"] * 2990 + list("BCDEFGHIJK")
    moved = {n: v if n == "town" else random.permutation(v) for n, v in table.items()}
    found = audit(Aligned.read(table, moved, in_order=True))
    assert found.unmasked.people == 10
    assert found.verdict is Verdict.DOES_NOT_WITHSTAND
    assert "10 people (0.33%) are alone with their values" in " ".join(found.summary())


def suppressed(table: pl.DataFrame, share: float) -> pl.DataFrame:
    random = np.random.default_rng(11)
    keep = {name: random.random(table.height) >= share for name in table.columns}
    return table.with_columns(
        pl.when(pl.Series(keep[name])).then(pl.col(name)).alias(name) for name in table.columns
    )


def swapped(table: pl.DataFrame, share: float) -> pl.DataFrame:
    random = np.random.default_rng(12)
    columns = {}
    for name in table.columns:
        values = table[name].to_numpy().copy()
        rows = np.flatnonzero(random.random(values.size) < share)
        values[rows] = values[random.permutation(rows)]
        columns[name] = values
    return pl.DataFrame(columns)


@pytest.mark.parametrize("mask", [suppressed, swapped])
def test_equal_values_give_people_away_where_ranks_do_not(mask):
    """Half of all cells masked, the others as they were: ranks see the half that is far away."""
    random = np.random.default_rng(10)
    table = pl.DataFrame({f"c{j}": random.normal(size=600) for j in range(10)})
    masked = mask(table, 0.5)
    found = audit(Aligned.read(table, masked))
    # slow and obvious: how many cells of each pair of records are equal
    x, y = table.to_numpy(), masked.fill_null(float("nan")).to_numpy()
    equal = (x[:, None, :] == y[None, :, :]).sum(axis=2)
    best = equal.max(axis=1)
    is_only = (equal == best[:, None]).sum(axis=1) == 1
    right = is_only & (equal.argmax(axis=1) == np.arange(600)) & (best >= 2)
    assert found.equal_values.correct == right.sum() > 500
    assert not found.withstands
    assert found.results.by(EqualCells).reason == "equal values"


def test_some_rows_left_untouched_are_noticed():
    random = np.random.default_rng(13)
    x = random.normal(size=(2000, 4))
    y = x + random.normal(scale=1e-9, size=x.shape)  # nothing is equal
    rest = np.arange(160, 2000)
    for j in range(4):
        y[rest, j] = y[random.permutation(rest), j]
    pair = Aligned.read(*({n: t[:, j] for j, n in enumerate("abcd")} for t in (x, y)))
    found = audit(pair)
    assert found.linkage.some_are_exposed
    assert not found.withstands


@pytest.mark.parametrize(("rows", "attributes"), [(400, 12), (1100, 9), (256, 30)])
def test_many_attributes_are_searched_as_few_are(rows, attributes):
    random = np.random.default_rng(14)
    ranks = random.integers(0, 40, (rows, attributes))
    asked = random.integers(0, 40, (150, attributes))
    found = Records(ranks).nearest(asked)
    away = np.abs(asked[:, None, :] - ranks[None, :, :]).max(axis=2)
    assert found.distance.tolist() == away.min(axis=1).tolist()
    ties = (away == away.min(axis=1)[:, None]).sum(axis=1)
    assert found.is_only.tolist() == (ties == 1).tolist()
    assert Records(ranks).distances(asked).tolist() == found.distance.tolist()
    assert found.record.tolist() == away.argmin(axis=1).tolist()


@pytest.mark.parametrize("attributes", [4, 9])
@pytest.mark.parametrize("method", ["rank_swapping(p=10)", "data_swapping(share=0.5)"])
def test_the_surest_are_those_that_an_intruder_names_first(attributes, method):
    """Beside a count over all pairs: by distance and room to the next, or by room and distance."""
    random = np.random.default_rng(attributes)
    common = random.normal(size=700)
    table = {f"x{j}": (common + random.normal(size=700)).tolist() for j in range(attributes)}
    data = Microdata.read(table, dict.fromkeys(table, "quasi"))
    pair = aligned_with(data, Method.parse(method).publish(data, Key(bytes(32))))
    away = np.abs(pair.original_ranks[:, None] - pair.mapped_ranks[None]).max(axis=2)
    two = np.sort(away, axis=1)[:, :2]
    right = (two[:, 1] > two[:, 0]) & (away.argmin(axis=1) == np.arange(700))
    room = two[:, 1] - two[:, 0]
    orders = [np.lexsort((-room, two[:, 0])), np.lexsort((two[:, 0], -room))]
    found = MaximumKnowledge().run(Target(pair=pair))
    assert found.surest == pytest.approx(max(right[order[:7]].mean() for order in orders), abs=0.05)
    assert found.surest > found.score
    told = found.figures.table()["next_distance"].to_numpy()
    assert (2 * told == two[:, 1]).all()


@pytest.mark.parametrize("values", [2, 1000])
def test_whole_records_that_are_as_they_were_stand_beside_chance(values):
    random = np.random.default_rng(values)
    one = {name: random.integers(0, values, 500) for name in "ab"}
    is_left = random.random(500) < 0.3
    places = np.where(is_left, np.arange(500), random.permutation(500))
    two = {name: column[places] for name, column in one.items()}
    rows = list(zip(*(column.tolist() for column in one.values()), strict=True))
    after = list(zip(*(column.tolist() for column in two.values()), strict=True))
    found = audit(Aligned.read(pl.DataFrame(one), pl.DataFrame(two), in_order=True))
    unchanged = found.unmasked.unchanged
    assert unchanged.people == sum(a == b for a, b in zip(rows, after, strict=True))
    assert unchanged.by_chance == pytest.approx(sum(after.count(row) for row in rows) / 500)
    assert (unchanged.alone == 0) == (values == 2)
    assert unchanged.sentence in found.summary()
    assert found.to_dict()["unchanged"]["people"] == unchanged.people


def test_a_record_that_lost_a_value_is_not_as_it_was():
    one = {"a": [1, 2, 3, 4], "b": [5, 6, 7, None]}
    two = {"a": [1, 2, 3, 4], "b": [5, None, 7, None]}
    found = audit(Aligned.read(one, two, in_order=True)).unmasked.unchanged
    assert (found.people, found.by_chance, found.alone, found.of) == (3, 0.75, 3, 4)
