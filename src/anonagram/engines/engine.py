"""What a database must offer to hold tables and run statements, and how its address finds it."""

from __future__ import annotations

import pkgutil
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar, Self

import polars as pl

from anonagram.errors import InputError, SchemaError
from anonagram.sources.connection import split_address

IN_MEMORY = "duckdb:"
"""The address of the database in this process."""
Tables = Mapping[str, pl.DataFrame]


class Engine(ABC):
    """A database that holds tables under their names."""

    dialect: ClassVar[str]
    """What sqlglot calls the SQL it speaks."""
    kinds: ClassVar[dict[str, type[Engine]]] = {}
    """Every kind of database by the schemes of its addresses."""

    def __init_subclass__(cls, schemes: tuple[str, ...] = ()) -> None:
        super().__init_subclass__()
        Engine.kinds |= dict.fromkeys(schemes, cls)

    @property
    @abstractmethod
    def place(self) -> str:
        """Where the tables are, in words."""

    @classmethod
    @abstractmethod
    def at(cls, address: str, tables: Tables, about: str = "") -> Self:
        """The database at an address, which must hold these very tables; `about` says what they are."""

    @classmethod
    @abstractmethod
    def load(cls, address: str, tables: Tables, about: str = "", *, force: bool = False) -> Self:
        """Copy tables into the database at an address: all of them or nothing."""

    @abstractmethod
    def run(self, statement: str, question: str) -> list[tuple[Any, ...]]:
        """The rows of a statement; `question` is what a person asked, for errors."""


class InProcess(Engine):
    """A database in this process: frames go in and out without being copied."""

    @abstractmethod
    def frame(self, statement: str, question: str) -> pl.DataFrame:
        """The result of a statement as a frame."""

    @abstractmethod
    def run_over(
        self, name: str, table: pl.DataFrame, statement: str, question: str
    ) -> list[tuple[Any, ...]]:
        """The rows of a statement over one more table, which is forgotten afterwards."""


class InFiles(Engine):
    """A database over files that stay where they are: nothing of their tables is in this process."""

    @staticmethod
    def require_told_apart(files: Mapping[str, Sequence[Path]]) -> None:
        """Refuse tables of whose columns a database would read one for another."""
        for each in files.values():
            refuse_names_alike(pl.read_parquet_schema(each[0]))


def engine_at(address: str, tables: Tables, about: str = "") -> Engine:
    """The database at an address, which must hold these tables."""
    return kind_at(address).at(address, tables, about)


def kind_at(address: str) -> type[Engine]:
    """The kind of database that the scheme of an address names.

    >>> kind_at("postgresql://me@localhost/clinic").dialect
    'postgres'
    """
    home = import_module("anonagram.engines")
    for each in pkgutil.iter_modules(home.__path__):
        import_module(f"{home.__name__}.{each.name}")
    kind = Engine.kinds.get(split_address(address).scheme)
    if kind is None:
        raise InputError(
            "This is not the address of a database that can be asked.",
            "postgresql://user@host/database?schema=clinic",
        )
    return kind


def portable(table: pl.DataFrame) -> pl.DataFrame:
    """A table in types that databases share.

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


def refuse_names_alike(names: Iterable[str]) -> None:
    """Refuse columns that a database takes for one."""
    seen: dict[str, str] = {}
    for name in names:
        other = seen.setdefault(name.lower(), name)
        if other != name:
            raise SchemaError(
                f"The columns {other!r} and {name!r} differ only in upper and lower case, "
                "which databases do not tell apart.",
                "publish the table with other names.",
            )
