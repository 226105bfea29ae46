"""The levels of a column: which of its values are told apart at each of them.

>>> from anonagram import Microdata
>>> rule = {"role": "quasi", "hierarchy": "intervals(width=10, levels=2)"}
>>> data = Microdata.read({"age": [31, 38, 47, None]}, {"age": rule})
>>> ladder = Ladder.of(data.column("age"))
>>> [ladder.labels(level) for level in range(3)]
[['31', '38', '47', None], ['[30, 40)', '[30, 40)', '[40, 50)', None], ['*', '*', '*', '*']]
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from anonagram.columns.hierarchy import ANYTHING, Hierarchy, value_texts
from anonagram.columns.proposals import proposed
from anonagram.microdata import Column, Microdata

Label = str | None


@dataclass(frozen=True)
class Ladder:
    """A column and its levels; a missing value stands alone below the last."""

    column: Column
    hierarchy: Hierarchy
    numbers: tuple[int, ...]
    """The levels of the hierarchy that tell values apart otherwise than the one before."""
    ids: tuple[NDArray[np.int32], ...]
    """For each of them which label each code has, from 0."""
    _leaves: tuple[NDArray[np.float64], ...]
    """For each of them how many of the hierarchy's values have the label of each value."""

    @classmethod
    def of(cls, column: Column) -> Ladder:
        """The levels of a column's hierarchy, or of one that suits its values."""
        hierarchy = column.hierarchy or proposed(column.domain, column.kind).rule.over(
            column.name, column.domain
        )
        hierarchy = _topped(hierarchy)
        rows = np.array(hierarchy.rows_of(value_texts(column.domain)), np.intp)
        numbers: list[int] = []
        ids: list[NDArray[np.int32]] = []
        leaves: list[NDArray[np.float64]] = []
        for number, level in enumerate(hierarchy.levels):
            labels = _numbered(level)
            found = _from_first(labels[rows])
            if column.has_missing:
                is_last = number == hierarchy.height
                found = np.append(found, 0 if is_last else found.max(initial=-1) + 1)
            if ids and np.array_equal(found, ids[-1]):
                continue
            numbers.append(number)
            ids.append(found)
            leaves.append(np.bincount(labels)[labels[rows]].astype(np.float64))
        return cls(column, hierarchy, tuple(numbers), tuple(ids), tuple(leaves))

    @property
    def height(self) -> int:
        """The number of the last level."""
        return len(self.ids) - 1

    def labels(self, level: int) -> list[Label]:
        """What each code is called at a level; a missing value has no label of its own.

        A value that could be taken for a label has a backslash in front of it, and so has one that
        begins with a backslash.
        """
        if level == self.height and level > 0:
            return [ANYTHING] * self.column.cardinality
        named: list[Label] = [self._label(row, level) for row in self._rows]
        return [*named, None] if self.column.has_missing else named

    def _label(self, row: int, level: int) -> str:
        label = self.hierarchy.levels[self.numbers[level]][row]
        value = self.hierarchy.values[row]
        is_value = label == value and self._covers_one(row, level)
        return escaped(label, self._names) if is_value else label

    def _covers_one(self, row: int, level: int) -> bool:
        label = self.hierarchy.levels[self.numbers[level]][row]
        return self.hierarchy.leaves(self.numbers[level])[label] == 1

    @cached_property
    def _rows(self) -> list[int]:
        return self.hierarchy.rows_of(value_texts(self.column.domain))

    @cached_property
    def _names(self) -> frozenset[str]:
        """Labels of several values at any level."""
        return frozenset(
            label
            for number in range(1, self.hierarchy.height + 1)
            for label, leaves in self.hierarchy.leaves(number).items()
            if leaves > 1
        )

    def leaves(self, level: int) -> NDArray[np.float64]:
        """How many of the hierarchy's values have the label of each code; a missing one is one."""
        if level == self.height and level > 0:
            return np.full(self.column.cardinality, float(self.size))
        found = self._leaves[level]
        return np.append(found, 1.0) if self.column.has_missing else found

    @property
    def size(self) -> int:
        """How many values the hierarchy has."""
        return len(self.hierarchy.values) + self.column.has_missing


def escaped(value: str, labels: frozenset[str] = frozenset()) -> str:
    r"""A value as a label that cannot be taken for another one.

    >>> [escaped(each, frozenset({"Europe"})) for each in ("Spain", "*", "Europe", "\\")]
    ['Spain', '\\*', '\\Europe', '\\\\']
    """
    is_mistaken = value == ANYTHING or value in labels or value.startswith("\\")
    return f"\\{value}" if is_mistaken else value


def _topped(hierarchy: Hierarchy) -> Hierarchy:
    """The hierarchy with a last level at which all values are one."""
    if len(set(hierarchy.levels[-1])) == 1 and hierarchy.height > 0:
        return hierarchy
    top = (ANYTHING,) * len(hierarchy.values)
    return Hierarchy(hierarchy.attribute, (*hierarchy.levels, top))


def _numbered(labels: Sequence[str]) -> NDArray[np.int32]:
    """Labels as numbers, the same for the same."""
    known = {label: number for number, label in enumerate(dict.fromkeys(labels))}
    return np.fromiter(map(known.__getitem__, labels), np.int32, len(labels))


def _from_first(numbers: NDArray[np.int32]) -> NDArray[np.int32]:
    """Numbers anew, in the order in which they first occur."""
    first = np.full(numbers.max(initial=-1) + 1, numbers.size)
    first[numbers[::-1]] = np.arange(numbers.size - 1, -1, -1)
    anew = np.empty(first.size, np.int32)
    anew[np.argsort(first, kind="stable")] = np.arange(first.size)
    return anew[numbers]


def ladders_of(microdata: Microdata) -> list[Ladder]:
    """The levels of every quasi-identifier."""
    return [Ladder.of(column) for column in microdata.with_role("quasi")]
