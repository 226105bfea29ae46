"""Microaggregation: near records become their mean."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Annotated

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonagram.calls import AtLeast, require
from anonagram.errors import CannotAnonymize
from anonagram.kernels.microaggregate import cut_blocks, group_mdav
from anonagram.key import Key
from anonagram.methods.masking import (
    Columns,
    MaskingMethod,
    from_numbers,
    mean_and_deviation,
    numbers_of,
)
from anonagram.microdata import Column, Microdata
from anonagram.models import PrivacyModel
from anonagram.models.k_anonymity import KAnonymity
from anonagram.partition import AnyRows, Division, Neighbourhoods, Size
from anonagram.release import CHANGED
from anonagram.runtime.threads import in_threads
from anonagram.shown.wording import how_many


@dataclass(frozen=True, repr=False)
class Microaggregation(MaskingMethod, call="microaggregation", example="microaggregation(k=3)"):
    """MDAV (Domingo-Ferrer and Torra 2005): groups of k near records, each replaced by its mean.

    Distances are over all masked columns together, in standard deviations. Comparing all records
    takes time that grows with the square of their number; larger tables are first cut into blocks
    of near records. Where all quasi-identifiers are masked, the release is k-anonymous.

    >>> from anonagram import Microdata
    >>> table = {"age": [20, 22, 24, 60, 62, 64], "pay": [1, 2, 3, 4, 5, 6]}
    >>> data = Microdata.read(table, {"age": "quasi", "pay": "plain"})
    >>> Microaggregation(k=3).anonymize(data).rows["age"].sort().to_list()
    [22, 22, 22, 62, 62, 62]
    """

    k: Annotated[int, AtLeast(2)] = 3
    """Records of a group; none has fewer, none as many as twice of it."""
    block: Annotated[int, AtLeast(0)] = 1000
    """Rows up to which all are compared with each other; 0 for always (plain MDAV)."""
    columns: Columns = "quasi"
    """Which columns: quasi, sensitive, both, or a list of names."""
    how = CHANGED
    needs_numbers = True
    strength = "k"
    strengths = (2, 3, 4, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500, 1000)

    def __post_init__(self) -> None:
        super().__post_init__()
        require(
            self.block == 0 or self.block >= 2 * self.k,
            f"microaggregation: a block of {how_many(self.block, 'row')} is too small for k = {self.k}.",
            f"block={10 * self.k}.",
        )

    def division(self, table: Microdata) -> Division:
        """Neighbourhoods of at least k rows; where quasi-identifiers are not masked, any such rows."""
        masked = {column.name for column in self.chosen(table)}
        quasi = {column.name for column in table.with_role("quasi")}
        return Neighbourhoods(Size(self.k)) if quasi and quasi <= masked else AnyRows(self.k)

    def promises(self, microdata: Microdata) -> tuple[PrivacyModel, ...]:
        """k-anonymity, where all quasi-identifiers are masked."""
        masked = {column.name for column in self.chosen(microdata)}
        quasi = {column.name for column in microdata.with_role("quasi")}
        return (KAnonymity(self.k),) if quasi and quasi <= masked else ()

    def fits(self, strength: float, microdata: Microdata) -> bool:
        """Whether there are two groups of so many rows, in every block."""
        rows = min(self.block or microdata.rows, microdata.rows)
        return 2 * strength <= rows

    def mask(self, chosen: list[Column], microdata: Microdata, key: Key) -> list[pl.Series]:
        """Group the rows, and put each group's mean in the place of its values."""
        if microdata.rows < self.k:
            raise CannotAnonymize(
                f"A group needs {how_many(self.k, 'row')}; the table has {microdata.rows}.",
                f"k = {microdata.rows} is the largest that works.",
            )
        values = [numbers_of(column) for column in chosen]
        points = np.column_stack(
            [_standard(each, column) for each, column in zip(values, chosen, strict=True)]
        )
        group_of, groups = self._groups(points, key)

        def average(column: Column, each: NDArray[np.float64]) -> pl.Series:
            there = np.isfinite(each)
            counts = np.bincount(group_of[there], minlength=groups)
            sums = np.bincount(group_of[there], weights=each[there], minlength=groups)
            means = np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)
            return from_numbers(means[group_of], column)

        return in_threads(average, list(zip(chosen, values, strict=True)))

    def _groups(self, points: NDArray[np.float64], key: Key) -> tuple[NDArray[np.int32], int]:
        rows = key.permutation(f"{self!r}/rows of groups", len(points))
        starts = np.array([0, rows.size])
        if self.block and rows.size > self.block:
            starts = cut_blocks(points, rows, self.block)
        group_of = np.empty(rows.size, np.int32)
        # a block of b rows has at most b / k groups, so their numbers cannot meet
        in_threads(
            group_mdav,
            [
                (points, rows[first:last], self.k, group_of, first // self.k)
                for first, last in pairwise(starts.tolist())
            ],
        )
        used, number = np.unique(group_of, return_inverse=True)
        return number.astype(np.int32), used.size


def _standard(values: NDArray[np.float64], column: Column) -> NDArray[np.float64]:
    """Away from the mean in standard deviations of the whole table; a missing value is at the mean."""
    mean, deviation = mean_and_deviation(column)
    away = (values - mean) / (deviation or 1.0)
    return np.where(np.isnan(away), 0.0, away)
