from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from anonagram.profile import Profile


def roles(table: dict[str, object]) -> dict[str, str]:
    return {column.name: column.role for column in Profile.of(table).columns}


def test_roles_from_names_and_values():
    n = 60
    assert roles(
        {
            "patient_name": ["Bob", "Eve"] * 30,
            "row": list(range(n)),
            "email": [f"{i}@x" for i in range(n)],
            "age": [20 + i % 40 for i in range(n)],
            "admission_type_id": [i % 4 for i in range(n)],
            "country": ["ES"] * n,
            "empty": pl.Series([None] * n, dtype=pl.String),
            "story": [f"a long story about what happened on day {i % 9} of the stay" for i in range(n)],
            "diag_1": [f"D{i % 5}" for i in range(n)],
            "blood": [0.5 * i for i in range(n)],
        }
    ) == {
        "patient_name": "identifier", "row": "identifier", "email": "identifier", "age": "quasi",
        "admission_type_id": "quasi", "country": "drop", "empty": "drop", "story": "drop",
        "diag_1": "sensitive", "blood": "sensitive",
    }  # fmt: skip


def test_codes_stay_nominal_in_the_schema():
    profile = Profile.of({"zip": [91110, 91111] * 4, "age": [20, 30] * 4})
    assert profile.schema().columns["zip"].kind == "nominal"
    assert profile.schema().columns["age"].kind is None


def test_too_frequent_a_value_is_said():
    profile = Profile.of({"disease": ["flu"] * 9 + ["cut"], "age": [1, 2] * 5})
    assert profile.columns[0].role == "drop"
    assert "too frequent" in profile.columns[0].reason


def test_what_sounds_private_is_never_proposed_for_publication_as_it_is():
    proposed = roles(
        {"hiv": ["no"] * 9 + ["yes"], "religion": list("abcde") * 2, "salary": [1, 2, 3, 4, 5] * 2}
    )
    assert proposed == {"hiv": "drop", "religion": "sensitive", "salary": "sensitive"}


def test_uniqueness_is_counted_right():
    random = np.random.default_rng(1)
    table = pl.DataFrame(
        {name: random.integers(0, k, 500) for name, k in {"a": 30, "b": 4, "c": 9}.items()}
    )
    steps = Profile.of(table).uniqueness
    assert [len(step.columns) for step in steps] == [1, 2, 3]
    for step in steps:
        assert (
            step.unique_rows == table.group_by(step.columns).len().filter(pl.col("len") == 1).height
        )


@pytest.mark.parametrize(
    ("name", "identifiers", "sensitive"),
    [
        (
            "hospital/first_encounters.csv",
            {"encounter_id", "patient_nbr"},
            {"diag_1", "num_medications", "num_lab_procedures"},
        ),
        ("adult/adult.csv", set(), {"occupation"}),
    ],
)
def test_real_tables(real_data, name, identifiers, sensitive):
    profile = Profile.of(real_data(name))
    proposed = {column.name for column in profile.columns if column.role == "identifier"}
    assert proposed == identifiers
    assert {column.name for column in profile.columns if column.role == "sensitive"} <= sensitive
    last = profile.uniqueness[-1]
    table = pl.read_csv(real_data(name), infer_schema=False)
    alone = table.group_by(last.columns).len().filter(pl.col("len") == 1).height
    assert last.unique_rows == alone > 0.2 * table.height
