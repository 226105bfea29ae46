"""One perturbed table with a known transition (random anonymization)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import polars as pl

from anonagram.errors import ReleaseDamaged
from anonagram.release.manifest import Manifest
from anonagram.release.release import Release, numbered, require_columns
from anonagram.release.transition import Transition


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

    @property
    def transition(self) -> Transition:
        """How likely it is that an attribute was replaced."""
        if self.manifest.transition is None:
            raise ReleaseDamaged("The manifest of a perturbed release tells no transition.")
        return self.manifest.transition

    @property
    def tables(self) -> dict[str, pl.DataFrame]:
        """The rows, and a table of counts for each quasi-identifier."""
        names = numbered("marginal", self.manifest.named("quasi"))
        return {"rows": self.rows} | {names[n]: table for n, table in self.marginals.items()}

    def table_of(self, attribute: str) -> str:
        """The name of the table with an attribute's counts."""
        return numbered("marginal", self.manifest.named("quasi"))[attribute]

    @classmethod
    def from_tables(cls, manifest: Manifest, tables: Mapping[str, pl.DataFrame]) -> Self:
        """Check that the transition and the counts belong to the rows."""
        names = numbered("marginal", manifest.named("quasi"))
        release = cls(manifest, tables["rows"], {n: tables[t] for n, t in names.items()})
        require_columns("rows", release.rows, [column.name for column in manifest.columns])
        if release.rows.height != manifest.rows or manifest.rows < 1:
            raise ReleaseDamaged(
                f"Table rows has {release.rows.height:,} rows instead of {manifest.rows:,}."
            )
        if set(release.transition.replaced) != set(names):
            raise ReleaseDamaged("The transition does not tell of every quasi-identifier.")
        if not release.transition.is_valid:
            raise ReleaseDamaged("The transition's chances cannot be chances.")
        count = manifest.layout["count"]
        for attribute, table in release.marginals.items():
            require_columns(names[attribute], table, [attribute, count])
            counts = table[count]
            if counts.has_nulls() or counts.min() < 1 or counts.sum() != manifest.rows:  # type: ignore[operator]
                raise ReleaseDamaged(f"Table {names[attribute]} does not count every row once.")
            known = table[attribute]
            drawn = release.rows.select(pl.col(attribute).is_in(known.implode(), nulls_equal=True))
            if known.is_duplicated().any() or not drawn[attribute].all():
                raise ReleaseDamaged(f"Table {names[attribute]} does not list every value once.")
        return release

    def values(self, column: str) -> pl.Series:
        """Sensitive and plain values as they stand, quasi-identifiers as often as they are counted."""
        self.require_published(column)
        if column not in self.marginals:
            return self.rows[column]
        count = self.manifest.layout["count"]
        return self.marginals[column].select(pl.col(column).repeat_by(count).explode())[column]

    def keys(self, table: str) -> dict[str, Any]:
        """A value stands once in its table of counts."""
        return {} if table == "rows" else {"primaryKey": self.tables[table].columns[:1]}
