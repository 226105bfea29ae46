"""Datafly: the column with most different values is generalized, until few enough rows are left."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anonagram.kernels.lattice import Rule
from anonagram.lattice import Lattice, Node
from anonagram.methods.full_domain import FullDomain


@dataclass(frozen=True, repr=False, init=False)
class Datafly(FullDomain, call="datafly", example="datafly(k_anonymity(k=3), suppress=0.02)"):
    """Greedy (Sweeney 1998): quick, and often far from the best.

    As long as groups that fail have more rows than may be suppressed, the column that tells most
    values apart climbs one level. Sweeney suppresses up to k rows; here it is a share of all.

    >>> from anonagram import KAnonymity, Key, Microdata
    >>> data = Microdata.read({"age": [31, 33, 38, 45, 47, 52]}, {"age": "quasi"})
    >>> Datafly(KAnonymity(k=6)).anonymize(data, Key(bytes(32))).rows["age"].unique().to_list()
    ['*']
    """

    def choose(self, lattice: Lattice, rule: Rule) -> Node:
        """Climb until the node holds, or the top is reached."""
        levels = [0] * len(lattice.ladders)
        node = lattice.judge(levels, rule)
        while not np.isfinite(node.cost) and tuple(levels) != lattice.top:
            told_apart = [
                int(ladder.ids[level].max()) + 1 if level < ladder.height else 0
                for ladder, level in zip(lattice.ladders, levels, strict=True)
            ]
            levels[int(np.argmax(told_apart))] += 1
            node = lattice.judge(levels, rule)
        return node
