"""Random tables: columns with odd names and any type, ties, missing values, few rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any

import polars as pl

from tests.hunt.coarser import published, random_steps
from tests.hunt.values import Type, any_type, series

NAMES = (
    "age",
    "sex",
    "zip",
    "pay",
    "ward",
    "born",
    "x",
    "y",
    "weight",
    "unit",
    "city",
    "Kind",
    "b2",
)
ODD_NAMES = (
    "group", "count", "rows", "data", "select", "order", "value", "hits", "ranges", "low", "high",
    "age_low", "age_high", "age_missing", "group_", "sum", "min", "year", "date", "time", "lower", "upper",
    "estimate", "from", "where", "case", "null", "end", "limit", "quasi", "sensitive", "size", "n", "m",
    "sure", "variance", "part", "weight_1", "k", "constructor", "__proto__", "addEventListener", "toString",
    "innerHTML", "length", "name", "submit", "a b", 'qu"ote', "it's", "ä", "名前", "a;b", "a.b", " lead",
    "trail ", "%s", "{0}", "a\nb", "🙂", "x'--", "--", "/*", "1st", "42", "-", "a\\b", "hours-per-week",
    "rowid", "struct", "interval", "position", "left", "excluded", "current_date", "oid", "ctid", "user",
)  # fmt: skip


@dataclass(frozen=True)
class Column:
    """One column of the original, with what the schema says about it."""

    name: str
    type: Type
    values: tuple[Any, ...]
    role: str
    kind: str | None = None
    order: tuple[str, ...] | None = None
    hierarchy: str | None = None
    publish: tuple[str, ...] = ()
    """How it is made coarser before it is published."""

    @property
    def sort(self) -> str:
        """What a question takes it for: an ordinal column is asked as a text."""
        return "text" if self.kind == "ordinal" else self.type.sort

    @property
    def is_published(self) -> bool:
        """Whether a question may name it."""
        return self.role in ("quasi", "sensitive", "plain")

    def series(self) -> pl.Series:
        """The column as it is handed to Anonagram."""
        return series(self.name, self.type.dtype, list(self.values))

    def rule(self) -> Any:
        """Its entry in the schema."""
        full = {
            "role": self.role,
            "kind": self.kind,
            "order": self.order,
            "hierarchy": self.hierarchy,
            "publish": list(self.publish) or None,
        }
        given = {name: value for name, value in full.items() if value is not None}
        return self.role if list(given) == ["role"] else given

    def as_published(self) -> Column:
        """The column whose values questions are about."""
        if not self.publish:
            return self
        type_, values = published(self.type, self.values, self.publish)
        return replace(self, type=type_, values=values, publish=())


@dataclass(frozen=True)
class Table:
    """The original."""

    columns: tuple[Column, ...]
    by_csv: bool = False
    """Whether Anonagram reads it from a CSV file."""
    everyday: bool = False
    """Whether its types and values are such as tables of people have."""
    has_theme: bool = False
    """Whether most of its columns are amounts, or most are times, so that one goes with another."""

    @property
    def rows(self) -> int:
        """How many people."""
        return len(self.columns[0].values)

    @property
    def published(self) -> list[Column]:
        """What can be asked about."""
        return [column.as_published() for column in self.columns if column.is_published]

    def with_role(self, role: str) -> list[Column]:
        """The columns of one role."""
        return [column for column in self.columns if column.role == role]

    def frame(self) -> pl.DataFrame:
        """The table as Polars has it."""
        return pl.DataFrame([column.series() for column in self.columns])

    def asked(self) -> pl.DataFrame:
        """The table that questions are about: as coarse as it is published."""
        return pl.DataFrame([column.series() for column in self.published])

    def schema(self) -> dict[str, Any]:
        """Roles and kinds."""
        return {column.name: column.rule() for column in self.columns}

    def keep_rows(self, places: Sequence[int]) -> Table:
        """Only some rows."""
        kept = (replace(c, values=tuple(c.values[p] for p in places)) for c in self.columns)
        return replace(self, columns=tuple(kept))


THEMES: tuple[tuple[str, ...], ...] = (
    (),
    ("day", "moment", "clock", "span"),
    ("whole", "real", "decimal"),
)


def random_table(rng: Random, *, is_large: bool = False) -> Table:
    """A table of few rows, mostly small enough to try every world; or of hundreds, with many groups."""
    sizes = (rng.randint(2, 8), rng.randint(6, 20), rng.randint(20, 40))
    rows = rng.randint(100, 900) if is_large else rng.choices(sizes, (4, 4, 3))[0]
    by_csv, everyday = rng.random() < 0.08, rng.random() < 0.4
    names = _names(rng)
    roles = ["quasi"] * rng.randint(1, 4) + ["sensitive"] * rng.choices((0, 1, 2), (1, 6, 2))[0]
    roles += ["plain"] * rng.choices((0, 1, 2), (4, 3, 1))[0] + ["drop", "identifier"][
        : rng.randint(0, 9) // 8
    ]
    theme = rng.choices(THEMES, (6, 2, 1))[0]
    columns = (
        _column(
            rng, names.pop(0), role, rows, by_csv, everyday, theme if rng.random() < 0.8 else ()
        )
        for role in roles
    )
    return Table(tuple(columns), by_csv, everyday, bool(theme))


def _names(rng: Random) -> list[str]:
    odd = rng.choice((0.0, 0.2, 0.8))
    pool = list(
        dict.fromkeys(rng.choice(ODD_NAMES if rng.random() < odd else NAMES) for _ in range(60))
    )
    rng.shuffle(pool)
    return pool + [f"c{number}" for number in range(12)]


def _column(
    rng: Random, name: str, role: str, rows: int, by_csv: bool, everyday: bool, theme: tuple[str, ...]
) -> Column:  # fmt: skip
    sorts = theme or (
        ("whole", "real", "decimal", "day", "moment", "span")
        if role == "sensitive" and rng.random() < 0.5
        else ()
    )
    type_ = any_type(rng, csv=by_csv, everyday=everyday, sorts=sorts)
    manners = {"few": 4, "spread": 4, "extreme": 0 if everyday else 3}
    values = _values(rng, type_, role, rows, manners)
    kind = None
    if by_csv:
        kind = {"text": "nominal", "whole": "numeric", "real": "numeric"}.get(type_.sort, "date")
        values = [None if value == "" or value != value else value for value in values]
    column = Column(name, type_, tuple(values), role, kind)
    if rng.random() < 0.12:
        return _with_order(rng, column)
    if rng.random() < 0.1 and column.is_published:
        return replace(column, publish=random_steps(rng, type_, column.values))
    return column


def _values(rng: Random, type_: Type, role: str, rows: int, manners: dict[str, int]) -> list[Any]:
    manner = _one_of(rng, manners)
    missing = rng.choice((0, 0, 0, 0.1, 0.3))

    def one() -> Any:
        own = manner if rng.random() < 0.9 else _one_of(rng, manners)
        return None if rng.random() < missing else type_.draw(rng, own)

    if role != "sensitive":
        return [one() for _ in range(rows)]
    # no value in more than half of the rows, or hardly any method takes it
    pool = [one() for _ in range(rng.randint(3, 8))]
    dealt = [pool[place % len(pool)] for place in range(rows)]
    rng.shuffle(dealt)
    return dealt


def _one_of(rng: Random, weights: dict[str, int]) -> str:
    return rng.choices(list(weights), list(weights.values()))[0]


def _with_order(rng: Random, column: Column) -> Column:
    """An ordinal column (texts or whole numbers with an order of their own), or one with a hierarchy."""
    texts = column.values if column.type.sort == "text" else ()
    present = sorted({value for value in texts if value is not None}, key=repr)
    if present and rng.random() < 0.5:
        rng.shuffle(present)
        return replace(column, kind="ordinal", order=tuple(present))
    if column.type.sort == "whole" and column.role == "quasi":
        return (
            replace(column, kind="ordinal")
            if rng.random() < 0.3
            else replace(column, hierarchy="groups(size=2)")
        )
    if column.type.sort == "text" and column.role == "quasi":
        return replace(column, hierarchy=rng.choice(("mask()", "groups(size=2)")))
    return column
