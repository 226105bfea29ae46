"""All ways to hand the values of a small group to its rows, one row after the other.

A state says how often each value was taken, as a number whose digits have the counts as their bases,
and so how many rows have theirs. From each state a step leads to another for each value that is left.
Steps depend on the counts alone, and most groups have the same ones: they are listed once, so that
going through them needs no decision on the way.
"""

from typing import NamedTuple

import numpy as np

from anonagram.kernels.compiled import compiled, in_place

MOST_STATES = 1024
"""Groups in which values can be used up in no more ways are summed over all matchings exactly."""
MOST_VALUES = 10
"""As many as such a group can have, if each is there: two to the tenth is so many states."""


class Steps(NamedTuple):
    """The steps of the group that was looked at last, and room for what is summed along them."""

    width: np.ndarray
    """How many values it has; 0 before the first group."""
    counts: np.ndarray
    """Of each value."""
    begins: np.ndarray
    """For each state, and behind the last, where its steps begin."""
    nexts: np.ndarray
    """The state that a step leads to."""
    cells: np.ndarray
    """Which row takes which value: its place among the group's weights."""
    before: np.ndarray
    after: np.ndarray
    shares: np.ndarray
    """A place for every cell."""


@compiled
def no_steps():
    """Room for the steps of one group after the other."""
    most = MOST_STATES * MOST_VALUES
    return Steps(
        np.zeros(1, np.int64), np.zeros(MOST_VALUES), np.zeros(MOST_STATES + 1, np.int64),
        np.zeros(most, np.int64), np.zeros(most, np.int64), np.zeros(MOST_STATES),
        np.zeros(MOST_STATES), np.zeros(most),
    )  # fmt: skip


@in_place
def find_steps(steps, width, counts, first, most_states):
    """List the steps of a group; how many states it has, or 0 where it has more than allowed."""
    if width > MOST_VALUES:
        return 0
    ways, is_known = 1.0, steps.width[0] == width
    for v in range(width):
        ways *= counts[first + v] + 1
        is_known = is_known and steps.counts[v] == counts[first + v]
    if ways > most_states:
        return 0
    if not is_known:
        list_steps(steps, width, counts, first, int(ways))
    return int(ways)


@compiled
def list_steps(steps, width, counts, first, ways):
    """The steps from every state, in the order of states."""
    begins, nexts, cells = steps.begins, steps.nexts, steps.cells
    strides, used = np.empty(width, np.int64), use_up(width, counts, first, ways)
    steps.width[0] = width
    stride = 1
    for v in range(width):
        steps.counts[v] = counts[first + v]
        strides[v] = stride
        stride *= int(counts[first + v]) + 1
    listed = 0
    for state in range(ways):
        begins[state] = listed
        row, left = used[state] >> width, used[state]
        for v in range(width):
            # written in any case, and kept where the value is left: nothing to be decided
            nexts[listed] = state + strides[v]
            cells[listed] = row * width + v
            listed += 1 - (left & 1)
            left >>= 1
    begins[ways] = listed


@compiled
def use_up(width, counts, first, ways):
    """For each state a bit for each value that is used up, and above them how many were taken.

    States of more values repeat those of fewer, once for each time that the next value is taken.
    """
    used, known = np.empty(ways, np.int64), 1
    used[0] = 0
    for v in range(width):
        most = int(counts[first + v])
        if most == 0:
            used[:known] += 1 << v
        for times in range(1, most + 1):
            more = (times << width) + ((1 << v) if times == most else 0)
            for state in range(known):
                used[times * known + state] = used[state] + more
        known *= most + 1
    return used


@in_place
def sum_after(weights, at, steps, ways):
    """For each state the weight of all ways to hand out the values that are left."""
    begins, nexts, cells, after = steps.begins, steps.nexts, steps.cells, steps.after
    after[ways - 1] = 1.0
    for state in range(ways - 2, -1, -1):
        total = 0.0
        for step in range(begins[state], begins[state + 1]):
            total += after[nexts[step]] * weights[at + cells[step]]
        after[state] = total


@in_place
def sum_matchings(weights, at, size, steps, ways):
    """Turn the weights of a block of this size into chances over all its matchings."""
    begins, nexts, cells = steps.begins, steps.nexts, steps.cells
    before, after, shares = steps.before, steps.after, steps.shares
    before[:ways] = 0.0
    shares[:size] = 0.0
    before[0] = 1.0
    for state in range(ways - 1):
        come = before[state]
        for step in range(begins[state], begins[state + 1]):
            before[nexts[step]] += come * weights[at + cells[step]]
    after[ways - 1] = 1.0
    for state in range(ways - 2, -1, -1):
        total, come = 0.0, before[state]
        for step in range(begins[state], begins[state + 1]):
            following = after[nexts[step]] * weights[at + cells[step]]
            total += following
            shares[cells[step]] += come * following
        after[state] = total
    for cell in range(size):
        weights[at + cell] = shares[cell] / after[0]
