"""Drawing who has which value of a group, with the chances that a model gives to matchings."""

import numpy as np

from anonagram.kernels.compiled import compiled
from anonagram.kernels.learn import weigh_row
from anonagram.kernels.states import MOST_STATES, find_steps, no_steps, sum_after

SWEEPS = 60
"""Exchanges a row in a group that is too large to be summed."""


@compiled
def next_uniform(state):
    """A number from 0 to 1 (splitmix64); the state moves on."""
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    z = state[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z ^= z >> np.uint64(31)
    return float(z >> np.uint64(11)) / 9007199254740992.0


@compiled
def draw_matchings(codes, offsets, starts, value_starts, values, counts, tables, state, drawn):
    """For each row the code of a value, so that every group has its values as often as it has them.

    A matching is as likely as the product of what the model says of its pairs: drawn exactly where
    a group is small, else by exchanging values of two rows again and again (Metropolis).
    """
    steps = no_steps()
    for g in range(starts.size - 1):
        first, width = value_starts[g], value_starts[g + 1] - value_starts[g]
        rows = starts[g + 1] - starts[g]
        weights = np.empty(rows * width)
        for i in range(rows):
            weigh_row(
                codes, offsets, starts[g] + i, values, first, width, tables, weights, i * width
            )
        ways = find_steps(steps, width, counts, first, MOST_STATES)
        if ways:
            taken = draw_in_turn(weights, rows, width, steps, ways, state)
        else:
            taken = draw_by_exchange(weights, rows, width, counts, first, state)
        for i in range(rows):
            drawn[starts[g] + i] = values[first + taken[i]]


@compiled
def draw_in_turn(weights, rows, width, steps, ways, state):
    """Rows take values one after the other, each with the weight of all that can follow."""
    sum_after(weights, 0, steps, ways)
    taken, at = np.empty(rows, np.int64), 0
    for i in range(rows):
        left = next_uniform(state) * steps.after[at]
        chosen = steps.begins[at]
        for step in range(steps.begins[at], steps.begins[at + 1]):
            # the last possible value also takes what rounding leaves
            if left > 0.0:
                chosen = step
            left -= weights[steps.cells[step]] * steps.after[steps.nexts[step]]
        taken[i] = steps.cells[chosen] - i * width
        at = steps.nexts[chosen]
    return taken


@compiled
def draw_by_exchange(weights, rows, width, counts, first, state):
    """Begin with any matching and let two rows exchange their values as often as weights say."""
    taken, at = np.empty(rows, np.int64), 0
    for v in range(width):
        for _ in range(int(counts[first + v])):
            taken[at] = v
            at += 1
    for i in range(rows - 1, 0, -1):
        k = int(next_uniform(state) * (i + 1))
        taken[i], taken[k] = taken[k], taken[i]
    for _ in range(SWEEPS * rows):
        i, k = int(next_uniform(state) * rows), int(next_uniform(state) * rows)
        a, b = taken[i], taken[k]
        now = weights[i * width + a] * weights[k * width + b]
        then = weights[i * width + b] * weights[k * width + a]
        if next_uniform(state) * now < then:
            taken[i], taken[k] = b, a
    return taken
