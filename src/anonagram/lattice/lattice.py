"""The lattice of a table's generalizations, and its best node."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from math import prod
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonagram.kernels.goals import Goal
from anonagram.kernels.lattice import Joint, Rule, find_cells, first_node, node_length
from anonagram.kernels.lattice_search import Problem, Room, Store, search
from anonagram.lattice.costs import ladders_for
from anonagram.lattice.goal import Test, goal_of
from anonagram.lattice.ladder import Ladder
from anonagram.lattice.outcome import Outcome
from anonagram.microdata import Microdata

MOST_STORED = 1 << 14
POOL = 1 << 24
"""Numbers of stored nodes, beside those of the first."""
MOST_JOINED = 1 << 12
"""Values of neighbouring columns together that are looked up as one."""
MOST_WORK = 500_000_000
"""Groups and nodes that a search goes through: about half a minute."""


@dataclass(frozen=True)
class Node(Outcome):
    """A node of the lattice, and what it costs."""

    levels: tuple[int, ...]


@dataclass(frozen=True)
class Explored:
    """Every node of a lattice."""

    nodes: pl.DataFrame
    """Columns levels, height, cost (none where it does not hold), suppressed, holds."""


class First(NamedTuple):
    """The node at which nothing was made coarser, as kernels have it."""

    length: int
    pool: NDArray[np.int32]
    cells: NDArray[np.int64]


class Lattice:
    """The cells of a table, and what is made of them at every node."""

    def __init__(
        self,
        microdata: Microdata,
        ladders: Sequence[Ladder],
        tests: Sequence[Test],
        cost: str = "loss",
    ) -> None:
        self.ladders, self.rows = ladders, microdata.rows
        columns = np.stack([ladder.column.codes for ladder in ladders])
        asked = {test.column for test in tests}
        sensitive = [
            c if number in asked else None
            for number, c in enumerate(microdata.with_role("sensitive"))
        ]
        # columns that no test is about are not counted
        self.sensitive = [column for column in sensitive if column is not None]
        number = {old: new for new, old in enumerate(sorted(asked - {-1}))} | {-1: -1}
        self.tests = [test._replace(column=number[test.column]) for test in tests]
        self.goal: Goal = goal_of(self.tests, self.sensitive)
        self.of_cost = ladders_for(cost, ladders, microdata.rows)
        self._count(columns)

    def _count(self, columns: NDArray[np.int32]) -> None:
        """Find the cells, and the first node."""
        rows = columns.shape[1]
        self._slots = np.empty(max(16, 1 << (2 * rows - 1).bit_length()), np.int32)
        self.cell_of = np.empty(rows, np.int32)
        firsts = find_cells(columns, self.of_cost, self._slots, self.cell_of)
        self.codes = np.ascontiguousarray(columns[:, firsts].T)
        values = np.empty((len(self.sensitive), rows), np.int32)
        for place, column in enumerate(self.sensitive):
            values[place] = column.codes
        different = max((column.cardinality for column in self.sensitive), default=0)
        longest = 2 * firsts.size + len(self.sensitive) * (firsts.size + 1 + 2 * rows)
        pool = np.empty(2 * longest + POOL, np.int32)
        cells = first_node(firsts, self.cell_of, values, different, pool)
        self.cells = firsts.size
        self._scratch = np.zeros(2 * different + 2)
        self._store = self._stored(pool, cells)

    def _stored(self, pool: NDArray[np.int32], cells: NDArray[np.int64]) -> Store:
        store = Store(
            pool,
            np.zeros((MOST_STORED, len(self.ladders)), np.int16),
            np.zeros(MOST_STORED, np.int64),
            np.zeros(MOST_STORED, np.int64),
            np.zeros((MOST_STORED, cells.size), np.int64),
            np.ones(MOST_STORED, np.bool_),
        )
        store.groups[0], store.cells[0] = self.cells, cells
        return store

    @cached_property
    def room(self) -> Room:
        """Arrays to work in."""
        return Room(
            self._slots,
            np.empty(self.cells, np.int64),
            self._joint(),
            np.empty(self.cells, np.int32),
            np.empty(self.cells, np.bool_),
            self._scratch,
            np.empty(len(self.ladders)),
        )

    def _joint(self) -> Joint:
        """Neighbouring columns as one where they have few values together."""
        values = [ladder.column.cardinality for ladder in self.ladders]
        first, sizes, codes = [0], [1], np.zeros((self.cells, 0), np.int32)
        for i, size in enumerate(values):
            if i and sizes[-1] * size > MOST_JOINED:
                first.append(i)
                sizes.append(1)
            if first[-1] == i:
                codes = np.hstack([codes, self.codes[:, i : i + 1]])
            else:
                codes[:, -1] += sizes[-1] * self.codes[:, i]
            sizes[-1] *= size
        return Joint(
            np.ascontiguousarray(codes),
            np.array([*first, len(values)]),
            np.array(values),
            np.cumsum([0, *sizes[:-1]]),
            np.empty(sum(sizes), np.int64),
        )

    @property
    def size(self) -> int:
        """How many nodes there are."""
        return prod(ladder.height + 1 for ladder in self.ladders)

    @property
    def top(self) -> tuple[int, ...]:
        """The node at which nothing is told."""
        return tuple(ladder.height for ladder in self.ladders)

    def rule(self, limit: int, *, is_kept: bool) -> Rule:
        """How many rows may be suppressed, and whether they stay as a group.

        Whoever compares groups with the whole table is told the values of everybody, and what
        groups do not have of them is what the left-out rows have.
        """
        is_told = is_kept or any(test.is_compared for test in self.tests)
        return Rule(limit, is_kept, is_told)

    def best(self, rule: Rule, most: int = MOST_WORK) -> Node:
        """The node that costs least of all that hold; its cost is infinite where none was found."""
        nothing = np.empty((0, len(self.ladders)), np.int16)
        found = search(
            self._problem(rule), max(1, most), nothing, np.empty(0), np.empty(0, np.int64)
        )
        node = tuple(int(level) for level in found.levels)
        return replace(
            self.judge(node, rule),
            cost=float(found.cost),
            looked_at=int(found.looked_at),
            least=float(found.least),
        )

    def is_monotone(self, rule: Rule) -> bool:
        """Whether a node that holds says that all coarser ones do.

        Two groups that keep a promise keep it together, so it does where nothing is suppressed. Else
        only if what is suppressed is never more in a coarser node, and is not itself to be a group.
        """
        grows = all(test.grows for test in self.tests)
        return rule.limit == 0 or (grows and not rule.is_told)

    def best_at(self, height: int, rule: Rule) -> Node:
        """The node of this height, the sum of its levels, that costs least of those that hold."""
        nodes = _nodes_at(height, self.top)
        found = self.explore(rule, nodes).nodes
        if not found["holds"].any():
            return Node(self.top, cost=np.inf, suppressed=0)
        row = int(found["cost"].arg_min())  # type: ignore[arg-type]
        levels = tuple(int(level) for level in nodes[row])
        cost, suppressed = found["cost"][row], found["suppressed"][row]
        return Node(levels, cost=cost, suppressed=suppressed, looked_at=len(nodes))

    def judge(self, levels: Sequence[int], rule: Rule) -> Node:
        """What a node costs."""
        costs, suppressed = self._judged(np.array([levels], np.int16), rule)
        return Node(tuple(levels), cost=float(costs[0]), suppressed=int(suppressed[0]))

    def _judged(
        self, nodes: NDArray[np.int16], rule: Rule
    ) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """What nodes cost, infinite where they do not hold, and their suppressed rows."""
        costs, suppressed = np.empty(len(nodes)), np.empty(len(nodes), np.int64)
        search(self._problem(rule), 0, nodes, costs, suppressed)
        return costs, suppressed

    def _problem(self, rule: Rule) -> Problem:
        return Problem(self.goal, rule, self.of_cost, self.codes, self.rows, self._store, self.room)

    @property
    def first(self) -> First:
        """The node of values as they are."""
        cells = self._store.cells[0]
        length = int(node_length(self.cells, cells))
        return First(length, self._store.pool[:length], cells)

    def groups(self, levels: Sequence[int], rule: Rule) -> tuple[NDArray[np.int32], NDArray[Any]]:
        """The group of every row at a node, and which groups are suppressed."""
        self.judge(levels, rule)
        count = int(self.room.group_of.max()) + 1
        return self.room.group_of[self.cell_of], self.room.bad[:count].copy()

    def explore(self, rule: Rule, nodes: NDArray[np.int16] | None = None) -> Explored:
        """Judge every node."""
        if nodes is None:
            every = product(*(range(ladder.height + 1) for ladder in self.ladders))
            nodes = np.array(sorted(every, key=sum), np.int16)
        costs, suppressed = self._judged(nodes, rule)
        holds = np.isfinite(costs)
        return Explored(
            pl.DataFrame(
                {
                    "levels": nodes.astype(np.int64),
                    "height": nodes.sum(axis=1).astype(np.int64),
                    "cost": pl.Series(costs).replace(np.inf, None),
                    "suppressed": suppressed,
                    "holds": holds,
                },
                schema_overrides={"levels": pl.Array(pl.Int64, nodes.shape[1])},
            )
        )


def _nodes_at(height: int, top: Sequence[int]) -> NDArray[np.int16]:
    """All nodes whose levels add up to a height."""
    nodes = np.zeros((1, 0), np.int16)
    for place, most in enumerate(top):
        rest = sum(top[place + 1 :])
        wider = [np.hstack([nodes, np.full((len(nodes), 1), n, np.int16)]) for n in range(most + 1)]
        nodes = np.vstack(wider)
        reached = nodes.sum(axis=1)
        nodes = nodes[(reached <= height) & (reached + rest >= height)]
    return nodes
