"""Bounds for any number of hits in any group, as a table (Zhang 2007, section 2.5).

With it, a plain database answers what `query` answers: count the hits of each group, join, add up.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonagram.columns.rounding import EXACT_IN_DOUBLE, MARGIN, MEAN_ROUNDING, ROUNDING
from anonagram.errors import CallError
from anonagram.queries.rearranged.groups import LARGEST_SUM

LARGEST_DECIMAL = 10**38


def help_table(counts: pl.DataFrame, rows: int, group: str) -> pl.DataFrame:
    """One line for each group and number of hits in it, for a column with group, value and count.

    Where values are missing, some hits may have none: COUNT has bounds, SUM takes what may be taken,
    and a MIN that nothing is certain of has no upper bound of its own (as a MAX no lower one). `rows`
    is the number of all rows, by which sums of floating-point numbers can be off.
    """
    one_each = counts.select("group", pl.col("value").repeat_by("count")).explode("value")
    ranked = one_each.sort("group", "value", nulls_last=True, maintain_order=True)
    groups = ranked.group_by("group", maintain_order=True).agg(
        size=pl.len(),
        values=pl.col("value").count(),
        negative=_count_where(ranked, pl.col("value") < 0),
        positive=_count_where(ranked, pl.col("value") > 0),
        slack=_slack(ranked, rows),
    )
    hits = _Hits(groups)
    table = {group: ranked["group"], "hits": pl.Series(hits.number)}
    table |= {"count_low": pl.Series(hits.least), "count_high": pl.Series(hits.most)}
    value = ranked["value"]
    table["min_low"] = _at(value, hits.begin, hits.most > 0)
    table["min_high"] = _at(value, hits.end - hits.least, hits.least > 0)
    table["max_low"] = _at(value, hits.begin + hits.least - 1, hits.least > 0)
    table["max_high"] = _at(value, hits.end - 1, hits.most > 0)
    if value.dtype.is_numeric():
        table |= _sums(ranked, hits)
    return pl.DataFrame(table)


class _Hits:
    """For every line of the help table: its hits, and where the group's values stand."""

    def __init__(self, groups: pl.DataFrame) -> None:
        size = groups["size"].to_numpy().astype(np.int64)

        def spread(name: str) -> NDArray[np.int64]:
            return np.repeat(groups[name].to_numpy().astype(np.int64), size)

        start = np.repeat(np.cumsum(size) - size, size)
        self.number = np.arange(size.sum()) - start + 1
        values = spread("values")
        self.begin, self.end = start, start + values
        missing = np.repeat(size, size) - values
        self.least = np.maximum(0, self.number - missing)
        self.most = np.minimum(self.number, values)
        self.negative, self.positive = spread("negative"), spread("positive")
        self.slack = np.repeat(groups["slack"].to_numpy(), size)


def _sums(ranked: pl.DataFrame, hits: _Hits) -> dict[str, pl.Series]:
    """SUM takes what must be taken, and of what may be taken whatever lowers (raises) it."""
    value = ranked["value"]
    running = ranked.select(
        _wide(value, int(hits.number.max()))
        .cum_sum()
        .over("group", order_by=pl.int_range(pl.len()))
        .alias("sum")
    )["sum"]
    low = np.clip(hits.negative, hits.least, hits.most)
    high = np.clip(hits.positive, hits.least, hits.most)
    whole = _at(running, hits.end - 1, hits.end > hits.begin)
    zero = pl.zeros(1, dtype=running.dtype, eager=True)[0]

    def first(count: NDArray[np.int64]) -> pl.Series:
        return _at(running, hits.begin + count - 1, count > 0).fill_null(zero)

    sums = pl.DataFrame(
        {
            "sum_low": first(low),
            "sum_high": whole.fill_null(zero) - first(hits.end - hits.begin - high),
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
    ticks = value.to_physical().cast(pl.Int128)
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


def _count_where(ranked: pl.DataFrame, condition: pl.Expr) -> pl.Expr:
    return condition.sum() if ranked["value"].dtype.is_numeric() else pl.lit(0)


def _slack(ranked: pl.DataFrame, rows: int) -> pl.Expr:
    """By how much a group's sum of floating-point numbers can be off, by the order of adding."""
    if not ranked["value"].dtype.is_float():
        return pl.lit(0.0)
    return pl.col("value").cast(pl.Float64).abs().sum() * ((rows + MARGIN) * ROUNDING)
