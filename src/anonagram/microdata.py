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

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonagram.columns.encoding import encode
from anonagram.columns.hierarchy import Hierarchy, hierarchy_for, value_texts
from anonagram.columns.recoding import codes_among, reordered
from anonagram.digests import code_bytes, digest_of, value_bytes
from anonagram.errors import SchemaError, suggest
from anonagram.runtime.progress import step
from anonagram.runtime.threads import in_threads
from anonagram.schema import ColumnRule, Kind, Role, Schema
from anonagram.sources import Table, load

MISSING_TEXT = "(missing)"


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
    table_counts: NDArray[np.int64] | None = None
    """How often each code occurs in the whole table, where this is a block of it."""

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
        )

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """How often each code occurs."""
        return np.bincount(self.codes, minlength=self.cardinality)

    @property
    def counts_in_table(self) -> NDArray[np.int64]:
        """How often each code occurs in the whole table."""
        return self.counts if self.table_counts is None else self.table_counts

    def decode(self, codes: NDArray[np.int32]) -> pl.Series:
        """The values that codes stand for."""
        return self._values.gather(codes)

    def codes_of(self, values: pl.Series) -> NDArray[np.int32]:
        """The codes of values that the column has; a missing one has the code len(domain)."""
        return codes_among(self.domain, values.cast(self.domain.dtype), len(self.domain))

    def text(self, code: int) -> str:
        """One value, as a message shows it."""
        return MISSING_TEXT if code >= len(self.domain) else value_texts(self.domain)[code]

    @cached_property
    def _values(self) -> pl.Series:
        # where nothing is missing, Polars need not look for nulls at every place
        values = self.domain.extend_constant(None, 1) if self.has_missing else self.domain
        return values.alias(self.name)

    def __repr__(self) -> str:
        return f"Column({self.name!r}, {self.role}, {self.kind}, {self.cardinality} values)"


@dataclass(frozen=True, repr=False)
class Microdata:
    """A table of people with the role of each column."""

    columns: Sequence[Column]
    """The columns that may be published; identifiers and dropped ones are gone already."""
    rows: int
    label: str
    dropped: int = 0
    """How many columns were left out."""

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
        step("Encoding")
        published = {n: rule for n, rule in schema.columns.items() if rule.is_published}
        columns = in_threads(
            lambda name, rule: _encode(table, name, rule, schema), published.items()
        )
        _refuse_constant(columns, table.label)
        dropped = len(schema.columns) - len(columns)
        return cls(columns, table.frame.height, table.label, dropped)

    @cached_property
    def digest(self) -> bytes:
        """A hash of the published columns, the same wherever the table comes from.

        >>> one, two = ({"age": [30, 41], "ward": [1, ward]} for ward in (2, 3))
        >>> roles = {"age": "quasi", "ward": "plain"}
        >>> Microdata.read(one, roles).digest == Microdata.read(two, roles).digest
        False
        """
        return digest_of(*in_threads(lambda column: column.digest, [(c,) for c in self.columns]))

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
        columns = [
            replace(column, codes=column.codes[rows], table_counts=column.counts_in_table)
            for column in self.columns
        ]
        return replace(self, columns=columns, rows=rows.size)

    def frame(self) -> pl.DataFrame:
        """The published columns with their values, in the original order (protector's eyes only)."""
        return pl.DataFrame([column.decode(column.codes) for column in self.columns])

    def __repr__(self) -> str:
        parts = []
        roles: tuple[Role, ...] = ("quasi", "sensitive", "plain")
        for role in roles:
            names = [column.name for column in self.with_role(role)]
            parts += [f"{role} {', '.join(names)}"] if names else []
        return f"Microdata({self.rows:,} rows: {'; '.join(parts)})"


def _encode(table: Table, name: str, rule: ColumnRule, schema: Schema) -> Column:
    codes, domain, kind, has_missing = encode(table, name, rule)
    hierarchy = None
    if rule.hierarchy is not None:
        hierarchy = hierarchy_for(name, rule.hierarchy, domain, schema.folder)
    order = rule.order
    if order is None and hierarchy is not None and kind in ("ordinal", "nominal"):
        order = hierarchy.values  # neighbours in the hierarchy become neighbours in the domain
    if order is not None:
        codes, domain = _reorder(name, codes, domain, order)
    return Column(name, rule.role, kind, codes, domain, has_missing, hierarchy, rule.holds)


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


def _refuse_constant(columns: Sequence[Column], label: str) -> None:
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
