"""How figures that only one shape has are shown."""

from __future__ import annotations

from anonagram.measures.measures import OwnMeasures
from anonagram.present.sections import Document, Section, Table, common_sections
from anonagram.shown.wording import how_many


def document(measures: OwnMeasures) -> Document:
    """The figures, a line each."""
    rows = [[name, f"{value:,.4g}"] for name, value in measures.figures.items()]
    sections = [
        Section("Beside the original", Table.of(["figure", "value"], rows)),
        *common_sections(measures),
    ]
    return Document(f"{measures.method}: {how_many(measures.rows, 'row')}", tuple(sections))
