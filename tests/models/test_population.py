"""k-map and δ-presence: against counting person by person, and the words for what cannot be."""

from __future__ import annotations

from fractions import Fraction

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonagram import DeltaPresence, Key, KMap, Method, Microdata, PrivacyModel, RankSwapping
from anonagram.errors import AnonagramError, CallError, InputError
from anonagram.release import Release

KEY = Key(bytes(32))
AGES = [21, 25, 33, 38, 47, None]
SCHEMA = {
    "age": {"role": "quasi", "hierarchy": "intervals(width=10, levels=2)"},
    "place": {"role": "quasi", "hierarchy": 'tree({"north": ["a", "b"], "south": ["c", "*"]})'},
    "ill": "sensitive",
}
CALLS = (
    "optimal(k_anonymity(k=2))", "optimal(k_anonymity(k=2), suppress=0.3)",
    "optimal(k_anonymity(k=2), suppress=0.3, suppressed=left_out)", "mondrian(k_anonymity(k=2))",
    "generalize(l=2)", "anatomy(l=2)", "permutation(l=2)",
)  # fmt: skip

people = st.lists(
    st.tuples(st.sampled_from(AGES), st.sampled_from(["a", "b", "c", "*"])), min_size=8, max_size=30
)


def told(release: Release) -> list[tuple[int, list[set[object]]]]:
    """For each class of rows its number and, by column, the values that are possible."""
    table = getattr(release, "groups", None)
    if table is not None:
        found = []
        for group in table.iter_rows(named=True):
            low, high = group["age_low"], group["age_high"]
            ages = {a for a in AGES if a is not None and low is not None and low <= a <= high}
            missing = {None} if group["age_missing"] else set()
            found.append((group["rows"], [ages | missing, set(group["place"])]))
        return found
    rows = release.quasi
    if release.shape == "anatomized":
        counted = rows.group_by("age", "place").len().rows()
        return [(count, [{age}, {place}]) for age, place, count in counted]
    return [
        (part.height, [set(part["age"]), set(part["place"])]) for _, part in rows.group_by("group")
    ]


def fits(person: tuple[object, ...], possible: list[set[object]]) -> bool:
    return all(value in values for value, values in zip(person, possible, strict=True))


@settings(max_examples=60)
@given(table=people, others=people, call=st.sampled_from(CALLS), k=st.integers(1, 6),
       low=st.sampled_from([0, 0.1, 0.25]), high=st.sampled_from([0.25, 0.5, 0.75, 1]))  # fmt: skip
def test_they_agree_with_counting_person_by_person(table, others, call, k, low, high):
    if any(len(set(values)) < 2 for values in zip(*table, strict=True)):
        return
    frame = pl.DataFrame(table, schema=["age", "place"], orient="row")
    ill = pl.Series("ill", ["pqr"[i % 3] for i in range(len(table))])
    try:
        release = Method.parse(call).anonymize(Microdata.read(frame.with_columns(ill), SCHEMA), KEY)
    except AnonagramError:
        return
    everybody = table + others
    register = pl.DataFrame(everybody, schema=frame.schema, orient="row")
    classes = told(release)
    fitting = [sum(fits(p, possible) for p in everybody) for _, possible in classes]
    finding = KMap(k=k, population="x.csv").check_with(release, register)
    assert (finding.holds, finding.achieved) == (min(fitting) >= k, min(fitting))
    assert finding.violating_rows == sum(
        rows for (rows, _), n in zip(classes, fitting, strict=True) if n < k
    )
    anywhere = Fraction(release.manifest.rows.suppressed, len(everybody))
    deltas = []
    for person in everybody:
        own = [
            Fraction(r, n) for (r, p), n in zip(classes, fitting, strict=True) if fits(person, p)
        ]
        deltas.append(min(Fraction(1), min(Fraction(1), sum(own)) + anywhere))
    model = DeltaPresence(low=low, high=high, population="x.csv")
    finding = model.check_with(release, register)
    assert finding.achieved == pytest.approx(float(max(deltas)))
    near = any(abs(float(d) - bound) < 1e-9 for d in deltas for bound in (low, high))
    if not near:
        assert finding.holds == (low <= min(deltas) and max(deltas) <= high)


def hospital() -> Release:
    table = {"age": [21, 25, 33, 38] * 3, "place": ["a", "b", "c", "*"] * 3, "ill": list("pqr") * 4}
    return Method.parse("optimal(k_anonymity(k=3))").anonymize(Microdata.read(table, SCHEMA), KEY)


def test_from_a_file_and_by_its_call(tmp_path):
    path = tmp_path / "people.csv"
    rows = [
        f"{age},{place},{i}" for i in range(7) for age, place in zip(AGES, "abc*", strict=False)
    ]
    path.write_text("age,place,name\n" + "\n".join(rows) + "\n")
    model = PrivacyModel.parse(f'k_map(k=7, population="{path}")')
    assert PrivacyModel.parse(repr(model)) == model
    finding = model.check(hospital())
    assert finding.holds
    assert finding.achieved >= 7
    assert "people.csv" in finding.to_dict()["needed"]
    shares = PrivacyModel.parse(f'delta_presence(0, 0.4, "{path}")').check(hospital())
    assert not shares.holds
    assert shares.achieved == pytest.approx(3 / 7)


def test_a_register_without_some_of_the_people_is_refused_or_told():
    register = {"age": [21, 25, 33, 99], "place": ["a", "b", "c", "c"]}
    with pytest.raises(InputError, match="does not have everybody"):
        DeltaPresence(low=0, high=1, population="x.csv").check_with(hospital(), register)
    few = {"age": [99, 98], "place": ["a", "b"]}
    finding = KMap(k=1, population="x.csv").check_with(hospital(), few)
    assert (finding.holds, finding.achieved) == (False, 0)
    assert "fit nobody" in finding.note


def test_what_cannot_be_compared_is_refused(tmp_path):
    with pytest.raises(InputError, match="no column 'place'"):
        KMap(k=1, population="x.csv").check_with(hospital(), {"age": [1, 2]})
    with pytest.raises(InputError, match=r"people\.csv"):
        KMap(k=1, population=str(tmp_path / "people.csv")).check(hospital())
    masked = Microdata.read({"age": [1, 2, 3], "pay": [4, 5, 6]}, {"age": "quasi", "pay": "quasi"})
    with pytest.raises(CallError, match="groups"):
        KMap(k=1, population="x.csv").check(RankSwapping(p=50).anonymize(masked, KEY))


@pytest.mark.parametrize(
    "call",
    ['k_map(k=0, population="x.csv")', "k_map(k=3)", 'k_map(k=3, population="")',
     'k_map(k=3, population="postgresql://me:secret@host/db")',
     'delta_presence(low=0.5, high=0.4, population="x.csv")',
     'delta_presence(low=-1, high=0.4, population="x.csv")', "optimal(k_map(k=3, population=x))"],
)  # fmt: skip
def test_parameters_are_checked(call):
    with pytest.raises(CallError):
        (Method if call.startswith("optimal") else PrivacyModel).parse(call)
