"""The nodes of a lattice of generalizations: their groups, whether they hold, and the best of them.

Equal rows are one cell. The groups of a node are made from those of a finer node (roll-up), never
from rows again. A group is known by one of its cells, from whose codes its label at any level can be
looked up. All groups of a node lie behind each other in a pool:

    a cell of each group | rows of each group | for each sensitive column: starts, codes, counts
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from anonagram.kernels.compiled import compiled
from anonagram.kernels.goals import fewest_removed, passes_size, passes_values, smallest_size

MIX = np.uint64(0x9E3779B97F4A7C15)
ADDED, GEOMETRIC, SQUARES, GROUPS = range(4)
"""How the cost of a node is made: losses of columns added, or (Π (1 + loss))^(1/m) - 1; the squares
of the groups' sizes; rows for each group."""


class Ladders(NamedTuple):
    """The levels of every column, by the codes of its values."""

    keys: Any
    """What a value is at a level, column behind column and level behind level; sums of them over
    columns are different for different groups, or at least hardly ever the same."""
    losses: Any
    """What a row with this value loses at this level."""
    where: Any
    """Where a column's level begins in both."""
    heights: Any
    least: Any
    """The loss of all rows together at each level of each column: what a node costs at least."""
    most: Any
    """What a suppressed row loses of each column."""
    is_unique: bool
    """Whether sums of keys are never the same for different groups."""
    kind: int
    scale: float
    """What losses are divided by."""


class Joint(NamedTuple):
    """Neighbouring columns with few values as one, so that fewer have to be looked up for a group."""

    codes: Any
    """Of each cell, one for each run of columns."""
    first: Any
    """The first column of each run, and the end."""
    values: Any
    """How many codes each column has."""
    where: Any
    """Where each run's sums begin in the table."""
    table: Any
    """Room for the sums of keys at a node, by code."""


class Rule(NamedTuple):
    """How many rows may be suppressed, and what becomes of them."""

    limit: int
    is_kept: bool
    """Whether they stay, as a group."""
    is_told: bool
    """Whether their values are told, so that together they must hold as a group must."""


@compiled
def find_cells(columns, ladders, slots, cell_of):
    """Number equal rows alike; returns a row of each cell."""
    n, m = columns.shape[1], columns.shape[0]
    firsts, keys = np.empty(n, np.int32), np.empty(n, np.int64)
    room, found = min(n, 1024), 0  # few slots are found faster than many
    shift = _cleared(slots, room)
    mask = (np.uint64(1) << (np.uint64(64) - shift)) - np.uint64(1)
    for row in range(n):
        key = np.int64(0)
        for i in range(m):
            key += ladders.keys[ladders.where[i, 0] + columns[i, row]]
        at = (np.uint64(key) * MIX) >> shift
        while True:
            other = slots[at] - 1
            if other < 0:
                slots[at] = found + 1
                firsts[found], keys[found] = row, key
                cell_of[row] = found
                found += 1
                break
            if keys[other] == key and (ladders.is_unique or _same(columns, row, firsts[other])):
                cell_of[row] = other
                break
            at = (at + np.uint64(1)) & mask
        if found == room and room < n:
            room = min(n, 4 * room)
            shift = _cleared(slots, room)
            mask = (np.uint64(1) << (np.uint64(64) - shift)) - np.uint64(1)
            for other in range(found):
                at = (np.uint64(keys[other]) * MIX) >> shift
                while slots[at] > 0:
                    at = (at + np.uint64(1)) & mask
                slots[at] = other + 1
    return firsts[:found]


@compiled
def _same(columns, one, two):
    for i in range(columns.shape[0]):
        if columns[i, one] != columns[i, two]:
            return False
    return True


@compiled
def _cleared(slots, n):
    """Empty as many slots as n groups need, and say by how much a hash is shifted to find one."""
    bits = 4
    while (1 << bits) < 2 * n:
        bits += 1
    slots[: 1 << bits] = 0
    return np.uint64(64 - bits)


@compiled
def first_node(firsts, cell_of, sensitive, values, pool):
    """The node of cells at the beginning of the pool; returns how many values its columns have."""
    count = firsts.size
    pool[:count] = np.arange(count)
    pool[count : 2 * count] = 0
    for cell in cell_of:
        pool[count + cell] += 1
    order, starts = by_group(cell_of, count)
    at, cells = 2 * count, np.zeros(sensitive.shape[0], np.int64)
    scratch, touched = np.zeros(values + 1, np.int64), np.empty(values + 1, np.int64)
    for j in range(sensitive.shape[0]):
        codes = at + count + 1
        room = cell_of.size
        written = 0
        for g in range(count):
            pool[at + g] = written
            m = 0
            for place in range(starts[g], starts[g + 1]):
                c = sensitive[j, order[place]]
                if scratch[c] == 0:
                    touched[m] = c
                    m += 1
                scratch[c] += 1
            for t in range(m):
                c = touched[t]
                pool[codes + written] = c
                pool[codes + room + written] = scratch[c]
                scratch[c] = 0
                written += 1
        pool[at + count] = written
        pool[codes + written : codes + 2 * written] = pool[codes + room : codes + room + written]
        cells[j] = written
        at = codes + 2 * written
    return cells


@compiled
def by_group(group_of, count):
    """What is in each group: an order in which groups lie behind each other, and their starts."""
    starts = np.zeros(count + 1, np.int64)
    for g in group_of:
        starts[g + 1] += 1
    for g in range(count):
        starts[g + 1] += starts[g]
    order, at = np.empty(group_of.size, np.int32), starts[:-1].copy()
    for i in range(group_of.size):
        g = group_of[i]
        order[at[g]] = i
        at[g] += 1
    return order, starts


@compiled
def node_length(groups, cells):
    """How much room a node takes in the pool."""
    return 2 * groups + cells.size * (groups + 1) + 2 * cells.sum()


@compiled
def roll_up(ladders, codes, levels, pool, at, groups, out, most, room, group_of):
    """Make the groups of a node from a finer one that lies `at` a place, and put it `out` there.

    Returns how many groups there are, or one more than the most that are wanted; group_of tells
    which of them each finer group went to.
    """
    where = np.empty(levels.size, np.int64)
    for i in range(levels.size):
        where[i] = ladders.where[i, levels[i]]
    # there is room for as many groups as there were
    reps, sizes, keys, slots = pool[out:], pool[out + groups :], room.keys, room.slots
    shift, found = _cleared(slots, min(groups, most + 1)), 0
    mask = (np.uint64(1) << (np.uint64(64) - shift)) - np.uint64(1)
    table, begins, parts = _sums(ladders, codes, where, groups, room.joint)
    for g in range(groups):
        rep, key = pool[at + g], np.int64(0)
        for i in range(begins.size):
            key += table[begins[i] + parts[rep, i]]
        slot = (np.uint64(key) * MIX) >> shift
        while True:
            other = slots[slot] - 1
            if other < 0:
                if found == most:
                    return most + 1
                slots[slot] = found + 1
                reps[found], keys[found], sizes[found] = rep, key, pool[at + groups + g]
                group_of[g] = found
                found += 1
                break
            if keys[other] == key and (
                ladders.is_unique or _alike(ladders.keys, where, codes, rep, reps[other])
            ):
                sizes[other] += pool[at + groups + g]
                group_of[g] = other
                break
            slot = (slot + np.uint64(1)) & mask
    for g in range(found):
        pool[out + found + g] = sizes[g]
    return found


@compiled
def _sums(ladders, codes, where, groups, joint):
    """A table of keys, where each part of it begins, and the codes of cells to look up in it.

    Columns are looked up together where there are more groups than it takes to add their keys.
    """
    if joint.table.size > groups * (where.size - joint.where.size):
        return ladders.keys, where, codes
    for run in range(joint.where.size):
        begin, size = joint.where[run], 1
        joint.table[begin] = 0
        for i in range(joint.first[run], joint.first[run + 1]):
            # the sums of the columns before stand in the first place, which is written last
            for c in range(joint.values[i] - 1, -1, -1):
                key = ladders.keys[where[i] + c]
                for before in range(size):
                    joint.table[begin + c * size + before] = joint.table[begin + before] + key
            size *= joint.values[i]
    return joint.table, joint.where, joint.codes


@compiled
def _alike(keys, where, codes, one, two):
    for i in range(where.size):
        if keys[where[i] + codes[one, i]] != keys[where[i] + codes[two, i]]:
            return False
    return True


@compiled
def roll_values(pool, at, groups, cells, out, found, new_cells, group_of):
    """The same for the values of the groups; new_cells gets how many each column has."""
    order, starts = np.empty(0, np.int32), np.empty(0, np.int64)
    source, target = at + 2 * groups, out + 2 * found
    for j in range(cells.size):
        codes = source + groups + 1
        values = 0
        for place in range(codes, codes + cells[j]):
            values = max(values, pool[place] + 1)
        if found * values <= 2 * cells[j]:
            written = _rolled_at_once(
                pool, source, groups, cells[j], target, found, values, group_of
            )
        else:
            if order.size == 0:
                order, starts = by_group(group_of[:groups], found)
            written = _rolled(pool, source, groups, cells[j], target, found, values, order, starts)
        new_cells[j] = written
        source = codes + 2 * cells[j]
        target += found + 1 + 2 * written


@compiled
def _rolled_at_once(pool, source, groups, cells, target, found, values, group_of):
    """Count the values of a column in all groups; returns how many different ones these have."""
    codes, counted = source + groups + 1, np.zeros((found, values), np.int32)
    for g in range(groups):
        here = counted[group_of[g]]
        for cell in range(codes + pool[source + g], codes + pool[source + g + 1]):
            here[pool[cell]] += pool[cell + cells]
    written = 0
    for g in range(found):
        pool[target + g] = written
        for c in range(values):
            written += counted[g, c] > 0
    pool[target + found] = written
    at = target + found + 1
    for g in range(found):
        for c in range(values):
            if counted[g, c] > 0:
                pool[at], pool[at + written] = c, counted[g, c]
                at += 1
    return written


@compiled
def _rolled(pool, source, groups, cells, target, found, values, order, starts):
    """The same a group at a time, where there are many groups and values."""
    codes = source + groups + 1
    scratch, touched = np.zeros(values, np.int64), np.empty(values, np.int64)
    made, made_counts = np.empty(cells, np.int32), np.empty(cells, np.int32)
    written = 0
    for g in range(found):
        pool[target + g] = written
        m = 0
        for place in range(starts[g], starts[g + 1]):
            finer = order[place]
            for cell in range(codes + pool[source + finer], codes + pool[source + finer + 1]):
                c = pool[cell]
                if scratch[c] == 0:
                    touched[m] = c
                    m += 1
                scratch[c] += pool[cell + cells]
        for t in range(m):
            c = touched[t]
            made[written], made_counts[written] = c, scratch[c]
            scratch[c] = 0
            written += 1
    pool[target + found] = written
    at = target + found + 1
    pool[at : at + written] = made[:written]
    pool[at + written : at + 2 * written] = made_counts[:written]
    return written


@compiled
def judge_sizes(goal, rule, pool, at, groups, bad):
    """Which groups of a node are too small, and how many rows they have; stops above the limit."""
    rows, least = 0, smallest_size(goal)
    for g in range(groups):
        size = pool[at + groups + g]
        bad[g] = size < least
        if bad[g]:
            rows += size
            if rows > rule.limit:
                break
    return rows


@compiled
def judge(goal, rule, pool, at, groups, cells, bad, small, scratch):
    """Which groups of a node are suppressed, beside those that are too small.

    Returns how many rows must be suppressed here and in every finer node, and how many are; the
    latter -1 where they can make no group that holds.
    """
    must, gone = small, small
    for g in range(groups):
        if bad[g]:
            continue
        fewest = fewest_of_group(goal, pool, at, groups, cells, g, scratch)
        if fewest > 0:
            bad[g] = True
            must += fewest
            gone += pool[at + groups + g]
            if must > rule.limit:
                return must, gone
    if gone == 0 or gone > rule.limit or not rule.is_told:
        return must, gone
    return must, _join(goal, rule, pool, at, groups, cells, bad, gone, scratch)


@compiled
def fewest_of_group(goal, pool, at, groups, cells, g, scratch):
    """How many rows of a group must go before the rest holds; 0 where all of it does."""
    size, begin, fewest = pool[at + groups + g], at + 2 * groups, 0
    for j in range(cells.size):
        codes = begin + groups + 1
        first, last = pool[begin + g], pool[begin + g + 1]
        found = pool[codes + first : codes + last]
        counts = pool[codes + cells[j] + first : codes + cells[j] + last]
        if not passes_values(goal, j, size, found, counts, last - first, scratch):
            here = fewest_removed(goal, j, size, found, counts, last - first, scratch)
            fewest = max(fewest, min(size, max(1, here)))
        begin = codes + 2 * cells[j]
    return fewest


@compiled
def _join(goal, rule, pool, at, groups, cells, bad, rows, scratch):
    """Let groups join the suppressed ones, the smallest first, until together they hold."""
    values = 0
    for j in range(cells.size):
        values = max(values, goal.offset[j + 1] - goal.offset[j])
    together = np.zeros((cells.size, values), np.int64)
    for g in range(groups):
        if bad[g]:
            _add_values(pool, at, groups, cells, g, together)
    if _holds_together(goal, rows, cells, together, scratch):
        return rows
    order = np.argsort(pool[at + groups : at + 2 * groups], kind="mergesort")
    for g in order:
        if bad[g]:
            continue
        rows += pool[at + groups + g]
        if rows > rule.limit:
            return -1
        bad[g] = True
        _add_values(pool, at, groups, cells, g, together)
        if _holds_together(goal, rows, cells, together, scratch):
            return rows
    return -1


@compiled
def _add_values(pool, at, groups, cells, g, together):
    begin = at + 2 * groups
    for j in range(cells.size):
        codes = begin + groups + 1
        for place in range(pool[begin + g], pool[begin + g + 1]):
            together[j, pool[codes + place]] += pool[codes + cells[j] + place]
        begin = codes + 2 * cells[j]


@compiled
def _holds_together(goal, rows, cells, together, scratch):
    if not passes_size(goal, rows):
        return False
    for j in range(cells.size):
        codes = np.flatnonzero(together[j]).astype(np.int32)
        counts = together[j][codes].astype(np.int32)
        if not passes_values(goal, j, rows, codes, counts, codes.size, scratch):
            return False
    return True


@compiled
def cost_of(ladders, codes, levels, pool, at, groups, bad, rows, is_kept, losses):
    """What a node costs whose suppressed groups are known; losses gets that of each column."""
    m = levels.size
    if ladders.kind == SQUARES or ladders.kind == GROUPS:
        return _cost_of_sizes(ladders.kind, pool, at, groups, bad, rows, is_kept)
    for i in range(m):
        losses[i] = ladders.least[i, levels[i]]
    for g in range(groups):
        if bad[g]:
            rep, size = pool[at + g], pool[at + groups + g]
            for i in range(m):
                here = ladders.losses[ladders.where[i, levels[i]] + codes[rep, i]]
                losses[i] += size * (ladders.most[i] - here)
    return combined(ladders, losses)


@compiled
def combined(ladders, losses):
    """The cost that the losses of the columns make together."""
    if ladders.kind == GEOMETRIC:
        product = 1.0
        for loss in losses:
            product *= 1.0 + loss / ladders.scale
        return product ** (1.0 / losses.size) - 1.0
    return losses.sum() / ladders.scale


@compiled
def _cost_of_sizes(kind, pool, at, groups, bad, rows, is_kept):
    squares, suppressed, left = 0.0, 0, 0
    for g in range(groups):
        size = pool[at + groups + g]
        if bad[g]:
            suppressed += size
        else:
            squares += float(size) * size
            left += 1
    if kind == SQUARES:
        return squares + float(suppressed) * rows
    is_group = is_kept and suppressed > 0
    published = rows if is_kept else rows - suppressed
    return published / max(1, left + is_group)


@compiled
def least_by_sizes(kind, rule, pool, at, groups, rows):
    """What every coarser node costs at least, where costs are about sizes."""
    if kind == SQUARES:
        squares = 0.0
        for g in range(groups):
            size = float(pool[at + groups + g])
            squares += size * size
        return squares
    return (rows if rule.is_kept else rows - rule.limit) / groups
