"""The tables printed in Keerthy and Sabitha's survey, and cases other tools get wrong."""

from __future__ import annotations

import pytest

from anonagram import (
    DistinctLDiversity,
    EntropyLDiversity,
    KAnonymity,
    LDiversity,
    RecursiveLDiversity,
)
from anonagram.errors import CallError
from tests.tables import PATIENT_GROUPS, PATIENTS, anatomized

# Table 4: 3-anonymous, but the last group is homogeneous
CRIMES = ["Murder", "Theft", "Traffic", "Assault", "Murder", "Piracy", "Indecency", *["Theft"] * 4]
CRIME_GROUPS = [1, 1, 1, 1, 2, 2, 2, 3, 3, 3, 3]


def test_table_1_is_3_anonymous():
    # the groups {1,3,6,9}, {2,5,8}, {4,7,10} of Example 2.1
    release = anatomized([1, 2, 1, 3, 2, 1, 3, 2, 1, 3], list("abcdefghij"))
    assert KAnonymity(k=3).check(release).achieved == 3
    assert not KAnonymity(k=4).check(release).holds


def test_table_4_is_3_anonymous_but_homogeneous():
    release = anatomized(CRIME_GROUPS, CRIMES)
    assert KAnonymity(k=3).check(release).holds
    finding = LDiversity(l=2).check(release)
    assert not finding.holds
    assert finding.achieved == 1
    assert finding.worst[0] == {"group": 3, "attribute": "s", "rows": 4, "level": 1.0}
    assert finding.violating_rows == 4


def test_table_5_two_thefts_in_group_1():
    # "two people committed theft, one murder and one traffic violation"
    release = anatomized([1, 1, 1, 1], ["Theft", "Theft", "Murder", "Traffic"])
    assert DistinctLDiversity(l=3).check(release).holds
    assert LDiversity(l=2).check(release).holds
    assert not LDiversity(l=3).check(release).holds


def test_table_2_of_permutation_anonymization_is_4_diverse():
    release = anatomized(PATIENT_GROUPS, PATIENTS["disease"].to_list())
    assert LDiversity(l=4).check(release).achieved == 4


def test_ten_tuples_with_eight_thefts_are_distinct_3_diverse_but_guessed_at_80_percent():
    release = anatomized([1] * 10, ["Murder", "Piracy", *["Theft"] * 8])
    assert DistinctLDiversity(l=3).check(release).holds
    assert LDiversity(l=2).check(release).achieved == 1.25


@pytest.mark.parametrize("l", [2, 3, 5, 7, 10, 11])
def test_equal_shares_have_exactly_their_entropy_level(l):
    for copies in (1, 3):
        release = anatomized([1] * l * copies, list(range(l)) * copies)
        finding = EntropyLDiversity(l=l).check(release)
        assert finding.holds
        assert finding.achieved == l


def test_recursive_sorts_from_most_to_least_frequent():
    # r = (3, 2, 1): 3 < 2·(2 + 1) holds for l = 2; 3 < 2·1 does not for l = 3
    release = anatomized([1] * 6, ["a", "b", "b", "c", "c", "c"])
    assert RecursiveLDiversity(c=2, l=2).check(release).holds
    assert not RecursiveLDiversity(c=2, l=3).check(release).holds
    # strict: 3 < 1·3 does not hold
    assert not RecursiveLDiversity(c=1, l=2).check(release).holds


def test_recursive_takes_c_as_it_is_written():
    # 121 < 2.2 · 55 = 121 does not hold, though 2.2 · 55 is a little more in floating point
    release = anatomized([1] * 176, ["a"] * 121 + ["b"] * 55)
    assert not RecursiveLDiversity(c=2.2, l=2).check(release).holds


def test_large_even_groups_are_decided_at_once():
    release = anatomized([1] * 200_000, ["a", "b"] * 100_000)
    assert EntropyLDiversity(l=2).check(release).holds


@pytest.mark.parametrize(
    "wrong",
    [lambda: LDiversity(l=0), lambda: LDiversity(l=2.5), lambda: KAnonymity(k=True),
     lambda: RecursiveLDiversity(c=0, l=2), lambda: RecursiveLDiversity(c="2", l=2),
        lambda: RecursiveLDiversity(c=float("inf"), l=2), lambda: LDiversity(l=10**400)],
)  # fmt: skip
def test_parameters_are_checked(wrong):
    with pytest.raises(CallError):
        wrong()
