"""Columns as codes that a model can count: large numbers in few bins, everything else as it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Self, TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonagram.columns.encoding import dictionary
from anonagram.columns.spans import has_spans
from anonagram.microdata import Column

MOST_NUMBERS = 64
"""Numbers and dates with more values than this are counted in bins."""
BINS = 32
LARGEST = 20_000_000
"""Cells of a table of counts; a column that would need more is left out."""
SOME = 5
"""People who have two values together, so that the pair is looked at by itself."""
Coded: TypeAlias = tuple[NDArray[np.int32], int]


@dataclass(frozen=True)
class Features:
    """The codes of some columns, a row each person, and where each column's counts begin."""

    codes: NDArray[np.int32]
    offsets: NDArray[np.int64]

    @classmethod
    def of(cls, columns: list[pl.Series], classes: int) -> Self:
        """Encode columns for a model with so many classes."""
        return cls._side_by_side([in_bins(*dictionary(column)) for column in columns], classes)

    @classmethod
    def of_columns(cls, columns: Sequence[Column], classes: int) -> Self:
        """The same of columns that are encoded already."""
        return cls._side_by_side([in_bins(each.codes, each.domain) for each in columns], classes)

    @classmethod
    def _side_by_side(cls, coded: list[Coded], classes: int) -> Self:
        kept = [(codes, size) for codes, size in coded if size * classes <= LARGEST]
        rows = coded[0][0].size if coded else 0
        codes = np.empty((rows, len(kept)), np.int32)
        for place, (each, _) in enumerate(kept):
            codes[:, place] = each
        sizes = [size for _, size in kept]
        return cls(codes, np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64))

    def with_pairs(self, classes: int) -> Features:
        """Beside them a column that is the same for everybody, and every two columns together.

        Two values that few people have together share a code; where tables of so many classes would
        get too large, the last pairs are left out.
        """
        coded: list[Coded] = [(np.zeros(len(self.codes), np.int32), 1)]
        sizes = np.diff(self.offsets).tolist()
        coded += [(self.codes[:, j], size) for j, size in enumerate(sizes)]
        room = LARGEST // max(classes, 1) - sum(sizes)
        for one, other in combinations(range(len(sizes)), 2):
            both = self.codes[:, one].astype(np.int64) * sizes[other] + self.codes[:, other]
            codes, size = _frequent(both)
            if size <= room:
                coded.append((codes, size))
                room -= size
        return Features._side_by_side(coded, 0)

    def taken(self, rows: NDArray[np.int64]) -> Features:
        """Some rows of them."""
        return Features(self.codes[rows], self.offsets)


def in_bins(codes: NDArray[np.int32], domain: pl.Series) -> Coded:
    """Codes that can be counted, and how many there are; a missing value has the last."""
    if not has_spans(domain.dtype) or len(domain) <= MOST_NUMBERS:
        return codes, len(domain) + 1
    # as many people in each bin as ties allow
    below = np.cumsum(np.bincount(codes, minlength=len(domain) + 1)[:-1])
    bins = np.minimum((below - 1) * BINS // below[-1], BINS - 1)
    return np.append(bins, BINS).astype(np.int32)[codes], BINS + 1


def _frequent(values: NDArray[np.int64]) -> Coded:
    """Codes of values that some people have, from 1; all others have the code 0."""
    _, codes, counts = np.unique(values, return_inverse=True, return_counts=True)
    is_frequent = counts >= SOME
    number = np.where(is_frequent, np.cumsum(is_frequent), 0).astype(np.int32)
    return number[codes], int(is_frequent.sum()) + 1
