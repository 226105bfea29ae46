"""Columns as codes that a model can count: large numbers in few bins, everything else as it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonagram.columns.encoding import dictionary
from anonagram.columns.spans import has_spans

MOST_NUMBERS = 64
"""Numbers and dates with more values than this are counted in bins."""
BINS = 32
LARGEST = 20_000_000
"""Cells of a table of counts; a column that would need more is left out."""


@dataclass(frozen=True)
class Features:
    """The codes of some columns, a row each person, and where each column's counts begin."""

    codes: NDArray[np.int32]
    offsets: NDArray[np.int64]

    @classmethod
    def of(cls, columns: list[pl.Series], classes: int) -> Self:
        """Encode columns for a model with so many classes."""
        coded = [_coded(column) for column in columns]
        kept = [(codes, size) for codes, size in coded if size * classes <= LARGEST]
        rows = len(columns[0]) if columns else 0
        codes = np.empty((rows, len(kept)), np.int32)
        for place, (each, _) in enumerate(kept):
            codes[:, place] = each
        sizes = [size for _, size in kept]
        return cls(codes, np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64))

    def taken(self, rows: NDArray[np.int64]) -> Features:
        """Some rows of them."""
        return Features(self.codes[rows], self.offsets)


def _coded(column: pl.Series) -> tuple[NDArray[np.int32], int]:
    codes, domain = dictionary(column)
    if not has_spans(column.dtype) or len(domain) <= MOST_NUMBERS:
        return codes, len(domain) + 1
    # as many people in each bin as ties allow; a missing value has a bin of its own
    below = np.cumsum(np.bincount(codes, minlength=len(domain) + 1)[:-1])
    bins = np.minimum((below - 1) * BINS // below[-1], BINS - 1)
    return np.append(bins, BINS).astype(np.int32)[codes], BINS + 1
