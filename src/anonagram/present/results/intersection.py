"""How what several releases leave open is shown."""

from __future__ import annotations

import polars as pl

from anonagram.attacks import Intersection, Narrowed
from anonagram.attacks.several_releases import narrowed_sentence
from anonagram.present.sections import Document, Mood, Section, Table
from anonagram.shown.wording import how_many

CONTRADICTED = (
    "For {:,} people no value is left: their values changed, or others' rows were taken for theirs."
)


def document(found: Intersection) -> Document:
    """The worst first, and how many values are left for how many people."""
    columns = tuple(found.columns.values())
    told = [
        f"Of {how_many(found.people, 'person', 'people')} {found.met:,} may be in earlier releases too."
    ]
    told += [narrowed_sentence(left) for left in columns]
    told += [CONTRADICTED.format(left.contradicted) for left in columns if left.contradicted]
    mood = Mood.BAD if any(left.is_worse for left in columns) else Mood.PLAIN
    sections = tuple(values_left(left) for left in columns)
    return Document("Several releases together", sections, mood=mood, told=tuple(told))


def values_left(left: Narrowed) -> Section:
    """Every number of values below what the new release leaves everybody, and the rest together."""
    counted = left.counted()
    fewer = counted.filter(pl.col("values") < left.least)
    more = counted.filter(pl.col("values") >= left.least).select("alone", "together").sum().row(0)
    rows = [[f"{cell:,}" for cell in row] for row in fewer.rows()]
    rows.append([f"{left.least:,} or more", *(f"{cell:,}" for cell in more)])
    return Section(
        f"How many values of {left.column} are left for how many people",
        Table.of(["values", "this release", "all together"], rows, right=3),
    )
