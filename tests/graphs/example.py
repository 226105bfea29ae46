"""The authors and papers of Zhang (2007), Table 4.1, with the groups of its Example 2."""

from __future__ import annotations

import numpy as np

from anonagram import Key
from anonagram.graphs import Graph
from anonagram.graphs.methods.safe_grouping import SafeGrouping
from anonagram.release import GroupedGraphRelease

AUTHORS = {
    "author": ["a1", "a2", "a3", "a4", "a5", "a6"],
    "location": ["US", "EU", "AS", "US", "EU", "AS"],
}
PAPERS = {
    "paper": ["p1", "p2", "p3", "p4", "p5", "p6"],
    "venue": ["SIGMOD", "VLDB", "VLDB", "VLDB", "SIGMOD", "VLDB"],
}
EDGES = {
    "author": ["a1", "a1", "a2", "a2", "a3", "a3", "a4", "a5", "a5", "a6", "a6"],
    "paper": ["p2", "p6", "p3", "p4", "p2", "p4", "p5", "p1", "p5", "p3", "p6"],
}
SCHEMA = {
    "left": {"author": "identifier", "location": "quasi"},
    "right": {"paper": "identifier", "venue": "plain"},
    "edges": {"author": "left", "paper": "right"},
}
AUTHOR_GROUPS = (0, 0, 1, 0, 1, 1)
PAPER_GROUPS = (1, 0, 0, 1, 0, 1)


def authors_and_papers() -> Graph:
    return Graph.read(AUTHORS, PAPERS, EDGES, SCHEMA, names=("authors", "papers"))


def grouped_by(graph: Graph, left: tuple[int, ...], right: tuple[int, ...]) -> GroupedGraphRelease:
    """A release of a graph with groups that are given, made by the method's own steps."""
    from anonagram.partition import Partition

    given = {"left": left, "right": right}

    class Given(SafeGrouping):
        def group(self, graph, side, size, key):
            groups = np.array(given[side], np.int32)
            return Partition(groups, int(groups.max()) + 1)

        def promises(self):
            return ()

    method = Given.__new__(Given)
    for name, value in {"k": 1, "l": 1, "order": "degree", "strict": True}.items():
        object.__setattr__(method, name, value)
    return method.anonymize(graph, Key(bytes(32)))
