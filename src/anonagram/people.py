"""Whose row is whose: a table may have many rows of one person, and promises are about rows.

>>> frame = pl.DataFrame({"patient": [7, 8, 7, 7], "day": [1, 2, 3, 4]})
>>> kept, people = one_by_one(Table(frame, "visits"), Schema.of(patient="identifier", day="quasi"))
>>> people
People(column='patient', people=2, most_rows=3, rows_per_person=None, left_out=0)
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import polars as pl

from anonagram.errors import InputError
from anonagram.schema import Schema
from anonagram.shown.wording import how_many, option
from anonagram.sources import Table


@dataclass(frozen=True)
class People:
    """How many rows the people of a table have."""

    column: str
    """What says whose row it is; an identifier, which no release names."""
    people: int
    most_rows: int
    """Of one of them, before any were left out."""
    rows_per_person: int | None = None
    """How many were kept of each at most."""
    left_out: int = 0

    def told(self, label: str) -> str:
        """A sentence for the protector."""
        if self.rows_per_person is not None:
            kept = "row" if self.rows_per_person == 1 else how_many(self.rows_per_person, "row")
            return (
                f"{label}: the first {kept} of each of {how_many(self.people, 'person', 'people')} "
                f"({self.column}) {'is' if self.rows_per_person == 1 else 'are'} kept, "
                f"{how_many(self.left_out, 'row')} left out."
            )
        return (
            f"Warning: {label}: rows are about {how_many(self.people, 'person', 'people')} "
            f"({self.column}), and one of them has {self.most_rows:,}. Promises are about rows: "
            "whoever has many is hidden less in all of them together. rows_per_person = 1 in the "
            "schema keeps one row of each; who is connected "
            f"with what can be published as a graph ({option('--left, --right', 'Graph.read')})."
        )


def one_by_one(table: Table, schema: Schema) -> tuple[Table, People | None]:
    """The table with as many rows of a person as the schema allows, and whose rows they are.

    None where nobody has several rows, as far as identifiers tell.
    """
    bounded = [name for name, rule in schema.columns.items() if rule.rows_per_person is not None]
    if len(bounded) > 1:
        raise InputError(
            f"The schema bounds the rows of {bounded[0]!r} and of {bounded[1]!r}.",
            "say rows_per_person of the one column that says whose row it is.",
        )
    if bounded:
        return _bounded(table, bounded[0], schema.columns[bounded[0]].rows_per_person or 1)
    return table, _repeated(table, schema)


def persons_of(table: Table, schema: Schema) -> pl.Series | None:
    """Who each row is about: the identifier whose rows are bounded, or the only one there is."""
    identifiers = schema.named("identifier")
    bounded = [name for name in identifiers if schema.columns[name].rows_per_person is not None]
    said = bounded or identifiers
    return table.frame[said[0]].cast(pl.String).alias("person") if len(said) == 1 else None


def _bounded(table: Table, name: str, most: int) -> tuple[Table, People]:
    persons = table.frame[name]
    if persons.has_nulls():
        row = int(persons.is_null().arg_max() or 0)
        raise InputError(
            f"{table.label}, row {row + 1}: column {name!r} is missing, so nobody knows whose row it is.",
            "fill it in, or leave such rows out.",
        )
    place = persons.to_frame("person").select(pl.int_range(pl.len()).over("person")).to_series()
    kept = table.frame.filter(place < most)
    left_out = table.frame.height - kept.height
    people = People(name, persons.n_unique(), _most(persons), most, left_out)
    return replace(table, frame=kept), people


def _repeated(table: Table, schema: Schema) -> People | None:
    """The identifier that tells most people apart, where even it stands in several rows."""
    distinct = {name: table.frame[name].drop_nulls() for name in schema.named("identifier")}
    if not distinct:
        return None
    name = max(distinct, key=lambda each: distinct[each].n_unique())
    people = distinct[name].n_unique()
    if not 1 < people < len(distinct[name]):
        return None
    return People(name, people, _most(distinct[name]))


def _most(persons: pl.Series) -> int:
    """The rows of the person who has most."""
    return int(persons.unique_counts().max())  # type: ignore[arg-type]
