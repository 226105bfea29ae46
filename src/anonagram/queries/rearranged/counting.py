"""Answers from hits that a database in this process has counted, by compiled passes over groups."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonagram.columns.rounding import EXACT_IN_DOUBLE, MARGIN, MEAN_ROUNDING, ROUNDING
from anonagram.kernels.hits import bound_counts, bound_sums, count_hits, sum_in_groups
from anonagram.queries.fields import FIELDS
from anonagram.runtime.threads import in_threads

LARGEST_TABLE = 1 << 26
"""Keys times groups beyond which hits are better counted by the database."""
LARGEST_SUM = 1 << 62
LARGEST_FLOAT = 1e150
"""Sums beyond this have squares that no float holds."""
SMALL = 1 << 31
SPANS = 8
"""Groups are summed in so many pieces on any machine, so that rounding is the same on all."""


class CannotCount(Exception):
    """The hits are better counted by the database."""


@dataclass(frozen=True)
class Values:
    """A column without missing values, sorted inside its groups."""

    starts: NDArray[Any]
    sums: NDArray[Any]
    """Group after group: the sum of its smallest 1, 2, … values."""
    means: NDArray[np.float64]
    spreads: NDArray[np.float64]
    """The variance of each group of N over N - 1."""
    sizes: NDArray[np.float64]
    """The sum of each group's absolute values, for rounding; empty for whole numbers."""

    @classmethod
    def sort(cls, groups: pl.Series, values: pl.Series, weights: pl.Series | None) -> Self:
        """Sort a column whose rows stand for as many people as their weights say."""
        if values.dtype == pl.Int128:
            raise CannotCount
        table = pl.DataFrame({"g": groups, "x": values})
        if weights is not None and weights.max() != 1:
            repeated = table.with_columns(pl.col("x").repeat_by(weights))
            table = repeated.explode("x")
        table = table.sort("g", "x")
        counts = group_sizes(table["g"].to_numpy())
        x = table["x"].to_numpy()
        is_whole = np.issubdtype(x.dtype, np.integer)
        if is_whole and float(np.abs(x.astype(np.float64)).max()) * x.size >= LARGEST_SUM:
            raise CannotCount
        x = x.astype(np.int64 if is_whole else np.float64)
        if not is_whole and float(np.abs(x).max()) * x.size > LARGEST_FLOAT:
            raise CannotCount
        firsts = np.concatenate([[0], np.cumsum(counts)[:-1]])
        means = np.add.reduceat(x, firsts) / counts
        starts = np.append(firsts, x.size)
        sums, sizes = sum_in_groups(x, starts), np.zeros(0)
        if not is_whole:
            sizes = np.add.reduceat(np.abs(x), firsts)
        else:
            sums = sums.astype(_smallest(sums))
        squares = np.add.reduceat((x - np.repeat(means, counts)) ** 2, firsts)
        spreads = squares / (counts * np.maximum(counts - 1, 1))
        starts = starts.astype(np.int32 if x.size < SMALL else np.int64)
        return cls(starts, sums, means, spreads, sizes)


def _smallest(sums: NDArray[np.int64]) -> type[np.signedinteger[Any]]:
    """The shortest type that holds whole numbers: the less there is to read, the faster."""
    largest = int(np.abs(sums).max())
    return np.int16 if largest < 1 << 15 else np.int32 if largest < SMALL else np.int64


def group_sizes(groups: NDArray[Any]) -> NDArray[np.int64]:
    """The rows of groups that are numbered from 1 without a gap."""
    if groups.size == 0 or groups.min() != 1:
        raise CannotCount
    counts = np.bincount(groups)[1:].astype(np.int64)
    if (counts == 0).any():
        raise CannotCount
    return counts


def count_rows(rows: pl.DataFrame, sizes: NDArray[np.int64]) -> tuple[pl.DataFrame, NDArray[Any]]:
    """The different keys among rows with a group, a weight and keys, and hits[key, group]."""
    names = [name for name in rows.columns if name not in ("g", "w")]
    keys = pl.DataFrame({"number": [0]})
    if names:
        keys = rows.select(names).unique().with_row_index("number")
        rows = rows.join(keys, on=names, how="left", nulls_equal=True, maintain_order="left")
    if keys.height * sizes.size > LARGEST_TABLE:
        raise CannotCount
    # no group has more hits than rows
    hits = np.zeros((keys.height, sizes.size), np.uint8 if sizes.max() < 256 else np.int32)
    nothing = np.zeros(0, np.int32)
    numbers = rows["number"].cast(pl.Int32).to_numpy() if names else nothing
    weights = rows["w"].cast(pl.Int32).to_numpy() if "w" in rows else nothing
    # without keys and weights as they lie in memory, so that nothing is copied
    pieces = [rows["g"]] if names or "w" in rows else rows["g"].get_chunks()
    for groups in pieces:
        count_hits(groups.to_numpy(), numbers, weights, hits)
    return keys.drop("number"), hits


def total_counts(
    hits: NDArray[Any], others: NDArray[Any], sizes: NDArray[np.int64]
) -> dict[str, Any]:
    """The fields of COUNT(*)."""
    found = in_threads(bound_counts, [(hits, others, sizes, *span) for span in _spans(sizes.size)])
    expected, variance, low, high = (np.sum(each, axis=0) for each in zip(*found, strict=True))
    fields = (expected, low, high, variance, np.ones(low.size))
    return dict(zip(FIELDS, fields, strict=True))


def total_sums(function: str, hits: NDArray[Any], values: Values) -> dict[str, Any]:
    """The fields of a COUNT, SUM or AVG of a column; NULL where nobody is asked about."""
    kind = np.float64 if values.sums.dtype == np.float64 else np.int64

    def work(first: int, end: int) -> tuple[NDArray[Any], ...]:
        low, high = np.zeros(hits.shape[0], kind), np.zeros(hits.shape[0], kind)
        arrays = (values.starts, values.sums, values.means, values.spreads, values.sizes)
        rest = bound_sums(hits, *arrays, low, high, first, end)
        return low, high, *rest

    found = in_threads(work, _spans(values.starts.size - 1))
    low, high, total, expected, variance, size = (
        np.sum(each, axis=0) for each in zip(*found, strict=True)
    )
    if function == "COUNT":
        exact = (total.astype(np.float64), total, total, np.zeros(total.size), np.ones(total.size))
        return dict(zip(FIELDS, exact, strict=True))
    slack = size * ((int(values.starts[-1]) + MARGIN) * ROUNDING)
    divisor = np.ones(total.size) if function == "SUM" else np.maximum(total, 1).astype(np.float64)
    if function == "AVG" and kind == np.int64:
        slack = _mean_slack(low, high)
    if function == "AVG":
        low, high = low / divisor, high / divisor
    if slack.any():
        low, high = low - slack / divisor, high + slack / divisor
    nobody = pl.Series(total == 0)
    fields = (expected / divisor, low, high, variance / divisor**2, total)
    return {
        name: pl.Series(each).set(nobody, None) for name, each in zip(FIELDS, fields, strict=True)
    }


def _mean_slack(low: NDArray[np.int64], high: NDArray[np.int64]) -> NDArray[np.float64]:
    """By how much sums are off when a double that is divided cannot hold them."""
    largest = np.maximum(np.abs(low.astype(np.float64)), np.abs(high.astype(np.float64)))
    return np.where(largest < EXACT_IN_DOUBLE, 0.0, largest * MEAN_ROUNDING)


def _spans(groups: int) -> Sequence[tuple[int, int]]:
    edges = np.linspace(0, groups, SPANS + 1).astype(int).tolist()
    return list(itertools.pairwise(edges))
