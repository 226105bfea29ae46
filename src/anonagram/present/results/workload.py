"""How errors over many questions are shown."""

from __future__ import annotations

from functools import partial

import numpy as np

from anonagram.measures import WorkloadResult
from anonagram.measures.spread import spread
from anonagram.present.charts import chart_workload
from anonagram.present.graph_charts import chart_selectivity
from anonagram.present.sections import Document, Section, spread_table
from anonagram.shown.wording import how_many, option


def document(result: WorkloadResult) -> Document:
    """Errors and widths, and which questions were left out."""
    spreads = {
        "error: |estimate - truth| / truth": result.error,
        "width: (upper - lower) / truth": result.width,
        "error as it stands, as if nothing was replaced": result.naive_error,
        "error when corrected for replacements": result.corrected_error,
    }
    told = []
    if result.without_error:
        told.append(
            f"{how_many(result.without_error, 'question is', 'questions are')} about nobody and left out."
        )
    if result.unanswered:
        fewer = option("--conditions N", "conditions=")
        told.append(
            f"{how_many(result.unanswered, 'question')} cannot be answered from it and are left out; those "
            f"about fewer columns ({fewer}) may be."
        )
    if result.naive_error is not None:
        told.append("Each estimate is the one of the two with the smaller expected error.")
    if result.width is not None:
        told.append("Every true answer lies between its bounds.")
    section = Section(
        "Relative to the truth",
        spread_table(spreads, ".2%"),
        tuple(told),
        chart=None if result.error is None else lambda: chart_workload(result),
    )
    sections = [section]
    if "selectivity" in result.answers.columns and result.error is not None:
        asked = result.answers["selectivity"].to_numpy()
        table = spread_table({"share of all rows": spread(asked, np.ones(asked.size))}, ".2%")
        chart = partial(chart_selectivity, result)
        sections.append(Section("What the questions are about", table, chart=chart))
    title = f"{result.method}: {result.queries:,} random {result.aggregate} questions"
    return Document(title, tuple(sections))
