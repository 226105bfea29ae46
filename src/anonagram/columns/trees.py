"""A tree of subdomains over a column's ordered values, with weights that give them probabilities.

Zhang (2007, section 3.3): each node is a run of neighbouring values, a leaf one of them. Among the
children of a node, weights are whole numbers; a value's probability is the product of its shares on
the way from the root.

>>> tree = balanced(pl.Series([30, 40, 50, 60]), arity=2)
>>> [tree.text(node) for node in range(tree.size)]
['30 to 60', '30 to 40', '50 to 60', '30', '40', '50', '60']
>>> weighted(tree, np.array([1.0, 1.0, 3.0, 3.0]), cap=10).probabilities.tolist()
[0.125, 0.125, 0.375, 0.375]
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonagram.columns.hierarchy import Hierarchy, value_texts
from anonagram.columns.places import is_measured
from anonagram.columns.spans import to_units
from anonagram.errors import SchemaError
from anonagram.kernels.subdomains import Nodes, build_balanced, round_weights

MISSING = "missing"
LARGEST = float(np.finfo(np.float64).max)
"""What is wider cannot be told."""


@dataclass(frozen=True)
class Tree:
    """Subdomains of a domain, parents before their children, and the weight of each.

    Several trees can stand one after the other, each over values of its own.
    """

    values: pl.Series
    """The domain from lowest to highest; a missing value is the last."""
    nodes: Nodes
    weights: NDArray[np.int64]
    """Among the children of one node."""

    @property
    def size(self) -> int:
        """How many nodes there are."""
        return int(self.weights.size)

    @cached_property
    def is_missing(self) -> NDArray[np.bool_]:
        """For each value: whether it is the missing one."""
        return self.values.is_null().to_numpy()

    @cached_property
    def probabilities(self) -> NDArray[np.float64]:
        """Of each value, in its own tree."""
        found, sums = np.ones(self.size), np.zeros(self.size)
        below = self.nodes.parent >= 0
        np.add.at(sums, self.nodes.parent[below], self.weights[below])
        for nodes in self.levels[1:]:
            parents = self.nodes.parent[nodes]
            found[nodes] = found[parents] * self.weights[nodes] / sums[parents]
        leaves = np.flatnonzero(self.nodes.children == 0)
        chances = np.empty(len(self.values))
        chances[self.nodes.low[leaves]] = found[leaves]
        return chances

    @cached_property
    def levels(self) -> list[NDArray[np.int64]]:
        """The nodes at each distance from the root."""
        depth, at = np.zeros(self.size, np.int64), self.nodes.parent
        while (at >= 0).any():
            depth += at >= 0
            at = np.where(at >= 0, self.nodes.parent[at], -1)
        return [np.flatnonzero(depth == level) for level in range(int(depth.max()) + 1)]

    @cached_property
    def roots(self) -> NDArray[np.int64]:
        """The root above each node."""
        found = np.arange(self.size)
        for nodes in self.levels[1:]:
            found[nodes] = found[self.nodes.parent[nodes]]
        return found

    @cached_property
    def _last(self) -> NDArray[np.int64]:
        """The code of each node's highest value; of a missing one alone, its own."""
        last: NDArray[np.int64] = self.nodes.high.astype(np.int64) - 1
        last -= self.is_missing[last] & (last > self.nodes.low)
        return last

    def ranges(self, kind: str) -> NDArray[np.float64]:
        """How wide each node is: the distance of its ends, or its number of values less one.

        A node in which a value may also be missing is as wide as the root.
        """
        places = np.arange(len(self.values), dtype=np.float64)
        if is_measured(kind):
            places = to_units(self.values).fill_null(0.0).to_numpy()
        with np.errstate(over="ignore"):  # from one end of all floats to the other
            wide = np.minimum(places[self._last] - places[self.nodes.low], LARGEST)
        is_mixed = self._last < self.nodes.high - 1
        found: NDArray[np.float64] = np.where(is_mixed, wide[self.roots], wide)
        return found

    def ends(self, nodes: NDArray[np.int64]) -> tuple[pl.Series, pl.Series, pl.Series]:
        """Lowest and highest value of each of some nodes, and whether it may be missing."""
        low, high = (self.values.gather(each[nodes]) for each in (self.nodes.low, self._last))
        return low, high, pl.Series(self.is_missing[self.nodes.high[nodes] - 1])

    def text(self, node: int) -> str:
        """A node as messages show it."""
        low, high, missing = (end.to_list()[0] for end in self.ends(np.array([node])))
        texts = value_texts(pl.Series([low, high], dtype=self.values.dtype).drop_nulls())
        told = " to ".join(dict.fromkeys(texts))
        return " or ".join([told] * bool(told) + [MISSING] * missing)


def balanced(values: pl.Series, arity: int) -> Tree:
    """A tree that cuts every run of values into so many parts that are as equal as can be."""
    nodes = build_balanced(len(values), arity)
    return Tree(values, nodes, np.ones(nodes.low.size, np.int64))


def of_hierarchy(values: pl.Series, hierarchy: Hierarchy) -> Tree:
    """A tree whose nodes are the labels of a hierarchy; neighbours must share them.

    >>> levels = (("1", "2", "3"), ("low", "low", "high"))
    >>> tree = of_hierarchy(pl.Series([1, 2, 3]), Hierarchy("x", levels))
    >>> [tree.text(node) for node in range(tree.size)]
    ['1 to 3', '1 to 2', '3', '1', '2']
    """
    texts = value_texts(values.drop_nulls())
    levels = [
        [hierarchy.label(text, level) for text in texts] for level in range(hierarchy.height, 0, -1)
    ]
    runs = [_runs(labels, len(values), hierarchy.attribute) for labels in levels]
    singles = [(code, code + 1) for code in range(len(values))]
    return _nested(values, [[(0, len(values))], *runs, singles])


def _runs(labels: Sequence[str], size: int, attribute: str) -> list[tuple[int, int]]:
    """Where runs of equal labels begin and end; a missing value is one by itself."""
    cuts = [0, *(n for n in range(1, len(labels)) if labels[n] != labels[n - 1]), len(labels)]
    found = [(a, b) for a, b in pairwise(cuts) if a < b]
    if len({labels[begin] for begin, _ in found}) < len(found):
        raise SchemaError(
            f"The hierarchy of {attribute!r} puts values under one label between which others lie.",
            "give labels to runs of neighbouring values.",
        )
    return found + ([(len(labels), size)] if len(labels) < size else [])


def _nested(values: pl.Series, levels: list[list[tuple[int, int]]]) -> Tree:
    """A tree of runs, each level cut further than the one before; a run that stays is one node."""
    nodes, places = [levels[0][0]], {levels[0][0]: 0}
    parents = [-1]
    above = levels[0]
    for runs in levels[1:]:
        position = 0
        for run in runs:
            while above[position][1] < run[1]:
                position += 1
            if run not in places:
                places[run] = len(nodes)
                nodes.append(run)
                parents.append(places[above[position]])
        above = runs
    return _numbered(values, nodes, parents)


def _numbered(values: pl.Series, runs: list[tuple[int, int]], parents: list[int]) -> Tree:
    """Nodes with the children of each one after the other, parents before them."""
    below: list[list[int]] = [[] for _ in runs]
    for node, parent in enumerate(parents[1:], 1):
        below[parent].append(node)
    order = [0]
    for node in order:
        order.extend(sorted(below[node], key=lambda each: runs[each]))
    number = {node: place for place, node in enumerate(order)}
    low, high = np.array([runs[node] for node in order], np.int32).T
    above = np.array([number.get(parents[node], -1) for node in order], np.int32)
    children = np.array([len(below[node]) for node in order], np.int32)
    first = np.array(
        [min((number[each] for each in below[node]), default=-1) for node in order], np.int32
    )
    nodes = Nodes(np.ascontiguousarray(low), np.ascontiguousarray(high), above, first, children)
    return Tree(values, nodes, np.ones(len(order), np.int64))


def planted(trees: Sequence[Tree]) -> Tree:
    """Several trees as one with several roots, their values one after the other."""
    if len(trees) == 1:
        return trees[0]
    sizes = np.cumsum([0, *(tree.size for tree in trees)])
    lengths = np.cumsum([0, *(len(tree.values) for tree in trees)])
    moved = [
        Nodes(
            tree.nodes.low + code,
            tree.nodes.high + code,
            np.where(tree.nodes.parent < 0, -1, tree.nodes.parent + node),
            np.where(tree.nodes.first < 0, -1, tree.nodes.first + node),
            tree.nodes.children,
        )
        for tree, node, code in zip(trees, sizes, lengths, strict=False)
    ]
    nodes = Nodes(*(np.concatenate(each).astype(np.int32) for each in zip(*moved, strict=True)))
    values = pl.concat([tree.values for tree in trees])
    return Tree(values, nodes, np.concatenate([tree.weights for tree in trees]))


def weighted(tree: Tree, masses: NDArray[np.float64], cap: int) -> Tree:
    """The tree with weights whose ratios are nearest to those of the values' masses."""
    return replace(tree, weights=round_weights(tree.nodes, node_masses(tree, masses), cap))


def node_masses(tree: Tree, masses: NDArray[np.float64]) -> NDArray[np.float64]:
    """The mass of all values of each node."""
    found = np.zeros(tree.size)
    leaves = tree.nodes.children == 0
    found[leaves] = masses[tree.nodes.low[leaves]]
    for nodes in reversed(tree.levels[1:]):
        np.add.at(found, tree.nodes.parent[nodes], found[nodes])
    return found
