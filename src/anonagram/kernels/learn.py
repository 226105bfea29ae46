"""A naive Bayes model fitted to groups: who in a group probably has which of its values.

A group of N rows has N values, D of them different, and nothing says whose is whose. Chances of rows and
values of all groups stand one behind the other: those of group g from blocks[g] on, D for each row.
"""

import math
from typing import Any

import numpy as np

from anonagram.kernels.compiled import compiled, in_place
from anonagram.kernels.states import find_steps, no_steps, sum_matchings

SMALLEST = 500.0
"""Logarithms that are no further from the highest are chances that a number can hold."""
SCALINGS = 12
"""Rounds of scaling rows and columns of a group: by then both fit to a few digits."""


@in_place
def even_chances(starts, value_starts, counts, blocks, chances):
    """Every row of a group as likely as any other to have one of its values."""
    for g in range(starts.size - 1):
        rows, first, end = starts[g + 1] - starts[g], value_starts[g], value_starts[g + 1]
        for i in range(rows):
            for v in range(first, end):
                chances[blocks[g] + i * (end - first) + v - first] = counts[v] / rows


@in_place
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


def match_groups(
    codes: Any,
    offsets: Any,
    starts: Any,
    value_starts: Any,
    values: Any,
    counts: Any,
    blocks: Any,
    tables: Any,
    most_states: int,
    chances: Any,
) -> None:
    """The chance of each value for each row, given the model.

    Over all matchings of a group's rows with its values, each as likely as the product of what the
    model says of its pairs: exactly where the group has few states, else by scaling.
    """
    alone = np.empty((0, 0))
    # what one attribute says need not be multiplied; far smaller chances would be 0
    if offsets.size == 2 and np.ptp(tables) < SMALLEST:
        alone = np.exp(tables - tables.max())
    _match_groups(
        codes, offsets, starts, value_starts, values, counts, blocks, tables, alone, most_states,
        chances,
    )  # fmt: skip


@compiled
def _match_groups(
    codes,
    offsets,
    starts,
    value_starts,
    values,
    counts,
    blocks,
    tables,
    alone,
    most_states,
    chances,
):
    steps = no_steps()
    for g in range(starts.size - 1):
        first, end, rows = value_starts[g], value_starts[g + 1], starts[g + 1] - starts[g]
        width = end - first
        for i in range(rows):
            at = blocks[g] + i * width
            if alone.size:
                weigh_alone(codes[starts[g] + i, 0], values, first, width, alone, chances, at)
            else:
                weigh_row(codes, offsets, starts[g] + i, values, first, width, tables, chances, at)
        ways = find_steps(steps, width, counts, first, most_states)
        if ways:
            sum_matchings(chances, blocks[g], rows * width, steps, ways)
        else:
            scale_group(chances, blocks[g], rows, width, counts, first)


@in_place
def weigh_row(codes, offsets, row, values, first, width, tables, weights, at):
    """How well each of a group's values fits a row, the best of them 1."""
    highest = -math.inf
    for v in range(width):
        likely = 0.0
        for j in range(offsets.size - 1):
            likely += tables[offsets[j] + codes[row, j], values[first + v]]
        weights[at + v] = likely
        highest = max(highest, likely)
    for v in range(width):
        # nothing is impossible, or no matching might be left
        weights[at + v] = max(math.exp(weights[at + v] - highest), 1e-12)


@in_place
def weigh_alone(code, values, first, width, alone, weights, at):
    """The same for a row with a single attribute."""
    highest = 0.0
    for v in range(width):
        highest = max(highest, alone[code, values[first + v]])
    for v in range(width):
        weights[at + v] = max(alone[code, values[first + v]] / highest, 1e-12)


@compiled
def scale_group(chances, at, rows, width, counts, first):
    """Scale a block until columns sum to their counts and rows to one (Sinkhorn); rows come last."""
    factors, totals = np.empty(width), np.zeros(width)
    for i in range(rows):
        for v in range(width):
            totals[v] += chances[at + i * width + v]
    for _ in range(SCALINGS):
        for v in range(width):
            factors[v], totals[v] = counts[first + v] / totals[v], 0.0
        for i in range(rows):
            total, row = 0.0, at + i * width
            for v in range(width):
                chances[row + v] *= factors[v]
                total += chances[row + v]
            for v in range(width):
                chances[row + v] /= total
                totals[v] += chances[row + v]


@in_place
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


@in_place
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
