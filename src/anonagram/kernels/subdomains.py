"""Trees of subdomains: building them, rounding their weights, and pushing values down.

Nodes stand level by level, so that parents come before their children, and the children of a node
one after the other. A node is a run of codes, from `low` to before `high`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from anonagram.kernels.compiled import compiled

CLOSE = 1e-12
"""Shares that differ by less are the same but for rounding."""


class Nodes(NamedTuple):
    """The nodes of a tree."""

    low: Any
    high: Any
    parent: Any
    """-1 for the root."""
    first: Any
    """The first child; -1 for a leaf."""
    children: Any
    """How many there are."""


class Pushed(NamedTuple):
    """Which nodes a group's values became, and how many of them became each."""

    group: Any
    node: Any
    count: Any


@compiled
def build_balanced(size, arity):
    """A tree over so many codes in which every node is cut into as many equal parts as it can."""
    room = 2 * size
    low, high = np.empty(room, np.int32), np.empty(room, np.int32)
    parent, first = np.full(room, -1, np.int32), np.full(room, -1, np.int32)
    children = np.zeros(room, np.int32)
    low[0], high[0] = 0, size
    used, node = 1, 0
    while node < used:
        width = np.int64(high[node] - low[node])
        if width > 1:
            parts = min(np.int64(arity), width)
            first[node], children[node] = used, parts
            for part in range(parts):
                low[used] = low[node] + width * part // parts
                high[used] = low[node] + width * (part + 1) // parts
                parent[used] = node
                used += 1
        node += 1
    return Nodes(low[:used], high[:used], parent[:used], first[:used], children[:used])


@compiled
def place_nodes(parent):
    """The tree whose nodes have these parents, which stand before them; leaves are single codes."""
    size = parent.size
    children, first = np.zeros(size, np.int32), np.full(size, -1, np.int32)
    leaves, low = np.zeros(size, np.int32), np.zeros(size, np.int32)
    for node in range(size - 1, -1, -1):
        if children[node] == 0:
            leaves[node] = 1
        if parent[node] >= 0:
            children[parent[node]] += 1
            leaves[parent[node]] += leaves[node]
            first[parent[node]] = node
    filled, total = np.zeros(size, np.int32), 0
    for node in range(size):
        above = parent[node]
        if above < 0:
            low[node] = total
            total += leaves[node]
        else:
            low[node] = low[above] + filled[above]
            filled[above] += leaves[node]
    return Nodes(low, low + leaves, parent, first, children)


@compiled
def round_weights(nodes, masses, cap):
    """Whole weights whose ratio among siblings is nearest to that of masses, none above the cap.

    What has some mass keeps some weight: a value that can occur must have a place to go.
    """
    weights = np.zeros(masses.size, np.int64)
    weights[0] = 1
    for node in range(masses.size):
        if nodes.children[node] == 0:
            continue
        begin = nodes.first[node]
        end = begin + nodes.children[node]
        most, total = 0.0, 0.0
        for child in range(begin, end):
            most = max(most, masses[child])
            total += masses[child]
        if total == 0.0:
            weights[begin:end] = 1
            continue
        best = np.inf
        for scale in range(1, cap + 1):
            whole = 0
            for child in range(begin, end):
                whole += _rounded(masses[child], scale / most)
            error = 0.0
            for child in range(begin, end):
                share = _rounded(masses[child], scale / most) / whole
                error = max(error, abs(share - masses[child] / total))
            if error < best - CLOSE:
                best = error
                for child in range(begin, end):
                    weights[child] = _rounded(masses[child], scale / most)
            if best < CLOSE:
                break
    return weights


@compiled
def _rounded(mass, scale):
    if mass <= 0.0:
        return np.int64(0)
    return max(np.int64(1), np.int64(np.floor(mass * scale + 0.5)))


@compiled
def first_at_least(codes, begin, end, code):
    """The first place of sorted codes, from begin to end, that is not below a code."""
    while begin < end:
        middle = (begin + end) // 2
        if codes[middle] < code:
            begin = middle + 1
        else:
            end = middle
    return begin


@compiled
def push_down(codes, starts, nodes, weights, top, shift, cap):
    """Generalize the sorted codes of every group as little as the weights allow.

    Zhang (2007, Algorithm 3): as many values as keep the ratio of the children's weights go on to
    them, the others stay. All codes of a group lie in the node `top`. Nodes of a group come out
    from left to right, wider ones first: in the order of the domain, whoever's values they are.
    """
    found = Pushed(
        np.empty(codes.size, np.int32),
        np.empty(codes.size, np.int32),
        np.empty(codes.size, np.int32),
    )
    stack = np.empty((nodes.low.size, 4), np.int64)
    widest = 1
    for node in range(nodes.low.size):
        widest = max(widest, nodes.children[node])
    counts, given = np.empty(widest, np.int64), np.empty(widest, np.int64)
    used = 0
    for group in range(starts.size - 1):
        stack[0, 0], stack[0, 1] = top[group], starts[group]
        stack[0, 2], stack[0, 3] = starts[group + 1], starts[group + 1] - starts[group]
        depth = 1
        while depth:
            depth -= 1
            node, begin, end, values = stack[depth]
            kept = values
            number = nodes.children[node]
            if number:
                own = slice(nodes.first[node], nodes.first[node] + number)
                _count_children(codes, begin, end, nodes.high[own], counts)
                given[:number] = weights[own]
                if shift > 0.0:
                    _move_weights(counts[:number], given[:number], values, shift, cap)
                units = _units(counts[:number], given[:number], values)
                close = begin + counts[:number].sum()
                for child in range(number - 1, -1, -1):
                    close -= counts[child]
                    if units and given[child]:
                        stack[depth, 0], stack[depth, 1] = nodes.first[node] + child, close
                        stack[depth, 2] = close + counts[child]
                        stack[depth, 3] = units * given[child]
                        kept -= units * given[child]
                        depth += 1
            if kept:
                found.group[used], found.node[used], found.count[used] = group, node, kept
                used += 1
    return Pushed(found.group[:used], found.node[:used], found.count[:used])


@compiled
def _count_children(codes, begin, end, highs, counts):
    """How many of the sorted codes from begin to end each child has."""
    for child in range(highs.size):
        close = first_at_least(codes, begin, end, highs[child])
        counts[child] = close - begin
        begin = close


@compiled
def _units(counts, weights, values):
    """How many times all weights can be taken out of the counts, and out of so many values."""
    units = values // weights.sum()
    for child in range(counts.size):
        if weights[child]:
            units = min(units, counts[child] // weights[child])
    return units


@compiled
def _move_weights(counts, weights, values, shift, cap):
    """Move each child's share towards the data's own, by at most `shift` (Zhang 2007, section 3.6).

    All on the way together, so that they remain shares. Where the data's own shares are allowed and
    every value is to go on, every value does.
    """
    total, whole, furthest = counts.sum(), weights.sum(), 0.0
    if total == 0:
        return
    for child in range(counts.size):
        furthest = max(furthest, abs(counts[child] / total - weights[child] / whole))
    if furthest <= shift and values == total:
        weights[:] = counts
        return
    way = 1.0 if furthest <= shift else shift / furthest
    wished, told = np.empty(counts.size), np.empty(counts.size)
    for child in range(counts.size):
        told[child] = weights[child] / whole
        wished[child] = told[child] + way * (counts[child] / total - told[child])
    best = np.inf
    chosen = weights.copy()
    for sum_of in range(1, 2 * cap + 1):
        tried, error = _near(wished, told, sum_of, cap, shift)
        if error < best - CLOSE:
            best = error
            chosen[:] = tried
    if best < np.abs(told - wished).max():
        weights[:] = chosen


@compiled
def _near(wished, told, sum_of, cap, shift):
    """Whole weights near shares, and how far they are; infinitely where that is not allowed."""
    tried = np.empty(wished.size, np.int64)
    for child in range(wished.size):
        tried[child] = np.int64(np.floor(wished[child] * sum_of + 0.5))
    whole, error = tried.sum(), 0.0
    if whole == 0 or tried.max() > cap:
        return tried, np.inf
    for child in range(wished.size):
        share = tried[child] / whole
        if abs(share - told[child]) > shift + CLOSE:
            return tried, np.inf
        error = max(error, abs(share - wished[child]))
    return tried, error


@compiled
def highest_belief(slots, nodes, chances, most):
    """The largest probability of a value that any group tells of its people.

    Nodes of a group stand from left to right, wider ones first. A value is the likelier the more of
    them it lies in, so looking at the likeliest value of each node misses none: where a narrower
    node has it too, it is likelier still, and counted there.
    """
    highest, begin = 0.0, 0
    path = np.empty(slots.node.size, np.int64)
    sums = np.empty(slots.node.size + 1, np.float64)
    while begin < slots.group.size:
        end, total = begin, 0
        while end < slots.group.size and slots.group[end] == slots.group[begin]:
            total += slots.count[end]
            end += 1
        depth, sums[0] = 0, 0.0
        for i in range(begin, end):
            node = slots.node[i]
            while depth and nodes.high[path[depth - 1]] <= nodes.low[node]:
                depth -= 1
            path[depth] = node
            share = slots.count[i] / chances[node] if chances[node] > 0.0 else 0.0
            sums[depth + 1] = sums[depth] + share
            depth += 1
            highest = max(highest, sums[depth] * most[node] / total)
        begin = end
    return highest
