"""Permuting edges inside groups: what safe groupings are compared with (Zhang 2007, section 4.3.3).

It keeps how many edges everybody has and destroys who has neighbours in common, so it is no method
here: `benchmarks/papers/2008_cormode_graphs` shows what it does to co-authors.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from anonagram.graphs.graph import Graph
from anonagram.key import Key


def permute_edges(graph: Graph, size: int, key: Key) -> Graph:
    """The right ends of edges permuted among so many edges of neighbouring left ends each.

    An edge that comes twice is left out, so there may be a few edges less.
    """
    starts = np.append(np.arange(0, graph.edges, size), graph.edges)
    order = np.argsort(graph.left_ends, kind="stable").astype(np.int32)
    shuffled = key.shuffle("edges", order, starts)
    both = np.unique(
        graph.left_ends[order].astype(np.int64) * graph.right.rows + graph.right_ends[shuffled]
    )
    left, right = (each.astype(np.int32) for each in np.divmod(both, graph.right.rows))
    return replace(graph, left_ends=left, right_ends=right)


def common_neighbours(graph: Graph) -> dict[int, int]:
    """How many pairs of left entities have so many neighbours in common."""
    starts, nodes = graph.adjacency("right")
    pairs = []
    for w in range(graph.right.rows):
        met = np.sort(nodes[starts[w] : starts[w + 1]]).astype(np.int64)
        if met.size > 1:
            one, two = np.triu_indices(met.size, 1)
            pairs.append(met[one] * graph.left.rows + met[two])
    if not pairs:
        return {}
    shared = np.unique(np.concatenate(pairs), return_counts=True)[1]
    return dict(
        zip(*(each.tolist() for each in np.unique(shared, return_counts=True)), strict=True)
    )
