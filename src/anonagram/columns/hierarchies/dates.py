"""Days as the months, quarters, years and decades they lie in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import polars as pl

from anonagram.columns.hierarchy import HierarchyRule
from anonagram.errors import SchemaError

Period = Literal["day", "month", "quarter", "year", "decade"]


@dataclass(frozen=True, repr=False)
class Dates(HierarchyRule, call="dates", example="dates()"):
    """Days become months, quarters, years, decades (or those of them that are named)."""

    levels: Sequence[Period] = (
        "month",
        "quarter",
        "year",
        "decade",
    )

    def labels(self, domain: pl.Series) -> list[Sequence[str]]:
        """The labels at each level."""
        if not isinstance(domain.dtype, pl.Date | pl.Datetime):
            raise SchemaError(f"dates() needs dates, not {domain.dtype}.", 'add kind = "date".')
        year = domain.dt.year().cast(pl.String)
        labels = {
            "day": domain.dt.strftime("%Y-%m-%d"),
            "month": domain.dt.strftime("%Y-%m"),
            "quarter": year + "-Q" + domain.dt.quarter().cast(pl.String),
            "year": year,
            "decade": (domain.dt.year() // 10 * 10).cast(pl.String) + "s",
        }
        return [labels[level].to_list() for level in self.levels]
