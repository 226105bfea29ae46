"""What the papers print about queries, and what follows from their tables."""

from __future__ import annotations

from fractions import Fraction

import polars as pl
import pytest

from anonagram import KeAnonymity
from anonagram.release import DescribedTable, GeneralizedRelease, Manifest, PublishedColumn, Rows
from tests.queries.releases import released
from tests.tables import PATIENT_GROUPS, PATIENT_SCHEMA, PATIENTS

# Zhang 2007, Table 2.1; groups of Table 2.3
SALARIES = pl.DataFrame(
    {
        "age": [35, 38, 40, 41, 43, 47, 52, 53, 58],
        "zipcode": [27101, 27120, 27130, 27229, 27269, 27243, 27656, 27686, 27635],
        "gender": ["M", "M", "M", "F", "F", "M", "M", "F", "M"],
        "salary": [54000, 55000, 56000, 65000, 75000, 70000, 80000, 75000, 85000],
    }
)
SALARY_ROLES = {
    "age": "quasi",
    "zipcode": {"role": "quasi", "kind": "nominal"},
    "gender": "quasi",
    "salary": "sensitive",
}
SALARY_GROUPS = [0, 0, 0, 1, 1, 1, 2, 2, 2]
FLU = "SELECT COUNT(*) FROM data WHERE age BETWEEN 40 AND 70 AND sex = 'F' AND disease = 'Flu'"


def generalized_salaries() -> GeneralizedRelease:
    """Table 2.2: ages in tens, three digits of the zip code, no gender."""
    columns = tuple(
        PublishedColumn(name, role, kind)
        for name, role, kind in (
            ("age", "quasi", "numeric"),
            ("zipcode", "quasi", "nominal"),
            ("gender", "quasi", "nominal"),
            ("salary", "sensitive", "numeric"),
        )
    )
    table = DescribedTable("data", Rows.all_of(9), columns)
    manifest = Manifest("by hand", (table,), {}, "").with_layout(
        GeneralizedRelease.own_names(columns)
    )
    groups = pl.DataFrame(
        {
            "group": [1, 2, 3],
            "rows": [3, 3, 3],
            "age_low": [31, 41, 51],
            "age_high": [40, 50, 60],
            "age_missing": [False] * 3,
            "zipcode": [list(range(first, first + 100)) for first in (27100, 27200, 27600)],
            "gender": [["F", "M"]] * 3,
        }
    )
    rows = SALARIES.select(group=pl.Series(SALARY_GROUPS) + 1, salary="salary")
    tables = {"groups": groups, "rows": rows}
    return GeneralizedRelease.from_tables(manifest, tables)


@pytest.fixture(scope="module")
def permuted_salaries():
    return released("anatomized", SALARIES, SALARY_ROLES, SALARY_GROUPS)


def test_zhang_2007_table_2_3_is_3_2000_anonymous(permuted_salaries):
    assert KeAnonymity(3, 2000).check(permuted_salaries).holds
    finding = KeAnonymity(3, 10_000).check(permuted_salaries)
    assert not finding.holds
    assert (finding.violating_groups, finding.worst[0]["range"]) == (1, 2000)


@pytest.mark.parametrize(
    ("shape", "expected"),
    [("generalized", Fraction(3, 8)), ("anatomized", Fraction(9, 10)), ("permuted", Fraction(855, 1000))],
)  # fmt: skip
def test_li_2015_examples_1_and_2(shape, expected):
    groups = [number - 1 for number in PATIENT_GROUPS]
    release = released(shape, PATIENTS, PATIENT_SCHEMA, groups)
    answer = release.query(FLU)[0]["COUNT(*)"]
    assert answer.estimate == pytest.approx(float(expected))
    assert answer.lower <= 1 <= answer.upper


def test_zhang_2007_query_1_is_exact(permuted_salaries):
    sql = "SELECT AVG(salary) FROM data WHERE age > 50"
    for release in (permuted_salaries, generalized_salaries()):
        answer = release.query(sql)[0]["AVG(salary)"]
        assert answer.exact
        assert answer.estimate == 80_000


def test_zhang_2007_query_2(permuted_salaries):
    sql = "SELECT SUM(salary) FROM data WHERE age BETWEEN 35 AND 55"
    wide = generalized_salaries().query(sql)[0]["SUM(salary)"]
    assert (wide.lower, wide.upper) == (210_000, 615_000)
    narrow = permuted_salaries.query(sql)[0]["SUM(salary)"]
    assert (narrow.lower, narrow.upper) == (530_000, 540_000)
    assert narrow.estimate == pytest.approx(165_000 + 210_000 + 160_000)
    # two of three values with variance 50/3 million: 2·1/2 of it
    assert narrow.deviation == pytest.approx((50e6 / 3) ** 0.5)


def test_zhang_2007_query_3(permuted_salaries):
    sql = "SELECT MIN(salary) FROM data WHERE gender = 'F'"
    wide = generalized_salaries().query(sql)[0]["MIN(salary)"]
    assert (wide.lower, wide.upper) == (54_000, 85_000)
    narrow = permuted_salaries.query(sql)[0]["MIN(salary)"]
    assert (narrow.lower, narrow.upper) == (65_000, 70_000)


# Table 2.4: group, hits, bounds of the sum and of the least value, in thousands
HELP_TABLE = [
    (1, 1, 54, 56, 54, 56), (1, 2, 109, 111, 54, 55), (1, 3, 165, 165, 54, 54),
    (2, 1, 65, 75, 65, 75), (2, 2, 135, 145, 65, 70), (2, 3, 210, 210, 65, 65),
    (3, 1, 75, 85, 75, 85), (3, 2, 155, 165, 75, 80), (3, 3, 240, 240, 75, 75),
]  # fmt: skip


@pytest.mark.parametrize("line", HELP_TABLE)
def test_zhang_2007_help_table(permuted_salaries, line):
    group, hits, *bounds = line
    ages = SALARIES["age"].to_list()[3 * (group - 1) :][:hits]
    condition = f"age IN ({', '.join(map(str, ages))})"
    (row,) = permuted_salaries.query(f"SELECT SUM(salary), MIN(salary) FROM data WHERE {condition}")
    ends = [end for answer in row.values() for end in (answer.lower, answer.upper)]
    assert ends == [1000 * bound for bound in bounds]


def test_zhang_2007_help_table_as_a_table(permuted_salaries):
    """The groups of a release are numbered at random: they are known by their least salary."""
    columns = ["hits", "sum_low", "sum_high", "min_low", "min_high"]
    table = permuted_salaries.with_help_tables().tables["help"]
    found = {
        (hits, *(bound // 1000 for bound in rest)) for hits, *rest in table.select(columns).rows()
    }
    assert found == {line[1:] for line in HELP_TABLE}
