"""How the measures of a release with groups are shown."""

from __future__ import annotations

from anonagram.measures import Measures
from anonagram.present.charts import chart_ncp
from anonagram.present.sections import (
    MOST_WARNED,
    Bar,
    Document,
    Mood,
    Section,
    Table,
    common_sections,
    say,
    sorting_found,
    spread_table,
)
from anonagram.shown.wording import how_many


def document(measures: Measures) -> Document:
    """Distributions, what detail is lost, and what only the protector can measure."""
    sections = [_distributions(measures), _ncp(measures)]
    sections += common_sections(measures)
    if measures.reconstruction is not None:
        found = measures.reconstruction
        bound = found.theorem_2_bound
        sections.append(
            say(
                "What rebuilding everybody's values from the groups is off (reconstruction error): "
                f"{found.error:,.1f}, {found.per_row:.4f} a row"
                f"{'' if bound is None else f', Theorem 2: at least {bound:,.1f}'}"
            )
        )
    title = f"{measures.method}: {how_many(measures.rows, 'row')} in {how_many(measures.groups, 'group')}"
    worst, *others = [*sorting_found(measures), ""]
    told = tuple(each for each in others[:MOST_WARNED] if each)
    return Document(title, tuple(sections), worst, Mood.BAD if worst else Mood.PLAIN, told)


def _distributions(measures: Measures) -> Section:
    spreads = {
        "rows in a group": measures.group_sizes,
        "chance to guess the true value by the group": measures.posterior,
        "probability of the whole tuple (Theorem 1)": measures.tuple_posterior,
        "chance that somebody alike is there (presence δ)": measures.presence,
    }
    for name, ranges in measures.sensitive_ranges.items():
        spreads[f"range of {name} in a group"] = ranges.groups
    sums = (
        f"Sum of the ranges of {name}: {ranges.sum:,.15g}"
        for name, ranges in measures.sensitive_ranges.items()
    )
    return Section("Distributions", spread_table(spreads, ".4g"), tuple(sums))


def _ncp(measures: Measures) -> Section:
    ncp = measures.ncp
    return Section(
        f"Detail lost inside groups (NCP): {ncp.per_cell:.4f} a cell, where 1 is all; "
        f"{ncp.total:,.1f} together",
        Table.of(
            ["quasi-identifier", "width", ""],
            [[name, f"{width:.4f}", Bar(width)] for name, width in ncp.attributes.items()],
        ),
        chart=lambda: chart_ncp(ncp),
    )
