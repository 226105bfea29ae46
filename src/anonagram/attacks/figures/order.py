"""Whether published rows stand as those of the original did."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonagram.attacks.figures.linkage import poisson_tail
from anonagram.columns.ranks import rank_correlation
from anonagram.microdata import Column, Microdata
from anonagram.registers.told_ranges import codes_in
from anonagram.release import Release

FEW = 3
"""Fewer different rows say nothing about an order."""
RARE = 0.25
"""Where fewer places agree by chance, they are counted as rare events are."""


@dataclass(frozen=True)
class Order:
    """The order of one table beside that of the original."""

    table: str
    agrees: NDArray[np.bool_]
    """For each place whether both have the same values there."""
    baseline: float
    """How often that happens in a random order."""
    correlation: float
    """Of the mean places of equal rows in both; 0 where there are too few different ones."""
    p_value: float
    """The chance of so much agreement, or so much correlation either way, in a random order."""

    @property
    def score(self) -> float:
        """The share of places at which both agree."""
        return float(self.agrees.mean())


def ordered_tables(release: Release, original: Microdata) -> dict[str, list[Column]]:
    """The tables that have a row for each person of the original, and the columns that both have."""
    count = release.manifest.layout.get("count")
    found = {
        name: [column for column in original.columns if column.name in table.columns]
        for name, table in release.tables.items()
        if table.height == original.rows and count not in table.columns  # counts are no rows
    }
    return {name: columns for name, columns in found.items() if columns}


def compare_order(release: Release, original: Microdata) -> tuple[Order, ...]:
    """The orders of all such tables."""
    found = []
    for name, columns in ordered_tables(release, original).items():
        table = release.tables[name]
        published = [_codes(column, table[column.name]) for column in columns]
        group = release.manifest.layout.get("group")
        # rows of a group come together, so that it is groups whose order was drawn
        drawn = table[group].n_unique() if group in table.columns else table.height
        found.append(_compare(name, [column.codes for column in columns], published, drawn))
    return tuple(found)


def _codes(column: Column, values: pl.Series) -> NDArray[np.int32]:
    """Published values in the original's codes; -1 for one that it does not have."""
    is_missing = values.is_null().to_numpy()
    return np.where(is_missing, len(column.domain), codes_in(column, values)).astype(np.int32)


def _compare(
    name: str, one: list[NDArray[np.int32]], two: list[NDArray[np.int32]], drawn: int
) -> Order:
    """Compare two tables, the second of which has so many rows or groups of which each stands apart."""
    rows = one[0].size
    both = [np.concatenate(pair) for pair in zip(one, two, strict=True)]
    frame = pl.DataFrame({str(place): codes for place, codes in enumerate(both)})
    kind = (
        frame.select(pl.struct(pl.all()).rank("dense")).to_series().to_numpy().astype(np.int64) - 1
    )
    first, second = kind[:rows], kind[rows:]
    agrees = first == second
    counts = [
        np.bincount(each, minlength=int(kind.max()) + 1).astype(float) for each in (first, second)
    ]
    expected = float((counts[0] * counts[1]).sum() / rows**2)
    correlation, different = _mean_places(first, second, counts)
    above = _above(int(agrees.sum()), rows, expected)
    free = max(min(different, drawn) - 1, 0)
    around = 2 * _tail(abs(correlation) * math.sqrt(free), 0.0, 1.0)
    return Order(name, agrees, expected, correlation, min(1.0, 2 * min(above, around)))


def _mean_places(
    first: NDArray[np.int64], second: NDArray[np.int64], counts: list[NDArray[np.float64]]
) -> tuple[float, int]:
    """The rank correlation of where each different row stands on average, and how many there are."""
    in_both = (counts[0] > 0) & (counts[1] > 0)
    if int(in_both.sum()) < FEW:
        return 0.0, 0
    places = np.arange(first.size, dtype=float)
    means = [
        np.bincount(each, places, in_both.size)[in_both] / count[in_both]
        for each, count in zip((first, second), counts, strict=True)
    ]
    ranks = [pl.Series(mean).rank().to_numpy() for mean in means]
    return rank_correlation(*ranks) or 0.0, int(in_both.sum())


def _above(agreeing: int, rows: int, expected: float) -> float:
    """The chance that so many places agree in a random order."""
    normal = _tail(float(agreeing), rows * expected, rows * expected * (1 - expected))
    # where a tenth of a place agrees on average, two that do are no six deviations
    return max(normal, poisson_tail(agreeing, rows * expected)) if expected < RARE else normal


def _tail(value: float, mean: float, variance: float) -> float:
    """The chance that a normal variable is at least so large; 1 where nothing varies."""
    if variance <= 0:
        return 1.0
    return 0.5 * math.erfc((value - mean) / math.sqrt(2 * variance))
