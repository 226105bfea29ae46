"""What every way of making groups is given, and what it must give."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, ClassVar, NamedTuple, Self, final

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonagram.calls import Call
from anonagram.columns.places import is_measured, on_scale
from anonagram.errors import CallError, suggest
from anonagram.kernels.cuts import Attributes
from anonagram.kernels.fill import merge_groups
from anonagram.kernels.permute import count_starts, sort_by_group
from anonagram.key import Key
from anonagram.microdata import Column, Microdata
from anonagram.partition.partition import Partition
from anonagram.partition.requirements import Diversity, Requirement, Size
from anonagram.runtime.threads import in_threads

PIECES = 4
"""Into which rows are cut while they are put into an order."""
MISSING_POSITION = 2.0
"""Beyond the scale from 0 to 1: rows with a missing value are far from all others."""


class Partitioner(Call, home="anonagram.partition"):
    """A way to divide rows into groups that fulfil a requirement."""

    noun = "partitioner"

    makes: ClassVar[tuple[type[Requirement], ...]]
    """The requirements that its groups can fulfil."""
    blind: ClassVar[bool] = False
    """Whether it never looks at quasi-identifiers: of the rows of a value any is as likely in a group."""

    @classmethod
    def making(cls, text: str, requirement: type[Requirement]) -> Self:
        """Read the call of a partitioner that can fulfil a requirement."""
        partitioner = cls.parse(text)
        if not issubclass(requirement, partitioner.makes):
            raise CallError(
                f"There is no {requirement.makes} partitioner called {partitioner.call!r}.",
                suggest(partitioner.call, cls.makers(requirement)),
            )
        return partitioner

    @classmethod
    def makers(cls, requirement: type[Requirement]) -> dict[str, type[Self]]:
        """Those whose groups can fulfil a requirement, by name."""
        return {n: each for n, each in cls.known().items() if issubclass(requirement, each.makes)}

    @final
    def divide(self, microdata: Microdata, requirement: Requirement, key: Key) -> Partition:
        """The groups of a table, each of which fulfils the requirement."""
        if not isinstance(requirement, self.makes):
            made = ", ".join(each.call or each.__name__ for each in self.makes)
            raise CallError(
                f"{self.call} cannot make groups for {requirement!r}, only for: {made}.",
                "neighbours fulfils any requirement.",
            )
        requirement.require_possible(microdata)
        return self.make(microdata, requirement, key)

    @abstractmethod
    def make(self, microdata: Microdata, requirement: Any, key: Key) -> Partition:
        """The groups of a table that can be divided, for a requirement of one of its kinds."""


@dataclass(frozen=True)
class GroupsFor:
    """A rule for parameters that are calls of partitioners, for a requirement."""

    requirement: type[Requirement]

    def fits(self, value: Any) -> bool:
        """Whether it can be read and used; what is wrong with it is said by the family."""
        Partitioner.making(value, self.requirement)
        return True

    def words(self, kind: str) -> str:  # noqa: ARG002
        """As messages say it."""
        makers = Partitioner.makers(self.requirement)
        return f"the text of a call such as {next(iter(makers.values())).example}"


class Grouped(NamedTuple):
    """Groups of shuffled rows."""

    group_of: NDArray[np.int32]
    """The group of each of them, from 0."""
    groups: int


class RowPartitioner(Partitioner):
    """One that looks at rows in a random order.

    Where the requirement is diversity, the first sensitive column decides, and groups are joined
    until the others are diverse too.
    """

    makes: ClassVar[tuple[type[Requirement], ...]] = (Diversity, Size)

    def make(self, microdata: Microdata, requirement: Requirement, key: Key) -> Partition:
        """Shuffle the rows, group them, and find every row of the table again."""
        rows = self.look(microdata, requirement, key)
        partition = rows.partition(self.group(rows, key))
        if not isinstance(requirement, Diversity) or rows.sensitive.shape[1] < 2:
            return partition
        return _merged(rows, partition, requirement.l)

    def look(self, microdata: Microdata, requirement: Requirement, key: Key) -> Rows:
        """The rows as this way of making groups sees them."""
        return Rows.shuffled(microdata, requirement, key)

    @abstractmethod
    def group(self, rows: Rows, key: Key) -> Grouped:
        """A group for each of the rows."""


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
    needs: Any
    """What kernels test of a group."""
    least: int
    """A group has at least so many rows."""

    @classmethod
    def shuffled(cls, microdata: Microdata, requirement: Requirement, key: Key) -> Self:
        """The rows of a table in an order drawn from the key."""
        order = key.permutation("partition/rows", microdata.rows)
        return cls.ordered(microdata, requirement, order)

    @classmethod
    def ordered(
        cls, microdata: Microdata, requirement: Requirement, order: NDArray[np.int32]
    ) -> Self:
        """The rows of a table in this order."""
        quasi = microdata.with_role("quasi")
        sensitive = microdata.with_role("sensitive") if requirement.about_values else []
        sensitive = sorted(sensitive, key=lambda c: -int(c.counts.max()))
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
            needs=requirement.needs(sensitive),
            least=requirement.least,
        )

    def between(self, first: int, last: int) -> Self:
        """A run of them, which is grouped in place."""
        run = slice(first, last)
        return replace(
            self, codes=self.codes[run], sensitive=self.sensitive[run], rows=self.rows[run]
        )

    def partition(self, made: Grouped) -> Partition:
        """The partition of the input in which these rows have these groups."""
        group_of = np.empty_like(made.group_of)
        group_of[self.rows] = made.group_of
        return Partition(group_of, made.groups)


def side_by_side(columns: list[NDArray[np.int32]], order: NDArray[np.int32]) -> NDArray[np.int32]:
    """The codes of several columns as a matrix, its rows in an order."""
    if not columns:
        return np.empty((order.size, 0), np.int32)
    # first side by side, then whole rows into their order: one far look a row, not one a cell
    rows = np.empty((order.size, len(columns)), np.int32)
    ordered = np.empty_like(rows)
    ends = np.linspace(0, order.size, PIECES + 1).astype(np.int64).tolist()
    in_threads(
        lambda first, last: np.stack(
            [column[first:last] for column in columns], axis=1, out=rows[first:last]
        ),
        pairwise(ends),
    )
    in_threads(
        # an order has no place outside: "clip" is the mode that needs no buffer
        lambda first, last: rows.take(order[first:last], 0, ordered[first:last], mode="clip"),
        pairwise(ends),
    )
    return ordered


def attributes_of(columns: list[Column]) -> Attributes:
    """Which columns are nominal, the positions of all codes, and where each column's begin."""
    positions = [code_positions(column) for column in columns]
    sizes = [each.size for each in positions]
    is_nominal = np.array([column.kind == "nominal" for column in columns], np.bool_)
    places = np.concatenate([*positions, np.zeros(0)])
    offsets = np.cumsum([0, *sizes]).astype(np.int64)
    return Attributes(is_nominal, places, offsets, np.array(sizes, np.float64))


def code_positions(column: Column) -> NDArray[np.float64]:
    """Where each code stands between the lowest (0) and highest (1) value of its domain."""
    known = column.domain
    if not is_measured(column.kind):
        known = pl.int_range(len(known), eager=True)
    places = on_scale(known).to_numpy()
    return np.append(places, MISSING_POSITION) if column.has_missing else places


def number_nodes(starts: NDArray[np.int64]) -> Grouped:
    """Every run from one start to the next as a group."""
    sizes = np.diff(starts)
    return Grouped(np.repeat(np.arange(sizes.size, dtype=np.int32), sizes), sizes.size)


def _merged(rows: Rows, partition: Partition, l: int) -> Partition:
    """Groups joined until every sensitive column is l-diverse in all of them."""
    in_order = partition.group_of[rows.rows]
    starts = count_starts(in_order, partition.count)
    order = sort_by_group(np.arange(in_order.size, dtype=np.int32), in_order, starts)
    merged = merge_groups(rows.sensitive, order, starts, l, rows.values)
    return Partition(merged.number[partition.group_of], int(merged.groups))
