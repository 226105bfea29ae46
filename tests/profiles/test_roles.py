"""Proposed roles are right or cautious, and the suggested command works, on real tables and on tables
made from them by renaming, recoding and adding columns."""

from __future__ import annotations

import polars as pl
import pytest

from anonagram import Method, Microdata
from anonagram.errors import CannotAnonymize
from anonagram.profile import Profile

REAL = [
    "adult/adult.csv", "adult/adult_complete.csv", "hospital/first_encounters.csv",
    "acs2019/acs2019.csv", "casc/census_1080x13.csv", "casc/eia.csv", "casc/tarragona.csv",
    "dblp/authors.csv", "dblp/papers.csv", "acl/papers.csv",
]  # fmt: skip
ROWS = 3_000


def proposed(frame: pl.DataFrame) -> dict[str, str]:
    return {column.name: column.role for column in Profile.of(frame).columns}


def try_suggestion(frame: pl.DataFrame) -> str:
    """Do what the last line of `inspect` says."""
    profile = Profile.of(frame)
    data = Microdata.read(frame, profile.schema())
    Method.parse(profile.suggestion.method).anonymize(data)
    return profile.suggestion.method


def some_rows(path) -> pl.DataFrame:
    return (
        pl.read_csv(path, infer_schema_length=None)
        .sample(fraction=1, shuffle=True, seed=1)
        .head(ROWS)
    )


@pytest.mark.parametrize("name", REAL)
def test_the_suggested_command_works(real_data, name):
    assert try_suggestion(some_rows(real_data(name)))


def hospital(real_data) -> pl.DataFrame:
    return some_rows(real_data("hospital/first_encounters.csv"))


def adult(real_data) -> pl.DataFrame:
    return some_rows(real_data("adult/adult.csv"))


ADDED = {
    "comment": (
        lambda i: f"note {i}: wife Anna called 617-555-{i % 10_000:04d}",
        {"drop", "identifier"},
    ),
    "phone2": (lambda i: 6175550000 + i % 997, {"identifier"}),
    "insurance_number": (lambda i: f"K{7 * i % 100_003:07d}", {"identifier"}),
    "contact": (lambda i: f"person{i}@mail.example", {"identifier"}),
    "remarks": (
        lambda i: f"patient seen on ward {i % 40} and sent home after {i} minutes",
        {"drop"},
    ),
    "nbr_partners": (lambda i: i % 7, {"sensitive", "drop"}),
    "diabetes": (lambda i: "yes" if i % 9 == 0 else "no", {"sensitive", "drop"}),
    "depression_score": (lambda i: i % 27, {"sensitive", "drop"}),
    "finalWgt": (lambda i: 1000 + 31 * i % 7919, {"drop"}),
    "birthDate": (lambda i: f"{1930 + i % 70}-0{1 + i % 9}-1{i % 9}", {"quasi"}),
    "monthlySalary": (lambda i: 1000 + 37 * i % 5001, {"sensitive", "drop"}),
    "payer": (lambda i: "ABC"[i % 3], {"quasi"}),
}


@pytest.mark.parametrize("name", ADDED)
@pytest.mark.parametrize("table", [hospital, adult], ids=lambda table: table.__name__)
def test_added_columns_get_a_cautious_role(real_data, table, name):
    made, allowed = ADDED[name]
    frame = table(real_data).with_columns(pl.Series(name, [made(i) for i in range(ROWS)]))
    assert proposed(frame)[name] in allowed
    assert try_suggestion(frame)


def test_whole_words_count(real_data):
    roles = proposed(hospital(real_data))
    assert roles["admission_type_id"] == "quasi"
    assert roles["readmitted"] == "drop"  # a matter of health, and 60 % have one value


def test_coded_numbers_are_nominal_and_counted_ones_are_not(real_data):
    kinds = {
        c.name: c.kind for c in Profile.of(some_rows(real_data("acs2019/acs2019.csv"))).columns
    }
    assert {kinds[name] for name in ("SEX", "MSP", "HISP", "RAC1P")} == {"nominal"}
    assert kinds["AGEP"] == kinds["PINCP"] == "numeric"


def test_survey_weights_and_health_are_never_quasi(real_data):
    roles = proposed(some_rows(real_data("acs2019/acs2019.csv")))
    assert {roles[name] for name in ("PWGTP", "WGTP", "DREM", "DPHY", "DEYE", "DEAR")} == {"drop"}


def test_amounts_are_not_identifiers_because_they_differ(real_data):
    for name in ("casc/census_1080x13.csv", "casc/tarragona.csv"):
        assert "identifier" not in proposed(some_rows(real_data(name))).values()


def test_who_has_several_rows_is_told(real_data):
    profile = Profile.of(real_data("dblp/edges.csv"))
    edges = pl.read_csv(real_data("dblp/edges.csv"))
    assert profile.person.column == "author_id"
    assert profile.person.people == edges["author_id"].n_unique()
    assert profile.person.most_rows == edges["author_id"].value_counts()["count"].max()


def test_the_proposed_roles_of_names_and_mails_hold_without_any_hint():
    """The same columns under names that say nothing: values speak."""
    rows = 200
    frame = pl.DataFrame(
        {
            "v1": [f"Anna {chr(65 + i % 26)}{chr(97 + i // 26)}tro" for i in range(rows)],
            "v2": [f"x{i}@y.example" for i in range(rows)],
            "v3": [20 + i % 50 for i in range(rows)],
        }
    )
    assert proposed(frame) == {"v1": "identifier", "v2": "identifier", "v3": "quasi"}
    with pytest.raises(CannotAnonymize):
        Method.parse("permutation(l=4)").anonymize(
            Microdata.read(frame, dict.fromkeys(frame.columns, "quasi"))
        )


def test_what_a_file_calls_its_columns_counts_as_their_names(tmp_path):
    statistics = pytest.importorskip("pyreadstat")
    import pandas as pd  # the only frames that pyreadstat writes

    labels = ["Sex of the respondent", "Ever told you had diabetes", "Interview weight, final"]
    rows = pd.DataFrame({"Q1": [1.0, 2.0] * 30, "Q2": [1.0, 2.0, 3.0] * 20, "W": range(60)})
    statistics.write_sav(rows, tmp_path / "survey.sav", column_labels=labels)
    roles = {c.name: c.role for c in Profile.of(tmp_path / "survey.sav").columns}
    assert roles == {"Q1": "quasi", "Q2": "sensitive", "W": "drop"}
    assert Profile.of(tmp_path / "survey.sav").columns[0].reason == "often known about a person"


def test_amounts_are_masked_however_they_are_written(real_data):
    """One written 1.234,5 had another reason, and every column was to be rearranged in groups."""
    plain = some_rows(real_data("casc/census_1080x13.csv"))
    comma = plain.with_columns((pl.col("AGI") / 4).map_elements(german, return_dtype=pl.String))
    assert try_suggestion(plain) == try_suggestion(comma) == "rank_swapping(p=10)"


def german(amount: float) -> str:
    return f"{amount:,.2f}".translate(str.maketrans(",.", ".,"))


def test_a_number_beside_a_name_names_the_same_people():
    """A shop has as many values as nobody, a plan fewer: they are left to whoever reads the schema."""
    rows = range(400)
    frame = pl.DataFrame(
        {
            "surname": [f"P{i % 50}" for i in rows],
            "ref": [(i % 50) * 37 % 1009 for i in rows],
            "plan": [i % 50 // 2 for i in rows],
            "shop": [f"s{i * 7 % 52}" for i in rows],
        }
    )
    assert proposed(frame) == {
        "surname": "identifier", "ref": "identifier", "plan": "quasi", "shop": "quasi"
    }  # fmt: skip
    frame = frame.head(50)  # one row a person: whatever differs would name them
    assert proposed(frame.with_columns(size=pl.col("ref") / 8))["size"] == "quasi"


@pytest.mark.parametrize(
    "name",
    ["job", "jobTitle", "occupation", "Beruf", "Hauptberuf", "profession", "métier", "Professione",
     "ocupación", "profesión", "profissão", "beroep"],
)  # fmt: skip
def test_an_occupation_is_private_in_every_language(name):
    frame = pl.DataFrame({name: list("abcdefgh") * 50, "age": [20, 30, 40, 50] * 100})
    assert proposed(frame) == {name: "sensitive", "age": "quasi"}


def test_where_nothing_is_sensitive_a_group_is_not_said_to_hide_what_it_has_in_common():
    found = Profile.of(pl.DataFrame({"age": [20, 30, 40, 50] * 100})).suggestion
    assert found.method == "permutation(l=4)"
    assert found.reason.endswith("but not what a whole group has in common")
