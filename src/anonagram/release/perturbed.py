"""One perturbed table with a known transition (random anonymization)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import polars as pl

from anonagram.errors import ReleaseDamaged
from anonagram.release.checks import require_columns, require_counts, require_rows, require_table
from anonagram.release.manifest import Manifest
from anonagram.release.release import Release, numbered
from anonagram.release.sheet import ROWS, Part, Sheet
from anonagram.release.transition import Replaced, Transition


@dataclass(frozen=True, repr=False)
class PerturbedRelease(Release, shape="perturbed"):
    """Rows in which some quasi-identifiers were replaced, and how often each value really occurs.

    ``rows`` holds every row, its sensitive and plain values as they are; ``marginal`` the counts of
    the first quasi-identifier's values in the original, ``marginal_2`` those of the second, and so
    on. The manifest's transition says how likely a replacement was.
    """

    rows: pl.DataFrame
    marginals: Mapping[str, pl.DataFrame]
    """For each quasi-identifier: value, count."""
    own_columns = ("count",)
    section = Transition
    is_told_by_blocks = True

    @property
    def transition(self) -> Transition:
        """How likely it is that an attribute was replaced."""
        return self.manifest.section_as(Transition)

    @classmethod
    def own_tables(cls, manifest: Manifest) -> list[str]:
        """The rows, and a table of counts for each quasi-identifier."""
        return ["rows", *numbered("marginal", manifest.named("quasi")).values()]

    @property
    def tables(self) -> dict[str, pl.DataFrame]:
        """The rows, and a table of counts for each quasi-identifier."""
        names = numbered("marginal", self.manifest.named("quasi"))
        return {"rows": self.rows} | {names[n]: table for n, table in self.marginals.items()}

    def table_of(self, attribute: str) -> str:
        """The name of the table with an attribute's counts."""
        return numbered("marginal", self.manifest.named("quasi"))[attribute]

    @classmethod
    def is_about_all(cls, table: str) -> bool:
        """The counts do, the rows do not."""
        return table != "rows"

    @classmethod
    def unchecked(cls, manifest: Manifest, tables: Mapping[str, pl.DataFrame]) -> Self:
        """The tables as they are."""
        names = numbered("marginal", manifest.named("quasi"))
        return cls(manifest, tables["rows"], {n: tables[t] for n, t in names.items()})

    @classmethod
    def from_tables(cls, manifest: Manifest, tables: Mapping[str, pl.DataFrame]) -> Self:
        """Check that the transition and the counts belong to the rows."""
        names = numbered("marginal", manifest.named("quasi"))
        release = cls.unchecked(manifest, tables)
        require_table("rows", release.rows, manifest.columns)
        require_rows("rows", release.rows, manifest.rows.published)
        if set(release.transition.replaced) != set(names):
            raise ReleaseDamaged("The transition does not tell of every quasi-identifier.")
        if not release.transition.is_valid:
            raise ReleaseDamaged("The transition's chances cannot be chances.")
        for attribute, name in names.items():
            release._require_marginal(attribute, name)
        return release

    def _require_marginal(self, attribute: str, where: str) -> None:
        table, count = self.marginals[attribute], self.manifest.layout["count"]
        original = self.manifest.rows.original
        require_columns(where, table, [attribute, count])
        require_counts(where, table[count], original)
        if table[count].cast(pl.Int64).sum() != original:
            raise ReleaseDamaged(f"Table {where} does not count every row once.")
        known, drawn = table[attribute], self.rows[attribute]
        if (
            known.dtype != drawn.dtype
            or known.is_duplicated().any()
            or not drawn.is_in(known.implode(), nulls_equal=True).all()
        ):
            raise ReleaseDamaged(f"Table {where} does not list every value once.")

    def values(self, column: str) -> pl.Series:
        """Sensitive and plain values as they stand, quasi-identifiers as often as they are counted."""
        self.require_published(column)
        if column not in self.marginals:
            return self.rows[column]
        count = self.manifest.layout["count"]
        return self.marginals[column].select(pl.col(column).repeat_by(count).explode())[column]

    @property
    def replaced(self) -> Replaced:
        """Its quasi-identifiers were."""
        return self

    @property
    def people(self) -> pl.DataFrame:
        """The rows."""
        return self.rows

    def make_sheet(self) -> Sheet:
        """Every quasi-identifier is a part of its own: it may have been replaced alone."""
        parts = [Part(ROWS, "rows", tuple(self.manifest.named("sensitive", "plain")))]
        parts += [Part(f"quasi {name}", "rows", (name,)) for name in self.marginals]
        return Sheet.of(self.manifest, self.tables, parts, size_table="rows")

    def keys(self, table: str) -> dict[str, Any]:
        """A value stands once in its table of counts."""
        return {} if table == "rows" else {"primaryKey": self.tables[table].columns[:1]}
