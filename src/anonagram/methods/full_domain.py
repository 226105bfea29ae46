"""What methods have in common that give each column one level for the whole table."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonagram.errors import CannotAnonymize
from anonagram.kernels.lattice import Rule
from anonagram.key import Key
from anonagram.lattice import Choice, Ladder, Lattice, Node, ladders_of
from anonagram.methods.covers import cover_of_level, publish_covers
from anonagram.methods.goal_method import GoalMethod, Share, Suppressed, unreachable
from anonagram.methods.publication import Publication
from anonagram.microdata import Microdata
from anonagram.partition import Partition
from anonagram.release import Manifest, Rows
from anonagram.runtime.progress import step


@dataclass(frozen=True, repr=False, init=False)
class FullDomain(GoalMethod):
    """A method that chooses a node of the lattice: one level of its hierarchy for each column.

    Columns without a hierarchy get one that suits their values.
    """

    suppress: Share = 0.0
    """The share of rows of which nothing may be told, so that others can be told more."""
    suppressed: Suppressed = "kept"
    """Whether those rows stay, as a last group that keeps the promises too, or are left out."""
    undivided = "one level is chosen for the whole of each column"

    @abstractmethod
    def choose(self, lattice: Lattice, rule: Rule) -> Node:
        """The node to publish; one whose cost is infinite where none was found."""

    def cost_name(self) -> str:
        """What nodes cost."""
        return "loss"

    def lattice(self, microdata: Microdata) -> tuple[Lattice, Rule]:
        """The lattice of a table, and what may be suppressed."""
        tests = self.tests(microdata)
        step("Climbing hierarchies")
        lattice = Lattice(microdata, ladders_of(microdata), tests, self.cost_name())
        limit = int(self.suppress * microdata.rows + 1e-9)
        return lattice, lattice.rule(limit, is_kept=self.suppressed == "kept")

    def rearrange(self, microdata: Microdata, key: Key, manifest: Manifest) -> Publication:
        """Choose a node, and tell of each group its labels."""
        lattice, rule = self.lattice(microdata)
        step("Searching")
        node = self.choose(lattice, rule)
        if not np.isfinite(node.cost):
            self._refuse(microdata, lattice, key, manifest)
        step("Generalizing")
        choice = Choice(lattice, rule, node, repr(self), self.cost_name())
        found = self._publish(microdata, lattice, rule, node, key, manifest)
        return replace(found, choice=choice)

    def _publish(
        self,
        microdata: Microdata,
        lattice: Lattice,
        rule: Rule,
        node: Node,
        key: Key,
        manifest: Manifest,
    ) -> Publication:
        group_of, is_bad = lattice.groups(node.levels, rule)
        if not is_bad.any():
            return self._told(microdata, lattice.ladders, node, group_of, None, key, manifest)
        if rule.is_kept:
            # all that is suppressed becomes one group, whose number is the last
            kept = np.cumsum(~is_bad) - 1
            last = int(kept[-1]) + 1
            group_of = np.where(is_bad, last, kept)[group_of].astype(np.int32)
            return self._told(microdata, lattice.ladders, node, group_of, last, key, manifest)
        rows = np.flatnonzero(~is_bad[group_of]).astype(np.int32)
        if not rows.size:
            raise CannotAnonymize(
                f"{self.call} would leave every row out.",
                'suppressed="kept", or a smaller share to suppress.',
            )
        numbers = (np.cumsum(~is_bad) - 1).astype(np.int32)
        published = microdata.take(rows)
        manifest = _with_rows(manifest, Rows(microdata.rows, rows.size, microdata.rows - rows.size))
        totals = {c.name: _totals(c, manifest) for c in microdata.with_role("sensitive")}
        found = self._told(
            published, lattice.ladders, node, numbers[group_of[rows]], None, key, manifest, totals
        )
        return replace(found, mapping=_spread(found.mapping, rows, microdata.rows))

    def _told(
        self,
        microdata: Microdata,
        ladders: Sequence[Ladder],
        node: Node,
        group_of: NDArray[np.int32],
        hidden: int | None,
        key: Key,
        manifest: Manifest,
        totals: dict[str, pl.DataFrame] | None = None,
    ) -> Publication:
        count = int(group_of.max()) + 1
        arrangement = Partition(group_of, count).arrange(key, repr(self), hidden)
        firsts = arrangement.order[arrangement.starts[:-1]]
        is_hidden = np.zeros(count, np.bool_)
        is_hidden[-1] = hidden is not None
        covers = {}
        for ladder, level in zip(ladders, node.levels, strict=True):
            column = microdata.column(ladder.column.name)
            codes = column.codes[firsts]
            covers[column.name] = cover_of_level(ladder, level, column, codes, is_hidden)
        return publish_covers(microdata, arrangement, covers, manifest, totals)

    def _refuse(self, microdata: Microdata, lattice: Lattice, key: Key, manifest: Manifest) -> None:
        """Say which promise fails where nothing is told of anybody, and by how much."""
        top, everybody = lattice.top, np.zeros(microdata.rows, np.int32)
        node = Node(top, np.inf, 0)
        release = self._told(
            microdata, lattice.ladders, node, everybody, None, key, manifest
        ).release
        raise CannotAnonymize(*unreachable(self.goal, release, microdata.label))


def _with_rows(manifest: Manifest, rows: Rows) -> Manifest:
    (table,) = manifest.tables
    return replace(manifest, tables=(replace(table, rows=rows),))


def _totals(column, manifest: Manifest) -> pl.DataFrame:  # type: ignore[no-untyped-def]
    codes = np.flatnonzero(column.counts).astype(np.int32)
    return pl.DataFrame(
        {column.name: column.decode(codes), manifest.layout["rows"]: column.counts[codes]}
    )


def _spread(mapping: pl.DataFrame, rows: NDArray[np.int32], count: int) -> pl.DataFrame:
    """Where each row of the original went; nowhere, if it was left out."""
    places = pl.DataFrame({"row": rows}).hstack(mapping)
    every = pl.DataFrame({"row": np.arange(count, dtype=np.int32)})
    return every.join(places, on="row", how="left", maintain_order="left").drop("row")
