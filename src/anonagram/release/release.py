"""A release: tables and a manifest, in one of the shapes of publication.

The shape of what is published decides how it is checked, queried and attacked; the method only
decides how it is made.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any, ClassVar, Literal, Self

import polars as pl

from anonagram.errors import ReleaseDamaged, SchemaError, suggest
from anonagram.release.manifest import Manifest, PublishedColumn

Format = Literal["parquet", "csv"]


@dataclass(frozen=True, repr=False)
class Release(ABC):
    """What is handed over; it never holds the original."""

    manifest: Manifest
    shape: ClassVar[str]
    shapes: ClassVar[dict[str, type[Release]]] = {}
    """Every shape by name."""

    def __init_subclass__(cls, shape: str | None = None) -> None:
        if shape is not None:
            cls.shape = shape
            Release.shapes[shape] = cls

    own_columns: ClassVar[tuple[str, ...]]
    """Names of our own that the shape's tables need beside the data's."""

    @classmethod
    def own_names(cls, columns: tuple[PublishedColumn, ...]) -> list[str]:  # noqa: ARG003
        """The names of our own for a release with these columns."""
        return list(cls.own_columns)

    @property
    @abstractmethod
    def tables(self) -> dict[str, pl.DataFrame]:
        """The published tables by name."""

    @classmethod
    @abstractmethod
    def from_tables(cls, manifest: Manifest, tables: Mapping[str, pl.DataFrame]) -> Self:
        """Put a release together again and check that its tables agree with each other."""

    @abstractmethod
    def values(self, column: str) -> pl.Series | None:
        """Every value of a column as often as it occurs in the original, in no order that matters.

        None where the shape does not keep the column's values.
        """

    def require_published(self, column: str) -> None:
        """Refuse the name of a column that the release does not have."""
        names = [each.name for each in self.manifest.columns]
        if column not in names:
            raise SchemaError(f"The release has no column {column!r}.", suggest(column, names))

    def keys(self, table: str) -> dict[str, Any]:  # noqa: ARG002
        """Primary and foreign keys of a table, as the Data Package standard writes them."""
        return {}

    def write(self, path: str | Path, format: Format = "parquet", *, force: bool = False) -> None:  # noqa: A002
        """Write the bundle into a new folder (or .zip), or not at all."""
        from anonagram.release.bundle import write_bundle

        write_bundle(self, Path(path), format, force=force)

    @staticmethod
    def read(path: str | Path) -> Release:
        """Open a bundle, checking that it is whole and unchanged."""
        from anonagram.release.bundle import read_bundle

        return read_bundle(Path(path))

    def __repr__(self) -> str:
        claims = "".join(f", {c.model} achieved {c.achieved:g}" for c in self.manifest.claims)
        return f"{type(self).__name__}({self.manifest.method}: {self._size()}{claims})"

    def _size(self) -> str:
        return f"{self.manifest.rows:,} rows"

    def _repr_html_(self) -> str:
        parts = [f"<p><b>{escape(repr(self))}</b></p>"]
        for name, table in self.tables.items():
            parts.append(f"<p>{escape(name)}</p>{table.head(10)._repr_html_()}")
        return "".join(parts)


def require_columns(where: str, table: pl.DataFrame, expected: list[str]) -> None:
    """Check that a published table has just the columns its shape asks for."""
    if table.columns != expected:
        raise ReleaseDamaged(
            f"Table {where!r} has the columns {', '.join(table.columns)}; "
            f"its manifest says {', '.join(expected)}."
        )


def require_groups(where: str, table: pl.DataFrame, group: str, rows: int) -> None:
    """Check that a table of people has as many rows as it should, each with a group number."""
    if table.height != rows or rows < 1:
        raise ReleaseDamaged(f"Table {where} has {table.height:,} rows instead of {rows:,}.")
    if not table.schema[group].is_integer() or table[group].has_nulls():
        raise ReleaseDamaged(f"Table {where} has a row without a group number.")
