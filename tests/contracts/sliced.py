"""A shape in one file: slices of columns, each shuffled as a whole inside the groups.

It stands for the file that somebody would put into `release/`. Importing it makes the shape known.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import polars as pl

from anonagram.errors import ReleaseDamaged
from anonagram.release import GroupedRelease, Manifest, count_values
from anonagram.release.checks import (
    require_columns,
    require_groups,
    require_same_groups,
    require_values,
)
from anonagram.release.sheet import Part, Sheet


@dataclass(frozen=True)
class Slices:
    """What only a sliced release tells: which columns are in which slice."""

    columns: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, repr=False)
class SlicedRelease(GroupedRelease, shape="sliced"):
    """Tables ``slice_1``, ``slice_2`` and so on that share a group number, a row each person.

    The rows of a slice stand whole; which row of another slice is the same person's is not told.
    """

    slices: Mapping[str, pl.DataFrame]
    own_columns = ("group",)
    section = Slices

    @property
    def _group(self) -> str:
        return self.manifest.layout["group"]

    @classmethod
    def own_tables(cls, manifest: Manifest) -> list[str]:
        return [f"slice_{n + 1}" for n in range(len(manifest.section_as(Slices).columns))]

    @property
    def tables(self) -> dict[str, pl.DataFrame]:
        return dict(self.slices)

    @classmethod
    def from_tables(cls, manifest: Manifest, tables: Mapping[str, pl.DataFrame]) -> Self:
        release = cls(manifest, dict(tables))
        group, first = manifest.layout["group"], next(iter(tables.values()))
        slices = manifest.section_as(Slices).columns
        found = [name for columns in slices for name in columns]
        if sorted(found) != sorted(column.name for column in manifest.columns):
            raise ReleaseDamaged("The slices do not have every column once.")
        for (name, table), columns in zip(tables.items(), slices, strict=True):
            require_columns(name, table, [group, *columns])
            require_groups(name, table, group, manifest.rows.published)
            require_same_groups(name, table, first, group)
            if not table[group].sort().equals(first[group].sort()):
                raise ReleaseDamaged("The slices disagree about groups.")
            for column in columns:
                require_values(name, table[column], manifest.column(column))
        return release

    def _table_of(self, column: str) -> str:
        return next(name for name, table in self.slices.items() if column in table.columns)

    def values(self, column: str) -> pl.Series:
        self.require_published(column)
        return self.slices[self._table_of(column)][column]

    def make_sheet(self) -> Sheet:
        slices = self.manifest.section_as(Slices).columns
        parts = [
            Part(name, name, columns) for name, columns in zip(self.slices, slices, strict=True)
        ]
        first = next(iter(self.slices))
        return Sheet.of(self.manifest, self.tables, parts, group=self._group, size_table=first)

    def group_sizes(self) -> pl.DataFrame:
        first = next(iter(self.slices.values()))
        return first.group_by(pl.col(self._group).alias("group")).agg(
            pl.len().cast(pl.Int64).alias("rows")
        )

    def count_sensitive(self) -> dict[str, pl.DataFrame]:
        return {
            name: count_values(self.slices[self._table_of(name)], self._group, name)
            for name in self.manifest.named("sensitive")
        }

    def extents(self) -> pl.DataFrame:
        found = self.group_sizes()
        for name in self.manifest.named("quasi"):
            table, value = self.slices[self._table_of(name)], pl.col(name)
            if self.manifest.column(name).is_ordered:
                span: Any = table.select(value.max() - value.min()).item()
                width = (value.max() - value.min()) / span
            else:
                different = value.n_unique()
                width = pl.when(different > 1).then(different / table[name].n_unique())
            width = width.fill_null(0.0).alias(f"width:{name}")
            found = found.join(
                table.group_by(pl.col(self._group).alias("group")).agg(width), on="group"
            )
        return found
