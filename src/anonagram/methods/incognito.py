"""Incognito: all minimal nodes of the lattice, by way of those of fewer columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from anonagram.errors import CannotAnonymize
from anonagram.kernels.lattice import Rule
from anonagram.lattice import Lattice, Node
from anonagram.methods.full_domain import FullDomain
from anonagram.shown.wording import how_many

MOST_NODES = 2_000_000
Holding = NDArray[np.bool_]
"""Which nodes over some columns hold: a dimension each column."""


@dataclass(frozen=True, repr=False, init=False)
class Incognito(FullDomain, call="incognito", example="incognito(k_anonymity(k=3))"):
    """A priori (LeFevre, DeWitt and Ramakrishnan 2005): what fails for some columns fails for more.

    For one column, then for two, and so on: only nodes are looked at whose parts all hold, and what
    lies above one that holds does so too. That needs promises that coarser nodes keep; where rows
    may be suppressed and it is not so, all nodes are looked at. Of the minimal nodes, those that
    hold with none below them that does, the one that loses least is published.

    >>> from anonagram import KAnonymity, Key, Microdata
    >>> data = Microdata.read({"age": [31, 33, 38, 45, 47, 52]}, {"age": "quasi"})
    >>> Incognito(KAnonymity(k=6)).anonymize(data, Key(bytes(32))).rows["age"].unique().to_list()
    ['*']
    """

    def choose(self, lattice: Lattice, rule: Rule) -> Node:
        """The best of all minimal nodes."""
        nodes = [lattice.judge(levels, rule) for levels in minimal_nodes(lattice, rule)]
        return min(
            nodes, key=lambda node: node.cost, default=Node(lattice.top, cost=np.inf, suppressed=0)
        )


def minimal_nodes(lattice: Lattice, rule: Rule) -> list[tuple[int, ...]]:
    """The nodes that hold with none below them that does."""
    if lattice.size > MOST_NODES:
        raise CannotAnonymize(
            f"incognito looks at all of a lattice's {how_many(lattice.size, 'node')}.",
            "the method optimal.",
        )
    columns = tuple(range(len(lattice.ladders)))
    if not lattice.is_monotone(rule):
        holding = _looked_at(lattice, rule, columns, np.ones(_shape(lattice, columns), np.bool_))
        return _minimal(holding)
    holds: dict[tuple[int, ...], Holding] = {}
    for size in range(1, len(columns) + 1):
        for some in combinations(columns, size):
            possible = np.ones(_shape(lattice, some), np.bool_)
            for place in range(size if size > 1 else 0):
                fewer = some[:place] + some[place + 1 :]
                possible &= np.expand_dims(holds[fewer], place)
            holds[some] = _climbed(lattice, rule, some, possible)
    return _minimal(holds[columns])


def _shape(lattice: Lattice, columns: Sequence[int]) -> tuple[int, ...]:
    return tuple(lattice.ladders[i].height + 1 for i in columns)


def _climbed(lattice: Lattice, rule: Rule, columns: Sequence[int], possible: Holding) -> Holding:
    """Which of the possible nodes over some columns hold, looked at from below."""
    holding = np.zeros_like(possible)
    heights = np.indices(possible.shape).sum(axis=0)
    for height in range(int(heights.max()) + 1):
        here = heights == height
        holding |= here & _above(holding)
        holding |= _looked_at(lattice, rule, columns, here & possible & ~holding)
    return holding


def _above(holding: Holding) -> Holding:
    """The nodes one level above one that holds."""
    above = np.zeros_like(holding)
    for axis in range(holding.ndim):
        upper, lower = [slice(None)] * holding.ndim, [slice(None)] * holding.ndim
        upper[axis], lower[axis] = slice(1, None), slice(None, -1)
        above[tuple(upper)] |= holding[tuple(lower)]
    return above


def _looked_at(lattice: Lattice, rule: Rule, columns: Sequence[int], asked: Holding) -> Holding:
    """Which of these nodes hold; of other columns nothing is told."""
    levels = np.argwhere(asked)
    nodes = np.tile(np.array(lattice.top, np.int16), (len(levels), 1))
    nodes[:, list(columns)] = levels
    holding = np.zeros_like(asked)
    if len(levels):
        holding[tuple(levels.T)] = lattice.explore(rule, nodes).nodes["holds"].to_numpy()
    return holding


def _minimal(holding: Holding) -> list[tuple[int, ...]]:
    below = _above(holding)
    while not np.array_equal(wider := below | _above(below), below):
        below = wider
    return [tuple(int(level) for level in node) for node in np.argwhere(holding & ~below)]
