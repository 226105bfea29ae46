"""DuckDB inside this process: the default, with nothing to set up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import duckdb
import polars as pl

from anonagram.engines.engine import Engine, portable
from anonagram.errors import SchemaError, UnsupportedQuery
from anonagram.progress import step
from anonagram.release import Release

SAFE = {"enable_external_access": "false"}
"""A statement sees the tables it is given and nothing else of this machine."""


@dataclass(frozen=True)
class DuckDb(Engine):
    """Holds the tables of a release in memory."""

    connection: duckdb.DuckDBPyConnection
    dialect: ClassVar[str] = "duckdb"

    @classmethod
    def holding(cls, release: Release) -> Self:
        """Copy the tables of a release into a database in memory."""
        step("Loading")
        connection = duckdb.connect(config=SAFE)
        for name, table in release.tables.items():
            _refuse_names_alike(table.columns)
            _copy(connection, name, portable(table))
        connection.execute("SET lock_configuration = true").fetchall()
        return cls(connection)

    def run(self, statement: str, question: str) -> list[tuple[Any, ...]]:
        """Run a statement in a cursor of its own, so that several threads may ask."""
        try:
            rows: list[tuple[Any, ...]] = self.connection.cursor().execute(statement).fetchall()
        except duckdb.Error as error:
            raise UnsupportedQuery(
                f"DuckDB cannot answer this: {str(error).splitlines()[0]}",
                "compare columns with values of their own type.",
                question,
                0,
                len(question.splitlines()[0]),
            ) from error
        return rows


@dataclass(frozen=True)
class _Stream:
    """A frame as an Arrow stream: handed over as it is, DuckDB would want pyarrow for it."""

    frame: pl.DataFrame

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.frame.__arrow_c_stream__(requested_schema)


def _copy(connection: duckdb.DuckDBPyConnection, name: str, table: pl.DataFrame) -> None:
    quoted = '"' + name.replace('"', '""') + '"'
    columns = ", ".join(
        f"CAST({column} AS TIME) AS {column}" if dtype == pl.Time else column
        for column, dtype in (
            ('"' + each.replace('"', '""') + '"', dtype) for each, dtype in table.schema.items()
        )
    )
    connection.register("incoming", _Stream(table))
    connection.execute(f"CREATE TABLE {quoted} AS SELECT {columns} FROM incoming").fetchall()  # noqa: S608
    connection.unregister("incoming")


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
