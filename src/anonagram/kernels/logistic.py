"""Multinomial logistic regression on tables: a row's score of a class is the sum over its attributes."""

import math

import numpy as np

from anonagram.kernels.compiled import compiled


@compiled
def step_through(
    codes, offsets, starts, value_starts, values, blocks, chances, order, tables, seen, sizes,
    rate, pull,
):  # fmt: skip
    """One pass of stochastic descent over the groups in order; tables and seen are changed.

    Rows have their values with chances, as in `kernels/learn.py`. A table row moves less the more
    often it was met, and is pulled to zero once a pass.
    """
    classes = tables.shape[1]
    off = np.empty(classes)
    for q in range(order.size):
        g = order[q]
        first, width = value_starts[g], value_starts[g + 1] - value_starts[g]
        for i in range(starts[g], starts[g + 1]):
            add_scores(codes, offsets, i, tables, off)
            as_chances(off)
            at = blocks[g] + (i - starts[g]) * width
            for v in range(width):
                off[values[first + v]] -= chances[at + v]
            for j in range(offsets.size - 1):
                place = offsets[j] + codes[i, j]
                seen[place] += 1.0
                step = rate / math.sqrt(seen[place] + 1.0)
                back = pull / sizes[place]
                for v in range(classes):
                    tables[place, v] -= step * (off[v] + back * tables[place, v])


@compiled
def add_scores(codes, offsets, i, tables, scores):
    """The scores of one row for every class."""
    scores[:] = 0.0
    for j in range(offsets.size - 1):
        place = offsets[j] + codes[i, j]
        for v in range(scores.size):
            scores[v] += tables[place, v]


@compiled
def as_chances(scores):
    """Scores become chances that sum to one, in place."""
    highest = scores[0]
    for v in range(scores.size):
        highest = max(highest, scores[v])
    total = 0.0
    for v in range(scores.size):
        scores[v] = math.exp(scores[v] - highest)
        total += scores[v]
    for v in range(scores.size):
        scores[v] /= total


@compiled
def find_predicted(codes, offsets, tables, truth, guess, belief, in_truth):
    """For each row the likeliest class, and what is believed of it and of the true one."""
    scores = np.empty(tables.shape[1])
    for i in range(codes.shape[0]):
        add_scores(codes, offsets, i, tables, scores)
        as_chances(scores)
        best = 0
        for v in range(scores.size):
            if scores[v] > scores[best]:
                best = v
        guess[i], belief[i], in_truth[i] = best, scores[best], scores[truth[i]]
