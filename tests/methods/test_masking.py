"""Masking methods: what their parameters say is what they do."""

from __future__ import annotations

from collections import Counter

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import rankdata, spearmanr

from anonagram import (
    CorrelatedNoise,
    DataSwapping,
    Key,
    Method,
    Microaggregation,
    Microdata,
    Noise,
    RankSwapping,
    Shuffling,
)
from anonagram.errors import CallError, CannotAnonymize, SchemaError
from anonagram.kernels.microaggregate import group_mdav
from anonagram.methods.masking import MaskingMethod

seeds = st.binary(min_size=32, max_size=32)


def masked(method: MaskingMethod, table: pl.DataFrame, roles: dict, key: Key) -> pl.DataFrame:
    """The released rows in the order of the original's."""
    publication = method.publish(Microdata.read(table, roles), key)
    rows = publication.release.tables["rows"]
    return rows[publication.mapping["row_in_rows"].to_numpy()]


@given(
    values=st.lists(st.integers(-5, 12) | st.none(), min_size=2, max_size=60),
    p=st.sampled_from([0, 1, 5, 10, 20, 33.3, 50, 100]),
    seed=seeds,
)
def test_rank_swapping_moves_no_value_further_than_p_percent(values, p, seed):
    if len(set(values)) < 2:
        return
    table = pl.DataFrame({"a": values}, schema={"a": pl.Int64})
    found = masked(RankSwapping(p=p), table, {"a": "quasi"}, Key(seed))
    before, after = ([99 if v is None else v for v in each] for each in (values, found["a"]))
    assert sorted(before) == sorted(after)
    rank = dict(zip(before, rankdata(before, method="average"), strict=True))
    moved = max(abs(rank[a] - rank[b]) for a, b in zip(before, after, strict=True))
    assert moved <= p / 100 * len(values) + 1e-9


def test_rank_swapping_uses_its_whole_window_and_leaves_few_alone():
    table = pl.DataFrame({"a": range(10_000)})
    found = masked(RankSwapping(p=5), table, {"a": "quasi"}, Key(bytes(32)))
    moved = np.abs(found["a"].to_numpy() - np.arange(10_000))
    assert moved.max() <= 500
    assert moved.max() > 480
    assert (moved == 0).mean() < 0.01
    # partners are drawn evenly: from the lowest up, among those within the window
    assert 200 < moved.mean() < 300


def test_rank_swapping_is_fair_between_equal_values():
    """Which of the rows with one value is swapped does not depend on where it stands."""
    table = pl.DataFrame({"a": [1, 1, 1, 1, 2]})
    moved = Counter()
    for seed in range(2000):
        found = masked(RankSwapping(p=100), table, {"a": "quasi"}, Key(seed.to_bytes(32, "big")))
        moved[found["a"].to_list().index(2)] += 1
    # the 2 is anywhere, and the four others get it equally often
    others = [moved[i] for i in range(4)]
    assert max(others) - min(others) < 6 * np.sqrt(np.mean(others))


def test_nominal_columns_are_ranked_by_frequency_or_hierarchy():
    towns = ["A"] * 50 + ["B"] * 30 + ["C"] * 15 + ["D"] * 5
    found = masked(RankSwapping(p=41), pl.DataFrame({"t": towns}), {"t": "quasi"}, Key(bytes(32)))
    # middle ranks: A 25.5, B 65.5, C 88, D 98: A meets B, and never C
    assert {(a, b) for a, b in zip(towns, found["t"], strict=True)} >= {("A", "B"), ("B", "A")}
    assert ("A", "C") not in set(zip(towns, found["t"], strict=True))


@pytest.mark.parametrize("share", [0, 0.2, 1])
def test_data_swapping_swaps_its_share_within_classes(share):
    random = np.random.default_rng(0)
    table = pl.DataFrame({"region": random.integers(0, 5, 5000), "pay": np.arange(5000)})
    method = DataSwapping(share=share, within=["region"], columns=["pay"])
    found = masked(method, table, {"region": "quasi", "pay": "quasi"}, Key(bytes(32)))
    assert found["region"].equals(table["region"])
    one, two = (
        t.group_by("region").agg(pl.col("pay").sort()).sort("region") for t in (table, found)
    )
    assert one.equals(two)
    moved = (found["pay"] != table["pay"]).mean()
    assert moved == pytest.approx(share, abs=0.005)


def correlated(rows: int, seed: int = 0) -> pl.DataFrame:
    random = np.random.default_rng(seed)
    cov = [[1, 0.8, -0.5, 0.3], [0.8, 1, -0.4, 0.2], [-0.5, -0.4, 1, 0.6], [0.3, 0.2, 0.6, 1]]
    drawn = random.multivariate_normal(np.zeros(4), cov, rows)
    return pl.DataFrame(
        {"a": drawn[:, 0], "b": np.exp(drawn[:, 1]), "c": drawn[:, 2] ** 3, "s": drawn[:, 3]}
    )


def test_shuffling_keeps_values_and_rank_correlations_and_nothing_else():
    table = correlated(20_000)
    roles = {"a": "quasi", "b": "quasi", "c": "quasi", "s": "plain"}
    found = masked(Shuffling(), table, roles, Key(bytes(32)))
    assert found["s"].equals(table["s"])
    for name in "abc":
        assert found[name].sort().equals(table[name].sort())
    before, after = (spearmanr(t.to_numpy()).statistic for t in (table, found))
    assert np.abs(before - after).max() < 0.03
    # given s, the new value of a person has nothing to do with her own
    for name in "abc":
        parts = [beyond(rankdata(t[name]), rankdata(t["s"])) for t in (table, found)]
        assert abs(np.corrcoef(*parts)[0, 1]) < 0.03


def beyond(one: np.ndarray, two: np.ndarray) -> np.ndarray:
    """What of one a straight line in the other does not explain."""
    return one - np.polyval(np.polyfit(two, one, 1), two)


def test_shuffling_survives_columns_that_determine_each_other():
    table = correlated(500).with_columns(d=pl.col("a") * 2, e=-pl.col("b"))
    roles = {name: "quasi" if name in "ad" else "plain" for name in table.columns}
    found = masked(Shuffling(), table, roles, Key(bytes(32)))
    # a and d have one order, and b says nothing beyond its correlation
    assert spearmanr(found["a"], found["d"]).statistic > 0.999


def test_noise_has_the_size_it_says():
    table = correlated(50_000)
    roles = dict.fromkeys("abcs", "quasi")
    for method in (Noise(scale=0.3), CorrelatedNoise(scale=0.3)):
        found = masked(method, table, roles, Key(bytes(32)))
        for name in "abcs":
            away = (found[name] - table[name]).to_numpy()
            assert away.std() == pytest.approx(0.3 * table[name].std(), rel=0.02)
            assert abs(away.mean()) < 0.02 * table[name].std()
    noise = (found - table).to_numpy()  # the correlated one
    assert np.abs(np.corrcoef(noise.T) - np.corrcoef(table.to_numpy().T)).max() < 0.02
    independent = masked(Noise(scale=0.3), table, roles, Key(bytes(32)))
    assert np.abs(np.corrcoef((independent - table).to_numpy().T) - np.eye(4)).max() < 0.02


def test_masked_numbers_keep_their_steps():
    from datetime import date, datetime
    from decimal import Decimal

    table = pl.DataFrame(
        {
            "age": pl.Series([1, 2, 3, 4, None, 120] * 5, dtype=pl.Int8),
            "pay": [10.25, 99.5, 12.75, None, 3.0, 7.25] * 5,
            "fee": [None if n is None else Decimal(n) / 100 for n in (110, 230, None, 999, 400, 555)] * 5,
            "born": [None if y is None else date(y, 5, 6) for y in (1990, 80, None, 2001, 99, 70)] * 5,
            "seen": [datetime(2024, 1, 1, h, 30) for h in (1, 2, 3, 5, 8, 13)] * 5,
        }
    )  # fmt: skip
    roles = dict.fromkeys(table.columns, "quasi")
    for method in (Noise(scale=0.5), CorrelatedNoise(scale=0.5)):
        found = masked(method, table, roles, Key(bytes(32)))
        for name in table.columns:
            assert found[name].is_null().equals(table[name].is_null()), name
            assert not found[name].equals(table[name]), name
        assert found.schema["age"] == pl.Int64
        assert ((found["pay"].drop_nulls() * 100).round(6) % 1).sum() == 0
        assert found.schema["fee"] == table.schema["fee"]
        assert found.schema["born"] == pl.Date
        assert (found["seen"].dt.minute() == 30).all()


def mdav(points: np.ndarray, rows: list[int], k: int) -> list[list[int]]:
    """Domingo-Ferrer and Torra's algorithm, word by word."""
    left, groups = list(rows), []

    def near(place: np.ndarray, count: int) -> list[int]:
        chosen = sorted(left, key=lambda r: ((points[r] - place) ** 2).sum())[:count]
        for row in chosen:
            left.remove(row)
        return chosen

    while len(left) >= 3 * k:
        centre = points[left].mean(axis=0)
        far = max(left, key=lambda r: ((points[r] - centre) ** 2).sum())
        furthest = max(left, key=lambda r: ((points[r] - points[far]) ** 2).sum())
        groups += [near(points[far], k), near(points[furthest], k)]
    if len(left) >= 2 * k:
        centre = points[left].mean(axis=0)
        far = max(left, key=lambda r: ((points[r] - centre) ** 2).sum())
        groups.append(near(points[far], k))
    return [*groups, left] if left else groups


@pytest.mark.parametrize("rows", [6, 7, 11, 12, 50, 101])
@pytest.mark.parametrize("k", [2, 3, 5])
def test_mdav_agrees_with_the_algorithm_word_by_word(rows, k):
    points = np.random.default_rng(rows * k).normal(size=(rows, 3))
    group_of = np.empty(rows, np.int32)
    order = np.arange(rows, dtype=np.int32)
    count = group_mdav(points, order.copy(), k, group_of, 0)
    expected = {frozenset(group) for group in mdav(points, list(range(rows)), k)}
    found = {frozenset(np.flatnonzero(group_of == g).tolist()) for g in range(count)}
    assert found == expected
    assert all(k <= len(group) < 2 * k for group in found)


@pytest.mark.parametrize("block", [0, 50, 1000])
def test_microaggregation_is_k_anonymous_and_keeps_means(block):
    table = correlated(3000).select("a", "b")
    method = Microaggregation(k=7, block=block)
    release = method.anonymize(Microdata.read(table, {"a": "quasi", "b": "quasi"}), Key(bytes(32)))
    sizes = release.rows.group_by("a", "b").len()["len"]
    assert sizes.min() >= 7
    assert [claim.model for claim in release.manifest.claims] == ["k_anonymity(k=7)"]
    for name in "ab":
        assert release.rows[name].mean() == pytest.approx(table[name].mean(), abs=1e-6)
    lost = [(release.rows[name].std() / table[name].std()) ** 2 for name in "ab"]
    assert min(lost) > 0.9  # near records are grouped: most of the variance is between groups


def test_blocks_cost_little():
    table = correlated(2000).select("a", "b", "c")
    roles = dict.fromkeys("abc", "quasi")

    def loss(block: int) -> float:
        found = masked(Microaggregation(k=5, block=block), table, roles, Key(bytes(32)))
        return sum(float(((found[n] - table[n]) ** 2).sum()) / table[n].var() for n in "abc")

    assert loss(1000) < 1.1 * loss(0)


def test_promise_only_where_all_quasi_identifiers_are_masked():
    table = correlated(300)
    roles = {"a": "quasi", "b": "quasi", "c": "sensitive", "s": "plain"}
    whole = Microaggregation(k=3).anonymize(Microdata.read(table, roles), Key(bytes(32)))
    part = Microaggregation(k=3, columns=["a"]).anonymize(Microdata.read(table, roles))
    assert whole.manifest.claims
    assert not part.manifest.claims
    assert set(part.masked) == {"a"}


@pytest.mark.parametrize(("call", "error", "message"), [
    ("noise(scale=-1)", CallError, "from 0"),
    ("rank_swapping(p=101)", CallError, "from 0 to 100"),
    ("data_swapping(share=2)", CallError, "from 0 to 1"),
    ("data_swapping(within=3)", CallError, "list of columns"),
    ("microaggregation(k=1)", CallError, "at least 2"),
    ("microaggregation(k=9, block=10)", CallError, "too small"),
    ("noise(columns=7)", CallError, "quasi, sensitive, both"),
    ("noise(columns=[])", CallError, "quasi, sensitive, both"),
    ("noise(columns=[\"agee\"])", SchemaError, "'agee'"),
    ("data_swapping(within=[\"agee\"])", SchemaError, "'agee'"),
    ("data_swapping(within=[\"age\", \"sex\"])", CallError, "no column to swap"),
    ("noise()", CannotAnonymize, "'sex' is nominal"),
    ("microaggregation(k=9, columns=[\"age\"])", CannotAnonymize, "needs 9 rows"),
    ("noise(columns=\"sensitive\")", CannotAnonymize, "there are none"),
])  # fmt: skip
def test_what_cannot_be_done_is_refused(call, error, message):
    table = {"age": [20, 30, 40, 50], "sex": ["f", "m", "f", "m"], "x": [1, 2, 3, 4]}
    with pytest.raises(error, match=message) as refusal:
        Method.parse(call).anonymize(
            Microdata.read(table, {"age": "quasi", "sex": "quasi", "x": "plain"})
        )
    assert refusal.value.remedy


def test_release_says_what_was_masked_and_how_far():
    table = {"age": range(40), "pay": [1, 2] * 20}
    data = Microdata.read(table, {"age": "quasi", "pay": "sensitive"})
    swapped = RankSwapping(p=10).anonymize(data)
    assert (swapped.masked["age"].how, swapped.masked["age"].within) == ("moved", 0.1)
    assert Noise(columns="both").anonymize(data).masked["pay"].how == "changed"
    assert swapped.values("age") is not None
    assert Noise().anonymize(data).values("age") is None


def test_the_same_key_with_other_parameters_draws_anew():
    """Else noise of two scales could be taken away again by arithmetic."""
    table = pl.DataFrame({"a": np.random.default_rng(0).normal(size=500), "id": range(500)})
    roles = {"a": "quasi", "id": "plain"}
    for make in (Noise, CorrelatedNoise):
        one, two = (masked(make(scale=s), table, roles, Key(bytes(32)))["a"] for s in (0.5, 1.0))
        guess = (2 * one - two).to_numpy()
        assert np.abs(guess - table["a"].to_numpy()).mean() > 0.5
    one, two = (masked(RankSwapping(p=p), table, roles, Key(bytes(32)))["a"] for p in (50, 51))
    assert abs(np.corrcoef(one, two)[0, 1]) < 0.9


@pytest.mark.parametrize("scale", [0.5, 1e6])
def test_noise_stays_within_what_a_column_can_hold(scale):
    from datetime import date, datetime, time, timedelta

    days = [date(1, 1, 1), date(9999, 12, 31), date(2000, 1, 1), date(2020, 5, 5)] * 5
    table = pl.DataFrame(
        {
            "small": pl.Series([1, 100, 127, -128] * 5, dtype=pl.Int8),
            "clock": [time(0, 0), time(23, 59), time(12, 0), time(6, 30)] * 5,
            "day": days,
            "moment": [datetime(year, 1, 1) for year in (1700, 2200, 2000, 2020)] * 5,
            "span": [timedelta(days=d) for d in (1, 5, 9, 3)] * 5,
        },
        schema_overrides={"moment": pl.Datetime("ns")},
    )
    roles = dict.fromkeys(table.columns, "quasi")
    for method in (Noise(scale=scale), CorrelatedNoise(scale=scale), Microaggregation(k=3)):
        found = masked(method, table, roles, Key(bytes(32)))
        assert found.null_count().sum_horizontal().item() == 0
        assert all(0 < day.year < 10_000 for day in found["day"].to_list())
        assert found.schema["clock"] == pl.Time


@pytest.mark.parametrize("values", [[2**60, 2**60 + 1, 2**61], [1e300, 2e300, -1e305]])
def test_numbers_too_large_to_compute_with_are_refused(values):
    table = pl.DataFrame({"a": values * 3})
    for method in (Noise(), CorrelatedNoise(), Microaggregation(k=3)):
        with pytest.raises(CannotAnonymize, match="too large"):
            method.anonymize(Microdata.read(table, {"a": "quasi"}))


def test_tiny_numbers_are_not_rounded_away():
    table = pl.DataFrame({"a": [1e-100 * i for i in range(30)]})
    found = masked(Noise(scale=0.1), table, {"a": "quasi"}, Key(bytes(32)))
    assert found["a"].n_unique() == 30
    with pytest.raises(CannotAnonymize, match="too small"):  # their squares are 0
        Noise().anonymize(Microdata.read({"a": [1e-300, 2e-300, 3e-300]}, {"a": "quasi"}))


def test_rank_swapping_leaves_any_value_alone():
    """With three values one is left over; over many keys it is each of them."""
    table = pl.DataFrame({"a": [1, 2, 3]})
    stayed = Counter()
    for seed in range(400):
        found = masked(RankSwapping(p=100), table, {"a": "quasi"}, Key(seed.to_bytes(32, "big")))
        stayed.update(a for a, b in zip(found["a"], [1, 2, 3], strict=True) if a == b)
    assert min(stayed[value] for value in (1, 2, 3)) > 40


def test_a_column_may_be_called_anything():
    table = pl.DataFrame({"number of a row": [1, 2, 3, 4], "row": [4, 3, 2, 1], "0": [1, 1, 2, 2]})
    release = RankSwapping(p=50).anonymize(
        Microdata.read(table, dict.fromkeys(table.columns, "quasi"))
    )
    assert release.group_sizes()["rows"].sum() == 4
