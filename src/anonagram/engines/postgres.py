"""PostgreSQL: tables loaded into a schema of their own, and asked there."""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, Self

import numpy as np
import polars as pl

from anonagram.engines.engine import Engine, Tables, portable
from anonagram.errors import CannotWrite, InputError, UnsupportedQuery
from anonagram.runtime.progress import step
from anonagram.shown.wording import option
from anonagram.sources.connection import connect, driver, take_options

if TYPE_CHECKING:
    import psycopg

ABOUT = "anonagram_release"
"""The table beside the release's own that says which release it is."""
LONGEST_NAME = 63
TYPES = {
    pl.Boolean: "boolean", pl.String: 'text COLLATE "C"', pl.Date: "date", pl.Time: "time",
    pl.Datetime: "timestamp", pl.Duration: "interval", pl.Float64: "double precision",
    pl.Int8: "smallint", pl.Int16: "smallint", pl.Int32: "integer", pl.Int64: "bigint",
    pl.UInt8: "smallint", pl.UInt16: "integer", pl.UInt32: "bigint", pl.UInt64: "numeric(20, 0)",
}  # fmt: skip


@dataclass(frozen=True)
class Postgres(Engine, schemes=("postgresql", "postgres")):
    """Asks a schema in which a release was loaded."""

    url: str = field(repr=False)  # with its password
    schema: str
    dialect: ClassVar[str] = "postgres"

    @property
    def place(self) -> str:
        """The schema."""
        return f"the schema {self.schema}"

    @classmethod
    def at(cls, address: str, tables: Tables, about: str = "") -> Self:
        """The schema that the address names, if these very tables are loaded there."""
        url, schema = _address(address)
        engine = cls(url, schema)
        with engine._connect() as connection:
            found = engine._about(connection)
            if found is not None and engine._heights(connection, tables) != _heights(tables):
                found = "changed"
        if found is None:
            raise InputError(f"The schema {schema!r} holds no release.", "anonagram load …")
        if found != _fingerprint(tables, about):
            raise InputError(
                f"The schema {schema!r} holds another release than this folder, or was changed.",
                option("anonagram load … --force", "load(release, url, force=True)"),
            )
        return engine

    def run(self, statement: str, question: str) -> list[tuple[Any, ...]]:
        """Run a statement; the connection can read and nothing else."""
        psycopg = driver()
        with self._connect() as connection:
            try:
                # prepared, so that PostgreSQL takes one statement and no more
                return connection.execute(statement, prepare=True).fetchall()
            except psycopg.Error as error:
                raise UnsupportedQuery(
                    f"PostgreSQL cannot answer this: {str(error).splitlines()[0]}",
                    "compare columns with values of their own type.",
                    question,
                    0,
                    len(question.splitlines()[0]),
                ) from error

    @contextmanager
    def _connect(self, *, writing: bool = False) -> Iterator[psycopg.Connection[Any]]:
        mode = "off" if writing else "on"
        settings = f"-c default_transaction_read_only={mode} -c timezone=UTC"
        with connect(self.url, settings) as connection:
            if not writing:
                connection.execute(_sql("SET search_path TO {}", self.schema))
                # of named queries it expects one row, and would compare all rows with all
                connection.execute("SET enable_nestloop TO off; SET jit TO off")
            yield connection

    def _about(self, connection: psycopg.Connection[Any]) -> str | None:
        table = connection.execute(
            "SELECT 1 FROM pg_tables WHERE schemaname = %s AND tablename = %s", (self.schema, ABOUT)
        ).fetchone()
        if table is None:
            return None
        row = connection.execute(
            _sql("SELECT fingerprint FROM {}.{}", self.schema, ABOUT)
        ).fetchone()
        return None if row is None else str(row[0])

    def _heights(self, connection: psycopg.Connection[Any], tables: Tables) -> dict[str, int]:
        """The rows of each table as it is now; 0 for one that is not there."""
        known = connection.execute(
            "SELECT tablename FROM pg_tables WHERE schemaname = %s", (self.schema,)
        ).fetchall()
        heights = dict.fromkeys(tables, 0)
        for name in [row[0] for row in known if row[0] in heights]:
            counted = connection.execute(_sql("SELECT COUNT(*) FROM {}.{}", self.schema, name))
            heights[name] = counted.fetchall()[0][0]
        return heights

    @classmethod
    def load(cls, address: str, tables: Tables, about: str = "", *, force: bool = False) -> Self:
        """Copy tables into the schema that the address names: all of them or nothing."""
        url, schema = _address(address)
        engine, psycopg = cls(url, schema), driver()
        try:
            with engine._connect(writing=True) as connection:
                _require_unicode(connection)
                engine._make_room(connection, force=force)
                for name, table in tables.items():
                    step(f"Loading {name}")
                    engine._copy(connection, name, portable(table))
                columns = "fingerprint text, tables text, manifest text"
                connection.execute(_sql(f"CREATE TABLE {{}}.{{}} ({columns})", schema, ABOUT))
                connection.execute(
                    _sql("INSERT INTO {}.{} VALUES (%s, %s, %s)", schema, ABOUT),
                    (_fingerprint(tables, about), json.dumps(list(tables)), about),
                )
        except psycopg.Error as error:
            message = str(error).strip().splitlines()[0]
            raise CannotWrite(
                f"PostgreSQL refuses to load the release: {message}",
                "a schema where you may create tables, and nothing else stands on ours.",
            ) from error
        return engine

    def _make_room(self, connection: psycopg.Connection[Any], *, force: bool) -> None:
        tables = [
            row[0]
            for row in connection.execute(
                "SELECT tablename FROM pg_tables WHERE schemaname = %s", (self.schema,)
            )
        ]
        if tables and ABOUT not in tables:
            raise CannotWrite(
                f"The schema {self.schema!r} holds tables that are no release: "
                f"{', '.join(sorted(tables)[:5])}.",
                "name another with ?schema=",
            )
        if tables and not force:
            raise CannotWrite(
                f"The schema {self.schema!r} holds a release already.",
                f"{option('--force', 'force=True')} replaces it.",
            )
        if ABOUT in tables:
            # what else stands in the schema, or was built on our tables, is not ours to drop
            row = connection.execute(
                _sql("SELECT tables FROM {}.{}", self.schema, ABOUT)
            ).fetchone()
            for name in [*json.loads(row[0] if row else "[]"), ABOUT]:
                connection.execute(_sql("DROP TABLE IF EXISTS {}.{}", self.schema, name))
        connection.execute(_sql("CREATE SCHEMA IF NOT EXISTS {}", self.schema))

    def _copy(self, connection: psycopg.Connection[Any], name: str, table: pl.DataFrame) -> None:
        types = {column: _type(column, dtype) for column, dtype in table.schema.items()}
        _require_microseconds(table)
        shape = ", ".join(f"{{}} {kind}" for kind in types.values())
        connection.execute(_sql(f"CREATE TABLE {{}}.{{}} ({shape})", self.schema, name, *types))
        copy = _sql("COPY {}.{} FROM STDIN (FORMAT csv)", self.schema, name)
        with connection.cursor().copy(copy) as stream:
            for part in table.iter_slices(100_000):
                text = io.BytesIO()
                _as_text(part).write_csv(text, include_header=False, quote_style="non_numeric")
                stream.write(text.getvalue())
        connection.execute(_sql("ANALYZE {}.{}", self.schema, name))


def _address(url: str) -> tuple[str, str]:
    """The address without our own option, and the schema."""
    place, options = take_options(url, "schema")
    if "schema" not in options:
        raise InputError(
            "The address does not say which schema.",
            "postgresql://user@host/database?schema=clinic",
        )
    return place, options["schema"]


def _fingerprint(tables: Tables, about: str) -> str:
    """A hash of what is said about tables, and of their gist."""
    digest = hashlib.sha256(about.encode())
    for name, table in sorted(tables.items()):
        digest.update(f"{name} {table.height}".encode())
        for values in table.select(pl.exclude(pl.List)):
            column = values.to_physical()  # Python knows no days outside the years 1 to 9999
            digest.update(f"{column.null_count()} {column.min()!r} {column.max()!r}".encode())
            if column.dtype.is_integer() and column.dtype != pl.Int128:
                digest.update(str(_by_place(column)).encode())
    return digest.hexdigest()


def _by_place(column: pl.Series) -> int:
    """Whole numbers weighed by where they stand, so that their order counts."""
    numbers = column.fill_null(0).to_numpy().astype(np.int64)
    return int(numbers @ np.arange(1, numbers.size + 1))


def _heights(tables: Tables) -> dict[str, int]:
    return {name: table.height for name, table in tables.items()}


def _sql(text: str, *names: str) -> Any:
    """A statement with names put in as PostgreSQL quotes them."""
    from psycopg import sql

    return sql.SQL(text).format(*(sql.Identifier(name) for name in names))


def _type(column: str, dtype: pl.DataType) -> str:
    if len(column.encode()) > LONGEST_NAME:
        raise InputError(
            f"PostgreSQL cuts the name {column!r} after {LONGEST_NAME} bytes.",
            "publish the column under a shorter name.",
        )
    if isinstance(dtype, pl.Decimal):
        return f"numeric({dtype.precision or 38}, {dtype.scale})"
    if isinstance(dtype, pl.List):
        return _type(column, dtype.inner).replace(" COLLATE", "[] COLLATE") + (  # type: ignore[arg-type]
            "" if isinstance(dtype.inner, pl.String) else "[]"
        )
    if dtype == pl.Float32:
        raise InputError(
            f"Column {column!r} holds 32-bit numbers, which PostgreSQL compares in another way.",
            "publish it with 64 bits.",
        )
    if isinstance(dtype, pl.Datetime | pl.Duration) and dtype.time_unit == "ns":
        _refuse_nanoseconds(column)
    return TYPES[type(dtype)]


def _require_microseconds(table: pl.DataFrame) -> None:
    """Times have no unit of their own: their values tell."""
    for name, dtype in table.schema.items():
        column = table[name]
        times = column.explode() if isinstance(dtype, pl.List) else column
        if times.dtype == pl.Time and (times.cast(pl.Int64) % 1000 != 0).any():
            _refuse_nanoseconds(name)


def _refuse_nanoseconds(column: str) -> NoReturn:
    raise InputError(
        f"Column {column!r} counts nanoseconds; PostgreSQL keeps microseconds.",
        "publish it with microseconds.",
    )


def _require_unicode(connection: psycopg.Connection[Any]) -> None:
    """In other encodings a letter is something else, and not every text can be kept."""
    ((encoding,),) = connection.execute("SHOW server_encoding").fetchall()
    if encoding != "UTF8":
        raise CannotWrite(
            f"The database keeps texts as {encoding}.", "a database with the encoding UTF8."
        )


def _as_text(table: pl.DataFrame) -> pl.DataFrame:
    """Columns as COPY reads them."""
    return table.select(
        _column_text(pl.col(name), dtype).alias(name) for name, dtype in table.schema.items()
    )


def _column_text(column: pl.Expr, dtype: pl.DataType) -> pl.Expr:
    if isinstance(dtype, pl.Duration):
        return pl.format("{} microseconds", column.dt.total_microseconds())
    if isinstance(dtype, pl.Time):  # as a text it would lose its fractions
        return column.dt.to_string("%H:%M:%S%.6f")
    if isinstance(dtype, pl.List):
        member = _column_text(pl.element(), dtype.inner).cast(pl.String)  # type: ignore[arg-type]
        escaped = member.str.replace_all("\\", "\\\\", literal=True).str.replace_all(
            '"', '\\"', literal=True
        )
        quoted = pl.format('"{}"', escaped).fill_null("NULL")
        return pl.concat_str(pl.lit("{"), column.list.eval(quoted).list.join(","), pl.lit("}"))
    text = column.cast(pl.String)
    if isinstance(dtype, pl.Date | pl.Datetime):  # a year past 9999 has a sign
        text = text.str.strip_prefix("+")
    return text
