"""What a group alone tells of a sensitive column: how often each value occurs in it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonagram.columns.encoding import dictionary
from anonagram.release import GroupedRelease
from anonagram.release.group_index import GroupIndex

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]


@dataclass(frozen=True)
class GroupValues:
    """The values of each group one behind the other, the most frequent first; an entry each.

    >>> values = GroupValues.of("ill", pl.Series([7, 7, 9]), pl.Series(["a", "b", "b"]), np.array([1, 3, 2]))
    >>> values.codes.tolist(), values.counts.tolist(), values.starts.tolist()
    ([1, 0, 1], [3, 1, 2], [0, 2, 3])
    >>> values.shares.tolist(), values.priors.round(2).tolist()
    ([0.75, 0.25, 1.0], [0.83, 0.17, 0.83])
    """

    column: str
    domain: pl.Series
    """The values; a code behind the last stands for a missing one."""
    group_of: NDArray[np.int32]
    """The group of each entry, from 0 in the order of their numbers."""
    codes: NDArray[np.int32]
    counts: Counts

    @classmethod
    def of(cls, column: str, groups: pl.Series, values: pl.Series, counts: Counts) -> Self:
        """Lay counts of values in groups out, which stand in any order."""
        codes, domain = dictionary(values)
        group_of = GroupIndex.of(groups).group_of
        order = np.lexsort((codes, -counts, group_of))
        return cls(column, domain, group_of[order], codes[order], counts[order])

    @classmethod
    def all_of(cls, release: GroupedRelease) -> list[Self]:
        """Those of each sensitive column."""
        counted = release.sensitive_counts()
        return [
            cls.of(name, table["group"], table["value"], table["count"].cast(pl.Int64).to_numpy())
            for name, table in counted.items()
            if name in release.manifest.named("sensitive")
        ]

    @cached_property
    def starts(self) -> Counts:
        """Where the entries of each group begin, and the end of the last."""
        groups = int(self.group_of[-1]) + 1
        return np.searchsorted(self.group_of, np.arange(groups + 1)).astype(np.int64)

    @cached_property
    def sizes(self) -> Counts:
        """The rows of each group."""
        return np.add.reduceat(self.counts, self.starts[:-1])

    @property
    def rows(self) -> int:
        """The rows of all groups."""
        return int(self.counts.sum())

    @cached_property
    def totals(self) -> Counts:
        """How often each code occurs in the whole release."""
        return np.bincount(self.codes, self.counts, len(self.domain) + 1).astype(np.int64)

    @cached_property
    def shares(self) -> Floats:
        """For each entry its share of the group."""
        return self.counts / self.sizes[self.group_of]

    @cached_property
    def priors(self) -> Floats:
        """For each entry its value's share of the whole release."""
        return self.totals[self.codes] / self.rows

    @cached_property
    def places(self) -> Counts:
        """For each entry how many of its group are at least as frequent and stand before it."""
        return np.arange(self.codes.size) - self.starts[self.group_of]

    def by_row(self, of_entries: NDArray[np.generic]) -> Floats:
        """What holds of entries, a number for each row; rows stand by group."""
        return np.repeat(of_entries.astype(np.float64), self.counts)

    def rows_in(self, groups: NDArray[np.bool_]) -> int:
        """How many rows some groups have."""
        return int(self.sizes[groups].sum())

    def text(self, code: int) -> str:
        """A value as sentences show it."""
        return repr(self.domain[int(code)]) if code < len(self.domain) else "a missing value"

    def merged(self, classes: NDArray[np.int64], names: pl.Series) -> Self:
        """The same groups with classes of values in place of values; a class for each code."""
        size = len(names) + 1
        cells = self.group_of.astype(np.int64) * size + classes[self.codes]
        found, place = np.unique(cells, return_inverse=True)
        counts = np.bincount(place, self.counts).astype(np.int64)
        group_of, codes = (found // size).astype(np.int32), (found % size).astype(np.int32)
        order = np.lexsort((codes, -counts, group_of))
        return type(self)(self.column, names, group_of[order], codes[order], counts[order])
