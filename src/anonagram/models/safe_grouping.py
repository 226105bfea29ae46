"""Safe groups of a graph: nobody of a group shares a neighbour with another of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from anonagram.calls import AtLeast
from anonagram.models.model import WORST_SHOWN, Finding, PrivacyModel, refuse_shape
from anonagram.release import Release

SIDES = ("left", "right")


@dataclass(frozen=True, repr=False)
class SafelyGrouped(PrivacyModel, call="safe_grouping", example="safe_grouping(k=5, l=5)"):
    """Groups of at least k and l entities in which no two nodes have a neighbour in common.

    Cormode et al. (2008), Lemma 4.4.1: then an edge between two entities is there in at most one of
    max(k, l) of the ways to identify entities with nodes. What is achieved is that number.

    >>> SafelyGrouped(k=5, l=1)
    safe_grouping(k=5, l=1)
    """

    in_words = (
        "by the groups alone an entity can be any of the nodes of its group, of which there are at least "
        "{k} on one side and {l} on the other, and no two with a neighbour in common"
    )

    k: Annotated[int, AtLeast(1)]
    l: Annotated[int, AtLeast(1)]

    def check(self, release: Release) -> Finding:
        """Count groups and common neighbours in the published tables."""
        # whoever hands over a table that is no release is told so
        graph = getattr(release, "graph", None)
        if graph is None:
            refuse_shape(self, release, "looks at the groups of a graph")
        broken: list[dict[str, Any]] = []
        smallest = []
        for side, size in zip(SIDES, (self.k, self.l), strict=True):
            sizes = graph.side(side).sizes
            smallest.append(int(sizes.min()))
            shared = dict(graph.clashes(side).iter_rows())
            for group in sorted({*(np.flatnonzero(sizes < size) + 1).tolist(), *shared}):
                rows, clashes = int(sizes[group - 1]), shared.get(group, 0)
                level = 1.0 if clashes else float(rows)
                broken.append(
                    {
                        "group": group, "attribute": graph.names.tables[SIDES.index(side)],
                        "rows": rows, "level": level, "shared_neighbours": clashes,
                    }
                )  # fmt: skip
        is_safe = not any(each["shared_neighbours"] for each in broken)
        return Finding(
            model=self,
            holds=not broken,
            achieved=float(max(smallest)) if is_safe else 1.0,
            worst=tuple(sorted(broken, key=lambda each: each["level"])[:WORST_SHOWN]),
            violating_groups=len(broken),
            violating_rows=sum(each["rows"] for each in broken),
            note=_explain(graph.not_hidden(), *smallest) if is_safe else "",
        )


def _explain(not_hidden: str, k: int, l: int) -> str:
    """What is not hidden, what the groups alone mean, and what is left when edges become known."""
    if max(k, l) == 1:
        return "Everybody's node is told: nothing is hidden."
    sure = (
        f"{not_hidden}. By the groups alone, an edge between two entities is there with a "
        f"probability of 1 in {max(k, l)} at most"
    )
    if min(k, l) == 1:
        return (
            f"{sure}. One side's nodes are told: who has neighbours in common with whom stands open"
        )
    return (
        f"{sure}; whoever knows r of the edges has groups of {k} - r and {l} - r left around everybody "
        "else"
    )
