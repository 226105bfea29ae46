"""Sets of cuts between neighbouring values of each column, and the best of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from anonagram.kernels.cut_search import search
from anonagram.kernels.cut_sets import HEAD, Problem
from anonagram.kernels.lattice import Ladders, Rule
from anonagram.lattice.lattice import Lattice
from anonagram.lattice.outcome import Outcome
from anonagram.lattice.runs import Order, runs_for

WORK_A_SECOND = 20_000_000
"""Groups that a search goes through in about a second; counted, so that the same table and key give
the same release on any machine."""
Flags = NDArray[np.int8]


@dataclass(frozen=True)
class CutSet(Outcome):
    """A set of cuts, and what it costs."""

    cuts: Flags
    """2 before which value there is a cut, column behind column."""


class CutSets:
    """All sets of cuts between neighbouring values of a table's columns."""

    def __init__(self, lattice: Lattice, cost: str) -> None:
        self.lattice = lattice
        self.orders = [Order.of(ladder) for ladder in lattice.ladders]
        self.runs = runs_for(cost, self.orders)

    @property
    def cuts(self) -> int:
        """How many cuts there are to choose from."""
        return sum(order.codes.size - 1 for order in self.orders)

    def best(self, rule: Rule, most: int) -> CutSet:
        """The set that costs least of all that are found in so much work.

        The search begins with the best levels of hierarchies, so it never does worse than them, and
        with no cut at all.
        """
        node = self.lattice.best(rule, most // 4)
        starts = [np.zeros(self.runs.codes.size, np.int8)]
        levels = self.of_levels(node.levels)
        if np.isfinite(node.cost) and levels is not None:
            starts.insert(0, levels)
        found = search(self._problem(rule), np.stack(starts), max(1, most))
        return CutSet(
            np.asarray(found.flags),
            cost=float(found.cost),
            suppressed=int(found.suppressed),
            looked_at=int(found.looked_at),
            least=float(found.least),
        )

    def of_levels(self, levels: Sequence[int]) -> Flags | None:
        """The cuts of a node of the lattice; none where a label is no run of values."""
        cuts = [order.cuts_of(level) for order, level in zip(self.orders, levels, strict=True)]
        if any(each is None for each in cuts):
            return None
        return np.where(np.concatenate(cuts), HEAD, 0).astype(np.int8)  # type: ignore[arg-type]

    def judge(self, flags: Flags, rule: Rule) -> tuple[float, int]:
        """What a set costs, infinite where it does not hold, and how many rows it suppresses."""
        found = search(self._problem(rule), flags[None], 0)
        return float(found.cost), int(found.suppressed)

    def groups(self, flags: Flags, rule: Rule) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
        """The group of every row, and which groups are suppressed."""
        problem = self._problem(rule)
        search(problem, flags[None], 0)
        group_of, bad = problem.room.group_of, problem.room.bad
        return group_of[self.lattice.cell_of], bad[: int(problem.groups[1])].copy()

    def runs_of(self, flags: Flags) -> list[NDArray[np.int64]]:
        """For each column and code the number of its run, -1 where a value does not occur."""
        found = []
        for order, begin in zip(self.orders, self.runs.first, strict=False):
            runs = np.full(order.ladder.column.cardinality, -1, np.int64)
            runs[order.codes] = np.cumsum(flags[begin : begin + order.codes.size] == HEAD)
            found.append(runs)
        return found

    def _problem(self, rule: Rule) -> Problem:
        return self._made._replace(rule=rule, work=np.zeros(1, np.int64))

    @cached_property
    def _made(self) -> Problem:
        lattice, length = self.lattice, self.lattice.first.length
        pool = np.empty(3 * length, np.int32)
        pool[:length] = lattice.first.pool
        cells = np.zeros((3, len(lattice.sensitive)), np.int64)
        cells[0] = lattice.first.cells
        columns = len(lattice.ladders)
        return Problem(
            lattice.goal,
            lattice.rule(0, is_kept=True),
            self._levels(),
            self.runs,
            lattice.codes,
            lattice.rows,
            pool,
            np.arange(3) * length,
            np.array([lattice.cells, 0, 0]),
            cells,
            np.repeat(np.arange(3, dtype=np.int16)[:, None], columns, axis=1),
            lattice.room,
            np.empty(lattice.cells, np.int32),
            np.zeros(1, np.int64),
        )

    def _levels(self) -> Ladders:
        """Levels of values as they are, and two for runs that kernels fill."""
        of_cost, sizes = self.lattice.of_cost, [o.ladder.column.cardinality for o in self.orders]
        begins = 3 * np.cumsum([0, *sizes[:-1]])
        where = np.stack([begins, begins + sizes, begins + 2 * np.array(sizes)], axis=1)
        keys = np.zeros(3 * sum(sizes), np.int64)
        for i, size in enumerate(sizes):
            keys[where[i, 0] :][:size] = of_cost.keys[of_cost.where[i, 0] :][:size]
        return of_cost._replace(
            keys=keys,
            losses=np.zeros(keys.size),
            where=where,
            heights=np.full(len(sizes), 2, np.int64),
            least=np.zeros((len(sizes), 3)),
        )
