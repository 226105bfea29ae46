"""Distributional privacy: what a group tells of its people is a distribution the owner chose."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from anonagram.calls import Between, require
from anonagram.columns.distribution import IsTarget
from anonagram.errors import CannotAnonymize
from anonagram.kernels.fakes import push_with_fakes
from anonagram.kernels.subdomains import Pushed, push_down
from anonagram.key import Key
from anonagram.methods.given_groups import given_groups
from anonagram.methods.method import Method
from anonagram.methods.publication import Publication
from anonagram.methods.subdomains import (
    Part,
    Told,
    parts_of,
    publish_subdomains,
    sorted_codes,
    tell,
)
from anonagram.microdata import Column, Microdata
from anonagram.models import PrivacyModel
from anonagram.models.distributional_privacy import DistributionalPrivacy
from anonagram.partition import Arrangement, GroupsFor, Partition, Size
from anonagram.release import Manifest, SubdomainRelease
from anonagram.runtime.progress import step

Targets = Annotated[str, IsTarget()] | Mapping[str, Annotated[str, IsTarget()]]


@dataclass(frozen=True, repr=False)
class Distributional(
    Method,
    call="distributional",
    example='distributional(target="uniform", groups="neighbours", size=20)',
):
    """Zhang (2007, chapter 3): sensitive values become subdomains that follow a chosen target.

    Quasi-identifiers stay exact. In every group values are generalized, as little as can be, until
    its subdomains together tell the target distribution and nothing else: whoever knows a person's
    group believes of her what he is told to believe.

    >>> from anonagram import Key, Microdata
    >>> table = {"zip": [911, 911, 911, 911, 912, 912, 912], "pay": [30, 40, 50, 60, 40, 30, 50]}
    >>> data = Microdata.read(table, {"zip": "quasi", "pay": "sensitive"})
    >>> release = Distributional(groups=["zip"]).anonymize(data, Key(bytes(32)))
    >>> release.sum_of_ranges("pay")
    50.0
    >>> (answer,) = release.query("SELECT AVG(pay) FROM data WHERE zip = 911")
    >>> answer["AVG(pay)"].exact
    True
    """

    target: Targets = "uniform"
    """What groups shall tell; a dictionary where columns differ, or the parts of the table."""
    groups: Annotated[str, GroupsFor(Size)] | Sequence[str] = field(default_factory=list)
    """Columns whose equal values make a group, or the call of a partitioner."""
    size: Annotated[int, Between(1, 2**31 - 1)] = 100
    """Of groups that a partitioner makes: their least number of rows."""
    exact: bool = False
    """Whether groups are divided further, by equal quasi-identifiers (QI-SA in the thesis)."""
    parts: str | None = None
    """The column whose values have targets of their own."""
    arity: Annotated[int, Between(2, 1000)] | None = 2
    """Of the balanced tree over the domain; None for the schema's hierarchy of the column."""
    cap: Annotated[int, Between(1, 1000)] = 10
    """The largest weight among siblings: a ratio such as 1000:1001 would leave nearly all at the root."""
    shift: Annotated[float, Between(0, 1)] = 0.0
    """By how much shares of siblings may move towards those of a group's own values."""
    fakes: Annotated[float, Between(0, 1)] = 0.0
    """Fake values that may be added to a group, as a share of its rows."""
    shape = SubdomainRelease
    undivided = "a target is a promise about the whole table"

    def __post_init__(self) -> None:
        super().__post_init__()
        require(
            not self.fakes or (self.arity == 2 and not self.shift),
            f"{self.call}: fakes need arity=2 and shift=0.",
            "leave fakes out, or take the default of both.",
        )
        require(
            self.parts is None or isinstance(self.target, Mapping),
            f"{self.call}: with parts={self.parts!r} target must be a dictionary with one for each value.",
            'target={"F": "uniform", "M": "source"}.',
        )

    def promises(self, microdata: Microdata) -> tuple[PrivacyModel, ...]:
        """Every group tells the target, but for what is allowed."""
        rounding = max(each.rounding for told in self._told(microdata).values() for each in told)
        return (DistributionalPrivacy(self.target, self.shift, np.ceil(rounding * 1000) / 1000),)

    def rearrange(self, microdata: Microdata, key: Key, manifest: Manifest) -> Publication:
        """Group, generalize each sensitive column by itself, and publish."""
        self.require_roles(microdata, "quasi", "sensitive")
        told = self._told(microdata)
        step("Grouping")
        arrangement = self._grouped(microdata, key).arrange(key, repr(self))
        step("Generalizing")
        slots = {
            column.name: self._generalize(column, told[column.name], arrangement)
            for column in microdata.with_role("sensitive")
        }
        return publish_subdomains(microdata, arrangement, manifest, told, slots, self.parts)

    # Targets

    def _told(self, microdata: Microdata) -> dict[str, list[Told]]:
        """For each sensitive column the tree and weights of every part."""
        parts = parts_of(microdata, self.parts)
        return {
            column.name: [
                tell(column, part, self._target(column, part), self.arity, self.cap)
                for part in parts
            ]
            for column in microdata.with_role("sensitive")
        }

    def _target(self, column: Column, part: Part) -> str:
        if isinstance(self.target, str):
            return self.target
        wanted = column.name if self.parts is None else part.text
        if wanted not in self.target:
            raise CannotAnonymize(
                f"{self.call}: no target is given for {wanted!r}.",
                f"target={{{wanted!r}: 'uniform', …}}.",
            )
        return self.target[wanted]

    # Groups

    def _grouped(self, microdata: Microdata, key: Key) -> Partition:
        further = microdata.with_role("quasi") if self.exact else []
        further += [] if self.parts is None else [microdata.column(self.parts)]
        return given_groups(microdata, key, self.groups, self.size, further, of=self.call)

    # Values

    def _generalize(self, column: Column, told: list[Told], arrangement: Arrangement) -> Pushed:
        """The nodes of every group; those of the second part's tree come behind those of the first."""
        codes, starts = sorted_codes(column, arrangement)
        firsts, sizes = arrangement.order[starts[:-1]], np.diff(starts)
        found, before = [], 0
        for each in told:
            is_own = each.part.rows[firsts]
            own = codes[np.repeat(is_own, sizes)] if len(told) > 1 else codes
            begins = np.concatenate([[0], np.cumsum(sizes[is_own])])
            pushed = self._push(each, each.code_of[own], begins)
            numbers = np.flatnonzero(is_own)[pushed.group]
            found.append(Pushed(numbers, pushed.node + before, pushed.count))
            before += each.tree.size
        if len(found) == 1:
            return found[0]
        joined = Pushed(*(np.concatenate(each) for each in zip(*found, strict=True)))
        order = np.argsort(joined.group, kind="stable")
        return Pushed(*(each[order] for each in joined))

    def _push(self, told: Told, codes: NDArray[np.int32], starts: NDArray[np.int64]) -> Pushed:
        nodes, weights = told.tree.nodes, told.tree.weights
        pushed: Pushed
        if self.fakes:
            pushed = push_with_fakes(codes, starts, nodes, weights, told.ranges, self.fakes)
        else:
            tops = np.zeros(starts.size - 1, np.int64)
            pushed = push_down(codes, starts, nodes, weights, tops, self.shift, self.cap)
        return pushed
