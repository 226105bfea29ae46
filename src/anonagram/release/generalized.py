"""Groups with generalized quasi-identifiers: ranges for ordered ones, sets for nominal ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import polars as pl

from anonagram.columns.places import on_scale
from anonagram.errors import ReleaseDamaged
from anonagram.release.checks import (
    require_columns,
    require_counts,
    require_groups,
    require_same_groups,
    require_table,
    require_values,
)
from anonagram.release.grouped import GroupedRelease, count_values, ranked
from anonagram.release.manifest import Manifest, PublishedColumn
from anonagram.release.sheet import Part, RangeColumn, Sheet, widest_range

RANGE = ("low", "high", "missing")
"""What is told about an ordered quasi-identifier of a group."""


@dataclass(frozen=True, repr=False)
class GeneralizedRelease(GroupedRelease, shape="generalized"):
    """A generalized table in two parts that share a group number.

    ``groups`` says once for each group what is told about its quasi-identifiers: an ordered column
    becomes its lowest and highest value and whether some are missing, a nominal one the list of its
    values. ``rows`` holds the rest of each row as it is: sensitive and plain columns.
    """

    groups: pl.DataFrame
    rows: pl.DataFrame
    own_columns = ("group", "rows")
    known_roles = ("quasi",)

    @classmethod
    def own_tables(cls, manifest: Manifest) -> list[str]:  # noqa: ARG003
        """The two parts."""
        return ["groups", "rows"]

    @property
    def tables(self) -> dict[str, pl.DataFrame]:
        """The two parts."""
        return {"groups": self.groups, "rows": self.rows}

    @classmethod
    def own_names(cls, columns: tuple[PublishedColumn, ...]) -> list[str]:
        """Group and rows, and three names for each ordered quasi-identifier."""
        ordered = [c.name for c in columns if c.role == "quasi" and c.is_ordered]
        return [*cls.own_columns, *(f"{name}_{end}" for name in ordered for end in RANGE)]

    @classmethod
    def from_tables(cls, manifest: Manifest, tables: Mapping[str, pl.DataFrame]) -> Self:
        """Check that both parts have the same groups with as many rows."""
        release = cls(manifest, tables["groups"], tables["rows"])
        group, rows = manifest.layout["group"], manifest.layout["rows"]
        told = [name for column in release._quasi_columns for name in release.told_as(column)]
        require_columns("groups", release.groups, [group, rows, *told])
        require_table("rows", release.rows, manifest.columns_of("sensitive", "plain"), group)
        require_groups("rows", release.rows, group, manifest.rows.published)
        require_same_groups("groups", release.groups, release.rows, group)
        require_counts("groups", release.groups[rows], manifest.rows.published)
        counted = release.rows.group_by(group).agg(pl.len().cast(pl.Int64).alias(rows)).sort(group)
        if not counted.equals(
            release.groups.select(group, pl.col(rows).cast(pl.Int64)).sort(group)
        ):
            raise ReleaseDamaged("The tables groups and rows disagree about the rows of a group.")
        for column in release._quasi_columns:
            release._require_range(column) if column.is_ordered else release._require_set(column)
        return release

    def _require_range(self, column: PublishedColumn) -> None:
        """Lowest and highest value, in this order, or neither where all values are missing."""
        low, high, missing = (self.groups[name] for name in self.told_as(column))
        for end in (low, high):
            require_values("groups", end, column)
        if missing.dtype != pl.Boolean or missing.has_nulls() or low.dtype != high.dtype:
            raise ReleaseDamaged(f"Table groups tells of {column.name!r} what is not a range.")
        is_range = (ranked(low, column) <= ranked(high, column)).fill_null(missing)
        if not (is_range & (low.is_null() == high.is_null())).all():
            raise ReleaseDamaged(f"Table groups has a range of {column.name!r} that ends too low.")

    def _require_set(self, column: PublishedColumn) -> None:
        """At least one value, each once."""
        sets = self.groups[column.name]
        if not isinstance(sets.dtype, pl.List) or sets.has_nulls():
            raise ReleaseDamaged(f"Table groups has no list of the values of {column.name!r}.")
        require_values("groups", sets.explode(), column)
        if (sets.list.len() < 1).any() or (sets.list.n_unique() < sets.list.len()).any():
            raise ReleaseDamaged(f"Table groups does not list values of {column.name!r} once.")

    def told_as(self, column: PublishedColumn) -> list[str]:
        """The columns of ``groups`` that tell about a quasi-identifier."""
        if not column.is_ordered:
            return [column.name]
        return [self.manifest.layout[f"{column.name}_{end}"] for end in RANGE]

    def values(self, column: str) -> pl.Series | None:
        """Sensitive and plain values are kept; quasi-identifiers are not."""
        self.require_published(column)
        return self.rows[column] if column in self.rows.columns else None

    def make_sheet(self) -> Sheet:
        """Sensitive and plain values stand in rows, quasi-identifiers are ranges of the group."""
        parts = [Part("rows", "rows", tuple(self.manifest.named("sensitive", "plain")))]
        layout = self.manifest.layout
        return Sheet.of(
            self.manifest,
            self.tables,
            parts,
            self.ranges,
            group=layout["group"],
            size_table="groups",
            size_column=layout["rows"],
        )

    @cached_property
    def ranges(self) -> dict[str, RangeColumn]:
        """What is told of each quasi-identifier."""
        return {column.name: self._range(column) for column in self._quasi_columns}

    def _range(self, column: PublishedColumn) -> RangeColumn:
        told = self.told_as(column)
        dtype = self.groups.schema[told[0]]
        if len(told) == 1:
            return RangeColumn(column.name, "groups", dtype.inner, None, None)  # type: ignore[attr-defined]
        low, high, missing = told
        widest = None if column.order is not None else widest_range(self.groups, low, high)
        return RangeColumn(column.name, "groups", dtype, column.order, (low, high, missing), widest)

    def keys(self, table: str) -> dict[str, Any]:
        """A group stands once in ``groups``; rows refer to it."""
        group = self.manifest.layout["group"]
        if table == "groups":
            return {"primaryKey": [group]}
        reference = {"resource": "groups", "fields": [group]}
        return {"foreignKeys": [{"fields": [group], "reference": reference}]}

    def group_sizes(self) -> pl.DataFrame:
        """Rows a group."""
        layout = self.manifest.layout
        return self.groups.select(
            pl.col(layout["group"]).alias("group"),
            pl.col(layout["rows"]).cast(pl.Int64).alias("rows"),
        )

    def count_sensitive(self) -> dict[str, pl.DataFrame]:
        """Counts of each sensitive column."""
        group = self.manifest.layout["group"]
        return {
            name: count_values(self.rows, group, name) for name in self.manifest.named("sensitive")
        }

    def extents(self) -> pl.DataFrame:
        """Widths as the ranges and sets tell them."""
        widths = {f"width:{column.name}": self._width(column) for column in self._quasi_columns}
        return self.group_sizes().with_columns(**widths)

    def _width(self, column: PublishedColumn) -> pl.Series:
        if not column.is_ordered:
            sets = self.groups[column.name]
            sizes = sets.list.len()
            return (sizes / sets.explode().n_unique()).set(sizes < 2, 0.0)
        low, high, missing = (self.groups[name] for name in self.told_as(column))
        # both ends on one scale, so that the widest possible range is 1
        places = on_scale(pl.concat([ranked(low, column), ranked(high, column).alias(low.name)]))
        width = (places.tail(len(high)) - places.head(len(low))).fill_null(0.0)
        return width.set(missing & low.is_not_null(), 1.0)
