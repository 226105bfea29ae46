"""Tables in databases, by URL.

sqlite:///clinic.db?table=patients
postgresql://user@host/clinic?table=public.patients
postgresql://user@host/clinic?query=SELECT+age,+disease+FROM+patients
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from decimal import Decimal
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

import polars as pl

from anonagram.errors import InputError, suggest
from anonagram.sources.connection import connect, driver, split_address, take_options
from anonagram.sources.table import Table, refuse_repeated_names

EXAMPLE = "for example sqlite:///clinic.db?table=patients"


def read_database(url: str) -> Table:
    """Read the table (or query) that the URL names."""
    parts = split_address(url)
    place, options = take_options(url, "table", "query")
    table, query = options.get("table"), options.get("query")
    if (table is None) == (query is None):
        raise InputError(
            f"The address of the {parts.scheme} database names no table (or also a query).",
            f"end it with ?table=NAME or ?query=SELECT…, {EXAMPLE}",
        )
    sql = query or f"SELECT * FROM {_quoted(table or '')}"  # noqa: S608 (quoted)
    label = table or "the query"
    if parts.scheme == "sqlite" and parts.netloc:
        raise InputError(
            "The address of the SQLite file has two slashes.",
            "three slashes before a relative path, four before an absolute one.",
        )
    if parts.scheme == "sqlite":
        return _read_sqlite(Path(unquote(parts.path.removeprefix("/"))), sql, table, label)
    if parts.scheme in ("postgresql", "postgres"):
        return Table(_read_postgres(place, sql), label)
    raise InputError(
        f"Databases of the kind {parts.scheme!r} are not known.",
        f"sqlite:///FILE?table=NAME or postgresql://…?table=NAME; {EXAMPLE}",
    )


def _quoted(name: str) -> str:
    return ".".join('"' + part.replace('"', '""') + '"' for part in name.split("."))


def sqlite_address(path: Path) -> str:
    """The address of the first table in an SQLite file, and which others there are."""
    with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as connection:
        try:
            first, *others = _tables(connection) or ["NAME"]
        except sqlite3.Error:
            first, others = "NAME", []
    more = f" (or {', '.join(others)})" if others else ""
    return f"sqlite:///{path}?table={quote(first)}{more}"


def _tables(connection: sqlite3.Connection) -> list[str]:
    listing = "SELECT name FROM sqlite_master WHERE type IN ('table', 'view')"
    return [row[0] for row in connection.execute(listing)]


def _read_sqlite(path: Path, sql: str, table: str | None, label: str) -> Table:
    if not path.is_file():
        raise InputError(
            f"There is no SQLite file {path}.",
            "three slashes before a relative path, four before an absolute one.",
        )
    with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as connection:
        try:
            cursor = connection.execute(sql)
            rows = cursor.fetchall()
        except sqlite3.Error as error:
            known = _tables(connection) if table and "no such table" in str(error) else []
            raise InputError(
                f"{path}: {error}.", suggest(table or "", known) if known else EXAMPLE
            ) from error
        names = [column[0] for column in cursor.description or ()]
        about = connection.execute("SELECT name, type FROM pragma_table_info(?)", (table,))
        declared: dict[str, str] = dict(about.fetchall())
    refuse_repeated_names(names, "The query")
    columns = zip(*rows, strict=True) if rows else [()] * len(names)
    made = [
        _sqlite_column(name, values, may_be_number=declared.get(name) == "")
        for name, values in zip(names, columns, strict=True)
    ]
    untyped = {column.name for column, is_untyped in made if is_untyped}
    return Table(pl.DataFrame([column for column, _ in made]), label, untyped=frozenset(untyped))


def _sqlite_column(
    name: str, values: tuple[Any, ...], *, may_be_number: bool
) -> tuple[pl.Series, bool]:
    """One column, and whether its type is still to be found.

    SQLite lets every cell have its own type. Columns without a type, as an import from CSV makes
    them, and numbers beside texts are read as that CSV would be.
    """
    kinds = {type(value) for value in values} - {type(None)}
    if bytes in kinds:
        row = next(i for i, value in enumerate(values) if isinstance(value, bytes))
        raise InputError(
            f"Column {name!r}, row {row + 1}: it holds bytes.", "leave it out in a ?query=SELECT …."
        )
    if kinds <= {int, float}:
        return pl.Series(name, values, strict=kinds != {int, float}), False
    texts = [None if value in (None, "") else str(value) for value in values]
    return pl.Series(name, texts, dtype=pl.String), may_be_number or kinds != {str}


def _read_postgres(url: str, sql: str) -> pl.DataFrame:
    try:
        # read only: a query in the address can look, never change
        with connect(url, "-c default_transaction_read_only=on") as connection:
            cursor = connection.execute(sql)
            names = [column.name for column in cursor.description or ()]
            rows = cursor.fetchall() if names else []
    except driver().Error as error:
        message = str(error).strip().splitlines()[0]
        raise InputError(
            f"PostgreSQL: {message}", "check the table's name, the query and your rights."
        ) from error
    refuse_repeated_names(names, "The query")
    columns = zip(*rows, strict=True) if rows else [()] * len(names)
    return pl.DataFrame(
        [_postgres_column(name, values) for name, values in zip(names, columns, strict=True)]
    )


def _postgres_column(name: str, values: tuple[Any, ...]) -> pl.Series:
    if any(isinstance(value, Decimal) and not value.is_finite() for value in values):
        values = tuple(None if value is None else float(value) for value in values)
    try:
        return pl.Series(name, values)
    except (TypeError, ValueError, pl.exceptions.PolarsError) as error:
        raise InputError(
            f"Column {name!r} has values that are not understood: {str(error).splitlines()[0]}",
            f"SELECT CAST({name} AS TEXT) … in a ?query=.",
        ) from error
