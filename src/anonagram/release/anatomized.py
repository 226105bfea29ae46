"""Groups with exact quasi-identifiers and a multiset of sensitive values (Anatomy)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import polars as pl

from anonagram.errors import ReleaseDamaged
from anonagram.release.manifest import Manifest
from anonagram.release.release import GroupedRelease, require_columns


@dataclass(frozen=True, repr=False)
class AnatomizedRelease(GroupedRelease, shape="anatomized"):
    """Two tables that share a group number.

    ``quasi`` holds every row's quasi-identifiers as they are; ``sensitive`` how often each sensitive
    value occurs in a group.
    """

    quasi: pl.DataFrame
    sensitive: pl.DataFrame

    @property
    def tables(self) -> dict[str, pl.DataFrame]:
        """The two tables."""
        return {"quasi": self.quasi, "sensitive": self.sensitive}

    @classmethod
    def from_tables(cls, manifest: Manifest, tables: Mapping[str, pl.DataFrame]) -> Self:
        """Check that both tables tell of the same groups with the same numbers of rows."""
        release = cls(manifest, tables["quasi"], tables["sensitive"])
        group, count = manifest.layout["group"], manifest.layout["count"]
        kept = [c.name for c in manifest.columns if c.role in ("quasi", "plain")]
        require_columns("quasi", release.quasi, [group, *kept])
        require_columns(
            "sensitive", release.sensitive, [group, *manifest.named("sensitive"), count]
        )
        counted = release.sensitive.group_by(group).agg(pl.col(count).sum())
        sizes = release.group_sizes()
        both = sizes.join(counted, left_on="group", right_on=group, how="full")
        wrong = both.filter(pl.col("rows").ne_missing(pl.col(count)))
        if not wrong.is_empty() or release.quasi.height != manifest.rows:
            where = f"group {wrong['group'][0] or wrong[group][0]}" if len(wrong) else "the whole"
            raise ReleaseDamaged(
                f"The tables quasi and sensitive disagree about the rows of {where}.",
                "get the bundle again from who published it.",
            )
        return release

    def values(self, column: str) -> pl.Series:
        """A quasi-identifier as it stands, a sensitive value as often as it is counted."""
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

    def group_sizes(self) -> pl.DataFrame:
        """Rows a group, counted in the quasi table."""
        return self.quasi.group_by(pl.col(self.manifest.layout["group"]).alias("group")).agg(
            pl.len().cast(pl.Int64).alias("rows")
        )

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

    def figures(self) -> tuple[dict[str, float], dict[str, float]]:
        """The intruder's best and mean guess; the reconstruction error a row.

        A row with value v in a group of N rows, v being in c of them, is guessed with c/N. The
        reconstruction error of a group is N - Σ c²/N (Xiao and Tao 2006, equation 8 summed up).
        """
        (counts,) = self.sensitive_counts().values()
        groups = counts.group_by("group").agg(
            pl.col("count").sum().alias("rows"),
            pl.col("count").max().alias("most"),
            (pl.col("count") ** 2).sum().alias("squares"),
        )
        posterior, error, size = groups.select(
            (pl.col("most") / pl.col("rows")).max().alias("posterior"),
            (1 - (pl.col("squares") / pl.col("rows")).sum() / pl.col("rows").sum()).alias("error"),
            pl.col("rows").mean().alias("size"),
        ).row(0)
        risk = {"highest_posterior": posterior, "mean_posterior": 1 - error}
        return risk, {"reconstruction_error_per_row": error, "mean_group_size": size}
