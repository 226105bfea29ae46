"""How the measures of a masked table are shown."""

from __future__ import annotations

from anonagram.measures import MaskedMeasures
from anonagram.present.sections import Document, Section, Table, common_sections
from anonagram.shown.wording import how_many


def document(measures: MaskedMeasures) -> Document:
    """Rows that stand out, and how numbers changed."""
    correlations: tuple[str, ...] = ()
    if measures.mean_correlation_error is not None:
        correlations = (
            f"Correlations are off by {measures.mean_correlation_error:.4f} on average, by "
            f"{measures.largest_correlation_error:.4f} at most.",
        )
    rows = [
        [c.name, c.how, f"{c.mean_shift:+.4f} sd", f"{c.deviation_ratio:.4f}×"]
        for c in measures.columns
        if c.mean_shift is not None
    ]
    head = ["column", "values", "mean moved by", "standard deviation"]
    alone = f"Rows that stand alone with their quasi-identifiers: {measures.rows_alone:,}"
    return Document(
        f"{measures.method}: {how_many(measures.rows, 'row')}",
        (
            Section(sentences=(alone,)),
            Section("Masked numbers", Table.of(head, rows, right=2), correlations),
            *common_sections(measures),
        ),
    )
