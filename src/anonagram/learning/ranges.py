"""Values of people whose group is told as a range or as a set of values."""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonagram.release import GroupedRelease
from anonagram.release.sheet import RangeColumn


def draw_range(
    told: RangeColumn, release: GroupedRelease, rows: NDArray[np.int64], random: np.random.Generator
) -> pl.Series:
    """A value for each row, by group: every end and every member of a set once, then any of them.

    Where values are missing in a group, one is; how many were is not told.
    """
    table = release.tables[told.table].sort(release.manifest.layout["group"])
    turn = _turns(rows, random)
    if told.ends is None:
        return _from_sets(table[told.name], rows, turn, random)
    place = np.repeat(np.arange(rows.size), rows)
    low, high, missing = (table[end].gather(place) for end in told.ends)
    between = _between(told, low, high, random)
    ends = pl.DataFrame(
        {"between": between, "low": low, "high": high, "missing": missing, "turn": turn}
    )
    last = 1 + (pl.col("low") != pl.col("high")).cast(pl.Int64)
    return ends.select(
        pl.when(pl.col("turn") == 0)
        .then("low")
        .when((pl.col("turn") == 1) & (last == 2))
        .then("high")
        .when(pl.col("low").is_null() | (pl.col("missing") & (pl.col("turn") == last)))
        .then(None)
        .otherwise("between")
    ).to_series()


def _from_sets(
    sets: pl.Series, rows: NDArray[np.int64], turn: NDArray[np.int64], random: np.random.Generator
) -> pl.Series:
    lengths = sets.list.len().to_numpy().astype(np.int64)
    width = np.repeat(lengths, rows)
    place = np.where(turn < width, turn, (random.random(turn.size) * width).astype(np.int64))
    return sets.explode().gather(np.repeat(np.cumsum(lengths) - lengths, rows) + place)


def _turns(rows: NDArray[np.int64], random: np.random.Generator) -> NDArray[np.int64]:
    """For each row its turn in its group, from 0, in a random order."""
    group_of = np.repeat(np.arange(rows.size), rows)
    turn = np.empty(group_of.size, np.int64)
    order = np.lexsort((random.random(group_of.size), group_of))
    turn[order] = np.arange(group_of.size) - np.repeat(np.cumsum(rows) - rows, rows)
    return turn


def _between(
    told: RangeColumn, low: pl.Series, high: pl.Series, random: np.random.Generator
) -> pl.Series:
    """A value between two ends for each row, all as likely."""
    if told.order is not None:
        texts = pl.Series(told.order, dtype=pl.String)
        place = pl.Series(range(len(texts)), dtype=pl.Int64)
        least, most = (each.cast(pl.String).replace_strict(texts, place) for each in (low, high))
        return texts.gather(_whole(least, most, random)).cast(low.dtype)
    if low.dtype.is_float():
        least, most = low.fill_null(0.0), high.fill_null(0.0)
        drawn = least + pl.Series(random.random(len(low))) * (most - least)
        return drawn.clip(least, most).cast(low.dtype)
    if low.dtype.is_decimal():  # has more steps than a whole number of ours: one of the ends
        return low.zip_with(pl.Series(random.random(len(low)) < 0.5), high)
    steps = low.to_physical().dtype
    least, most = (each.to_physical().cast(pl.Int64) for each in (low, high))
    return pl.Series(_whole(least, most, random)).cast(steps).cast(low.dtype)


def _whole(low: pl.Series, high: pl.Series, random: np.random.Generator) -> NDArray[np.int64]:
    least, most = low.fill_null(0).to_numpy(), high.fill_null(0).to_numpy()
    return random.integers(least, most, dtype=np.int64, endpoint=True)
