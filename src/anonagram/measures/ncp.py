"""Normalized certainty penalty: how coarse a partition is (Xu et al. 2006)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import polars as pl

from anonagram.release import GroupedRelease


@dataclass(frozen=True)
class Ncp:
    """The penalty of the groups of a release, as its published tables tell it.

    NCP(G) = |G| · Σ width_i(G): 0 where all rows of a group are equal, 1 a cell where every group
    spans the whole domain.
    """

    total: float
    per_cell: float
    """The total over rows times quasi-identifiers."""
    attributes: dict[str, float]
    """The mean width of each quasi-identifier over all rows."""

    @classmethod
    def of(cls, release: GroupedRelease) -> Self:
        """Measure a release."""
        return cls.of_extents(release.extents())

    @classmethod
    def of_extents(cls, extents: pl.DataFrame) -> Self:
        """Measure groups by their widths, as `GroupedRelease.extents` gives them."""
        # sums of floats depend on their order: sorted, the same release gives the same digits
        if not extents["group"].is_sorted():
            extents = extents.sort("group")
        rows = extents["rows"].to_numpy()
        totals = {
            name.removeprefix("width:"): float((extents[name].to_numpy() * rows).sum())
            for name in extents.columns
            if name.startswith("width:")
        }
        total, count = sum(totals.values()), int(rows.sum())
        attributes = {name: each / count for name, each in totals.items()}
        return cls(total, total / (count * len(totals)), attributes)

    @classmethod
    def joined(cls, several: Sequence[tuple[Ncp, int]]) -> Self:
        """The penalty of all groups, from those of parts of a release and their rows."""
        rows = sum(count for _, count in several)
        attributes = {
            name: sum(each.attributes[name] * count for each, count in several) / rows
            for name in several[0][0].attributes
        }
        total = sum(each.total for each, _ in several)
        return cls(total, total / (rows * len(attributes)), attributes)
