"""A release in parts, one part of every table at a time: each has groups that no other has.

So what is true of groups can be found where the parts are, without loading the release as a whole.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from anonagram.errors import ReleaseDamaged
from anonagram.release.manifest import Manifest, Rows
from anonagram.release.reading import OpenedRelease, explained
from anonagram.release.release import Release
from anonagram.release.stored import StoredTable
from anonagram.shown.wording import how_many

VALUE, COUNT = "value", "count"


@dataclass(frozen=True)
class Extent:
    """How much of a release a piece has."""

    rows: int
    groups_before: int
    groups: int


@dataclass(frozen=True)
class LoadedPiece:
    """A piece in memory, checked as every release is that is read."""

    release: Release
    """Its groups are numbered from 1."""
    extent: Extent

    @property
    def numbered(self) -> Release:
        """The same with the numbers that its groups have in the release."""
        release, before = self.release, self.extent.groups_before
        tables = {n: _moved(t, before, release.manifest) for n, t in release.tables.items()}
        return type(release).unchecked(release.manifest, tables)


@dataclass(frozen=True)
class Piece:
    """A part of every table; those that tell of all rows together come with each."""

    path: Path
    shape: type[Release]
    manifest: Manifest
    tables: Mapping[str, StoredTable]

    def load(self) -> LoadedPiece:
        """Hash it, load it, and check all that is checked when a release is read."""
        with explained(self.path):
            tables = {name: table.load() for name, table in self.tables.items()}
            people = tables[self.shape.each_person]
            rows, group = people.height, self.manifest.layout.get("group")
            before, groups = 0, 0
            if group is not None:
                numbers = people[group]
                low, high = (int(each or 0) for each in (numbers.min(), numbers.max()))  # type: ignore[arg-type]
                before, groups = low - 1, high - low + 1
            here = {name: _moved(each, -before, self.manifest) for name, each in tables.items()}
            original = self.manifest.rows.original
            told = self.manifest.with_rows(Rows(original, rows, suppressed=original - rows))
            return LoadedPiece(self.shape.from_tables(told, here), Extent(rows, before, groups))

    def count_values(self, names: Sequence[str]) -> dict[str, pl.DataFrame]:
        """How often each value of some columns occurs in it: columns value and count."""
        with explained(self.path):
            return {name: self._counted(name) for name in names}

    def counts_all(self, name: str) -> bool:
        """Whether a column is counted in a table about all rows, and so for the whole release."""
        return self.shape.is_about_all(self._table_of(name))

    def _table_of(self, name: str) -> str:
        holding = [each for each, table in self.tables.items() if name in table.schema]
        return max(holding, key=self.shape.is_about_all)

    def _counted(self, name: str) -> pl.DataFrame:
        table, count = self.tables[self._table_of(name)], self.manifest.layout.get("count")
        times = pl.col(count).sum() if count in table.schema else pl.len()
        frame = table.frame
        if isinstance(table.schema[name], pl.List):  # what the sets of groups have together
            frame = frame.select(pl.col(name).explode())
        counted = frame.group_by(pl.col(name).alias(VALUE))
        return counted.agg(times.cast(pl.Int64).alias(COUNT)).collect()


def pieces_of(opened: OpenedRelease) -> list[Piece]:
    """The pieces of a release, in the order of its groups."""
    several = {
        name: [table.only(part) for part in table.told.files]
        for name, table in opened.tables.items()
        if not opened.shape.is_about_all(name)
    }
    if len({len(parts) for parts in several.values()}) != 1:
        raise ReleaseDamaged(f"{opened.path}: its tables have different numbers of parts.")
    about_all = {n: each for n, each in opened.tables.items() if opened.shape.is_about_all(n)}
    return [
        Piece(
            opened.path, opened.shape, opened.manifest,
            dict(zip(several, tables, strict=True)) | about_all,
        )
        for tables in zip(*several.values(), strict=True)
    ]  # fmt: skip


def require_whole(opened: OpenedRelease, extents: Sequence[Extent]) -> None:
    """Check what only all pieces together tell: that no row and no group is missing or there twice."""
    groups = 0
    for each in extents:
        if each.groups_before != groups and each.groups:
            raise ReleaseDamaged(f"{opened.path} does not number its groups from 1 without a gap.")
        groups += each.groups
    rows = sum(each.rows for each in extents)
    if rows != opened.manifest.rows.published:
        raise ReleaseDamaged(
            f"{opened.path} has {how_many(rows, 'row')} instead of {opened.manifest.rows.published:,}."
        )


def added(
    pieces: Sequence[Piece], counted: Sequence[Mapping[str, pl.DataFrame]]
) -> dict[str, pl.DataFrame]:
    """What `count_values` found in all pieces, added up."""
    return {
        name: counted[0][name]
        if pieces[0].counts_all(name)
        else pl.concat(each[name] for each in counted).group_by(VALUE).agg(pl.col(COUNT).sum())
        for name in counted[0]
    }


def _moved(table: pl.DataFrame, by: int, manifest: Manifest) -> pl.DataFrame:
    """A table whose groups have other numbers."""
    group = manifest.layout.get("group")
    if group is None or group not in table.columns or not by:
        return table
    return table.with_columns((pl.col(group) + by).cast(table.schema[group]))
