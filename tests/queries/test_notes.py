"""A value that nobody has answers 0, with a word about the one that was probably meant."""

from __future__ import annotations

import json

import pytest

from anonagram import Method, Microdata, Release
from anonagram.errors import UnsupportedQuery
from anonagram.queries.opened import ask_opened
from anonagram.release import OpenedRelease
from tests.queries.releases import KEY

TABLE = {
    "age": [20, 30, 40, 50] * 4,
    "race": ["Caucasian", "Asian", "?", "Other  kind"] * 4,
    "dx": ["250.83", "401"] * 8,
}
SCHEMA = {
    "age": {"role": "quasi", "missing": ["999"]},
    "race": {"role": "quasi", "missing": ["?"]},
    "dx": {"role": "sensitive", "kind": "nominal", "labels": {"250.83": "Diabetes"}},
}
METHODS = ("anatomy(l=2)", "permutation(l=2)", "generalize(l=2)", 'random(p="uniform")')
ANSWERED = {
    "race = 'caucasian'": "race = 'caucasian'; did you mean 'Caucasian'?",
    "race IN ('Asian', 'Causasian')": "race = 'Causasian'; did you mean 'Caucasian'?",
    "race <> ' other kind'": "race = ' other kind'; did you mean 'Other  kind'?",
    "race = '?'": "race = '?': it stood for a missing value. Ask for race IS NULL.",
    "age = 999": "age = 999: it stood for a missing value. Ask for age IS NULL.",
    "dx = 'diabetes'": "dx = 'diabetes': that is the label of '250.83'.",
    "CASE race WHEN 'asian' THEN 1 END = 1": "race = 'asian'; did you mean 'Asian'?",
}  # fmt: skip
SILENT = (
    "race = 'Asian'", "race = 'Zulu'", "LOWER(race) = 'asian'", "age = 20", "dx = '401'", "age > 999",
    "race IS NULL", "race = dx",
)  # fmt: skip


@pytest.fixture(scope="module")
def data() -> Microdata:
    return Microdata.read(TABLE, SCHEMA)


@pytest.mark.parametrize("method", METHODS)
def test_likely_value_is_named_and_the_answer_stays(data, method):
    # a fixed key: once in a hundred times a random release has no row of one of the values
    release = Method.parse(method).anonymize(data, KEY)
    for condition, note in ANSWERED.items():
        answers = release.query(f"SELECT COUNT(*) AS n FROM data WHERE {condition}")
        assert answers.notes == (f"No row of the release has {note}",)
        assert not answers.coarser
        assert note in repr(answers)
        if "=" in condition[:8] and "<>" not in condition:
            assert (answers[0]["n"].lower, answers[0]["n"].upper) == (0, 0)


def test_what_somebody_has_or_nothing_is_like_gets_no_word(data):
    release = Method.parse("permutation(l=2)").anonymize(data)
    for condition in SILENT:
        assert release.query(f"SELECT COUNT(*) AS n FROM data WHERE {condition}").notes == ()


def test_on_disk_all_values_are_known_and_not_both_ends_alone(data, tmp_path):
    Method.parse("anatomy(l=2)").anonymize(data).write(tmp_path / "release")
    opened = Release.open(tmp_path / "release")
    assert isinstance(opened, OpenedRelease)
    asked = "SELECT COUNT(*) AS n FROM data WHERE race = {}"
    assert ask_opened(opened, asked.format("'Caucasian'")).notes == ()
    assert "did you mean 'Caucasian'?" in ask_opened(opened, asked.format("'caucasian'")).notes[0]


def test_terminal_and_json_tell_it(anonagram, data, tmp_path):
    Method.parse("anatomy(l=2)").anonymize(data).write(tmp_path / "release")
    asked = "SELECT COUNT(*) AS n FROM data WHERE race = 'asian'"
    shown = anonagram("query", tmp_path / "release", asked)
    assert "did you mean 'Asian'?" in shown.stdout
    told = anonagram("query", tmp_path / "release", asked, "--json")
    (row,) = json.loads(told.stdout)
    assert row["n"]["notes"] == ["No row of the release has race = 'asian'; did you mean 'Asian'?"]
    assert (row["n"]["estimate"], row["n"]["exact"]) == (0, True)


def test_json_without_a_row_tells_it_beside(anonagram, data, tmp_path):
    Method.parse("anatomy(l=2)").anonymize(data).write(tmp_path / "release")
    asked = "SELECT age, COUNT(*) AS n FROM data WHERE race = 'asian' GROUP BY age"
    told = anonagram("query", tmp_path / "release", asked, "--json")
    assert json.loads(told.stdout) == []
    assert "did you mean 'Asian'?" in told.stderr


@pytest.fixture(scope="module")
def places():
    table = {
        "zip": ["02138", "02139", "02140", "02138"] * 5,
        "admission date": list(range(20)),
        "LOS (d)": [3, 1, 2, 5] * 5,
        "dx": ["250.83", "V58", "401", "414"] * 5,
    }
    roles = {"zip": "quasi", "admission date": "quasi", "LOS (d)": "quasi", "dx": "sensitive"}
    return Method.parse("anatomy(l=2)").anonymize(Microdata.read(table, roles))


def test_a_number_that_was_compared_with_texts_is_not_said_to_be_nobodys(places):
    """1,449 people were counted, and beside them stood that no row has the value."""
    (note,) = places.query("SELECT COUNT(*) AS n FROM data WHERE zip = 2138").notes
    assert "zip holds texts, which were read as numbers here: 2138 is '02138'" in note
    assert "No row" not in note


@pytest.mark.parametrize(
    ("condition", "remedy"),
    [
        ("dx = 250.83", "in single quotes"),
        ("admission date > 3", 'put double quotes around the name: "admission date"'),
        ("LOS (d) > 3", 'put double quotes around the name: "LOS (d)"'),
    ],
)
def test_what_lacks_quotes_is_told(places, condition, remedy):
    with pytest.raises(UnsupportedQuery) as found:
        places.query(f"SELECT COUNT(*) FROM data WHERE {condition}")
    assert remedy in f"{found.value}"
    assert "DuckDB" not in f"{found.value}"


def test_a_name_beside_a_text_is_not_taken_for_a_text(places):
    for condition, is_text in (("sex = 'F'", False), ("dx = flu", True), ("dx IN (flu)", True)):
        with pytest.raises(UnsupportedQuery) as found:
            places.query(f"SELECT COUNT(*) FROM data WHERE {condition}")
        assert ("put single quotes around it" in f"{found.value}") == is_text, condition
