"""How the measures of a release with replaced values are shown."""

from __future__ import annotations

from anonagram.measures import PerturbedMeasures
from anonagram.present.sections import Document, Section, Table, common_sections, say, spread_table
from anonagram.shown.wording import how_many


def document(measures: PerturbedMeasures) -> Document:
    """What an informed intruder guesses, and how far counts are off."""
    sections = []
    if measures.worst_guess is not None:
        spreads = {"best guess (eq 6)": measures.guess, "its bound": measures.guess_bound}
        sections.append(
            Section(
                "Chance that somebody who knows how often combinations occur guesses a row's origin",
                spread_table(spreads, ".4g"),
            )
        )
    sections.append(
        say(
            "Ways in which a row can have come about, on average (probabilistic anonymity): "
            f"{measures.probabilistic_anonymity:.2f}",
            "One origin of a row can be so many times likelier than another (γ-amplification): "
            f"{measures.gamma_amplification:,.4g}",
        )
    )
    rows = [[str(e.length), f"{e.bias:.2%}", f"{e.deviation:.2%}"] for e in measures.supports]
    table = Table.of(["length", "bias", "standard deviation"], rows)
    sections.append(Section("Counts, read as they stand", table))
    sections += common_sections(measures)
    return Document(f"{measures.method}: {how_many(measures.rows, 'row')}", tuple(sections))
