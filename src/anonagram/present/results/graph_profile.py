"""How a graph at first sight is shown."""

from __future__ import annotations

from anonagram.graphs.profile import GraphProfile
from anonagram.present.sections import Document, Mood, Section, Table
from anonagram.shown.wording import how_many


def document(profile: GraphProfile) -> Document:
    """Both sides beside each other, and who can be found without a name first."""
    found = [
        f"Without any name, {side.unique_place:.0%} of {side.name} can be told apart by the graph alone, "
        f"{side.unique_degree:.1%} by how many edges they have."
        for side in profile.sides
    ]
    head = ["", *(side.name for side in profile.sides)]
    rows = [
        ["entities", *(f"{side.entities:,}" for side in profile.sides)],
        ["without an edge", *(f"{side.isolated:,}" for side in profile.sides)],
        ["edges each, mean", *(f"{side.mean_degree:.2f}" for side in profile.sides)],
        ["median", *(f"{side.median_degree:g}" for side in profile.sides)],
        ["most", *(f"{side.most_edges:,}" for side in profile.sides)],
        ["largest safe groups", *(f"{side.largest_groups:,}" for side in profile.sides)],
    ]
    again = f" ({profile.repeated:,} stood there again)" if profile.repeated else ""
    title = f"{how_many(profile.edges, 'edge')}{again}"
    return Document(
        title, (Section(title, Table.of(head, rows, right=2)),), "\n".join(found), Mood.BAD
    )
