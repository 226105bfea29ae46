"""What tells the nodes of a graph apart when none has a name (Cormode et al. 2008, section 4.5).

At first all nodes of a side look alike. In each round a node's signature becomes its own and those
of its neighbours, so that after a few rounds many nodes look like nobody else.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from anonagram.kernels.safe_groups import Adjacency, neighbours_of

Numbers = NDArray[np.int64]
MIX = np.uint64(0x9E3779B97F4A7C15)
ROUNDS = 4
"""After which neighbours of neighbours hardly tell more nodes apart (Cormode et al., section 4.5)."""


def signatures(
    left: NDArray[Any],
    right: NDArray[Any],
    nodes: tuple[int, int],
    rounds: int = ROUNDS,
    first: tuple[Numbers, Numbers] | None = None,
) -> dict[str, Numbers]:
    """The signature of every node after so many rounds: equal numbers look alike.

    Takes both ends of each edge, and how many nodes the sides have; `first` is what the nodes of
    both sides look like before, where not all are alike.

    >>> found = signatures(np.array([0, 1, 1]), np.array([0, 0, 1]), (2, 2), rounds=1)
    >>> {side: np.unique(each).size for side, each in found.items()}
    {'left': 2, 'right': 2}
    """
    ends = left.astype(np.int32), right.astype(np.int32)
    around = [neighbours_of(ends[side], ends[1 - side], count) for side, count in enumerate(nodes)]
    found = [np.zeros(count, np.int64) for count in nodes] if first is None else list(first)
    for _ in range(rounds):
        found = [_next(around[side], found[side], found[1 - side]) for side in (0, 1)]
    return {"left": found[0], "right": found[1]}


def _next(own: Adjacency, mine: Numbers, theirs: Numbers) -> Numbers:
    """The signatures of a side one round later, numbered anew.

    A sum of hashes stands for the multiset of the neighbours' signatures: two of them are equal by
    chance with a probability of 2^-64 a pair.
    """
    hashed = _hash(theirs.astype(np.uint64))[own.nodes]
    total = np.concatenate([[np.uint64(0)], np.cumsum(hashed, dtype=np.uint64)])
    sums = total[own.starts[1:]] - total[own.starts[:-1]]
    degrees = np.diff(own.starts).astype(np.uint64)
    with np.errstate(over="ignore"):
        mixed = _hash(sums + _hash(degrees + MIX)) + _hash(mine.astype(np.uint64) * MIX)
    numbered: Numbers = np.unique(mixed, return_inverse=True)[1].astype(np.int64)
    return numbered


def _hash(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Steele et al. (2014): the finalizer of SplitMix64, which spreads every bit over all."""
    with np.errstate(over="ignore"):
        mixed = numbers + MIX
        mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return mixed ^ (mixed >> np.uint64(31))
