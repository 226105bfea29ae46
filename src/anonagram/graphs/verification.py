"""What an entity of a graph can find out about how well she is hidden in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anonagram.errors import CallError, suggest
from anonagram.graphs.subjects import DEGREE, Subjects, subjects_of
from anonagram.release import Release
from anonagram.release.grouped_graph import SIDES
from anonagram.shown.result import Shown
from anonagram.shown.wording import how_many
from anonagram.verify.record import sought_in, texts_of

MOST_SHOWN = 5
DECIMALS = 12
"""Beliefs that differ by less come from the order of a sum."""


@dataclass(frozen=True)
class LikelyEdge:
    """Entities of one group across, each of which she is equally likely connected with."""

    group: int
    probability: float
    """That she is connected with a certain one of them."""
    entities: tuple[str, ...]


@dataclass(frozen=True)
class GraphVerification(Shown):
    """What somebody who knows her, and perhaps one of her edges or how many, would find."""

    shown_by = "graph_verification"

    method: str
    table: str
    across: str
    known: Mapping[str, str]
    alike: int
    """Entities that look like her."""
    groups: int
    """Groups that they are in."""
    group: int | None
    """Her group, where it is only one."""
    nodes: int
    """Nodes that can be hers by her group."""
    told_degree: int | None
    """How many edges she has, where she said so."""
    with_degree: int | None
    """Nodes that can be hers for somebody who knows how many edges she has."""
    own_surroundings: int
    """Nodes that no other of their group looks like: whoever knows the graph around her knows the node."""
    own_degree: int
    """Nodes whose number of edges no other of the group has: whoever knows it knows the node."""
    after_edge: int
    """Nodes left, at worst, for somebody who knows one of her edges."""
    sure_after_edge: float
    """How sure, at most, he then is of another edge of hers."""
    likeliest: tuple[LikelyEdge, ...]

    def to_dict(self) -> dict[str, Any]:
        """What `anonagram verify --json` prints."""
        return asdict(self) | {"summary": self.summary()}

    def summary(self) -> list[str]:
        """What it means, the worst first; the page says the same (`page.js`)."""
        if not self.alike:
            return [f"Nobody in {self.table} has these values: you are not in the release."]
        if self.with_degree == 0:
            return [
                f"No node that can be yours has {_edges(self.told_degree)}: you are not in the release."
            ]
        by_degree, by_edge = self._by_degree(), self._by_edge()
        first = [*by_degree, by_edge] if self.with_degree == 1 else [by_edge, *by_degree]
        told = [*self._by_surroundings(), *first, self._by_groups()]
        if self.likeliest:
            told.append(
                f"Somebody who knows you would believe at most with {self.likeliest[0].probability:.1%} "
                f"that you are connected with a certain one of {self.across}."
            )
        return told

    def _by_surroundings(self) -> list[str]:
        fitting = self.nodes if self.with_degree is None else self.with_degree
        if not self.own_surroundings:
            return []
        if fitting == 1:
            which = "The only node that can be yours looks"
        elif self.own_surroundings == fitting:
            which = f"All {how_many(fitting, 'node')} that can be yours look"
        else:
            looks = "looks" if self.own_surroundings == 1 else "look"
            which = f"{self.own_surroundings:,} of the {how_many(fitting, 'node')} that can be yours {looks}"
        return [
            f"{which} like no other of the group by the graph around (how many edges you have, "
            "those you are connected with, and theirs): whoever knows that of you "
            f"{'knows' if self.own_surroundings == fitting else 'may know'} your node."
        ]

    def _by_degree(self) -> list[str]:
        if self.with_degree == 1:
            return [
                f"Whoever knows that you have {_edges(self.told_degree)} knows your node in the graph, "
                f"and for each of your edges the group of {self.across} it leads to."
            ]
        if self.with_degree is not None:
            return [
                f"For somebody who knows that you have {_edges(self.told_degree)}, "
                f"{how_many(self.with_degree, 'node')} can be yours."
            ]
        if not self.own_degree:
            return []
        return [
            f"{self.own_degree:,} of the {how_many(self.nodes, 'node')} that can be yours "
            f"{'has' if self.own_degree == 1 else 'have'} a number of edges that no other of the group "
            f"has: if {'it' if self.own_degree == 1 else 'one of them'} is yours, whoever knows how "
            f"many edges you have knows your node. Give their number ({DEGREE}) to see."
        ]

    def _by_edge(self) -> str:
        left = how_many(self.after_edge, "node is", "nodes are")
        told = f"For somebody who knows one of your edges, {left} left at worst"
        if not self.sure_after_edge:
            return f"{told}."
        return (
            f"{told}; of another of your edges he can then be sure with up to "
            f"{self.sure_after_edge:.1%}."
        )

    def _by_groups(self) -> str:
        where = how_many(self.groups, "group") if self.group is None else f"group {self.group:,}"
        look = f"{self.alike:,} in {self.table} look{'s' if self.alike == 1 else ''} like you"
        return (
            f"By the groups alone, {how_many(self.nodes, 'node')} of {where} can be yours ({look})."
        )


def verify_graph(published: Release, table: str, record: Mapping[str, Any]) -> GraphVerification:
    """Look for somebody in a graph by the values of her columns and, if given, her degree."""
    release = published.graph
    if release is None:
        raise CallError("The release is no graph.", "anonagram.verify.verify looks into tables.")
    names = release.names.tables
    if table not in (*names, *SIDES):
        raise CallError(f"The graph has no table {table!r}.", suggest(table, names))
    side = SIDES[names.index(table)] if table in names else table
    here, across = (subjects_of(release, each) for each in (side, SIDES[1 - SIDES.index(side)]))
    given = texts_of(record)
    degree = _whole(given.pop(DEGREE)) if DEGREE in given and DEGREE not in here.columns else None
    alike = _alike(here, given)
    groups = np.unique(here.view.group_of_entity[alike])
    nodes = np.flatnonzero(np.isin(here.view.group_of_node, groups))
    fitting = nodes if degree is None else nodes[here.view.degrees[nodes] == degree]
    chance = _chances(here, alike, fitting)
    left, sure = _after_edge(here, across, chance)
    return GraphVerification(
        method=release.manifest.method,
        table=here.table,
        across=across.table,
        known={name: value or "" for name, value in given.items()},
        alike=int(alike.size),
        groups=int(groups.size),
        group=int(groups[0]) + 1 if groups.size == 1 else None,
        nodes=int(nodes.size),
        told_degree=degree,
        with_degree=None if degree is None else int(fitting.size),
        own_surroundings=int(release.own_surroundings[side][fitting].sum()),
        own_degree=int(here.view.own_degrees[nodes].sum()),
        after_edge=left,
        sure_after_edge=sure,
        likeliest=_likeliest(here, across, chance),
    )


def _edges(number: int | None) -> str:
    return how_many(number or 0, "edge")


def _whole(value: str | None) -> int:
    text = (value or "").strip()
    if not (text.isascii() and text.isdecimal()):
        raise CallError(f"{value!r} is no number of edges.", f"{DEGREE} is a whole number.")
    return int(text)


def _alike(here: Subjects, given: Mapping[str, str | None]) -> NDArray[np.int64]:
    """The entities that have these values."""
    chosen = np.ones(here.view.group_of_entity.size, np.bool_)
    for name, text in given.items():
        if name not in here.columns:
            raise CallError(
                f"{here.table} has no column {name!r}.", suggest(name, [*here.columns, DEGREE])
            )
        chosen &= here.people[name] == sought_in(here.columns[name], text).code
    return np.flatnonzero(chosen)


def _chances(
    here: Subjects, alike: NDArray[np.int64], nodes: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Of each node how probably it is hers.

    Everybody alike is as likely to be her, and every node of a group to be that of one in it; of
    these only some fit.
    """
    view = here.view
    people = np.bincount(view.group_of_entity[alike], minlength=view.sizes.size)
    chance = np.zeros(view.group_of_node.size)
    if nodes.size:
        chance[nodes] = (people / view.sizes)[view.group_of_node[nodes]]
        chance /= chance.sum()
    return chance


def _after_edge(here: Subjects, across: Subjects, chance: NDArray[np.float64]) -> tuple[int, float]:
    """What somebody who knows one of her edges is left with: nodes, and another edge's chance.

    A node has one edge at most into a group across, so whoever knows whom she is connected with
    keeps the nodes with an edge into that group.
    """
    hers = np.flatnonzero(chance[here.view.ends] > 0)
    if not hers.size:
        return int((chance > 0).sum()), 0.0
    node, into = here.view.ends[hers], across.view.group_of_node[across.view.ends[hers]]
    order = np.argsort(node, kind="stable")
    node, into = node[order], into[order]
    left = int(np.bincount(into)[into].min())
    known, other, weight = _pairs(node, into, chance)
    if not known.size:
        return left, 0.0
    total = np.bincount(into, chance[node])
    both, place = np.unique(known * across.view.sizes.size + other, return_inverse=True)
    believed = np.bincount(place, weight) / total[both // across.view.sizes.size]
    return left, float((believed / across.view.sizes[both % across.view.sizes.size]).max())


def _pairs(
    node: NDArray[np.int64], into: NDArray[np.int64], chance: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """Each two edges of a node: the group of the known one, of the other, and the node's chance."""
    _, first, count = np.unique(node, return_index=True, return_counts=True)
    of_node = np.repeat(np.arange(count.size), count)
    times = count[of_node]
    one = np.repeat(np.arange(node.size), times)
    begin = np.cumsum(times) - times
    two = first[of_node][one] + np.arange(one.size) - begin[one]
    apart = one != two
    one, two = one[apart], two[apart]
    return into[one], into[two], chance[node[one]]


def _likeliest(
    here: Subjects, across: Subjects, chance: NDArray[np.float64]
) -> tuple[LikelyEdge, ...]:
    """The groups across with whose entities she is most likely connected."""
    view = across.view
    into = np.bincount(
        view.group_of_node[view.ends], chance[here.view.ends], minlength=view.sizes.size
    )
    likely = into / view.sizes
    best = np.argsort(-np.round(likely, DECIMALS), kind="stable")[:MOST_SHOWN]
    return tuple(
        LikelyEdge(
            int(group) + 1,
            float(likely[group]),
            _in_group(across, int(group)),
        )
        for group in best
        if likely[group] > 0
    )


def _in_group(across: Subjects, group: int) -> tuple[str, ...]:
    """The first entities of a group; how many they are where nothing else is told of them."""
    if not across.columns:
        return (f"{across.view.sizes[group]:,} of whom nothing else is told",)
    rows = np.flatnonzero(across.view.group_of_entity == group)[:MOST_SHOWN]
    return tuple(across.told(int(row)) for row in rows)
