"""How sure somebody can be that a person is in the table, by her quasi-identifiers alone."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from anonagram.attacks.figures.told_entries import Floats, ToldEntries, sample_of, ways_told
from anonagram.kernels.present import believe_present
from anonagram.microdata import Microdata
from anonagram.release import GroupedRelease, Told

WORK = 1_000_000_000
"""People times groups that are compared; of more people a sample is looked for."""


def deltas(release: GroupedRelease, original: Microdata) -> tuple[NDArray[np.int64], Floats]:
    """Places of people, and how likely each of them is to be in the table.

    Rows that stand as they are show it. Where columns were permuted, her values may come from
    several people: a row of hers is there in a share of all permutations. Where ranges are told, any
    combination of what they allow is taken to be as likely.
    """
    if ways_told(release) == {Told.EXACT}:
        return np.arange(original.rows), np.ones(original.rows)
    told = ToldEntries.of(release, original)
    asked = sample_of(original.rows, WORK // told.sizes.size)
    result = np.empty(asked.size)
    believe_present(
        told.records(asked), told.starts, told.low, told.high, told.counts, told.widths, told.sizes,
        told.is_moved, result,
    )  # fmt: skip
    return asked, result


def without_release(original: Microdata, asked: NDArray[np.int64]) -> Floats:
    """What is believed by the columns' shares alone: somebody has all of her values by chance."""
    share = np.ones(asked.size)
    for column in original.with_role("quasi"):
        share *= column.counts[column.codes[asked]] / original.rows
    return np.asarray(-np.expm1(-original.rows * share))
