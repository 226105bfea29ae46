"""Values that probably stand for a missing one: ``?``, ``NA``, ``-9``."""

from __future__ import annotations

import numpy as np
import polars as pl

MARKERS = (
    "?", "??", "na", "n/a", "#n/a", "nan", "null", "-", "--", ".", "*", "missing", "(missing)",
    "not available", "not recorded", "no answer", "not/available",
)  # fmt: skip
"""Texts that say that there is no value, in any case."""
CODES = (-7, -8, -9, -77, -88, -97, -98, -99, -777, -888, -998, -999, -9999)
"""Numbers that do, where no other number is negative."""


def find_marked(domain: pl.Series) -> list[int]:
    """The places of values that look like it among all of a column; none where there is nothing else.

    >>> find_marked(pl.Series(["?", "Private", "na"])), find_marked(pl.Series([-9, 1, 2]))
    ([0, 2], [0])
    >>> find_marked(pl.Series(["?"])), find_marked(pl.Series([-9, -1, 2]))
    ([], [])
    """
    if domain.dtype == pl.String:
        is_marked = domain.str.strip_chars().str.to_lowercase().is_in(MARKERS).to_numpy()
    elif domain.dtype.is_integer():
        numbers = domain.to_numpy()
        is_marked = numbers < 0
        if not np.isin(numbers[is_marked], CODES).all():
            return []
    else:
        return []
    return [] if is_marked.all() else np.flatnonzero(is_marked).tolist()
