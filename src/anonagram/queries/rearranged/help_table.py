"""Bounds for any number of hits in any group, as a table (Zhang 2007, section 2.5).

With it, a plain database answers what `query` answers: count the hits of each group, join, add up.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonagram.columns.rounding import EXACT_IN_DOUBLE, MARGIN, MEAN_ROUNDING, ROUNDING
from anonagram.columns.spans import to_ticks
from anonagram.errors import CallError
from anonagram.kernels.hits import every_hit
from anonagram.queries.rearranged.groups import LARGEST_SUM, Ranked

LARGEST_DECIMAL = 10**38


def help_table(counts: pl.DataFrame, rows: int, group: str) -> pl.DataFrame:
    """One line for each group and number of hits in it, for a column with group, value and count.

    Where values are missing, some hits may have none: COUNT has bounds, SUM takes what may be taken,
    and a MIN that nothing is certain of has no upper bound of its own (as a MAX no lower one). `rows`
    is the number of all rows, by which sums of floating-point numbers can be off.
    """
    ranked = Ranked.of(counts["group"], counts["value"], counts["count"])
    hits = _Hits(ranked, rows)
    table = {group: ranked.groups, "hits": pl.Series(hits.number)}
    table |= {"count_low": pl.Series(hits.least), "count_high": pl.Series(hits.most)}
    value = ranked.values
    table["min_low"] = _at(value, hits.begin, hits.most > 0)
    table["min_high"] = _at(value, hits.end - hits.least, hits.least > 0)
    table["max_low"] = _at(value, hits.begin + hits.least - 1, hits.least > 0)
    table["max_high"] = _at(value, hits.end - 1, hits.most > 0)
    if value.dtype.is_numeric():
        table |= _sums(ranked, hits)
    return pl.DataFrame(table)


class _Hits:
    """For every line of the help table: its hits, and where the group's values stand."""

    def __init__(self, ranked: Ranked, rows: int) -> None:
        present = ranked.counted(ranked.values.is_not_null())
        lines = every_hit(ranked.starts, present, *ranked.signs())
        self.number, self.least, self.most, self.few, self.many = lines
        sizes = np.diff(ranked.starts)
        self.begin = np.repeat(ranked.starts[:-1], sizes)
        self.end = self.begin + np.repeat(present, sizes)
        self.slack = np.repeat(_slack(ranked, rows), sizes)


def _sums(ranked: Ranked, hits: _Hits) -> dict[str, pl.Series]:
    """SUM takes what must be taken, and of what may be taken whatever lowers (raises) it."""
    value = ranked.values
    wide = pl.DataFrame({"group": ranked.groups, "value": value})
    running = wide.select(
        _wide(value, int(hits.number.max()))
        .cum_sum()
        .over("group", order_by=pl.int_range(pl.len()))
        .alias("sum")
    )["sum"]
    whole = _at(running, hits.end - 1, hits.end > hits.begin)
    zero = pl.zeros(1, dtype=running.dtype, eager=True)[0]

    def first(count: NDArray[np.int64]) -> pl.Series:
        return _at(running, hits.begin + count - 1, count > 0).fill_null(zero)

    sums = pl.DataFrame(
        {
            "sum_low": first(hits.few),
            "sum_high": whole.fill_null(zero) - first(hits.end - hits.begin - hits.many),
            # the mean of the fewest values that are certain, or of a single one
            "avg_low": _mean(first(np.maximum(hits.least, 1)), hits, -1),
            "avg_high": _mean(
                whole - first(hits.end - hits.begin - np.maximum(hits.least, 1)), hits, 1
            ),
        }
    )
    if value.dtype.is_float():
        off = pl.Series(hits.slack)
        fewest = pl.Series(np.maximum(hits.least, 1))
        sums = sums.with_columns(
            pl.col("sum_low") - off,
            pl.col("sum_high") + off,
            pl.col("avg_low") - off / fewest,
            pl.col("avg_high") + off / fewest,
        ).with_columns(
            # values of one sign keep it, however they are added
            *([pl.col("sum_low", "avg_low").clip(lower_bound=0.0)] if (value >= 0).all() else []),
            *([pl.col("sum_high", "avg_high").clip(upper_bound=0.0)] if (value <= 0).all() else []),
        )
    return {name: sums[name] for name in sums.columns}


def _mean(sums: pl.Series, hits: _Hits, outward: int) -> pl.Series:
    """The means of sums, rounded down (-1) or up (1)."""
    means = pl.DataFrame({"sum": sums, "by": np.maximum(hits.least, 1), "exists": hits.most > 0})
    mean = pl.col("sum").cast(pl.Float64) / pl.col("by")
    # a sum that no double holds is rounded before it is divided
    is_rounded = pl.lit(sums.dtype.is_decimal()) | (pl.col("sum").abs() >= EXACT_IN_DOUBLE)
    if not sums.dtype.is_float():
        mean += pl.when(is_rounded).then(outward * MEAN_ROUNDING * mean.abs()).otherwise(0.0)
    return means.select(pl.when("exists").then(mean).alias("mean"))["mean"]


def _wide(value: pl.Series, most: int) -> pl.Expr:
    """A type in which the sum of so many values has room, and that other programs can read."""
    x = pl.col("value")
    if value.dtype.is_float():
        return x.cast(pl.Float64)
    ticks = to_ticks(value)
    ends: Any = (ticks.min() or 0, ticks.max() or 0)
    largest = most * max(abs(end) for end in ends)
    if largest >= LARGEST_DECIMAL:
        raise CallError(
            "Sums of these values have more than 38 digits, which no help table holds.",
            "do without it; `query` bounds COUNT, MIN and MAX.",
        )
    if isinstance(value.dtype, pl.Decimal):
        return x.cast(pl.Decimal(38, value.dtype.scale))
    return x.cast(pl.Int64 if largest < LARGEST_SUM else pl.Decimal(38, 0))


def _at(values: pl.Series, places: NDArray[np.int64], exists: NDArray[np.bool_]) -> pl.Series:
    """The values at some places, and nothing where there is no such place."""
    where = pl.DataFrame({"place": places, "exists": exists})
    return values.gather(where.select(pl.when("exists").then("place"))["place"])


def _slack(ranked: Ranked, rows: int) -> NDArray[np.float64]:
    """By how much a group's sum of floating-point numbers can be off, by the order of adding."""
    if not ranked.values.dtype.is_float():
        return np.zeros(ranked.starts.size - 1)
    size = ranked.values.cast(pl.Float64).abs().fill_null(0.0).to_numpy()
    return np.add.reduceat(size, ranked.starts[:-1]) * ((rows + MARGIN) * ROUNDING)
