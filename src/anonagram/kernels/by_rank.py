"""People of groups beside values of groups, both from lowest to highest, joined place by place."""

from __future__ import annotations

from math import exp

import numpy as np

from anonagram.kernels.compiled import compiled
from anonagram.kernels.subdomains import first_at_least

MOST_ALIKE = 64
"""Of more rows that look like a person so many are looked at, which are any."""


@compiled
def _sure(known, values, start, end, first, last, places, heights, strength):
    """What he believes of the places from first to last, which are alike in what is known of them.

    Neighbours change places the more likely the nearer they are in both amounts. Neighbours with
    the same value may change them.
    """
    if values[first] != values[last - 1]:
        return 1 / (last - first)
    code, value, belief = known[first], values[first], 1.0
    first, last = (
        first_at_least(values, start, first, value),
        first_at_least(values, last, end, value + 1),
    )
    if first > start:
        apart = (places[code] - places[known[first - 1]]) * (
            heights[value] - heights[values[first - 1]]
        )
        belief /= 1 + exp(-strength * apart)
    if last < end:
        apart = (places[known[last]] - places[code]) * (heights[values[last]] - heights[value])
        belief /= 1 + exp(-strength * apart)
    return belief


@compiled
def guess_by_rank(
    starts, known, values, places, heights, strength, kind_starts, groups, kinds, codes, truth,
    right, belief,
):  # fmt: skip
    """For each person the share of right guesses, and what is believed of them.

    known and values hold the codes of each group, from starts[g] on, both sorted; places and heights
    say where each code lies. A person is of a kind, and groups[kind_starts[k]:kind_starts[k + 1]] are
    those, from the lowest, that rows of her kind are in. She is one of those of her code in one of
    them, any as likely.
    """
    for i in range(kinds.size):
        begin, stop = kind_starts[kinds[i]], kind_starts[kinds[i] + 1]
        stop = min(stop, begin + MOST_ALIKE)
        before, different = np.int64(-1), 0
        for k in range(begin, stop):
            group = groups[k]
            different += group != before
            before = group
            start, end = starts[group], starts[group + 1]
            first = first_at_least(known, start, end, codes[i])
            last = first_at_least(known, first, end, codes[i] + 1)
            if last == first:
                continue
            low = max(first, first_at_least(values, start, end, truth[i]))
            high = min(last, first_at_least(values, start, end, truth[i] + 1))
            right[i] += max(high - low, 0) / (last - first)
            belief[i] += _sure(known, values, start, end, first, last, places, heights, strength)
        if stop > begin:
            right[i] /= stop - begin
            belief[i] /= (stop - begin) * different
