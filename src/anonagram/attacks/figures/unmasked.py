"""Columns that were left as they were, and whom they identify."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonagram.attacks.aligned import Aligned

LEFT_AS_IT_IS = 0.95
"""An attribute counts as unmasked where more than this share of its values did not move."""


@dataclass(frozen=True)
class Unmasked:
    """What columns that were not masked tell by themselves."""

    columns: tuple[str, ...]
    is_alone: NDArray[np.bool_]
    """Who is alone with her values in these columns, before and after."""

    @property
    def identified(self) -> float:
        """The share of people who are."""
        return float(self.is_alone.mean())


def find_unmasked(pair: Aligned) -> Unmasked:
    """Columns whose values mostly did not move, and who is alone with them.

    >>> pair = Aligned.read({"a": [1, 2, 2], "b": [1, 2, 3]}, {"a": [1, 2, 2], "b": [3, 1, 2]})
    >>> found = find_unmasked(pair)
    >>> found.columns, found.is_alone.tolist()
    (('a',), [True, False, False])
    """
    originals, mapped = pair.original_ranks, pair.mapped_ranks
    still = np.flatnonzero((originals == mapped).mean(axis=0) > LEFT_AS_IT_IS)
    if not still.size:
        return Unmasked((), np.zeros(pair.rows, np.bool_))
    names = [str(j) for j in still]
    before, after = (pl.DataFrame(each[:, still], schema=names) for each in (originals, mapped))
    same = (originals[:, still] == mapped[:, still]).all(axis=1)
    alone = [each.is_unique().to_numpy() for each in (before, after)]
    columns = tuple(pair.attributes[j].name for j in still)
    return Unmasked(columns, same & alone[0] & alone[1])
