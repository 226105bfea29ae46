"""(k,e)-anonymity: numbers hidden among others that differ, and not just by a little."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from anonagram.calls import AtLeast
from anonagram.key import Key
from anonagram.methods.anatomy import anatomize
from anonagram.methods.method import Method
from anonagram.methods.publication import Publication
from anonagram.microdata import Microdata
from anonagram.models import PrivacyModel
from anonagram.models.ke_anonymity import KeAnonymity, Spans
from anonagram.partition import Arrangement, Division, GroupsFor, Partitioner, Spread, ValueRuns
from anonagram.release import AnatomizedRelease, Manifest
from anonagram.runtime.progress import step


@dataclass(frozen=True, repr=False)
class Ke(Method, call="ke", example="ke(k=4, e=100)"):
    """Zhang (2007, chapter 2): sensitive numbers permuted in groups of k values that reach over e.

    Quasi-identifiers stay exact, so questions about them know how many rows of each group they ask
    about. Whoever knows a person's quasi-identifiers is left with k values that lie e apart.

    >>> from anonagram import Key, Microdata
    >>> table = {"age": [31, 45, 52, 60], "pay": [2000, 2100, 2500, 4000]}
    >>> data = Microdata.read(table, {"age": "quasi", "pay": "sensitive"})
    >>> Ke(k=2, e=100).anonymize(data, Key(bytes(32))).manifest.claims
    (Claim(model='ke_anonymity(k=2, e=100)', achieved=2.0),)
    """

    k: Annotated[int, AtLeast(2)]
    e: Spans
    """In the column's unit (days of dates, seconds of times); a dictionary if columns differ."""
    partition: Annotated[str, GroupsFor(Spread)] = "min_sum"
    """How groups are made: a (k,e) partitioner's call."""
    shape = AnatomizedRelease

    def promises(self, microdata: Microdata) -> tuple[PrivacyModel, ...]:  # noqa: ARG002
        """(k,e)-anonymity of every sensitive column."""
        return (KeAnonymity(self.k, self.e),)

    def rearrange(self, microdata: Microdata, key: Key, manifest: Manifest) -> Publication:
        """Partition by the sensitive numbers, then write rows and counted values."""
        self.require_roles(microdata, "quasi", "sensitive")
        return anatomize(microdata, self.arrange(microdata, key), manifest)

    def division(self, table: Microdata) -> Division:
        """Runs of neighbouring values that are (k,e) each."""
        self.require_roles(table, "quasi", "sensitive")
        return ValueRuns(self.requirement(table))

    def arrange(self, microdata: Microdata, key: Key) -> Arrangement:
        """Divide the rows into groups, in the order in which they are published."""
        step("Grouping")
        partitioner = Partitioner.parse(self.partition)
        return partitioner.divide(microdata, self.requirement(microdata), key).arrange(
            key, repr(self)
        )

    def requirement(self, microdata: Microdata) -> Spread:
        """What every group must fulfil, for each of the table's sensitive columns."""
        names = [column.name for column in microdata.with_role("sensitive")]
        return Spread(self.k, KeAnonymity(self.k, self.e).by_attribute(names))
