"""Originals and masked records that have equal values: what stayed as it was gives a record away.

The largest difference of ranks is ruled by the attribute that moved most. Where some cells of every
record were masked and others left (swapping, suppression), counting equal cells finds more.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from anonagram.attacks.aligned import Aligned
from anonagram.attacks.figures.asked import asked_records
from anonagram.attacks.figures.shares import Share, Surest, surest_of
from anonagram.kernels.agree import link_equal
from anonagram.kernels.permute import count_starts, sort_by_group

MOST_ROWS = 200
"""A value that more rows have says too little to be looked up."""
MOST_ASKED = 20_000
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
    people: int = field(repr=False)
    """How many people have an image."""
    masked_rows: int = field(repr=False)
    asked: NDArray[np.int64] = field(repr=False)
    """The numbers of the originals that were looked up."""
    is_right: NDArray[np.bool_] = field(repr=False)
    """Which of them are linked to their own image."""
    scores: NDArray[np.float64] = field(repr=False)
    """How much the linked ones share, the rarer the more; 0 where nobody is linked."""

    @property
    def by_chance(self) -> float:
        """How many right links blind guesses would give."""
        return (self.correct + self.wrong) / self.masked_rows

    @property
    def share(self) -> Share:
        """The share of people who are linked to their own image."""
        return Share(self.correct, self.records, self.people)

    @cached_property
    def surest(self) -> Surest:
        """The matches that share most."""
        linked = self.scores > 0
        return surest_of(self.scores[linked], self.is_right[linked].astype(np.float64))


def link_by_equal_values(pair: Aligned, records: int = 0) -> EqualValues:
    """Link originals to the masked records that have most of their values.

    >>> x = {"a": [1, 2, 3, 4], "b": [1, 2, 3, 4], "c": [1, 2, 3, 4]}
    >>> y = {"a": [1, 2, 3, 4], "b": [1, 2, 4, 3], "c": [2, 1, 3, 4]}
    >>> link_by_equal_values(Aligned.read(x, y, in_order=True))
    EqualValues(records=4, correct=4, wrong=0)
    """
    asked = asked_records(pair, records, MOST_ASKED)
    masked = [each.same_codes for each in pair.attributes]
    record, cells, scores = _most_alike(pair, asked, masked, np.full(asked.size, -1))
    linked = (record >= 0) & (cells >= SEVERAL)
    is_right = linked & (record == asked) & (asked < pair.paired)
    correct = int(is_right.sum())
    return EqualValues(
        asked.size, correct, int(linked.sum()) - correct, pair.paired, pair.masked_rows, asked,
        is_right, np.where(linked, scores, 0.0),
    )  # fmt: skip


def equal_cells(
    pair: Aligned, asked: NDArray[np.int64], *, among_originals: bool = False
) -> NDArray[np.int64]:
    """How many rare values each asked record shares with the most alike: masked, or other original."""
    if among_originals:
        others = [
            np.where(np.isfinite(each.original.values), each.original.codes, -1)
            for each in pair.attributes
        ]
        return _most_alike(pair, asked, others, asked)[1]
    masked = [each.same_codes for each in pair.attributes]
    return _most_alike(pair, asked, masked, np.full(asked.size, -1))[1]


def _most_alike(
    pair: Aligned,
    asked: NDArray[np.int64],
    among: list[NDArray[np.int64]],
    skip: NDArray[np.int64],
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """The row that shares most with each asked record (-1 for several), how many cells, how rare."""
    height = among[0].size
    codes, values, size = [], [], 0
    for attribute, others in zip(pair.attributes, among, strict=True):
        own = attribute.original.codes[asked]
        is_there = np.isfinite(attribute.original.places[own])
        codes.append(np.where(is_there, own + size, -1))
        values.append(np.where(others >= 0, others + size, -1))
        size += attribute.original.places.size
    of_value = np.concatenate(values).astype(np.int32)
    of_row = np.tile(np.arange(height, dtype=np.int32), len(values))
    known = np.flatnonzero(of_value >= 0).astype(np.int32)
    starts = count_starts(of_value[known], size)
    rows = of_row[sort_by_group(known, of_value, starts)]
    weights = np.log(height + 1) - np.log(np.maximum(np.diff(starts), 1))
    record, cells = np.empty(asked.size, np.int64), np.empty(asked.size, np.int64)
    scores = np.empty(asked.size)
    link_equal(
        np.column_stack(codes).astype(np.int64), starts, rows, height, weights, MOST_ROWS, skip,
        record, cells, scores,
    )  # fmt: skip
    return record, cells, scores
