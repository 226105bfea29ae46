"""What is understood, what is refused and where the refusal points, and what hostile text can do."""

from __future__ import annotations

from pathlib import Path

import duckdb
import polars as pl
import pytest

from anonagram.errors import SchemaError, UnsupportedQuery
from anonagram.queries import Asked
from anonagram.queries.reading.conditions import MAX_TERMS
from tests.queries.releases import SHAPES, released
from tests.queries.test_bounds import ROLES
from tests.queries.test_engines import alike
from tests.queries.test_golden import SALARIES, SALARY_GROUPS, SALARY_ROLES


@pytest.fixture(scope="module")
def release():
    return released("anatomized", SALARIES, SALARY_ROLES, SALARY_GROUPS)


# a question, the words it points at, part of the reason, part of the remedy
REFUSED = [
    ("", "", "no question", "SELECT COUNT(*)"),
    ("SELECT COUNT(*) FROM data WHERE age >", ">", "not understood", "SELECT COUNT(*)"),
    ("SELECT COUNT(*) FROM data WHERE name = 'x", "x", "not understood", "SELECT COUNT(*)"),
    ("DROP TABLE data", "DROP", "one SELECT", "SELECT COUNT(*)"),
    ("SELECT COUNT(*) FROM data; DROP TABLE quasi", ";", "one SELECT", "SELECT"),
    ("SELECT COUNT(*) FROM data UNION SELECT 1", "SELECT", "one SELECT", "SELECT"),
    ("WITH x AS (SELECT 1) SELECT COUNT(*) FROM data", "WITH", "begins with SELECT", "SELECT"),
    ("SELECT * FROM data", "*", "no rows of people", "COUNT(*)"),
    ("SELECT age FROM data", "age", "only totals", "SELECT age, COUNT(*) FROM data GROUP BY age"),
    ("SELECT DISTINCT COUNT(*) FROM data", "DISTINCT", "how often", "SELECT"),
    ("SELECT COUNT(*) FROM data, other", "JOIN", "nothing can be joined", "SELECT"),
    ("SELECT COUNT(*) FROM data JOIN x ON TRUE", "JOIN", "nothing can be joined", "SELECT"),
    ("SELECT COUNT(*) FROM people", "people", "called data", "FROM data"),
    ("SELECT COUNT(*) FROM main.data", "data", "called data", "FROM data"),
    ("SELECT COUNT(*) FROM read_csv('/etc/passwd')", "FROM", "one table", "FROM data"),
    ("SELECT COUNT(*) FROM (SELECT 1)", "(", "no other question", "SELECT"),
    ("SELECT COUNT(*) FROM data WHERE age IN (SELECT 1)", "(", "no other question", "SELECT"),
    ("SELECT COUNT(*) FROM data WHERE wage > 3", "wage", "no column 'wage'", "did you mean 'age'"),
    ("SELECT COUNT(*) FROM data WHERE x.age > 3", "x", "only the table", "FROM data"),
    ("SELECT MODE(salary) FROM data", "MODE", "MODE has no bounds", "AVG(salary)"),
    ("SELECT MEDIAN(gender) FROM data", "gender", "neither a number", "QUANTILE_DISC(gender"),
    ("SELECT QUANTILE_CONT(age, 2) FROM data", "2", "share above 0", "0.75"),
    ("SELECT STDDEV(salary) FROM data", "STDDEV", "no bounds", "AVG(salary)"),
    ("SELECT SUM(DISTINCT age) FROM data", "DISTINCT", "Different", "COUNT"),
    ("SELECT SQRT(SUM(salary)) FROM data", "SUM", "joined by", "SELECT"),
    ("SELECT 1 / (SUM(salary) - SUM(salary)) FROM data WHERE gender = 'F'", "/", "either sign", "one by one"),
    ("SELECT COUNT(*) FILTER (WHERE SUM(age) > 1) FROM data", "FILTER", "HAVING", "HAVING"),
    ("SELECT COUNT(*) FROM data AS d(b, a)", "b", "keep their names", "SELECT"),
    ("SELECT MIN(age, 2) FROM data", "2", "more than is understood (count)", "MIN without"),
    ("SELECT COUNT(*) FROM data WHERE age / 1.5 // 2 = 1", "age", "whole numbers", "FLOOR"),
    ("SELECT SUM(AVG(salary)) FROM data", "SUM", "in another", "one of them"),
    ("SELECT SUM(gender) FROM data", "gender", "not a number", "MIN(gender)"),
    ("SELECT SUM(1) FROM data", "SUM", "needs a column", "SUM"),
    ("SELECT COUNT(*) OVER () FROM data", "OVER", "no neighbours", "SELECT"),
    ("SELECT COUNT(*) FROM data WHERE COUNT(*) > 1", "COUNT", "HAVING", "HAVING"),
    ("SELECT COUNT(*) FROM data GROUP BY 7", "7", "no item 7", "GROUP BY 1"),
    ("SELECT COUNT(*) FROM data GROUP BY COUNT(*)", "COUNT", "cannot be grouped", "GROUP BY"),
    ("SELECT COUNT(*) FROM data GROUP BY ROLLUP (age)", "GROUP BY", "Only a list", "GROUP BY"),
    ("SELECT COUNT(*) FROM data GROUP BY gender HAVING zipcode > 1", "zipcode", "neither", "COUNT"),
    ("SELECT COUNT(*) AS a, SUM(age) AS a FROM data", "SUM", "Two columns", "AS"),
    ("SELECT COUNT(*) FROM data LIMIT age", "LIMIT", "whole number", "LIMIT 10"),
    ("SELECT COUNT(*) FROM data ORDER BY 3", "3", "no item 3", "ORDER BY 1"),
    ("SELECT COUNT(*) FROM data WHERE pg_sleep(10)", "pg_sleep", "not among", "comparisons"),
    ("SELECT COUNT(*) FROM data WHERE random() < 0.5", "random", "not among", "comparisons"),
    ("SELECT COUNT(*) FROM data WHERE getenv('HOME') = 'x'", "getenv", "not among", "comparisons"),
    ("SELECT COUNT(*) FROM data WHERE age = ?", "?", "no parameters", "write the value"),
    ("SELECT COUNT(*) FROM data WHERE age = $1", "$1", "no parameters", "write the value"),
    ("SELECT COUNT(*) FROM data WHERE age::REGCLASS = 1", "REGCLASS", "no such type", "CAST"),
    ("SELECT SUM(age + salary) FROM data", "age", "no row holds both", "one of them"),
    ("SELECT COUNT(*) FROM data WHERE age > 'old'", "'old'", "none of the whole numbers", "own type"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("sql", "word", "why", "remedy"), REFUSED, ids=[r[0][:60] for r in REFUSED]
)
def test_refusal_points_at_the_word(release, sql, word, why, remedy):
    with pytest.raises(UnsupportedQuery) as refusal:
        release.query(sql)
    error = refusal.value
    assert why in error.what
    assert remedy in error.remedy
    assert sql.split("\n")[0] in error.what
    if word in sql:
        assert sql[error.start : error.end].upper() == word.upper()


def test_pointer_stands_under_the_word_of_its_line(release):
    sql = "SELECT COUNT(*)\nFROM data\nWHERE\twage > 3"
    with pytest.raises(UnsupportedQuery) as refusal:
        release.query(sql)
    line, pointer = refusal.value.what.split("\n")[1:3]
    assert line == "    WHERE wage > 3"
    assert pointer == "          ^^^^"


def test_too_many_alternatives_over_parts():
    release = released("permuted", SALARIES, SALARY_ROLES, SALARY_GROUPS)
    terms = [f"(age = {i} AND zipcode = {i})" for i in range(MAX_TERMS + 1)]
    with pytest.raises(UnsupportedQuery, match="alternatives"):
        release.query(f"SELECT COUNT(*) FROM data WHERE {' OR '.join(terms)}")
    assert release.query(f"SELECT COUNT(*) FROM data WHERE {' OR '.join(terms[:-1])}")


@pytest.mark.parametrize(
    ("sql", "why"),
    [
        ("SELECT age + zipcode, COUNT(*) FROM data GROUP BY 1", "cannot be grouped"),
        ("SELECT SUM(age * zipcode) FROM data", "range or a set"),
    ],
)
def test_ranges_do_not_tell_everything(sql, why):
    release = released("generalized", SALARIES, SALARY_ROLES, SALARY_GROUPS)
    with pytest.raises(UnsupportedQuery, match=why):
        release.query(sql)


def test_two_ranges_beside_each_other_have_bounds():
    release = released("generalized", SALARIES, SALARY_ROLES, SALARY_GROUPS)
    for condition, truth in (("age < zipcode", len(SALARIES)), ("age > zipcode", 0)):
        (row,) = release.query(f"SELECT COUNT(*) AS n FROM data WHERE {condition}")
        assert row["n"].lower <= truth <= row["n"].upper


def test_names_of_answers(release):
    sql = (
        'select GENDER, "gender" AS sex, avg( salary ), count(*) as n, Max(salary) '
        "from data group by gender"
    )
    with pytest.raises(UnsupportedQuery, match="shown already"):
        release.query(sql.replace("GENDER, ", "GENDER, gender, "))
    (first, _) = release.query(sql.replace("GENDER, ", ""))
    assert list(first) == ["sex", "avg( salary )", "n", "Max(salary)"]


def test_having_order_and_limit_look_at_estimates(release):
    rows = release.query(
        "SELECT zipcode, SUM(salary) AS s FROM data d WHERE d.age > 40 GROUP BY d.zipcode "
        "HAVING COUNT(*) = 1 AND s > 70000 ORDER BY s DESC, zipcode LIMIT 2 OFFSET 1"
    )
    assert [row["zipcode"] for row in rows] == [27656, 27686]
    assert not release.query("SELECT gender, COUNT(*) FROM data GROUP BY 1 HAVING COUNT(*) > 99")
    (only,) = release.query("SELECT COUNT(*) FROM data ORDER BY COUNT(*) LIMIT 5")
    assert only["COUNT(*)"].estimate == 9


def test_dates_and_parts_of_dates():
    table = pl.DataFrame({
        "born": ["1970-01-05", "1970-06-01", "1980-02-03", None],
        "pay": [1, 2, 3, 4],
    }).with_columns(pl.col("born").str.to_date())  # fmt: skip
    roles = {"born": "quasi", "pay": "sensitive"}
    conditions = {
        "born < DATE '1970-02-01'": 1, "EXTRACT(year FROM born) = 1970": 2, "YEAR(born) = 1980": 1,
        "MONTH(born) = 6": 1, "DATE_TRUNC('year', born) = DATE '1970-01-01'": 2,
        "born BETWEEN '1970-01-01' AND '1979-12-31'": 2, "born IS NULL": 1,
        "CAST(born AS VARCHAR) LIKE '1970%'": 2, "born + INTERVAL 1 MONTH > DATE '1980-03-01'": 1,
    }  # fmt: skip
    for shape in SHAPES:
        release = released(shape, table, roles, [0, 0, 1, 1])
        for condition, expected in conditions.items():
            try:
                (row,) = release.query(f"SELECT COUNT(*) FROM data WHERE {condition}")
            except UnsupportedQuery:
                assert shape == "generalized", condition
                continue
            answer = row["COUNT(*)"]
            assert answer.lower <= expected <= answer.upper
            assert shape == "generalized" or answer.exact


INTERNAL = ["n", "g", "k0", "x", "w", "lo"]


@pytest.mark.parametrize("shape", sorted(SHAPES))
def test_columns_may_be_called_like_our_own(shape):
    """Every name that a statement uses inside, taken by a column of the data."""
    table = pl.DataFrame({
        "age": [3, 1, None, 4, 1, 5, 9, 2], "name": ["a", "b", "a", None, "b", "a", "b", "a"],
        "born": [None] + ["2000-01-01", "2001-02-03"] * 3 + ["1999-01-01"],
        "level": ["low", "mid", "high", "low", None, "mid", "low", "high"],
        "weight": [0.5, 1.5, None, 2.5, 0.0, -1.0, 2.0, 3.0], "pay": [5, 3, 5, 8, 9, 7, 9, 3],
    }).with_columns(pl.col("born").str.to_date())  # fmt: skip
    names = dict(zip(table.columns, INTERNAL, strict=True))
    groups = [0, 0, 0, 1, 1, 1, 2, 2]
    plain = released(shape, table, ROLES, groups)
    odd = released(shape, table.rename(names), {names[k]: v for k, v in ROLES.items()}, groups)
    for sql in (
        "SELECT {name}, COUNT(*), AVG({pay}), MIN({pay}) FROM data WHERE {age} > 1 GROUP BY {name}",
        "SELECT COUNT(*) FROM data WHERE {age} > 1 AND {level} = 'low' AND {pay} > 4",
        "SELECT {pay}, COUNT({weight}) FROM data WHERE {level} IN ('low', 'mid') GROUP BY {pay}",
        "SELECT COUNT(*) FROM data WHERE {age} > 1 OR {pay} > 5",
    ):
        one, two = plain.query(sql.format(**{k: k for k in names})), odd.query(sql.format(**names))
        assert alike(one, two)


def test_columns_that_databases_do_not_tell_apart_are_named():
    table = SALARIES.rename({"zipcode": "AGE"})
    roles = {"age": "quasi", "AGE": "quasi", "gender": "quasi", "salary": "sensitive"}
    release = released("anatomized", table, roles, SALARY_GROUPS)
    with pytest.raises(SchemaError, match="'age' and 'AGE'"):
        release.query("SELECT COUNT(*) FROM data")


HOSTILE = [
    "'; DROP TABLE quasi; --", "\\'; DROP TABLE quasi; --", "x' OR '1'='1", "${jndi:ldap}", "%s", "{0}",
    "/* */", "\u2019", "$$", "a\nb", "?", ":name", "@x", "'||(SELECT 1)||'",
]  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_texts_are_only_texts(text):
    """As a value, as a name of a column, and as an alias."""
    name = text.replace("\n", " ")
    table = pl.DataFrame({name: [text, "other", text, "more"], "pay": [1, 2, 3, 4]})
    roles = {name: {"role": "quasi", "kind": "nominal"}, "pay": "sensitive"}
    quoted = "'" + text.replace("'", "''") + "'"
    column = '"' + name.replace('"', '""') + '"'
    for shape in SHAPES:
        release = released(shape, table, roles, [0, 0, 1, 1])
        (row,) = release.query(
            f"SELECT COUNT(*) AS {column}, SUM(pay) FROM data WHERE {column} = {quoted}"
        )
        assert row[name].lower <= 2 <= row[name].upper
        assert set(release._engine.connection.execute("SHOW TABLES").fetchall()) == {
            (each,) for each in release.tables
        }


def test_the_database_sees_nothing_of_the_machine(release, tmp_path: Path):
    (tmp_path / "secret.csv").write_text("a\n1\n")
    connection = release._engine.connection if hasattr(release, "_engine") else None
    for statement in (
        f"SELECT * FROM '{tmp_path / 'secret.csv'}'",
        f"SELECT * FROM read_csv('{tmp_path / 'secret.csv'}')",
        f"COPY quasi TO '{tmp_path / 'out.csv'}'",
        f"ATTACH '{tmp_path / 'x.db'}'",
        "SET enable_external_access = true",
    ):
        with pytest.raises(duckdb.Error):
            connection.execute(statement).fetchall()
    assert [path.name for path in tmp_path.iterdir()] == ["secret.csv"]


def test_explain_is_one_statement_in_either_dialect(release):
    asked = Asked.of(release, "SELECT gender, AVG(salary) FROM data WHERE age > 40 GROUP BY gender")
    for dialect in ("duckdb", "postgres"):
        text = asked.explain(dialect)
        assert text.count(";") == 0
        assert text.startswith("WITH")
    connection = release._engine.connection
    assert len(connection.execute(asked.explain("duckdb")).fetchall()) == 2
