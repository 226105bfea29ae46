"""The table to protect, encoded once.

Every column becomes int32 codes over its ordered domain; all later work is on codes. A missing
value is a value of its own and has the last code.

>>> table = {"age": [41, None, 23, 41], "ward": ["B", "A", "B", "B"], "note": ["flu", "flu", "cut", "burn"]}
>>> data = Microdata.read(table, {"age": "quasi", "ward": "plain", "note": "sensitive"})
>>> data.column("age").codes.tolist()
[1, 2, 0, 1]
>>> data
Microdata(4 rows: quasi age; sensitive note; plain ward)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonagram.columns.coarsening import Finer, Steps, coarsen, read_steps
from anonagram.columns.encoding import read_column
from anonagram.columns.hierarchy import Hierarchy, hierarchy_for, value_texts
from anonagram.columns.marked import find_marked
from anonagram.columns.original import Original, labels_of_many
from anonagram.columns.recoding import at_codes, codes_among, reordered
from anonagram.columns.wishes import EVERYTHING
from anonagram.digests import code_bytes, digest_of, value_bytes
from anonagram.errors import SchemaError, suggest
from anonagram.people import People, one_by_one, persons_of
from anonagram.runtime.progress import step
from anonagram.runtime.threads import in_threads
from anonagram.schema import ColumnRule, Kind, Role, Schema, toml_value
from anonagram.shown.wording import how_many
from anonagram.sources import Table, load

MISSING_TEXT = "(missing)"


class Taken(NamedTuple):
    """A column in another order of rows."""

    codes: NDArray[np.int32]
    values: pl.Series


@dataclass(frozen=True, repr=False)
class Column:
    """One column: codes over an ordered domain."""

    name: str
    role: Role
    kind: Kind
    codes: NDArray[np.int32]
    domain: pl.Series
    """The distinct values from lowest to highest, without the missing one."""
    has_missing: bool
    """Whether the code len(domain) stands for a missing value."""
    hierarchy: Hierarchy | None = None
    holds: str | None = None
    """Personal data that is published on purpose."""
    label: str | None = None
    """What people read instead of the name."""
    labels: Mapping[str, str] | None = None
    """What people read instead of values."""
    table_counts: NDArray[np.int64] | None = None
    """How often each code occurs in the whole table, where this is a block of it."""
    known_counts: NDArray[np.int64] | None = None
    """How often each code occurs in rows that are elsewhere, where there are no codes here."""
    original: Original | None = None
    """How it stands in the original, where that is not how it is published."""
    read_why: str = ""
    """Why its format was taken, with a value of it: for the protector's eyes."""
    finer: Finer | None = None
    """What it was before it was made coarser."""

    @property
    def cardinality(self) -> int:
        """How many different codes there are, the missing one included."""
        return len(self.domain) + self.has_missing

    @cached_property
    def digest(self) -> bytes:
        """A hash of everything in it that a release can depend on."""
        return self.digest_with(code_bytes(self.codes, self.cardinality))

    def digest_with(self, codes: bytes) -> bytes:
        """A hash of everything but the codes, and of what stands for them."""
        about = (self.name, self.role, self.kind, str(self.domain.dtype), str(self.has_missing))
        levels = () if self.hierarchy is None else self.hierarchy.levels
        return digest_of(
            *(text.encode() for text in about),
            value_bytes(self.domain),
            codes,
            *(value_bytes(pl.Series(level, dtype=pl.String)) for level in levels),
            *(repr(step).encode() for step in (self.finer.steps if self.finer else ())),
        )

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """How often each code occurs."""
        if self.known_counts is not None:
            return self.known_counts
        return np.bincount(self.codes, minlength=self.cardinality)

    @property
    def counts_in_table(self) -> NDArray[np.int64]:
        """How often each code occurs in the whole table."""
        return self.counts if self.table_counts is None else self.table_counts

    @property
    def marked(self) -> list[str]:
        """Values that look as if they stood for a missing one; a label says that one does not."""
        domain = self.domain if self.finer is None else self.finer.domain
        texts = value_texts(domain.gather(find_marked(domain)))
        return [text for text in texts if text not in (self.labels or {})]

    def decode(self, codes: NDArray[np.int32]) -> pl.Series:
        """The values that codes stand for."""
        return at_codes(self.values, codes)

    def taken(self, order: NDArray[np.int32]) -> Taken:
        """Its rows in an order."""
        codes = self.codes.take(order)
        return Taken(codes, self.decode(codes))

    def codes_of(self, values: pl.Series) -> NDArray[np.int32]:
        """The codes of values that the column has; a missing one has the code len(domain)."""
        return codes_among(self.domain, values.cast(self.domain.dtype), len(self.domain))

    def over(self, domain: pl.Series, *, has_missing: bool) -> Self:
        """The column over a longer domain, which has all of its values."""
        place = codes_among(domain, self.domain.cast(domain.dtype), -1)
        codes = np.append(place, np.int32(len(domain)))[self.codes]
        # what was made for the shorter domain says nothing of the further values
        return replace(
            self, codes=codes, domain=domain, has_missing=has_missing, hierarchy=None, finer=None
        )

    def coarser(self, steps: Steps) -> Self:
        """The column as it is published after these steps: the one place where detail is given up.

        >>> ages = Microdata.read({"age": [17, 23, 24, None]}, {"age": "quasi"}).column("age")
        >>> ages.coarser(read_steps("round(to=10)")).domain.to_list()
        [20]
        """
        try:
            code_of, domain, kind = coarsen(self.domain, self.kind, steps, self.hierarchy)
        except SchemaError as error:
            raise SchemaError(f"Column {self.name!r}: {error.what}", error.remedy) from error
        finer = Finer(steps, self.domain, self.kind, code_of)
        read = self.original or Original(self.kind)
        original = replace(
            read,
            publish=tuple(repr(step) for step in steps),
            coarser=labels_of_many(finer, value_texts(domain), self.counts),
        )
        rest = None
        if self.hierarchy is not None:
            rest = self.hierarchy.above(value_texts(domain))
        known = None
        if self.known_counts is not None:
            known = np.bincount(code_of[: self.cardinality], self.known_counts).astype(np.int64)
        return replace(
            self, codes=code_of[self.codes], domain=domain, kind=kind, hierarchy=rest,
            original=original, finer=finer, known_counts=known,
        )  # fmt: skip

    def text(self, code: int) -> str:
        """One value, as a message shows it."""
        return MISSING_TEXT if code >= len(self.domain) else value_texts(self.domain)[code]

    @cached_property
    def values(self) -> pl.Series:
        """What each code stands for, a missing value last."""
        # where nothing is missing, Polars need not look for nulls at every place
        values = self.domain.extend_constant(None, 1) if self.has_missing else self.domain
        return values.alias(self.name)

    def __repr__(self) -> str:
        return f"Column({self.name!r}, {self.role}, {self.kind}, {how_many(self.cardinality, 'value')})"


@dataclass(frozen=True, repr=False)
class Microdata:
    """A table of people with the role of each column."""

    columns: Sequence[Column]
    """The columns that may be published; identifiers and dropped ones are gone already."""
    rows: int
    label: str
    dropped: int = 0
    """How many columns were left out."""
    people: People | None = None
    """Whose rows they are, where somebody has several."""
    persons: pl.Series | None = None
    """Who each row is about, where one identifier says so: never published, for series of releases."""
    guards: Mapping[str, pl.Series] = field(default_factory=dict)
    """How widely each person asks to be hidden, as texts, by column: never published."""

    @classmethod
    def read(cls, source: Any, schema: Any) -> Self:
        """Read and encode a table.

        The source is a path (CSV, Parquet, Arrow), a database URL, or a Polars, pandas, Arrow or
        DuckDB table; the schema a `Schema`, its file, or a dictionary.
        """
        step("Reading")
        table = load(source)
        schema = Schema.given(schema)
        schema.match(table.frame.columns, table.label)
        table, people = one_by_one(table, schema)
        step("Encoding")
        published = {n: rule for n, rule in schema.columns.items() if rule.is_published}
        columns = in_threads(
            lambda name, rule: encode_column(table, name, rule, schema), published.items()
        )
        refuse_constant(columns, table.label)
        dropped = len(schema.columns) - len(columns)
        persons = persons_of(table, schema)
        guards = {name: _wishes(table, name, schema) for name in schema.named("guard")}
        return cls(columns, table.frame.height, table.label, dropped, people, persons, guards)

    @cached_property
    def digest(self) -> bytes:
        """A hash of the published columns, the same wherever the table comes from.

        >>> one, two = ({"age": [30, 41], "ward": [1, ward]} for ward in (2, 3))
        >>> roles = {"age": "quasi", "ward": "plain"}
        >>> Microdata.read(one, roles).digest == Microdata.read(two, roles).digest
        False
        """
        columns = in_threads(lambda column: column.digest, [(c,) for c in self.columns])
        guards = (
            part for n, each in self.guards.items() for part in (n.encode(), value_bytes(each))
        )
        return digest_of(*columns, *guards)

    def column(self, name: str) -> Column:
        """The column of this name."""
        for column in self.columns:
            if column.name == name:
                return column
        raise SchemaError(
            f"There is no published column {name!r}.", suggest(name, [c.name for c in self.columns])
        )

    def with_role(self, *roles: Role) -> list[Column]:
        """The columns with one of these roles, in the table's order."""
        return [column for column in self.columns if column.role in roles]

    def take(self, rows: NDArray[np.int32]) -> Self:
        """A block of the table: these rows, of the same columns and domains."""
        block = self.holding([column.codes[rows] for column in self.columns])
        return self._rows_of(block.columns, rows)

    def _rows_of(self, columns: Sequence[Column], rows: NDArray[Any]) -> Self:
        """These rows, which have these columns."""
        persons = None if self.persons is None else self.persons.gather(rows)
        guards = {name: wishes.gather(rows) for name, wishes in self.guards.items()}
        return replace(self, columns=columns, rows=rows.size, persons=persons, guards=guards)

    def holding(self, codes: Sequence[NDArray[np.int32]]) -> Self:
        """A block of the table whose columns have these codes."""
        columns = [
            replace(column, codes=each, table_counts=column.counts_in_table, known_counts=None)
            for column, each in zip(self.columns, codes, strict=True)
        ]
        return replace(self, columns=columns, rows=codes[0].size, persons=None, guards={})

    def only(self, rows: NDArray[np.int64]) -> Self:
        """A table of these people alone: what others had is not known of it."""
        columns = [
            replace(column, codes=column.codes[rows], table_counts=None, known_counts=None)
            for column in self.columns
        ]
        return self._rows_of(columns, rows)

    @property
    def notes(self) -> list[str]:
        """What the protector should know: whose rows they are, and how columns were read in doubt."""
        told = [] if self.people is None else [self.people.told(self.label)]
        told += [
            f"{self.label}: {column.name} is read as {column.original.format}, since {column.read_why}."
            for column in self.columns
            if column.original is not None and column.read_why
        ]
        marked = [(column, column.marked) for column in self.columns]
        return told + [_marked_told(self.label, column, each) for column, each in marked if each]

    def frame(self) -> pl.DataFrame:
        """The published columns with their values, in the original order (protector's eyes only)."""
        return pl.DataFrame([column.decode(column.codes) for column in self.columns])

    def __repr__(self) -> str:
        parts = []
        roles: tuple[Role, ...] = ("quasi", "sensitive", "plain")
        for role in roles:
            names = [column.name for column in self.with_role(role)]
            parts += [f"{role} {', '.join(names)}"] if names else []
        return f"Microdata({how_many(self.rows, 'row')}: {'; '.join(parts)})"


def _marked_told(table: str, column: Column, marked: list[str]) -> str:
    """What to say in the schema about values that look as if they stood for a missing one."""
    shown = " and ".join(map(repr, marked))
    seem, are = ("seems", "is") if len(marked) == 1 else ("seem", "are")
    return (
        f"Warning: {table}: {shown} of {column.name} {seem} to stand for a missing value, and {are} "
        f"published as a value like any other. If so, say missing = {toml_value(marked)} in the "
        f'schema; else labels = {{ {toml_value(marked[0])} = "…" }} says what it means.'
    )


def take_each(columns: Sequence[Column], orders: Sequence[NDArray[np.int32]]) -> dict[str, Taken]:
    """Columns by name, each in an order of its own; threads share them."""
    taken = in_threads(Column.taken, zip(columns, orders, strict=True))
    return {column.name: each for column, each in zip(columns, taken, strict=True)}


def encode_column(
    table: Table,
    name: str,
    rule: ColumnRule,
    schema: Schema,
    times: NDArray[np.int64] | None = None,
) -> Column:
    """A column of a table as it was read; `times` says for how many rows each of the table stands."""
    read = read_column(table, name, rule)
    codes, domain, kind, has_missing = read.codes, read.domain, read.kind, read.has_missing
    steps = _steps(name, rule)
    # a level is one of the values as they are read; else a hierarchy is of those that are published
    is_of_read = all(step.alone for step in steps)
    hierarchy = None
    if rule.hierarchy is not None and is_of_read:
        hierarchy = hierarchy_for(name, rule.hierarchy, domain, schema.folder)
    order = rule.order
    if order is None and hierarchy is not None and kind in ("ordinal", "nominal"):
        order = hierarchy.values  # neighbours in the hierarchy become neighbours in the domain
    if order is not None:
        codes, domain = _reorder(name, codes, domain, order)
    column = Column(
        name, rule.role, kind, codes, domain, has_missing, hierarchy,
        rule.holds, rule.label, rule.labels,
    )  # fmt: skip
    if times is not None:
        known = np.bincount(column.codes, times, column.cardinality).astype(np.int64)
        column = replace(column, known_counts=known)
    if read.format or rule.missing:
        original = Original(kind, (), read.format, tuple(rule.missing or ()))
        column = replace(column, original=original, read_why=read.why)
    if not steps:
        return column
    column = column.coarser(steps)
    if rule.hierarchy is None or is_of_read:
        return column
    return replace(
        column, hierarchy=hierarchy_for(name, rule.hierarchy, column.domain, schema.folder)
    )


def _wishes(table: Table, name: str, schema: Schema) -> pl.Series:
    """A guard as texts; who says nothing is hidden as widely as can be."""
    texts = table.frame[name].cast(pl.String).str.strip_chars().fill_null("")
    unsaid = ["", *(schema.columns[name].missing or ())]
    return texts.set(texts.is_in(unsaid), EVERYTHING)


def _steps(name: str, rule: ColumnRule) -> Steps:
    try:
        return () if rule.publish is None else read_steps(rule.publish)
    except SchemaError as error:
        raise SchemaError(f"Column {name!r}: {error.what}", error.remedy) from error


def _reorder(
    name: str, codes: NDArray[np.int32], domain: pl.Series, order: Sequence[str]
) -> tuple[NDArray[np.int32], pl.Series]:
    place = {value: position for position, value in enumerate(order)}
    texts = value_texts(domain)
    for text in texts:
        if text not in place:
            raise SchemaError(
                f"Column {name!r}: the value {text!r} is not in its order.", "add it to order."
            )
    sorting = np.argsort([place[text] for text in texts], kind="stable").astype(np.int32)
    return reordered(codes, sorting), domain.gather(sorting)


def refuse_constant(columns: Sequence[Column], label: str) -> None:
    """Refuse a column to hide, or to hide among, that says the same of everybody."""
    for column in columns:
        if column.cardinality == 1 and column.role in ("quasi", "sensitive"):
            only = column.text(0)
            what = (
                "is missing in every row" if only == MISSING_TEXT else f"is {only!r} in every row"
            )
            # plain would publish the value that everybody is known to have
            remedy = 'the role "drop"' + (' or "plain"' if column.role == "quasi" else "")
            raise SchemaError(
                f"{label}: column {column.name!r} {what}, so it cannot be {column.role}.",
                f"give it {remedy}.",
            )
