"""k-Optimize: the optimum against every set of cuts, its bound, and what is published and told."""

from __future__ import annotations

from collections import Counter
from itertools import product
from math import log, prod

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonagram import KAnonymity, Key, KOptimize, Method, Microdata, Optimal, PrivacyModel, Release
from anonagram.errors import CallError, CannotAnonymize
from anonagram.lattice import CutSets
from anonagram.lattice.runs import WIDTHS
from anonagram.present import document_of
from tests.methods.test_full_domain import GOALS, SCHEMA, adult, hospital, read, tables

KEY = Key(bytes(32))
WORK = 10**9


def every_set(sets: CutSets) -> list[np.ndarray]:
    """All sets of cuts."""
    begins = set(sets.runs.first[:-1].tolist())
    free = [place for place in range(sets.runs.codes.size) if place not in begins]
    flags = []
    for bits in product((0, 2), repeat=len(free)):
        flags.append(np.zeros(sets.runs.codes.size, np.int8))
        flags[-1][free] = bits
    return flags


@settings(max_examples=40)
@given(
    rows=tables,
    goal=st.lists(st.sampled_from(GOALS), min_size=1, max_size=2, unique=True),
    suppress=st.sampled_from([0, 0.2, 0.5]),
    suppressed=st.sampled_from(["kept", "left_out"]),
    cost=st.sampled_from(list(WIDTHS)),
    little=st.sampled_from([0, 300, 3000, 10_000]),
)
def test_no_set_is_better_and_no_bound_is_wrong(rows, goal, suppress, suppressed, cost, little):
    data = read(rows)
    if data is None:
        return
    options = {"suppress": suppress, "suppressed": suppressed, "cost": cost}
    lattice, rule = KOptimize(*goal, **options).lattice(data)
    sets = CutSets(lattice, cost)
    least = min(sets.judge(flags, rule)[0] for flags in every_set(sets))
    found = sets.best(rule, WORK)
    assert found.cost == pytest.approx(least, abs=1e-9)
    assert found.is_best or not np.isfinite(least)
    assert found.cost <= lattice.best(rule).cost + 1e-12
    early = sets.best(rule, little)
    assert early.cost >= least - 1e-9
    assert min(early.least, early.cost) <= least + 1e-9


@settings(max_examples=25)
@given(
    rows=tables,
    k=st.integers(1, 4),
    l=st.integers(1, 2),
    cost=st.sampled_from(list(WIDTHS)),
    draw=st.randoms(use_true_random=False),
)
def test_a_set_costs_what_it_costs_counted_by_hand(rows, k, l, cost, draw):
    data = read(rows)
    if data is None:
        return
    goal = (f"k_anonymity(k={k})", f"distinct_l_diversity(l={max(2, l)})")[: 1 + (l > 1)]
    method = KOptimize(*goal, suppress=1, suppressed="left_out", cost=cost)
    lattice, rule = method.lattice(data)
    sets = CutSets(lattice, cost)
    flags = draw.choice(every_set(sets))
    runs = [
        runs[o.ladder.column.codes]
        for runs, o in zip(sets.runs_of(flags), sets.orders, strict=True)
    ]
    groups = list(zip(*runs, strict=True))
    sizes = Counter(groups)
    values = {g: len({r[2] for r, o in zip(rows, groups, strict=True) if o == g}) for g in sizes}
    is_bad = [sizes[group] < k or values[group] < l for group in groups]
    cells = [list(lost_by_hand(cost, sets, i, runs[i], is_bad)) for i in (0, 1)]
    told, suppressed = sets.judge(flags, rule)
    assert suppressed == sum(is_bad)
    if cost == "discernibility":
        good = {g for g, bad in zip(groups, is_bad, strict=True) if not bad}
        expected = sum(sizes[g] ** 2 for g in good) + sum(is_bad) * len(rows)
    elif cost == "class_size":
        good = {g for g, bad in zip(groups, is_bad, strict=True) if not bad}
        expected = (len(rows) - sum(is_bad)) / max(1, len(good))
    elif cost == "geometric_loss":
        expected = prod(1 + sum(each) / len(rows) for each in cells) ** 0.5 - 1
    elif cost == "entropy":
        free = sum(log(c.counts[code]) for c in data.with_role("quasi") for code in c.codes)
        most = 2 * len(rows) * log(len(rows)) - free
        expected = (sum(map(sum, cells)) - free) / most
    else:
        expected = sum(map(sum, cells)) / (2 * len(rows))
    assert told == pytest.approx(expected, abs=1e-9)


def lost_by_hand(cost, sets, i, run_of_row, is_bad):
    ladder = sets.orders[i].ladder
    column = ladder.column
    span = int(column.domain[-1]) - int(column.domain[0]) if i == 0 else 0
    for row, run in enumerate(run_of_row):
        inside = sorted({int(c) for c, r in zip(column.codes, run_of_row, strict=True) if r == run})
        if is_bad[row]:
            yield log(len(is_bad)) if cost == "entropy" else 1.0
        elif cost == "entropy":
            yield log(sum(column.counts[code] for code in inside))
        elif len(inside) == 1:
            yield 0.0
        elif cost != "ncp":
            yield (len(inside) - 1) / (ladder.size - 1)
        elif i == 1:
            yield len(inside) / len(set(column.codes.tolist()))
        elif inside[-1] == len(column.domain):  # missing beside others
            yield 1.0
        else:
            yield (int(column.domain[inside[-1]]) - int(column.domain[inside[0]])) / span


@settings(max_examples=25)
@given(
    rows=tables,
    goal=st.sampled_from(GOALS),
    suppress=st.sampled_from([0, 0.3]),
    suppressed=st.sampled_from(["kept", "left_out"]),
)
def test_what_is_published_holds_and_covers_everybody(rows, goal, suppress, suppressed):
    data = read(rows)
    if data is None:
        return
    method = KOptimize(goal, suppress=suppress, suppressed=suppressed, seconds=1)
    try:
        publication = method.publish(data, KEY)
    except CannotAnonymize:
        return
    release, mapping = publication.release, publication.mapping
    assert PrivacyModel.parse(goal).check(release).holds
    groups = {row["group"]: row for row in release.groups.to_dicts()}
    for (age, place, _), at in zip(rows, mapping["group"].to_list(), strict=True):
        if at is None:
            continue
        told = groups[at]
        assert place in told["place"]
        assert told["age_missing"] if age is None else told["age_low"] <= age <= told["age_high"]


def test_values_of_one_label_stand_beside_each_other():
    data = hospital()
    lattice, rule = KOptimize(KAnonymity(k=2)).lattice(data)
    sets = CutSets(lattice, "loss")
    for levels in product(*(range(ladder.height + 1) for ladder in lattice.ladders)):
        flags = sets.of_levels(levels)
        assert flags is not None
        cost, suppressed = sets.judge(flags, rule)
        node = lattice.judge(levels, rule)
        assert suppressed == node.suppressed or not np.isfinite(cost)
        assert cost <= node.cost + 1e-12


def test_levels_whose_labels_are_no_runs_are_not_begun_with():
    odd = {"role": "quasi", "hierarchy": 'tree({"odd": ["1", "3"], "even": ["2", "4"]})'}
    table = {"n": [1, 2, 3, 4] * 3, "ill": ["p", "q"] * 6}
    data = Microdata.read(table, {"n": odd, "ill": "sensitive"})
    lattice, rule = KOptimize(KAnonymity(k=6)).lattice(data)
    sets = CutSets(lattice, "loss")
    assert sets.of_levels((1,)) is None
    assert sets.best(rule, WORK).cost == lattice.best(rule).cost == pytest.approx(1 / 3)


def test_suppressed_rows_both_ways(tmp_path):
    ages, places = [20] * 8 + [60] * 8 + [60] * 3 + [20] * 3, "a" * 8 + "c" * 8 + "a" * 3 + "c" * 3
    table = {"age": ages, "place": list(places), "ill": ["p", "q"] * 11}
    data = Microdata.read(table, SCHEMA)
    kept = KOptimize(KAnonymity(k=6), suppress=0.3).anonymize(data, KEY)
    last = kept.rows.filter(pl.col("group") == kept.rows["group"].max())
    assert set(last["age"]) == set(last["place"]) == {"*"}
    assert (last.height, kept.manifest.rows.suppressed) == (6, 0)
    assert set(kept.rows["age"]) == {"20", "60", "*"}
    left_out = KOptimize(KAnonymity(k=6), suppress=0.3, suppressed="left_out").anonymize(data, KEY)
    assert left_out.manifest.rows.suppressed == 6
    left_out.write(tmp_path / "release", "csv")
    again = Release.read(tmp_path / "release")
    answer = again.query("SELECT COUNT(*) FROM data WHERE age > 40 AND ill = 'p'")[0]["COUNT(*)"]
    assert answer.lower <= 6 <= answer.upper  # 5 or 6 of 11 people of 60


def test_the_search_is_told():
    data = hospital()
    choice = KOptimize(KAnonymity(k=20), seconds=60).publish(data, KEY).choice
    assert "none costs less" in choice.search
    ended = KOptimize(KAnonymity(k=20), seconds=0).publish(data, KEY).choice
    assert "The search was ended" in ended.search
    assert ended.found.least < choice.found.cost <= ended.found.cost
    told = choice.explored()
    assert told["is_best"] is True
    assert told["begins"]["age"][0] == "20"
    assert len(told["made"]) == sum(len(runs) - 1 for runs in told["begins"].values())
    assert all(each["without"] is None or each["without"] >= told["costs"] for each in told["made"])
    assert "One cut less" in [section.title for section in document_of(choice).sections]


@pytest.mark.parametrize(
    "call",
    ["k_optimize()", "k_optimize(k_anonymity(k=5), seconds=-1)",
     "k_optimize(k_anonymity(k=5), seconds=1e9)", "k_optimize(k_anonymity(k=5), cost=precision)"],
)  # fmt: skip
def test_calls_that_say_nothing_sensible_are_refused(call):
    with pytest.raises(CallError):
        Method.parse(call)


def test_what_cannot_be_reached_is_refused_by_how_much():
    with pytest.raises(CannotAnonymize, match=r"k_anonymity.*achieves 200"):
        KOptimize(KAnonymity(k=300)).anonymize(hospital(), KEY)


def test_missing_values_stand_behind_all_others():
    table = {"age": [None, None, None, 31, 32, 33], "ill": ["p", "q"] * 3}
    data = Microdata.read(table, {"age": "quasi", "ill": "sensitive"})
    release = KOptimize(KAnonymity(k=3)).anonymize(data, KEY)
    assert set(release.rows["age"].to_list()) == {None, "[31, 33]"}


@pytest.mark.parametrize("suppress", [0, 0.04])
def test_it_does_better_than_the_best_levels_on_real_data(real_data, suppress):
    data = adult(real_data)
    method = KOptimize("k_anonymity(k=5)", suppress=suppress, suppressed="left_out")
    lattice, rule = method.lattice(data)
    found = CutSets(lattice, "loss").best(rule, 10_000_000)
    best = Optimal("k_anonymity(k=5)", suppress=suppress, suppressed="left_out").lattice(data)
    assert found.least < found.cost < 0.9 * best[0].best(best[1]).cost
