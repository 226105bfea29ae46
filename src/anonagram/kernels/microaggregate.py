"""MDAV: groups of k near records, one after the other from the outside."""

from __future__ import annotations

import numpy as np

from anonagram.kernels.compiled import compiled


@compiled
def find_centre(points, rows, count, centre):
    """The mean of the first rows."""
    centre[:] = 0.0
    for i in range(count):
        centre += points[rows[i]]
    centre /= count


@compiled
def find_furthest(points, rows, count, place):
    """Which of the first rows is furthest from a place; of several, the first."""
    best, far = 0, -1.0
    for i in range(count):
        away = 0.0
        for j in range(place.size):
            away += (points[rows[i], j] - place[j]) ** 2
        if away > far:
            best, far = i, away
    return best


@compiled
def take_nearest(points, rows, count, place, k, away):
    """Bring the k of the first rows that are nearest to a place to their end."""
    for i in range(count):
        away[i] = 0.0
        for j in range(place.size):
            away[i] += (points[rows[i], j] - place[j]) ** 2
    for taken in range(k):
        last = count - 1 - taken
        best = 0
        for i in range(1, last + 1):
            if away[i] < away[best]:
                best = i
        rows[best], rows[last] = rows[last], rows[best]
        away[best], away[last] = away[last], away[best]


@compiled
def group_mdav(points, rows, k, group_of, next_group):
    """Maximum distance to average (Domingo-Ferrer and Torra 2005), on the given rows.

    While at least 3k rows are left, the one furthest from their mean and its k - 1 nearest make a
    group, then the one furthest from it and its nearest. Of 2k to 3k - 1 rows one more group is
    made; the rest is the last. Writes the rows' groups and gives the next free number.
    """
    count = rows.size
    centre = np.empty(points.shape[1])
    away = np.empty(count)
    while count >= 2 * k:
        find_centre(points, rows, count, centre)
        outer = rows[find_furthest(points, rows, count, centre)]
        for side in range(2):
            if side == 1:
                if count < 2 * k:  # what is left is the last group
                    break
                outer = rows[find_furthest(points, rows, count, points[outer])]
            take_nearest(points, rows, count, points[outer], k, away)
            for i in range(count - k, count):
                group_of[rows[i]] = next_group
            next_group += 1
            count -= k
    for i in range(count):
        group_of[rows[i]] = next_group
    return next_group + 1


@compiled
def cut_blocks(points, rows, most):
    """Cut rows across their widest attribute, in the middle, until no block has more than most.

    Brings the rows into the order of the blocks, and gives where each begins, with the end.
    """
    starts = [0]
    queue = [(0, rows.size)]
    done = 0
    while done < len(queue):
        first, last = queue[done]
        done += 1
        if last - first <= most:
            continue
        widest, width = 0, -1.0
        for j in range(points.shape[1]):
            low = high = points[rows[first], j]
            for i in range(first + 1, last):
                low = min(low, points[rows[i], j])
                high = max(high, points[rows[i], j])
            if high - low > width:
                widest, width = j, high - low
        block = rows[first:last].copy()
        values = np.empty(block.size)
        for i in range(block.size):
            values[i] = points[block[i], widest]
        order = np.argsort(values, kind="mergesort")
        for i in range(block.size):
            rows[first + i] = block[order[i]]
        middle = first + block.size // 2
        starts.append(middle)
        queue.append((first, middle))
        queue.append((middle, last))
    starts.sort()
    starts.append(rows.size)
    return np.array(starts)
