"""The best set of cuts: a climb to a good one, then a search that proves how good it is.

Bayardo and Agrawal (2005). A subtree is a head, cuts that all of its sets have, and a tail, cuts that
they may have. It is left out when the least its sets can cost passes the best found; so are cuts of
the tail that no better set can have, and such that every better set must have become part of the head.
Work is counted and not timed, so that the same table gives the same cuts on any machine.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from anonagram.kernels.compiled import compiled
from anonagram.kernels.cut_bounds import add_terms, combined_bound, gains_at
from anonagram.kernels.cut_climb import climb, keep_if_better
from anonagram.kernels.cut_sets import (
    COARSEST,
    FINEST,
    HEAD,
    OUT,
    TAIL,
    VALUES,
    cost_of_level,
    end_of_run,
    fewest_at,
    make,
    run_loss,
)
from anonagram.kernels.cut_sweep import Effects, sweep
from anonagram.kernels.goals import smallest_size
from anonagram.kernels.heap import longer, rise, sink
from anonagram.kernels.lattice import GEOMETRIC, GROUPS, SQUARES


class Found(NamedTuple):
    """What a search ended with."""

    flags: Any
    """HEAD where there is a cut."""
    cost: float
    suppressed: int
    looked_at: int
    """Subtrees that were looked at."""
    least: float
    """No set costs less than this or the cost."""


@compiled
def search(p, starts, most):
    """The best set that is found in so much work, from several to begin with, and what is proved.

    Without any work the first of them is judged. There is one way in for both, because each is
    compiled with all of its parts. group_of and bad of the room tell the groups of what was found.
    """
    chosen, looked, least = starts[:1].copy(), 0, 0.0
    if most > 0:
        looked, least = _look_for_best(p, starts, chosen, most)
    make(p, chosen[0], HEAD, VALUES, FINEST, p.room.group_of)
    cost, suppressed = cost_of_level(p, FINEST)
    return Found(chosen[0], cost, suppressed, looked, least)


@compiled
def _look_for_best(p, starts, chosen, most):
    places = p.runs.codes.size
    width = p.codes.shape[1] if p.ladders.kind == GEOMETRIC else 1
    effects = Effects(
        np.zeros(places + 1), np.zeros(places + 1), np.zeros((places + 1, width)),
        np.zeros((places + 1, width)),
    )  # fmt: skip
    chosen[:] = 0
    root, best = _root(p), np.array([np.inf, 0.0])
    # what would have to suppress too much in any case is in no set
    _narrow(p, root, effects, best, chosen, most)
    for start in range(starts.shape[0]):
        if best[1] == 0 or p.work[0] < most // 2:
            climb(p, root, starts[start], effects, best, chosen, most // 2)
    return _branch(p, root, effects, best, chosen, most)


@compiled
def _root(p):
    flags = np.full(p.runs.codes.size, TAIL, np.int8)
    flags[p.runs.first[:-1]] = OUT  # nothing stands before the first value
    return flags


@compiled
def _narrow(p, flags, effects, best, chosen, most):
    """Take cuts out of the tail, or into the head, until no bound says more.

    Returns what every set of the subtree costs at least, infinite where there is no better one, the
    cut to branch on (-1 where none is left), and what sets with it and without it cost at least.
    """
    k = smallest_size(p.goal)
    is_new = True
    while True:
        make(p, flags, TAIL, VALUES, FINEST, p.room.group_of)
        make(p, flags, HEAD, FINEST, COARSEST, p.class_of)
        fewest = fewest_at(p, COARSEST)
        if fewest.sum() > p.rule.limit:
            return np.inf, -1, np.inf, np.inf
        gains, of_head = gains_at(p, FINEST, k), gains_at(p, COARSEST, k)
        terms, dead = _least_terms(p, k, fewest, gains)
        least = combined_bound(p, FINEST, k, terms)
        if is_new:
            keep_if_better(p, flags, COARSEST, HEAD, best, chosen)
        keep_if_better(p, flags, FINEST, TAIL, best, chosen)
        if least >= best[0]:
            return np.inf, -1, np.inf, np.inf
        sweep(p, k, fewest, gains, of_head, effects)
        cut, with_it, without_it, is_changed, is_new = _decide(
            p, k, flags, fewest, terms, dead, effects, least, best[0]
        )
        if not is_changed or p.work[0] >= most:
            if is_new:
                make(p, flags, HEAD, FINEST, COARSEST, p.class_of)
                keep_if_better(p, flags, COARSEST, HEAD, best, chosen)
            return least, cut, with_it, without_it


@compiled
def _least_terms(p, k, fewest, gains):
    """What groups of the head add to the least cost: all of them, and those suppressed as a whole."""
    at, groups = p.places[COARSEST], p.groups[COARSEST]
    fine, count = p.places[FINEST], p.groups[FINEST]
    width = gains.shape[1]
    of_group, smallest = np.zeros((groups, width)), np.full((groups, width), np.inf)
    inside = np.zeros(groups, np.int64)
    for f in range(count):
        g = p.class_of[f]
        inside[g] += 1
        for c in range(width):
            of_group[g, c] += p.pool[fine + count + f] * gains[f, c]
            smallest[g, c] = min(smallest[g, c], gains[f, c])
    terms, dead, unused = np.zeros(width), np.zeros(width), np.zeros(width)
    for g in range(groups):
        size = p.pool[at + groups + g]
        add_terms(
            p,
            k,
            size,
            fewest[g],
            inside[g],
            of_group[g],
            smallest[g],
            smallest[g],
            1,
            terms,
            unused,
        )
        if fewest[g] >= size:
            dead += of_group[g]
    return terms, dead


@compiled
def _decide(p, k, flags, fewest, terms, dead, effects, least, best):
    """Put each cut of the tail where bounds say it belongs, and choose one to branch on."""
    kind, must = p.ladders.kind, float(fewest.sum())
    alive = _rows_alive(p, fewest)
    chosen, chosen_with, chosen_without, score = -1, least, least, -1.0
    is_changed, is_forced = False, False
    old = flags.copy()
    for i in range(p.runs.first.size - 1):
        a, end = p.runs.first[i], p.runs.first[i + 1]
        before = a
        while a < end:
            b = end_of_run(old, a, end, TAIL)
            if old[a] == TAIL:
                with_it = max(least, combined_bound(p, FINEST, k, terms + effects.low[a]))
                without_it = least
                if kind != SQUARES and kind != GROUPS:
                    more = dead.copy()
                    more[i if kind == GEOMETRIC else 0] += _lost(p, i, before, a, b, alive)
                    without_it = max(least, combined_bound(p, FINEST, k, more))
                if must + effects.must[a] > p.rule.limit or with_it >= best:
                    flags[a], is_changed = OUT, True
                elif without_it >= best:
                    flags[a], is_changed, is_forced = HEAD, True, True
                else:
                    here = _score(with_it - least, without_it - least, effects.must[a] + 1.0)
                    if here > score:
                        chosen, score = a, here
                        chosen_with, chosen_without = with_it, without_it
            before, a = a, b + 1
    return chosen, chosen_with, chosen_without, is_changed, is_forced


@compiled
def _score(one, other, must):
    """How much is decided by a cut: both branches should cost more."""
    return min(one, other) + 0.1 * max(one, other) + 1e-9 * must


@compiled
def _rows_alive(p, fewest):
    """Rows at each place at which a finest run begins that need not all be suppressed."""
    fine, count = p.places[FINEST], p.groups[FINEST]
    head, heads = p.places[COARSEST], p.groups[COARSEST]
    alive = np.zeros(p.runs.codes.size)
    for f in range(count):
        g, rep = p.class_of[f], p.pool[fine + f]
        if fewest[g] < p.pool[head + heads + g]:
            for i in range(p.codes.shape[1]):
                begin = p.runs.begins[p.ladders.where[i, FINEST] + p.codes[rep, i]]
                alive[begin] += p.pool[fine + count + f]
    return alive


@compiled
def _lost(p, i, before, cut, end, alive):
    """How much more is lost at least by rows on both sides of a cut that is not made."""
    whole = run_loss(p.runs, i, before, end)
    left = alive[before] * (whole - run_loss(p.runs, i, before, cut - 1))
    return left + alive[cut] * (whole - run_loss(p.runs, i, cut, end))


@compiled
def _branch(p, root, effects, best, chosen, most):
    """Look at subtrees in the order of what they cost at least; returns how many, and the least left."""
    nodes = np.empty((256, root.size), np.int8)
    bounds, heap = np.zeros((256, 1)), np.zeros((256, 1), np.int64)
    nodes[0] = root
    waiting, made, looked = 1, 1, 0
    while waiting > 0 and p.work[0] < most:
        node = heap[0, 0]
        waiting -= 1
        heap[0] = heap[waiting]
        sink(heap, bounds, waiting)
        if bounds[node, 0] >= best[0]:
            return looked, best[0]
        flags = nodes[node].copy()
        least, cut, with_it, without_it = _narrow(p, flags, effects, best, chosen, most)
        looked += 1
        if cut < 0:
            continue
        for place_in, bound in ((HEAD, max(least, with_it)), (OUT, max(least, without_it))):
            if max(bound, bounds[node, 0]) >= best[0]:
                continue
            if made == nodes.shape[0]:
                nodes, bounds, heap = longer(nodes), longer(bounds), longer(heap)
            nodes[made] = flags
            nodes[made, cut] = place_in
            bounds[made, 0] = max(bound, bounds[node, 0])
            heap[waiting, 0] = made
            rise(heap, bounds, waiting)
            waiting, made = waiting + 1, made + 1
    if waiting == 0:
        return looked, best[0]
    return looked, min(best[0], bounds[heap[0, 0], 0])
