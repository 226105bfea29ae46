"""What an entity of a graph can find out about how well she is hidden in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonagram.errors import CallError, suggest
from anonagram.release import GroupedGraphRelease, Release
from anonagram.release.grouped_graph import SIDES, SideView
from anonagram.shown.result import Shown

MOST_SHOWN = 5
DEGREE = "degree"


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
    nodes: int
    """Nodes that can be hers by her group."""
    told_degree: int | None
    """How many edges she has, where she said so."""
    with_degree: int | None
    """Nodes that can be hers for somebody who knows how many edges she has."""
    own_degree: int
    """Nodes whose number of edges no other of the group has: whoever knows it knows the node."""
    after_edge: int
    """Nodes left, at worst, for somebody who knows one of her edges."""
    likeliest: tuple[LikelyEdge, ...]

    def to_dict(self) -> dict[str, Any]:
        """What `anonagram verify --json` prints."""
        return asdict(self) | {"summary": self.summary()}

    def summary(self) -> list[str]:
        """What it means, the worst first."""
        if not self.alike:
            return [f"Nobody in {self.table} has these values: you are not in the release."]
        told = []
        if self.with_degree == 0:
            told.append("No node of your group has so many edges: you are not in the release.")
        elif self.with_degree == 1:
            told.append(
                f"Whoever knows that you have {self.told_degree:,} edges knows your node in the graph, "
                f"and for each of your edges the group of {self.across} it leads to."
            )
        elif self.with_degree is not None:
            told.append(
                f"For somebody who knows that you have {self.told_degree:,} edges, "
                f"{self.with_degree:,} nodes can be yours."
            )
        elif self.own_degree:
            told.append(
                f"{self.own_degree:,} of the {self.nodes:,} nodes that can be yours have a number of "
                "edges that no other of their group has: if one of them is yours, whoever knows how "
                f"many edges you have knows your node. Say how many, as {DEGREE}."
            )
        told.append(
            f"For somebody who knows one of your edges, {self.after_edge:,} "
            f"node{' is' if self.after_edge == 1 else 's are'} left at worst."
        )
        told.append(
            f"By the groups alone, {self.nodes:,} nodes can be yours ({self.alike:,} in {self.table} "
            "look like you)."
        )
        if self.likeliest:
            told.append(
                f"Somebody who knows you would believe at most with {self.likeliest[0].probability:.1%} "
                f"that you are connected with a certain one of {self.across}."
            )
        return told


def verify_graph(published: Release, table: str, record: Mapping[str, Any]) -> GraphVerification:
    """Look for somebody in a graph by the values of her columns and, if given, her degree."""
    release = published.graph
    if release is None:
        raise CallError("The release is no graph.", "anonagram.verify.verify looks into tables.")
    names = release.names.tables
    if table not in (*names, *SIDES):
        raise CallError(f"The graph has no table {table!r}.", suggest(table, names))
    side = SIDES[names.index(table)] if table in names else table
    across = SIDES[1 - SIDES.index(side)]
    given = dict(record)
    degree = _whole(given.pop(DEGREE)) if DEGREE in given else None
    alike = _alike(release.entities(side), given, table)
    view, beyond = release.side(side), release.side(across)
    groups = np.unique(view.group_of_entity[alike])
    nodes = np.flatnonzero(np.isin(view.group_of_node, groups))
    fitting = nodes if degree is None else nodes[view.degrees[nodes] == degree]
    return GraphVerification(
        method=release.manifest.method,
        table=names[SIDES.index(side)],
        across=names[SIDES.index(across)],
        known={name: str(value) for name, value in given.items()},
        alike=int(alike.size),
        nodes=int(nodes.size),
        told_degree=degree,
        with_degree=None if degree is None else int(fitting.size),
        own_degree=int(view.own_degrees[nodes].sum()),
        after_edge=_after_edge(view, beyond, fitting),
        likeliest=_likeliest(release, view, across, alike, fitting),
    )


def _whole(value: Any) -> int:
    text = str(value).strip()
    if not text.isdecimal():
        raise CallError(f"{value!r} is no number of edges.", f"{DEGREE} is a whole number.")
    return int(text)


def _alike(entities: pl.DataFrame, given: Mapping[str, Any], table: str) -> NDArray[np.int64]:
    """The entities that have these values."""
    chosen = pl.Series([True]).new_from_index(0, entities.height)
    for name, value in given.items():
        if name not in entities.columns:
            raise CallError(
                f"{table} has no column {name!r}.", suggest(name, [*entities.columns, DEGREE])
            )
        texts, text = entities[name].cast(pl.String), str(value).strip()
        chosen &= texts.is_null() if text == "" else (texts == text).fill_null(False)
    return chosen.arg_true().to_numpy().astype(np.int64)


def _after_edge(view: SideView, beyond: SideView, nodes: NDArray[np.int64]) -> int:
    """The fewest of these nodes that have an edge into one and the same group across."""
    is_hers = np.zeros(view.group_of_node.size, np.bool_)
    is_hers[nodes] = True
    hers = is_hers[view.ends]
    into = beyond.group_of_node[beyond.ends[hers]]
    if not into.size:
        return int(nodes.size)
    pairs = np.unique(into * view.group_of_node.size + view.ends[hers]) // view.group_of_node.size
    return int(np.unique(pairs, return_counts=True)[1].min())


def _likeliest(
    release: GroupedGraphRelease,
    view: SideView,
    across: str,
    alike: NDArray[np.int64],
    nodes: NDArray[np.int64],
) -> tuple[LikelyEdge, ...]:
    """The groups across with whose entities she is most likely connected."""
    if not alike.size or not nodes.size:
        return ()
    # everybody alike is as likely to be her, and each node of her group to be hers
    people = np.bincount(view.group_of_entity[alike], minlength=view.sizes.size) / alike.size
    fitting = np.bincount(view.group_of_node[nodes], minlength=view.sizes.size)
    chance = np.zeros(view.group_of_node.size)
    chance[nodes] = (people / np.maximum(fitting, 1))[view.group_of_node[nodes]]
    beyond = release.side(across)
    into = np.bincount(
        beyond.group_of_node[beyond.ends], chance[view.ends], minlength=beyond.sizes.size
    )
    likely = into / beyond.sizes
    best = np.argsort(-likely, kind="stable")[:MOST_SHOWN]
    entities = release.entities(across)
    return tuple(
        LikelyEdge(
            int(group) + 1,
            float(likely[group]),
            tuple(
                ", ".join("–" if v is None else str(v) for v in entities.row(int(row)))
                for row in np.flatnonzero(beyond.group_of_entity == group)[:MOST_SHOWN]
            ),
        )
        for group in best
        if likely[group] > 0
    )
