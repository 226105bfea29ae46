"""Attacks on tiny tables against all matchings, permutations and worlds, one by one."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, permutations, product
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, reject
from hypothesis import strategies as st

from anonagram import Generalize, Key, Method, Microdata, Permutation
from anonagram.attacks import Attack, Target
from anonagram.attacks.background_knowledge import after_pieces, pieces_needed
from anonagram.attacks.figures.correlated import guess_correlated
from anonagram.attacks.figures.group_values import GroupValues
from anonagram.attacks.figures.present import Looked
from anonagram.attacks.figures.told_entries import ToldEntries
from anonagram.attacks.figures.weighed import weigh_values
from anonagram.errors import CannotAnonymize, SchemaError
from anonagram.kernels.believe import believe_values
from anonagram.learning import alike_kinds
from anonagram.registers.fitting import fitting
from anonagram.verify import verify_in
from anonagram.verify.view import view_of
from tests.attacks.test_intersection import can_hold
from tests.tables import anatomized

groups = st.lists(st.lists(st.sampled_from("abcd"), min_size=1, max_size=5), min_size=1, max_size=3)


def release_of(of: list[list[str]]):
    numbers = [number for number, values in enumerate(of, 1) for _ in values]
    return anatomized(numbers, [value for values in of for value in values])


def matchings(values: list[str]) -> list[tuple[str, ...]]:
    """Every way to give a group's values to its rows."""
    return list(permutations(values))


def values_of(of: list[list[str]]) -> GroupValues:
    (found,) = GroupValues.all_of(release_of(of))
    return found


@given(groups)
def test_beliefs_by_group_are_shares_of_matchings(of):
    found = Attack.parse("skewness()").run(Target(release_of(of)))
    expected = []
    for values in of:
        worlds = matchings(values)
        expected += [np.mean([world[0] == value for world in worlds]) for value in values]
    assert sorted(found.scores) == pytest.approx(sorted(expected))
    everything = Counter(value for values in of for value in values)
    total = sum(everything.values())
    assert found.baseline == pytest.approx(sum((n / total) ** 2 for n in everything.values()))
    told = Attack.parse("homogeneity()").run(Target(release_of(of)))
    assert told.score == pytest.approx(sum(len(v) for v in of if len(set(v)) == 1) / total)


@given(groups, st.integers(0, 4))
def test_ruled_out_values_against_matchings(of, pieces):
    """The worst choice of values that she does not have, over all matchings that remain."""
    values, expected = values_of(of), []
    for group in of:
        worlds = matchings(group)
        for own in group:
            others = sorted(set(group) - {own})
            best = 0.0
            for ruled_out in combinations(others, min(pieces, len(others))):
                left = [world for world in worlds if world[0] not in ruled_out]
                best = max(best, np.mean([world[0] == own for world in left]))
            expected.append(best)
    found = values.by_row(after_pieces(values, pieces))
    assert sorted(found) == pytest.approx(sorted(expected))


@given(groups, st.sampled_from([0.3, 0.5, 0.75]))
def test_pieces_needed_against_all_choices(of, sure):
    needed = []
    for group in of:
        worlds, kinds = matchings(group), sorted(set(group))
        fewest = None
        for pieces in range(len(kinds)):
            for ruled_out in combinations(kinds, pieces):
                left = [world[0] for world in worlds if world[0] not in ruled_out]
                if max(Counter(left).values()) / len(left) > sure + 1e-9 and fewest is None:
                    fewest = pieces
        needed.append(fewest)
    assert pieces_needed(values_of(of), sure).tolist() == needed


people = st.fixed_dictionaries(
    {
        "age": st.one_of(st.none(), st.integers(20, 23)),
        "town": st.sampled_from(["Rome", "Oslo", None]),
        "ill": st.sampled_from(["flu", "cut", "burn", "ulcer"]),
    }
)
ROLES = {"age": "quasi", "town": "quasi", "ill": "sensitive"}
SCHEMA = {"age": pl.Int64, "town": pl.String, "ill": pl.String}


def made(rows: list[dict[str, Any]], call: str) -> tuple[Any, Microdata] | None:
    try:
        data = Microdata.read(pl.DataFrame(rows, schema=SCHEMA), ROLES)
        return Method.parse(call).anonymize(data, Key(bytes(32))), data
    except (CannotAnonymize, SchemaError):
        return None


@given(st.lists(people, min_size=4, max_size=9), st.sampled_from(["buckets", "neighbours"]))
def test_presence_against_every_permutation(rows, partition):
    """How many permutations of all columns have a row like hers, group by group."""
    both = made(rows, f"permutation(l=2, partition={partition!r})")
    if both is None:
        reject()
    release, data = both
    looked = Looked.of(release, data)
    asked, found = looked.people, looked.delta
    parts = release.quasi.partition_by("group")
    for place, believed in zip(asked, found, strict=True):
        sought = (rows[place]["age"], rows[place]["town"])
        absent = 1.0
        for part in parts:
            ages, towns = part["age"].to_list(), part["town"].to_list()
            worlds = [sought in zip(ages, world, strict=True) for world in permutations(towns)]
            absent *= 1 - np.mean(worlds)
        assert believed == pytest.approx(1 - absent)


@given(st.lists(people, min_size=4, max_size=8))
def test_presence_against_every_table_that_ranges_allow(rows):
    both = made(rows, "generalize(l=2)")
    if both is None:
        reject()
    release, data = both
    looked = Looked.of(release, data)
    asked, found = looked.people, looked.delta
    known = data.column("age").domain.to_list()
    for place, believed in zip(asked, found, strict=True):
        sought, absent = (rows[place]["age"], rows[place]["town"]), 1.0
        for told in release.groups.iter_rows(named=True):
            ages = [
                a
                for a in known
                if told["age_low"] is not None and told["age_low"] <= a <= told["age_high"]
            ]
            ages += [None] * told["age_missing"]
            combos = list(product(ages, told["town"]))
            if sought in combos:
                absent *= (1 - 1 / len(combos)) ** told["rows"]
        assert believed == pytest.approx(1 - absent)


def beliefs(release, data: Microdata, rows: list[dict[str, Any]]) -> np.ndarray:
    """What a subject's page says that somebody who knows her believes, by other code."""
    view, domain = view_of(release), data.column("ill").domain.to_list()
    expected = np.zeros((len(rows), len(domain)))
    for place, row in enumerate(rows):
        (belief,) = verify_in(view, {"age": row["age"], "town": row["town"]}).beliefs
        for likely in belief.likeliest:
            expected[place, domain.index(likely.value)] = likely.probability
    return expected


@given(
    st.lists(people, min_size=4, max_size=12),
    st.sampled_from(["permutation(l=2)", "generalize(l=2)"]),
)
def test_candidate_groups_as_subjects_see_them(rows, call):
    both = made(rows, call)
    if both is None:
        reject()
    release, data = both
    told, found = (
        ToldEntries.of(release, data),
        np.zeros((len(rows), len(data.column("ill").domain))),
    )
    (groups,) = GroupValues.all_of(release)
    believe_values(
        told.records(np.arange(len(rows))), *told.by_first(), told.starts, told.low, told.high,
        told.counts, told.sizes, told.is_moved, groups.starts, groups.codes, groups.counts, found,
    )  # fmt: skip
    found /= found.sum(axis=1, keepdims=True)
    assert found == pytest.approx(beliefs(release, data, rows))


@given(
    st.lists(people, min_size=4, max_size=12), st.sampled_from(["random()", "random(attributes=2)"])
)
def test_weighed_rows_as_subjects_see_them(rows, call):
    both = made(rows, call)
    if both is None:
        reject()
    release, data = both
    found = weigh_values(release, data, "ill", np.arange(len(rows)))[:, :-1]
    found /= found.sum(axis=1, keepdims=True)
    assert found == pytest.approx(beliefs(release, data, rows))


def chance(release, person: dict[str, Any], row: dict[str, Any]) -> float:
    """That a person became a row, over all choices of what was replaced."""
    names, moved, total = list(release.marginals), release.transition, 0.0
    for chosen in combinations(names, moved.attributes):
        if any(person[name] != row[name] for name in names if name not in chosen):
            continue
        likely = moved.replaced[chosen[0]] if moved.attributes == 1 else 1.0
        for name in chosen:
            shares = dict(release.marginals[name].iter_rows())
            likely *= shares[row[name]] / sum(shares.values())
        total += likely
    return total


@given(
    st.lists(people, min_size=4, max_size=12), st.sampled_from(["random()", "random(attributes=2)"])
)
def test_rows_weighed_beside_everybody_else(rows, call):
    both = made(rows, call)
    if both is None:
        reject()
    release, data = both
    found = weigh_values(release, data, "ill", np.arange(len(rows)), beside_others=True)
    expected, domain = np.zeros_like(found), data.column("ill").domain.to_list()
    for row in release.rows.iter_rows(named=True):
        chances = np.array([chance(release, person, row) for person in rows])
        expected[:, domain.index(row["ill"])] += chances / chances.sum()
    assert found / found.sum() == pytest.approx(expected / expected.sum())


@given(
    st.lists(people, min_size=4, max_size=12),
    st.sampled_from(["anatomy(l=2)", "permutation(l=2)", "generalize(l=2)"]),
)
def test_who_fits_person_by_person(rows, call):
    both = made(rows, call)
    if both is None:
        reject()
    release, data = both
    fits, known = fitting(release, data), [c for c in release.manifest.columns if c.role == "quasi"]
    if call.startswith("anatomy"):
        alike = Counter((row["age"], row["town"]) for row in rows)
        assert sorted(np.repeat(fits.people, fits.rows)) == sorted(
            n for n in alike.values() for _ in range(n)
        )
        return
    table, name = (
        (release.groups, "groups") if "groups" in release.tables else (release.quasi, "quasi")
    )
    expected = [
        sum(can_hold(release, {name: part.to_dicts()}, row, known) for row in rows)
        for part in table.sort("group").partition_by("group", maintain_order=True)
    ]
    assert fits.people.tolist() == expected


@given(st.lists(people, min_size=4, max_size=10))
def test_correlation_against_every_matching(rows):
    """Chances over all matchings of a group's rows and values, each weighed by the model."""
    both = made(rows, "anatomy(l=2)")
    if both is None:
        reject()
    release, data = both
    found = guess_correlated(release, data, "ill")
    expected = [matched(release, data, row) for row in rows]
    believed = [max(each.values()) for each in expected]
    (guessed,) = found.tried
    assert guessed.belief == pytest.approx(believed)
    in_truth = [each[row["ill"]] for each, row in zip(expected, rows, strict=True)]
    assert guessed.in_truth == pytest.approx(in_truth)


def matched(release, data: Microdata, person: dict[str, Any]) -> Counter:
    """What is believed of a person: over the rows like hers, and all matchings of their groups."""
    likely = model_of(release, data)
    counts = release.sensitive["ill"]
    total, found = Counter(), 0
    for part in release.quasi.partition_by("group"):
        group = part["group"][0]
        there = counts.filter(pl.col("group") == group)
        values = [v for v, n in there.select("ill", "count").iter_rows() for _ in range(n)]
        people = part.select("age", "town").rows()
        for place, row in enumerate(people):
            if row != (person["age"], person["town"]):
                continue
            found += 1
            weights = Counter()
            for world in permutations(values):
                weight = np.prod([likely(r, v) for r, v in zip(people, world, strict=True)])
                weights[world[place]] += weight
            whole = sum(weights.values())
            for value, weight in weights.items():
                total[value] += weight / whole
    return Counter({value: weight / found for value, weight in total.items()})


def model_of(release, data: Microdata):
    """P(attributes | value) of a naive Bayes model of the people in other folds, smoothed by one."""
    frame = data.frame()
    names = ["age", "town"]
    kinds = alike_kinds(release, data)[1].tolist()
    drawn = np.random.default_rng(0).integers(0, 2, max(kinds) + 1)
    fold_of = {
        row: int(drawn[kind]) for row, kind in zip(frame.select(names).rows(), kinds, strict=True)
    }
    rows = frame.select(*names, "ill").rows()
    sizes = [len(set(frame[name].drop_nulls())) + 1 for name in names]

    def likely(row, value) -> float:
        others = [r for r in rows if fold_of[r[:2]] != fold_of[row]]
        weight = 1.0
        for j, size in enumerate(sizes):
            have = sum(r[j] == row[j] and r[2] == value for r in others)
            weight *= (have + 1) / (sum(r[2] == value for r in others) + size)
        return weight

    return likely


def test_baselines_of_rows_are_blind_picks():
    data = Microdata.read(
        {"a": list(range(8)), "s": list("abcdabcd")}, {"a": "quasi", "s": "sensitive"}
    )
    for method in (Permutation(l=4), Generalize(l=4)):
        found = Attack.parse("prosecutor()").run(Target(method.anonymize(data, Key(bytes(32)))))
        assert found.score == 0.25
        assert found.baseline == 1 / 8


def test_a_larger_register_hides_people(tmp_path):
    """Two for each person of the table: the journalist's chance is half as much."""
    table = pl.DataFrame({"a": list(range(20)), "s": [f"s{i % 5}" for i in range(20)]})
    data = Microdata.read(table, {"a": "quasi", "s": "sensitive"})
    pl.concat([table, table]).select("a").write_csv(tmp_path / "register.csv")
    release = Method.parse("anatomy(l=2)").anonymize(data, Key(bytes(32)))
    alone = Attack.parse("journalist()").run(Target(release, data))
    more = Attack.parse(f"journalist(population={str(tmp_path / 'register.csv')!r})").run(
        Target(release, data)
    )
    assert (alone.score, more.score) == (1.0, 0.5)
