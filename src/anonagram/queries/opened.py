"""Asking a release that stays on disk: the same statement, over its files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import polars as pl

from anonagram.engines import InFiles
from anonagram.engines.duck_files import DuckFiles
from anonagram.engines.spark_files import SparkFiles
from anonagram.engines.spark_session import session_at
from anonagram.errors import CallError
from anonagram.queries.answers import Answers
from anonagram.queries.ask import Asked
from anonagram.queries.dialects import own_words
from anonagram.queries.sql import quote
from anonagram.release import OpenedRelease, StoredTable
from anonagram.release.reading import again_if_replaced
from anonagram.release.sheet import Part
from anonagram.runtime.progress import step
from anonagram.shown.wording import option

MEMORY = 4 << 30
"""Bytes that the database may use where nothing else is said."""
READ_ALIKE = (
    pl.Int8, pl.Int16, pl.Int32, pl.Int64, pl.UInt8, pl.UInt16, pl.UInt32, pl.Float32, pl.Float64,
    pl.String, pl.Boolean, pl.Date,
)  # fmt: skip
"""Types that a database reads from a file as it takes them from a frame."""


@again_if_replaced
def ask_opened(
    opened: OpenedRelease, /, sql: str, memory: int = MEMORY, master: str | None = None
) -> Answers:
    """Answer a question from the files of a release, of which no table is loaded.

    DuckDB does it in so many bytes of memory, or Apache Spark at an address. What groups tell of
    ranges is loaded all the same: how far a condition reaches into each decides how it is asked.

    Files are hashed before anything is read of them. What only a look at all rows together can check
    (that groups are numbered without a gap, that tables agree) is checked where it is loaded.
    """
    opened.shape.require_bounds()
    step("Hashing")
    for table in opened.tables.values():
        _require_readable(table)
        table.require_unchanged()
    known = {
        name: table.load()
        for name, table in opened.tables.items()
        if opened.shape.is_read_for_questions(name)
    }
    left = memory - _require_room(known, memory)
    with over_files(
        {name: table.paths for name, table in opened.tables.items()}, left, master
    ) as engine:
        step("Answering")
        tables = {
            name: known[name] if name in known else _ends(name, table, engine)
            for name, table in opened.tables.items()
        }
        return Asked.of(opened.shape.unchecked(opened.manifest, tables), sql).run(engine)


@contextmanager
def over_files(
    files: Mapping[str, Sequence[Path]],
    memory: int,
    master: str | None = None,
    scratch: Path | None = None,
) -> Iterator[InFiles]:
    """A database over files: DuckDB in so many bytes of memory, or Apache Spark at an address.

    `scratch` is a folder for what does not fit into memory.
    """
    if master is not None:
        with session_at(master) as session:
            yield SparkFiles.over(session, files)
        return
    with TemporaryDirectory(prefix="anonagram-", dir=scratch) as spill:
        engine = DuckFiles.over(files, memory, Path(spill))
        try:
            yield engine
        finally:
            engine.close()


def _ends(name: str, table: StoredTable, engine: InFiles) -> pl.DataFrame:
    """A table with the lowest and highest value of every column, and a missing one where some are.

    All that reading a question has to know of values that it does not look at itself.
    """
    asked = ", ".join(
        f"MIN({quote(column)}), MAX({quote(column)}), COUNT(*) > COUNT({quote(column)})"
        for column in table.schema
    )
    statement = own_words(f"SELECT {asked} FROM {quote(name)}", engine.dialect)
    (found,) = engine.run(statement, f"the table {name}")
    columns = {
        column: pl.Series(
            [*found[3 * place : 3 * place + 2], None if found[3 * place + 2] else found[3 * place]],
            dtype=dtype,
        )
        for place, (column, dtype) in enumerate(table.schema.items())
    }
    return pl.DataFrame(columns)


def _require_room(known: Mapping[str, pl.DataFrame], memory: int) -> int:
    """The bytes of tables that were loaded, which must leave room for others."""
    taken = sum(int(each.estimated_size()) for each in known.values())
    if 2 * taken > memory:
        raise CallError(
            f"{' and '.join(known)} of this release take {taken / 2**30:.1f} GiB, which are looked at "
            "as a whole, and leave too little room for the rest.",
            option(f"--memory {-(-2 * taken // 2**30)}GiB", f"memory={2 * taken}"),
        )
    return taken


def _require_readable(table: StoredTable) -> None:
    for name, told in table.schema.items():
        dtype = told.inner if isinstance(told, pl.List) else told
        is_plain = dtype in READ_ALIKE or isinstance(dtype, pl.Decimal)
        is_clock = isinstance(dtype, pl.Datetime) and (dtype.time_zone, dtype.time_unit) == (
            None,
            "us",
        )
        if table.told.format != "parquet" or not (is_plain or is_clock):
            raise CallError(
                f"Column {name!r} holds {dtype}, which is not asked from files.",
                "Release.read(…).query(…) loads the release first.",
            )


def count_equal_rows(engine: InFiles, part: Part) -> pl.DataFrame:
    """How often so many rows are equal in the columns of a part: columns rows and times."""
    rows = "COUNT(*)" if part.weight is None else f"SUM({quote(part.weight)})"
    alike = f"SELECT {rows} AS n FROM {quote(part.table)}"
    if part.columns:  # else all rows are
        alike += f" GROUP BY {', '.join(map(quote, part.columns))}"
    sql = f"SELECT n, COUNT(*) AS times FROM ({alike}) AS alike GROUP BY n"
    found = engine.run(own_words(sql, engine.dialect), "equal rows")
    return pl.DataFrame(found, {"rows": pl.Int64, "times": pl.Int64}, orient="row")
