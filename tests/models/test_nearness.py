"""Amounts that differ and lie near each other: what is told beside a promise that only counts them."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from anonagram import Key, Method, Microdata, PrivacyModel
from anonagram.models.nearness import narrowest_of
from anonagram.present import document_of
from anonagram.reports import report_on

KEY = Key(bytes(range(32)))
ROLES = {"age": "quasi", "pay": "sensitive"}
DIVERSE = ["l_diversity(l=3)", "distinct_l_diversity(l=3)", "entropy_l_diversity(l=3)",
           "recursive_l_diversity(c=2, l=3)", "alpha_k(alpha=0.5, k=3)"]  # fmt: skip


def released(pay, roles=ROLES):
    data = Microdata.read({"age": list(range(len(pay))), "pay": pay}, roles)
    return Method.parse("anatomy(l=3)").anonymize(data, KEY)


@pytest.mark.parametrize("model", DIVERSE)
def test_three_values_one_apart_are_told_as_near_by_every_promise_that_counts_them(model):
    """'l_diversity(l=3) holds', where everybody's pay was 100,000 or two more."""
    release = released([100_000, 100_001, 100_002] * 10 + [1, 2, 500_000])
    finding = PrivacyModel.parse(model).check(release)
    assert finding.holds
    assert (
        "lie between 100000 and 100002, 2 apart, where the table's are 499999 apart" in finding.note
    )
    assert "ke_anonymity" in finding.note


def test_it_is_the_narrowest_of_all_groups():
    release = released([7 * i * i for i in range(60)])
    (found,) = narrowest_of(release)
    spans = {
        group: max(values) - min(values)
        for group, values in release.sensitive_counts()["pay"]
        .group_by("group")
        .agg("value")
        .iter_rows()
    }
    assert int(found.span) == min(spans.values()) == spans[found.group]


def test_missing_amounts_are_at_no_distance_and_dates_apart_by_days():
    days = [date(2024, 1, 1) + timedelta(days=i % 9) for i in range(30)]
    (found,) = narrowest_of(released([None, *days[1:]]))
    assert found.span.endswith(" days")
    assert found.whole == "8 days"


def test_what_has_no_distances_is_not_called_near():
    diseases = ["flu", "cut", "gout"] * 10
    assert PrivacyModel.parse("l_diversity(l=3)").check(released(diseases)).note == ""
    codes = {"age": "quasi", "pay": {"role": "sensitive", "kind": "nominal"}}
    assert narrowest_of(released([1, 2, 3] * 10, codes)) == []
    assert PrivacyModel.parse("ke_anonymity(k=2, e=1)").check(released([1, 2, 3] * 10)).note == ""


def test_a_report_tells_it_beside_the_promise():
    told = [
        sentence
        for section in document_of(report_on(released([100_000, 100_001, 100_002] * 10))).sections
        for sentence in section.sentences
    ]
    assert any(each.startswith("Amounts that differ may be near") for each in told)


def test_a_missing_amount_counts_as_another_value_and_is_named():
    """Three values were told of a group in which four were promised."""
    release = released([10, 11, None] * 8)
    (found,) = narrowest_of(release)
    assert (found.different, found.has_missing) == (2, True)
    assert "the 2 different values of pay (beside a missing one, which counts as another)" in str(
        found
    )


def test_distances_of_floats_are_told_as_people_write_them():
    """'72.08999999999969 apart', on a report's first screen."""
    (found,) = narrowest_of(released([0.1, 0.2, 0.3] * 5))
    assert (found.span, found.whole) == ("0.2", "0.2")
