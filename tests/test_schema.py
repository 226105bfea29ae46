from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonagram import Schema
from anonagram.errors import SchemaError
from anonagram.schema import ColumnRule


def write(tmp_path, text):
    path = tmp_path / "schema.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_short_and_full_form(tmp_path):
    path = write(
        tmp_path,
        '[columns]\nage = "quasi"\n'
        'zip = { role = "quasi", kind = "nominal", hierarchy = "zip.csv" }\n'
        '[columns."pain level"]\nrole = "sensitive"\nkind = "ordinal"\norder = ["low", "high"]\n',
    )
    schema = Schema.read(path)
    assert schema.columns["age"] == ColumnRule("quasi")
    assert schema.columns["zip"] == ColumnRule("quasi", "nominal", "zip.csv")
    assert schema.columns["pain level"].order == ("low", "high")
    assert schema.folder == tmp_path


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[columns]\nage = "qasi"', "did you mean 'quasi'"),
        ('[columns]\nage = { role = "quasi", kind = "numerical" }', "did you mean 'numeric'"),
        ('[columns]\nage = { kind = "numeric" }', "has no role"),
        ('[columns]\nage = { role = "quasi", hierachy = "x" }', "did you mean 'hierarchy'"),
        ('[columns]\nage = { role = "quasi", order = ["a"] }', "Only an ordinal"),
        ("[columns]\nage = 3", "has no role"),
        ('[columns]\nage = { role = ["quasi"] }', "There is no role"),
        ('[columns]\nage = { role = "quasi", hierarchy = 5 }', "not a hierarchy"),
        ('[columns]\nage = { role = "quasi", kind = "ordinal", order = "lohi" }', "list of values"),
        ('[columns]\nage = { role = "quasi", kind = "ordinal", order = ["a", "a"] }', "twice"),
        ('[columns]\nage = { role = "quasi", label = 3 }', "is no label"),
        ('[columns]\nage = { role = "quasi", label = " " }', "is no label"),
        ('[columns]\nage = { role = "quasi", labels = ["young"] }', "does not say to which"),
        ('[columns]\nage = { role = "quasi", labels = { 1 = 2 } }', "no label of '1'"),
        ('[column]\nage = "quasi"', "unknown table"),
        ("", "no .columns. table"),
        ("[columns", "is not a schema file"),
        ('[columns]\nage = "quasi"\nage = "plain"', "is not a schema file"),
    ],
)
def test_bad_file_gets_a_helpful_error(tmp_path, text, message):
    with pytest.raises(SchemaError, match=message) as error:
        Schema.read(write(tmp_path, text))
    assert "schema.toml" in error.value.what


def test_missing_file_says_how_to_make_one(tmp_path):
    with pytest.raises(SchemaError, match=r"Profile\.of\(table\)\.to_toml"):
        Schema.read(tmp_path / "none.toml")


def test_every_column_needs_a_role_and_every_role_a_column():
    schema = Schema.of(age="quasi", ocupation="sensitive")
    with pytest.raises(SchemaError, match="did you mean 'occupation'"):
        schema.match(["age", "occupation"], "adult.csv")
    with pytest.raises(SchemaError, match="columns 'sex', 'zip' have no role"):
        Schema.of(age="quasi").match(["age", "sex", "zip"], "t.csv")
    with pytest.raises(SchemaError, match="column 'sex' has no role"):
        schema.match(["age", "ocupation", "sex"], "adult.csv")


def test_labels_survive_their_file(tmp_path):
    rule = ColumnRule("sensitive", label='The "first" diagnosis', labels={"250.83": "Diabetes \\"})
    schema = Schema({"diag_1": rule})
    assert Schema.read(write(tmp_path, schema.to_toml())).columns == schema.columns
    assert Schema.of(sex={"role": "quasi", "labels": {1: "man"}}).columns["sex"].labels == {
        "1": "man"
    }


names = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=8)


@given(
    columns=st.dictionaries(
        names,
        st.builds(
            ColumnRule, st.sampled_from(["quasi", "drop"]), st.sampled_from([None, "nominal"])
        ),
    )
)
def test_toml_round_trip(tmp_path_factory, columns):
    path = tmp_path_factory.mktemp("schema") / "schema.toml"
    path.write_text(Schema(columns).to_toml(dict.fromkeys(columns, "why")), encoding="utf-8")
    assert Schema.read(path).columns == columns
