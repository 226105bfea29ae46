"""Days and moments as the month, quarter or year they lie in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import polars as pl

from anonagram.columns.coarsening import Coarsening
from anonagram.columns.hierarchy import Hierarchy
from anonagram.errors import SchemaError

EVERY = {"day": "1d", "week": "1w", "month": "1mo", "quarter": "1q", "year": "1y", "decade": "1y"}

FIRST_DECADE = 1680
"""The first that moments in nanoseconds hold."""


@dataclass(frozen=True, repr=False)
class Period(Coarsening, call="period", example="period(unit=month)"):
    """The first day of a day's month, quarter, year or decade: it stays a date. ``publish = "month"``.

    >>> from datetime import date
    >>> Period("quarter").coarser(pl.Series([date(2008, 7, 14), date(1969, 3, 31)]), None).to_list()
    [datetime.date(2008, 7, 1), datetime.date(1969, 1, 1)]
    """

    unit: Literal["day", "week", "month", "quarter", "year", "decade"]

    def coarser(self, values: pl.Series, hierarchy: Hierarchy | None) -> pl.Series:  # noqa: ARG002
        """The beginning of each value's period; weeks begin on Monday."""
        if not isinstance(values.dtype, pl.Date | pl.Datetime):
            raise SchemaError(
                f"{self!r} needs dates, not {values.dtype}.", 'add kind = "date", or round(to=5).'
            )
        if _begins_too_early(values):
            raise SchemaError(
                f"{self!r}: a period begins before the year 1678, which nanoseconds do not reach.",
                "cast the column to microseconds.",
            )
        begins = values.dt.truncate(EVERY[self.unit])
        if self.unit != "decade":
            return begins
        return begins.dt.replace(year=values.dt.year() // 10 * 10)

    def told(self) -> str:
        """What a date stands for."""
        return f"the first day of a {self.unit} stands for all of it"


def _begins_too_early(values: pl.Series) -> bool:
    """Whether the decade of a moment, told in nanoseconds, begins before such moments do."""
    is_fine = getattr(values.dtype, "time_unit", None) == "ns"
    first = values.dt.year().min() if is_fine else None
    return isinstance(first, int) and first < FIRST_DECADE
