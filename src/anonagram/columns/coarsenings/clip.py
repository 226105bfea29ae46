"""Top and bottom coding: what lies beyond a value is published as that value."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Any

import polars as pl

from anonagram.calls import require
from anonagram.columns.coarsening import Coarsening
from anonagram.columns.hierarchy import Hierarchy
from anonagram.errors import SchemaError

End = float | str | None


@dataclass(frozen=True, repr=False)
class Clip(Coarsening, call="clip", example="clip(high=90)"):
    """Values beyond an end become the end: with ``clip(high=90)`` 90 stands for 90 or more.

    They stay numbers (or dates, with ends as ``"1930-01-01"``): distances and averages of all others
    are as they were, and bounds are about the published numbers.

    >>> Clip(low=18, high=90).coarser(pl.Series([4, 50, 101]), None).to_list()
    [18, 50, 90]
    """

    low: End = None
    high: End = None

    def __post_init__(self) -> None:
        super().__post_init__()
        ends = [end for end in (self.low, self.high) if end is not None]
        require(bool(ends), "clip: give low, high or both.", "clip(low=18, high=90)")
        require(
            len({isinstance(end, str) for end in ends}) == 1 and ends == sorted(ends),
            f"clip: from {self.low!r} to {self.high!r} is no range.",
            "clip(low=18, high=90)",
        )

    def coarser(self, values: pl.Series, hierarchy: Hierarchy | None) -> pl.Series:  # noqa: ARG002
        """Each value within the ends."""
        if not values.dtype.is_numeric() and not isinstance(values.dtype, pl.Date | pl.Datetime):
            raise SchemaError(
                f"{self!r} needs numbers or dates, not {values.dtype}.",
                'add kind = "numeric", or take a level of a hierarchy.',
            )
        return values.clip(self._end(self.low, values.dtype), self._end(self.high, values.dtype))

    def _end(self, end: End, dtype: pl.DataType) -> Any:
        if end is None:
            return None
        if dtype.is_numeric():
            if isinstance(end, str) or (dtype.is_integer() and end != int(end)):
                kind = "whole numbers" if dtype.is_integer() else "numbers"
                raise SchemaError(f"{self!r}: the column has {kind}.", "give ends of its kind.")
            try:
                return pl.Series([end]).cast(dtype)[0]
            except (pl.exceptions.PolarsError, OverflowError) as error:
                raise SchemaError(
                    f"{self!r}: an end is beyond what the column can hold.", "clip(high=90)"
                ) from error
        try:
            day = pl.Series([date.fromisoformat(str(end))])
        except ValueError as error:
            raise SchemaError(
                f"{self!r}: the column has dates.", 'clip(low="1930-01-01")'
            ) from error
        return self._begun(day, dtype) if isinstance(dtype, pl.Datetime) else day[0]

    def _begun(self, day: pl.Series, dtype: pl.Datetime) -> Any:
        """The first moment of a day, on the clocks of the column."""
        midnight = day.cast(pl.Datetime(dtype.time_unit))
        if dtype.time_zone is None:
            return midnight[0]
        found = midnight.dt.replace_time_zone(
            dtype.time_zone, ambiguous="earliest", non_existent="null"
        )[0]
        if found is None:
            raise SchemaError(
                f"{self!r}: clocks of {dtype.time_zone} skip the midnight of {day[0]}.",
                "give the day before or after.",
            )
        return found

    def told(self) -> str:
        """What the ends stand for."""
        low = "" if self.low is None else f"{self.low} stands for {self.low} or less"
        high = "" if self.high is None else f"{self.high} stands for {self.high} or more"
        return " and ".join(filter(None, (low, high)))
