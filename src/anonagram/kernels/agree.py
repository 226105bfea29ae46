"""Searching records attribute by attribute: by the largest difference, and by equal values."""

from __future__ import annotations

import numpy as np

from anonagram.kernels.compiled import compiled


@compiled
def find_nearest(points, asked, skip, distance, point, count):
    """For each record asked about the nearest point, and how many are as near (no more than 2).

    The point skip[i] is passed over; none where it is -1.

    All are compared, but a comparison ends at the first attribute that differs by more than the
    nearest so far, which with many attributes is soon.
    """
    for i in range(asked.shape[0]):
        least, best, ties = np.int64(1) << 62, 0, 0
        for k in range(points.shape[0]):
            if k == skip[i]:
                continue
            furthest = np.int64(0)
            for j in range(points.shape[1]):
                away = abs(points[k, j] - asked[i, j])
                if away > furthest:
                    furthest = away
                    if furthest > least:
                        break
            if furthest < least:
                least, best, ties = furthest, k, 1
            elif furthest == least:
                ties += 1
        distance[i], point[i], count[i] = least, best, min(ties, 2)


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
