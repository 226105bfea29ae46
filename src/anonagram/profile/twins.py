"""Columns that name the same people as an identifier: a number beside a name."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from anonagram.profile.facts import MANY_PEOPLE
from anonagram.profile.roles import UNTOLD, ColumnProfile

AS_MANY = 1.1
"""Two columns name the same people where all pairs of their values are at most so many times each's."""
SEVERAL = 2
"""Rows a person on average: where people have one, whatever differs in every row would name them."""


def named_alike(
    columns: list[ColumnProfile], codes: dict[str, NDArray[np.int32]]
) -> list[ColumnProfile]:
    """The columns, those as identifiers that name the same people as one does."""
    names = [c for c in columns if c.role == "identifier" and _has_people(c, codes[c.name])]
    return [_as_identifier(column, names, codes) for column in columns]


def _has_people(column: ColumnProfile, codes: NDArray[np.int32]) -> bool:
    return column.distinct >= MANY_PEOPLE and column.distinct * SEVERAL <= codes.size


def _as_identifier(
    column: ColumnProfile, names: list[ColumnProfile], codes: dict[str, NDArray[np.int32]]
) -> ColumnProfile:
    if column.role != "quasi" or not column.reason.startswith(UNTOLD):
        return column
    for name in names:
        fewer, more = sorted((name.distinct, column.distinct))
        if more <= AS_MANY * fewer:
            wide = np.int64(codes[name.name].max()) + 1
            pairs = np.unique(codes[column.name].astype(np.int64) * wide + codes[name.name]).size
            if pairs <= AS_MANY * fewer:
                reason = f"names the same people as {name.name}"
                return replace(column, role="identifier", reason=reason, hierarchy=None, coarser="")
    return column
