"""What methods that make l-diverse groups have in common."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from anonagram.calls import AtLeast
from anonagram.key import Key
from anonagram.methods.method import Method
from anonagram.microdata import Microdata
from anonagram.models import PrivacyModel
from anonagram.models.k_anonymity import KAnonymity
from anonagram.models.l_diversity import LDiversity
from anonagram.partition import Arrangement, Diversity, GroupsFor, Partitioner, neighbourhoods
from anonagram.runtime.progress import step

Grouping = Annotated[str, GroupsFor(Diversity)]


@dataclass(frozen=True, repr=False)
class GroupMethod(Method):
    """A method whose groups are l-diverse, made by one of the partitioners."""

    l: Annotated[int, AtLeast(2)]
    partition: Grouping = "neighbours"
    """How groups are made: a partitioner's call."""

    def promises(self, microdata: Microdata) -> tuple[PrivacyModel, ...]:
        """l-diversity, or groups of at least l where nothing is sensitive."""
        return (LDiversity(self.l),) if microdata.with_role("sensitive") else (KAnonymity(self.l),)

    def blocks(self, microdata: Microdata, most: int, key: Key) -> list[NDArray[np.int32]]:
        """Neighbourhoods that are l-diverse each."""
        return neighbourhoods(microdata, Diversity(self.l), most, key)

    def arrange(self, microdata: Microdata, key: Key) -> Arrangement:
        """Divide the rows into groups, in the order in which they are published."""
        self.require_roles(microdata, "quasi")
        step("Grouping")
        partitioner = Partitioner.parse(self.partition)
        return partitioner.divide(microdata, Diversity(self.l), key).arrange(key, repr(self))
