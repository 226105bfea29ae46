"""Which values are possible for known records, and what several releases leave of them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from anonagram.kernels.compiled import compiled


class Possible(NamedTuple):
    """The values that known records can have."""

    starts: Any
    """Where those of each record begin, and the end."""
    values: Any
    found: Any
    """Whether any group can hold the record."""


@compiled
def holds(first, last, low, high, code):
    """Whether one of the ranges from first to last contains a code."""
    for place in range(first, last):  # noqa: SIM110
        if low[place] <= code <= high[place]:
            return True
    return False


@compiled
def groups_left(before, starts, low, high, code, after):
    """Of the groups that are left, those that can hold a code in one more column."""
    count = 0
    for group in before:
        if holds(starts[group], starts[group + 1], low, high, code):
            after[count] = group
            count += 1
    return count


@compiled
def agreeing(records, record):
    """In how many leading columns a record is like the one before it."""
    column = 0
    if record > 0:
        while column < records.shape[1] and records[record, column] == records[record - 1, column]:
            column += 1
    return column


@compiled
def possible_values(
    records, list_starts, lists, range_starts, low, high, value_starts, values, size
):
    """For each record the values of all groups that can hold it, and whether there is any such group.

    Ranges tell the codes of each group (group g of column j: from range_starts[j, g]); lists, where
    there are some, the groups of each code of the first column. Records are sorted, so that one
    which begins like the one before it goes on from the groups that were left there.
    """
    groups, columns = value_starts.size - 1, records.shape[1]
    left = np.empty((columns + 1, groups), np.int32)
    left[0] = np.arange(groups)
    counts = np.full(columns + 1, groups)
    starts = np.zeros(len(records) + 1, np.int64)
    found = np.zeros(len(records), np.bool_)
    kept = np.empty(max(64, 4 * len(records)), np.int32)
    seen_by = np.full(size, -1, np.int64)
    end = 0
    for record in range(len(records)):
        for column in range(agreeing(records, record), columns):
            code = records[record, column]
            if column == 0 and list_starts.size > 0:
                listed = lists[list_starts[code] : list_starts[code + 1]]
                counts[1] = listed.size
                left[1, : listed.size] = listed
            else:
                counts[column + 1] = groups_left(
                    left[column, : counts[column]], range_starts[column], low, high, code,
                    left[column + 1],
                )  # fmt: skip
        if end + size > kept.size:
            longer = np.empty(2 * kept.size + size, np.int32)
            longer[:end] = kept[:end]
            kept = longer
        begin = end
        found[record] = counts[columns] > 0
        for group in left[columns, : counts[columns]]:
            for each in range(value_starts[group], value_starts[group + 1]):
                if seen_by[values[each]] != record:
                    seen_by[values[each]] = record
                    kept[end] = values[each]
                    end += 1
            if end - begin == size:  # anything is possible already
                break
        kept[begin:end].sort()
        starts[record + 1] = end
    return Possible(starts, kept[:end].copy(), found)


@compiled
def keep_possible(counts, starts, kept, record_of, found, other_starts, others):
    """Keep of each person's values those that are possible elsewhere too, where she may be at all."""
    for person in range(counts.size):
        record = record_of[person]
        if not found[record]:
            continue
        possible = others[other_starts[record] : other_starts[record + 1]]
        end = starts[person]
        for place in range(starts[person], starts[person] + counts[person]):
            at = np.searchsorted(possible, kept[place])
            if at < possible.size and possible[at] == kept[place]:
                kept[end] = kept[place]
                end += 1
        counts[person] = end - starts[person]
