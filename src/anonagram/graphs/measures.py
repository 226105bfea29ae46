"""What a release of a graph risks, and how large its groups are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Self

import numpy as np

from anonagram.attacks.attack import given
from anonagram.graphs.attack import Connected
from anonagram.graphs.attacks.learned_links import replay
from anonagram.graphs.schema import SIDES, Side
from anonagram.measures.spread import Spread, spread
from anonagram.release import GroupedGraphRelease, Release
from anonagram.shown.result import Shown


@dataclass(frozen=True)
class SideMeasures:
    """One side of a release."""

    name: str
    entities: int
    groups: int
    group_sizes: Spread
    degrees: Spread
    found_by_graph: float
    """The share of nodes found by whoever knows the graph around everybody."""
    found_by_degree: float
    found_by_edge: float | None
    """Of those who have two edges or more, by whoever knows one of them."""
    counted: Mapping[str, Mapping[int, int]]
    """How many groups have how many entities, and how many nodes how many edges."""


@dataclass(frozen=True)
class GraphMeasures(Shown):
    """What was measured on a release of a graph, from its tables alone."""

    shown_by = "graph_measures"

    method: str
    edges: int
    sides: tuple[SideMeasures, ...]
    edge_chance: Spread | None
    """Over edges: how sure whoever knows the groups is of each."""
    not_hidden: str

    @classmethod
    def of(cls, published: Release) -> Self:
        """Measure it."""
        release = given(published.graph)
        chances = Connected.by_group(release).chances
        return cls(
            release.manifest.method,
            release.names.edges,
            tuple(_side(release, side) for side in SIDES),
            spread(chances, np.ones(chances.size)) if chances.size else None,
            release.not_hidden(),
        )

    def to_dict(self) -> dict[str, Any]:
        """What `anonagram measure --json` prints."""
        return asdict(self)


def _side(release: GroupedGraphRelease, side: Side) -> SideMeasures:
    view = release.side(side)
    found = replay(release, side, 1) if (view.degrees > 1).any() else None
    return SideMeasures(
        name=release.names.tables[SIDES.index(side)],
        entities=view.group_of_entity.size,
        groups=view.sizes.size,
        group_sizes=spread(view.sizes, np.ones(view.sizes.size)),
        degrees=spread(view.degrees, np.ones(view.degrees.size)),
        found_by_graph=release.found_by_graph[side],
        found_by_degree=release.found_by_degree[side],
        found_by_edge=None if found is None else float((found.left == 1).mean()),
        counted={
            what: dict(
                zip(*(each.tolist() for each in np.unique(of, return_counts=True)), strict=True)
            )
            for what, of in (("group_sizes", view.sizes), ("degrees", view.degrees))
        },
    )
