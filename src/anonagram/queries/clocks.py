"""Ranges of moments as ranges of what the clocks of their zone show.

Where clocks are set back, a later moment is shown as an earlier time: the first and the last moment
of a range are then not the earliest and the latest that clocks show in it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

STEP = 6 * 3600
"""Seconds in which clocks are set at most once."""
WINDOW = 5 * STEP
"""Seconds around a moment in which clocks may show what they show then: set back by a day at most."""

Ticks = NDArray[np.int64]
LAST = 2**63 - 1
PER_SECOND = {"ms": 10**3, "us": 10**6, "ns": 10**9}


def shown_between(low: pl.Series, high: pl.Series) -> tuple[pl.Series, pl.Series]:
    """The earliest and the latest time that clocks show from one moment to another.

    >>> zone = pl.Datetime("us", "Europe/Berlin")
    >>> low, high = pl.Series(["2024-10-27T00:50:00Z"]), pl.Series(["2024-10-27T01:10:00Z"])
    >>> low, high = (each.str.to_datetime("%+").cast(zone) for each in (low, high))
    >>> [str(each[0]) for each in shown_between(low, high)]
    ['2024-10-27 02:00:00', '2024-10-27 02:59:59.999999']
    """
    zone = _Zone(low.dtype)
    ends = pl.DataFrame({"low": low, "high": high}).drop_nulls()
    first, last = (ends[name].to_physical().to_numpy() for name in ("low", "high"))
    back = zone.set_back_near(np.concatenate([first, last]))
    reach = WINDOW * zone.second
    earliest, latest = zone.shown(first), zone.shown(last)
    for moment, before, after in back:
        near = (first < moment) & (moment <= last)
        # a number of Python's own has no end, sums of 64 bits have
        earliest = np.where(near & (moment - reach <= first), np.minimum(earliest, after), earliest)
        latest = np.where(near & (moment + reach > last), np.maximum(latest, before), latest)
    return _as_clocks(low, earliest), _as_clocks(high, latest)


def _as_clocks(moments: pl.Series, ticks: Ticks) -> pl.Series:
    """Ticks in the places of moments that are not missing."""
    shown = np.zeros(len(moments), np.int64)
    shown[moments.is_not_null().to_numpy()] = ticks
    clocks = pl.Series(moments.name, shown).cast(pl.Datetime(moments.dtype.time_unit))  # type: ignore[attr-defined]
    return clocks.set(moments.is_null(), None)


class _Zone:
    """The clocks of a time zone, in ticks of a column's unit."""

    def __init__(self, dtype: Any) -> None:
        self.name, self.unit = dtype.time_zone, dtype.time_unit
        self.second = PER_SECOND[self.unit]

    def shown(self, moments: Ticks) -> Ticks:
        """What clocks show at moments."""
        utc = pl.Series(moments).cast(pl.Datetime(self.unit, "UTC"))
        clocks = utc.dt.convert_time_zone(self.name).dt.replace_time_zone(None)
        return clocks.to_physical().to_numpy()

    def set_back_near(self, moments: Ticks) -> list[tuple[int, int, int]]:
        """When clocks are set back around moments; the last they show before, the first after."""
        step, reach = STEP * self.second, WINDOW // STEP + 1
        around = np.unique(np.unique(moments // step)[:, None] + np.arange(-reach, reach + 1))
        most = LAST // step - 2  # at the ends of a type nothing can be looked up beyond
        start = around[np.abs(around) <= most] * step
        is_back = self._ahead(start + step) < self._ahead(start)
        return [self._exactly(int(each)) for each in start[is_back]]

    def _ahead(self, moments: Ticks) -> Ticks:
        """How far clocks are ahead of universal time."""
        return self.shown(moments) - moments

    def _exactly(self, start: int) -> tuple[int, int, int]:
        """The second of a step at which clocks are set back."""
        seconds = start + np.arange(STEP + 1) * self.second
        ahead = self._ahead(seconds)
        moment = int(seconds[np.argmax(ahead < ahead[0])])
        return moment, moment + int(ahead[0]) - 1, moment + int(ahead[-1])
