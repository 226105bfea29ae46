"""What methods have in common that give each column one level for the whole table."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from anonagram.kernels.lattice import Rule
from anonagram.key import Key
from anonagram.lattice import Choice, Lattice, Node
from anonagram.methods.covers import Codes, Cover, cover_of_level
from anonagram.methods.publication import Publication
from anonagram.methods.suppressing import Groups, Suppressing, Tell
from anonagram.microdata import Column, Microdata
from anonagram.release import Manifest
from anonagram.runtime.progress import step


@dataclass(frozen=True, repr=False, init=False)
class FullDomain(Suppressing):
    """A method that chooses a node of the lattice: one level of its hierarchy for each column.

    Columns without a hierarchy get one that suits their values.
    """

    undivided = "one level is chosen for the whole of each column"

    @abstractmethod
    def choose(self, lattice: Lattice, rule: Rule) -> Node:
        """The node to publish; one whose cost is infinite where none was found."""

    def rearrange(self, microdata: Microdata, key: Key, manifest: Manifest) -> Publication:
        """Choose a node, and tell of each group its labels."""
        lattice, rule = self.lattice(microdata)
        step("Searching")
        node = self.choose(lattice, rule)
        if not np.isfinite(node.cost):
            self.refuse(microdata, _labels(lattice, lattice.top), key, manifest)
        step("Generalizing")
        choice = Choice(lattice, rule, node, repr(self), self.cost_name())
        found = Groups(*lattice.groups(node.levels, rule), _labels(lattice, node.levels))
        return replace(self.publish_groups(microdata, found, key, manifest), choice=choice)


def _labels(lattice: Lattice, levels: Sequence[int]) -> Tell:
    """The labels that each column has at its level."""
    at = {
        ladder.column.name: (ladder, level)
        for ladder, level in zip(lattice.ladders, levels, strict=True)
    }

    def tell(column: Column, codes: Codes, is_hidden: NDArray[np.bool_]) -> Cover:
        ladder, level = at[column.name]
        return cover_of_level(ladder, level, column, codes, is_hidden)

    return tell
