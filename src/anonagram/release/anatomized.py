"""Groups with exact quasi-identifiers and a multiset of sensitive values (Anatomy, (k,e))."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Self

import polars as pl

from anonagram.errors import ReleaseDamaged
from anonagram.release.checks import (
    require_columns,
    require_counts,
    require_groups,
    require_same_groups,
    require_table,
    require_values,
)
from anonagram.release.doors import help_tables_of
from anonagram.release.grouped import QuasiRowsRelease
from anonagram.release.manifest import Manifest
from anonagram.release.release import numbered
from anonagram.release.sheet import Part, Sheet

ROUNDING = 1e-9


@dataclass(frozen=True, repr=False)
class AnatomizedRelease(QuasiRowsRelease, shape="anatomized"):
    """Tables that share a group number.

    ``quasi`` holds every row's quasi-identifiers as they are; ``sensitive`` how often each value of
    a sensitive attribute occurs in a group; of several attributes the second is in ``sensitive_2``
    and so on. A help table, where there is one, is in ``help``, ``help_2`` and so on.
    """

    sensitive: Mapping[str, pl.DataFrame]
    """For each sensitive attribute: group, value, count."""
    help_tables: Mapping[str, pl.DataFrame] = field(default_factory=dict)
    """For each sensitive attribute what any number of hits in a group says about its aggregates."""
    own_columns = ("group", "count")
    has_exact_rows = True
    has_whole_rows = True
    is_told_by_blocks = True

    @classmethod
    def own_tables(cls, manifest: Manifest) -> list[str]:
        """The rows, and a table of counts for each sensitive attribute."""
        return ["quasi", *numbered("sensitive", manifest.named("sensitive")).values()]

    @classmethod
    def optional_tables(cls, manifest: Manifest) -> list[str]:
        """A help table for each sensitive attribute."""
        return list(numbered("help", manifest.named("sensitive")).values())

    @property
    def tables(self) -> dict[str, pl.DataFrame]:
        """The tables by name."""
        tables = {"quasi": self.quasi}
        for stem, by_attribute in (("sensitive", self.sensitive), ("help", self.help_tables)):
            names = numbered(stem, self.manifest.named("sensitive"))
            tables |= {names[attribute]: table for attribute, table in by_attribute.items()}
        return tables

    @classmethod
    def unchecked(cls, manifest: Manifest, tables: Mapping[str, pl.DataFrame]) -> Self:
        """The tables as they are."""
        names = numbered("sensitive", manifest.named("sensitive"))
        return cls(manifest, tables["quasi"], {each: tables[name] for each, name in names.items()})

    @classmethod
    def from_tables(cls, manifest: Manifest, tables: Mapping[str, pl.DataFrame]) -> Self:
        """Check that all tables tell of the same groups with the same numbers of rows."""
        names = numbered("sensitive", manifest.named("sensitive"))
        release = cls.unchecked(manifest, tables)
        group = manifest.layout["group"]
        require_table("quasi", release.quasi, manifest.columns_of("quasi", "plain"), group)
        require_groups("quasi", release.quasi, group, manifest.rows.published)
        for attribute, name in names.items():
            release._require_counts(attribute, name)
        if "help" not in tables:
            return release
        helped = release.with_help_tables()
        for attribute, name in numbered("help", manifest.named("sensitive")).items():
            if not _agree(helped.help_tables[attribute], tables[name]):
                raise ReleaseDamaged(f"Table {name} does not follow from the other tables.")
        return helped

    def _require_counts(self, attribute: str, where: str) -> None:
        table, layout = self.sensitive[attribute], self.manifest.layout
        group, count = layout["group"], layout["count"]
        require_columns(where, table, [group, attribute, count])
        require_same_groups(where, table, self.quasi, group)
        require_values(where, table[attribute], self.manifest.column(attribute))
        require_counts(where, table[count], self.manifest.rows.published)
        if table.select(pl.struct(group, attribute).is_duplicated().any()).item():
            raise ReleaseDamaged(f"Table {where} counts a value twice in one group.")
        counted = table.group_by(group).agg(pl.col(count).cast(pl.Int64).sum())
        both = self.group_sizes().join(counted, left_on="group", right_on=group, how="full")
        wrong = both.filter(pl.col("rows").ne_missing(pl.col(count)))
        if not wrong.is_empty():
            number = wrong["group"][0] or wrong[group][0]
            raise ReleaseDamaged(
                f"The tables quasi and {where} disagree about the rows of group {number}."
            )

    who_looks_alike = (
        "Quasi-identifiers stand as they are: whoever knows somebody's finds her row among those "
        "that are equal to it, and only they look alike"
    )

    def table_of(self, attribute: str) -> str:
        """The name of the table with an attribute's values."""
        return numbered("sensitive", self.manifest.named("sensitive"))[attribute]

    def make_sheet(self) -> Sheet:
        """Quasi-identifiers stand whole, and each sensitive attribute is counted by itself."""
        layout, named = self.manifest.layout, self.manifest.named
        parts = [Part("quasi", "quasi", tuple(named("quasi", "plain")))]
        for attribute in named("sensitive"):
            table = self.table_of(attribute)
            parts.append(Part(table, table, (attribute,), layout["count"]))
        return Sheet.of(self.manifest, self.tables, parts, group=layout["group"])

    def of_world(self, world: pl.DataFrame) -> Self:
        """Everybody in a group of her own, with her own value."""
        layout = self.manifest.layout
        alone = pl.int_range(1, pl.len() + 1, dtype=pl.Int32).alias(layout["group"])
        once = pl.lit(1, pl.Int32).alias(layout["count"])
        sensitive = {name: world.select(alone, name, once) for name in self.sensitive}
        quasi = world.select(alone, *self.manifest.named("quasi", "plain"))
        return replace(self, quasi=quasi, sensitive=sensitive, help_tables={}, coded={})

    def with_help_tables(self) -> Self:
        """The release with a help table for each sensitive attribute.

        >>> from anonagram import Anatomy, Microdata
        >>> table = {"age": [20, 30, 40], "pay": [10, 20, 40]}
        >>> data = Microdata.read(table, {"age": "quasi", "pay": "sensitive"})
        >>> release = Anatomy(l=3).anonymize(data).with_help_tables()
        >>> release.tables["help"].select("hits", "sum_low", "sum_high", "min_low", "min_high")
        shape: (3, 5)
        ┌──────┬─────────┬──────────┬─────────┬──────────┐
        │ hits ┆ sum_low ┆ sum_high ┆ min_low ┆ min_high │
        │ ---  ┆ ---     ┆ ---      ┆ ---     ┆ ---      │
        │ i64  ┆ i64     ┆ i64      ┆ i64     ┆ i64      │
        ╞══════╪═════════╪══════════╪═════════╪══════════╡
        │ 1    ┆ 10      ┆ 40       ┆ 10      ┆ 40       │
        │ 2    ┆ 30      ┆ 60       ┆ 10      ┆ 20       │
        │ 3    ┆ 70      ┆ 70       ┆ 10      ┆ 10       │
        └──────┴─────────┴──────────┴─────────┴──────────┘
        """
        return replace(self, help_tables=help_tables_of(self))

    def values(self, column: str) -> pl.Series:
        """A quasi-identifier as it stands, a sensitive value as often as it is counted."""
        self.require_published(column)
        if column in self.quasi.columns:
            return self.quasi[column]
        return self.sensitive[column].select(
            pl.col(column).repeat_by(self.manifest.layout["count"]).explode()
        )[column]

    def keys(self, table: str) -> dict[str, Any]:
        """A value stands once in its group; the group leads to its rows in the quasi table."""
        if table == "quasi":
            return {}
        # the group, and the value or the number of hits in it
        group, second = self.tables[table].columns[:2]
        return {
            "primaryKey": [group, second],
            "foreignKeys": [
                {"fields": [group], "reference": {"resource": "quasi", "fields": [group]}}
            ],
        }

    def count_sensitive(self) -> dict[str, pl.DataFrame]:
        """The sensitive tables under the names that models use."""
        layout = self.manifest.layout
        return {
            name: table.select(
                pl.col(layout["group"]).alias("group"),
                pl.col(name).alias("value"),
                pl.col(layout["count"]).cast(pl.Int64).alias("count"),
            )
            for name, table in self.sensitive.items()
        }


def _agree(one: pl.DataFrame, two: pl.DataFrame) -> bool:
    """Whether two tables are equal, but for the last digits of floating-point numbers."""
    if one.schema != two.schema or one.height != two.height:
        return False
    return all(
        (one[name] - two[name]).abs().le(ROUNDING * (1 + one[name].abs())).fill_null(True).all()
        and one[name].is_null().equals(two[name].is_null())
        if dtype.is_float()
        else one[name].equals(two[name])
        for name, dtype in one.schema.items()
    )
