"""Random anonymization: golden values, and the draws it promises."""

from __future__ import annotations

import json
import math
import os
from collections import Counter
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from anonagram import GammaAmplification, Key, Microdata, ProbabilisticAnonymity, Random, Release
from anonagram.errors import CallError, CannotAnonymize, ReleaseDamaged
from anonagram.measures import knowledge_kept, mine_rules

# Yang and Qiao 2010, Figure 1
FIGURE_1 = pl.DataFrame(
    {
        "age": ["50-60", "40-50", "30-40", "30-40", "50-60", "30-40", "50-60", "20-30", "60-70", "30-40"],
        "job": [
            "Doctor", "Clerk", "Clerk", "Clerk", "Trader", "Clerk", "Engineer", "Trader", "Banker", "Banker",
        ],
        "country": ["USA", "USA", "USA", "Germany", "USA", "UK", "USA", "UK", "USA", "India"],
        "disease": ["Hypertension"] * 4 + ["Diabetes"] * 3 + ["Heart Disease", "Cancer", "Cancer"],
    }
)  # fmt: skip
ROLES = {"age": "quasi", "job": "quasi", "country": "quasi", "disease": "sensitive"}
ADULT = Path(
    os.environ.get("ANONAGRAM_DATA", Path(__file__).parents[3] / "shared" / "data")
) / "adult" / "adult_complete.csv"  # fmt: skip
NINE = [
    "education", "race", "sex", "workclass", "marital-status", "age", "relationship",
    "native-country", "income",
]  # fmt: skip


@pytest.fixture(scope="module")
def figure_1() -> Microdata:
    return Microdata.read(FIGURE_1, ROLES)


@pytest.mark.parametrize(("p", "pa"), [("uniform", 11.30), ("optimal", 11.45)])
def test_probabilistic_anonymity_of_figure_1(figure_1, p, pa):
    release = Random(p).anonymize(figure_1)
    assert ProbabilisticAnonymity(1).check(release).achieved == pytest.approx(pa, abs=0.005)
    assert ProbabilisticAnonymity(pa - 0.01).check(release).holds
    assert not ProbabilisticAnonymity(pa + 0.01).check(release).holds


def test_optimal_chances_give_the_sum_of_diversities(figure_1):
    """Proposition 7: Pa = Σ exp(H)."""
    release = Random(p="optimal").anonymize(figure_1)
    tenths = {"age": [1, 4, 1, 3, 1], "job": [1, 4, 2, 1, 2], "country": [6, 1, 2, 1]}
    diversities = [
        math.exp(-sum(n / 10 * math.log(n / 10) for n in counts)) for counts in tenths.values()
    ]
    assert ProbabilisticAnonymity(1).check(release).achieved == pytest.approx(sum(diversities))
    chances = list(release.transition.replaced.values())
    assert chances == pytest.approx([d / sum(diversities) for d in diversities])
    assert sum(chances) == 1


@pytest.mark.skipif(not ADULT.exists(), reason=f"{ADULT} is absent")
def test_probabilistic_anonymity_of_adult():
    """The paper prints 34."""
    table = pl.read_csv(ADULT).select(*NINE, "occupation")
    data = Microdata.read(table, dict.fromkeys(NINE, "quasi") | {"occupation": "sensitive"})
    uniform, optimal = (
        ProbabilisticAnonymity(1).check(Random(p).anonymize(data)).achieved
        for p in ("uniform", "optimal")
    )
    assert uniform == pytest.approx(33.99, abs=0.005)
    assert optimal == pytest.approx(75.3, abs=0.05)


def test_rules_of_figure_1():
    """Clerk → Hypertension (75 %); [30-40], Clerk → Hypertension (67 %)."""
    quasi = ["age", "job", "country"]
    clerk = frozenset([("job", ":Clerk")])
    young = clerk | {("age", ":30-40")}
    implied = ("disease", ":Hypertension")

    def rules(confidence: float) -> set:
        return mine_rules(FIGURE_1, quasi, ["disease"], 0.2, confidence)

    assert {(clerk, implied), (young, implied)} <= rules(0.66)
    assert (clerk, implied) in rules(0.75)
    assert (young, implied) not in rules(0.68)
    assert (clerk, implied) not in rules(0.76)
    # only from quasi-identifiers to one sensitive value
    assert all(name == "disease" for _, (name, _) in rules(0.1))
    assert not any(name == "disease" for a, _ in rules(0.1) for name, _ in a)


def test_rules_have_any_length_exact_thresholds_and_distinct_items():
    constant = pl.DataFrame({f"q{i}": ["x"] * 4 for i in range(9)} | {"s": ["u"] * 4})
    longest = mine_rules(constant, [f"q{i}" for i in range(9)], ["s"], 1.0, 1.0)
    assert max(len(antecedent) for antecedent, _ in longest) == 9
    ties = pl.DataFrame({"q": ["x"] * 100, "s": ["u"] * 55 + ["v"] * 45})
    assert len(mine_rules(ties, ["q"], ["s"], 0.01, 0.55)) == 1
    alike = pl.DataFrame(
        {"a": ["b=c", "y", None, "(missing)"], "a=b": ["z", "c", "c", "c"], "s": ["u"] * 4}
    )
    names = ["a", "a=b"]
    supported = mine_rules(alike, names, ["s"], 0.5, 0.1)
    assert {antecedent for antecedent, _ in supported} == {frozenset([("a=b", ":c")])}


def test_no_attribute_shares_its_draws_with_the_choice():
    """Whatever a column is called, its new values do not depend on which attribute was chosen."""
    table = {"choose": list(range(10)), "other": list(range(10))}
    data = Microdata.read(table, {"choose": "quasi", "other": "quasi"})
    firsts = []
    for seed in range(300):
        publication = Random(p=[0.3, 0.7]).publish(data, Key(seed.to_bytes(32, "big")))
        row = int(publication.mapping["row_in_rows"][0])
        firsts.append(publication.release.rows["choose"][row])
    # 90 of 300 are expected to be replaced, each value about nine times
    assert max(firsts.count(value) for value in range(1, 10)) < 27


def test_knowledge_kept_counts_rules_by_length(figure_1):
    release = Random().anonymize(figure_1, Key(bytes(32)))
    kept = knowledge_kept(release, figure_1, support=0.2, confidence=0.3)
    quasi = ["age", "job", "country"]
    before, after = (
        mine_rules(table, quasi, ["disease"], 0.2, 0.3) for table in (FIGURE_1, release.rows)
    )
    assert sum(each.original for each in kept.lengths) == len(before)
    assert sum(each.recovered for each in kept.lengths) == len(before & after)
    assert sum(each.artificial for each in kept.lengths) == len(after - before)
    assert json.loads(json.dumps(kept.to_dict()))["share"] == kept.share


ROWS = 60_000


def changed(release: Release, table: pl.DataFrame, mapping: pl.DataFrame) -> np.ndarray:
    """Which cells differ: rows in the order of the original."""
    rows = release.rows[mapping["row_in_rows"].to_numpy()]
    return np.stack([(rows[n] != table[n]).to_numpy() for n in ("a", "b", "c")], axis=1)


def many() -> tuple[pl.DataFrame, Microdata]:
    random = np.random.default_rng(1)
    columns = {name: random.integers(0, 1000, ROWS) for name in ("a", "b", "c")}
    table = pl.DataFrame(columns | {"s": random.integers(0, 5, ROWS)})
    return table, Microdata.read(
        table, {"a": "quasi", "b": "quasi", "c": "quasi", "s": "sensitive"}
    )


def test_one_attribute_is_replaced_with_its_chance():
    table, data = many()
    publication = Random(p=[0.5, 0.3, 0.2]).publish(data, Key(bytes(32)))
    cells = changed(publication.release, table, publication.mapping)
    assert cells.sum(axis=1).max() == 1
    # a draw gives the same value again once in a thousand
    for share, chance in zip(cells.mean(axis=0), [0.5, 0.3, 0.2], strict=True):
        assert abs(share - chance * 0.999) < 5 * math.sqrt(chance * (1 - chance) / ROWS)


def test_all_sets_of_several_attributes_are_equally_likely():
    table, data = many()
    publication = Random(attributes=2).publish(data, Key(bytes(32)))
    cells = changed(publication.release, table, publication.mapping)
    sets = Counter(map(tuple, cells[cells.sum(axis=1) == 2].tolist()))
    expected = [tuple(i in pair for i in range(3)) for pair in combinations(range(3), 2)]
    assert set(sets) == set(expected)
    assert all(abs(n - ROWS / 3) < 6 * math.sqrt(ROWS / 3) + ROWS * 0.002 for n in sets.values())


def test_new_values_come_from_the_columns_own_distribution():
    values = np.repeat([0, 1, 2], [ROWS // 2, ROWS // 3, ROWS - ROWS // 2 - ROWS // 3])
    table = {"a": values, "b": np.arange(ROWS) % 7}
    data = Microdata.read(table, {"a": "quasi", "b": "quasi"})
    release = Random(p=[1.0, 0.0]).anonymize(data, Key(bytes(32)))
    drawn = np.bincount(release.rows["a"].to_numpy()) / ROWS
    assert np.abs(drawn - [1 / 2, 1 / 3, 1 / 6]).max() < 5 / math.sqrt(ROWS)
    assert release.rows["b"].sort().equals(pl.Series("b", table["b"]).sort())


def test_gamma_is_the_ratio_of_the_likeliest_to_the_unlikeliest_origin(figure_1):
    """By hand for Figure 1, p = 1/3: a rarest row [20-30], Doctor, India has weights 1/10 each."""
    release = Random("uniform").anonymize(figure_1, Key(bytes(32)))
    tenths = {
        "age": {"50-60": 3, "40-50": 1, "30-40": 4, "20-30": 1, "60-70": 1},
        "job": {"Doctor": 1, "Clerk": 4, "Trader": 2, "Engineer": 1, "Banker": 2},
        "country": {"USA": 6, "Germany": 1, "UK": 2, "India": 1},
    }
    worst = 0.0
    for row in release.rows.iter_rows(named=True):
        weights = [tenths[name][row[name]] for name in tenths]
        worst = max(worst, sum(weights) / min(weights))
    assert GammaAmplification(1).check(release).achieved == pytest.approx(worst, rel=1e-6)
    several = Random(attributes=2).anonymize(figure_1, Key(bytes(32)))
    worst = 0.0
    for row in several.rows.iter_rows(named=True):
        products = [tenths[a][row[a]] * tenths[b][row[b]] for a, b in combinations(tenths, 2)]
        worst = max(worst, sum(products) / min(products))
    assert GammaAmplification(1).check(several).achieved == pytest.approx(worst)


@pytest.mark.parametrize(
    "call",
    ["random(p=[0.5])", "random(p=[0.5, 0.5, 0.5])", "random(p=best)", "random(attributes=0)",
     "random(p=[1, 0, 0], attributes=2)", "random(p=[2, -1, 0])", "random(p=7)"],
)  # fmt: skip
def test_bad_parameters_are_refused(figure_1, call):
    with pytest.raises((CallError, CannotAnonymize)) as refusal:
        Random.parse(call).anonymize(figure_1)
    assert refusal.value.remedy


def test_too_many_attributes_are_refused(figure_1):
    with pytest.raises(CannotAnonymize) as refusal:
        Random(attributes=4).anonymize(figure_1)
    assert "attributes = 3 is the largest" in refusal.value.remedy
    assert Random(attributes=3).anonymize(figure_1).rows.height == 10


@pytest.mark.parametrize(
    "forged",
    [
        {"attributes": 0}, {"attributes": 5}, {"attributes": 1.5}, {"attributes": True},
        {"replaced": {"age": -0.5, "job": 1.0, "country": 0.5}},
        {"replaced": {"age": 0.0, "job": 0.0, "country": 0.0}},
        {"replaced": {"age": math.nan, "job": 0.5, "country": 0.5}},
        {"attributes": 2, "replaced": {"age": 0.1, "job": 0.1, "country": 0.1}},
    ],
)  # fmt: skip
def test_forged_chances_are_noticed(figure_1, forged):
    release = Random().anonymize(figure_1)
    manifest = replace(release.manifest, section=replace(release.transition, **forged))
    with pytest.raises(ReleaseDamaged, match="chances"):
        type(release).from_tables(manifest, release.tables)


def test_forged_counts_or_chances_are_noticed(figure_1, tmp_path):
    release = Random().anonymize(figure_1)
    tables = release.tables
    short = tables["marginal"].head(2)
    for name, table in (("marginal", short), ("rows", tables["rows"].head(9))):
        with pytest.raises(ReleaseDamaged):
            type(release).from_tables(release.manifest, {**tables, name: table})
    release.write(tmp_path / "release", "csv")
    assert Release.read(tmp_path / "release").transition == release.transition
