"""How fast people become unique when an intruder knows more about them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

COLUMNS_COMPARED = 12


@dataclass(frozen=True)
class Uniqueness:
    """How many rows are the only ones with their values in these columns."""

    columns: tuple[str, ...]
    unique_rows: int
    share: float


def grow_uniqueness(codes: dict[str, NDArray[np.int32]]) -> list[Uniqueness]:
    """Add, again and again, the column that makes most rows unique."""
    # with very many columns, those with most values tell people apart first
    varied = sorted(codes, key=lambda name: -int(codes[name].max(initial=0)))[:COLUMNS_COMPARED]
    found: list[Uniqueness] = []
    chosen: list[str] = []
    groups = pl.Series(np.zeros(len(next(iter(codes.values()), ())), np.int64))
    while len(chosen) < len(varied):
        trials = {
            name: groups * (int(codes[name].max()) + 1) + pl.Series(codes[name].astype(np.int64))
            for name in varied
            if name not in chosen
        }
        unique = {name: int(trial.is_unique().sum()) for name, trial in trials.items()}
        # among equals the column with more values first, which tells more in the next round
        best = max(unique, key=lambda name: (unique[name], trials[name].n_unique()))
        chosen.append(best)
        groups = trials[best].rank("dense").cast(pl.Int64) - 1
        found.append(Uniqueness(tuple(chosen), unique[best], unique[best] / len(groups)))
    return found
