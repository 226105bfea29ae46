"""The nodes, edges and groups of a graph in the orders in which compiled passes go over them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anonagram.kernels.picks import sort_in_groups
from anonagram.release import GroupedGraphRelease

SIDES = ("left", "right")
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def across(side: str) -> str:
    """The other side."""
    return SIDES[1 - SIDES.index(side)]


@dataclass(frozen=True)
class Ordered:
    """What the nodes of each group have, the least first."""

    each: Floats
    before: Floats
    """What all nodes before each have together, and all of them at the end."""

    @classmethod
    def of(cls, each: Floats) -> Ordered:
        """Add up what stands in order."""
        return cls(each, np.concatenate([[0.0], np.cumsum(each)]))


@dataclass(frozen=True)
class Groups:
    """The nodes of a side in the order of their groups, and their edges in the same order."""

    order: Ints
    starts: Ints
    entity_order: Ints
    of_edge: Ints
    """The group at this end of each edge."""
    edges: Ints
    """The number of each edge, those of a node together."""
    edge_starts: Ints
    edges_into: NDArray[np.int32]
    """The group at the other end of each of them."""
    degrees: Ordered
    """Edges of the nodes of each group, the fewest first."""

    @classmethod
    def of(cls, release: GroupedGraphRelease, side: str) -> Groups:
        """Sort nodes and entities by group, and edges by node."""
        view, beyond = release.side(side), release.side(across(side))
        order = np.argsort(view.group_of_node, kind="stable")
        place_of = np.empty_like(order)
        place_of[order] = np.arange(order.size)
        starts = np.concatenate([[0], np.cumsum(view.sizes)])
        edges = np.argsort(place_of[view.ends], kind="stable")
        degrees = view.degrees[order]
        ordered = sort_in_groups(starts, degrees.astype(np.float64))
        return cls(
            order,
            starts,
            np.argsort(view.group_of_entity, kind="stable"),
            view.group_of_node[view.ends],
            edges,
            np.concatenate([[0], np.cumsum(degrees)]),
            beyond.group_of_node[beyond.ends][edges].astype(np.int32),
            Ordered.of(ordered),
        )


@dataclass(frozen=True)
class Pairs:
    """Which groups have edges between them."""

    of_edge: Ints
    left: NDArray[np.int32]
    """The group of each pair on the left side."""
    right: NDArray[np.int32]
    edges: Ints
    """How many edges each pair has."""

    @classmethod
    def of(cls, groups: dict[str, Groups], sizes: int) -> Pairs:
        """Number the pairs of groups that edges connect; so many groups are on the right."""
        met = groups["left"].of_edge * sizes + groups["right"].of_edge
        pairs, of_edge, edges = np.unique(met, return_inverse=True, return_counts=True)
        left, right = np.divmod(pairs, sizes)
        return cls(of_edge, left.astype(np.int32), right.astype(np.int32), edges)
