"""How far the sensitive numbers of a group are apart: what (k,e)-anonymity asks for and pays with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
import polars as pl

from anonagram.columns.spans import has_spans, ticks_for, to_ticks
from anonagram.measures.spread import Spread, Weighted
from anonagram.release import GroupedRelease


@dataclass(frozen=True)
class Ranges:
    """The ranges of one sensitive attribute, in its own unit."""

    sum: float
    """Over groups: what min_sum makes least."""
    groups: Spread

    @classmethod
    def of(cls, lengths: Weighted) -> Self:
        """Those of groups, of which some may be equally wide."""
        # sums of floats depend on their order: sorted, the same release gives the same digits
        total = np.sort(lengths.values * lengths.weights).sum()
        return cls(float(total), lengths.spread)


def range_lengths(release: GroupedRelease) -> dict[str, Weighted]:
    """How wide each group is in every sensitive attribute whose values are apart from each other."""
    found = {}
    for name, counts in release.sensitive_counts().items():
        dtype = counts.schema["value"]
        if not has_spans(dtype):
            continue
        value = pl.col("value")
        ticks = counts.with_columns(value=to_ticks(counts["value"])).group_by("group")
        ranges = ticks.agg(range=(value.max() - value.min()).fill_null(0))["range"]
        found[name] = Weighted.once(ranges.cast(pl.Float64).to_numpy() / ticks_for(1, dtype))
    return found
