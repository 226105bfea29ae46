"""Groups with exact quasi-identifiers and a multiset of sensitive values (Anatomy)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import polars as pl

from anonagram.errors import ReleaseDamaged
from anonagram.release.grouped import QuasiRowsRelease
from anonagram.release.manifest import Manifest
from anonagram.release.release import require_columns, require_groups


@dataclass(frozen=True, repr=False)
class AnatomizedRelease(QuasiRowsRelease, shape="anatomized"):
    """Two tables that share a group number.

    ``quasi`` holds every row's quasi-identifiers as they are; ``sensitive`` how often each sensitive
    value occurs in a group.
    """

    sensitive: pl.DataFrame
    own_columns = ("group", "count")

    @property
    def tables(self) -> dict[str, pl.DataFrame]:
        """The two tables."""
        return {"quasi": self.quasi, "sensitive": self.sensitive}

    @classmethod
    def from_tables(cls, manifest: Manifest, tables: Mapping[str, pl.DataFrame]) -> Self:
        """Check that both tables tell of the same groups with the same numbers of rows."""
        release = cls(manifest, tables["quasi"], tables["sensitive"])
        group, count = manifest.layout["group"], manifest.layout["count"]
        require_columns("quasi", release.quasi, [group, *manifest.named("quasi", "plain")])
        require_columns(
            "sensitive", release.sensitive, [group, *manifest.named("sensitive"), count]
        )
        require_groups("quasi", release.quasi, group, manifest.rows)
        (value,) = manifest.named("sensitive")
        if release.sensitive.select(pl.struct(group, value).is_duplicated().any()).item():
            raise ReleaseDamaged("Table sensitive counts a value twice in one group.")
        if release.sensitive.select((pl.col(count) < 1).any() | pl.col(count).has_nulls()).item():
            raise ReleaseDamaged("Table sensitive has a count below 1.")
        counted = release.sensitive.group_by(group).agg(pl.col(count).cast(pl.Int64).sum())
        sizes = release.group_sizes()
        both = sizes.join(counted, left_on="group", right_on=group, how="full")
        wrong = both.filter(pl.col("rows").ne_missing(pl.col(count)))
        if not wrong.is_empty():
            where = wrong["group"][0] or wrong[group][0]
            raise ReleaseDamaged(
                f"The tables quasi and sensitive disagree about the rows of group {where}."
            )
        return release

    def values(self, column: str) -> pl.Series:
        """A quasi-identifier as it stands, a sensitive value as often as it is counted."""
        self.require_published(column)
        if column in self.quasi.columns:
            return self.quasi[column]
        return self.sensitive.select(
            pl.col(column).repeat_by(self.manifest.layout["count"]).explode()
        )[column]

    def keys(self, table: str) -> dict[str, Any]:
        """A value stands once in its group; the group leads to its rows in the quasi table."""
        if table != "sensitive":
            return {}
        group = self.manifest.layout["group"]
        return {
            "primaryKey": [group, *self.manifest.named("sensitive")],
            "foreignKeys": [
                {"fields": [group], "reference": {"resource": "quasi", "fields": [group]}}
            ],
        }

    def sensitive_counts(self) -> dict[str, pl.DataFrame]:
        """The sensitive table under the names that models use."""
        name = self.manifest.named("sensitive")[0]
        layout = self.manifest.layout
        return {
            name: self.sensitive.select(
                pl.col(layout["group"]).alias("group"),
                pl.col(name).alias("value"),
                pl.col(layout["count"]).cast(pl.Int64).alias("count"),
            )
        }
