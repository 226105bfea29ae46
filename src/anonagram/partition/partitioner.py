"""What every way of making groups is given, and what it must give."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from anonagram.calls import Call
from anonagram.errors import CannotAnonymize
from anonagram.kernels.fill import merge_groups
from anonagram.kernels.permute import count_starts, sort_by_group
from anonagram.key import Key
from anonagram.microdata import Column, Microdata, on_scale
from anonagram.partition.feasibility import require_eligible
from anonagram.partition.partition import Partition

MISSING_POSITION = 2.0
"""Beyond the scale from 0 to 1: rows with a missing value are far from all others."""

Attributes = tuple[NDArray[np.bool_], NDArray[np.float64], NDArray[np.int64]]


class Partitioner(Call, home="anonagram.partition"):
    """A way to divide rows into groups in which no sensitive value fills more than 1/l.

    Without a sensitive column groups have at least l rows. With several, every one of them is
    l-diverse in every group.
    """

    noun = "partitioner"

    def divide(self, microdata: Microdata, l: int, key: Key) -> Partition:
        """The groups of a table."""
        sensitive = microdata.with_role("sensitive")
        for column in sensitive:
            require_eligible(column, l)
        if microdata.rows < l:
            raise CannotAnonymize(
                f"{microdata.label} has {microdata.rows} rows; a group needs {l}.",
                f"l = {microdata.rows} is the largest that works.",
            )
        rows = Rows.shuffled(microdata, key)
        group, count = self.group(rows, l, key)
        partition = rows.partition(group, count)
        return partition if len(sensitive) < 2 else _merged(rows, partition, l)

    @abstractmethod
    def group(self, rows: Rows, l: int, key: Key) -> tuple[NDArray[np.int32], int]:
        """A group for each of the rows, and how many groups; the first sensitive column decides."""


@dataclass(frozen=True)
class Rows:
    """The rows in a random order, as the kernels want them.

    The order is drawn from the key, so rows that a partitioner cannot tell apart are told apart by
    chance and not by where they stood in the input.
    """

    codes: NDArray[np.int32]
    """Quasi-identifiers, a row each."""
    sensitive: NDArray[np.int32]
    """Sensitive codes, the most unevenly spread column first; without one, all values differ."""
    rows: NDArray[np.int32]
    """Which input row each is."""
    values: int
    """More than any sensitive code."""
    attributes: Attributes
    """Of the quasi-identifiers: which are nominal, positions of all codes, where each one's begin."""

    @classmethod
    def shuffled(cls, microdata: Microdata, key: Key) -> Self:
        """The rows of a table in an order drawn from the key."""
        order = key.permutation("partition/rows", microdata.rows)
        quasi = microdata.with_role("quasi")
        sensitive = sorted(microdata.with_role("sensitive"), key=lambda c: -int(c.counts.max()))
        # without a sensitive column every row counts as a value of its own
        values = [column.codes for column in sensitive] or [
            np.arange(microdata.rows, dtype=np.int32)
        ]
        return cls(
            codes=side_by_side([column.codes for column in quasi], order),
            sensitive=side_by_side(values, order),
            rows=order,
            values=max([column.cardinality for column in sensitive] or [microdata.rows]),
            attributes=attributes_of(quasi),
        )

    def partition(self, group: NDArray[np.int32], count: int) -> Partition:
        """The partition of the input in which these rows have these groups."""
        group_of = np.empty_like(group)
        group_of[self.rows] = group
        return Partition(group_of, count)


def side_by_side(columns: list[NDArray[np.int32]], order: NDArray[np.int32]) -> NDArray[np.int32]:
    """The codes of several columns as a matrix, its rows in an order."""
    if not columns:
        return np.empty((order.size, 0), np.int32)
    # first side by side, then whole rows into their order: one far look a row, not one a cell
    return np.stack(columns, axis=1).take(order, axis=0)


def attributes_of(columns: list[Column]) -> Attributes:
    """Which columns are nominal, the positions of all codes, and where each column's begin."""
    positions = [code_positions(column) for column in columns]
    offsets = np.cumsum([0, *(each.size for each in positions)])
    is_nominal = np.array([column.kind == "nominal" for column in columns], np.bool_)
    return is_nominal, np.concatenate([*positions, np.zeros(0)]), offsets.astype(np.int64)


def code_positions(column: Column) -> NDArray[np.float64]:
    """Where each code stands between the lowest (0) and highest (1) value of its domain."""
    size = len(column.domain)
    places = np.arange(size, dtype=np.float64)
    if column.kind in ("numeric", "date"):
        places = on_scale(column.domain).to_numpy().astype(np.float64)
    elif size > 1:
        places /= size - 1
    return np.append(places, MISSING_POSITION) if column.has_missing else places


def _merged(rows: Rows, partition: Partition, l: int) -> Partition:
    """Groups joined until every sensitive column is l-diverse in all of them."""
    in_order = partition.group_of[rows.rows]
    starts = count_starts(in_order, partition.count)
    order = sort_by_group(np.arange(in_order.size, dtype=np.int32), in_order, starts)
    number, count = merge_groups(rows.sensitive, order, starts, l, rows.values)
    return Partition(number[partition.group_of], int(count))
