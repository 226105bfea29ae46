"""The values of a group beside those of the whole table, for promises that compare the two."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonagram.release import WithGroups

AT_ONCE = 4_000_000
"""Groups times values that are looked at together."""
ROUNDING = 1e-12
"""A level that is this much above what is promised is what rounding made of it."""


def shares(release: WithGroups) -> Iterator[tuple[str, pl.DataFrame]]:
    """For each sensitive attribute: group, value, count, rows, and its share of group and table."""
    for attribute, totals in release.sensitive_totals().items():
        counts = release.promised_counts()[attribute]
        whole = totals.select("value", (pl.col("count") / pl.col("count").sum()).alias("table"))
        found = counts.join(whole, on="value", how="left", nulls_equal=True)
        rows = pl.col("count").sum().over("group")
        yield (
            attribute,
            found.with_columns(rows=rows).with_columns(here=pl.col("count") / pl.col("rows")),
        )


def levels_at_most(attribute: str, levels: pl.DataFrame, most: float) -> pl.DataFrame:
    """Columns group, rows and level as `GroupModel.levels` wants them, where less is stronger."""
    return levels.select(
        "group",
        pl.lit(attribute).alias("attribute"),
        "rows",
        pl.col("level").cast(pl.Float64),
        (pl.col("level") <= most * (1 + ROUNDING) + ROUNDING).alias("holds"),
    )


def distances(
    counts: pl.DataFrame,
    totals: pl.DataFrame,
    distance: Callable[[NDArray[np.float64]], NDArray[np.float64]],
) -> pl.DataFrame:
    """Columns group, rows and level: a function of how far shares are from the table's.

    It is handed a row each group and a column each value, of as many groups as fit.
    """
    places = totals.select("value").with_row_index("place")
    found = counts.join(places, on="value", how="left", nulls_equal=True).sort("group")
    groups = found["group"].unique().sort()
    row = groups.search_sorted(found["group"]).to_numpy()
    whole = totals["count"].to_numpy() / totals["count"].sum()
    sizes, levels = np.empty(len(groups)), np.empty(len(groups))
    step = max(1, AT_ONCE // whole.size)
    for first in range(0, len(groups), step):
        last = min(first + step, len(groups))
        begin, end = np.searchsorted(row, [first, last])
        some = found[begin:end]
        here = np.zeros((last - first, whole.size))
        here[row[begin:end] - first, some["place"].to_numpy()] = some["count"].to_numpy()
        sizes[first:last] = here.sum(axis=1)
        levels[first:last] = distance(here / sizes[first:last, None] - whole)
    return pl.DataFrame({"group": groups, "rows": sizes.astype(np.int64), "level": levels})
