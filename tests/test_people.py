"""Tables with many rows of a person."""

from __future__ import annotations

import pytest

from anonagram import Key, Method, Microdata, Release
from anonagram.errors import InputError, SchemaError
from anonagram.measures import read_original
from anonagram.profile import Profile
from anonagram.schema import Schema
from anonagram.shown.wording import how_many

VISITS = {
    "patient_id": [1, 2, 1, 3, 1, 4, 2, 5, 6, 7],
    "age": [30, 41, 31, 52, 32, 60, 42, 25, 71, 33],
    "disease": ["flu", "cut", "flu", "gout", "flu", "cold", "burn", "cut", "gout", "cold"],
}


def rules(rows: int | None = None) -> dict[str, object]:
    person = {"role": "identifier"} | ({} if rows is None else {"rows_per_person": rows})
    return {"patient_id": person, "age": "quasi", "disease": "sensitive"}


@pytest.mark.parametrize(
    ("rows", "ages"),
    [(1, [30, 41, 52, 60, 25, 71, 33]), (2, [30, 41, 31, 52, 60, 42, 25, 71, 33])],
)
def test_the_first_rows_of_each_person_are_kept(rows, ages):
    data = Microdata.read(VISITS, rules(rows))
    assert data.frame()["age"].to_list() == ages
    assert data.people.left_out == 10 - len(ages)
    assert f"{how_many(10 - len(ages), 'row')} left out" in data.notes[0]


def test_whoever_publishes_several_rows_of_a_person_is_warned():
    assert "one of them has 3" in Microdata.read(VISITS, rules()).notes[0]
    once = {name: values[3:6] + values[7:] for name, values in VISITS.items()}
    assert not Microdata.read(once, rules()).notes


def test_the_release_says_so_and_compares_by_the_schema(tmp_path):
    data = Microdata.read(VISITS, rules(1))
    Method.parse("anatomy(l=2)").publish(data, Key(bytes(32))).write(tmp_path / "release")
    release = Release.read(tmp_path / "release")
    assert release.manifest.tables[0].rows_per_person == 1
    assert "patient_id" not in (tmp_path / "release/datapackage.json").read_text()
    with pytest.raises(InputError, match="does not tell by which column"):
        read_original(VISITS, release)
    assert read_original(VISITS, release, rules(1)).digest == data.digest


def test_inspect_offers_it(tmp_path):
    table = {name: values * 6 for name, values in VISITS.items()}
    profile = Profile.of(table)
    assert profile.person.most_rows == 18
    toml = profile.to_toml()
    (line,) = [line for line in toml.splitlines() if line.startswith("patient_id")]
    offered = line.partition("rows: ")[2].removesuffix(" keeps the first of each")
    (tmp_path / "s.toml").write_text(toml.replace(line, f"patient_id = {offered}"))
    schema = Schema.read(tmp_path / "s.toml")
    assert schema.columns["patient_id"].rows_per_person == 1
    assert Schema.of(schema.columns).to_toml().count("rows_per_person = 1") == 1
    assert Microdata.read(table, schema).rows == 7


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ({"role": "identifier", "rows_per_person": 0}, "no number of rows"),
        ({"role": "identifier", "rows_per_person": True}, "no number of rows"),
        ({"role": "quasi", "rows_per_person": 1}, "is quasi"),
    ],
)
def test_bounds_that_make_no_sense(rule, message):
    with pytest.raises(SchemaError, match=message):
        Schema.of(patient_id=rule)


def test_a_row_of_nobody_is_named():
    with pytest.raises(InputError, match="row 2: column 'patient_id' is missing"):
        Microdata.read({**VISITS, "patient_id": [1, None, *range(8)]}, rules(1))


def test_rows_without_an_identifier_are_nobodys():
    """300 rows without one were told to be one person's."""
    table = {"patient_id": [None] * 300 + [f"p{i // 2}" for i in range(600)], "age": [*range(900)]}
    profile = Profile.of(table)
    assert (profile.person.people, profile.person.most_rows) == (300, 2)


def test_inspect_warns_nobody_where_everybody_has_one_row():
    """Two identifiers, each different in every row: no person has many."""
    table = {
        "Enc No": list(range(500, 900)),
        "Patient #": list(range(0, 4000, 10)),
        "age": [20 + row % 7 for row in range(400)],
        "disease": ["flu", "cut", "gout", "cold"] * 100,
    }
    profile = Profile.of(table)
    assert profile.person is None
    assert "rows_per_person" not in profile.to_toml()
