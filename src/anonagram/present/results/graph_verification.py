"""How what an entity of a graph finds out is shown."""

from __future__ import annotations

from anonagram.graphs.verification import GraphVerification
from anonagram.present.sections import Bar, Cell, Document, Section, Table, say


def document(found: GraphVerification) -> Document:
    """What is known about her, and with whom she is most likely connected."""
    known = ", ".join(f"{name} {value or '(missing)'}" for name, value in found.known.items())
    sections = [say(f"Known about you: {known or 'only that you are in it'}")]
    if found.likeliest:
        rows: list[list[Cell]] = [
            [
                str(each.group),
                f"{each.probability:.2%}",
                Bar(each.probability),
                "; ".join(text for text in each.entities if text),
            ]
            for each in found.likeliest
        ]
        title = f"With whom of {found.across} you are most likely connected"
        table = Table.of(["group", "each of them", "", f"{found.across} in it"], rows)
        sections.append(Section(title, table))
    return Document(f"{found.method}: {found.table}", tuple(sections), told=tuple(found.summary()))
