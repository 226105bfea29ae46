"""The best node of a lattice, looked for in the order of what nodes cost at least.

A node costs at least what its levels cost when nothing is suppressed, which is known before anything
is counted. So the search may end when that passes the best that was found, whatever the promise is.
Where a promise that fails must fail in every finer node too, those are left out.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from anonagram.kernels.compiled import compiled
from anonagram.kernels.goals import smallest_size
from anonagram.kernels.heap import longer, rise, sink
from anonagram.kernels.lattice import (
    GROUPS,
    SQUARES,
    combined,
    cost_of,
    judge,
    judge_sizes,
    least_by_sizes,
    node_length,
    roll_up,
    roll_values,
)

MOST_MADE = 1 << 24
"""Nodes that are remembered, looked at or not."""


class Problem(NamedTuple):
    """Everything that is needed to judge nodes."""

    goal: Any
    rule: Any
    ladders: Any
    codes: Any
    """Of each cell and column."""
    rows: int
    store: Any
    room: Any


class Found(NamedTuple):
    """What a search ended with."""

    levels: Any
    cost: float
    """Infinite where no node holds."""
    looked_at: int
    least: float
    """No node that was not looked at costs less than this or the cost."""


class Store(NamedTuple):
    """Nodes that were made, for others to be made from."""

    pool: Any
    levels: Any
    places: Any
    groups: Any
    cells: Any
    has_values: Any
    """Whether a node has the values of its groups; of one that fails by sizes alone nobody asked."""


class Room(NamedTuple):
    """Arrays to work in."""

    slots: Any
    keys: Any
    joint: Any
    group_of: Any
    bad: Any
    scratch: Any
    losses: Any


@compiled
def _look_at(p, levels, state):
    """Make and judge a node.

    Returns what it costs (infinite where it does not hold), its suppressed rows (more than may be,
    where it fails), and whether every finer node fails as it does. state has how many nodes are
    stored, where the pool is free, where the node was put, how many groups it has, and how many
    groups and nodes were gone through so far.
    """
    goal, rule, ladders, codes, store, room = p.goal, p.rule, p.ladders, p.codes, p.store, p.room
    free = state[1]
    cells = np.zeros(store.cells.shape[1], np.int64)
    source = _smallest(store, state, levels, False)
    most = _most_groups(goal, rule, ladders.kind, p.rows)
    groups = roll_up(
        ladders, codes, levels, store.pool, store.places[source], store.groups[source], free, most,
        room, room.group_of,
    )  # fmt: skip
    state[2], state[3] = free, groups
    if groups > most:
        return np.inf, rule.limit + 1, True
    small = judge_sizes(goal, rule, store.pool, free, groups, room.bad)
    if small > rule.limit:  # whatever their values are
        _keep(store, state, levels, groups, source, cells, cells.size == 0)
        return np.inf, small, True
    if cells.size > 0:
        if not store.has_values[source]:
            source = _smallest(store, state, levels, True)
            roll_up(
                ladders, codes, levels, store.pool, store.places[source], store.groups[source],
                free, most, room, room.group_of,
            )  # fmt: skip
            judge_sizes(goal, rule, store.pool, free, groups, room.bad)
        roll_values(
            store.pool, store.places[source], store.groups[source], store.cells[source], free,
            groups, cells, room.group_of,
        )  # fmt: skip
    must, suppressed = judge(
        goal, rule, store.pool, free, groups, cells, room.bad, small, room.scratch
    )
    cost = np.inf
    if 0 <= suppressed <= rule.limit:
        cost = cost_of(
            ladders, codes, levels, store.pool, free, groups, room.bad, p.rows, rule.is_kept,
            room.losses,
        )  # fmt: skip
    _keep(store, state, levels, groups, source, cells, True)
    return cost, suppressed, must > rule.limit


@compiled
def _smallest(store, state, levels, with_values):
    """The stored node with the fewest groups from which a node can be made."""
    best, source = store.groups[0], 0
    for s in range(1, state[0]):
        if (
            store.groups[s] < best
            and (store.has_values[s] or not with_values)
            and _is_finer(store.levels[s], levels)
        ):
            best, source = store.groups[s], s
    state[4] += best + state[0]
    return source


@compiled
def _most_groups(goal, rule, kind, rows):
    """A node with more groups has more rows in groups that are too small than may be suppressed.

    Groups that are suppressed have at least a row each, the others as many as were promised. Where
    costs are about sizes, all groups are wanted nevertheless.
    """
    if kind >= SQUARES:
        return rows
    limit = min(rows, rule.limit)
    return int(limit + (rows - limit) / smallest_size(goal))


@compiled
def _keep(store, state, levels, groups, source, cells, has_values):
    """Let other nodes be made from one that was put where the pool is free, if that is worth it."""
    stored, length = state[0], node_length(groups, cells) if has_values else 2 * groups
    # there must always be room for one more, and none is longer than the first
    longest = node_length(store.groups[0], store.cells[0])
    has_room = state[1] + length + longest <= store.pool.size
    if stored < store.groups.size and has_room and groups < store.groups[source]:
        store.levels[stored], store.places[stored] = levels, state[1]
        store.groups[stored], store.cells[stored] = groups, cells
        store.has_values[stored] = has_values
        state[0], state[1] = stored + 1, state[1] + length


@compiled
def _is_finer(one, two):
    for i in range(one.size):
        if one[i] > two[i]:
            return False
    return True


@compiled
def _is_below(levels, failing, count):
    for f in range(count - 1, -1, -1):
        if _is_finer(levels, failing[f]):
            return True
    return False


@compiled
def _is_among(levels, nodes, count):
    for node in range(count - 1, -1, -1):
        if np.all(nodes[node] == levels):
            return True
    return False


@compiled
def _least(ladders, levels, losses):
    if ladders.kind == SQUARES or ladders.kind == GROUPS:
        return 0.0
    for i in range(levels.size):
        losses[i] = ladders.least[i, levels[i]]
    return combined(ladders, losses)


@compiled
def search(p, most, nodes, costs, suppressed):
    """Judge every one of these nodes, then look for the best of all in so much work, if any.

    costs gets what they cost, infinite where they fail. There is one way in for all that is done
    with nodes, because each is compiled with all of its parts.
    """
    if most > 0:
        return _find_best(p, most)
    state = _begun(p.store)
    for node in range(nodes.shape[0]):
        costs[node], suppressed[node], _ = _look_at(p, nodes[node], state)
    return Found(np.zeros(p.ladders.heights.size, np.int16), np.inf, nodes.shape[0], 0.0)


@compiled
def _begun(store):
    """The state in which only the first node is stored."""
    return np.array([1, node_length(store.groups[0], store.cells[0]), 0, 0, 0])


@compiled
def _find_best(p, most):
    """The best node, after at most so many groups and nodes were gone through.

    Work is counted and not timed, so that the same table gives the same node on any machine.
    """
    ladders, room = p.ladders, p.room
    m, state = ladders.heights.size, _begun(p.store)
    nodes, last = np.zeros((1024, m), np.int16), np.zeros((1024, 1), np.int64)
    bounds = np.zeros((1024, 1))
    heap, waiting, made = np.zeros((1024, 1), np.int64), 1, 1
    failing, failed = np.empty((256, m), np.int16), 0
    others, seen = np.empty((256, m), np.int16), 0
    best, levels, looked = np.inf, np.zeros(m, np.int16), 0
    child, chain = np.empty(m, np.int16), np.empty((int(ladders.heights.sum()) + 1, m), np.int16)
    while waiting > 0 and state[4] < most and made < MOST_MADE:
        node = heap[0, 0]
        waiting -= 1
        heap[0] = heap[waiting]
        sink(heap, bounds, waiting)
        if bounds[node, 0] >= best:
            return Found(levels, best, looked, best)
        here = nodes[node]
        state[4] += failed
        if not _is_below(here, failing, failed):
            chain[0] = here
            low, high = 0, _climb(ladders, chain, best, child, room.losses)
            # a node that fails says something about all finer ones, so look above first
            while low < high and state[4] < most and not _is_below(here, failing, failed):
                middle = (low + high) // 2
                if _is_among(chain[middle], others, seen):
                    high = middle
                    continue
                cost, _, is_failing = _look_at(p, chain[middle], state)
                looked += 1
                if cost < best:
                    best = cost
                    levels[:] = chain[middle]
                if middle == 0 and ladders.kind >= SQUARES:
                    least = least_by_sizes(
                        ladders.kind, p.rule, p.store.pool, state[2], state[3], p.rows
                    )
                    bounds[node, 0] = max(bounds[node, 0], least)
                if is_failing:
                    if failed == failing.shape[0]:
                        failing = longer(failing)
                    failing[failed] = chain[middle]
                    failed += 1
                    low = middle + 1
                else:
                    if seen == others.shape[0]:
                        others = longer(others)
                    others[seen] = chain[middle]
                    seen += 1
                    high = middle
        for i in range(last[node, 0], m):
            if nodes[node, i] == ladders.heights[i]:
                continue
            if made == nodes.shape[0]:
                nodes, last, bounds, heap = (
                    longer(nodes),
                    longer(last),
                    longer(bounds),
                    longer(heap),
                )
            nodes[made] = nodes[node]
            nodes[made, i] += 1
            bounds[made, 0] = max(bounds[node, 0], _least(ladders, nodes[made], room.losses))
            if bounds[made, 0] >= best:
                continue
            last[made, 0] = i
            heap[waiting, 0] = made
            rise(heap, bounds, waiting)
            waiting += 1
            made += 1
    if waiting == 0:
        return Found(levels, best, looked, best)
    least = bounds[heap[0, 0], 0]
    best, more = _descend(p, state, levels, best)
    return Found(levels, best, looked + more, min(best, least))


@compiled
def _descend(p, state, levels, best):
    """Where a search had to end: step down from the best node found, or from the top.

    Each step is the one level less that leaves the least cost; returns that and the nodes looked at.
    """
    looked, child, chosen = 0, np.empty_like(levels), 0
    if best == np.inf:
        levels[:] = p.ladders.heights
        best = _look_at(p, levels, state)[0]
        looked += 1
    while chosen >= 0 and best < np.inf:
        chosen, least = -1, best
        for i in range(levels.size):
            if levels[i] == 0:
                continue
            child[:] = levels
            child[i] -= 1
            cost = _look_at(p, child, state)[0]
            looked += 1
            if cost < least:
                chosen, least = i, cost
        if chosen >= 0:
            levels[chosen] -= 1
            best = least
    return best, looked


@compiled
def _climb(ladders, chain, best, child, losses):
    """Coarser nodes above the first of the chain, each a level above the one before."""
    length, m = 1, ladders.heights.size
    while length < chain.shape[0]:
        cheapest, chosen = np.inf, -1
        child[:] = chain[length - 1]
        for i in range(m):
            if child[i] < ladders.heights[i]:
                child[i] += 1
                least = _least(ladders, child, losses)
                child[i] -= 1
                if least < cheapest:
                    cheapest, chosen = least, i
        if chosen < 0 or cheapest >= best:
            break
        chain[length] = child
        chain[length, chosen] += 1
        length += 1
    return length
