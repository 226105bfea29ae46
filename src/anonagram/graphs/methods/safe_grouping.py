"""Safe groupings: the whole graph, and groups in which nobody can tell which node is whose."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonagram.calls import AtLeast
from anonagram.errors import CannotAnonymize
from anonagram.graphs.graph import Graph
from anonagram.graphs.method import GraphMethod
from anonagram.graphs.schema import SIDES, Side, other
from anonagram.kernels.safe_groups import alike_first, first_fit, place_left
from anonagram.key import Key
from anonagram.methods.publication import Publication
from anonagram.models import PrivacyModel
from anonagram.models.safe_grouping import SafelyGrouped
from anonagram.partition import Partition
from anonagram.release import GroupedGraphRelease, Manifest
from anonagram.runtime.progress import step
from anonagram.shown.wording import how_many

TRIES = 8
"""Orders of the nodes that are tried before giving up."""


@dataclass(frozen=True, repr=False)
class SafeGrouping(GraphMethod, call="safe_grouping", example="safe_grouping(k=5, l=5)"):
    """Cormode, Srivastava, Yu and Zhang (2008): hide which entity is which node, in safe groups.

    Nobody of a group shares a neighbour with another of it, so by the groups alone an edge between
    two entities is there with a probability of 1/max(k, l) at most. With ``l=1`` it is told which
    node is which entity of the right side.

    >>> from anonagram import Graph, Key
    >>> people = {"who": ["a", "b", "c", "d"], "sex": ["F", "M", "F", "M"]}
    >>> things = {"what": ["x", "y"], "kind": ["pill", "cream"]}
    >>> edges = {"who": ["a", "b", "c"], "what": ["x", "y", "y"]}
    >>> schema = {
    ...     "left": {"who": "identifier", "sex": "quasi"},
    ...     "right": {"what": "identifier", "kind": "plain"},
    ...     "edges": {"who": "left", "what": "right"},
    ... }
    >>> graph = Graph.read(people, things, edges, schema)
    >>> release = SafeGrouping(k=2, l=1).anonymize(graph, Key(bytes(32)))
    >>> release.manifest.claims
    (Claim(model='safe_grouping(k=2, l=1)', achieved=2.0),)
    >>> release.query("SELECT COUNT(*) FROM edges JOIN left USING (who) WHERE sex = 'F'")[0]
    {'COUNT(*)': Answer(estimate=1.5, lower=1, upper=2, deviation=None, exact=False)}
    """

    k: Annotated[int, AtLeast(1)]
    """Entities in a group of the left side."""
    l: Annotated[int, AtLeast(1)]
    """Entities in a group of the right side."""
    order: Literal["degree", "arbitrary"] = "degree"
    """In which order nodes join groups: those alike in degree, or at random; never by attributes."""
    strict: bool = True
    """No group has more than one entity above k or l."""

    def promises(self) -> tuple[PrivacyModel, ...]:
        """Safe groups of at least these sizes."""
        return (SafelyGrouped(self.k, self.l),)

    def rearrange(self, graph: Graph, key: Key, manifest: Manifest) -> Publication:
        """Group both sides; publish entities, nodes and edges in random order."""
        refuse_dense(graph, self.k, self.l)
        tables: dict[str, pl.DataFrame] = {}
        mappings = []
        label: dict[Side, NDArray[np.int32]] = {}
        for side, size in zip(SIDES, (self.k, self.l), strict=True):
            step(f"Grouping {graph.name(side)}")
            partition = self.group(graph, side, size, key)
            entities = partition.arrange(key, f"{side} entities")
            # the same groups have the same numbers; inside them nodes get an order of their own
            nodes = key.shuffle(f"{side} nodes", entities.order.copy(), entities.starts)
            label[side] = np.empty(nodes.size, np.int32)
            label[side][nodes] = np.arange(1, nodes.size + 1, dtype=np.int32)
            group, node = manifest.layout["group"], manifest.layout["node"]
            table = graph.table(side)
            tables[side] = pl.DataFrame(
                {group: entities.group_ids}
                | {c.name: c.decode(c.codes[entities.order]) for c in table.columns}
            )
            tables[f"{side}_nodes"] = pl.DataFrame(
                {node: np.arange(1, nodes.size + 1, dtype=np.int32), group: entities.group_ids}
            )
            mappings.append(
                pl.DataFrame(
                    {
                        "side": pl.repeat(side, table.rows, dtype=pl.String, eager=True),
                        "group": entities.group_ids[entities.position_of],
                        "row": entities.position_of,
                        "node": label[side],
                    }
                )
            )
        tables["edges"] = _edges(graph, label, manifest)
        names = GroupedGraphRelease.own_tables(manifest)
        release = GroupedGraphRelease(manifest, {name: tables[name] for name in names})
        return Publication(release, pl.concat(mappings))

    def group(self, graph: Graph, side: Side, size: int, key: Key) -> Partition:
        """Groups of a side, by the first order of its nodes that leaves nobody over."""
        count = graph.table(side).rows
        if size == 1:
            return Partition(np.arange(count, dtype=np.int32), count)
        fewest = count
        for attempt in range(TRIES):
            order = self.order_of(graph, side, key.at(side, attempt), attempt)
            found = safe_groups(graph, side, size, order, strict=self.strict)
            if not found.left:
                return found.partition
            fewest = min(fewest, found.left)
        raise CannotAnonymize(
            f"{self!r}: in {TRIES} orders of {graph.name(side)} at least {fewest:,} of "
            f"{count:,} found no group of {size} in which nobody shares a neighbour with them.",
            f"smaller groups{', or strict=False' if self.strict else ''}.",
        )

    def order_of(self, graph: Graph, side: Side, key: Key, attempt: int) -> NDArray[np.int32]:
        """The nodes by degree, the highest first, and at random among equals; or all at random."""
        shuffled = key.permutation("order", graph.table(side).rows)
        if self.order == "arbitrary" or attempt >= TRIES // 2:
            return shuffled
        alike = alike_first(graph.adjacency(side), graph.adjacency(other(side)).starts)
        return shuffled[np.argsort(-alike[shuffled], kind="stable")]


class Found(NamedTuple):
    """Groups, and how many nodes found no place."""

    partition: Partition
    first_left: int
    """After the first pass."""
    left: int
    """In the end."""


def safe_groups(
    graph: Graph, side: Side, size: int, order: NDArray[np.int32], *, strict: bool
) -> Found:
    """First fit, then a place in full groups for those of groups that did not fill."""
    own, across = graph.adjacency(side), graph.adjacency(other(side))
    found, sizes = first_fit(own, across.starts, order, size)
    number = np.where(sizes >= size, np.cumsum(sizes >= size) - 1, -1).astype(np.int32)
    group_of = number[found]
    full = sizes[sizes >= size]
    left = order[group_of[order] < 0]
    first, most = left.size, size
    while left.size and full.size and most < (size + 1 if strict else order.size):
        most += 1
        place_left(own, across, group_of, full, left, most)
        left = left[group_of[left] < 0]
    return Found(Partition(group_of, full.size), first, left.size)


def refuse_dense(graph: Graph, k: int, l: int) -> None:
    """Refuse before trying what no grouping can do."""
    for side, size in zip(SIDES, (k, l), strict=True):
        rows, name = graph.table(side).rows, graph.name(side)
        if size > rows:
            raise CannotAnonymize(
                f"Groups of {size:,} cannot be made of {rows:,} {name}.", f"at most {rows:,}."
            )
        most = int(graph.degrees(other(side)).max(initial=0))
        # the neighbours of one node are all in different groups
        if most * size > rows:
            raise CannotAnonymize(
                f"One of {graph.name(other(side))} has {how_many(most, 'edge')}, so {name} need "
                f"{how_many(most, 'group')}, and {rows:,} of them make at most "
                f"{how_many(rows // size, 'group')} of {size}.",
                f"groups of at most {rows // most}"
                + (", or leave such entities out." if rows // most > 1 else ": leave it out."),
            )
    density = graph.edges / (graph.left.rows * graph.right.rows)
    if density > 1 / max(k, l):
        raise CannotAnonymize(
            f"{density:.1%} of all possible edges are there; safe groups of {max(k, l)} can have at "
            f"most {1 / max(k, l):.1%}.",
            f"groups of at most {int(1 / density)}.",
        )


def _edges(graph: Graph, label: dict[Side, NDArray[np.int32]], manifest: Manifest) -> pl.DataFrame:
    """The edges between nodes, sorted, so that their order tells nothing."""
    layout = manifest.layout
    ends = {layout[f"{side}_node"]: label[side][graph.ends(side)] for side in SIDES}
    return pl.DataFrame(ends).sort(*ends)
