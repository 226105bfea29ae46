"""An intruder who looks at a graph: what he is sure of is that two entities are connected."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, ClassVar

import numpy as np
from numpy.typing import NDArray

from anonagram.attacks import Attack, Target, Verdict
from anonagram.attacks.attack import F, given
from anonagram.calls.parameters import Between
from anonagram.graphs.schema import SIDES, Side
from anonagram.release import GroupedGraphRelease

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Chance = Annotated[float, Between(0, 1)]
MOST = 0.34
"""How sure anybody may be of a connection: one of three, as with rows of tables."""
ROUNDING = 1e-12


class GraphAttack(Attack[F], home="anonagram.graphs.attacks"):
    """An intruder who has a graph's release."""

    noun = "attack on graphs"
    needs: ClassVar[tuple[str, ...]] = ("release",)

    def unfit(self, target: Target) -> str:
        """He looks at graphs with edges only."""
        if why := super().unfit(target):
            return why
        graph = given(target.release).graph
        if graph is None:
            return f"{self.call} looks at graphs."
        return "" if graph.names.edges else f"{self.call} looks at edges: there are none."


def graph_of(target: Target) -> GroupedGraphRelease:
    """The graph of a target that has one."""
    return given(given(target.release).graph)


def verdict_of(surest: float, most: float) -> Verdict:
    """Whether somebody is surer of a connection than he may be."""
    return Verdict.DOES_NOT_WITHSTAND if surest > most + ROUNDING else Verdict.WITHSTANDS


@dataclass(frozen=True)
class Connected:
    """The edges of a graph by the groups that they connect, or by any finer classes of nodes."""

    left: Ints
    """The class at the left end of each edge."""
    right: Ints
    sizes: tuple[Ints, Ints]
    """How many nodes each class has."""

    @classmethod
    def by_group(cls, release: GroupedGraphRelease) -> Connected:
        """Somebody who knows the groups."""
        left, right = (release.side(side) for side in SIDES)
        ends = [each.group_of_node[each.ends] for each in (left, right)]
        return cls(ends[0], ends[1], (left.sizes, right.sizes))

    @classmethod
    def by_look(cls, release: GroupedGraphRelease, looks: dict[str, Ints]) -> Connected:
        """Somebody who also knows what everybody's node looks like, as a number."""
        ends, sizes = [], []
        for side in SIDES:
            view = release.side(side)
            of_node, _ = view.alike(looks[side])
            ends.append(of_node[view.ends])
            sizes.append(np.bincount(of_node))
        return cls(ends[0], ends[1], (sizes[0], sizes[1]))

    @cached_property
    def chances(self) -> Floats:
        """For each edge how sure he is of it: each node of a class may be anybody's of it.

        No two of the nodes in question need be connected otherwise, so that this is at most 1.
        """
        met = self.left * self.sizes[1].size + self.right
        _, pair, edges = np.unique(met, return_inverse=True, return_counts=True)
        sure: Floats = edges[pair] / (self.sizes[0][self.left] * self.sizes[1][self.right])
        return sure

    def alone(self, place: int) -> Ints:
        """Classes of a side, by its place, that have one node."""
        return np.flatnonzero(self.sizes[place] == 1)


def found_shares(release: GroupedGraphRelease, connected: Connected) -> dict[Side, float]:
    """For each side the share of nodes that are alone in their class."""
    return {
        side: connected.alone(place).size / release.side(side).group_of_node.size
        for place, side in enumerate(SIDES)
    }


def density(release: GroupedGraphRelease) -> float:
    """How sure somebody is of a connection who knows only how many there are."""
    left, right = (release.side(side).group_of_node.size for side in SIDES)
    return release.names.edges / (left * right)
