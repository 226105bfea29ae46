"""How likely it is that somebody with certain values is among the rows of groups."""

from __future__ import annotations

import math

import numpy as np

from anonagram.kernels.compiled import compiled

LARGE = 64
"""In larger groups the number of rows that have all values is taken to be Poisson distributed."""


@compiled
def chance_of_all(counts, columns, rows, logs, sizes, after):
    """The chance that a row has all values, where each column was permuted by itself.

    counts says how many rows have her value in each column. The number of rows with all of them so
    far is followed through the columns; the next column's values fall on any rows of the group.
    """
    if rows > LARGE:
        mean = float(rows)
        for j in range(columns):
            mean *= counts[j] / rows
        return 1.0 - math.exp(-mean)
    sizes[: rows + 1] = 0.0
    sizes[counts[0]] = 1.0
    for j in range(1, columns):
        after[: rows + 1] = 0.0
        more = counts[j]
        for s in range(1, rows + 1):
            if sizes[s] == 0.0:
                continue
            ways = logs[more] + logs[rows - more] - logs[rows] + logs[s] + logs[rows - s]
            for k in range(max(0, s + more - rows), min(s, more) + 1):
                after[k] += sizes[s] * math.exp(
                    ways - logs[k] - logs[s - k] - logs[more - k] - logs[rows - s - more + k]
                )
        after[0] += sizes[0]
        sizes[: rows + 1] = after[: rows + 1]
    return min(max(1.0 - sizes[0], 0.0), 1.0)


@compiled
def chance_in_ranges(widths, columns, rows):
    """The chance that a row has all values, where any combination of what is told is as likely."""
    share = 1.0
    for j in range(columns):
        share /= widths[j]
    return 1.0 if share >= 1.0 else -math.expm1(rows * math.log1p(-share))


@compiled
def believe_present(
    records, starts, low, high, counts, widths, group_sizes, is_moved, result, fitting, spare
):
    """For each record the chance that some group has a row like it; groups are independent.

    Entries of group g and column j stand from starts[j, g]: codes from low to high, which counts rows
    have; widths says among how many codes a column's values of a group are. Besides, how many groups
    fit the record, and how many of them would with one row fewer that has its values.
    """
    columns, groups = records.shape[1], group_sizes.size
    logs = np.zeros(LARGE + 2)
    for n in range(2, LARGE + 2):
        logs[n] = logs[n - 1] + math.log(n)
    found, wide = np.zeros(columns, np.int64), np.ones(columns)
    sizes, after = np.zeros(LARGE + 2), np.zeros(LARGE + 2)
    for record in range(len(records)):
        absent = 1.0
        for group in range(groups):
            is_possible, is_spare = True, True
            for j in range(columns):
                code, at = records[record, j], -1
                for place in range(starts[j, group], starts[j, group + 1]):
                    if low[place] <= code <= high[place]:
                        at = place
                        break
                if at < 0:
                    is_possible = False
                    break
                found[j], wide[j] = counts[at], widths[j, group]
                is_spare = is_spare and counts[at] > 1
            if not is_possible:
                continue
            fitting[record] += 1
            spare[record] += is_spare
            if absent <= 0.0:
                continue
            if is_moved:
                chance = chance_of_all(found, columns, group_sizes[group], logs, sizes, after)
            else:
                chance = chance_in_ranges(wide, columns, group_sizes[group])
            absent *= 1.0 - chance
        result[record] = 1.0 - absent
