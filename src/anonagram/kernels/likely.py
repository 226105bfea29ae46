"""Scoring masked records by how likely each is the image of an original one."""

from __future__ import annotations

import numpy as np

from anonagram.kernels.compiled import compiled

BLOCK = 1024
"""Points that are compared with all records asked about while they are near the processor."""
TOGETHER = 6
"""So many attributes are compared for a whole block: the processor takes several points at a time."""
FEW = 8
"""Where fewer than one in so many points is left after them, those are looked at one by one."""
MIXED, PLAIN, VALUES = range(3)
"""How columns are compared: cell by cell, several at a time, or by what each value is worth."""
POWERS = np.ldexp(1.0, np.arange(-60, 2))
"""Of two; what lies below the first is nothing beside the best."""


@compiled
def _add_worth(scores, same, place, code, rank, edges, worth):
    """Add what cells tell: where a record equals them, how many ranks it lies apart, if they are there.

    Without a branch and in 32 bits, so that several points are compared at once. There are 9 edges.
    """
    e0, e1, e2, e3 = edges[0], edges[1], edges[2], edges[3]
    e4, e5, e6, e7, e8 = edges[4], edges[5], edges[6], edges[7], edges[8]
    w0, w1, w2, w3, w4 = worth[0], worth[1], worth[2], worth[3], worth[4]
    w5, w6, w7, w8, w9 = worth[5], worth[6], worth[7], worth[8], worth[9]
    w10, w15 = worth[10], worth[15]
    for k in range(same.size):
        away = np.int32(abs(np.int32(place[k] - rank)))
        told = w1
        told = w2 if away > e0 else told
        told = w3 if away > e1 else told
        told = w4 if away > e2 else told
        told = w5 if away > e3 else told
        told = w6 if away > e4 else told
        told = w7 if away > e5 else told
        told = w8 if away > e6 else told
        told = w9 if away > e7 else told
        told = w10 if away > e8 else told
        told = w15 if same[k] == -3 else told
        scores[k] += w0 if same[k] == code else told


@compiled
def _add_worth_of_missing(scores, same, worth):
    """The same for a record whose own value is missing: cells are missing too, or they are not."""
    w0, w16 = worth[0], worth[16]
    for k in range(same.size):
        scores[k] += w0 if same[k] == -3 else w16


@compiled
def _add_worth_of_values(scores, value, worth):
    """Add what each value is worth that a cell can have."""
    for k in range(value.size):
        scores[k] += worth[value[k]]


@compiled
def _relation(kind, cell, code, rank, edges):
    """How a record is related to a cell of any kind; of a column of values, which it is."""
    same = cell[0]
    if kind == VALUES:
        return same
    if same == code:
        return 0
    if same == -3:
        return 15
    if code == -3:
        return 16
    if same == -2:
        return 11 + cell[1] if cell[2] <= code <= cell[3] else 14
    away = abs(cell[1] - rank)
    relation = 1
    for step in range(9):
        relation += away > edges[step]
    return relation


@compiled
def _total(scores, weight, best, powers):
    """The sum of weighted exponentials of scores below the best, to seven digits.

    A polynomial takes half of what the library's exponential does, and nobody prints the rest.
    """
    total = 0.0
    for k in range(scores.size):
        x = max((scores[k] - best) * 1.4426950408889634, -60.0)
        whole = np.floor(x)
        f = (x - whole) * 0.6931471805599453
        part = f / 5040 + 1 / 720
        part = f * (f * (f * part + 1 / 120) + 1 / 24) + 1 / 6
        part = f * (f * (f * part + 0.5) + 1.0) + 1.0
        total += weight[k] * part * powers[np.int64(whole) + 60]
    return total


@compiled
def find_likeliest(cells, kinds, weight, code, rank, edges, table, left, own, powers, right, sure):
    """For each record asked about whether hers is one of the likeliest points, and how sure that is.

    cells[j, :, k] has what point k tells of attribute j: the original code it equals (-1 for a new
    value, -2 for a range of codes, -3 for none); its place in ranks, or the kind of its range; and
    the first and last code of the range. kinds[j] says how attribute j is compared; one of values has
    nothing but the masked code. table[i, j] has what each relation to record i is worth, or each masked
    code, and left[i, j] the most that the attributes behind j can add.
    A point that cannot come within 30 of the best (less than 1e-13 of its likelihood) is left as soon
    as that is seen.
    """
    asked, attributes, points = code.shape[0], code.shape[1], cells.shape[2]
    best, mine = np.full(asked, -np.inf), np.full(asked, -np.inf)
    ties, total = np.zeros(asked), np.zeros(asked)
    block = np.empty(BLOCK)
    for start in range(0, points, BLOCK):
        end = min(start + BLOCK, points)
        scores = block[: end - start]
        for i in range(asked):
            scores[:] = 0.0
            known = 0
            while known < attributes:
                upto = min(known + TOGETHER, attributes)
                for j in range(known, upto):
                    if kinds[j] == VALUES:
                        _add_worth_of_values(scores, cells[j, 0, start:end], table[i, j])
                    elif kinds[j] == PLAIN and code[i, j] == -3:
                        _add_worth_of_missing(scores, cells[j, 0, start:end], table[i, j])
                    elif kinds[j] == PLAIN:
                        _add_worth(
                            scores, cells[j, 0, start:end], cells[j, 1, start:end],
                            code[i, j], rank[i, j], edges[j], table[i, j],
                        )  # fmt: skip
                    else:
                        for k in range(start, end):
                            relation = _relation(
                                kinds[j], cells[j, :, k], code[i, j], rank[i, j], edges[j]
                            )
                            scores[k - start] += table[i, j, relation]
                known = upto
                possible = (scores + left[i, known - 1] >= best[i] - 30).sum()
                if possible * FEW < scores.size:
                    break
            for k in range(start, end):
                score = scores[k - start]
                is_out = score + left[i, known - 1] < best[i] - 30
                for j in range(known, attributes):
                    if is_out:
                        break
                    relation = _relation(kinds[j], cells[j, :, k], code[i, j], rank[i, j], edges[j])
                    score += table[i, j, relation]
                    is_out = score + left[i, j] < best[i] - 30
                scores[k - start] = -np.inf if is_out else score
            top = scores.max()
            if top < best[i] - 30:
                continue
            if start <= own[i] < end:
                mine[i] = scores[own[i] - start]
            if top > best[i] + 1e-6:
                total[i] *= np.exp(best[i] - top)
                best[i], ties[i] = top, 0.0
            total[i] += _total(scores, weight[start:end], best[i], powers)
            if top >= best[i] - 1e-6:
                for k in range(scores.size):
                    if scores[k] >= best[i] - 1e-6:
                        ties[i] += weight[start + k]
    for i in range(asked):
        right[i] = 1.0 / ties[i] if mine[i] >= best[i] - 1e-6 else 0.0
        sure[i] = 1.0 / total[i]
