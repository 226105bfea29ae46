"""DuckDB inside this process: the default, with nothing to set up."""

from __future__ import annotations

import atexit
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Self
from weakref import WeakSet

import duckdb
import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonagram.columns.spans import has_nanoseconds
from anonagram.engines.engine import Engine, portable, tables_for
from anonagram.errors import SchemaError, UnsupportedQuery
from anonagram.queries.rearranged.counting import (
    CannotCount,
    Values,
    count_rows,
    group_sizes,
    total_counts,
    total_sums,
)
from anonagram.release import Release
from anonagram.runtime.progress import step

if TYPE_CHECKING:
    from anonagram.queries.rearranged.rewrite import Counting, Statement

SETTINGS: dict[str, Any] = {
    "enable_external_access": "false", "preserve_insertion_order": "false", "temp_directory": "",
}  # fmt: skip
"""A statement sees the tables it is given and nothing else of this machine, and leaves nothing on it."""


@dataclass(frozen=True, eq=False)
class DuckDb(Engine):
    """Holds the tables of a release in memory."""

    connection: duckdb.DuckDBPyConnection
    release: Release
    sorted_values: dict[str, Values] = field(default_factory=dict)
    """Columns whose sums were asked for, sorted inside the groups."""
    _known_sizes: list[NDArray[np.int64]] = field(default_factory=list)
    dialect: ClassVar[str] = "duckdb"

    @classmethod
    def holding(cls, release: Release) -> Self:
        """Copy the tables of a release into a database in memory."""
        step("Loading")
        connection = duckdb.connect(config=SETTINGS)
        for name, table in tables_for(release).items():
            _refuse_names_alike(table.columns)
            _copy(connection, name, table)
        connection.execute("SET lock_configuration = true").fetchall()
        engine = cls(connection, release)
        _OPEN.add(engine)
        return engine

    def answer(self, statement: Statement) -> list[tuple[Any, ...]]:
        """Where hits are all that is needed, a compiled pass does the rest."""
        if statement.counting is not None:
            try:
                return self._count(statement, statement.counting)
            except CannotCount:
                pass
        return super().answer(statement)

    def run(self, statement: str, question: str) -> list[tuple[Any, ...]]:
        """Run a statement in a cursor of its own, so that several threads may ask."""
        with _explained(question):
            # one statement, whatever the text: a list of several would all be run
            (single,) = duckdb.extract_statements(statement)
            return _fetch(self.connection.cursor().execute(single), question)

    def _count(self, statement: Statement, counting: Counting) -> list[tuple[Any, ...]]:
        sizes = self._sizes(counting)
        cursor = self.connection.cursor()
        with _explained(statement.question.sql):
            rows = [pl.DataFrame(_Stream(cursor.sql(query))) for query in counting.rows]
            keys, hits = count_rows(rows[0], sizes)
            others = [count_rows(each, sizes)[1][0] for each in rows[1:]]
            rest = np.stack(others) if others else np.zeros((0, sizes.size), hits.dtype)
            columns: dict[str, Any] = {name: keys[name] for name in keys.columns}
            for place, (function, column) in enumerate(counting.values):
                if column is None:
                    fields = total_counts(hits, rest, sizes)
                else:
                    fields = total_sums(function, hits, self._values(counting, column))
                columns |= {f"a{place}_{name}": each for name, each in fields.items()}
            answered = pl.DataFrame(columns)
            if keys.width:  # a key that nobody can have is no answer
                answered = answered.filter(total_counts(hits, rest, sizes)["upper"] > 0)
            if not statement.is_arranged:
                return answered.rows()
            cursor.register("answered", _Stream(answered))
            return _fetch(cursor.execute(statement.last), statement.question.sql)

    def _sizes(self, counting: Counting) -> NDArray[np.int64]:
        if not self._known_sizes:
            table = self.release.tables[counting.sizes.table]
            self._known_sizes.append(group_sizes(table[counting.group].to_numpy()))
        return self._known_sizes[0]

    def _values(self, counting: Counting, column: str) -> Values:
        if column not in self.sorted_values:
            part = counting.part or counting.sizes
            table, weight = self.release.tables[part.table], part.weight
            self.sorted_values[column] = Values.sort(
                table[counting.group], table[column], None if weight is None else table[weight]
            )
        return self.sorted_values[column]


_OPEN: WeakSet[DuckDb] = WeakSet()


@atexit.register
def _let_go() -> None:
    """DuckDB complains at the end of the process about connections that something still holds."""
    for engine in list(_OPEN):
        vars(engine).clear()


@contextmanager
def _explained(question: str) -> Iterator[None]:
    try:
        yield
    except duckdb.Error as error:
        about_types = isinstance(error, duckdb.ConversionException | duckdb.BinderException)
        raise UnsupportedQuery(
            f"DuckDB cannot answer this: {str(error).splitlines()[0]}",
            "compare columns with values of their own type."
            if about_types
            else "ask about fewer or smaller numbers.",
            question,
            0,
            len(question.splitlines()[0]),
        ) from error


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


def _refuse_names_alike(names: list[str]) -> None:
    seen: dict[str, str] = {}
    for name in names:
        other = seen.setdefault(name.lower(), name)
        if other != name:
            raise SchemaError(
                f"The columns {other!r} and {name!r} differ only in upper and lower case, "
                "which databases do not tell apart.",
                "publish the table with other names.",
            )
