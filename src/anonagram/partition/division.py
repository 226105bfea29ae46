"""Which rows of a table can be worked on apart: one small statement of a method, and where it cuts.

A division is planned from what is known of the whole table (the counts of every value) and from a
sample of its rows. What it finds is a tree of cuts, so that the block of a row depends on that row
alone, wherever it is. A sample proves nothing: which leaves can be blocks is decided by exact counts.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anonagram.kernels.cuts import Attributes, find_border, find_widths, room_for_extents
from anonagram.microdata import Column, Microdata
from anonagram.partition.cuts import Cuts, Tree, cut_by_hash
from anonagram.partition.partitioner import attributes_of
from anonagram.partition.requirements import Requirement, Spread
from anonagram.partition.requirements.requirement import Counted, require_rows

TOO_LARGE = 2
"""A part of more than so many times the wanted rows is cut by hashes where no attribute cuts it."""


@dataclass(frozen=True)
class Cutting:
    """Where a table is cut, before anybody knows which leaves can be blocks."""

    tree: Tree
    leaves: int
    near: Tree | None = None
    """The part of the tree whose neighbours are joined, where it is not all of it."""

    @property
    def cuts(self) -> Cuts:
        """The function from a row to its leaf."""
        return Cuts.of(self.tree, self.leaves)

    @property
    def neighbours(self) -> Tree:
        """The tree in which leaves that cannot be blocks look for others."""
        return self.tree if self.near is None else self.near


class Division(ABC):
    """Which rows can be apart."""

    @abstractmethod
    def require_possible(self, table: Microdata) -> None:
        """Refuse a table of which even the whole is no block."""

    @abstractmethod
    def cut(self, sample: Microdata, rows: int, most: int) -> Cutting:
        """Cut a table of so many rows into parts of about `most`; the sample has some of its rows."""

    @abstractmethod
    def proven(self, table: Microdata) -> list[Column]:
        """The columns whose counts decide whether leaves are a block."""

    @abstractmethod
    def is_block(self, rows: int, counted: Sequence[Counted], needs: Any) -> bool:
        """Whether rows with these counts can be worked on apart."""

    def needs(self, table: Microdata) -> Any:  # noqa: ARG002
        """What `is_block` has to know of the table's columns."""
        return None


@dataclass(frozen=True)
class AnyRows(Division):
    """Blocks of any rows, whoever they are."""

    least: int = 1
    """A block has at least so many."""

    def require_possible(self, table: Microdata) -> None:
        """Refuse a table of fewer."""
        require_rows(table, self.least, "k")

    def cut(self, sample: Microdata, rows: int, most: int) -> Cutting:  # noqa: ARG002
        """By their hashes alone."""
        leaves = -(-rows // most)
        return Cutting(cut_by_hash(range(leaves)), leaves)

    def proven(self, table: Microdata) -> list[Column]:  # noqa: ARG002
        """None."""
        return []

    def is_block(self, rows: int, counted: Sequence[Counted], needs: Any) -> bool:  # noqa: ARG002
        """Whoever they are, if there are enough."""
        return rows >= self.least


@dataclass(frozen=True)
class Neighbourhoods(Division):
    """Neighbourhoods that each fulfil a requirement as one group, so that they can be divided."""

    requirement: Requirement

    def require_possible(self, table: Microdata) -> None:
        """Refuse what the requirement refuses."""
        self.requirement.require_possible(table)

    def cut(self, sample: Microdata, rows: int, most: int) -> Cutting:
        """Cut the widest attribute at its median, again and again, as groups of neighbours are."""
        return _SampleCut.of(self, sample, rows, most).cutting()

    def proven(self, table: Microdata) -> list[Column]:
        """What is sensitive, where the requirement is about it."""
        return table.with_role("sensitive") if self.requirement.about_values else []

    def is_block(self, rows: int, counted: Sequence[Counted], needs: Any) -> bool:
        """Whether they could be a group."""
        return self.requirement.is_met(needs, rows, counted)

    def needs(self, table: Microdata) -> Any:
        """What the requirement needs of the sensitive columns."""
        return self.requirement.needs(self.proven(table))


@dataclass(frozen=True)
class ValueRuns(Neighbourhoods):
    """Runs of neighbouring values that are each (k,e)."""

    requirement: Spread

    def cut(self, sample: Microdata, rows: int, most: int) -> Cutting:  # noqa: ARG002
        """Cut the first sensitive column, all of whose counts are known.

        Rows without a value, which count for nothing, are dealt to all runs by their hashes.
        """
        column = sample.with_role("sensitive")[0]
        place = [each.name for each in sample.columns].index(column.name)
        counts = column.counts_in_table
        known = len(column.domain)
        ends = _good_runs(counts[:known], self.requirement.reach(column), most)
        starts = [0, *(end + 1 for end in ends[:-1])]
        leaves, runs = 0, []
        for first, end in zip(starts, ends, strict=True):
            size = int(counts[first : end + 1].sum())
            parts = -(-size // most) if size > TOO_LARGE * most else 1
            runs.append(cut_by_hash(range(leaves, leaves + parts)))
            leaves += parts
        tree = _in_halves(place, runs, ends)
        if not (column.has_missing and counts[known]):
            return Cutting(tree, leaves)
        dealt = cut_by_hash(range(leaves))
        return Cutting((place, known - 1, tree, dealt), leaves, near=tree)


def _good_runs(counts: NDArray[np.int64], reach: NDArray[np.int32], most: int) -> list[int]:
    """The last code of each run of about so many rows that can have enough values, far apart."""
    upto, ends, first, reached = np.cumsum(counts), [], 0, 0
    while first < counts.size:
        full = int(np.searchsorted(upto, reached + most))
        last = max(full, int(reach[first]))
        # what comes behind it must be a run as well
        if last + 1 >= counts.size or reach[last + 1] >= counts.size:
            last = counts.size - 1
        ends.append(last)
        first, reached = last + 1, int(upto[last])
    return ends


def _in_halves(place: int, runs: Sequence[Tree], ends: Sequence[int]) -> Tree:
    """Runs of codes as a tree: those up to the middle one's last code go left."""
    if len(runs) == 1:
        return runs[0]
    middle = len(runs) // 2
    left, right = (
        _in_halves(place, runs[:middle], ends[:middle]),
        _in_halves(place, runs[middle:], ends[middle:]),
    )
    return (place, ends[middle - 1], left, right)


@dataclass
class _SampleCut:
    """The cutting of a sample."""

    division: Neighbourhoods
    codes: NDArray[np.int32]
    """Quasi-identifiers of the sample, a row each."""
    places: list[int]
    """Where each of them stands among all columns."""
    values: list[NDArray[np.int32]]
    attributes: Attributes
    needs: Any
    weight: float
    """How many rows of the table each of the sample stands for."""
    most: int
    leaves: int = field(default=0)

    @classmethod
    def of(cls, division: Neighbourhoods, sample: Microdata, rows: int, most: int) -> _SampleCut:
        quasi = sample.with_role("quasi")
        names = [column.name for column in sample.columns]
        return cls(
            division,
            np.stack([column.codes for column in quasi], axis=1),
            [names.index(column.name) for column in quasi],
            [column.codes for column in division.proven(sample)],
            attributes_of(quasi),
            division.needs(sample),
            rows / max(sample.rows, 1),
            most,
        )

    def cutting(self) -> Cutting:
        tree = self._cut(np.arange(self.codes.shape[0]))
        return Cutting(tree, self.leaves)

    def _cut(self, rows: NDArray[np.int64]) -> Tree:
        size = rows.size * self.weight
        if size <= self.most:
            return self._leaf(1)
        codes = np.ascontiguousarray(self.codes[rows])
        extents = room_for_extents(codes.shape[1])
        find_widths(codes, 0, rows.size, self.attributes, extents)
        low, high, width = extents.low, extents.high, extents.width
        room = np.zeros(int(np.diff(self.attributes.offset).max()) + 2, np.int64)
        order = np.empty(rows.size, np.int32)
        for attribute in np.argsort(-width, kind="stable"):
            if width[attribute] <= 0:
                break
            border = find_border(
                codes, 0, rows.size, attribute, low[attribute], high[attribute], room, order
            )
            is_left = codes[:, attribute] <= border.code
            left, right = rows[is_left], rows[~is_left]
            if self._is_likely(left) and self._is_likely(right):
                cut = (self.places[attribute], int(border.code))
                return (*cut, self._cut(left), self._cut(right))
        return self._leaf(-(-int(size) // self.most) if size > TOO_LARGE * self.most else 1)

    def _leaf(self, parts: int) -> Tree:
        numbers = range(self.leaves, self.leaves + parts)
        self.leaves += parts
        return cut_by_hash(numbers)

    def _is_likely(self, rows: NDArray[np.int64]) -> bool:
        """Whether a part can probably be a block, as its sample is."""
        counted = [Counted(*np.unique(codes[rows], return_counts=True)) for codes in self.values]
        return rows.size > 0 and self.division.is_block(rows.size, counted, self.needs)
