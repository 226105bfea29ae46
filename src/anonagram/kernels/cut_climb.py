"""A climb to a good set of cuts: cuts are added, and taken away for others, as long as that helps."""

from __future__ import annotations

import numpy as np

from anonagram.kernels.compiled import compiled
from anonagram.kernels.cut_bounds import add_terms, combined_bound, gains_at
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
from anonagram.kernels.cut_sweep import sweep
from anonagram.kernels.goals import smallest_size
from anonagram.kernels.lattice import GEOMETRIC, GROUPS, SQUARES

TRIES = 3
"""Cuts that are tried after a pass has told which promise most."""
ROUNDING = 1e-12


@compiled
def keep_if_better(p, flags, level, least, best, chosen):
    """Remember the cuts of a level if they cost less than any before."""
    cost, _ = cost_of_level(p, level)
    if cost < best[0]:
        best[0], best[1] = cost, 1.0
        for place in range(flags.size):
            chosen[0, place] = HEAD if flags[place] >= least else OUT
    return cost


@compiled
def climb(p, root, start, effects, best, chosen, most):
    """Add the cut that lowers the cost most, as long as one does; then take cuts away and add others."""
    flags = root.copy()
    make(p, flags, TAIL, VALUES, FINEST, p.room.group_of)
    for place in range(flags.size):
        if start[place] == HEAD and root[place] != OUT:
            flags[place] = HEAD
    make(p, flags, HEAD, FINEST, COARSEST, p.class_of)
    cost = keep_if_better(p, flags, COARSEST, HEAD, best, chosen)
    cost = _add_cuts(p, flags, cost, effects, best, chosen, most)
    place, unchanged = 0, 0
    while unchanged < flags.size and p.work[0] < most:
        if flags[place] == HEAD and root[place] == TAIL:
            before = flags.copy()
            flags[place] = TAIL
            make(p, flags, HEAD, FINEST, COARSEST, p.class_of)
            without = keep_if_better(p, flags, COARSEST, HEAD, best, chosen)
            reached = _add_cuts(p, flags, min(cost, without), effects, best, chosen, most)
            if reached < cost - ROUNDING * abs(cost):
                cost, unchanged = reached, 0
            else:
                flags[:] = before
        place, unchanged = (place + 1) % flags.size, unchanged + 1


@compiled
def _add_cuts(p, flags, cost, effects, best, chosen, most):
    """Add cuts as long as one lowers the cost; returns what is reached."""
    while p.work[0] < most:
        make(p, flags, HEAD, FINEST, COARSEST, p.class_of)
        hopes = _hopes(p, flags, effects)
        added = -1
        for _ in range(TRIES):
            cut = np.argmin(hopes)
            if hopes[cut] >= cost:
                break
            flags[cut] = HEAD
            make(p, flags, HEAD, FINEST, COARSEST, p.class_of)
            here = keep_if_better(p, flags, COARSEST, HEAD, best, chosen)
            if here < cost - ROUNDING * abs(cost):
                cost, added = here, cut
                break
            flags[cut], hopes[cut] = TAIL, np.inf
        if added < 0:
            break
    return cost


@compiled
def _hopes(p, flags, effects):
    """What the head would cost with each cut of the tail, as far as one pass tells."""
    k = smallest_size(p.goal)
    fewest = fewest_at(p, COARSEST)
    gains, of_head = gains_at(p, FINEST, k), gains_at(p, COARSEST, k)
    sweep(p, k, fewest, gains, of_head, effects)
    now, failing = _terms_of_head(p, k, fewest, of_head)
    hopes, kind = np.full(flags.size, np.inf), p.ladders.kind
    for i in range(p.runs.first.size - 1):
        a, end = p.runs.first[i], p.runs.first[i + 1]
        while a < end:
            b = end_of_run(flags, a, end, HEAD)
            for cut in range(a + 1, b + 1):
                gone = failing + effects.failing[cut]
                if flags[cut] != TAIL or gone > p.rule.limit:
                    continue
                terms = now + effects.high[cut]
                if kind == GROUPS:
                    is_group = p.rule.is_kept and gone > 0
                    left = p.rows if p.rule.is_kept else p.rows - gone
                    hopes[cut] = left / max(1.0, terms[0] + is_group)
                elif kind == SQUARES:
                    hopes[cut] = terms[0]
                else:
                    terms[i if kind == GEOMETRIC else 0] += _saved(p, i, a, cut, b)
                    hopes[cut] = combined_bound(p, COARSEST, k, terms)
            a = b + 1
    return hopes


@compiled
def _terms_of_head(p, k, fewest, of_head):
    """What the groups of the head cost beside its runs, and how many rows are in failing ones."""
    at, groups = p.places[COARSEST], p.groups[COARSEST]
    low, high = np.zeros(of_head.shape[1]), np.zeros(of_head.shape[1])
    failing = 0
    for g in range(groups):
        size = p.pool[at + groups + g]
        add_terms(p, k, size, fewest[g], 1, of_head[g], of_head[g], of_head[g], 1, low, high)
        failing += size if fewest[g] > 0 else 0
    return high, failing


@compiled
def _saved(p, i, a, cut, b):
    """How much more all rows lose if a run is cut: less than nothing."""
    runs = p.runs
    left, right = runs.before[cut] - runs.before[a], runs.before[b + 1] - runs.before[cut]
    whole = run_loss(runs, i, a, b)
    saved = left * (run_loss(runs, i, a, cut - 1) - whole)
    return saved + right * (run_loss(runs, i, cut, b) - whole)
