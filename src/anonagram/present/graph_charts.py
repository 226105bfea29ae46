"""Pictures of graphs: degrees, sizes of groups, and errors against what is asked about."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import accumulate
from typing import Any

import polars as pl

from anonagram.measures import WorkloadResult
from anonagram.present.chart_style import title
from anonagram.present.charts import HEIGHT, SMALLEST_SHOWN, WIDTH, altair, records
from anonagram.shown.wording import how_many

MANY = 30
"""Different numbers, above which an axis is logarithmic."""


def chart_counted(counted: Mapping[str, Mapping[int, int]], what: str) -> Any:
    """How many nodes have how many edges (degrees), or groups how many entities (group_sizes)."""
    alt = altair()
    counts = counted[what]
    frame = pl.DataFrame({"number": list(counts), "count": list(counts.values())})
    total, most = sum(counts.values()), max(counts)
    if what == "degrees":
        finding = f"Half of all have at most {how_many(_median(counts), 'edge')}, one has {most:,}"
        axis, rows = "edges", "nodes"
    else:
        finding = (
            f"The smallest group has {how_many(min(counts), 'entity', 'entities')}, the largest "
            f"{most:,}"
        )
        axis, rows = "entities in a group", "groups"
    if len(counts) <= MANY:
        bars = alt.Chart(records(frame), title=title(finding, f"{total:,} {rows}")).mark_bar()
        x = alt.X("number:O", title=axis, axis=alt.Axis(labelAngle=0))
        y = alt.Y("count:Q", title=rows, axis=alt.Axis(format="~s"))
    else:
        frame = frame.filter(pl.col("number") > 0)
        bars = alt.Chart(records(frame), title=title(finding, f"{total:,} {rows}")).mark_circle(
            size=45, opacity=1
        )
        x = alt.X("number:Q", title=axis, scale=alt.Scale(type="log"))
        y = alt.Y("count:Q", title=rows, scale=alt.Scale(type="log"), axis=alt.Axis(format="~s"))
    return bars.encode(x=x, y=y).properties(width=WIDTH, height=HEIGHT)


def _median(counts: Mapping[int, int]) -> int:
    """The number that half of all have at most.

    >>> _median({1: 2, 2: 1, 9: 2}), _median({1: 3, 9: 2})
    (2, 1)
    """
    numbers = sorted(counts)
    below = list(accumulate(counts[number] for number in numbers))
    return next(n for n, total in zip(numbers, below, strict=True) if 2 * total >= below[-1])


def chart_selectivity(result: WorkloadResult) -> Any:
    """The error of the estimate and half the width of the bounds, by the share that was asked about."""
    alt = altair()
    asked = result.answers.filter(
        pl.col("truth").is_not_null() & (pl.col("truth") != 0) & pl.col("estimate").is_not_null()
    )
    truth = pl.col("truth").abs()
    frame = pl.concat(
        asked.select(
            "selectivity",
            what=pl.lit(name),
            relative=expression.cast(pl.Float64).clip(SMALLEST_SHOWN),
        )
        for name, expression in {
            "error of the estimate": (pl.col("estimate") - pl.col("truth")).abs() / truth,
            "half the width of the bounds": (pl.col("upper") - pl.col("lower")) / truth / 2,
        }.items()
    )
    half = 0.0 if result.error is None else result.error.median
    finding = f"Half of the estimates are off by {half:.1%} or less"
    about = f"{result.queries:,} random {result.aggregate} questions, {result.method}"
    return (
        alt.Chart(records(frame), title=title(finding, about))
        .mark_circle(size=18, opacity=0.6)
        .encode(
            x=alt.X(
                "selectivity:Q", title="share of rows asked about", axis=alt.Axis(format="~%"),
                scale=alt.Scale(type="log"),
            ),
            y=alt.Y("relative:Q", title="relative to the truth", axis=alt.Axis(format="~%"),
                    scale=alt.Scale(type="log")),
            color=alt.Color("what:N", title=None, legend=alt.Legend(orient="bottom")),
        )
        .properties(width=WIDTH, height=HEIGHT)
    )  # fmt: skip
