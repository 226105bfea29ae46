"""Tables of people who can be found again, and the table that an earlier release was made of."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import polars as pl

from tests.hunt.tables import Column, Table
from tests.hunt.values import Type

PERSON = "person of a series"
NUMBER = Type(pl.Int64(), "whole", lambda rng, _: rng.randrange(10**6), in_csv=True)


def with_persons(table: Table) -> Table:
    """The table with a column that names everybody, and no other identifiers."""
    columns = [column for column in table.columns if column.role != "identifier"]
    kind = "numeric" if table.by_csv else None
    named = Column(PERSON, NUMBER, tuple(range(table.rows)), "identifier", kind)
    return replace(table, columns=(*columns, named))


def earlier_table(table: Table, rng: Random) -> Table:
    """Some of the people, one or two of them with another value, and others who have gone since."""
    rows = range(table.rows)
    stayed = sorted(rng.sample(rows, max(1, round(table.rows * rng.choice((0.3, 0.6, 1))))))
    gone = [rng.choice(rows) for _ in range(rng.randint(0, 4))]
    before = table.keep_rows([*stayed, *gone])
    return replace(before, columns=tuple(_before(c, len(stayed), rng) for c in before.columns))


def _before(column: Column, stayed: int, rng: Random) -> Column:
    values = list(column.values)
    if column.name == PERSON:  # whoever has gone was somebody else
        values = [*values[:stayed], *range(10**6, 10**6 + len(values) - stayed)]
    elif column.role == "sensitive" and rng.random() < 0.3:
        values[rng.randrange(stayed)] = rng.choice(values)
    return replace(column, values=tuple(values))
