"""What methods that make l-diverse groups have in common."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from anonagram.calls import AtLeast
from anonagram.key import Key
from anonagram.methods.method import Method
from anonagram.microdata import Microdata
from anonagram.models import PrivacyModel
from anonagram.models.k_anonymity import KAnonymity
from anonagram.models.l_diversity import LDiversity
from anonagram.partition import (
    Arrangement,
    Diversity,
    Division,
    GroupsFor,
    Neighbourhoods,
    Partitioner,
)
from anonagram.runtime.progress import step
from anonagram.schema import Role

Grouping = Annotated[str, GroupsFor(Diversity)]


@dataclass(frozen=True, repr=False)
class GroupMethod(Method):
    """A method whose groups are l-diverse, made by one of the partitioners."""

    l: Annotated[int, AtLeast(2)]
    partition: Grouping = "neighbours"
    """How groups are made: a partitioner's call."""
    needed: ClassVar[tuple[Role, ...]] = ("quasi",)
    """The roles without which it can do nothing."""

    def promises(self, microdata: Microdata) -> tuple[PrivacyModel, ...]:
        """l-diversity, or groups of at least l where nothing is sensitive."""
        return (LDiversity(self.l),) if microdata.with_role("sensitive") else (KAnonymity(self.l),)

    def division(self, table: Microdata) -> Division:
        """Neighbourhoods that are l-diverse each."""
        self.require_roles(table, *self.needed)
        return Neighbourhoods(Diversity(self.l))

    def arrange(self, microdata: Microdata, key: Key) -> Arrangement:
        """Divide the rows into groups, in the order in which they are published."""
        self.require_roles(microdata, *self.needed)
        step("Grouping")
        partitioner = Partitioner.parse(self.partition)
        return partitioner.divide(microdata, Diversity(self.l), key).arrange(key, repr(self))
