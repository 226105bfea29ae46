"""Searching records attribute by attribute: by the largest difference, and by equal values."""

from __future__ import annotations

import numpy as np

from anonagram.kernels.compiled import compiled

BLOCK = 256
"""Points that are compared together."""
BETWEEN = 4
"""After so many attributes it is looked whether any of them is near enough still."""


@compiled
def _widen(furthest, values, own):
    """Raise the largest difference of some points so far; without a branch, several at a time."""
    for k in range(furthest.size):
        away = np.int32(abs(np.int32(values[k] - own)))
        furthest[k] = max(furthest[k], away)


@compiled
def find_nearest(points, asked, skip, distance, point, following):
    """For each record asked about the nearest point, and how far the one behind it is.

    points[j] and asked[:, j] have attribute j in 32 bits. The point skip[i] is passed over; none
    where it is -1.

    All are compared, but a block of points is left as soon as all of it differ by more than the
    two nearest so far, which with many attributes is soon.
    """
    attributes, size = points.shape
    block = np.empty(BLOCK, np.int32)
    for i in range(asked.shape[0]):
        least, behind, best = np.int32(2**31 - 1), np.int32(2**31 - 1), 0
        for start in range(0, size, BLOCK):
            end = min(start + BLOCK, size)
            furthest = block[: end - start]
            furthest[:] = 0
            for j in range(attributes):
                _widen(furthest, points[j, start:end], asked[i, j])
                if j % BETWEEN == BETWEEN - 1 and furthest.min() >= behind:
                    break
            if furthest.min() >= behind:
                continue
            for k in range(start, end):
                if furthest[k - start] >= behind or k == skip[i]:
                    continue
                if furthest[k - start] < least:
                    least, behind, best = furthest[k - start], least, k
                else:
                    behind = furthest[k - start]
        distance[i], point[i], following[i] = least, best, behind


@compiled
def link_equal(codes, starts, rows, offset, weights, most, skip, record, cells, scores):
    """For each asked record the row that shares most with it, by weights of values; -1 for a tie.

    codes holds, for each record and attribute, a value's place in an index of all values; the rows
    that have a value stand at rows[starts[v]:starts[v + 1]]. Values that more than most rows have
    are passed over, and so is the row skip[i]. Writes the row, in how many attributes it agrees, and
    the sum of their weights.
    """
    n = offset
    score, seen = np.zeros(n), np.zeros(n, np.int32)
    touched = np.empty(n, np.int64)
    for i in range(codes.shape[0]):
        reached = 0
        for j in range(codes.shape[1]):
            v = codes[i, j]
            if v < 0 or starts[v + 1] - starts[v] > most:
                continue
            for k in range(starts[v], starts[v + 1]):
                row = rows[k]
                if row == skip[i]:
                    continue
                if seen[row] == 0:
                    touched[reached] = row
                    reached += 1
                seen[row] += 1
                score[row] += weights[v]
        best, highest, is_tie = -1, 0.0, False
        for k in range(reached):
            row = touched[k]
            if score[row] > highest * (1 + 1e-12):
                best, highest, is_tie = row, score[row], False
            elif score[row] >= highest * (1 - 1e-12):
                is_tie = True
        record[i] = -1 if is_tie else best
        cells[i] = 0 if best < 0 else seen[best]
        scores[i] = highest
        for k in range(reached):
            seen[touched[k]] = 0
            score[touched[k]] = 0.0
