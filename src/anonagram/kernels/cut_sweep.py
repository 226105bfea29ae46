"""What each cut of a tail does to its head, all of them in one pass for each column."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from anonagram.kernels.compiled import compiled
from anonagram.kernels.cut_bounds import add_terms
from anonagram.kernels.cut_sets import COARSEST, FINEST
from anonagram.kernels.goals import fewest_removed, passes_size, passes_values
from anonagram.kernels.lattice import by_group


class Effects(NamedTuple):
    """What each cut of the tail does to a head: rows and losses that come in addition."""

    must: Any
    """Rows that must be suppressed."""
    failing: Any
    """Rows in groups that fail."""
    low: Any
    """What every set with the cut costs at least."""
    high: Any
    """What the head with the cut costs."""


@compiled
def sweep(p, k, fewest, gains, head_gains, effects):
    """What each cut of the tail would do to the head, all of them in one pass for each column.

    The finest groups in each group of the head are taken in the order of a column's values, so that
    every cut has what lies before it in running sums. fewest has the rows of each group of the head
    that must be suppressed; gains those of `gains_at`.
    """
    count = p.groups[FINEST]
    head, heads = p.places[COARSEST], p.groups[COARSEST]
    by_class, starts = by_group(p.class_of[:count], heads)
    smallest = _smallest(gains, by_class, starts)
    for each in (effects.low, effects.high):
        each[:] = 0.0
    effects.must[:], effects.failing[:] = 0.0, 0.0
    values = 1
    for j in range(p.cells.shape[1]):
        values = max(values, p.goal.offset[j + 1] - p.goal.offset[j])
    left = np.zeros((p.cells.shape[1], values), np.int32)
    found, counts = np.empty(values, np.int32), np.empty(values, np.int32)
    ordered, at = np.empty(count, np.int32), np.empty(heads, np.int64)
    for i in range(p.codes.shape[1]):
        at[:] = starts[:-1]
        for f in _by_run(p, i):
            g = p.class_of[f]
            ordered[at[g]] = f
            at[g] += 1
        p.work[0] += 2 * count
        for g in range(heads):
            size = p.pool[head + heads + g]
            if fewest[g] < size and starts[g + 1] - starts[g] > 1:
                members = ordered[starts[g] : starts[g + 1]]
                _walk(
                    p, k, i, g, members, fewest[g], gains, smallest[g], head_gains[g], left, found,
                    counts, effects,
                )  # fmt: skip
    for place in range(1, effects.must.size):
        effects.must[place] += effects.must[place - 1]
        effects.failing[place] += effects.failing[place - 1]
        for c in range(gains.shape[1]):
            effects.low[place, c] += effects.low[place - 1, c]
            effects.high[place, c] += effects.high[place - 1, c]


@compiled
def _smallest(gains, order, starts):
    """The smallest gain of the finest groups in each group."""
    smallest = np.full((starts.size - 1, gains.shape[1]), np.inf)
    for g in range(starts.size - 1):
        for place in range(starts[g], starts[g + 1]):
            for c in range(gains.shape[1]):
                smallest[g, c] = min(smallest[g, c], gains[order[place], c])
    return smallest


@compiled
def _begin(p, i, f):
    """The place at which the run of a finest group begins in a column."""
    rep = p.pool[p.places[FINEST] + f]
    return p.runs.begins[p.ladders.where[i, FINEST] + p.codes[rep, i]]


@compiled
def _by_run(p, i):
    """The finest groups in the order of a column's runs."""
    count, first = p.groups[FINEST], p.runs.first[i]
    begins = np.empty(count, np.int32)
    starts = np.zeros(p.runs.first[i + 1] - first + 1, np.int64)
    for f in range(count):
        begins[f] = _begin(p, i, f) - first
        starts[begins[f] + 1] += 1
    for place in range(1, starts.size):
        starts[place] += starts[place - 1]
    order = np.empty(count, np.int32)
    for f in range(count):
        order[starts[begins[f]]] = f
        starts[begins[f]] += 1
    return order


@compiled
def _walk(p, k, i, g, members, fewest, gains, smallest, of_head, left, found, counts, effects):
    """Go through the finest groups of a group of the head, and tell what each cut does to it."""
    fine, count = p.places[FINEST], p.groups[FINEST]
    head, heads = p.places[COARSEST], p.groups[COARSEST]
    size, width = p.pool[head + heads + g], gains.shape[1]
    gain, gain_left, gain_right = np.zeros(width), np.zeros(width), np.zeros(width)
    for f in members:
        _add_gain(gain, p.pool[fine + count + f], gains, f)
    low, high = np.empty(width), np.empty(width)
    size_left, before = 0, _begin(p, i, members[0])
    for n in range(members.size):
        f = members[n]
        begin = _begin(p, i, f)
        if begin != before:
            for c in range(width):
                low[c], high[c], gain_right[c] = 0.0, 0.0, gain[c] - gain_left[c]
            size_right = size - size_left
            fewest_left = _fewest_of_side(p, g, left, size_left, True, found, counts)
            fewest_right = _fewest_of_side(p, g, left, size_right, False, found, counts)
            add_terms(p, k, size_left, fewest_left, n, gain_left, smallest, of_head, 1, low, high)
            add_terms(
                p, k, size_right, fewest_right, members.size - n, gain_right, smallest, of_head, 1,
                low, high,
            )  # fmt: skip
            add_terms(p, k, size, fewest, members.size, gain, smallest, of_head, -1, low, high)
            failing = (size_left if fewest_left > 0 else 0) + (
                size_right if fewest_right > 0 else 0
            )
            failing -= size if fewest > 0 else 0
            must = fewest_left + fewest_right - fewest
            _note(effects, before + 1, 1.0, must, failing, low, high)
            _note(effects, begin + 1, -1.0, must, failing, low, high)
            before = begin
        _add_gain(gain_left, p.pool[fine + count + f], gains, f)
        size_left += p.pool[fine + count + f]
        _add_to_left(p, f, left)
    _forget(p, g, left)


@compiled
def _add_gain(gain, size, gains, f):
    for c in range(gain.size):
        gain[c] += size * gains[f, c]


@compiled
def _note(effects, place, sign, must, failing, low, high):
    """Let something be true of all cuts from a place on."""
    effects.must[place] += sign * must
    effects.failing[place] += sign * failing
    for c in range(low.size):
        effects.low[place, c] += sign * low[c]
        effects.high[place, c] += sign * high[c]


@compiled
def _add_to_left(p, f, left):
    count = p.groups[FINEST]
    begin, cells = p.places[FINEST] + 2 * count, p.cells[FINEST]
    for j in range(cells.size):
        codes = begin + count + 1
        for place in range(p.pool[begin + f], p.pool[begin + f + 1]):
            left[j, p.pool[codes + place]] += p.pool[codes + cells[j] + place]
        begin = codes + 2 * cells[j]


@compiled
def _forget(p, g, left):
    heads = p.groups[COARSEST]
    begin, cells = p.places[COARSEST] + 2 * heads, p.cells[COARSEST]
    for j in range(cells.size):
        codes = begin + heads + 1
        for place in range(p.pool[begin + g], p.pool[begin + g + 1]):
            left[j, p.pool[codes + place]] = 0
        begin = codes + 2 * cells[j]


@compiled
def _fewest_of_side(p, g, left, size, is_left, found, counts):
    """How many rows before a cut, or behind it, must go before the rest of them holds."""
    if not passes_size(p.goal, size):
        return size
    heads, fewest = p.groups[COARSEST], 0
    begin, cells = p.places[COARSEST] + 2 * heads, p.cells[COARSEST]
    for j in range(cells.size):
        codes, m = begin + heads + 1, 0
        for place in range(p.pool[begin + g], p.pool[begin + g + 1]):
            c = p.pool[codes + place]
            here = left[j, c] if is_left else p.pool[codes + cells[j] + place] - left[j, c]
            if here > 0:
                found[m], counts[m] = c, here
                m += 1
        p.work[0] += m
        if not passes_values(p.goal, j, size, found, counts, m, p.room.scratch):
            here = fewest_removed(p.goal, j, size, found, counts, m, p.room.scratch)
            fewest = max(fewest, min(size, max(1, here)))
        begin = codes + 2 * cells[j]
    return fewest
