"""The least sum of ranges that respects everybody's wish, by integer programming.

Zhang (2007, section 5.4) leaves open how hard that is. It is small once one sees what groups can be:

* A group whose widest wishes are apart can be divided, so every group has one top, the widest wish.
* Two groups of the same top keep the ratios of the weights there also when put together, so one group
  for each node that somebody asks for is enough.

So a person goes to a top, no narrower than her wish, and to a node between her value and that top.
Of each top and node below it, as many people stay as come from above less those who go on, which are
whole multiples of the weights.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from anonagram.errors import CannotAnonymize
from anonagram.kernels.personal import Kinds, Members, Scale
from anonagram.kernels.subdomains import Pushed
from anonagram.shown.wording import how_many

MOST_UNKNOWN = 5_000
"""Whole numbers to be found for one group; beyond, nobody would wait for it."""
MOST_BRANCHES = 2_000
Ints = NDArray[np.int64]


def divide_best(kinds: Kinds, starts: Ints, scale: Scale) -> tuple[Members, Pushed]:
    """Divide every group so that the sum of all ranges is least."""
    members, slots, groups = [], [], 0
    for begin, end in pairwise(starts.tolist()):
        own = Kinds(*(each[begin:end] for each in kinds))
        placed = _solve(own, scale)
        tops, number = np.unique(placed[:, 1], return_inverse=True)
        kind, group, node, count = placed[:, 0] + begin, number + groups, placed[:, 2], placed[:, 3]
        members.append(_summed(np.stack([group, kind]), count))
        slots.append(_summed(np.stack([group, node]), count))
        groups += tops.size
    return Members(*np.concatenate(members, axis=1)), Pushed(*np.concatenate(slots, axis=1))


def _summed(names: Ints, count: Ints) -> Ints:
    """Counts of equal names together, by the names."""
    distinct, place = np.unique(names, axis=1, return_inverse=True)
    return np.vstack([distinct, np.bincount(place.ravel(), count).astype(np.int64)])


def _solve(kinds: Kinds, scale: Scale) -> Ints:
    """Lines of kind, top, node and number of people."""
    from scipy.optimize import Bounds, LinearConstraint, milp

    places = _places(kinds, scale)
    inner = _inner(np.unique(places[:, 1]), scale)
    unknown = len(places) + len(inner)
    if unknown > MOST_UNKNOWN:
        raise CannotAnonymize(
            f"A group of {how_many(int(kinds.left.sum()), 'person', 'people')} is too large for the best "
            f"of all divisions: {how_many(unknown, 'number is', 'numbers are')} to be found.",
            'algorithm="bottom_up", or smaller groups.',
        )
    cost = np.concatenate([scale.wide[places[:, 2]], np.zeros(len(inner))])
    rows, totals = _equations(kinds, scale, places, inner)
    result = milp(
        cost,
        constraints=LinearConstraint(rows, totals, totals),
        bounds=Bounds(0, int(kinds.left.sum())),
        integrality=np.ones(unknown),
        options={"mip_rel_gap": 0.0, "node_limit": MOST_BRANCHES},
    )
    if result.status != 0:
        raise CannotAnonymize(
            f"The best division of a group of {how_many(int(kinds.left.sum()), 'person', 'people')} was "
            "not found.",
            'algorithm="bottom_up", or smaller groups.',
        )
    count = np.rint(result.x[: len(places)]).astype(np.int64)
    placed: Ints = np.column_stack([places, count])[count > 0]
    return placed


def _places(kinds: Kinds, scale: Scale) -> Ints:
    """Every kind, top and node that can be: the top is asked for by somebody, the node lies below."""
    nodes, tops = scale.nodes, set(kinds.asked.tolist())
    leaf_of = {int(nodes.low[n]): int(n) for n in np.flatnonzero(nodes.children == 0)}
    found = []
    for kind, (code, asked) in enumerate(zip(kinds.code, kinds.asked, strict=True)):
        way = _way(leaf_of[int(code)], nodes.parent)
        for top in way[way.index(int(asked)) :]:
            if top in tops:
                found += [(kind, top, node) for node in way[: way.index(top) + 1]]
    return np.array(found, np.int64)


def _way(node: int, parent: NDArray[np.int32]) -> list[int]:
    way = [node]
    while parent[way[-1]] >= 0:
        way.append(int(parent[way[-1]]))
    return way


def _inner(tops: Ints, scale: Scale) -> list[tuple[int, int]]:
    """Every top and node with children below it, itself included."""
    nodes = scale.nodes
    split = np.flatnonzero(nodes.children > 0)
    found = []
    for top in tops.tolist():
        inside = (nodes.low[split] >= nodes.low[top]) & (nodes.high[split] <= nodes.high[top])
        found += [(top, node) for node in split[inside].tolist()]
    return found


def _equations(kinds: Kinds, scale: Scale, places: Ints, inner: list[tuple[int, int]]):  # type: ignore[no-untyped-def]
    """Everybody is somewhere; below a top, who stays at a node is who came less who went on."""
    from scipy.sparse import csr_array

    nodes, weights = scale.nodes, scale.weights
    below = np.bincount(
        nodes.parent[nodes.parent >= 0], weights[nodes.parent >= 0], nodes.low.size
    ).astype(np.int64)
    row = places[:, 0].tolist()
    column, value = list(range(len(places))), [1] * len(places)
    line: dict[tuple[int, int], int] = {}
    for unit, (top, node) in enumerate(inner, len(places)):
        every = range(nodes.first[node], nodes.first[node] + nodes.children[node])
        for child in every:
            line[top, child] = len(kinds.code) + len(line)
            row.append(line[top, child])
            column.append(unit)
            value.append(int(weights[child]))
        if (top, node) in line:
            row.append(line[top, node])
            column.append(unit)
            value.append(-int(below[node]))
    for place, (_, top, node) in enumerate(places.tolist()):
        if node != top:
            row.append(line[top, node])
            column.append(place)
            value.append(-1)
    totals = np.concatenate([kinds.left, np.zeros(len(line))])
    shape = (totals.size, len(places) + len(inner))
    return csr_array((value, (row, column)), shape=shape), totals
