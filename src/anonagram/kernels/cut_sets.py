"""Sets of cuts between neighbouring values: their groups, and what one cut more would do.

Values of every column stand in an order, column behind column. A cut is known by the place of the
value behind it. A set of cuts makes runs of values, which are told as one; so it is a level of its own
for each column, and what is known of lattices serves: level 1 has the cuts of head and tail together,
level 2 those of the head.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from anonagram.kernels.compiled import compiled
from anonagram.kernels.goals import passes_size
from anonagram.kernels.lattice import (
    cost_of,
    fewest_of_group,
    judge,
    judge_sizes,
    roll_up,
    roll_values,
)

OUT, TAIL, HEAD = range(3)
"""Whether a cut is in no set of a subtree, in some, or in all."""
VALUES, FINEST, COARSEST = range(3)
"""Levels: every value apart, all cuts of head and tail, those of the head alone."""


class Runs(NamedTuple):
    """The values of every column in their order, and what a row loses that is told as a run."""

    codes: Any
    """The code at each place."""
    first: Any
    """Where each column begins, and the end."""
    before: Any
    """Rows before each place, and all."""
    low: Any
    high: Any
    """A run loses what lies between its first and its last value."""
    single: Any
    """What a run of one value loses."""
    is_log: bool
    """Whether the logarithm of that is lost."""
    missing: Any
    """The place of a column's missing value, if all is lost where it stands with others; else -1."""
    steps: Any
    """Multipliers such that sums of runs are different."""
    free: Any
    """What is taken off a column's loss whatever the cuts."""
    begins: Any
    """At each level, for each code the place at which its run begins."""


class Problem(NamedTuple):
    """Everything a search of sets of cuts needs; nodes lie in the pool, one for each level."""

    goal: Any
    rule: Any
    ladders: Any
    runs: Any
    codes: Any
    rows: int
    pool: Any
    places: Any
    """Where each level's node lies."""
    groups: Any
    cells: Any
    levels: Any
    """A row of each level, as kernels of lattices want it."""
    room: Any
    class_of: Any
    """The group of the head in which each of the finest is."""
    work: Any
    """Groups that were gone through so far."""


@compiled
def run_loss(runs, i, a, b):
    """What a row loses of a column that is told as the run from one place to another."""
    if a == b:
        return runs.single[a]
    if b == runs.missing[i]:
        return 1.0
    wide = runs.high[b] - runs.low[a]
    return np.log(wide) if runs.is_log else wide


@compiled
def end_of_run(flags, at, end, least):
    """The last place of the run that begins somewhere."""
    while at + 1 < end and flags[at + 1] < least:
        at += 1
    return at


@compiled
def _fill(p, flags, least, level):
    """Make a level of all runs between cuts."""
    runs, ladders = p.runs, p.ladders
    for i in range(runs.first.size - 1):
        a, end, number, lost = runs.first[i], runs.first[i + 1], 0, 0.0
        while a < end:
            b = end_of_run(flags, a, end, least)
            loss = run_loss(runs, i, a, b)
            for place in range(a, b + 1):
                at = ladders.where[i, level] + runs.codes[place]
                ladders.keys[at] = number * runs.steps[i]
                ladders.losses[at] = loss
                runs.begins[at] = a
            lost += (runs.before[b + 1] - runs.before[a]) * loss
            a, number = b + 1, number + 1
        ladders.least[i, level] = lost - runs.free[i]


@compiled
def make(p, flags, least, source, level, group_of):
    """Make the node of all cuts that are at least this from a finer one."""
    _fill(p, flags, least, level)
    p.work[0] += p.groups[source] * p.codes.shape[1] + p.cells[source].sum() + flags.size
    p.groups[level] = roll_up(
        p.ladders, p.codes, p.levels[level], p.pool, p.places[source], p.groups[source],
        p.places[level], p.groups[source], p.room, group_of,
    )  # fmt: skip
    if p.cells.shape[1] > 0:
        roll_values(
            p.pool, p.places[source], p.groups[source], p.cells[source], p.places[level],
            p.groups[level], p.cells[level], group_of,
        )  # fmt: skip


@compiled
def cost_of_level(p, level):
    """What the node of a level costs, infinite where it does not hold, and its suppressed rows."""
    at, groups, cells = p.places[level], p.groups[level], p.cells[level]
    gone = judge_sizes(p.goal, p.rule, p.pool, at, groups, p.room.bad)
    if gone <= p.rule.limit:
        _, gone = judge(p.goal, p.rule, p.pool, at, groups, cells, p.room.bad, gone, p.room.scratch)
    if gone < 0 or gone > p.rule.limit:
        return np.inf, gone
    cost = cost_of(
        p.ladders, p.codes, p.levels[level], p.pool, at, groups, p.room.bad, p.rows,
        p.rule.is_kept, p.room.losses,
    )  # fmt: skip
    return cost, gone


@compiled
def fewest_at(p, level):
    """How many rows of each group of a level must be suppressed in every finer one."""
    at, groups, cells = p.places[level], p.groups[level], p.cells[level]
    fewest = np.empty(groups, np.int64)
    for g in range(groups):
        size = p.pool[at + groups + g]
        if passes_size(p.goal, size):
            fewest[g] = fewest_of_group(p.goal, p.pool, at, groups, cells, g, p.room.scratch)
        else:
            fewest[g] = size
    return fewest
