"""What an intruder who knows a person's group believes about her."""

from __future__ import annotations

import re

import numpy as np
import polars as pl

from anonagram.columns.cells import count_cells
from anonagram.measures.spread import Spread, Weighted
from anonagram.release import GroupedRelease
from anonagram.release.group_index import GroupIndex

NOTHING = pl.DataFrame(
    schema={"attribute": pl.String, "posterior": pl.Float64, "rows": pl.Int64}
)  # fmt: skip
"""The posteriors of a release in which nothing is sensitive."""


def row_posteriors(release: GroupedRelease) -> pl.DataFrame:
    """For each row the probability of its own sensitive value, c(v)/|G|, by sensitive attribute.

    The headline figure: columns attribute, posterior and rows, a line for each probability that
    occurs. It needs no original: c(v) rows of a group have the value v. Empty where nothing is
    sensitive.
    """
    frames = [
        _shares(counts).select(pl.lit(attribute).alias("attribute"), "posterior", "rows")
        for attribute, counts in release.sensitive_counts().items()
    ]
    return pl.concat([NOTHING, *frames]).sort("attribute", "posterior")


def posterior_references(release: GroupedRelease) -> dict[str, float]:
    """What these probabilities are compared with: the promise, and the guess without the release."""
    references = {}
    for claim in release.manifest.claims:
        if promised := re.fullmatch(r"l_diversity\(l=(\d+)\)", claim.model):
            references["promised, 1/l"] = 1 / int(promised[1])
    shares = [
        counts.group_by("value").agg(pl.col("count").sum())["count"]
        for counts in release.sensitive_counts().values()
    ]
    if shares:
        most = max(int(each.max()) / int(each.sum()) for each in shares)  # type: ignore[arg-type]
        references["most frequent value"] = most
    return references


def _shares(counts: pl.DataFrame) -> pl.DataFrame:
    """Each share of a group that a value has, and how many rows have such a value."""
    index, rows = GroupIndex.of(counts["group"]), counts["count"].to_numpy()
    most = int(rows.max(initial=0)) + 1
    cells, times = count_cells(index.sums(rows)[index.group_of] * most + rows)
    sizes, each = np.divmod(cells, most)
    return (
        pl.DataFrame({"posterior": each / sizes, "rows": each * times})
        .group_by("posterior")
        .agg(pl.col("rows").sum())
    )


def posterior_spread(release: GroupedRelease) -> Spread | None:
    """How those probabilities are spread over rows; None where nothing is sensitive."""
    posteriors = weighted(row_posteriors(release))
    return None if posteriors is None else posteriors.spread


def weighted(posteriors: pl.DataFrame | None) -> Weighted | None:
    """Probabilities and their rows; None where there are none."""
    if posteriors is None or posteriors.is_empty():
        return None
    return Weighted(posteriors["posterior"].to_numpy(), posteriors["rows"].to_numpy())


def tuple_posteriors(release: GroupedRelease) -> pl.DataFrame | None:
    """For each row the probability of rebuilding its whole tuple (Li et al. 2015, Theorem 1).

    c(v) / (|G| · Π distinct_i(G)). This is not what an intruder who knows the quasi-identifiers
    believes about the sensitive value; see `row_posteriors` for that. None where a group is not
    made of columns that were permuted each by itself.
    """
    distinct = release.distinct_values()
    if distinct is None:
        return None
    frames = []
    for attribute, counts in release.sensitive_counts().items():
        # without a sensitive column the attribute is itself one of the quasi-identifiers
        others = pl.exclude("group", f"distinct:{attribute}")
        tuples = distinct.select(
            "group", pl.fold(pl.lit(1.0), lambda a, b: a * b, others).alias("tuples")
        )
        shares = counts.with_columns(pl.col("count").sum().over("group").alias("size"))
        joined = shares.join(tuples, on="group")
        frames.append(
            joined.select(
                pl.lit(attribute).alias("attribute"),
                (pl.col("count") / pl.col("size") / pl.col("tuples")).alias("posterior"),
                pl.col("count").alias("rows"),
            )
        )
    return pl.concat(frames)
