"""One side of a graph as its entities look at it: columns of codes, and the groups of their nodes.

What is computed in Python and what the page in the bundle computes both start from this, so that
they can be held against each other.
"""

from __future__ import annotations

from dataclasses import dataclass

from anonagram.columns.ranks import Codes
from anonagram.release.grouped_graph import GroupedGraphRelease, SideView
from anonagram.verify.view import ViewColumn, coded

DEGREE = "degree"
"""What somebody who knows how many edges an entity has calls it."""


@dataclass(frozen=True)
class Subjects:
    """The entities of one side."""

    table: str
    """What questions call it."""
    columns: dict[str, ViewColumn]
    people: dict[str, Codes]
    """For each column a code each entity."""
    view: SideView

    def told(self, row: int) -> str:
        """An entity by her values; a missing one is a dash."""
        return ", ".join(
            [*column.texts, "–"][self.people[name][row]] for name, column in self.columns.items()
        )


def subjects_of(release: GroupedGraphRelease, side: str) -> Subjects:
    """Look at one side of a graph."""
    columns, people = {}, {}
    for about in release.manifest.table(side).columns:
        people[about.name], columns[about.name] = coded(release.parts[side][about.name], about)
    table = release.names.tables[release.originals.index(side)]
    return Subjects(table, columns, people, release.side(side))
