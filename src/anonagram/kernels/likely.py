"""Scoring masked records by how likely each is the image of an original one."""

from __future__ import annotations

import numpy as np

from anonagram.kernels.compiled import compiled

BLOCK = 1024
"""Points that are compared with all records asked about while they are near the processor."""


@compiled
def find_likeliest(cells, weight, code, rank, edges, table, left, own, found, right, sure):
    """For each record asked about the likeliest points: how many, whether hers is one, how sure.

    cells[k, j] has what point k tells of attribute j: the original code it equals (-1 for a new
    value, -2 for a range of codes, -3 for none); its place in ranks, or the kind of its range; and
    the first and last code of the range. table[i, j] has what each relation to record i is worth,
    left[i, j] the most that the attributes behind j can add. A point that cannot come within 30 of
    the best (less than 1e-13 of its likelihood) is left as soon as that is seen. There are 8 edges.
    """
    asked, points = code.shape[0], cells.shape[0]
    best, mine = np.full(asked, -np.inf), np.full(asked, -np.inf)
    ties, total = np.zeros(asked), np.zeros(asked)
    for start in range(0, points, BLOCK):
        for i in range(asked):
            for k in range(start, min(start + BLOCK, points)):
                score, is_out = np.float64(0.0), False
                for j in range(code.shape[1]):
                    same = cells[k, j, 0]
                    if same == code[i, j]:
                        relation = 0
                    elif same == -3:
                        relation = 14
                    elif code[i, j] == -3:
                        relation = 15
                    elif same == -2:
                        inside = cells[k, j, 2] <= code[i, j] <= cells[k, j, 3]
                        relation = 10 + cells[k, j, 1] if inside else 13
                    else:
                        away = abs(cells[k, j, 1] - rank[i, j])
                        # without a branch: where it ends, no processor can guess
                        relation = 1
                        for step in range(8):
                            relation += away > edges[j, step]
                    score += table[i, j, relation]
                    if score + left[i, j] < best[i] - 30:
                        is_out = True
                        break
                if is_out:
                    continue
                if k == own[i]:
                    mine[i] = score
                if score > best[i] + 1e-6:
                    total[i] = total[i] * np.exp(best[i] - score) + weight[k]
                    best[i], ties[i] = score, weight[k]
                else:
                    total[i] += weight[k] * np.exp(score - best[i])
                    if score >= best[i] - 1e-6:
                        ties[i] += weight[k]
    for i in range(asked):
        found[i] = ties[i]
        right[i] = 1.0 / ties[i] if mine[i] >= best[i] - 1e-6 else 0.0
        sure[i] = 1.0 / total[i]
