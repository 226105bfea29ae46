"""Promises that compare groups with the whole table: printed examples, and the other distances."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonagram import (
    AlphaK,
    Anatomy,
    BetaLikeness,
    DeltaDisclosure,
    Generalize,
    Key,
    Microdata,
    PrivacyModel,
    TCloseness,
)
from anonagram.errors import CallError
from anonagram.release import AnatomizedRelease
from tests.models.oracles import groups_of, moved, moved_in_tree
from tests.tables import anatomized

KEY = Key(bytes(32))
TREE = {
    "flu": ("lung", "body"), "cough": ("lung", "body"), "ulcer": ("stomach", "body"),
    "colic": ("stomach", "body"), "fear": ("fear", "mind"),
}  # fmt: skip


def with_column(release: AnatomizedRelease, **about: object) -> AnatomizedRelease:
    """The same release, of which more is told about its sensitive column."""
    from dataclasses import replace

    table = release.manifest.tables[0]
    columns = (table.columns[0], replace(table.columns[1], **about))
    tables = (replace(table, columns=columns),)
    return replace(release, manifest=replace(release.manifest, tables=tables))


def test_the_salaries_of_the_paper():
    # Li, Li and Venkatasubramanian 2007, section 3: {3k,4k,5k} is 0.375 and {6k,8k,11k} 0.167 away
    groups, salaries = [1, 1, 1, 2, 2, 2, 3, 3, 3], [3, 4, 5, 6, 8, 11, 7, 9, 10]
    release = with_column(anatomized(groups, [1000 * s for s in salaries]), kind="numeric")
    levels = TCloseness(t=0.2, distance="ordered").levels(release).sort("group")
    assert [round(level, 3) for level in levels["level"][:2]] == [0.375, 0.167]
    finding = TCloseness(t=0.2, distance="ordered").check(release)
    assert (finding.holds, finding.violating_groups) == (False, 2)


rows = st.lists(st.tuples(st.integers(1, 4), st.integers(1, 5)), min_size=2, max_size=30)


@given(rows=rows)
def test_ordered_distance_agrees_with_its_oracle(rows):
    groups, values = [g for g, _ in rows], [v for _, v in rows]
    release = with_column(anatomized(groups, values), kind="numeric")
    finding = TCloseness(t=1, distance="ordered").check(release)
    far = max(moved(members, values, "ordered") for members in groups_of(groups, values))
    assert math.isclose(finding.achieved, far, abs_tol=1e-12)


@given(
    rows=st.lists(
        st.tuples(st.integers(1, 4), st.sampled_from(list(TREE))), min_size=2, max_size=30
    )
)
def test_hierarchical_distance_agrees_with_its_oracle(rows):
    groups, values = [g for g, _ in rows], [v for _, v in rows]
    release = with_column(anatomized(groups, values), hierarchy=TREE)
    paths = {v: TREE[v] for v in set(values)}
    if len({path[-1] for path in paths.values()}) > 1:
        paths = {v: (*path, "*") for v, path in paths.items()}
    finding = TCloseness(t=1, distance="hierarchical").check(release)
    far = max(moved_in_tree(members, values, paths) for members in groups_of(groups, values))
    assert math.isclose(finding.achieved, far, abs_tol=1e-12)


def test_the_hierarchy_comes_with_the_release():
    table = {"age": [30, 41, 52, 63], "ill": ["flu", "cough", "ulcer", "colic"]}
    tree = 'tree({"lung": ["flu", "cough"], "stomach": ["ulcer", "colic"]})'
    data = Microdata.read(table, {"age": "quasi", "ill": {"role": "sensitive", "hierarchy": tree}})
    release = Anatomy(l=2).anonymize(data, KEY)
    assert release.manifest.column("ill").hierarchy["flu"] == ("lung", "*")
    assert 0 <= TCloseness(t=0.5, distance="hierarchical").check(release).achieved <= 1


def test_a_missing_value_is_the_last_and_stands_alone_in_a_tree():
    release = with_column(anatomized([1, 1, 2, 2], ["flu", None, "flu", "cough"]), hierarchy=TREE)
    levels = TCloseness(t=1, distance="hierarchical").levels(release).sort("group")["level"]
    # a quarter of group 1 lacks a cough and has a missing value too much: it goes over the top
    assert levels.to_list() == [0.25, 0.25]


def test_likeness_and_disclosure_by_hand():
    release = anatomized([1, 1, 2, 2, 2, 2], ["a", "a", "a", "b", "b", "b"])
    # the table has both equally often; group 1 is all a: (1 - 1/2) / (1/2) = 1 > -ln(1/2)
    assert BetaLikeness(beta=1, kind="basic").check(release).holds
    assert BetaLikeness(beta=1).check(release).achieved == math.inf
    found = DeltaDisclosure(delta=1).check(release)
    assert (found.achieved, found.to_dict()["achieved"]) == (math.inf, None)
    assert AlphaK(alpha=1, k=2).check(release).holds
    assert not AlphaK(alpha=1, k=3).check(release).holds


@pytest.mark.parametrize("distance", ["ordered", "hierarchical"])
def test_what_has_neither_order_nor_hierarchy_is_refused(distance):
    with pytest.raises(CallError, match=r"s (is nominal|has no hierarchy)"):
        TCloseness(t=0.2, distance=distance).check(anatomized([1, 1], ["a", "b"]))


@pytest.mark.parametrize(
    "call",
    ["t_closeness(t=1.5)", "t_closeness(t=-0.1)", "t_closeness(t=0.2, distance=far)",
     "alpha_k(alpha=2, k=3)", "beta_likeness(beta=0)", "beta_likeness(beta=1, kind=x)",
     "delta_disclosure(delta=0)", "delta_disclosure(delta=-1)"],
)  # fmt: skip
def test_parameters_are_checked(call):
    with pytest.raises(CallError):
        PrivacyModel.parse(call)


def test_a_generalized_release_is_checked_too():
    table = {"age": list(range(40)), "ill": [f"i{i % 4}" for i in range(40)]}
    data = Microdata.read(table, {"age": "quasi", "ill": "sensitive"})
    assert TCloseness(t=0.5).check(Generalize(l=4).anonymize(data, KEY)).achieved <= 0.25
