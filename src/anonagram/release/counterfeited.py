"""Anatomized groups in which some rows are nobody's, so that later releases can repeat them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Self

import polars as pl

from anonagram.errors import ReleaseDamaged
from anonagram.release.anatomized import AnatomizedRelease
from anonagram.release.checks import require_columns, require_counts, require_same_groups
from anonagram.release.manifest import Manifest
from anonagram.release.sheet import Part, Sheet
from anonagram.shown.wording import how_many

REAL = "real"
"""The table that says how many rows of each group are people's."""


@dataclass(frozen=True, repr=False)
class CounterfeitedRelease(AnatomizedRelease, shape="counterfeited"):
    """An anatomized release with a table ``real``: how many rows of a group are people's.

    Which of them are is not told. It is one more thing that was rearranged inside groups, so
    questions ask for people's rows by a condition on it, and bounds follow as they always do.
    """

    real: pl.DataFrame = field(kw_only=True)
    """Columns group, real and count, a line each for the real rows of a group and for the others."""
    own_columns = ("group", "count", "real")
    has_every_row = False
    has_exact_rows = False
    has_whole_rows = True

    @classmethod
    def own_tables(cls, manifest: Manifest) -> list[str]:
        """Those of an anatomized release, and how many rows are real."""
        return [*super().own_tables(manifest), REAL]

    @classmethod
    def optional_tables(cls, manifest: Manifest) -> list[str]:  # noqa: ARG003
        """No help table: nobody knows how many of a group's rows are asked about."""
        return []

    @property
    def tables(self) -> dict[str, pl.DataFrame]:
        """The tables by name."""
        return super().tables | {REAL: self.real}

    @classmethod
    def from_tables(cls, manifest: Manifest, tables: Mapping[str, pl.DataFrame]) -> Self:
        """Check besides that the real rows of every group are told."""
        plain = AnatomizedRelease.from_tables(manifest, tables)
        release = cls(manifest, plain.quasi, plain.sensitive, real=tables[REAL])
        release._require_real()
        return release

    def _require_real(self) -> None:
        rows, layout = self.manifest.rows, self.manifest.layout
        group, count, real = (layout[name] for name in self.own_columns)
        if rows.suppressed:
            raise ReleaseDamaged("A counterfeited release leaves no row of its original out.")
        require_columns(REAL, self.real, [group, real, count])
        if self.real.schema[real] != pl.Boolean or self.real[real].has_nulls():
            raise ReleaseDamaged(f"Table {REAL} does not say which rows are real.")
        require_same_groups(REAL, self.real, self.quasi, group)
        require_counts(REAL, self.real[count], rows.published)
        if self.real.select(pl.struct(group, real).is_duplicated().any()).item():
            raise ReleaseDamaged(f"Table {REAL} counts the rows of a group twice.")
        counted = self.real.group_by(group).agg(
            pl.col(count).cast(pl.Int64).sum(), pl.col(real).any().alias("somebody")
        )
        both = self.group_sizes().join(counted, left_on="group", right_on=group, how="left")
        both = both.with_columns(pl.col("somebody").fill_null(value=False))
        if not (both["rows"].eq_missing(both[count]).all() and both["somebody"].all()):
            raise ReleaseDamaged(f"The tables quasi and {REAL} disagree about the rows of a group.")
        if self.real.filter(~pl.col(real))[count].sum() != rows.added:
            raise ReleaseDamaged(f"Table {REAL} and the manifest disagree about added rows.")

    def with_help_tables(self) -> Self:
        """Refused: how many rows of a group are asked about is not known."""
        self.refuse_help_table()

    def make_sheet(self) -> Sheet:
        """That of an anatomized release, with one part more that says which rows are real."""
        plain = super().make_sheet()
        if not self.manifest.rows.added:
            return plain
        layout = self.manifest.layout
        real = Part(REAL, REAL, (layout["real"],), layout["count"])
        parts = [*plain.parts.values(), real]
        return Sheet.of(
            self.manifest, self.tables, parts, group=layout["group"], real=layout["real"]
        )

    def values(self, column: str) -> pl.Series | None:  # type: ignore[override]
        """None where some rows are nobody's: nobody knows which values are people's."""
        values = super().values(column)
        return None if self.manifest.rows.added else values

    def look_alikes(self) -> pl.DataFrame:
        """Equal rows, without as many of each group as may be nobody's."""
        layout, quasi = self.manifest.layout, self.manifest.named("quasi")
        group = layout["group"]
        alike = self.quasi.group_by([group, *quasi]).len("rows").rename({group: "\0group"})
        alike = alike.join(self.added_in_groups(), left_on="\0group", right_on="group", how="left")
        certain = pl.max_horizontal(0, pl.col("rows").cast(pl.Int64) - pl.col("added"))
        counted = alike.group_by(quasi, maintain_order=True).agg(certain.sum().alias("rows"))
        # whoever is real looks at least like herself
        return counted.select(
            pl.int_range(1, pl.len() + 1).alias("group"), pl.max_horizontal(1, "rows").alias("rows")
        )

    def added_in_groups(self) -> pl.DataFrame:
        """Columns group and added: how many rows of each group are nobody's."""
        layout = self.manifest.layout
        added = pl.col(layout["count"]).cast(pl.Int64) * ~pl.col(layout["real"])
        return self.real.group_by(pl.col(layout["group"]).alias("group")).agg(
            added.sum().alias("added")
        )

    def of_world(self, world: pl.DataFrame) -> Self:
        """Everybody in a group of her own, and nobody else."""
        layout, alone = self.manifest.layout, super().of_world(world)
        rows = replace(self.manifest.rows, published=self.manifest.rows.original, added=0)
        real = alone.quasi.select(
            layout["group"],
            pl.lit(value=True).alias(layout["real"]),
            pl.lit(1, pl.Int32).alias(layout["count"]),
        )
        return replace(alone, real=real, manifest=self.manifest.with_rows(rows))

    def _size(self) -> str:
        added = self.manifest.rows.added
        if not added:
            return super()._size()
        rows, groups = self.manifest.rows.published, self.group_sizes().height
        return f"{how_many(rows, 'row')}, {added:,} of them counterfeit, in {how_many(groups, 'group')}"
