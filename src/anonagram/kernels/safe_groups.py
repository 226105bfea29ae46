"""Groups of nodes of which no two have a neighbour in common.

A graph comes as the neighbours of every node, one after the other, and where each node's begin.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from anonagram.kernels.compiled import compiled

NONE = -1


class Adjacency(NamedTuple):
    """The neighbours of each node of one side."""

    starts: Any
    """Where the neighbours of a node begin, and the end of the last."""
    nodes: Any
    """Their numbers on the other side."""


class OpenGroups(NamedTuple):
    """The groups that still take nodes, in the order in which they were opened."""

    after: Any
    before: Any
    ends: Any
    """The first and the last of them."""


@compiled
def neighbours_of(ends, others, count):
    """The neighbours of the nodes at one end of each edge, in the order of the edges."""
    starts = np.zeros(count + 1, np.int64)
    for e in range(ends.size):
        starts[ends[e] + 1] += 1
    for v in range(count):
        starts[v + 1] += starts[v]
    cursor = starts[:-1].copy()
    nodes = np.empty(ends.size, np.int32)
    for e in range(ends.size):
        nodes[cursor[ends[e]]] = others[e]
        cursor[ends[e]] += 1
    return Adjacency(starts, nodes)


@compiled
def first_fit(own, other_starts, order, most):
    """Every node joins the first group with room in which nobody shares a neighbour with it.

    Each node of the other side keeps a list of the groups its neighbours are in (in a safe grouping
    every neighbour is in another one, so the list has room for all). Cormode et al. (2008),
    Algorithm 5, one pass.
    """
    count = own.starts.size - 1
    group_of = np.full(count, NONE, np.int32)
    sizes = np.zeros(count, np.int32)
    met = np.empty(own.nodes.size, np.int32)  # groups at each node of the other side
    filled = np.zeros(other_starts.size - 1, np.int64)
    taken_by = np.full(count, NONE, np.int32)  # the last node to which a group was closed
    after = np.full(count, NONE, np.int32)
    before = np.full(count, NONE, np.int32)
    ends = np.full(2, NONE, np.int32)
    opened = 0
    for place in range(order.size):
        v = order[place]
        for e in range(own.starts[v], own.starts[v + 1]):
            w = own.nodes[e]
            for m in range(other_starts[w], other_starts[w] + filled[w]):
                taken_by[met[m]] = v
        g = ends[0]
        while g != NONE and taken_by[g] == v:
            g = after[g]
        if g == NONE:
            g = opened
            opened += 1
            _append(OpenGroups(after, before, ends), g)
        group_of[v] = g
        sizes[g] += 1
        if sizes[g] == most:
            _remove(OpenGroups(after, before, ends), g)
        for e in range(own.starts[v], own.starts[v + 1]):
            w = own.nodes[e]
            met[other_starts[w] + filled[w]] = g
            filled[w] += 1
    return group_of, sizes[:opened]


@compiled
def place_left(own, other, group_of, sizes, left, most):
    """Put nodes that are in no group into one that stays safe and has at most so many nodes.

    The groups opened last are tried first: where nodes were taken by degree, they are most alike.
    """
    taken_by = np.full(sizes.size, NONE, np.int32)
    for place in range(left.size):
        v = left[place]
        for e in range(own.starts[v], own.starts[v + 1]):
            w = own.nodes[e]
            for f in range(other.starts[w], other.starts[w + 1]):
                g = group_of[other.nodes[f]]
                if g != NONE:
                    taken_by[g] = v
        found = sizes.size - 1
        while found >= 0 and (sizes[found] >= most or taken_by[found] == v):
            found -= 1
        if found >= 0:
            group_of[v] = found
            sizes[found] += 1


@compiled
def alike_first(own, other_starts):
    """For each node its degree and the largest three of its neighbours', in one number."""
    keys = np.empty(own.starts.size - 1, np.int64)
    for v in range(keys.size):
        first = second = third = 0
        for e in range(own.starts[v], own.starts[v + 1]):
            w = own.nodes[e]
            degree = other_starts[w + 1] - other_starts[w]
            if degree > first:
                first, second, third = degree, first, second
            elif degree > second:
                second, third = degree, second
            elif degree > third:
                third = degree
        key = min(own.starts[v + 1] - own.starts[v], (1 << 20) - 1)
        for each in (first, second, third):
            key = (key << 14) | min(each, (1 << 14) - 1)
        keys[v] = key
    return keys


@compiled
def _append(groups, g):
    if groups.ends[1] == NONE:
        groups.ends[0] = g
    else:
        groups.after[groups.ends[1]] = g
        groups.before[g] = groups.ends[1]
    groups.ends[1] = g


@compiled
def _remove(groups, g):
    if groups.before[g] == NONE:
        groups.ends[0] = groups.after[g]
    else:
        groups.after[groups.before[g]] = groups.after[g]
    if groups.after[g] == NONE:
        groups.ends[1] = groups.before[g]
    else:
        groups.before[groups.after[g]] = groups.before[g]
