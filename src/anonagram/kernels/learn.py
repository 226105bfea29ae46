"""A naive Bayes model fitted to groups: who in a group probably has which of its values.

A group of N rows has N values, D of them different, and nothing says whose is whose. Chances of rows and
values of all groups stand one behind the other: those of group g from blocks[g] on, D for each row.
"""

import math

import numpy as np

from anonagram.kernels.compiled import compiled

SCALINGS = 12
"""Rounds of scaling rows and columns of a group: by then both fit to a few digits."""
MOST_STATES = 1024
"""Groups in which values can be used up in no more ways are summed over all matchings exactly."""


@compiled
def even_chances(starts, value_starts, counts, blocks, chances):
    """Every row of a group as likely as any other to have one of its values."""
    for g in range(starts.size - 1):
        rows, first, end = starts[g + 1] - starts[g], value_starts[g], value_starts[g + 1]
        for i in range(rows):
            for v in range(first, end):
                chances[blocks[g] + i * (end - first) + v - first] = counts[v] / rows


@compiled
def count_expected(codes, offsets, starts, value_starts, values, blocks, chances, tables):
    """Add to tables[an attribute's value, sensitive value] how often both are expected together."""
    for g in range(starts.size - 1):
        first, end = value_starts[g], value_starts[g + 1]
        for i in range(starts[g], starts[g + 1]):
            at = blocks[g] + (i - starts[g]) * (end - first)
            for j in range(offsets.size - 1):
                place = offsets[j] + codes[i, j]
                for v in range(first, end):
                    tables[place, values[v]] += chances[at + v - first]


@compiled
def match_groups(codes, offsets, starts, value_starts, values, counts, blocks, tables, chances):
    """The chance of each value for each row, given the model.

    Over all matchings of a group's rows with its values, each as likely as the product of what the
    model says of its pairs: exactly where the group is small, else by scaling.
    """
    states = np.empty((2, MOST_STATES))
    for g in range(starts.size - 1):
        first, end, rows = value_starts[g], value_starts[g + 1], starts[g + 1] - starts[g]
        width = end - first
        for i in range(rows):
            at = blocks[g] + i * width
            highest = -math.inf
            for v in range(width):
                likely = 0.0
                for j in range(offsets.size - 1):
                    likely += tables[offsets[j] + codes[starts[g] + i, j], values[first + v]]
                chances[at + v] = likely
                highest = max(highest, likely)
            for v in range(width):
                # nothing is impossible, or no matching might be left
                chances[at + v] = max(math.exp(chances[at + v] - highest), 1e-12)
        ways = 1.0
        for v in range(first, end):
            ways *= counts[v] + 1
        if ways <= MOST_STATES:
            sum_matchings(chances, blocks[g], width, counts, first, int(ways), states)
        else:
            scale_group(chances, blocks[g], rows, width, counts, first)


@compiled
def sum_matchings(chances, at, width, counts, first, ways, states):
    """Turn the weights of a block into chances over all its matchings.

    Rows take their values one after the other; a state says how often each value was taken, as a
    number whose digits have the counts as their bases, and so how many rows have theirs.
    """
    before, after = states[0], states[1]
    before[:ways], after[:ways] = 0.0, 0.0
    before[0], after[ways - 1] = 1.0, 1.0
    for state in range(ways):
        row, stride, rest = taken(state, counts, first, width), 1, state
        for v in range(width):
            base = int(counts[first + v]) + 1
            if rest % base < base - 1:
                before[state + stride] += before[state] * chances[at + row * width + v]
            rest //= base
            stride *= base
    for state in range(ways - 2, -1, -1):
        row, stride, rest = taken(state, counts, first, width), 1, state
        for v in range(width):
            base = int(counts[first + v]) + 1
            if rest % base < base - 1:
                after[state] += after[state + stride] * chances[at + row * width + v]
            rest //= base
            stride *= base
    share_out(chances, at, width, counts, first, ways, before, after)


@compiled
def share_out(chances, at, width, counts, first, ways, before, after):
    """Chances from the weights of what comes before and after each step."""
    rows = taken(ways - 1, counts, first, width)
    shares = np.zeros(rows * width)
    for state in range(ways - 1):
        row, stride, rest = taken(state, counts, first, width), 1, state
        for v in range(width):
            base = int(counts[first + v]) + 1
            if rest % base < base - 1:
                step = chances[at + row * width + v]
                shares[row * width + v] += before[state] * step * after[state + stride]
            rest //= base
            stride *= base
    for i in range(rows * width):
        chances[at + i] = shares[i] / after[0]


@compiled
def taken(state, counts, first, width):
    """How many values are taken in a state."""
    total = 0
    for v in range(width):
        base = int(counts[first + v]) + 1
        total += state % base
        state //= base
    return total


@compiled
def scale_group(chances, at, rows, width, counts, first):
    """Scale a block until columns sum to their counts and rows to one (Sinkhorn); rows come last."""
    for _ in range(SCALINGS):
        for v in range(width):
            total = 0.0
            for i in range(rows):
                total += chances[at + i * width + v]
            for i in range(rows):
                chances[at + i * width + v] *= counts[first + v] / total
        for i in range(rows):
            total = 0.0
            for v in range(width):
                total += chances[at + i * width + v]
            for v in range(width):
                chances[at + i * width + v] /= total


@compiled
def as_logarithms(tables, offsets, smoothing):
    """Expected counts become logarithms of P(attribute's value | sensitive value), in place."""
    for j in range(offsets.size - 1):
        size = offsets[j + 1] - offsets[j]
        for v in range(tables.shape[1]):
            total = 0.0
            for place in range(offsets[j], offsets[j + 1]):
                total += tables[place, v]
            for place in range(offsets[j], offsets[j + 1]):
                share = (tables[place, v] + smoothing) / (total + smoothing * size)
                tables[place, v] = np.log(share)


@compiled
def find_likeliest(starts, value_starts, values, blocks, chances, guess, belief):
    """For each row the likeliest of its group's values, and its chance."""
    for g in range(starts.size - 1):
        first, width = value_starts[g], value_starts[g + 1] - value_starts[g]
        for i in range(starts[g], starts[g + 1]):
            at = blocks[g] + (i - starts[g]) * width
            best = 0
            for v in range(1, width):
                if chances[at + v] > chances[at + best]:
                    best = v
            guess[i], belief[i] = values[first + best], chances[at + best]
