"""Results as plain text, for `print`: the worst true thing first, then what stands in the tables."""

from __future__ import annotations

from collections.abc import Iterator

from anonagram.present.sections import Document, Section, Table
from anonagram.shown.visible import visible

ROWS_SHOWN = 20
"""Of a table; all of it is in `to_dict()`."""


def text_of(document: Document) -> str:
    """A document without colours, widths and pictures.

    >>> pay = Table.of(["pay", "people"], [["10", "3"], ["2,000", "14"]], right=1)
    >>> print(text_of(Document("Pay", (Section("Who gets what", pay, ("Nobody else.",)),), "It is known.")))
    It is known.
    Pay
    Who gets what
      pay    people
      10          3
      2,000      14
    Nobody else.
    """
    first = [document.headline] if document.headline else []
    lines = [*first, document.title, *(f"• {each}" for each in document.told)]
    for section in document.sections:
        if not section.is_detail:
            lines += [line for line in _section(section) if line != document.title]
    return "\n".join(visible(line) for line in lines)


def _section(section: Section) -> Iterator[str]:
    if section.title:
        yield section.title
    if section.table is not None:
        yield from _table(section.table)
    yield from section.sentences


def _table(table: Table) -> Iterator[str]:
    # what is drawn elsewhere stands in figures beside it
    drawn = {i for row in table.rows for i, cell in enumerate(row) if not isinstance(cell, str)}
    kept = [i for i in range(len(table.head)) if i not in drawn]
    head = [table.head[i] for i in kept]
    rows = [head] if any(head) else []
    rows += [[str(row[i]) for i in kept] for row in table.rows[:ROWS_SHOWN]]
    widths = [max(len(row[j]) for row in rows) for j in range(len(kept))]
    numbers = range(len(table.head) - table.right, len(table.head))
    for row in rows:
        cells = [
            text.rjust(width) if place in numbers else text.ljust(width)
            for text, width, place in zip(row, widths, kept, strict=True)
        ]
        yield f"  {'  '.join(cells)}".rstrip()
    if len(table.rows) > ROWS_SHOWN:
        yield f"  … {len(table.rows) - ROWS_SHOWN:,} more"
