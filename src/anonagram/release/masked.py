"""One masked table: noise, swapping, shuffling, microaggregation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NoReturn, Self

import polars as pl

from anonagram.columns.hierarchy import value_texts
from anonagram.errors import CallError, ReleaseDamaged
from anonagram.release.checks import require_rows, require_table
from anonagram.release.grouped import WithGroups, count_values
from anonagram.release.manifest import Manifest
from anonagram.release.masking import CHANGED, MOVED, MaskedColumns, Masking
from anonagram.release.release import Figures
from anonagram.release.sheet import Part
from anonagram.shown.wording import how_many

NOTES = {
    MOVED: "Masked: the original's values, at other people.",
    CHANGED: "Masked: values were changed, and need not occur in the original.",
}


@dataclass(frozen=True, repr=False)
class MaskedRelease(WithGroups, shape="masked"):
    """A row each person, in which some columns were masked.

    The manifest says which: a column whose values were *moved* has every value of the original, at
    other people; one whose values were *changed* has values that need not occur in the original.
    Rows with the same quasi-identifiers are its groups.
    """

    rows: pl.DataFrame
    own_columns = ()
    section = MaskedColumns
    is_told_by_blocks = True

    @property
    def masked(self) -> Mapping[str, Masking]:
        """Which columns were masked, and how."""
        return self.manifest.section_as(MaskedColumns).columns

    def note_on(self, column: str) -> str | None:
        """Whether it was masked, for whoever reads the table."""
        masked = NOTES[self.masked[column].how] if column in self.masked else None
        return " ".join(filter(None, (super().note_on(column), masked))) or None

    @classmethod
    def own_tables(cls, manifest: Manifest) -> list[str]:  # noqa: ARG003
        """The rows."""
        return ["rows"]

    @property
    def tables(self) -> dict[str, pl.DataFrame]:
        """The rows."""
        return {"rows": self.rows}

    @classmethod
    def unchecked(cls, manifest: Manifest, tables: Mapping[str, pl.DataFrame]) -> Self:
        """The rows as they are."""
        return cls(manifest, tables["rows"])

    @classmethod
    def from_tables(cls, manifest: Manifest, tables: Mapping[str, pl.DataFrame]) -> Self:
        """Check that the table is what the manifest says."""
        release = cls.unchecked(manifest, tables)
        require_table("rows", release.rows, manifest.columns)
        require_rows("rows", release.rows, manifest.rows.published)
        for name, masking in release.masked.items():
            if name not in release.rows.columns:
                raise ReleaseDamaged(f"The manifest tells of a masked column {name!r}.")
            if not release._is_ranking(name, masking.order):
                raise ReleaseDamaged(f"The manifest does not rank the values of {name!r}.")
        return release

    def _is_ranking(self, name: str, order: tuple[str, ...] | None) -> bool:
        """Whether every value of a column without a natural order stands in its ranking."""
        if order is None:
            return True
        found = value_texts(self.rows[name].drop_nulls().unique())
        # a part of a release has some of its values
        is_whole = not self.manifest.rows.suppressed
        is_listed = set(found) == set(order) if is_whole else set(found) <= set(order)
        return self.manifest.column(name).kind == "nominal" and is_listed

    @property
    def people(self) -> pl.DataFrame:
        """The rows."""
        return self.rows

    def figures(self) -> Figures:
        """How many rows stand out among the masked ones; how they can be linked needs the original."""
        alike = self.group_sizes().group_by("rows").agg(times=pl.len())
        masked = len(self.masked) / len(self.manifest.columns)
        return self.risk_of_alike(alike), {"share_of_columns_masked": masked}

    @classmethod
    def kept(cls, manifest: Manifest) -> list[str]:
        """Those whose values were not changed."""
        masked = manifest.section_as(MaskedColumns).columns
        names = super().kept(manifest)
        return [name for name in names if name not in masked or masked[name].how == MOVED]

    @classmethod
    def alike_over_blocks(cls, manifest: Manifest) -> Part:
        """Quasi-identifiers: which block a row is in says nothing of whom it looks like."""
        return Part("rows", "rows", tuple(manifest.named("quasi")))

    @classmethod
    def risk_of_alike(cls, alike: pl.DataFrame) -> dict[str, float]:
        """How many rows are the only ones with their quasi-identifiers."""
        times = alike["times"].cast(pl.Int64)
        alone = int(times.filter(alike["rows"] == 1).sum())
        return {"rows_with_unique_quasi_identifiers": alone / int((alike["rows"] * times).sum())}

    @property
    def equal_parts(self) -> list[Part]:
        """The quasi-identifiers."""
        return [self.alike_over_blocks(self.manifest)]

    def make_sheet(self) -> NoReturn:
        """Refuse."""
        self.require_bounds()

    @classmethod
    def require_bounds(cls) -> NoReturn:
        """Refuse: nothing bounds what was left to chance."""
        raise CallError(
            "Answers from a masked table have no bounds: how far its values moved is left to chance.",
            "ask the table rows with any tool, and read answers as estimates.",
        )

    def values(self, column: str) -> pl.Series | None:
        """A column as it stands; None where its values were changed."""
        self.require_published(column)
        return self.rows[column] if self.keeps_values(column) else None

    def keeps_values(self, column: str) -> bool:
        """Whether a column has the original's values, be they moved or not."""
        return column not in self.masked or self.masked[column].how == MOVED

    def group_sizes(self) -> pl.DataFrame:
        """How many rows share their quasi-identifiers; groups are numbered from 1."""
        groups = pl.DataFrame({"group": self._groups})
        return groups.group_by("group").agg(pl.len().cast(pl.Int64).alias("rows"))

    def count_sensitive(self) -> dict[str, pl.DataFrame]:
        """How often each sensitive value stands beside the same quasi-identifiers."""
        return {
            name: count_values(
                pl.DataFrame({"group": self._groups, "value": self.rows[name]}), "group", "value"
            )
            for name in self.manifest.named("sensitive")
        }

    @cached_property
    def _groups(self) -> pl.Series:
        """For each row a number that equal quasi-identifiers share."""
        quasi = self.manifest.named("quasi")
        if not quasi:
            return pl.ones(self.rows.height, dtype=pl.Int64, eager=True)
        # columns by position: one may be called as ours
        places = [str(place) for place in range(len(quasi))]
        rows = self.rows.select(
            pl.col(name).alias(place) for name, place in zip(quasi, places, strict=True)
        )
        first = rows.with_row_index("row").select(pl.col("row").first().over(places))
        return first.to_series().rank("dense").cast(pl.Int64)

    def _size(self) -> str:
        return f"{how_many(self.manifest.rows.published, 'row')}, masked: {', '.join(self.masked)}"
