"""How the measures of a release with groups are shown."""

from __future__ import annotations

from anonagram.measures import Measures
from anonagram.present.charts import chart_ncp
from anonagram.present.sections import Bar, Document, Section, Table, say, spread_table


def document(measures: Measures) -> Document:
    """Distributions, what detail is lost, and what only the protector can measure."""
    sections = [_distributions(measures), _ncp(measures)]
    if measures.reconstruction is not None:
        found = measures.reconstruction
        bound = found.theorem_2_bound
        sections.append(
            say(
                f"Reconstruction error {found.error:,.1f} ({found.per_row:.4f} a row)"
                f"{'' if bound is None else f', Theorem 2: at least {bound:,.1f}'}"
            )
        )
    title = f"{measures.method}: {measures.rows:,} rows in {measures.groups:,} groups"
    return Document(title, tuple(sections))


def _distributions(measures: Measures) -> Section:
    spreads = {
        "rows in a group": measures.group_sizes,
        "posterior of the true value": measures.posterior,
        "probability of the whole tuple (Theorem 1)": measures.tuple_posterior,
        "presence δ": measures.presence,
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
        f"NCP {ncp.total:,.1f}, {ncp.per_cell:.4f} a cell",
        Table.of(
            ["quasi-identifier", "width", ""],
            [[name, f"{width:.4f}", Bar(width)] for name, width in ncp.attributes.items()],
        ),
        chart=lambda: chart_ncp(ncp),
    )
