"""A column that gives the secret away is named before anything is published."""

from __future__ import annotations

from collections import Counter, defaultdict

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonagram import Method, Microdata
from anonagram.errors import CannotAnonymize
from anonagram.profile import Profile
from anonagram.profile.given_away import (
    FEWEST,
    GAIN,
    NEARLY_ALL,
    GivenAway,
    find_given_away,
    given_away_of,
)

ROWS = 600


def clinic() -> pl.DataFrame:
    """A code beside its description, and an outcome that a day of death tells."""
    rng = np.random.default_rng(1)
    code = rng.integers(0, 6, ROWS)
    return pl.DataFrame(
        {
            "age": rng.integers(20, 60, ROWS),
            "diag_code": [f"C{c}" for c in code],
            "diagnosis": [f"disease {c}" for c in code],
        }
    )


SCHEMA = {"age": "quasi", "diag_code": "quasi", "diagnosis": "sensitive"}


@pytest.mark.parametrize("method", ["anatomy(l=2)", "permutation(l=2)", "generalize(l=2)"])
def test_a_code_beside_its_description_is_refused(method):
    with pytest.raises(CannotAnonymize, match="diag_code nearly always tells diagnosis") as told:
        Method.parse(method).anonymize(Microdata.read(clinic(), SCHEMA))
    assert "600 people (100.0%)" in str(told.value)
    assert 'holds = "what tells diagnosis"' in told.value.remedy


def test_it_is_published_where_the_schema_says_so_in_words():
    schema = SCHEMA | {"diag_code": {"role": "quasi", "holds": "what tells diagnosis"}}
    release = Method.parse("anatomy(l=2)").anonymize(Microdata.read(clinic(), schema))
    assert release.quasi.height == ROWS


def test_inspect_says_it_first_and_proposes_what_works():
    profile = Profile.of(clinic().rename({"diag_code": "ward"}))
    assert profile.given_away[0].columns == ("ward",)
    roles = {column.name: column.role for column in profile.columns}
    assert roles == {"age": "quasi", "ward": "drop", "diagnosis": "sensitive"}
    data = Microdata.read(clinic().rename({"diag_code": "ward"}), profile.schema())
    Method.parse(profile.suggestion.method).anonymize(data)


def test_two_columns_together_are_told_where_each_alone_tells_little():
    rng = np.random.default_rng(2)
    one, two = rng.integers(0, 5, ROWS), rng.integers(0, 5, ROWS)
    table = {"one": one.astype(np.int32), "two": two.astype(np.int32)}
    found = find_given_away(table, {"secret": ((one + two) % 5).astype(np.int32)}, {})
    assert [(each.columns, each.share) for each in found] == [(("one", "two"), 1.0)]


def test_inspect_looks_at_three_columns_together():
    rng = np.random.default_rng(4)
    table = {name: rng.integers(0, 4, 3000) for name in ("ward", "age", "month")}
    secret = [f"illness {each}" for each in sum(table.values()) % 4]
    frame = pl.DataFrame({**table, "sex": rng.choice(["F", "M"], 3000), "diagnosis": secret})
    (found,) = Profile.of(frame).given_away
    assert (set(found.columns), found.share) == ({"ward", "age", "month"}, 1.0)
    assert " and " in found.told(3000)


def laboratory(how: str) -> pl.DataFrame:
    """Every amount, every code is of one person; where it lies tells her disease."""
    disease = np.arange(ROWS) % 4
    told = {
        "amounts": [float(300 * (d == 2) + i / 7) for i, d in enumerate(disease)],
        "codes": [f"{'WXYZ'[d]}{i:04d}" for i, d in enumerate(disease)],
    }
    names = [f"disease {d}" for d in disease]
    return pl.DataFrame(
        {"x": told[how], "age": [20 + i % 37 for i in range(ROWS)], "disease": names}
    )


@pytest.mark.parametrize("how", ["amounts", "codes"])
def test_a_column_of_which_no_value_has_two_people_is_refused_for_where_it_lies(how):
    schema = {"x": "quasi", "age": "quasi", "disease": "sensitive"}
    with pytest.raises(CannotAnonymize, match="x nearly always tells disease"):
        Method.parse("anatomy(l=2)").anonymize(Microdata.read(laboratory(how), schema))


def test_nothing_is_said_of_columns_that_tell_little_or_of_what_most_people_have():
    rng = np.random.default_rng(3)
    sex = rng.integers(0, 2, ROWS).astype(np.int32)
    rare = (rng.random(ROWS) < 0.02).astype(np.int32)
    assert find_given_away({"sex": sex}, {"rare": rare}, {}) == []


def test_who_has_no_value_is_told_apart_and_refused_by_nobody():
    child = np.array([1] * 100 + [0] * 500, np.int32)
    income = np.where(child == 1, 7, np.arange(ROWS) % 7).astype(np.int32)
    found = find_given_away({"child": child}, {"income": income}, {"income": 7})
    assert found == [GivenAway(("child",), "income", 1 / 6, missing=True)]
    assert found[0].told(ROWS) == (
        "child nearly always tells that income is missing for about 100 people (16.7%)"
    )
    assert not any(
        each.missing for each in find_given_away({"child": child}, {"income": income}, {})
    )


def test_children_without_income_are_told_of_and_published():
    ages = list(range(90)) * 7
    earned = np.random.default_rng(2).integers(0, 40, len(ages)).tolist()
    income = [None if age < 15 else pay for age, pay in zip(ages, earned, strict=True)]
    data = Microdata.read({"age": ages, "income": income}, {"age": "quasi", "income": "sensitive"})
    assert [(each.missing, each.columns) for each in given_away_of(data)] == [(True, ("age",))]
    assert Method.parse("anatomy(l=3)").anonymize(data).manifest.rows.published == len(ages)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2)), min_size=20, max_size=120))
def test_shares_are_what_counting_by_hand_gives(pairs):
    known, secret = (np.array(each, np.int32) for each in zip(*pairs, strict=True))
    values = defaultdict(Counter)
    for k, s in pairs:
        values[k][s] += 1
    people = 0
    for counts in values.values():
        (value, most), *_ = counts.most_common()
        share, prior = most / counts.total(), sum(s == value for _, s in pairs) / len(pairs)
        if counts.total() >= FEWEST and share >= NEARLY_ALL and share - prior >= GAIN:
            people += most
    found = find_given_away({"known": known}, {"secret": secret}, {})
    assert sum(each.share for each in found) * len(pairs) == pytest.approx(
        people if people >= 0.01 * len(pairs) else 0
    )
