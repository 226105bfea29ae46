"""A bipartite graph whose nodes are known, and of which nobody knows which entity is which node."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NoReturn, Self

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonagram.errors import CallError, ReleaseDamaged
from anonagram.release.checks import (
    require_columns,
    require_groups,
    require_rows,
    require_same_groups,
    require_table,
)
from anonagram.release.decoding import Whole
from anonagram.release.manifest import Manifest
from anonagram.release.release import Figures, Release
from anonagram.release.signatures import ROUNDS, signatures
from anonagram.shown.wording import how_many

SIDES = ("left", "right")
REMEDY = "docs/graphs.md says what a graph can be asked."


@dataclass(frozen=True)
class GraphNames:
    """What only a grouped graph tells: how many edges it has, and what questions call its tables."""

    edges: Whole
    tables: tuple[str, str]
    keys: tuple[str, str]
    """The column that named the entities of each table."""
    ends: tuple[str, str]
    """The column of the edges that named each end."""


@dataclass(frozen=True)
class SideView:
    """One side of a graph as arrays: entities and nodes, both numbered from 0."""

    group_of_entity: NDArray[np.int64]
    group_of_node: NDArray[np.int64]
    sizes: NDArray[np.int64]
    """Entities, and as many nodes, in each group."""
    ends: NDArray[np.int64]
    """The node at this end of each edge."""
    degrees: NDArray[np.int64]
    """Edges of each node."""

    @cached_property
    def own_degrees(self) -> NDArray[np.bool_]:
        """Nodes with a number of edges that no other node of their group has."""
        alone: NDArray[np.bool_] = self.alike(self.degrees)[1] == 1
        return alone

    def alike(self, numbers: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The class of each node, of those of its group with its number, and how many are in it."""
        most = int(numbers.max(initial=0)) + 1
        _, place, count = np.unique(
            self.group_of_node * most + numbers, return_inverse=True, return_counts=True
        )
        return place, count[place]


@dataclass(frozen=True, repr=False)
class GroupedGraphRelease(Release, shape="grouped_graph"):
    """Two tables of entities as they are, and a graph whose nodes have no names.

    ``left`` and ``right`` hold the entities with the number of their group, ``left_nodes`` and
    ``right_nodes`` the nodes of the graph with theirs, ``edges`` which nodes are connected. As many
    nodes as entities have a number; which is whose is not told.
    """

    parts: Mapping[str, pl.DataFrame]
    own_columns = ("group", "node", "left_node", "right_node")
    originals = SIDES
    section = GraphNames

    @classmethod
    def own_tables(cls, manifest: Manifest) -> list[str]:  # noqa: ARG003
        """Entities and nodes of both sides, and the edges."""
        return ["left", "right", "left_nodes", "right_nodes", "edges"]

    @property
    def tables(self) -> dict[str, pl.DataFrame]:
        """The tables by name."""
        return dict(self.parts)

    @property
    def graph(self) -> Self:
        """It is."""
        return self

    @property
    def names(self) -> GraphNames:
        """How many edges it has, and what questions call its tables."""
        return self.manifest.section_as(GraphNames)

    @classmethod
    def from_tables(cls, manifest: Manifest, tables: Mapping[str, pl.DataFrame]) -> Self:
        """Check that entities, nodes and edges fit, and that no group has a common neighbour."""
        release = cls(manifest, {name: tables[name] for name in cls.own_tables(manifest)})
        for side in SIDES:
            release._require_side(side)
        release._require_edges()
        return release

    def _require_side(self, side: str) -> None:
        manifest, nodes = self.manifest, f"{side}_nodes"
        group, node = manifest.layout["group"], manifest.layout["node"]
        about = manifest.table(side)
        require_table(side, self.parts[side], about.columns, group)
        require_groups(side, self.parts[side], group, about.rows.published)
        require_columns(nodes, self.parts[nodes], [node, group])
        require_groups(nodes, self.parts[nodes], group, about.rows.published)
        require_same_groups(nodes, self.parts[nodes], self.parts[side], group)
        numbers = self.parts[nodes][node]
        is_counted = numbers.dtype.is_integer() and numbers.n_unique() == numbers.len()
        if not is_counted or numbers.min() != 1 or numbers.max() != numbers.len():
            raise ReleaseDamaged(f"Table {nodes} does not number its nodes from 1 without a gap.")
        counted = [
            self.parts[name].group_by(group).agg(pl.len()).sort(group) for name in (side, nodes)
        ]
        if not counted[0].equals(counted[1]):
            raise ReleaseDamaged(f"A group has not as many nodes in {nodes} as entities in {side}.")

    def _require_edges(self) -> None:
        edges, layout = self.parts["edges"], self.manifest.layout
        ends = [layout[f"{side}_node"] for side in SIDES]
        require_columns("edges", edges, ends)
        require_rows("edges", edges, self.names.edges)
        for side, end in zip(SIDES, ends, strict=True):
            numbers, most = edges[end], self.manifest.table(side).rows.published
            if not numbers.dtype.is_integer() or numbers.has_nulls():
                raise ReleaseDamaged(f"Table edges has an edge without a node in {end!r}.")
            if not ((numbers >= 1) & (numbers <= most)).all():
                raise ReleaseDamaged(f"Table edges has a node in {end!r} that is none.")
        if edges.is_duplicated().any():
            raise ReleaseDamaged("Table edges has an edge twice.")
        if not self.is_safe:
            raise ReleaseDamaged("Two nodes of a group have a neighbour in common.")

    @cached_property
    def is_safe(self) -> bool:
        """Whether no two nodes of a group have a neighbour in common: bounds rely on it."""
        return all(self.clashes(side).is_empty() for side in SIDES)

    def clashes(self, side: str) -> pl.DataFrame:
        """Groups of a side with two nodes that have a neighbour in common: group and neighbours."""
        layout, across = self.manifest.layout, SIDES[1 - SIDES.index(side)]
        group, node = layout["group"], layout["node"]
        own, theirs = layout[f"{side}_node"], layout[f"{across}_node"]
        joined = self.parts["edges"].join(
            self.parts[f"{side}_nodes"], left_on=own, right_on=node, how="inner"
        )
        met = (
            joined.group_by(group, theirs).agg(pl.len().alias("nodes")).filter(pl.col("nodes") > 1)
        )
        return met.group_by(pl.col(group).alias("group")).agg(pl.len().alias("neighbours"))

    def side(self, side: str) -> SideView:
        """One side of the graph as arrays."""
        return self._sides[side]

    @cached_property
    def _sides(self) -> dict[str, SideView]:
        return {side: self._side(side) for side in SIDES}

    def _side(self, side: str) -> SideView:
        layout = self.manifest.layout
        group, node = layout["group"], layout["node"]
        entities = self.parts[side][group].to_numpy().astype(np.int64) - 1
        nodes = self.parts[f"{side}_nodes"].sort(node)[group].to_numpy().astype(np.int64) - 1
        ends = self.parts["edges"][layout[f"{side}_node"]].to_numpy().astype(np.int64) - 1
        return SideView(
            entities, nodes, np.bincount(entities), ends, np.bincount(ends, minlength=nodes.size)
        )

    def signatures(self, rounds: int = ROUNDS) -> dict[str, NDArray[np.int64]]:
        """For each side what its nodes look like by the graph so many edges around them."""
        left, right = (self.side(side) for side in SIDES)
        return signatures(
            left.ends, right.ends, (left.group_of_node.size, right.group_of_node.size), rounds
        )

    @cached_property
    def own_surroundings(self) -> dict[str, NDArray[np.bool_]]:
        """For each side the nodes that no other of their group looks like, by the graph around."""
        return {
            side: self.side(side).alike(looks)[1] == 1 for side, looks in self.signatures().items()
        }

    @cached_property
    def found_by_graph(self) -> dict[str, float]:
        """For each side the share of nodes that no other of their group looks like."""
        return {side: float(alone.mean()) for side, alone in self.own_surroundings.items()}

    @cached_property
    def found_by_degree(self) -> dict[str, float]:
        """For each side the share of nodes with a number of edges that no other of theirs has."""
        return {side: float(self.side(side).own_degrees.mean()) for side in SIDES}

    def not_hidden(self) -> str:
        """The worst that is true of every graph published as it is, in words."""
        by_graph, by_degree = (
            " and ".join(
                f"{found[side]:.1%} of {name}"
                for side, name in zip(SIDES, self.names.tables, strict=True)
            )
            for found in (self.found_by_graph, self.found_by_degree)
        )
        return (
            f"Whoever knows the graph around somebody (how many edges she has, her neighbours, and "
            f"theirs) finds the node of {by_graph}; by the number of edges alone {by_degree}"
        )

    def entities(self, side: str) -> pl.DataFrame:
        """The entities of a side, without their groups."""
        return self.parts[side].drop(self.manifest.layout["group"])

    def values(self, column: str) -> pl.Series:
        """The values of an entity's column, as they are."""
        self.require_published(column)
        return next(
            self.parts[side][column] for side in SIDES if column in self.parts[side].columns
        )

    def make_sheet(self) -> NoReturn:
        """Refuse: a graph is no table of people."""
        raise CallError("A graph is not one table: its rows are entities and edges.", REMEDY)

    def figures(self) -> Figures:
        """Who is found in her group by the graph around her or the number of her edges; groups."""
        sizes = {side: self.side(side).sizes for side in SIDES}
        risk = {f"{side}_found_by_graph": self.found_by_graph[side] for side in SIDES}
        risk |= {f"{side}_found_by_degree": self.found_by_degree[side] for side in SIDES}
        risk["highest_edge_probability"] = 1 / max(int(each.min()) for each in sizes.values())
        return risk, {f"mean_{side}_group": float(each.mean()) for side, each in sizes.items()}

    def keys(self, table: str) -> dict[str, Any]:
        """Nodes stand once; edges refer to them."""
        layout = self.manifest.layout
        if table in ("left_nodes", "right_nodes"):
            return {"primaryKey": [layout["node"]]}
        if table != "edges":
            return {}
        ends = [layout[f"{side}_node"] for side in SIDES]
        return {
            "primaryKey": ends,
            "foreignKeys": [
                {
                    "fields": [end],
                    "reference": {"resource": f"{side}_nodes", "fields": [layout["node"]]},
                }
                for side, end in zip(SIDES, ends, strict=True)
            ],
        }

    def _size(self) -> str:
        rows = [self.manifest.table(side).rows.published for side in SIDES]
        groups = [self.side(side).sizes.size for side in SIDES]
        left, right = self.names.tables
        return (
            f"{rows[0]:,} {left} in {how_many(groups[0], 'group')}, {rows[1]:,} {right} in {groups[1]:,}, "
            f"{how_many(self.names.edges, 'edge')}"
        )
