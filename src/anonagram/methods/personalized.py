"""Personalized privacy: each person is hidden as widely as she herself asks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray

from anonagram.calls import Between
from anonagram.columns.distribution import IsTarget
from anonagram.columns.wishes import Guard
from anonagram.errors import CannotAnonymize
from anonagram.kernels.personal import BOTTOM_UP, ONE_GROUP, TOP_DOWN, Kinds, Scale, divide
from anonagram.kernels.subdomains import Pushed
from anonagram.key import Key
from anonagram.methods.given_groups import given_groups
from anonagram.methods.guards import guard_of, nodes_asked
from anonagram.methods.least_ranges import divide_best
from anonagram.methods.method import Method
from anonagram.methods.publication import Publication
from anonagram.methods.subdomains import Told, parts_of, publish_subdomains, tell
from anonagram.microdata import Column, Microdata
from anonagram.models import Finding, PrivacyModel
from anonagram.models.personalized_privacy import PersonalizedPrivacy
from anonagram.partition import Arrangement, GroupsFor, Partition, Size
from anonagram.release import Manifest, SubdomainRelease
from anonagram.runtime.progress import step

WAYS = {"one_group": ONE_GROUP, "top_down": TOP_DOWN, "bottom_up": BOTTOM_UP}


@dataclass(frozen=True, repr=False)
class Personalized(
    Method,
    call="personalized",
    example='personalized(groups="neighbours", size=20)',
):
    """Zhang (2007, chapter 5): everybody is hidden among the values that she asks for.

    A column of the table with the role `guard` says how widely. It is never published. Inside what a
    person asks for, her group tells the target and nothing else; whoever asks for little may be told
    as she is, and helps to hide others.

    >>> from anonagram import Key, Microdata
    >>> table = {"zip": [91130, 91210, 91220, 91240], "pay": [60, 40, 30, 50],
    ...          "wish": ["0", "[30, 40]", "0", "10"]}
    >>> data = Microdata.read(table, {"zip": "quasi", "pay": "sensitive", "wish": "guard"})
    >>> release = Personalized(guard="wish").anonymize(data, Key(bytes(32)))
    >>> sorted(release.sensitive["pay"].select("pay_low", "pay_high").rows())
    [(30, 30), (40, 40), (50, 50), (60, 60)]
    >>> release.group_sizes().height  # 30 and 40 are together, 50 and 60 are
    2
    """

    guard: Guard = None
    """The column with what people ask for; the only one where none is named. Where there is none, or
    somebody says nothing, all values are what she asks for."""
    algorithm: Literal["one_group", "top_down", "bottom_up", "optimal"] = "bottom_up"
    """How groups are divided: not but for wishes that are apart, by two heuristics, or as well as can
    be."""
    target: Annotated[str, IsTarget()] = "uniform"
    """How likely values shall be, inside of what is asked for."""
    groups: Annotated[str, GroupsFor(Size)] | Sequence[str] = field(default_factory=list)
    """Columns whose equal values make a group, or the call of a partitioner."""
    size: Annotated[int, Between(1, 2**31 - 1)] = 100
    """Of groups that a partitioner makes: their least number of rows."""
    exact: bool = False
    """Whether groups are divided further, by equal quasi-identifiers (Algorithm 7)."""
    arity: Annotated[int, Between(2, 1000)] | None = 2
    """Of the balanced tree over the domain; None for the schema's hierarchy of the column."""
    cap: Annotated[int, Between(1, 1000)] = 10
    """The largest weight among siblings."""
    shape = SubdomainRelease
    undivided = "people who ask for little help to hide others, wherever they stand"

    def promises(self, microdata: Microdata) -> tuple[PrivacyModel, ...]:
        """Everybody has what she asks for."""
        rounding = np.ceil(self._told(microdata).rounding * 1000) / 1000
        return (PersonalizedPrivacy(self.guard, self.target, rounding),)

    def find(self, model: PrivacyModel, microdata: Microdata, publication: Publication) -> Finding:
        """Row by row, with the original and the mapping."""
        groups = publication.mapping["group"].to_numpy()
        return model.compare(publication.release, microdata, groups)

    def rearrange(self, microdata: Microdata, key: Key, manifest: Manifest) -> Publication:
        """Group, divide each group by what its people ask for, and publish."""
        column = self._sensitive(microdata)
        told = self._told(microdata)
        asked = nodes_asked(microdata, column, told, guard_of(microdata, self.guard))
        step("Grouping")
        further = microdata.with_role("quasi") if self.exact else []
        given = given_groups(microdata, key, self.groups, self.size, further, of=self.call)
        step("Generalizing")
        # who of equal people goes where is drawn: no trace of the input's order
        order = key.permutation(f"{self!r}/people", microdata.rows)
        partition, slots = self._divide(given, told, told.code_of[column.codes], asked, order)
        arrangement = partition.arrange(key, repr(self))
        numbered = _renumbered(slots, partition, arrangement, told)
        return publish_subdomains(
            microdata, arrangement, manifest, {column.name: [told]}, {column.name: numbered}
        )

    def _sensitive(self, microdata: Microdata) -> Column:
        self.require_roles(microdata, "quasi", "sensitive")
        sensitive = microdata.with_role("sensitive")
        if len(sensitive) > 1:
            names = ", ".join(column.name for column in sensitive)
            raise CannotAnonymize(
                f"{self.call} hides people in one sensitive column; the schema has {names}.",
                'give the others the role "drop", or publish them apart with distributional.',
            )
        return sensitive[0]

    def _told(self, microdata: Microdata) -> Told:
        (everybody,) = parts_of(microdata, None)
        return tell(self._sensitive(microdata), everybody, self.target, self.arity, self.cap)

    def _divide(
        self,
        given: Partition,
        told: Told,
        codes: NDArray[np.int32],
        asked: NDArray[np.int64],
        order: NDArray[np.int32],
    ) -> tuple[Partition, Pushed]:
        """Smaller groups of rows, and the nodes of each."""
        group_of = given.group_of[order]
        by_kind = np.lexsort((asked[order], codes[order], group_of))
        order = order[by_kind]
        lines = np.stack([given.group_of[order], codes[order], asked[order]])
        begins = np.flatnonzero(np.append(True, (np.diff(lines, axis=1) != 0).any(axis=0)))
        counts = np.diff(np.append(begins, order.size))
        group, code, node = lines[:, begins].astype(np.int64)
        starts = np.searchsorted(group, np.arange(given.count + 1))
        kinds = Kinds(code, node, counts)
        nodes = told.tree.nodes
        scale = Scale(
            nodes, told.tree.weights, told.ranges, (nodes.high - nodes.low).astype(np.int64)
        )
        if self.algorithm == "optimal":
            members, slots = divide_best(kinds, starts, scale)
        else:
            members, slots = divide(kinds, starts, scale, WAYS[self.algorithm])
        by_kind = np.argsort(members.kind, kind="stable")
        smaller = np.empty(order.size, np.int32)
        smaller[order] = np.repeat(members.group[by_kind], members.count[by_kind])
        return Partition(smaller, int(members.group.max()) + 1), slots


def _renumbered(
    slots: Pushed, partition: Partition, arrangement: Arrangement, told: Told
) -> Pushed:
    """Slots by the published numbers of their groups, in the order of the domain, wider ones first."""
    number = np.empty(partition.count, np.int64)
    firsts = arrangement.order[arrangement.starts[:-1]]
    number[partition.group_of[firsts]] = np.arange(partition.count)
    group, nodes = number[slots.group], told.tree.nodes
    order = np.lexsort((-nodes.high[slots.node], nodes.low[slots.node], group))
    return Pushed(group[order], slots.node[order], slots.count[order])
