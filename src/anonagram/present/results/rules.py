"""How the rules that are found again are shown."""

from __future__ import annotations

from anonagram.measures import KnowledgeKept
from anonagram.present.charts import chart_rules
from anonagram.present.sections import Bar, Document, Section, Table, say


def document(kept: KnowledgeKept) -> Document:
    """How many rules of each length there are, are found again, and were never there."""
    if kept.share is None:
        return Document(kept.method, (say("The original has no such rules."),))
    rows = [
        [
            str(each.length),
            f"{each.original:,}",
            f"{each.recovered:,}",
            f"{each.artificial:,}",
            Bar(each.recovered / each.original) if each.original else "",
        ]
        for each in kept.lengths
    ]
    title = f"{kept.method}: {kept.finding}"
    head = ["quasi-identifiers", "in the original", "found again", "artificial", ""]
    section = Section(title, Table.of(head, rows), chart=lambda: chart_rules(kept))
    return Document(kept.method, (section,))
