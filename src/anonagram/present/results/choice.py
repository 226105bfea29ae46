"""How the node that was chosen is shown, among the others of its lattice."""

from __future__ import annotations

import polars as pl

from anonagram.lattice import Choice
from anonagram.present.charts import chart_lattice
from anonagram.present.sections import Cell, Document, Mood, Section, Table
from anonagram.shown.wording import how_many

LABELS_SHOWN = 4
NODES_SHOWN = 50


def document(choice: Choice) -> Document:
    """What was chosen, what a level less or more would cost, and the cheapest nodes."""
    node = choice.node
    headline = (
        f"Costs {node.cost:.4g} ({choice.cost}), {how_many(node.suppressed, 'row')} suppressed."
    )
    mood = Mood.PLAIN if choice.is_proved and node.is_best else Mood.UNSURE
    sections = (_chosen(choice), _neighbours(choice), _drawn(choice), _nodes(choice))
    return Document(choice.method, sections, headline, mood, (choice.search,))


def _chosen(choice: Choice) -> Section:
    rows: list[list[Cell]] = []
    levels = zip(choice.labels().items(), choice.node.levels, choice.lattice.top, strict=True)
    for (name, labels), level, most in levels:
        shown = ", ".join(labels[:LABELS_SHOWN]) + (" …" if len(labels) > LABELS_SHOWN else "")
        rows.append([name, shown, f"{level} of {most}", f"{len(labels):,}"])
    return Section("The levels", Table.of(["column", "told as", "level", "labels"], rows, right=2))


def _neighbours(choice: Choice) -> Section:
    return Section("One level away", sentences=tuple(str(each) for each in choice.neighbours))


def _drawn(choice: Choice) -> Section:
    """All nodes in a picture; where there are none, how many of each height hold."""
    title = "All nodes" if choice.is_whole else "Nodes up to two levels away"
    holding = pl.col("cost").filter(pl.col("holds"))
    by_height = choice.nodes.group_by("height").agg(
        pl.len().alias("nodes"), pl.col("holds").sum(), holding.min().alias("least")
    )
    rows: list[list[Cell]] = [
        [
            f"{each['height']}", f"{each['nodes']:,}", f"{each['holds']:,}",
            "–" if each["least"] is None else f"{each['least']:.4f}",
        ]
        for each in by_height.sort("height").to_dicts()
    ]  # fmt: skip
    table = Table.of(["height", "nodes", "that hold", "lowest cost"], rows, right=4)
    return Section(title, table, chart=lambda: chart_lattice(choice), is_detail=True)


def _nodes(choice: Choice) -> Section:
    """The chosen node and the cheapest ones, those that hold first."""
    found = choice.nodes.sort(
        ["is_chosen", "holds", "cost", "height"],
        descending=[True, True, False, False], nulls_last=True,
    )  # fmt: skip
    rows = [
        [
            ("→ " if each["is_chosen"] else "") + " ".join(map(str, each["levels"])),
            "yes" if each["holds"] else "no",
            f"{each['height']}",
            "–" if each["cost"] is None else f"{each['cost']:.4f}",
            f"{each['suppressed']:,}" if each["holds"] else "–",
        ]
        for each in found.head(NODES_SHOWN).to_dicts()
    ]
    title = f"{min(NODES_SHOWN, found.height):,} of {how_many(found.height, 'node')}, the cheapest first"
    head = [f"levels of {', '.join(choice.columns)}", "holds", "height", "cost", "suppressed"]
    return Section(title, Table.of(head, rows, right=3), is_detail=True)
