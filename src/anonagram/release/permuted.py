"""Groups in which every column is permuted on its own (permutation anonymization)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

import polars as pl

from anonagram.errors import ReleaseDamaged
from anonagram.release.checks import require_groups, require_same_groups, require_table
from anonagram.release.grouped import QuasiRowsRelease, count_values
from anonagram.release.manifest import Manifest
from anonagram.release.sheet import Part, Sheet
from anonagram.release.told import Told


@dataclass(frozen=True, repr=False)
class PermutedRelease(QuasiRowsRelease, shape="permuted"):
    """Two tables that share a group number, a row each person, every column in an order of its own.

    A row of either table is nobody: its values belong to different people of the group. Without
    sensitive columns there is one table, and every column counts as sensitive.
    """

    sensitive: pl.DataFrame | None
    own_columns = ("group",)
    is_told_by_blocks = True
    who_looks_alike = (
        "No row is anybody's: an outsider finds at most the group that has somebody's values, and "
        "the people of a group are counted"
    )

    @classmethod
    def own_tables(cls, manifest: Manifest) -> list[str]:
        """The table of sensitive columns only where there are some."""
        return ["quasi", "sensitive"] if manifest.named("sensitive") else ["quasi"]

    @property
    def tables(self) -> dict[str, pl.DataFrame]:
        """One or two tables."""
        both = {"quasi": self.quasi, "sensitive": self.sensitive}
        return {name: table for name, table in both.items() if table is not None}

    @classmethod
    def unchecked(cls, manifest: Manifest, tables: Mapping[str, pl.DataFrame]) -> Self:
        """The tables as they are."""
        return cls(manifest, tables["quasi"], tables.get("sensitive"))

    @classmethod
    def from_tables(cls, manifest: Manifest, tables: Mapping[str, pl.DataFrame]) -> Self:
        """Check that both tables have the same groups with as many rows."""
        group = manifest.layout["group"]
        release = cls.unchecked(manifest, tables)
        require_table("quasi", release.quasi, manifest.columns_of("quasi", "plain"), group)
        require_groups("quasi", release.quasi, group, manifest.rows.published)
        if release.sensitive is not None:
            columns = manifest.columns_of("sensitive")
            require_table("sensitive", release.sensitive, columns, group)
            require_same_groups("sensitive", release.sensitive, release.quasi, group)
            if not release.sensitive[group].sort().equals(release.quasi[group].sort()):
                raise ReleaseDamaged("The tables quasi and sensitive disagree about groups.")
        return release

    def values(self, column: str) -> pl.Series:
        """A column as it stands."""
        self.require_published(column)
        return next(table[column] for table in self.tables.values() if column in table.columns)

    def how_told(self, column: str) -> Told:  # noqa: ARG002
        """Every value is somebody else's."""
        return Told.MOVED

    def make_sheet(self) -> Sheet:
        """Every column is a part of its own."""
        group = self.manifest.layout["group"]
        parts = [
            # a name of its own kind: a column may be called like a part, such as ranges
            Part(f"column {column}", name, (column,))
            for name, table in self.tables.items()
            for column in table.columns
            if column != group
        ]
        return Sheet.of(self.manifest, self.tables, parts, group=group)

    def of_world(self, world: pl.DataFrame) -> Self:
        """Everybody in a group of her own."""
        alone = pl.int_range(1, pl.len() + 1, dtype=pl.Int32).alias(self.manifest.layout["group"])
        named = self.manifest.named
        quasi = world.select(alone, *named("quasi", "plain"))
        return replace(
            self, quasi=quasi, sensitive=world.select(alone, *named("sensitive")), coded={}
        )

    def keys(self, table: str) -> dict[str, Any]:
        """The group leads from the sensitive to the quasi table."""
        if table != "sensitive":
            return {}
        group = self.manifest.layout["group"]
        reference = {"resource": "quasi", "fields": [group]}
        return {"foreignKeys": [{"fields": [group], "reference": reference}]}

    def count_sensitive(self) -> dict[str, pl.DataFrame]:
        """Counts of each sensitive column; of every column where none is sensitive."""
        table = self.quasi if self.sensitive is None else self.sensitive
        group = self.manifest.layout["group"]
        return {
            column: count_values(table, group, column)
            for column in table.columns
            if column != group
        }

    def distinct_values(self) -> pl.DataFrame:
        """Column group, and for each quasi-identifier how many different values the group has."""
        found = {f"distinct:{name}": self.distinct(name) for name in self.manifest.named("quasi")}
        return pl.DataFrame({"group": self.index.numbers} | found)
