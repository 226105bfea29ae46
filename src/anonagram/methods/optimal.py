"""The best node of the whole lattice of full-domain generalizations."""

from __future__ import annotations

from dataclasses import dataclass

from anonagram.kernels.lattice import Rule
from anonagram.lattice import Cost, Lattice, Node
from anonagram.methods.full_domain import FullDomain


@dataclass(frozen=True, repr=False, init=False)
class Optimal(FullDomain, call="optimal", example="optimal(k_anonymity(k=3))"):
    """One level of its hierarchy for each column, such that as little as can be is lost.

    Nodes are looked at in the order of what they cost at least, and those are left out that a
    failing coarser one rules out, so the best is found without looking at all.

    >>> from anonagram import KAnonymity, Key, Microdata
    >>> table = {"age": [31, 33, 38, 45, 47, 52], "ill": ["flu", "cut", "flu", "gout", "flu", "cut"]}
    >>> age = {"role": "quasi", "hierarchy": "intervals(width=10, levels=2)"}
    >>> data = Microdata.read(table, {"age": age, "ill": "sensitive"})
    >>> release = Optimal(KAnonymity(k=3)).anonymize(data, Key(bytes(32)))
    >>> release.rows["age"].unique().sort().to_list()
    ['[20, 40)', '[40, 60)']
    """

    cost: Cost = "loss"
    """What is made least."""

    def cost_name(self) -> str:
        """As it was asked for."""
        return self.cost

    def choose(self, lattice: Lattice, rule: Rule) -> Node:
        """The node that costs least."""
        return lattice.best(rule)
