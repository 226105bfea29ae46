"""What all releases with groups have in common."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from anonagram.microdata import on_scale
from anonagram.release.manifest import PublishedColumn
from anonagram.release.release import Release


class WithGroups(Release):
    """A release whose rows fall into groups that nobody can tell apart from outside."""

    @abstractmethod
    def group_sizes(self) -> pl.DataFrame:
        """Columns group and rows, a row each group."""

    @abstractmethod
    def sensitive_counts(self) -> dict[str, pl.DataFrame]:
        """For each sensitive attribute: columns group, value and count."""


class GroupedRelease(WithGroups):
    """A release in which every row belongs to a group, and values hide inside it."""

    @abstractmethod
    def extents(self) -> pl.DataFrame:
        """Columns group, rows and, for each quasi-identifier, its width in the group.

        A width is a share of the domain: between lowest and highest value over the domain's span,
        or the number of different values over the domain's size, 0 when it is one (Xu et al. 2006,
        as corrected for nominal attributes). A group in which an ordered value is missing for some
        rows and not for others spans the whole domain.
        """

    @property
    def _quasi_columns(self) -> list[PublishedColumn]:
        return [column for column in self.manifest.columns if column.role == "quasi"]

    def _size(self) -> str:
        return f"{self.manifest.rows:,} rows in {self.group_sizes().height:,} groups"


@dataclass(frozen=True, repr=False)
class QuasiRowsRelease(GroupedRelease):
    """A grouped release with a table ``quasi`` that has a row each person."""

    quasi: pl.DataFrame

    def group_sizes(self) -> pl.DataFrame:
        """Rows a group, counted in the quasi table."""
        return self.quasi.group_by(pl.col(self.manifest.layout["group"]).alias("group")).agg(
            pl.len().cast(pl.Int64).alias("rows")
        )

    def extents(self) -> pl.DataFrame:
        """Widths of the values that stand in each group, whether rows are exact or permuted."""
        return measure_extents(self.quasi, self.manifest.layout["group"], self._quasi_columns)


def count_values(table: pl.DataFrame, group: str, column: str) -> pl.DataFrame:
    """How often each value of a column occurs in each group."""
    return table.group_by(pl.col(group).alias("group"), pl.col(column).alias("value")).agg(
        pl.len().cast(pl.Int64).alias("count")
    )


def measure_extents(
    table: pl.DataFrame, group: str, columns: Sequence[PublishedColumn]
) -> pl.DataFrame:
    """The widths of groups whose rows are published one by one."""
    # positions avoid the data's names: a column may be called group or rows
    scales = pl.DataFrame(
        {"group": table[group]}
        | {str(position): _scale(table[c.name], c) for position, c in enumerate(columns)}
    )
    widths = scales.group_by("group").agg(
        pl.len().cast(pl.Int64).alias("rows"),
        *(
            _range(str(position)) if column.is_ordered else _variety(str(position), scales)
            for position, column in enumerate(columns)
        ),
    )
    return widths.rename({str(position): f"width:{c.name}" for position, c in enumerate(columns)})


def _scale(values: pl.Series, column: PublishedColumn) -> pl.Series:
    """An ordered column on a scale from 0 to 1; a nominal one as it is."""
    return on_scale(ranked(values, column)) if column.is_ordered else values


def ranked(values: pl.Series, column: PublishedColumn) -> pl.Series:
    """The values of an ordinal column as ranks; others as they are."""
    if column.order is None:
        return values
    ranks = pl.int_range(len(column.order), eager=True)
    return values.replace_strict(list(column.order), ranks, return_dtype=pl.Int64)


def _range(name: str) -> pl.Expr:
    missing = pl.col(name).null_count()
    return (
        pl.when((missing > 0) & (missing < pl.len()))
        .then(1.0)
        .otherwise((pl.col(name).max() - pl.col(name).min()).fill_null(0.0))
        .alias(name)
    )


def _variety(name: str, scales: pl.DataFrame) -> pl.Expr:
    distinct = pl.col(name).n_unique()
    return pl.when(distinct > 1).then(distinct / scales[name].n_unique()).otherwise(0.0).alias(name)
