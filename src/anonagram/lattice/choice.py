"""The node that was chosen, beside the others: for the protector's eyes, never part of a release."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonagram.kernels.lattice import Rule
from anonagram.lattice.lattice import Lattice, Node
from anonagram.lattice.outcome import costs_told
from anonagram.shown.result import Shown
from anonagram.shown.wording import how_many

MOST_SHOWN = 20_000
"""Nodes of a lattice that are all looked at; of a larger one those near the chosen one."""
NEAR = 2
NEAREST = 3
"""Neighbours that are told on a terminal."""


@dataclass(frozen=True)
class Neighbour:
    """A node one level away from the chosen one."""

    column: str
    level: int
    is_finer: bool
    cost: float | None
    """None where it does not hold."""
    failing: int
    """Rows in groups that do not keep the promises by themselves."""
    more: int
    """How many more than at the chosen node."""

    def __str__(self) -> str:
        step = "less" if self.is_finer else "more"
        than = "more" if self.more >= 0 else "fewer"
        rows = f"{how_many(abs(self.more), f'{than} row')} in groups that fail"
        if self.cost is None:
            return f"One level {step} of {self.column}: does not hold, {rows}."
        return f"One level {step} of {self.column}: costs {self.cost:.4g}, {rows}."


@dataclass(frozen=True)
class Choice(Shown):
    """A node of a lattice, and why it was taken."""

    shown_by = "choice"

    lattice: Lattice
    rule: Rule
    node: Node
    method: str
    cost: str

    @property
    def columns(self) -> list[str]:
        """The quasi-identifiers, in the order of the levels."""
        return [ladder.column.name for ladder in self.lattice.ladders]

    @property
    def search(self) -> str:
        """How far the search went, in words."""
        node, size = self.node, self.lattice.size
        if not node.looked_at:
            return "It is what this method finds, not the best of all nodes."
        looked = f"{node.looked_at:,} of {how_many(size, 'node was', 'nodes were')} looked at"
        if not self.is_proved:
            return f"{looked}. It is the best of its kind, not of all nodes."
        if node.is_best:
            return f"{looked}; none costs less."
        return (
            f"The search was ended: {looked}. What was found costs {node.cost:.4g}; one that costs less, "
            f"but no less than {node.least:.4g}, may exist."
        )

    @property
    def is_proved(self) -> bool:
        """Whether a bound was proved at all: greedy searches have none."""
        return self.node.least > 0

    @cached_property
    def failing(self) -> int:
        """Rows of the chosen node in groups that do not keep the promises by themselves."""
        return self._failing(self.node.levels)

    def _failing(self, levels: tuple[int, ...]) -> int:
        everybody = Rule(self.lattice.rows, is_kept=False, is_told=False)
        return self.lattice.judge(levels, everybody).suppressed

    @cached_property
    def neighbours(self) -> list[Neighbour]:
        """One level less and one level more of each column."""
        found = []
        for place, name in enumerate(self.columns):
            for step in (-1, 1):
                levels = list(self.node.levels)
                levels[place] += step
                if not 0 <= levels[place] <= self.lattice.top[place]:
                    continue
                judged = self.lattice.judge(levels, self.rule)
                cost = judged.cost if np.isfinite(judged.cost) else None
                failing = self._failing(tuple(levels))
                more = failing - self.failing
                found.append(Neighbour(name, levels[place], step < 0, cost, failing, more))
        return found

    @cached_property
    def nodes(self) -> pl.DataFrame:
        """Nodes of the lattice with height, cost, suppressed rows, and whether they hold."""
        nodes = None if self.is_whole else self._near()
        found = self.lattice.explore(self.rule, nodes).nodes
        chosen = pl.Series([tuple(each) == self.node.levels for each in found["levels"].to_list()])
        return found.with_columns(is_chosen=chosen)

    @property
    def is_whole(self) -> bool:
        """Whether every node is shown."""
        return self.lattice.size <= MOST_SHOWN

    def _near(self) -> NDArray[np.int16]:
        """Nodes at most two levels away from the chosen one in all columns together."""
        ranges = [
            range(max(0, level - NEAR), min(most, level + NEAR) + 1)
            for level, most in zip(self.node.levels, self.lattice.top, strict=True)
        ]
        near: list[tuple[int, ...]] = [()]
        for place, levels in enumerate(ranges):
            near = [
                (*node, level)
                for node, level in product(near, levels)
                if _apart((*node, level), self.node.levels[: place + 1]) <= NEAR
            ]
        return np.array(sorted(near, key=sum), np.int16)

    @property
    def told(self) -> list[str]:
        """Whom it costs what; the levels, and what a level less would cost where fewest rows fail."""
        levels = zip(self.columns, self.node.levels, self.lattice.top, strict=True)
        named = ", ".join(f"{name} {level}/{most}" for name, level, most in levels)
        finer = sorted((each for each in self.neighbours if each.is_finer), key=lambda n: n.more)
        costs = costs_told(self.node, self.cost, self.rule, self.lattice.rows)
        return [costs, f"Levels: {named}", *(f"  {each}" for each in finer[:NEAREST])]

    def labels(self) -> dict[str, list[str]]:
        """For each column some labels of the chosen level."""
        told = {}
        for ladder, level in zip(self.lattice.ladders, self.node.levels, strict=True):
            here = dict.fromkeys(label for label in ladder.labels(level) if label is not None)
            told[ladder.column.name] = list(here)
        return told

    def to_dict(self) -> dict[str, Any]:
        """The chosen node and its neighbours; all nodes are in `nodes`."""
        node = self.node
        return {
            "columns": self.columns,
            "levels": list(node.levels),
            "heights": list(self.lattice.top),
            "cost": self.cost,
            "costs": node.cost,
            "suppressed": node.suppressed,
            "lattice": self.lattice.size,
            "looked_at": node.looked_at or None,
            "is_best": node.is_best if self.is_proved else None,
            "least": node.least if self.is_proved else None,
            "neighbours": [{**vars(each), "said": str(each)} for each in self.neighbours],
        }

    def explored(self) -> dict[str, Any]:
        """The same with every node that is shown."""
        return {**self.to_dict(), "nodes": self.nodes.to_dicts()}


def _apart(one: tuple[int, ...], two: tuple[int, ...]) -> int:
    return sum(abs(a - b) for a, b in zip(one, two, strict=True))
