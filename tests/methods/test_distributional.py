"""Distributional privacy: the thesis' values, and the best that can be found by trying everything."""

from __future__ import annotations

import itertools
import math
import re
from fractions import Fraction
from functools import cache

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonagram import Distributional, DistributionalPrivacy, Key, Microdata, Release
from anonagram.columns.trees import Tree, balanced, node_masses, weighted
from anonagram.errors import AnonagramError, CallError, CannotAnonymize
from anonagram.kernels.fakes import place_fakes
from anonagram.kernels.subdomains import push_down

KEY = Key(bytes(32))
STAFF = pl.DataFrame(
    {
        "zip": [91110, 91110, 91110, 91130, 91210, 91220, 91240, 91310, 91320, 91330, 91340],
        "area": ["911"] * 4 + ["912"] * 3 + ["913"] * 4,
        "sex": list("FMMFFFFMMMF"),
        "pay": [30, 40, 50, 60, 40, 30, 50, 40, 60, 60, 60],
    }
)  # Zhang (2007, Table 3.1)
ROLES = {"zip": "quasi", "area": "quasi", "sex": "quasi", "pay": "sensitive"}


def microdata(table: pl.DataFrame = STAFF, **roles: str) -> Microdata:
    return Microdata.read(table, ROLES | roles)


@cache
def released(**parameters: object) -> Release:
    return Distributional(groups=("area",), **parameters).anonymize(microdata(), KEY)


def area(release: Release, name: str) -> dict[tuple[int, int], int]:
    """What a group publishes: how often each subdomain."""
    group = release.quasi.filter(pl.col("area") == name)["group"][0]
    lines = release.sensitive["pay"].filter(pl.col("group") == group)
    return {(low, high): count for _, low, high, _, count in lines.iter_rows()}


def ranges(told: dict[tuple[int, int], int]) -> int:
    return sum((high - low) * count for (low, high), count in told.items())


def generalized(tree: Tree, values: list[int]) -> dict[str, int]:
    codes = np.sort(np.searchsorted(tree.values.to_numpy(), values)).astype(np.int32)
    starts, top = np.array([0, codes.size]), np.zeros(1, np.int64)
    found = push_down(codes, starts, tree.nodes, tree.weights, top, 0.0, 10)
    return {tree.text(n): int(c) for n, c in zip(found.node, found.count, strict=True)}


def with_fakes(tree: Tree, values: list[int], most: int):
    counts = np.bincount(
        np.searchsorted(tree.values.to_numpy(), values), minlength=len(tree.values)
    )
    of_nodes = node_masses(tree, counts.astype(float)).astype(np.int64)
    return place_fakes(of_nodes, tree.nodes, tree.weights, tree.ranges("numeric"), most)


@pytest.mark.parametrize(("m", "told"), [(10, [2, 4, 2]), (3, [0, 0, 0])])
def test_the_largest_allocation(m, told):
    """N = (3, 6, 5), W = (1, 2, 1): what goes on from a node with m values."""
    values = [1] * 3 + [2] * 6 + [3] * 5
    tree = weighted(balanced(pl.Series([1, 2, 3]), 3), np.array([1.0, 2.0, 1.0]), 10)
    assert tree.weights.tolist() == [1, 1, 2, 1]
    units = min(m // 4, 3 // 1, 6 // 2, 5 // 1)
    assert [units * w for w in (1, 2, 1)] == told
    if m == 10:  # all 14 values: three units
        assert generalized(tree, values) == {"1 to 3": 2, "1": 3, "2": 6, "3": 3}


def test_the_thesis_examples():
    tree = balanced(pl.Series([30, 40, 50, 60]), 2)
    found = generalized(tree, [30, 30, 40, 40, 50, 60])
    assert found == {"30 to 60": 2, "30": 1, "40": 1, "50": 1, "60": 1}
    release = released()
    assert [ranges(area(release, name)) for name in ("911", "912", "913")] == [0, 50, 80]
    assert area(release, "912") == {(30, 60): 1, (30, 40): 1, (50, 60): 1}
    assert area(release, "913") == {(30, 60): 2, (30, 40): 1, (50, 60): 1}


def test_the_thesis_questions():
    release = released()
    (answer,) = release.query("SELECT AVG(pay) FROM data WHERE sex = 'F'")
    assert (answer["AVG(pay)"].lower, answer["AVG(pay)"].upper) == (35, 55)
    (answer,) = release.query("SELECT AVG(pay) FROM data WHERE zip = 91110")
    assert (answer["AVG(pay)"].lower, answer["AVG(pay)"].upper) == (40, 50)
    sql = "SELECT AVG(pay) FROM data WHERE area = '912'"
    (answer,) = release.query(sql)
    assert (answer["AVG(pay)"].lower, answer["AVG(pay)"].upper) == (110 / 3, 160 / 3)
    helped = released(fakes=0.34)
    assert area(helped, "912") == {(30, 30): 1, (40, 40): 1, (50, 50): 1, (60, 60): 1}
    (answer,) = helped.query(sql)
    assert (answer["AVG(pay)"].lower, answer["AVG(pay)"].upper) == (40, 50)


@pytest.mark.parametrize(
    ("values", "top", "best"),
    [
        ([1, 3, 5], 8, [13, 4, 4]),
        ([1, 3, 5, 7], 8, [4, 4, 4, 4, 0]),
        ([1, 1, 1, 2, 3, 4, 5, 6, 7, 9, 9, 11, 11, 13, 13, 15, 15], 16, [None, 38]),
        ([1, 2, 3, 5, 6, 7, 7], 8, [17, 2, 2, 2]),
    ],
)
def test_the_thesis_fakes(values, top, best):
    tree = balanced(pl.Series(range(1, top + 1)), 2)
    for most, cost in enumerate(best):
        if cost is not None:
            assert with_fakes(tree, values, most).cost == cost


def test_exactly_so_many_fakes_are_worse_at_times():
    """Printed as best sums for 0, 1, 2, … fakes: by trying all sets of so many."""
    tree = balanced(pl.Series(range(1, 9)), 2)
    for values, printed in (
        ([1, 3, 5, 7], [4, 11, 10, 17, 0]),
        ([1, 2, 3, 5, 6, 7, 7], [17, 2, 7, 6]),
        ([1, 3, 5], [13, 4, 11]),
    ):
        assert [best_of(tree, values, k) for k in range(len(printed))] == printed


def test_the_best_place_of_a_fake_in_either_half():
    """38 with a fake at 8; on the right half 44, where the thesis prints 46."""
    tree = balanced(pl.Series(range(1, 17)), 2)
    values = [1, 1, 1, 2, 3, 4, 5, 6, 7, 9, 9, 11, 11, 13, 13, 15, 15]
    sums = {fake: sum_of(tree, [*values, fake]) for fake in range(1, 17)}
    assert min(sums.values()) == sums[8] == 38
    assert min(sums[fake] for fake in range(9, 17)) == 44


def sum_of(tree: Tree, values: list[int]) -> float:
    wide = dict(zip(map(tree.text, range(tree.size)), tree.ranges("numeric"), strict=True))
    return sum(wide[name] * count for name, count in generalized(tree, values).items())


def best_of(tree: Tree, values: list[int], fakes: int) -> float:
    able = [v for v, p in zip(tree.values, tree.probabilities, strict=True) if p > 0]
    sets = itertools.combinations_with_replacement(able, fakes)
    return min(sum_of(tree, [*values, *each]) for each in sets)


small = st.tuples(
    st.lists(st.integers(0, 30), min_size=2, max_size=5, unique=True).map(sorted),
    st.lists(st.integers(0, 3), min_size=5, max_size=5),
    st.integers(1, 5),
    st.lists(st.integers(0, 4), min_size=1, max_size=6),
    st.integers(2, 3),
)


def small_tree(domain: list[int], masses: list[int], cap: int, arity: int) -> Tree:
    amounts = np.array(masses[: len(domain)], np.float64)
    if not amounts.any():
        amounts[:] = 1
    return weighted(balanced(pl.Series(domain), arity), amounts, cap)


def private_multisets(tree: Tree, values: list[int]):
    """Every multiset of nodes that follows the target exactly and covers the values one by one."""
    inside = [
        [tree.values[c] for c in range(tree.nodes.low[n], tree.nodes.high[n])]
        for n in range(tree.size)
    ]
    sums = [
        sum(w for w, p in zip(tree.weights, tree.nodes.parent, strict=True) if p == n)
        for n in range(tree.size)
    ]
    chance = [Fraction(1)] * tree.size
    for n in range(1, tree.size):
        p = tree.nodes.parent[n]
        chance[n] = chance[p] * int(tree.weights[n]) / int(sums[p])
    able = [n for n in range(tree.size) if chance[n] > 0]
    leaf = {inside[n][0]: chance[n] for n in range(tree.size) if len(inside[n]) == 1}
    for nodes in itertools.combinations_with_replacement(able, len(values)):
        told = {
            t: sum((leaf[t] / chance[n] for n in nodes if t in inside[n]), Fraction(0))
            for t in leaf
        }
        if all(told[t] == leaf[t] * len(values) for t in leaf) and any(
            all(v in inside[n] for v, n in zip(values, order, strict=True))
            for order in itertools.permutations(nodes)
        ):
            yield nodes


@given(small)
def test_no_private_generalization_is_narrower(case):
    domain, masses, cap, picks, arity = case
    tree = small_tree(domain, masses, cap, arity)
    able = [v for v, p in zip(tree.values, tree.probabilities, strict=True) if p > 0]
    values = [able[pick % len(able)] for pick in picks[:4]]
    wide = tree.ranges("numeric")
    best = min(sum(wide[n] for n in nodes) for nodes in private_multisets(tree, values))
    assert sum_of(tree, values) == pytest.approx(best)


@given(small, st.integers(0, 3))
def test_fakes_are_the_best_there_are(case, most):
    domain, masses, cap, picks, _ = case
    tree = small_tree(domain, masses, cap, 2)
    able = [v for v, p in zip(tree.values, tree.probabilities, strict=True) if p > 0]
    values = [able[pick % len(able)] for pick in picks]
    plan = with_fakes(tree, values, most)
    tried = [best_of(tree, values, k) for k in range(most + 1)]
    assert plan.cost == pytest.approx(min(tried))
    assert plan.fakes == tried.index(min(tried))
    assert plan.count.sum() == len(values) + plan.fakes
    assert (plan.count * tree.ranges("numeric")).sum() == pytest.approx(plan.cost)


@pytest.mark.parametrize(
    "method",
    [
        Distributional("source", ["area"]),
        Distributional("normal(r=4)", [], exact=True),
        Distributional("zipf(s=1)", "neighbours", size=3, arity=3),
        Distributional("uniform", ["area"], fakes=0.5),
        Distributional({"F": "uniform", "M": "source"}, ["area"], parts="sex"),
        Distributional('weights(of={"20": 1, "30": 2, "40": 2, "50": 2, "60": 3})', ["area"]),
    ],
    ids=repr,
)
def test_what_a_group_tells_is_the_target(method):
    """By the definition: the mean of P(x | D) over a group's subdomains is P, for every value."""
    release = method.anonymize(microdata(), KEY)
    tree, slots = release.tree("pay"), release.slots("pay")
    for group in range(release.group_sizes().height):
        told = release.belief("pay", group)
        root = tree.roots[slots.node[slots.group == group][0]]
        own = slice(tree.nodes.low[root], tree.nodes.high[root])
        assert told[own] == pytest.approx(tree.probabilities[own], abs=1e-12)
        assert told.sum() == pytest.approx(1)
    assert release.highest_posterior("pay") == pytest.approx(
        max(release.belief("pay", g).max() for g in range(release.group_sizes().height))
    )


def test_a_tree_of_other_weights_is_noticed():
    release = released()
    model = DistributionalPrivacy("uniform")
    assert model.check(release).holds
    assert not DistributionalPrivacy("zipf(s=1)").check(release).holds
    lines = release.sensitive["pay"]
    forged = lines.with_columns(
        pl.col("pay_low").replace(40, 30), pl.col("pay_high").replace(40, 30)
    )
    forged = forged.group_by("group", "pay_low", "pay_high", "pay_missing").agg(
        pl.col("count").sum()
    )
    finding = model.check(
        type(release)(release.manifest, release.quasi, {"pay": forged}, release.targets)
    )
    assert not finding.holds
    assert finding.violating_groups > 0


def test_shift_leaves_groups_their_own_shares():
    sums = [released(shift=shift).sum_of_ranges("pay") for shift in (0.0, 0.2, 0.5, 1.0)]
    assert sums == sorted(sums, reverse=True)
    assert sums[-1] == 0
    assert DistributionalPrivacy("uniform", shift=0.2).check(released(shift=0.2)).holds
    assert not DistributionalPrivacy("uniform").check(released(shift=1.0)).holds


def test_nothing_tells_whose_subdomain_is_whose():
    """Rows of a group in any order give the same table of subdomains, in the order of the domain."""
    one = released(fakes=0.5)
    other = Distributional("uniform", ["area"], fakes=0.5).anonymize(
        microdata(STAFF.sample(fraction=1, shuffle=True, seed=3)), KEY
    )
    for name in ("911", "912", "913"):
        assert area(one, name) == area(other, name)
    for lines in one.sensitive["pay"].partition_by("group"):
        ends = [(low, -high) for low, high in lines.select("pay_low", "pay_high").iter_rows()]
        assert ends == sorted(ends)
    assert sum(one.told.fakes.values()) == one.sensitive["pay"]["count"].sum() - STAFF.height


def test_dates_and_another_tables_column_as_targets(tmp_path):
    days = pl.date_range(pl.date(2024, 1, 1), pl.date(2024, 1, 8), eager=True)
    table = pl.DataFrame(
        {"area": list("ab") * 8, "day": days.append(days), "pay": [None, *range(1, 16)]}
    )
    (tmp_path / "other.csv").write_text("wage\n" + "\n".join(map(str, range(1, 31))))
    roles = {"area": "quasi", "day": "sensitive", "pay": "sensitive"}
    weights = {str(day): 1 + (place % 2) for place, day in enumerate(days)} | {"2024-02-01": 3}
    like = f"like(file='{tmp_path / 'other.csv'}', column='wage')"
    data = Microdata.read(table, roles)
    method = Distributional({"day": f"weights(of={weights})", "pay": like}, ["area"])
    release = method.anonymize(data, KEY)
    (model,) = method.promises(data)
    assert model.compare(release, data).holds
    assert release.tree("day").values.max() == pl.Series(["2024-02-01"]).str.to_date()[0]
    # a missing value, which the other table does not know, weighs as much as it is frequent
    assert release.tree("pay").values.null_count() == 1
    assert release.tree("pay").values.max() == 30


@pytest.mark.parametrize(
    ("method", "error"),
    [
        ("distributional(target=\"weights(of={'30': 1, '40': 1})\")", "no probability"),
        ("distributional(target=\"weights(of={'30': 1.5})\")", "no whole number"),
        ("distributional(fakes=1.5)", "from 0 to 1"),
        ('personalized(guard="wish")', "row 2: column 'wish' asks for '.50, 60.', but pay is 40"),
    ],
)
def test_bad_input_is_told_and_nothing_written(method, error, anonagram, tmp_path):
    wishes = pl.Series("wish", ["", "[50, 60]", *["0"] * 9])
    STAFF.with_columns(wishes).write_csv(tmp_path / "staff.csv")
    roles = {**ROLES, "wish": "guard"}
    lines = "".join(f'{name} = "{role}"\n' for name, role in roles.items())
    (tmp_path / "staff.toml").write_text(f"[columns]\n{lines}")
    done = anonagram(
        "anonymize", tmp_path / "staff.csv", "--schema", tmp_path / "staff.toml",
        "--method", method, "-o", tmp_path / "out", "--private", tmp_path / "secret",
    )  # fmt: skip
    assert done.returncode == 2
    assert re.search(error, done.stderr)
    assert "Try:" in done.stderr
    assert sorted(each.name for each in tmp_path.iterdir()) == ["staff.csv", "staff.toml"]


@pytest.mark.parametrize(
    ("call", "error"),
    [
        ('distributional(target="weights(of={\'30\': 1, \'40\': 1})", groups=["area"])', "no probability"),
        ('distributional(target="weights(of={\'30\': 1.5})")', "no whole number"),
        ('distributional(target="weights(of={\'x\': 1})")', "no value of 'pay'"),
        ('distributional(target="gauss")', "no target distribution"),
        ('distributional(fakes=0.1, arity=3)', "fakes need"),
        ('distributional(fakes=2)', "from 0 to 1"),
        ('distributional(groups=["pay"])', "would tell it"),
        ('distributional(parts="sex")', "target must be a dictionary"),
        ('distributional(parts="sex", target={"F": "uniform"})', "no target is given for 'M'"),
        ('distributional(arity=None)', "no hierarchy"),
    ],
)  # fmt: skip
def test_bad_calls_are_refused_in_words(call, error):
    with pytest.raises(AnonagramError, match=error) as caught:
        Distributional.parse(call).anonymize(microdata(), KEY)
    assert isinstance(caught.value, CallError | CannotAnonymize)
    assert caught.value.remedy


@pytest.mark.parametrize("target", ["uniform", "source", "zipf(s=1)", "normal(r=2)"])
@pytest.mark.filterwarnings("error")
def test_values_at_the_ends_of_floats_have_finite_figures(target):
    pay = [-1.7e308, 0.0, 1.7e308, 1.0, 1.7e308, -1.7e308, 5e-324, None]
    table = {"ward": [1, 1, 1, 1, 2, 2, 2, 2], "pay": pay}
    data = Microdata.read(table, {"ward": "quasi", "pay": "sensitive"})
    release = Distributional(target, ["ward"]).anonymize(data, Key(bytes(32)))
    assert all(math.isfinite(figure) for part in release.figures() for figure in part.values())
