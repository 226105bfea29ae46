"""The values printed in Li et al. 2015 for Table 1, misprints corrected."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from anonagram import Anatomy, Generalize, Key, Microdata, Permutation
from anonagram.measures import Ncp, measure_release, row_posteriors
from anonagram.measures.posterior import tuple_posteriors
from anonagram.measures.presence import presence
from anonagram.measures.reconstruction import reconstruction
from anonagram.partition import Partition
from anonagram.release import GeneralizedRelease
from tests.tables import PATIENT_GROUPS, PATIENT_SCHEMA, PATIENTS

GROUP_OF = np.array(PATIENT_GROUPS, np.int32) - 1
KEY = Key(bytes(32))
METHODS = [Anatomy(l=4), Permutation(l=4), Generalize(l=4)]


@pytest.fixture
def paper_groups(monkeypatch):
    """Every partitioner gives the groups of the paper's Table 2."""
    from anonagram.partition import Partitioner

    monkeypatch.setattr(Partitioner, "divide", lambda *_args: Partition(GROUP_OF, 2))


@pytest.fixture
def microdata():
    return Microdata.read(PATIENTS, PATIENT_SCHEMA)


@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_ncp_of_example_4(paper_groups, microdata, method):
    assert Ncp.of(method.anonymize(microdata, KEY)).total == 13.5


@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_posterior_of_emphysema_for_bob(paper_groups, microdata, method):
    release = method.anonymize(microdata, KEY)
    posteriors = row_posteriors(release)
    assert posteriors["posterior"].to_list() == [1 / 5, 1 / 4]
    assert posteriors["rows"].to_list() == [5, 4]


def test_presence_of_bob_and_theorem_1(paper_groups, microdata):
    publication = Permutation(l=4).publish(microdata, KEY)
    group_of = publication.mapping["group"].to_numpy() - 1
    delta = presence(microdata, publication.release, group_of)
    assert delta[0] == pytest.approx(2 / 25)
    # Example 3 prints 1/5, the headline; Theorem 1's own figure for five ages and two sexes is 1/50
    first = tuple_posteriors(publication.release).filter(pl.col("posterior") == 1 / 50)
    assert first["rows"].sum() == 5


def test_count_of_examples_1_and_2(paper_groups, microdata):
    """COUNT(age in 40..70, sex F, flu): truth 1, Anatomy 0.9, PA 0.855, generalized 3/8."""
    inside = pl.col("age").is_between(40, 70), pl.col("sex") == "F"
    assert PATIENTS.filter(*inside, disease="Flu").height == 1

    anatomy = Anatomy(l=4).anonymize(microdata, KEY)
    hits = anatomy.quasi.filter(*inside).group_by("group").len("hits")
    flu = anatomy.sensitive["disease"].filter(disease="Flu").join(anatomy.group_sizes(), on="group")
    joined = flu.join(hits, on="group")
    assert joined.select(
        (pl.col("hits") * pl.col("count") / pl.col("rows")).sum()
    ).item() == pytest.approx(0.9)

    permuted = Permutation(l=4).anonymize(microdata, KEY)
    shares = permuted.quasi.group_by("group").agg(
        inside[0].mean().alias("a"), inside[1].mean().alias("s")
    )
    flu = permuted.sensitive.group_by("group").agg(
        (pl.col("disease") == "Flu").sum().alias("count")
    )
    estimate = shares.join(flu, on="group").select(
        (pl.col("a") * pl.col("s") * pl.col("count")).sum()
    )
    assert estimate.item() == pytest.approx(0.855)

    general = Generalize(l=4).anonymize(microdata, KEY)
    assert general_count(general) == Fraction(3, 8)


def general_count(release: GeneralizedRelease) -> Fraction:
    """Uniform inside the published ranges, which the paper takes as continuous."""
    total = Fraction(0)
    for row in release.groups.to_dicts():
        low, high = row["age_low"], row["age_high"]
        overlap = Fraction(min(high, 70) - max(low, 40), high - low)
        total += overlap * Fraction(1, len(row["sex"]))
    return total


def test_generalized_table_2(paper_groups, microdata):
    groups = Generalize(l=4).anonymize(microdata, KEY).groups.sort("age_low").drop("group")
    assert groups.rows() == [(4, 10, 50, False, ["F", "M"]), (5, 50, 90, False, ["F", "M"])]


@given(
    rows=st.lists(
        st.tuples(st.integers(0, 5), st.integers(0, 2), st.integers(0, 6)), min_size=4, max_size=60
    ),
    l=st.integers(2, 4),
)
def test_reconstruction_agrees_with_its_definition(rows, l):
    """Equations 3 to 6, value by value; and Theorem 2 where no value repeats in a group."""
    values = [value for _, _, value in rows]
    assume(all(len(set(column)) > 1 for column in zip(*rows, strict=True)))
    assume(max(Counter(values).values()) * l <= len(values))
    table = {"a": [a for a, _, _ in rows], "b": [b for _, b, _ in rows], "s": values}
    microdata = Microdata.read(table, {"a": "quasi", "b": "quasi", "s": "sensitive"})
    publication = Permutation(l=l).publish(microdata, KEY)
    group_of = publication.mapping["group"].to_numpy() - 1
    delta = presence(microdata, publication.release, group_of)
    found = reconstruction(microdata.column("s"), group_of, delta, l)
    expected = 0.0
    for i, (a, b, own) in enumerate(rows):
        members = [rows[k] for k in range(len(rows)) if group_of[k] == group_of[i]]
        share = (
            Counter(m[0] for m in members)[a]
            * Counter(m[1] for m in members)[b]
            / len(members) ** 2
        )
        assert delta[i] == pytest.approx(share)
        density = {value: count * share for value, count in Counter(m[2] for m in members).items()}
        expected += sum((p - (value == own)) ** 2 for value, p in density.items())
    assert found.error == pytest.approx(expected)
    assert found.error >= found.theorem_2_bound - 1e-9


def test_theorem_2_fails_where_values_repeat():
    """Two values, twice each, l = 2, all quasi-identifiers different: the printed bound is too high."""
    column = Microdata.read(
        {"q": [1, 2, 3, 4], "s": ["x", "x", "y", "y"]}, {"q": "quasi", "s": "sensitive"}
    ).column("s")
    found = reconstruction(column, np.zeros(4, np.int32), np.full(4, 0.1), 2)
    assert found.error < 4 * (1 + 2 * 0.1**2 - 2 * 0.1)
    assert found.theorem_2_bound is None


def test_anatomy_reconstruction_is_one_minus_one_over_l(microdata):
    table = {"q": list(range(12)), "s": list(range(4)) * 3}
    microdata = Microdata.read(table, {"q": "quasi", "s": "sensitive"})
    publication = Anatomy(l=4).publish(microdata, KEY)
    measures = measure_release(
        publication.release, microdata, publication.mapping["group"].to_numpy() - 1
    )
    assert measures.reconstruction.per_row == pytest.approx(1 - 1 / 4)
    assert measures.presence.least == 1


@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_ncp_agrees_with_its_definition_with_missing_values(method):
    table = {
        "n": [1, 5, None, 9, 2, 7],
        "o": ["a", "b", "b", None, "c", "a"],
        "s": [1, 2, 3, 4, 5, 6],
    }
    microdata = Microdata.read(table, {"n": "quasi", "o": "quasi", "s": "sensitive"})
    publication = method.__class__(l=2).publish(microdata, KEY)
    groups = publication.mapping["group"].to_list()
    expected = 0.0
    for group in set(groups):
        members = [i for i in range(6) if groups[i] == group]
        numbers = [table["n"][i] for i in members]
        present = [x for x in numbers if x is not None]
        width = (max(present) - min(present)) / 8 if present else 0
        width = 1.0 if None in numbers and present else width
        words = {table["o"][i] for i in members}
        expected += len(members) * (width + (len(words) / 4 if len(words) > 1 else 0))
    assert Ncp.of(publication.release).total == pytest.approx(expected)
