"""How the measures of a graph's release are shown."""

from __future__ import annotations

from functools import partial

from anonagram.graphs.measures import GraphMeasures
from anonagram.present.graph_charts import chart_counted
from anonagram.present.sections import Document, Mood, Section, Table, spread_table
from anonagram.shown.wording import how_many


def document(measures: GraphMeasures) -> Document:
    """Who is found first; then how sure an edge is, degrees and groups."""
    found = [
        [
            side.name,
            f"{side.found_by_graph:.1%}",
            f"{side.found_by_degree:.1%}",
            "–" if side.found_by_edge is None else f"{side.found_by_edge:.1%}",
        ]
        for side in measures.sides
    ]
    head = [
        "found by whoever knows",
        "the graph around them",
        "how many edges",
        "one of their edges",
    ]
    sections = [
        Section("Whose node is found", Table.of(head, found, right=3)),
        Section(
            "How sure an edge is by the groups alone",
            spread_table({"chance of an edge that is there": measures.edge_chance}, ".2%"),
        ),
    ]
    for side in measures.sides:
        spreads = {"entities in a group": side.group_sizes, "edges each": side.degrees}
        sections.append(
            Section(
                f"{side.name}: {side.entities:,} in {how_many(side.groups, 'group')}",
                spread_table(spreads, ".4g"),
                chart=partial(chart_counted, side.counted, "degrees"),
            )
        )
    title = f"{measures.method}: {how_many(measures.edges, 'edge')}"
    return Document(title, tuple(sections), f"{measures.not_hidden}.", Mood.BAD)
