"""What a database must offer to answer questions."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar

import polars as pl

from anonagram.engines.clocks import shown_between
from anonagram.release import Release

if TYPE_CHECKING:
    from anonagram.queries.rearranged.rewrite import Statement


class Engine(ABC):
    """A database that holds the tables of a release under their published names."""

    dialect: ClassVar[str]
    """What sqlglot calls the SQL it speaks."""

    def answer(self, statement: Statement) -> list[tuple[Any, ...]]:
        """The rows of a rewritten question."""
        return self.run(statement.in_dialect(self.dialect), statement.question.sql)

    @abstractmethod
    def run(self, statement: str, question: str) -> list[tuple[Any, ...]]:
        """The rows of a statement; `question` is what a person asked, for errors."""


def engine_at(url: str, release: Release) -> Engine:
    """The database at an address, which must hold this release."""
    from anonagram.engines.postgres import Postgres

    return Postgres.holding(url, release)


def tables_for(release: Release) -> dict[str, pl.DataFrame]:
    """The tables of a release, with ranges of moments as ranges of what clocks show.

    Conditions are about clocks; see `portable`.
    """
    tables = dict(release.tables)
    for column in release.ranges.values():
        if column.ends is not None and getattr(column.dtype, "time_zone", None):
            table = tables[column.table]
            low, high = (table[end] for end in column.ends[:2])
            tables[column.table] = table.with_columns(shown_between(low, high))
    return tables


def portable(table: pl.DataFrame) -> pl.DataFrame:
    """A published table in types that databases share.

    Whole numbers beyond 64 bits become decimals, moments of a time zone the time on its clocks, and
    a column without any value a text.
    """
    return table.select(_portable(pl.col(name), dtype) for name, dtype in table.schema.items())


def _portable(column: pl.Expr, dtype: pl.DataType) -> pl.Expr:
    match dtype:
        case pl.Int128():
            return column.cast(pl.Decimal(38, 0))
        case pl.Null():
            return column.cast(pl.String)
        case pl.Datetime() if dtype.time_zone is not None:
            return column.dt.replace_time_zone(None)
        case pl.List() if isinstance(dtype.inner, pl.Null):
            return column.cast(pl.List(pl.String))
        case pl.List() if dtype.inner == pl.Int128:
            return column.cast(pl.List(pl.Decimal(38, 0)))
        case pl.List() if isinstance(dtype.inner, pl.Datetime) and dtype.inner.time_zone:
            return column.list.eval(pl.element().dt.replace_time_zone(None))
        case _:
            return column
