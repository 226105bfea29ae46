"""Conditions on codes: intervals of a column's domain, asked of rows that are encoded once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from anonagram.kernels.conditions import keep_between
from anonagram.microdata import Column

Conditions = Sequence[tuple[Column, int, int]]
"""A column each, its first code and the code after the last."""


class CodedRows:
    """Codes of a table's columns, packed for quick passes."""

    def __init__(self, columns: Sequence[Column], codes: dict[str, NDArray[np.int32]]) -> None:
        self.codes = {
            column.name: codes[column.name].astype(
                np.uint8 if column.cardinality < 256 else np.int32
            )
            for column in columns
            if column.name in codes
        }
        self.height = len(next(iter(self.codes.values()))) if self.codes else 0

    def meeting(self, conditions: Conditions) -> NDArray[np.uint8]:
        """Which rows meet every condition."""
        mask = np.ones(self.height, np.uint8)
        for column, first, stop in conditions:
            codes = self.codes[column.name]
            keep_between(codes, codes.dtype.type(first), codes.dtype.type(stop), mask)
        return mask
