"""A release: tables and a manifest, in one of the shapes of publication.

The shape of what is published decides how it is checked, queried and attacked; the method only
decides how it is made.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NoReturn, Self

import polars as pl

from anonagram.calls.members import load_all
from anonagram.errors import CallError, SchemaError, suggest
from anonagram.microdata import Microdata
from anonagram.release.doors import Doors
from anonagram.release.manifest import DATA, Manifest, PublishedColumn
from anonagram.release.sheet import Part, RangeColumn, Sheet
from anonagram.release.told import Told
from anonagram.shown.result import Shown
from anonagram.shown.wording import how_many

if TYPE_CHECKING:
    from anonagram.release.grouped import GroupedRelease, WithGroups
    from anonagram.release.grouped_graph import GroupedGraphRelease
    from anonagram.release.masking import Masking
    from anonagram.release.reading import OpenedRelease
    from anonagram.release.transition import Replaced
    from anonagram.release.with_subdomains import WithSubdomains

Format = Literal["parquet", "csv"]
Figures = tuple[dict[str, float], dict[str, float]]
"""Risk and utility, by name."""


@dataclass(frozen=True, repr=False)
class Release(Doors, Shown, ABC):
    """What is handed over; it never holds the original."""

    shown_by = "release"

    manifest: Manifest
    shape: ClassVar[str]
    shapes: ClassVar[dict[str, type[Release]]] = {}
    """The shapes that were met so far, by name; see `known`."""

    def __init_subclass__(cls, shape: str | None = None) -> None:
        if shape is not None:
            cls.shape = shape
            Release.shapes[shape] = cls

    @staticmethod
    def known() -> dict[str, type[Release]]:
        """Every shape by name, found in the files of this package and in installed ones."""
        load_all("anonagram.release")
        return Release.shapes

    section: ClassVar[type | None] = None
    """The type of what only this shape tells in the manifest, under its own name."""

    originals: ClassVar[tuple[str, ...]] = (DATA,)
    """The tables of the original that the manifest tells of."""

    has_every_row: ClassVar[bool] = True
    """Whether a row of the original is never left out, and none is added."""

    own_columns: ClassVar[tuple[str, ...]]
    """Names of our own that the shape's tables need beside the data's."""

    @classmethod
    def own_names(cls, columns: tuple[PublishedColumn, ...]) -> list[str]:  # noqa: ARG003
        """The names of our own for a release with these columns."""
        return list(cls.own_columns)

    @classmethod
    @abstractmethod
    def own_tables(cls, manifest: Manifest) -> list[str]:
        """The names of the tables that such a release has."""

    @classmethod
    def optional_tables(cls, manifest: Manifest) -> list[str]:  # noqa: ARG003
        """The names of further tables that it may have."""
        return []

    @property
    @abstractmethod
    def tables(self) -> dict[str, pl.DataFrame]:
        """The published tables by name."""

    @classmethod
    def is_about_all(cls, table: str) -> bool:  # noqa: ARG003
        """Whether a table tells of all rows together, and not of each row or group."""
        return False

    @classmethod
    @abstractmethod
    def from_tables(cls, manifest: Manifest, tables: Mapping[str, pl.DataFrame]) -> Self:
        """Put a release together again and check that its tables agree with each other."""

    @classmethod
    def unchecked(cls, manifest: Manifest, tables: Mapping[str, pl.DataFrame]) -> Self:  # noqa: ARG003
        """The same without looking at the tables; of the shapes that can be in parts."""
        raise CallError(
            f"A {cls.shape} release is asked when it is loaded as a whole.", "Release.read(…)"
        )

    @abstractmethod
    def values(self, column: str) -> pl.Series | None:
        """Every value of a column as often as it occurs in the original, in no order that matters.

        None where the shape does not keep the column's values.
        """

    def require_published(self, column: str) -> None:
        """Refuse the name of a column that the release does not have."""
        names = [each.name for each in self.manifest.columns]
        if column not in names:
            raise SchemaError(f"The release has no column {column!r}.", suggest(column, names))

    def note_on(self, column: str) -> str | None:
        """What whoever reads a table should know about one of its columns, if anything."""
        described = {each.name: each for each in self.manifest.columns}
        original = described[column].original if column in described else None
        told = None if original is None else original.told
        return None if told is None else f"Published coarser than it was: {told}."

    def to_dict(self) -> dict[str, Any]:
        """What the release says about itself, as its descriptor does."""
        return self.told_by(self.manifest)

    @classmethod
    def told_by(cls, manifest: Manifest) -> dict[str, Any]:
        """What a release of this shape with such a manifest says about itself."""
        content = {"shape": cls.shape, **manifest.to_dict()}
        section = content.pop("section")
        return content if section is None else content | {cls.shape: section}

    @classmethod
    def require_bounds(cls) -> None:
        """Refuse where nothing bounds what is true of the original, before anything is read."""

    is_told_by_blocks: ClassVar[bool] = False
    """Whether its figures follow from those of blocks of it that were made apart."""

    each_person: ClassVar[str] = "rows"
    """The table that has a row each person, or one of them."""

    @classmethod
    def kept(cls, manifest: Manifest) -> list[str]:
        """The columns of which every value stands in it, as often as in the original."""
        return [column.name for column in manifest.columns]

    @classmethod
    def spans(cls, manifest: Manifest) -> list[str]:  # noqa: ARG003
        """Columns of tables that tell between what values of a quasi-identifier lie, if any do."""
        return []

    @classmethod
    def is_read_for_questions(cls, table: str) -> bool:
        """Whether a question is read with all of a table at hand, and not only its lowest values."""
        return cls.is_about_all(table)

    @classmethod
    def alike_over_blocks(cls, manifest: Manifest) -> Part | None:  # noqa: ARG003
        """Columns whose equal rows look alike whichever blocks they are in.

        None where those who look alike are in one block.
        """
        return None

    @classmethod
    def risk_of_alike(cls, alike: pl.DataFrame) -> dict[str, float]:  # noqa: ARG003
        """Figures of all blocks from how often so many rows are equal: columns rows and times."""
        return {}

    def telling(self, manifest: Manifest) -> Self:
        """The same tables with what more is known of them, such as figures."""
        return replace(self, manifest=manifest)

    def keys(self, table: str) -> dict[str, Any]:  # noqa: ARG002
        """Primary and foreign keys of a table, as the Data Package standard writes them."""
        return {}

    def write(
        self,
        path: str | Path,
        format: Format = "parquet",  # noqa: A002
        *,
        force: bool = False,
        page: bool = True,
    ) -> None:
        """Write the bundle into a new folder (or .zip), or not at all.

        With it comes a page on which people in the data can look for themselves, unless the release
        is too large for one.
        """
        from anonagram.release.bundle import write_bundle

        write_bundle(self, Path(path), format, force=force, page=page)

    @staticmethod
    def read(path: str | Path) -> Release:
        """Load a bundle, checking that it is whole, unchanged and what its shape says."""
        from anonagram.release.reading import read_bundle

        return read_bundle(Path(path))

    @staticmethod
    def open(path: str | Path) -> OpenedRelease:
        """Look at a bundle without loading its tables, for those that are too large for it.

        Everything is checked for which no table has to be read. The hash of a table is when it is
        first used (`tables[name].frame`); that values are what the shape says, only by `read`.
        """
        from anonagram.release.reading import open_bundle

        return open_bundle(Path(path))

    has_exact_rows: ClassVar[bool] = False
    """Whether conditions on other columns leave no doubt how many rows of a group are asked about."""

    has_whole_rows: ClassVar[bool] = False
    """Whether quasi-identifiers stand as they are, row by row, beside what groups hold: to learn from."""

    @classmethod
    def refuse_help_table(cls) -> NoReturn:
        """Say why the shape can have no help table."""
        raise CallError(
            "A help table needs to know how many rows of a group are asked about; a "
            f"{cls.shape} release does not publish exact rows.",
            "do without a help table, or take the method anatomy or ke.",
        )

    def with_help_tables(self) -> Self:
        """The release with tables from which plain SQL gets the bounds of its aggregates."""
        self.refuse_help_table()

    @cached_property
    def sheet(self) -> Sheet:
        """Which columns were rearranged together: what every question needs to know."""
        return self.make_sheet()

    @abstractmethod
    def make_sheet(self) -> Sheet:
        """Lay the release out for questions, or refuse with the reason why it cannot be asked."""

    @cached_property
    def ranges(self) -> dict[str, RangeColumn]:
        """The columns that are told as ranges or sets of values, a row each group."""
        return {}

    # What a release can do: each is None where it cannot. Verbs ask for these and for `how_told`,
    # never for a shape, so that a new shape needs no word elsewhere.

    @property
    def with_groups(self) -> WithGroups | None:
        """The release itself, where rows fall into groups that nobody can tell apart."""
        return None

    @property
    def grouped(self) -> GroupedRelease | None:
        """The release itself, where values hide inside groups."""
        return None

    @property
    def replaced(self) -> Replaced | None:
        """The release itself, where values were replaced with chances that are told."""
        return None

    @property
    def subdomains(self) -> WithSubdomains | None:
        """The release itself, where sensitive values are told as subdomains."""
        return None

    @property
    def graph(self) -> GroupedGraphRelease | None:
        """The release itself, where it is a graph of entities and edges."""
        return None

    @property
    def people(self) -> pl.DataFrame | None:
        """The table with a row each person that has all of her columns, where there is one."""
        return None

    @property
    def masked(self) -> Mapping[str, Masking]:
        """Which columns were masked, and how; in most shapes none."""
        return {}

    known_roles: ClassVar[tuple[str, ...]] = ("quasi", "plain")
    """The roles of the columns by which somebody who knows a person can look for her."""

    def how_told(self, column: str) -> Told:
        """What became of a column's values."""
        if column in self.ranges:
            return Told.RANGE
        if column in self.masked:
            return Told(self.masked[column].how)
        if self.replaced is not None and column in self.replaced.transition.replaced:
            return Told.REPLACED
        return Told.EXACT

    def figures(self) -> Figures | None:
        """Risk and utility for the manifest that only this shape has, from its tables alone.

        None where they follow from what the shape can: see `measures/published`.
        """
        return None

    def compare(self, original: Microdata) -> dict[str, float] | None:  # noqa: ARG002
        """Figures that compare the release with its original and that only this shape has.

        None where they follow from what the shape can: see `measures/measures`.
        """
        return None

    @property
    def heading(self) -> str:
        """What it is and how large, without what it claims of itself."""
        return f"{type(self).__name__}({self.manifest.method}: {self._size()})"

    def __repr__(self) -> str:
        claims = "".join(f", {c.model} achieved {c.achieved:g}" for c in self.manifest.claims)
        return f"{self.heading.removesuffix(')')}{claims})"

    __str__ = object.__str__

    def _size(self) -> str:
        return how_many(self.manifest.rows.published, "row")


def numbered(stem: str, attributes: list[str]) -> dict[str, str]:
    """The name of each attribute's own table: stem, stem_2, stem_3, …

    >>> numbered("help", ["pay", "bonus"])
    {'pay': 'help', 'bonus': 'help_2'}
    """
    return {
        attribute: stem if number == 1 else f"{stem}_{number}"
        for number, attribute in enumerate(attributes, 1)
    }
