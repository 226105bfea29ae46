"""Dividing people who ask to be hidden in subdomains of their own, so that all ranges are small.

The people of a group stand by kinds, ascending by value: a code, the node that is asked for, and how
many there are. A smaller group has a top, which is the node of somebody in it and contains those of
all others; what it publishes keeps the ratio of the weights everywhere below the top.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from anonagram.kernels.compiled import compiled
from anonagram.kernels.subdomains import Pushed, first_at_least

CLOSE = 1e-9
BY_WISH, BY_VALUE = 0, 1
"""Who is taken for a group: those who ask for most, or whose values go furthest down."""
ONE_GROUP, TOP_DOWN, BOTTOM_UP = 0, 1, 2


class Kinds(NamedTuple):
    """People of equal value and wish."""

    code: Any
    asked: Any
    left: Any
    """How many are in no group yet."""


class Scale(NamedTuple):
    """A tree as the passes need it."""

    nodes: Any
    weights: Any
    wide: Any
    """The range of each node."""
    codes: Any
    """How many codes each node has."""


class Members(NamedTuple):
    """How many people of which kind are in which group."""

    group: Any
    kind: Any
    count: Any


class Space(NamedTuple):
    """Room for one group at a time."""

    taken: Any
    sums: Any
    node: Any
    count: Any
    stack: Any


@compiled
def divide(kinds, starts, scale, way):
    """Divide every group; kinds of group g stand from starts[g] to before starts[g + 1]."""
    rows = kinds.left.sum()
    members = Members(np.empty(rows, np.int64), np.empty(rows, np.int64), np.empty(rows, np.int64))
    slots = Pushed(np.empty(rows, np.int64), np.empty(rows, np.int64), np.empty(rows, np.int64))
    room = np.diff(starts).max()
    depth = scale.nodes.low.size
    space = Space(
        np.zeros(room, np.int64),
        np.zeros(room + 1, np.int64),
        np.empty(depth, np.int64),
        np.empty(depth, np.int64),
        np.empty((depth, 2), np.int64),
    )
    used = np.zeros(3, np.int64)  # groups, members, slots
    for group in range(starts.size - 1):
        own = slice(starts[group], starts[group + 1])
        people = Kinds(kinds.code[own], kinds.asked[own], kinds.left[own])
        if way == BOTTOM_UP:
            _bottom_up(people, scale, space, starts[group], members, slots, used)
        elif way == TOP_DOWN:
            _top_down(people, scale, space, starts[group], members, slots, used)
        else:
            _one_group(people, scale, space, starts[group], members, slots, used)
    return (
        Members(members.group[: used[1]], members.kind[: used[1]], members.count[: used[1]]),
        Pushed(slots.group[: used[2]], slots.node[: used[2]], slots.count[: used[2]]),
    )


@compiled
def _one_group(people, scale, space, first, members, slots, used):
    """Zhang (2007, Algorithm 6): the widest nodes that are asked for, each with all of its people."""
    tops = np.unique(people.asked)  # parents come before their children
    for top in tops:
        begin, end = _run(people, scale, top)
        _sum_up(people, scale, space, top)
        everybody = space.sums[end] - space.sums[begin]
        if everybody == 0:
            continue
        units = _most_units(people, scale, space, top, everybody)
        used_slots = _push(people, scale, space, top, units, everybody)
        _clear(space, begin, end)
        for i in range(begin, end):
            space.taken[i] = people.left[i]
        _emit(people, space, begin, end, used_slots, 1, first, members, slots, used)


@compiled
def _top_down(people, scale, space, first, members, slots, used):
    """Zhang (2007, Algorithm 9): whoever asks for the widest node first, with as many as it takes."""
    nodes, weights = scale.nodes, scale.weights
    tops = np.unique(people.asked)
    for top in tops:
        begin, end = _run(people, scale, top)
        _sum_up(people, scale, space, top)
        units, wanted = (
            _most_units(people, scale, space, top, space.sums[end] - space.sums[begin]),
            0,
        )
        for child in range(nodes.first[top], nodes.first[top] + nodes.children[top]):
            low, high = _run(people, scale, child)
            asking = 0
            for i in range(low, high):
                if people.asked[i] == top:
                    asking += people.left[i]
            if weights[child]:
                wanted = max(wanted, -(-asking // weights[child]))
        units = min(units, wanted)
        if units:
            number = _choose(people, scale, space, top, units, BY_VALUE)
            _emit(people, space, begin, end, number, 1, first, members, slots, used)
        _alone(people, space, begin, end, top, first, members, slots, used)


@compiled
def _bottom_up(people, scale, space, first, members, slots, used):
    """Zhang (2007, Algorithm 8): the group with the best mean saving first.

    A group's saving is estimated anew only when it is the best of those that were seen before: what
    others took cannot make it better, but for ties.
    """
    tops = np.unique(people.asked)
    mean, seen = np.full(tops.size, np.inf), np.full(tops.size, -1)
    units, rule = np.zeros(tops.size, np.int64), np.zeros(tops.size, np.int64)
    turn = 0
    while True:
        best = np.argmax(mean)
        if mean[best] <= CLOSE:
            break
        top = tops[best]
        if seen[best] < turn:
            mean[best], units[best], rule[best] = _best_units(people, scale, space, top)
            seen[best] = turn
            continue
        begin, end = _run(people, scale, top)
        number = _choose(people, scale, space, top, units[best], rule[best])
        times = people.left.max()
        for i in range(begin, end):
            if space.taken[i]:
                times = min(times, people.left[i] // space.taken[i])
        _emit(people, space, begin, end, number, times, first, members, slots, used)
        turn += 1
    for top in tops:
        begin, end = _run(people, scale, top)
        _alone(people, space, begin, end, top, first, members, slots, used)


@compiled
def _best_units(people, scale, space, top):
    """The best mean saving of a group with a top: its mean, units, and who is taken."""
    best, units, rule = 0.0, np.int64(0), np.int64(BY_WISH)
    begin, end = _run(people, scale, top)
    asking = 0
    for i in range(begin, end):
        if people.asked[i] == top:
            asking += people.left[i]
    if asking == 0 or scale.nodes.children[top] == 0:
        return best, units, rule
    _sum_up(people, scale, space, top)
    most = _most_units(people, scale, space, top, space.sums[end] - space.sums[begin])
    tried, step = 1, 1
    while tried <= most:
        for each in (BY_WISH, BY_VALUE):
            number = _choose(people, scale, space, top, tried, each)
            mean = _mean_saving(people, scale, space, begin, end, number)
            if mean > best + CLOSE:
                best, units, rule = mean, np.int64(tried), np.int64(each)
        if tried >= 4 * step:  # 1 2 3 4 6 8 12 16 24 32 …
            step *= 2
        tried += step
    return best, units, rule


@compiled
def _mean_saving(people, scale, space, begin, end, number):
    """By how much a group's subdomains are narrower than what its people ask for, a person."""
    total, size = 0.0, 0
    for i in range(begin, end):
        total += space.taken[i] * scale.wide[people.asked[i]]
        size += space.taken[i]
    for slot in range(number):
        total -= space.count[slot] * scale.wide[space.node[slot]]
    return total / size


@compiled
def _choose(people, scale, space, top, units, rule):
    """Take people for so many units of a top's weights; how many different nodes they become."""
    begin, end = _run(people, scale, top)
    nodes, weights = scale.nodes, scale.weights
    _clear(space, begin, end)
    people_in = units * _weight_below(scale, top)
    if rule == BY_WISH:
        for child in range(nodes.first[top], nodes.first[top] + nodes.children[top]):
            low, high = _run(people, scale, child)
            _take(people, scale, space, low, high, top, units * weights[child])
        space.sums[begin] = 0
        for i in range(begin, end):
            space.sums[i + 1] = space.sums[i] + space.taken[i]
        return _push(people, scale, space, top, units, people_in)
    _sum_up(people, scale, space, top)
    number = _push(people, scale, space, top, units, people_in)
    for slot in range(number - 1, -1, -1):  # children come behind their parents
        low, high = _run(people, scale, space.node[slot])
        _take(people, scale, space, low, high, top, space.count[slot])
    return number


@compiled
def _push(people, scale, space, top, units, values):
    """Generalize as little as the weights allow the values that `sums` counts; units of the top are given."""
    nodes, weights = scale.nodes, scale.weights
    used, depth = 0, 1
    space.stack[0, 0], space.stack[0, 1] = top, values
    while depth:
        depth -= 1
        node, number = space.stack[depth]
        whole = _weight_below(scale, node)
        given = units
        if node != top:
            given = _most_units(people, scale, space, node, number)
        if number - given * whole:
            space.node[used], space.count[used] = node, number - given * whole
            used += 1
        if given:
            for child in range(nodes.first[node], nodes.first[node] + nodes.children[node]):
                if weights[child]:
                    space.stack[depth, 0] = child
                    space.stack[depth, 1] = given * weights[child]
                    depth += 1
    return used


@compiled
def _most_units(people, scale, space, node, values):
    """How many times the weights of a node's children can be taken out of so many values."""
    nodes, weights = scale.nodes, scale.weights
    if nodes.children[node] == 0:
        return np.int64(0)
    units = values // _weight_below(scale, node)
    for child in range(nodes.first[node], nodes.first[node] + nodes.children[node]):
        if weights[child]:
            low, high = _run(people, scale, child)
            units = min(units, (space.sums[high] - space.sums[low]) // weights[child])
    return units


@compiled
def _weight_below(scale, node):
    whole = 0
    for child in range(
        scale.nodes.first[node], scale.nodes.first[node] + scale.nodes.children[node]
    ):
        whole += scale.weights[child]
    return whole


@compiled
def _run(people, scale, node):
    """Where the kinds with values of a node begin and end."""
    begin = first_at_least(people.code, 0, people.code.size, scale.nodes.low[node])
    return begin, first_at_least(people.code, begin, people.code.size, scale.nodes.high[node])


@compiled
def _sum_up(people, scale, space, top):
    """Count who is in no group yet and asks for no more than the top, up to each kind."""
    begin, end = _run(people, scale, top)
    space.sums[begin] = 0
    for i in range(begin, end):
        fits = scale.codes[people.asked[i]] <= scale.codes[top]
        space.sums[i + 1] = space.sums[i] + (people.left[i] if fits else 0)


@compiled
def _clear(space, begin, end):
    for i in range(begin, end):
        space.taken[i] = 0


@compiled
def _take(people, scale, space, begin, end, top, number):
    """Take so many people of a run, who ask for most first; those of a wish are left as even as can be."""
    bound = scale.codes[top] + 1
    while number > 0:
        size, total, most = 0, 0, 0
        for i in range(begin, end):
            free, asked = people.left[i] - space.taken[i], scale.codes[people.asked[i]]
            if free and asked < bound and asked >= size:
                if asked > size:
                    size, total, most = asked, 0, 0
                total += free
                most = max(most, free)
        if total == 0:
            return
        level = _even_level(people, scale, space, begin, end, size, most, min(number, total))
        for i in range(begin, end):
            if scale.codes[people.asked[i]] == size:
                more = max(0, people.left[i] - space.taken[i] - level)
                space.taken[i] += more
                number -= more
        for i in range(begin, end):
            is_next = number and level and scale.codes[people.asked[i]] == size
            if is_next and people.left[i] - space.taken[i] == level:
                space.taken[i] += 1
                number -= 1
        bound = size


@compiled
def _even_level(people, scale, space, begin, end, size, most, number):
    """The fewest people to leave of each kind of a wish, so that no more than a number are taken."""
    low, high = 0, most
    while low < high:
        level, above = (low + high) // 2, 0
        for i in range(begin, end):
            if scale.codes[people.asked[i]] == size:
                above += max(0, people.left[i] - space.taken[i] - level)
        if above <= number:
            high = level
        else:
            low = level + 1
    return low


@compiled
def _alone(people, space, begin, end, top, first, members, slots, used):
    """Everybody who is left and asks for a node becomes a group alone."""
    _clear(space, begin, end)
    for i in range(begin, end):
        if people.asked[i] == top and people.left[i]:
            space.taken[i] = 1
            space.node[0], space.count[0] = top, 1
            _emit(people, space, i, i + 1, 1, people.left[i], first, members, slots, used)
            space.taken[i] = 0


@compiled
def _emit(people, space, begin, end, number, times, first, members, slots, used):
    """Put down the group that was taken, and others just like it."""
    for _ in range(times):
        for i in range(begin, end):
            if space.taken[i]:
                at = used[1]
                members.group[at], members.kind[at] = used[0], first + i
                members.count[at] = space.taken[i]
                people.left[i] -= space.taken[i]
                used[1] += 1
        for slot in range(number):
            at = used[2]
            slots.group[at], slots.node[at] = used[0], space.node[slot]
            slots.count[at] = space.count[slot]
            used[2] += 1
        used[0] += 1
