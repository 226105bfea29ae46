"""Originals and masked records that have equal values: what stayed as it was gives a record away.

The largest difference of ranks is ruled by the attribute that moved most. Where some cells of every
record were masked and others left (swapping, suppression), counting equal cells finds more.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from anonagram.attacks.aligned import Aligned, Attribute
from anonagram.kernels.agree import link_equal
from anonagram.kernels.permute import count_starts, sort_by_group
from anonagram.key import PUBLIC

MOST_ROWS = 200
"""A value that more rows have says too little to be looked up."""
SAMPLE = 20_000
SEVERAL = 2
"""One equal cell may be anybody's; two are hardly chance."""


@dataclass(frozen=True)
class EqualValues:
    """Originals that share at least two rare values with one masked record more than with others."""

    records: int
    """How many originals were looked up; a sample of many."""
    correct: int
    """Linked to their own image."""
    wrong: int
    """Linked to somebody else's."""
    copies: int
    """Linked to somebody else's that has more than half of all their values."""
    rows: int = field(repr=False)
    """How many rows the tables have."""
    asked: NDArray[np.int64] = field(repr=False)
    """The numbers of the originals that were looked up."""
    is_right: NDArray[np.bool_] = field(repr=False)
    """Which of them are linked to their own image."""

    @property
    def by_chance(self) -> float:
        """How many right links blind guesses would give."""
        return (self.correct + self.wrong) / self.rows


def link_by_equal_values(pair: Aligned) -> EqualValues:
    """Link originals to the masked records that have most of their values.

    >>> x = {"a": [1, 2, 3, 4], "b": [1, 2, 3, 4], "c": [1, 2, 3, 4]}
    >>> y = {"a": [1, 2, 3, 4], "b": [1, 2, 4, 3], "c": [2, 1, 3, 4]}
    >>> link_by_equal_values(Aligned.read(x, y))
    EqualValues(records=4, correct=4, wrong=0, copies=0)
    """
    asked = np.sort(PUBLIC.permutation("equal values", pair.rows)[:SAMPLE])
    codes, values, size = [], [], 0
    for attribute in pair.attributes:
        masked = _codes_in_original(attribute)
        codes.append(
            np.where(_is_there(attribute, asked), attribute.original.codes[asked] + size, -1)
        )
        values.append(np.where(masked >= 0, masked + size, -1))
        size += attribute.original.places.size
    of_value = np.concatenate(values).astype(np.int32)
    of_row = np.tile(np.arange(pair.rows, dtype=np.int32), len(values))
    known = np.flatnonzero(of_value >= 0).astype(np.int32)
    starts = count_starts(of_value[known], size)
    rows = of_row[sort_by_group(known, of_value, starts)]
    counts = np.maximum(np.diff(starts), 1)
    record, cells = np.empty(asked.size, np.int64), np.empty(asked.size, np.int64)
    link_equal(
        np.column_stack(codes).astype(np.int64), starts, rows, pair.rows,
        np.log(pair.rows + 1) - np.log(counts), MOST_ROWS, record, cells,
    )  # fmt: skip
    linked = (record >= 0) & (cells >= SEVERAL)
    is_own = record == asked
    copies = linked & ~is_own & (2 * cells > len(pair.attributes))
    is_right = linked & is_own
    return EqualValues(
        asked.size, int(is_right.sum()), int((linked & ~is_own).sum()), int(copies.sum()),
        pair.rows, asked.astype(np.int64), is_right,
    )  # fmt: skip


def _codes_in_original(attribute: Attribute) -> NDArray[np.int64]:
    """For every masked value the code of the same original value; -1 for a new or missing one."""
    known = attribute.original.places[:-1]
    found = np.clip(np.searchsorted(known, attribute.masked.places), 0, max(known.size - 1, 0))
    is_same = np.zeros(found.size, np.bool_)
    if known.size:
        is_same = known[found] == attribute.masked.places
    return np.where(is_same, found, -1)[attribute.masked.codes]


def _is_there(attribute: Attribute, asked: NDArray[np.int32]) -> NDArray[np.bool_]:
    return np.isfinite(attribute.original.values[asked])
