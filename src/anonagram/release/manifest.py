"""The transparency manifest: everything about a release except the key.

Method, every parameter, what is claimed and what was measured, by Kerckhoffs' principle
(Domingo-Ferrer and Muralidhar 2016, Definition 4). Never the key, a mapping, the input's order, or
anything of a dropped column but how many there were.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, date, datetime
from typing import Any, Self, TypeVar

from anonagram import __version__
from anonagram.columns.hierarchy import value_texts
from anonagram.columns.original import Original
from anonagram.errors import InternalError, ReleaseDamaged
from anonagram.key import Key
from anonagram.microdata import Column, Microdata
from anonagram.release.decoding import Number, Whole, require_different
from anonagram.schema import KINDS
from anonagram.shown.wording import how_many

PUBLISHED = ("quasi", "sensitive", "plain")
DATA = "data"
"""What the original is called where it is one table, as questions name it."""
Section = TypeVar("Section")


@dataclass(frozen=True)
class Claim:
    """A promise of the release, and the level it reached when it was made."""

    model: str
    achieved: Number


@dataclass(frozen=True)
class Rows:
    """How many rows there were, and what became of them.

    >>> Rows(original=10, published=9, suppressed=3, added=2)
    Rows(original=10, published=9, suppressed=3, added=2)
    >>> Rows(original=10, published=10, suppressed=1)
    Traceback (most recent call last):
    ValueError: 10 rows without 1 suppressed and with 0 added are not 10
    """

    original: Whole
    published: Whole
    suppressed: Whole = 0
    """Rows of the original that were left out."""
    added: Whole = 0
    """Published rows that are nobody's."""

    @property
    def like_others(self) -> float:
        """By what estimates of sums are multiplied, if rows that were left out are like the others."""
        return self.original / self.published if self.suppressed and self.published else 1.0

    def __post_init__(self) -> None:
        """Refuse numbers that do not add up."""
        left = self.original - self.suppressed
        if left < 0 or left + self.added != self.published:
            raise ValueError(
                f"{how_many(self.original, 'row')} without {self.suppressed} suppressed and with "
                f"{self.added} added are not {self.published}"
            )

    @classmethod
    def all_of(cls, number: int) -> Self:
        """Every row of the original is published, and nothing else."""
        return cls(number, number)


@dataclass(frozen=True)
class PublishedColumn:
    """What is told about a published column."""

    name: str
    role: str
    kind: str
    order: tuple[str, ...] | None = None
    """The values of an ordinal column from lowest to highest."""
    label: str | None = None
    """What people read instead of the name."""
    labels: Mapping[str, str] | None = None
    """What people read instead of values."""
    hierarchy: Mapping[str, tuple[str, ...]] | None = None
    """For each value of a sensitive column its coarser labels, where the schema has them.

    Whoever checks how far groups are from the whole table may need to know which values are alike.
    """
    original: Original | None = None
    """How it is read from the original and made coarser, where it is published otherwise."""

    def __post_init__(self) -> None:
        """Refuse what no published column can be."""
        if self.role not in PUBLISHED or self.kind not in KINDS:
            raise ValueError(f"column {self.name!r} is {self.role} and {self.kind}")
        if (self.order is None) != (self.kind != "ordinal"):
            raise ValueError(f"the order of {self.name!r}, which is {self.kind}")
        require_different(self.order or ())
        if len({len(labels) for labels in (self.hierarchy or {}).values()}) > 1:
            raise ValueError(f"the hierarchy of {self.name!r}, whose levels are not the same")

    @property
    def is_ordered(self) -> bool:
        """Whether values lie between others, so that a range says something."""
        return self.kind != "nominal"

    @property
    def title(self) -> str:
        """The column as people read it."""
        return self.label or self.name

    def told(self, value: str) -> str:
        """A value as people read it: with its label, where it has one.

        >>> PublishedColumn("dx", "sensitive", "nominal", labels={"250.83": "Diabetes"}).told("250.83")
        'Diabetes (250.83)'
        """
        label = (self.labels or {}).get(value)
        return value if label is None else f"{label} ({value})"


@dataclass(frozen=True)
class DescribedTable:
    """What is told about a table of the original: its rows and its columns."""

    name: str
    rows: Rows
    columns: tuple[PublishedColumn, ...]
    dropped_columns: Whole = 0
    rows_per_person: Whole | None = None
    """How many rows of one person were kept at most, where it was made sure."""

    def __post_init__(self) -> None:
        """Refuse two columns of one name."""
        require_different([column.name for column in self.columns])


@dataclass(frozen=True)
class Manifest:
    """What a release says about itself."""

    method: str
    tables: tuple[DescribedTable, ...]
    """The tables of the original; most shapes have one, `data`."""
    layout: Mapping[str, str]
    """The names that columns of our own got in the tables (they avoid the data's names)."""
    key_commitment: str
    key_salt: str = ""
    """What the commitment was made with, in hexadecimal; older releases have none."""
    claims: tuple[Claim, ...] = ()
    risk: Mapping[str, Number] = field(default_factory=dict)
    utility: Mapping[str, Number] = field(default_factory=dict)
    section: object = None
    """What only this shape tells; the shape knows its type."""
    created: str = ""
    software: str = ""

    def __post_init__(self) -> None:
        """Refuse what types cannot say."""
        if not re.fullmatch("([0-9a-f]{64})?", self.key_salt):
            raise ValueError("key_salt is not 64 hexadecimal digits")
        if self.created:
            date.fromisoformat(self.created)
        require_different([table.name for table in self.tables])

    @property
    def rows(self) -> Rows:
        """The rows of the original's only table."""
        return self._only_table.rows

    @property
    def columns(self) -> tuple[PublishedColumn, ...]:
        """The columns of all tables."""
        return tuple(column for table in self.tables for column in table.columns)

    def table(self, name: str) -> DescribedTable:
        """What is told about a table of the original."""
        return next(table for table in self.tables if table.name == name)

    def column(self, name: str, table: str | None = None) -> PublishedColumn:
        """What is told about a column; where there are several tables, of this one."""
        where = self._only_table if table is None else self.table(table)
        return next(column for column in where.columns if column.name == name)

    def columns_of(self, *roles: str) -> tuple[PublishedColumn, ...]:
        """What is told about the columns with one of these roles."""
        return tuple(column for column in self.columns if column.role in roles)

    def named(self, *roles: str) -> list[str]:
        """The names of the columns with one of these roles."""
        return [column.name for column in self.columns_of(*roles)]

    @property
    def _only_table(self) -> DescribedTable:
        if len(self.tables) != 1:
            raise InternalError(
                f"Which of {how_many(len(self.tables), 'table')} is meant was not said."
            )
        return self.tables[0]

    def section_as(self, kind: type[Section]) -> Section:
        """What only this shape tells."""
        if not isinstance(self.section, kind):
            raise ReleaseDamaged(f"The manifest tells no {kind.__name__.lower()}.")
        return self.section

    def with_rows(self, rows: Rows) -> Self:
        """The manifest with other numbers of rows for its only table."""
        return replace(self, tables=(replace(self._only_table, rows=rows),))

    def with_layout(self, own: Iterable[str]) -> Self:
        """The manifest with names for columns of our own that no column of the data has."""
        layout: dict[str, str] = {}
        for name in own:
            taken = [*(column.name for column in self.columns), *layout.values()]
            layout[name] = free_name(name, taken)
        return replace(self, layout=layout)

    def to_dict(self) -> dict[str, Any]:
        """A form that JSON can hold."""
        return asdict(self)

    def require_layout(self, own: Iterable[str]) -> None:
        """Check that the columns of our own that a shape needs have names, which nobody else has."""
        lowered = [name.lower() for name in self.layout.values()]
        taken = {column.name.lower() for column in self.columns}
        if set(self.layout) != set(own) or len(set(lowered) - taken) < len(lowered):
            raise ReleaseDamaged("The manifest does not name the columns that are not the data's.")


def describe(
    method: str, microdata: Microdata, key: Key, created: date | None, digest: bytes | None = None
) -> Manifest:
    """The manifest of a release about to be made; its shape still has to name its own columns.

    The digest stands for the table, where it is not to depend on the order of its rows.
    """
    salt = key.salt(digest or microdata.digest, method.encode())
    columns = tuple(describe_column(column) for column in microdata.columns)
    return Manifest(
        method=method,
        tables=(_describe_table(microdata, columns),),
        layout={},
        key_commitment=key.commitment(salt),
        key_salt=salt,
        created=(created or datetime.now(UTC).date()).isoformat(),
        software=f"anonagram {__version__}",
    )


def _describe_table(microdata: Microdata, columns: tuple[PublishedColumn, ...]) -> DescribedTable:
    people = microdata.people
    bound = None if people is None else people.rows_per_person
    return DescribedTable(DATA, Rows.all_of(microdata.rows), columns, microdata.dropped, bound)


def describe_column(column: Column) -> PublishedColumn:
    """What is told about a column of the original."""
    order = tuple(value_texts(column.domain)) if column.kind == "ordinal" else None
    return PublishedColumn(
        column.name,
        column.role,
        column.kind,
        order,
        column.label,
        column.labels,
        _told_hierarchy(column),
        column.original,
    )


def _told_hierarchy(column: Column) -> dict[str, tuple[str, ...]] | None:
    if column.hierarchy is None or column.role != "sensitive":
        return None
    levels = range(1, column.hierarchy.height + 1)
    return {
        value: tuple(column.hierarchy.label(value, level) for level in levels)
        for value in value_texts(column.domain)
    }


def free_name(name: str, taken: Iterable[str]) -> str:
    """The name, with underscores behind it until no column of the data has it.

    >>> free_name("group", ["age", "Group"])
    'group_'
    """
    # databases fold case, so Group and group would be one name there
    lowered = {other.lower() for other in taken}
    while name.lower() in lowered:
        name += "_"
    return name
