"""Which rows of a masked table fit one person alone."""

from __future__ import annotations

from anonagram.kernels.compiled import compiled


@compiled
def find_sole(people, start, stop, low, high, count, person):
    """For each masked row how many people fit it, no further than 2, and one of them.

    A line each attribute: codes of people, and the first and last code that a row allows. People are
    sorted by the first of them, and whom a row's first one allows stand from start to stop.
    """
    attributes, rows = low.shape
    for row in range(rows):
        count[row] = 0
        for each in range(start[row], stop[row]):
            is_inside = True
            for j in range(1, attributes):
                if people[j, each] < low[j, row] or people[j, each] > high[j, row]:
                    is_inside = False
                    break
            if is_inside:
                count[row] += 1
                person[row] = each
                if count[row] > 1:
                    break
