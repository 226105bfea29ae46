"""How a release is shown: what it promises, and the beginning of its tables."""

from __future__ import annotations

import polars as pl

from anonagram.present.sections import Document, Section, Table
from anonagram.release import Release
from anonagram.shown.wording import how_many

ROWS_SHOWN = 10
COLUMNS_SHOWN = 20


def document(release: Release) -> Document:
    """The first rows of every table."""
    sections = (_table(name, table) for name, table in release.tables.items())
    return Document(repr(release), tuple(sections))


def _table(name: str, table: pl.DataFrame) -> Section:
    head = table.select(table.columns[:COLUMNS_SHOWN]).head(ROWS_SHOWN)
    rows = [["" if value is None else str(value) for value in row] for row in head.rows()]
    return Section(
        f"{name}: {how_many(table.height, 'row')} × {how_many(table.width, 'column')}",
        Table.of(head.columns, rows),
    )
