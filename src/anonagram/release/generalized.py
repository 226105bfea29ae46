"""Groups with generalized quasi-identifiers: ranges for ordered ones, sets for nominal ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Self

import polars as pl

from anonagram.columns.hierarchy import ANYTHING
from anonagram.columns.places import on_scale
from anonagram.errors import CallError, ReleaseDamaged
from anonagram.release.checks import (
    require_columns,
    require_counts,
    require_groups,
    require_same_groups,
    require_table,
    require_values,
)
from anonagram.release.grouped import GroupedRelease, count_values, in_order, ranked
from anonagram.release.manifest import Manifest, PublishedColumn, Rows
from anonagram.release.release import numbered
from anonagram.release.sheet import Part, RangeColumn, Sheet, widest_range
from anonagram.shown.wording import how_many

RANGE = ("low", "high", "missing")
"""What is told about an ordered quasi-identifier of a group."""
LEFT_OUT = 0
"""The group, for promises, of rows that are in none: published ones are numbered from 1."""


@dataclass(frozen=True, repr=False)
class GeneralizedRelease(GroupedRelease, shape="generalized"):
    """A generalized table: a row each person, and what the labels of each group cover.

    ``rows`` is the table to read: labels in place of quasi-identifiers, sensitive and plain columns
    as they are. Rows of a group have the same labels. ``groups`` says once for each group what these
    cover: of an ordered column the lowest and highest value and whether some are missing, of a
    nominal one the list of values. Where rows were left out and groups are compared with the whole
    original, ``totals`` tells how often each sensitive value occurs in it. Whoever takes from it what
    is published has the values of those who were left out, so promises are about them too.
    """

    groups: pl.DataFrame
    rows: pl.DataFrame
    totals: Mapping[str, pl.DataFrame] = field(default_factory=dict)
    """For each sensitive column, where rows were left out and a promise needs it."""
    domains: Mapping[str, pl.Series] = field(
        default_factory=dict, repr=False, compare=False, kw_only=True
    )
    """In a part of a release, values of each quasi-identifier among which all of the whole lie."""
    own_columns = ("group", "rows")
    known_roles = ("quasi",)
    has_every_row = False
    is_told_by_blocks = True

    @classmethod
    def own_tables(cls, manifest: Manifest) -> list[str]:  # noqa: ARG003
        """People and groups."""
        return ["groups", "rows"]

    @classmethod
    def optional_tables(cls, manifest: Manifest) -> list[str]:
        """Totals, where rows were left out."""
        totals = numbered("totals", manifest.named("sensitive")).values()
        return list(totals) if manifest.rows.suppressed else []

    @property
    def tables(self) -> dict[str, pl.DataFrame]:
        """People and groups; and totals where promises need them."""
        names = numbered("totals", list(self.totals))
        totals = {names[attribute]: table for attribute, table in self.totals.items()}
        return {"groups": self.groups, "rows": self.rows, **totals}

    @classmethod
    def is_about_all(cls, table: str) -> bool:
        """Totals are."""
        return table not in ("groups", "rows")

    @classmethod
    def own_names(cls, columns: tuple[PublishedColumn, ...]) -> list[str]:
        """Group and rows, and three names for each ordered quasi-identifier."""
        ordered = [c.name for c in columns if c.role == "quasi" and c.is_ordered]
        return [*cls.own_columns, *(f"{name}_{end}" for name in ordered for end in RANGE)]

    @classmethod
    def kept(cls, manifest: Manifest) -> list[str]:
        """Sensitive and plain ones."""
        return manifest.named("sensitive", "plain")

    @classmethod
    def spans(cls, manifest: Manifest) -> list[str]:
        """What ``groups`` tells of quasi-identifiers."""
        quasi = manifest.columns_of("quasi")
        return [name for column in quasi for name in _ends_told(column, manifest)]

    @classmethod
    def is_read_for_questions(cls, table: str) -> bool:
        """What groups tell is looked at as a whole: how far a condition reaches into each."""
        return table != "rows"

    @classmethod
    def unchecked(cls, manifest: Manifest, tables: Mapping[str, pl.DataFrame]) -> Self:
        """The tables as they are."""
        named = numbered("totals", manifest.named("sensitive"))
        totals = {name: tables[table] for name, table in named.items() if table in tables}
        return cls(manifest, tables["groups"], tables["rows"], totals)

    @classmethod
    def from_tables(cls, manifest: Manifest, tables: Mapping[str, pl.DataFrame]) -> Self:
        """Check that both parts have the same groups with as many rows."""
        release = cls.unchecked(manifest, tables)
        group, rows = manifest.layout["group"], manifest.layout["rows"]
        if manifest.rows.added:
            raise ReleaseDamaged("A generalized release has no rows that are nobody's.")
        told = [name for column in release._quasi_columns for name in release.told_as(column)]
        require_columns("groups", release.groups, [group, rows, *told])
        release._require_rows()
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
        for name in release.totals:
            release._require_totals(manifest.column(name))
        return release

    def _require_rows(self) -> None:
        """Values of their kinds, and labels that are the same in all rows of a group.

        Earlier versions published no labels.
        """
        group, kept = self.manifest.layout["group"], self.manifest.columns_of("sensitive", "plain")
        if not self._has_labels:
            require_table("rows", self.rows, kept, group)
            return
        names = [column.name for column in self.manifest.columns]
        require_columns("rows", self.rows, [group, *names])
        require_table("rows", self.rows.select(group, *(c.name for c in kept)), kept, group)
        ordered = self.rows if self.rows[group].is_sorted() else self.rows.sort(group)
        is_same = pl.col(group) == pl.col(group).shift()
        for column in self._quasi_columns:
            if self.rows.schema[column.name] != pl.String:
                raise ReleaseDamaged(f"Table rows has no labels of {column.name!r}.")
            changes = pl.col(column.name).ne_missing(pl.col(column.name).shift())
            if ordered.select((is_same & changes).any()).item():
                raise ReleaseDamaged(f"Rows of a group have different labels of {column.name!r}.")

    @property
    def _has_labels(self) -> bool:
        return any(column.name in self.rows.columns for column in self._quasi_columns)

    def _require_totals(self, column: PublishedColumn) -> None:
        """Each value once, as often as in the original, and no less often than it is published."""
        table, rows = self.totals[column.name], self.manifest.layout["rows"]
        require_columns("totals", table, [column.name, rows])
        require_values("totals", table[column.name], column)
        require_counts("totals", table[rows], self.manifest.rows.original)
        is_whole = table[rows].sum() == self.manifest.rows.original
        if table[column.name].is_duplicated().any() or not is_whole:
            raise ReleaseDamaged(f"Table totals does not count every {column.name!r} once.")
        published = self.rows[column.name].value_counts(name="published")
        both = published.join(table, on=column.name, how="left", nulls_equal=True)
        if not (both["published"] <= both[rows]).fill_null(value=False).all():
            raise ReleaseDamaged(f"Table totals counts fewer {column.name!r} than are published.")

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
        return [*_ends_told(column, self.manifest), self.manifest.layout[f"{column.name}_missing"]]

    @property
    def hidden_group(self) -> int | None:
        """The group of rows of which nothing is told; None where there is none.

        All of its labels are ``*``, and other groups have some that are not. Such a group is made of
        everybody whose labels no other group has.
        """
        if not self._has_labels or self.groups.height < 2:
            return None
        group = self.manifest.layout["group"]
        told = self.rows.select(group, *(c.name for c in self._quasi_columns)).unique(group)
        hidden = told.filter(pl.all_horizontal(pl.exclude(group) == ANYTHING))
        return int(hidden[group][0]) if hidden.height == 1 else None

    def values(self, column: str) -> pl.Series | None:
        """Sensitive and plain values are kept; quasi-identifiers are not."""
        self.require_published(column)
        is_kept = self.manifest.column(column).role != "quasi"
        return self.rows[column] if is_kept else None

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

    def promised_counts(self) -> dict[str, pl.DataFrame]:
        """Those of groups, and as group 0 what totals have more than they: the rows left out."""
        counts = self.sensitive_counts()
        return {
            name: pl.concat([counts[name], self._left_out(name)], how="vertical_relaxed")
            if name in self.totals
            else counts[name]
            for name in counts
        }

    def _left_out(self, name: str) -> pl.DataFrame:
        published = self.rows[name].value_counts(name="published").rename({name: "value"})
        both = self.sensitive_totals()[name].join(
            published, on="value", how="left", nulls_equal=True
        )
        more = pl.col("count").cast(pl.Int64) - pl.col("published").fill_null(0).cast(pl.Int64)
        left = both.select(pl.lit(LEFT_OUT).alias("group"), "value", more.alias("count"))
        return left.filter(pl.col("count") > 0)

    def sensitive_totals(self) -> dict[str, pl.DataFrame]:
        """Of the whole original, also where rows were left out."""
        if self.manifest.rows.suppressed and len(self.totals) < len(
            self.manifest.named("sensitive")
        ):
            raise CallError(
                f"{how_many(self.manifest.rows.suppressed, 'row was', 'rows were')} left out of the "
                "release, and it does not tell the values of the whole table, with which groups "
                "are to be compared.",
                "make it again with this promise in the method's goal, or take a promise about "
                "groups alone, such as l_diversity.",
            )
        if not self.totals:
            return super().sensitive_totals()
        rows = self.manifest.layout["rows"]
        return {
            name: in_order(
                table.select(pl.col(name).alias("value"), pl.col(rows).alias("count")),
                self.manifest.column(name),
            )
            for name, table in self.totals.items()
        }

    def _size(self) -> str:
        left_out = self.manifest.rows.suppressed
        return super()._size() + (f", {how_many(left_out, 'row')} left out" if left_out else "")

    def as_part(self, values: Mapping[str, pl.DataFrame]) -> Self:
        """Widths are shares of what all groups have, and nobody else was left out."""
        told = {column.name: _ends_told(column, self.manifest) for column in self._quasi_columns}
        domains = {
            name: pl.concat([values[end]["value"].alias(name) for end in ends])
            for name, ends in told.items()
            if set(ends) <= set(values)
        }
        rows = Rows.all_of(self.manifest.rows.published)
        part = replace(self, manifest=self.manifest.with_rows(rows), domains=domains)
        return super(GeneralizedRelease, part).as_part(values)

    def extents(self) -> pl.DataFrame:
        """Widths as the ranges and sets tell them."""
        widths = {f"width:{column.name}": self._width(column) for column in self._quasi_columns}
        return self.group_sizes().with_columns(**widths)

    def _width(self, column: PublishedColumn) -> pl.Series:
        if not column.is_ordered:
            sets = self.groups[column.name]
            sizes = sets.list.len()
            return (sizes / self.domains.get(column.name, sets.explode()).n_unique()).set(
                sizes < 2, 0.0
            )
        low, high, missing = (self.groups[name] for name in self.told_as(column))
        # both ends on one scale, so that the widest possible range is 1
        domain = self.domains.get(column.name, low.clear())
        places = on_scale(
            pl.concat([ranked(each, column).alias("") for each in (low, domain, high)])
        )
        width = (places.tail(len(high)) - places.head(len(low))).fill_null(0.0)
        return width.set(missing & low.is_not_null(), 1.0)


def _ends_told(column: PublishedColumn, manifest: Manifest) -> list[str]:
    """The columns of ``groups`` that have values of a quasi-identifier."""
    if not column.is_ordered:
        return [column.name]
    return [manifest.layout[f"{column.name}_{end}"] for end in ("low", "high")]
