"""What methods have in common that may suppress rows: of some people nothing is told."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NoReturn

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonagram.errors import CannotAnonymize
from anonagram.kernels.lattice import Rule
from anonagram.key import Key
from anonagram.lattice import Lattice, ladders_of
from anonagram.methods.covers import Codes, Cover, publish_covers
from anonagram.methods.goal_method import GoalMethod, Share, Suppressed, unreachable
from anonagram.methods.publication import Publication
from anonagram.microdata import Column, Microdata
from anonagram.partition import Partition
from anonagram.release import Manifest, Rows
from anonagram.runtime.progress import step

Tell = Callable[[Column, Codes, NDArray[np.bool_]], Cover]
"""What a column's labels are, by a code of each group and which groups are hidden."""


@dataclass(frozen=True)
class Groups:
    """What a search found: who is in which group, and what is told of each."""

    of: NDArray[np.int32]
    """The group of every row."""
    is_bad: NDArray[np.bool_]
    """Groups that are suppressed."""
    tell: Tell


@dataclass(frozen=True, repr=False, init=False)
class Suppressing(GoalMethod):
    """A method that may suppress rows, so that others can be told more."""

    suppress: Share = 0.0
    """The share of rows of which nothing may be told, so that others can be told more."""
    suppressed: Suppressed = "kept"
    """Whether those rows stay, as a last group that keeps the promises too, or are left out."""

    def cost_name(self) -> str:
        """What is made least."""
        return "loss"

    def lattice(self, microdata: Microdata) -> tuple[Lattice, Rule]:
        """The lattice of a table, and what may be suppressed."""
        tests = self.tests(microdata)
        step("Climbing hierarchies")
        lattice = Lattice(microdata, ladders_of(microdata), tests, self.cost_name())
        limit = int(self.suppress * microdata.rows + 1e-9)
        return lattice, lattice.rule(limit, is_kept=self.suppressed == "kept")

    def publish_groups(
        self, microdata: Microdata, found: Groups, key: Key, manifest: Manifest
    ) -> Publication:
        """Tell of each group its labels, and of suppressed ones nothing."""
        group_of, is_bad, tell = found.of, found.is_bad, found.tell
        if not is_bad.any():
            return self._told(microdata, group_of, None, tell, key, manifest)
        if self.suppressed == "kept":
            # all that is suppressed becomes one group, whose number is the last
            kept = np.cumsum(~is_bad) - 1
            last = int(kept[-1]) + 1
            group_of = np.where(is_bad, last, kept)[group_of].astype(np.int32)
            return self._told(microdata, group_of, last, tell, key, manifest)
        return self._left_out(microdata, found, key, manifest)

    def _left_out(
        self, microdata: Microdata, found: Groups, key: Key, manifest: Manifest
    ) -> Publication:
        rows = np.flatnonzero(~found.is_bad[found.of]).astype(np.int32)
        if not rows.size:
            raise CannotAnonymize(
                f"{self.call} would leave every row out.",
                'suppressed="kept", or a smaller share to suppress.',
            )
        numbers = (np.cumsum(~found.is_bad) - 1).astype(np.int32)
        published = microdata.take(rows)
        manifest = _with_rows(manifest, Rows(microdata.rows, rows.size, microdata.rows - rows.size))
        # with them everybody knows the values of those who were left out; see Lattice.rule
        is_compared = any(test.is_compared for test in self.tests(microdata))
        compared = microdata.with_role("sensitive") if is_compared else []
        totals = {c.name: _totals(c, manifest) for c in compared}
        made = self._told(
            published, numbers[found.of[rows]], None, found.tell, key, manifest, totals
        )
        return replace(made, mapping=_spread(made.mapping, rows, microdata.rows))

    def _told(
        self,
        microdata: Microdata,
        group_of: NDArray[np.int32],
        hidden: int | None,
        tell: Tell,
        key: Key,
        manifest: Manifest,
        totals: dict[str, pl.DataFrame] | None = None,
    ) -> Publication:
        count = int(group_of.max()) + 1
        arrangement = Partition(group_of, count).arrange(key, repr(self), hidden)
        firsts = arrangement.order[arrangement.starts[:-1]]
        is_hidden = np.zeros(count, np.bool_)
        is_hidden[-1] = hidden is not None
        covers = {
            column.name: tell(column, column.codes[firsts], is_hidden)
            for column in microdata.with_role("quasi")
        }
        return publish_covers(microdata, arrangement, covers, manifest, totals)

    def refuse(self, microdata: Microdata, tell: Tell, key: Key, manifest: Manifest) -> NoReturn:
        """Say which promise fails where nothing is told of anybody, and by how much."""
        everybody = np.zeros(microdata.rows, np.int32)
        release = self._told(microdata, everybody, None, tell, key, manifest).release
        raise CannotAnonymize(*unreachable(self.goal, release, microdata.label))


def _with_rows(manifest: Manifest, rows: Rows) -> Manifest:
    (table,) = manifest.tables
    return replace(manifest, tables=(replace(table, rows=rows),))


def _totals(column: Column, manifest: Manifest) -> pl.DataFrame:
    codes = np.flatnonzero(column.counts).astype(np.int32)
    return pl.DataFrame(
        {column.name: column.decode(codes), manifest.layout["rows"]: column.counts[codes]}
    )


def _spread(mapping: pl.DataFrame, rows: NDArray[np.int32], count: int) -> pl.DataFrame:
    """Where each row of the original went; nowhere, if it was left out."""
    places = pl.DataFrame({"row": rows}).hstack(mapping)
    every = pl.DataFrame({"row": np.arange(count, dtype=np.int32)})
    return every.join(places, on="row", how="left", maintain_order="left").drop("row")
