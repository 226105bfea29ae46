"""How figures that only one shape has are shown."""

from __future__ import annotations

from anonagram.measures.measures import OwnMeasures
from anonagram.present.sections import Document, Section, Table


def document(measures: OwnMeasures) -> Document:
    """The figures, a line each."""
    rows = [[name, f"{value:,.4g}"] for name, value in measures.figures.items()]
    section = Section("Beside the original", Table.of(["figure", "value"], rows))
    return Document(f"{measures.method}: {measures.rows:,} rows", (section,))
