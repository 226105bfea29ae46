"""Drawing who has which value of a group, with the chances that a model gives to matchings."""

import numpy as np

from anonagram.kernels.compiled import compiled
from anonagram.kernels.learn import MOST_STATES, sum_after, weigh_row

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
    after = np.empty(MOST_STATES)
    for g in range(starts.size - 1):
        first, width = value_starts[g], value_starts[g + 1] - value_starts[g]
        rows = starts[g + 1] - starts[g]
        weights = np.empty(rows * width)
        for i in range(rows):
            weigh_row(
                codes, offsets, starts[g] + i, values, first, width, tables, weights, i * width
            )
        ways = 1.0
        for v in range(first, first + width):
            ways *= counts[v] + 1
        if ways <= MOST_STATES:
            taken = draw_in_turn(weights, rows, width, counts, first, int(ways), after, state)
        else:
            taken = draw_by_exchange(weights, rows, width, counts, first, state)
        for i in range(rows):
            drawn[starts[g] + i] = values[first + taken[i]]


@compiled
def draw_in_turn(weights, rows, width, counts, first, ways, after, state):
    """Rows take values one after the other, each with the weight of all that can follow."""
    sum_after(weights, 0, width, counts, first, ways, after)
    taken, at = np.empty(rows, np.int64), 0
    for i in range(rows):
        left = next_uniform(state) * after[at]
        stride, rest, chosen, step = 1, at, -1, 0
        for v in range(width):
            base = int(counts[first + v]) + 1
            if rest % base < base - 1:
                # the last possible value also takes what rounding leaves
                if chosen < 0 or left > 0.0:
                    chosen, step = v, stride
                left -= weights[i * width + v] * after[at + stride]
            rest //= base
            stride *= base
        taken[i] = chosen
        at += step
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
