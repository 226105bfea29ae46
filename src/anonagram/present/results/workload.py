"""How errors over many questions are shown."""

from __future__ import annotations

from anonagram.measures import WorkloadResult
from anonagram.present.charts import chart_workload
from anonagram.present.sections import Document, Section, spread_table


def document(result: WorkloadResult) -> Document:
    """Errors and widths, and which questions were left out."""
    spreads = {
        "error: |estimate - truth| / truth": result.error,
        "width: (upper - lower) / truth": result.width,
        "error when read as if nothing was replaced": result.naive_error,
    }
    told = []
    if result.without_error:
        told.append(f"{result.without_error:,} questions are about nobody and left out.")
    if result.unanswered:
        told.append(f"{result.unanswered:,} questions cannot be answered from it and are left out.")
    if result.width is not None:
        told.append("Every true answer lies between its bounds.")
    section = Section(
        "Relative to the truth",
        spread_table(spreads, ".2%"),
        tuple(told),
        chart=None if result.error is None else lambda: chart_workload(result),
    )
    title = f"{result.method}: {result.queries:,} random {result.aggregate} questions"
    return Document(title, (section,))
