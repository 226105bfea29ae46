"""How the measures of a release with replaced values are shown."""

from __future__ import annotations

from anonagram.measures import PerturbedMeasures
from anonagram.present.sections import Document, Section, Table, say, spread_table


def document(measures: PerturbedMeasures) -> Document:
    """What an informed intruder guesses, and how far counts are off."""
    sections = [
        say(
            f"Probabilistic anonymity {measures.probabilistic_anonymity:.2f}",
            f"γ-amplification {measures.gamma_amplification:,.4g}",
        )
    ]
    if measures.worst_guess is not None:
        spreads = {"best guess (eq 6)": measures.guess, "its bound": measures.guess_bound}
        sections += [
            say(f"Worst guess of a row's origin {measures.worst_guess:.4f}"),
            Section("Somebody who knows the joint distribution", spread_table(spreads, ".4g")),
        ]
    rows = [[str(e.length), f"{e.bias:.2%}", f"{e.deviation:.2%}"] for e in measures.supports]
    table = Table.of(["length", "bias", "standard deviation"], rows)
    sections.append(Section("Counts, read as they stand", table))
    return Document(f"{measures.method}: {measures.rows:,} rows", tuple(sections))
