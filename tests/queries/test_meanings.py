"""Every expression that a question may contain means in PostgreSQL what it means in DuckDB."""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn, cast

import duckdb
import polars as pl
import pytest
import sqlglot
from sqlglot import exp

from anonagram.engines.duck import DuckDb
from anonagram.errors import InputError, UnsupportedQuery
from anonagram.queries import Answers, Asked, database_with, load
from anonagram.queries.kinds import Kind, kind_of_column
from anonagram.queries.meanings import REFUSALS, RULES, Translator, Typed, translate_statement
from anonagram.queries.meanings.letters import Letters
from anonagram.queries.meanings.statements import NoRule
from anonagram.queries.reading.allowed import SCALAR
from anonagram.queries.sql import on_table
from tests.queries.every_column import columns
from tests.queries.meanings import TEMPLATES, expanded
from tests.queries.releases import released
from tests.queries.test_engines import alike

STRUCTURE = {exp.Identifier, exp.DataType, exp.DataTypeParam, exp.Var}
"""Parts of other expressions, which their templates contain."""
AT_ONCE = 50
EXTREME = re.compile("huge|broad|real|u64")
"""Columns with values that make many statements fail: those are asked one by one."""
NAMES = {
    "BOOLEAN": "truth", "VARCHAR": "text", "DOUBLE": "double", "DATE": "date", "TIME": "time",
    "TIMESTAMP": "moment", "INTERVAL": "span", "DECIMAL": "decimal", '"NULL"': "missing",
}  # fmt: skip


@dataclass
class Both:
    """Two databases with the same table `quasi`."""

    tables: dict[str, pl.DataFrame]
    duck: DuckDb
    """Held as long as its connection is: another release gets the database of one that is gone."""
    postgres: Any

    def translated(self, expressions: list[str]) -> str:
        """One statement for PostgreSQL with all of them."""
        shown = ", ".join(f"{each} AS e{i}" for i, each in enumerate(expressions))
        text = f"SELECT {shown} FROM quasi AS t WHERE t.id >= 0 ORDER BY t.id"
        tree = sqlglot.parse_one(text, read="duckdb")
        return translate_statement(tree, self.tables, no_rule).sql("postgres")

    def ask_postgres(self, statement: str) -> list[tuple[Any, ...]] | str:
        import psycopg

        try:
            return self.postgres.execute(statement).fetchall()
        except psycopg.Error as error:
            return str(error)

    def ask_duckdb(self, expression: str) -> list[tuple[Any, ...]] | str:
        """The values; nothing where there is an error."""
        try:
            text = f"SELECT TRY({expression}), typeof({expression}) FROM quasi AS t ORDER BY t.id"
            return self.duck.connection.execute(text).fetchall()
        except duckdb.Error as error:
            return str(error)


@contextmanager
def both_with(table: pl.DataFrame, url: str, schema: str) -> Iterator[Both]:
    import psycopg

    roles = dict.fromkeys(table.columns, "plain") | {"id": "quasi"}
    table = table.with_columns(pay=pl.col("id") % 5)
    release = released("anatomized", table, roles | {"pay": "sensitive"}, [0] * table.height)
    load(release, f"{url}?schema={schema}", force=True)
    options = f"-c timezone=UTC -c search_path={schema}"
    with psycopg.connect(url, autocommit=True, options=options) as connection:
        duck = cast("DuckDb", database_with(release))
        yield Both(release.tables, duck, connection)


@pytest.fixture(scope="module")
def both(postgres_url) -> Iterator[Both]:
    with both_with(columns(), postgres_url, "meanings") as databases:
        yield databases


def test_everything_allowed_has_a_template():
    assert set(SCALAR) - STRUCTURE - set(TEMPLATES) == set()


def test_every_rule_has_a_template():
    others = {exp.DayOfMonth, exp.WeekOfYear}  # other names for what has one
    assert set(RULES) - set(TEMPLATES) == others


@pytest.mark.parametrize("kind", TEMPLATES, ids=lambda kind: kind.__name__)
def test_both_mean_the_same(both, kind):
    written = [each for template in TEMPLATES[kind] for each in dict.fromkeys(expanded(template))]
    asked = {text: found for text in written if (found := kind_in(both, text)) is not None}
    proven = 0
    together = [text for text in asked if not EXTREME.search(text)]
    for first in range(0, len(together), AT_ONCE):
        chosen = together[first : first + AT_ONCE]
        found = both.ask_postgres(both.translated([qualified(text) for text in chosen]))
        for place, text in enumerate(chosen):
            alone = found if isinstance(found, str) else [row[place : place + 1] for row in found]
            proven += compared(both, text, asked[text], alone)
    for text in asked:
        if EXTREME.search(text):
            proven += compared(both, text, asked[text], "not yet")
    assert proven > 0


def qualified(text: str) -> str:
    return on_table(sqlglot.parse_one(f"SELECT {text}", read="duckdb").expressions[0])


def kind_in(both: Both, text: str) -> Kind | None:
    """What an expression is; None where PostgreSQL is not asked."""
    kinds = {name: kind_of_column(dtype) for name, dtype in both.tables["quasi"].schema.items()}
    translator = Translator(lambda column: Typed(kinds[column.name], column), no_rule, Letters(()))
    try:
        return translator.read(
            sqlglot.parse_one(f"SELECT {text}", read="duckdb").expressions[0]
        ).kind
    except NoRule:
        return None


def no_rule(node: exp.Expr, reason: str) -> NoReturn:
    assert reason in REFUSALS
    raise NoRule


def compared(both: Both, text: str, kind: Kind, found: list[tuple[Any, ...]] | str) -> int:
    """How many values are the same in both databases; an error of either is no value."""
    expression = qualified(text)
    truth = both.ask_duckdb(expression)
    if isinstance(truth, str):
        return 0
    assert_kind(text, kind, truth[0][1])
    statement = ""
    if isinstance(found, str):
        statement = both.translated([expression])
        found = both.ask_postgres(statement)
    proven = 0
    for row, (value, _) in enumerate(truth):
        if value is None and isinstance(found, str):
            continue
        alone = found
        if isinstance(alone, str):  # some rows fail: the others tell
            alone = both.ask_postgres(statement.replace("t.id >= 0", f"t.id = {row}"))
            if isinstance(alone, str):
                continue
        other = alone[0][0] if isinstance(found, str) else alone[row][0]
        assert is_same(value, other) or fails(both, expression, row), (text, row, value, other)
        proven += 1
    return proven


def assert_kind(text: str, kind: Kind, told: str) -> None:
    """DuckDB calls the expression what the rules say it is."""
    name, _, parameters = told.partition("(")
    expected = "text" if kind.name == "quoted" else kind.name
    assert NAMES.get(name, "whole") == expected, (text, told, kind)
    if name == "DECIMAL":
        assert int(parameters.rstrip(")").split(",")[1]) == kind.scale, (text, told, kind)


def is_same(one: Any, other: Any) -> bool:
    is_number = isinstance(one, float), isinstance(other, float)
    if is_number[0] != is_number[1] or isinstance(one, bool) != isinstance(other, bool):
        return False
    return bool(one == other) or (all(is_number) and one != one and other != other)


def fails(both: Both, expression: str, row: int) -> bool:
    """Whether DuckDB has no value because of an error, such as a number that is too large."""
    try:
        both.duck.connection.execute(
            f"SELECT {expression} FROM quasi AS t WHERE t.id = {row}"
        ).fetchall()
    except duckdb.Error:
        return True
    return False


def test_every_letter(postgres_url):
    """Letters that change with their case, and all kinds of spaces, in context and alone."""
    everything = [chr(c) for c in range(0x80, sys.maxunicode + 1) if not 0xD800 <= c < 0xE000]
    cased = [c for c in everything if c.lower() != c or c.upper() != c or c.title() != c]
    spaces = [c for c in everything if c.isspace() or unicodedata.category(c)[0] in "ZC"][:3000]
    texts = ["".join(cased[i : i + 40]) for i in range(0, len(cased), 40)]
    texts += [
        f"{c}{c}x {c}y{c}" for c in [*spaces[:400], "\u3000", "\u2003", "\ufeff", "\t", "\n", "\r"]
    ]
    table = pl.DataFrame({"text": texts}).with_row_index("id").cast({"id": pl.Int64})
    asked = ["LOWER(text)", "UPPER(text)", "UPPER(LOWER(text))", "TRIM(text)", "LTRIM(text)",
             "LENGTH(text)", "SUBSTRING(text, 2, 3)", "text ILIKE UPPER(text)",
             "text ILIKE '%ǆ%'", "text LIKE '______%'", "text < 'ß'"]  # fmt: skip
    with both_with(table, postgres_url, "letters") as both:
        for text in asked:
            kind = kind_in(both, text)
            assert kind is not None
            assert compared(both, text, kind, "not yet") == table.height, text


Ask = Callable[[str], tuple[Answers, Answers]]


@pytest.fixture(scope="module")
def ask(postgres_url) -> Ask:
    table = columns().with_columns(pay=pl.Series(range(40)) % 5)
    roles = dict.fromkeys(table.columns, "plain") | {"id": "quasi", "pay": "sensitive"}
    release = released("anatomized", table, roles, [i % 4 for i in range(table.height)])
    postgres = load(release, f"{postgres_url}?schema=asked", force=True)
    duck = database_with(release)

    def both(sql: str) -> tuple[Answers, Answers]:
        asked = Asked.of(release, sql)
        return asked.run(duck), asked.run(postgres)

    return both


@pytest.mark.parametrize("condition", [
    "clock = TIME '12:30:00.5'", "clock > '23:59:59'", "LOWER(name) = 'äöüß'", "UPPER(name) = 'ÄÖÜẞ'",
    "name ILIKE 'ÄÖ%'", "EXTRACT(second FROM moment) = 59", "EXTRACT(second FROM clock) = 3",
    "TRIM(name) = 'nbsp'", "small / (small - small) > 0", "DATE_TRUNC('month', day) = '2000-02-01'",
    "DATE_TRUNC('century', day) = DATE '2000-01-01'", "EXTRACT(day FROM took) > 1",
    "CAST(small AS DECIMAL(18, 1)) = 100.3", "-took < INTERVAL '3' HOUR",
    "CASE WHEN yes THEN 'a' ELSE 'B' END < 'Z'", "CAST(id AS VARCHAR) < '2'", "1e0 * i64 / 3 > 2.5",
])  # fmt: skip
def test_conditions_that_were_answered_differently(ask, condition):
    one, other = ask(f"SELECT COUNT(*), MIN(pay), SUM(pay) FROM data WHERE {condition}")
    assert alike(one, other)


@pytest.mark.parametrize(
    "condition",
    [
        "CAST(i64 / 2 AS VARCHAR) = '0.5'",
        "CAST(small AS FLOAT) = 0.1",
        "i64 = '5.5'",
        "yes = 1",
        "EXTRACT(day FROM moment - day) > 1",
        "CAST(small AS DECIMAL(20, 2)) > 1",
    ],
)
def test_what_differs_is_refused_at_the_word(ask, condition):
    with pytest.raises(UnsupportedQuery, match="PostgreSQL is not asked") as refusal:
        ask(f"SELECT COUNT(*) FROM data WHERE {condition}")
    assert "^" in str(refusal.value)
    assert "ask without engine" in str(refusal.value)


def test_truth_values_have_extremes_and_counts(ask):
    for what in ("MIN(yes), MAX(yes), COUNT(yes)", "MIN(yes AND small > 1), MAX(NOT yes)"):
        for rest in ("", " WHERE pay > 2", " WHERE pay > 2 AND id > 20", " WHERE id < 0"):
            one, other = ask(f"SELECT {what} FROM data{rest}")
            assert alike(one, other)
    one, other = ask(
        "SELECT yes, COUNT(*), MAX(pay) FROM data GROUP BY yes HAVING COUNT(*) / 2 > 1"
    )
    assert alike(one, other)


def test_texts_as_keys_are_ordered_byte_by_byte(ask):
    keys = "CASE WHEN yes THEN 'a' WHEN small > 1 THEN 'B' ELSE 'ä' END", "LOWER(name)", "id || 'x'"
    for key in keys:
        one, other = ask(f"SELECT {key} AS k, COUNT(*) FROM data GROUP BY {key} ORDER BY k LIMIT 5")
        assert alike(one, other)


@pytest.mark.parametrize("shape", ["generalized", "permuted"])
def test_truth_values_as_keys_of_every_shape(postgres_url, shape):
    table = columns().select("id", "yes", "name").with_columns(pay=pl.Series(range(40)) % 5)
    roles = {"id": "quasi", "yes": "quasi", "name": "plain", "pay": "sensitive"}
    release = released(shape, table, roles, [i % 4 for i in range(table.height)])
    postgres = load(release, f"{postgres_url}?schema={shape}", force=True)
    for sql in (
        "SELECT yes, COUNT(*), MAX(pay) FROM data WHERE id < 20 GROUP BY yes",
        "SELECT COUNT(*), MIN(pay) FROM data WHERE id < 20 AND yes AND pay > 1",
        "SELECT MIN(pay > 1), MAX(pay > 3) FROM data WHERE id < 20",
    ):
        asked = Asked.of(release, sql)
        assert alike(asked.run(database_with(release)), asked.run(postgres)), sql


def test_a_statement_is_written_alike_each_time():
    """An expression that was read and thrown away left its number in memory, and its meaning, to another."""
    table = pl.DataFrame({"q": [1, 2, 3, 4], "s": ["a", "b", "c", "d"]})
    release = released("anatomized", table, {"q": "quasi", "s": "sensitive"}, [0, 0, 0, 0])
    sql = (
        "SELECT MIN(CASE s WHEN 'a' THEN 1 WHEN 'b' THEN 3 ELSE 2 END), "
        "MAX(CASE s WHEN 'c' THEN LENGTH(s) ELSE 2 END), COUNT(NULLIF(s, 'd')) "
        "FROM data WHERE q < 3 OR CASE s WHEN 'd' THEN 1 ELSE 2 END = 2"
    )
    texts = {Asked.of(release, sql).explain("postgres") for _ in range(20)}
    assert len(texts) == 1


def test_what_has_no_rule_is_refused(both):
    """So is an argument that no rule reads: what is allowed later is safe until it is proven."""
    assert kind_in(both, "SQRT(i8)") is None
    assert kind_in(both, "CEIL(small, 2)") is None
    assert kind_in(both, "small + SQRT(i8) > 1") is None


def test_times_to_the_nanosecond_are_refused(postgres_url):
    table = pl.DataFrame({"id": range(4), "pay": [1, 2, 3, 4]}).with_columns(
        clock=pl.Series([0, 1, 2, 3]).cast(pl.Time)
    )
    roles = {"id": "quasi", "clock": "plain", "pay": "sensitive"}
    release = released("anatomized", table, roles, [0] * 4)
    with pytest.raises(InputError, match="nanoseconds"):
        load(release, f"{postgres_url}?schema=nano", force=True)


def test_every_refusal_is_documented():
    page = (Path(__file__).parents[2] / "docs" / "query.md").read_text()
    for refusal in REFUSALS.values():
        assert f"| {refusal.what} | {refusal.why} |" in page
