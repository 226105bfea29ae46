"""DuckDB inside this process: the default, with nothing to set up."""

from __future__ import annotations

import atexit
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, ClassVar, Self
from weakref import WeakSet, finalize

import duckdb
import polars as pl

from anonagram.columns.spans import has_nanoseconds
from anonagram.engines.duck_words import in_words
from anonagram.engines.engine import IN_MEMORY, InProcess, Tables, portable, refuse_names_alike
from anonagram.errors import InputError, UnsupportedQuery

SETTINGS: dict[str, Any] = {
    "enable_external_access": "false", "preserve_insertion_order": "false", "temp_directory": "",
}  # fmt: skip
"""A statement sees the tables it is given and nothing else of this machine, and leaves nothing on it."""
MOST_KEPT = 4
MOST_KEPT_ROWS = 100_000
"""Databases are kept for the next release, as long as they are small."""


@dataclass(frozen=True, eq=False)
class DuckDb(InProcess, schemes=("duckdb",)):
    """Holds tables in memory."""

    connection: duckdb.DuckDBPyConnection
    dialect: ClassVar[str] = "duckdb"
    place: ClassVar[str] = "memory"

    @classmethod
    def at(cls, address: str, tables: Tables, about: str = "") -> Self:  # noqa: ARG003
        """Copy tables into a database in memory."""
        if address != IN_MEMORY:
            raise InputError("DuckDB holds a release in memory only.", IN_MEMORY)
        for table in tables.values():
            refuse_names_alike(table.columns)
        connection = _empty_database()
        for name, table in tables.items():
            _copy(connection, name, table)
        engine = cls(connection)
        _OPEN.add(engine)
        if sum(table.height for table in tables.values()) <= MOST_KEPT_ROWS:
            finalize(engine, _keep, connection, tuple(tables)).atexit = False
        return engine

    @classmethod
    def load(cls, address: str, tables: Tables, about: str = "", *, force: bool = False) -> Self:  # noqa: ARG003
        """Refuse: when the command ends, nothing would be left."""
        raise InputError(
            "DuckDB holds a release in memory only.",
            "postgresql://user@host/database?schema=clinic",
        )

    def run(self, statement: str, question: str) -> list[tuple[Any, ...]]:
        """Run a statement in a cursor of its own, so that several threads may ask."""
        with _explained(question):
            return _fetch(self.connection.cursor().execute(_single(statement)), question)

    def frame(self, statement: str, question: str) -> pl.DataFrame:
        """The result of a statement, as it lies in DuckDB's memory."""
        with _explained(question):
            return pl.DataFrame(_Stream(self.connection.cursor().sql(statement)))

    def run_over(
        self, name: str, table: pl.DataFrame, statement: str, question: str
    ) -> list[tuple[Any, ...]]:
        """Run a statement in a cursor that sees one more table."""
        cursor = self.connection.cursor()
        with _explained(question):
            cursor.register(name, _Stream(table))
            return _fetch(cursor.execute(_single(statement)), question)


def _single(statement: str) -> str | duckdb.Statement:
    """One statement, whatever the text: a list of several would all be run."""
    if ";" not in statement:  # reading it a second time takes a quarter of what running it does
        return statement
    (single,) = duckdb.extract_statements(statement)
    return single


_OPEN: WeakSet[DuckDb] = WeakSet()
_LEFT: list[tuple[duckdb.DuckDBPyConnection, tuple[str, ...]]] = []
"""Databases that nobody asks any more, and their tables: making one takes longer than most questions."""


def _empty_database() -> duckdb.DuckDBPyConnection:
    """One without tables, which nobody else has."""
    if not _LEFT:
        connection = duckdb.connect(config=SETTINGS)
        connection.execute("SET lock_configuration = true").fetchall()
        return connection
    connection, names = _LEFT.pop()
    for name in names:
        connection.execute(f"DROP TABLE {_quoted(name)}").fetchall()
    return connection


def _keep(connection: duckdb.DuckDBPyConnection, names: tuple[str, ...]) -> None:
    """For the next release; this may be called in the middle of anything, so nothing is done here."""
    if len(_LEFT) < MOST_KEPT:
        _LEFT.append((connection, names))


@atexit.register
def _let_go() -> None:
    """DuckDB complains at the end of the process about connections that something still holds."""
    for engine in list(_OPEN):
        vars(engine).clear()
    _LEFT.clear()


@contextmanager
def _explained(question: str) -> Iterator[None]:
    try:
        yield
    except duckdb.Error as error:
        what, remedy, value = in_words(str(error))
        first = question.splitlines()[0]
        place = first.find(f"'{value}'") if value is not None else -1
        start, end = (place, place + len(f"'{value}'")) if place >= 0 else (0, len(first))
        if value is not None and f"'{value}'" not in question:
            what = f"Texts of the release are compared with something else: {what}"
            remedy = "put what a text is compared with in single quotes, as in code = '414'."
        raise UnsupportedQuery(what, remedy, question, start, end) from error


def _fetch(cursor: duckdb.DuckDBPyConnection, question: str) -> list[tuple[Any, ...]]:
    """The rows of a result, in which a day is a day: Python knows those of the years 1 to 9999."""
    rows: list[tuple[Any, ...]] = cursor.fetchall()
    kinds = [str(column[1]) for column in cursor.description or ()]
    days = [place for place, kind in enumerate(kinds) if kind.startswith(("DATE", "TIMESTAMP"))]
    # DuckDB hands over the text of any other
    far = next((row[day] for row in rows for day in days if isinstance(row[day], str)), None)
    if far is not None:
        raise UnsupportedQuery(
            f"{far} is among the answers, and only the years 1 to 9999 can be told.",
            "a condition that leaves it out, or EXTRACT(year FROM …).",
            question,
            0,
            len(question.splitlines()[0]),
        )
    return rows


@dataclass(frozen=True)
class _Stream:
    """A frame or a relation as an Arrow stream and nothing else.

    Handed over as they are, DuckDB would want pyarrow for a Polars frame, and Polars would keep a
    DuckDB relation alive.
    """

    source: Any

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.source.__arrow_c_stream__(requested_schema)


def _copy(connection: duckdb.DuckDBPyConnection, name: str, table: pl.DataFrame) -> None:
    columns = ", ".join(_incoming(values) for values in table)
    connection.register("incoming", _Stream(portable(table)))
    create = f"CREATE TABLE {_quoted(name)} AS SELECT {columns} FROM incoming"
    connection.execute(create).fetchall()
    connection.unregister("incoming")


def _incoming(values: pl.Series) -> str:
    """SQL for a column in the type of databases that has most functions for it."""
    name = _quoted(values.name)
    if values.dtype == pl.Int128:
        return f"CAST({name} AS HUGEINT) AS {name}"
    if values.dtype == pl.Time and not has_nanoseconds(values):
        return f"CAST({name} AS TIME) AS {name}"
    return name


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
