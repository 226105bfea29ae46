"""What somebody believes of a person's value who weighs the groups or rows that may be hers."""

from __future__ import annotations

import numpy as np

from anonagram.kernels.compiled import compiled


@compiled
def believe_values(
    records, spans, groups, starts, low, high, counts, sizes, is_moved, value_starts, values,
    value_counts, beliefs,
):  # fmt: skip
    """For each record how likely each value is, up to a factor: of every group that can be hers.

    Only groups[spans[code, 0]:spans[code, 1]] can be hers by the code of her first column.

    A group's weight is how many of its rows can be expected to be like hers: all where ranges are
    told, and where columns were permuted, as many as the shares of her values give.
    """
    columns = records.shape[1]
    for record in range(len(records)):
        first = records[record, 0]
        for candidate in range(spans[first, 0], spans[first, 1]):
            group, weight = groups[candidate], 1.0
            for j in range(columns):
                code, at = records[record, j], -1
                for place in range(starts[j, group], starts[j, group + 1]):
                    if low[place] <= code <= high[place]:
                        at = place
                        break
                if at < 0:
                    weight = 0.0
                    break
                if is_moved:
                    weight *= counts[at] / sizes[group]
            if weight > 0.0:
                for each in range(value_starts[group], value_starts[group + 1]):
                    beliefs[record, values[each]] += weight * value_counts[each]


@compiled
def weigh_rows(records, rows, codes, times, chances, shares, offsets, attributes, beliefs):
    """For each record how likely each value is, up to a factor: of every row that may be hers.

    A row counts as many times as it says.

    In every row some attributes were replaced by draws. What differs from her was replaced and drew
    what stands there; what is the same was not replaced, or drew the same again. With one attribute
    a row, chances says how likely each was to be replaced; with several all choices are as likely.
    """
    columns = records.shape[1]
    sums = np.zeros(attributes + 1)
    for record in range(len(records)):
        again = 0.0
        for j in range(columns):
            again += chances[j] * shares[offsets[j] + records[record, j]]
        for row in range(len(rows)):
            differ, weight, at = 0, 1.0, -1
            for j in range(columns):
                if rows[row, j] != records[record, j]:
                    differ += 1
                    if differ > attributes:
                        break
                    weight *= shares[offsets[j] + rows[row, j]]
                    at = j
            if differ > attributes:
                continue
            if attributes == 1:
                weight *= chances[at] if differ == 1 else again
            else:
                weight *= sum_of_products(
                    records, rows, record, row, shares, offsets, attributes - differ, sums
                )
            beliefs[record, codes[row]] += weight * times[row]


@compiled
def sum_of_products(records, rows, record, row, shares, offsets, most, sums):
    """Over all choices of so many attributes that are the same: the chance that they drew the same."""
    sums[:] = 0.0
    sums[0] = 1.0
    for j in range(records.shape[1]):
        if rows[row, j] == records[record, j]:
            own = shares[offsets[j] + records[record, j]]
            for count in range(most, 0, -1):
                sums[count] += sums[count - 1] * own
    return sums[most]


@compiled
def believe_kinds(
    rows, row_starts, people, people_starts, group_of, starts, value_starts, codes, blocks, chances,
    truth, values, guess, belief, in_truth,
):  # fmt: skip
    """For each person the likeliest value by all rows that look like her, and what is believed.

    Rows and people stand by how they look; each row of a kind is as likely hers as any other.
    Of values as likely the first is guessed. Whose kind has no rows is left as it was.
    """
    sums, met = np.zeros(values), np.empty(values, np.int64)
    for kind in range(row_starts.size - 1):
        alike = row_starts[kind + 1] - row_starts[kind]
        if alike == 0 or people_starts[kind] == people_starts[kind + 1]:
            continue
        known = 0
        for place in range(row_starts[kind], row_starts[kind + 1]):
            row = rows[place]
            g = group_of[row]
            first, width = value_starts[g], value_starts[g + 1] - value_starts[g]
            at = blocks[g] + (row - starts[g]) * width
            for v in range(width):
                code = codes[first + v]
                if sums[code] == 0.0:
                    met[known] = code
                    known += 1
                sums[code] += max(chances[at + v], 1e-300)  # so that it is met once
        best = met[0]
        for place in range(1, known):
            code = met[place]
            if sums[code] > sums[best] or (sums[code] == sums[best] and code < best):
                best = code
        for place in range(people_starts[kind], people_starts[kind + 1]):
            person = people[place]
            guess[person], belief[person] = best, sums[best] / alike
            in_truth[person] = sums[truth[person]] / alike
        for place in range(known):
            sums[met[place]] = 0.0
