"""Samarati: the lowest height of the lattice at which some node holds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anonagram.errors import CannotAnonymize
from anonagram.kernels.lattice import Rule
from anonagram.lattice import Lattice, Node
from anonagram.methods.full_domain import FullDomain
from anonagram.shown.wording import how_many

MOST_NODES = 20_000_000
"""Of a lattice; of its middle height it may have to judge about a tenth of them."""


@dataclass(frozen=True, repr=False, init=False)
class Samarati(FullDomain, call="samarati", example="samarati(k_anonymity(k=3), suppress=0.02)"):
    """Minimal steps (Samarati 2001): binary search on the height, the sum of all levels.

    Where a node holds, every one above it does, as long as nothing is suppressed; then half of the
    heights are ruled out at each look. Where rows may be suppressed and the promise is not of this
    kind, heights are looked at one after the other. Of the nodes of the lowest height that hold, the
    one that loses least is taken.

    >>> from anonagram import KAnonymity, Key, Microdata
    >>> data = Microdata.read({"age": [31, 33, 38, 45, 47, 52]}, {"age": "quasi"})
    >>> Samarati(KAnonymity(k=6)).anonymize(data, Key(bytes(32))).rows["age"].unique().to_list()
    ['*']
    """

    def choose(self, lattice: Lattice, rule: Rule) -> Node:
        """The best node of the lowest height that has one."""
        if lattice.size > MOST_NODES:
            raise CannotAnonymize(
                "samarati looks at all nodes of a height, and this lattice has "
                f"{how_many(lattice.size, 'node')}.",
                "the method optimal, or datafly.",
            )
        low, high = 0, sum(lattice.top)
        if not lattice.is_monotone(rule):
            heights = range(high + 1)
            found = (lattice.best_at(height, rule) for height in heights)
            return next((node for node in found if np.isfinite(node.cost)), found_nothing(lattice))
        while low < high:
            middle = (low + high) // 2
            if np.isfinite(lattice.best_at(middle, rule).cost):
                high = middle
            else:
                low = middle + 1
        return lattice.best_at(low, rule)


def found_nothing(lattice: Lattice) -> Node:
    """A node that does not hold."""
    return Node(lattice.top, cost=np.inf, suppressed=0)
