"""A graph at first sight: degrees, and who can be found by them or by their neighbours."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from anonagram.graphs.graph import Graph
from anonagram.graphs.schema import SIDES, Side, other
from anonagram.shown.result import Shown


@dataclass(frozen=True)
class SideProfile:
    """One side of a graph."""

    name: str
    entities: int
    isolated: int
    mean_degree: float
    median_degree: float
    most_edges: int
    unique_degree: float
    """The share of entities with a number of edges that nobody else has."""
    unique_place: float
    """The share that nobody else looks like by the graph around them."""
    largest_groups: int
    """The largest k for which groups can be safe at all."""


@dataclass(frozen=True)
class GraphProfile(Shown):
    """What a graph looks like."""

    shown_by = "graph_profile"

    edges: int
    repeated: int
    sides: tuple[SideProfile, ...]

    @classmethod
    def of(cls, graph: Graph) -> Self:
        """Look at it."""
        found = graph.signatures()
        sides = tuple(_side(graph, side, found[side]) for side in SIDES)
        return cls(graph.edges, graph.repeated, sides)

    def to_dict(self) -> dict[str, Any]:
        """What `anonagram inspect --json` prints."""
        return asdict(self)


def _side(graph: Graph, side: Side, places: NDArray[np.int64]) -> SideProfile:
    degrees = graph.degrees(side)
    across = int(graph.degrees(other(side)).max(initial=0))
    return SideProfile(
        name=graph.name(side),
        entities=degrees.size,
        isolated=int((degrees == 0).sum()),
        mean_degree=float(degrees.mean()),
        median_degree=float(np.median(degrees)),
        most_edges=int(degrees.max(initial=0)),
        unique_degree=unique_share(degrees),
        unique_place=unique_share(places),
        largest_groups=degrees.size // max(across, 1),
    )


def unique_share(numbers: NDArray[np.int64]) -> float:
    """The share of entries that no other is equal to.

    >>> unique_share(np.array([3, 1, 3, 2]))
    0.5
    """
    return float((np.unique(numbers, return_counts=True)[1] == 1).sum() / numbers.size)
