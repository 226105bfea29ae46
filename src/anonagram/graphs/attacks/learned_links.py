"""The intruder who learned some of a person's edges."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, NamedTuple

import numpy as np

from anonagram.attacks import AttackResult, Target
from anonagram.calls import AtLeast
from anonagram.graphs.attack import (
    MOST,
    Chance,
    Connected,
    Floats,
    GraphAttack,
    Ints,
    graph_of,
    verdict_of,
)
from anonagram.graphs.schema import SIDES, Side, other
from anonagram.release import GroupedGraphRelease
from anonagram.shown.wording import how_many


class Replayed(NamedTuple):
    """What somebody finds who learned some edges of each entity of a side."""

    nodes: Ints
    """Whose edges he learned: those who have more of them."""
    left: Ints
    """How many nodes can be hers then."""
    surest: Floats
    """How sure he is, at most, of another edge of hers."""


@dataclass(frozen=True, repr=False)
class LearnedLinks(
    GraphAttack[dict[Side, Replayed]], call="learned_links", example="learned_links()"
):
    """He learns some edges of one person, and looks which nodes of her group have them.

    Cormode et al. (2008), Theorem 7: whoever learns r edges has groups of at least k - r and l - r
    left around everybody else. It says nothing of those whose edges he learned: who they are is
    replayed here, for everybody who has another edge. The baseline is what groups alone tell.
    """

    knows = "which group everybody is in, and some of a person's connections"
    links: Annotated[int, AtLeast(1)] = 1
    """How many of her edges he learned."""
    most: Chance = MOST
    """How sure of another connection of hers he may be at most."""

    def unfit(self, target: Target) -> str:
        """Somebody must have an edge that he did not learn."""
        if why := super().unfit(target):
            return why
        release = graph_of(target)
        if any((release.side(side).degrees > self.links).any() for side in SIDES):
            return ""
        return f"{self.call} looks for further edges: nobody has more than {self.links}."

    def attempt(self, target: Target) -> AttackResult[dict[Side, Replayed]]:
        """The surest that he can be of anything else about her counts."""
        release = graph_of(target)
        replayed = {side: replay(release, side, self.links) for side in SIDES}
        scores = np.concatenate([each.surest for each in replayed.values()])
        surest = float(scores.max())
        sentences = [
            _sentence(release, side, each, self.links)
            for side, each in replayed.items()
            if each.nodes.size
        ]
        return AttackResult(
            attack=self,
            verdict=verdict_of(surest, self.most),
            sentence=f"{' '.join(sentences)} Of another connection of theirs he is then sure with at "
            f"most {surest:.1%}.",
            records=np.arange(scores.size),
            scores=scores,
            baseline=_by_groups(release, replayed),
            figures=replayed,
            details=tuple(_left_around(release, self.links)),
            reason="connections that somebody learned" if surest > self.most else "",
        )


def _left_around(release: GroupedGraphRelease, links: int) -> list[str]:
    """What Theorem 7 says of everybody else."""
    left = [int(release.side(side).sizes.min()) - links for side in SIDES]
    if min(left) < 1:
        return []
    edges = "edge" if links == 1 else how_many(links, "edge")
    return [
        f"Everybody else stays in groups of at least {left[0]:,} and {how_many(left[1], 'node')}, whichever "
        f"{edges} of the graph he learned (Theorem 7)."
    ]


def _sentence(release: GroupedGraphRelease, side: Side, found: Replayed, links: int) -> str:
    name = release.names.tables[SIDES.index(side)]
    alone = float((found.left == 1).mean())
    edges = "a connection" if links == 1 else how_many(links, "connection")
    return (
        f"Whoever knows {edges} of one of {name} finds the node of {alone:.1%} of those who have more, "
        "and then the groups of all others they are connected with."
    )


def replay(release: GroupedGraphRelease, side: Side, links: int) -> Replayed:
    """Learn the first edges of everybody, and count the nodes of her group that have them too.

    Edges stand in the order of their nodes' labels, which are random.
    """
    view, beyond = release.side(side), release.side(other(side))
    across = beyond.group_of_node[beyond.ends]
    groups = beyond.sizes.size
    # a node has one edge into a group at most, so that this names an edge
    order = np.argsort(view.ends, kind="stable")
    own, into = view.ends[order], across[order]
    has = np.sort(own * groups + into)
    starts = np.concatenate([[0], np.cumsum(view.degrees)])
    nodes = np.flatnonzero(view.degrees > links)
    who, candidate = _with_edge_into(view.group_of_node, own, into, nodes, into[starts[nodes]])
    for more in range(1, links):
        wanted = candidate * groups + into[starts[nodes[who]] + more]
        met = has[np.minimum(np.searchsorted(has, wanted), has.size - 1)] == wanted
        who, candidate = who[met], candidate[met]
    left = np.bincount(who, minlength=nodes.size)
    # another edge of a node that can be hers leads into a group; how many of them have one there?
    edges = view.degrees[candidate]
    edge = np.repeat(starts[candidate], edges) + _counting(edges)
    pairs, shared = np.unique(np.repeat(who, edges) * groups + into[edge], return_counts=True)
    person, group = np.divmod(pairs, groups)
    learned = np.unique(
        np.repeat(np.arange(nodes.size), links) * groups
        + into[(starts[nodes][:, None] + np.arange(links)).ravel()]
    )
    is_other = ~np.isin(pairs, learned)
    surest = np.zeros(nodes.size)
    np.maximum.at(
        surest,
        person[is_other],
        (shared[is_other] / left[person[is_other]]) / beyond.sizes[group[is_other]],
    )
    return Replayed(nodes, left, surest)


def _with_edge_into(
    group_of: Ints, own: Ints, into: Ints, nodes: Ints, wanted: Ints
) -> tuple[Ints, Ints]:
    """For each node, by its place, all nodes of its group with an edge into the group wanted."""
    groups = int(into.max(initial=0)) + 1
    met = group_of[own] * groups + into
    order = np.argsort(met, kind="stable")
    met = met[order]
    asked = group_of[nodes] * groups + wanted
    first, last = (np.searchsorted(met, asked, side=side) for side in SIDES)
    each = last - first
    found = np.repeat(first, each) + _counting(each)
    return np.repeat(np.arange(nodes.size), each), own[order][found]


def _counting(lengths: Ints) -> Ints:
    """0, 1, … for each length, one after the other.

    >>> _counting(np.array([2, 0, 3])).tolist()
    [0, 1, 0, 1, 2]
    """
    before = np.cumsum(lengths) - lengths
    return np.arange(int(lengths.sum())) - np.repeat(before, lengths)


def _by_groups(release: GroupedGraphRelease, replayed: dict[Side, Replayed]) -> float:
    """How sure he is at most of an edge of the same people before he learned any, on average."""
    chances = Connected.by_group(release).chances
    highest = []
    for side, each in replayed.items():
        view = release.side(side)
        most = np.zeros(view.sizes.size)
        np.maximum.at(most, view.group_of_node[view.ends], chances)
        highest.append(most[view.group_of_node[each.nodes]])
    return float(np.concatenate(highest).mean())
