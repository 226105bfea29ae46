"""Where people stand by what their attributes say of a value: sums of tables along few directions.

Logarithms of a naive Bayes model add up over attributes, and so does where a person stands along any
direction of them. Everything is added in a fixed order, or in whole numbers: the same on any machine.
"""

from __future__ import annotations

import math

import numpy as np

from anonagram.kernels.compiled import compiled


@compiled
def count_together(codes, offsets, classes, fold, tables):
    """Add to tables[fold, an attribute's value, class] how many rows have them."""
    for i in range(codes.shape[0]):
        for j in range(offsets.size - 1):
            tables[fold[i], offsets[j] + codes[i, j], classes[i]] += 1


@compiled
def centre(tables, weights):
    """Take from each table row its weighted mean, and weigh every class by its root; in place."""
    for place in range(tables.shape[0]):
        mean = 0.0
        for v in range(weights.size):
            mean += weights[v] * tables[place, v]
        for v in range(weights.size):
            tables[place, v] = (tables[place, v] - mean) * math.sqrt(weights[v])


@compiled
def find_moments(codes, offsets, fold, tables):
    """How the sums of rows vary together around their mean, for every two classes."""
    rows, size = codes.shape[0], tables.shape[2]
    moments, mean, row = np.zeros((size, size)), np.zeros(size), np.empty(size)
    for i in range(rows):
        row[:] = 0.0
        for j in range(offsets.size - 1):
            row += tables[fold[i], offsets[j] + codes[i, j]]
        mean += row
        for v in range(size):
            moments[v] += row[v] * row
    for v in range(size):
        moments[v] -= mean[v] / rows * mean
    return moments


@compiled
def find_directions(moments, count, rounds):
    """The leading directions of a matrix of moments, by repeated multiplication; one a row."""
    size = moments.shape[0]
    directions = np.zeros((count, size))
    for k in range(count):
        direction = directions[k]
        widest = 0
        for v in range(size):
            if moments[v, v] > moments[widest, widest]:
                widest = v
        if moments[widest, widest] <= 0.0:
            break
        direction[widest] = 1.0
        length = 0.0
        for _ in range(rounds):
            moved = np.zeros(size)
            for v in range(size):
                moved += direction[v] * moments[v]
            length = 0.0
            for v in range(size):
                length += moved[v] * moved[v]
            length = math.sqrt(length)
            if length <= 0.0:
                break
            for v in range(size):
                direction[v] = moved[v] / length
        for v in range(size):  # what is explained is taken away
            moments[v] -= length * direction[v] * direction
    return directions


@compiled
def project_tables(tables, directions, scale, projected):
    """projected[place, k]: how far a table row lies along each direction, in whole steps."""
    for place in range(tables.shape[0]):
        for k in range(directions.shape[0]):
            far = 0.0
            for v in range(directions.shape[1]):
                far += tables[place, v] * directions[k, v]
            projected[place, k] += np.int64(math.floor(far * scale + 0.5))


@compiled
def add_places(codes, offsets, fold, projected, places):
    """Where every row stands along each direction: the sum over its attributes."""
    for i in range(codes.shape[0]):
        for k in range(places.shape[1]):
            total = np.int64(0)
            for j in range(offsets.size - 1):
                total += projected[fold[i], offsets[j] + codes[i, j], k]
            places[i, k] = total
