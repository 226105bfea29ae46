"""Groups of neighbours: cut the table into small neighbourhoods, then fill groups inside each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from anonagram.calls import AtLeast
from anonagram.kernels.cuts import cut_rows
from anonagram.kernels.fill import fill_nodes
from anonagram.key import Key
from anonagram.partition.partitioner import Partitioner, Rows
from anonagram.runtime.threads import in_threads

BLOCKS = 16
"""Into how many parts the table is cut before threads share them."""


@dataclass(frozen=True, repr=False)
class Neighbours(Partitioner, call="neighbours", example="neighbours(leaf=16)"):
    """Our partitioner: close rows share a group, and a frequent value never stops the cutting.

    The widest attribute of a part is cut at its median, again and again. Where a half would not be
    l-diverse, the rows nearest to the border change sides, as few as needed. (With several sensitive
    columns that can fail for one of them, and groups are joined until all are diverse.) Parts of
    fewer than leaf·l rows are filled greedily: a group begins with the row farthest from the last
    one's first and takes the nearest rows with different values.

    Sensitive values move borders and choose group members, which a minimality attacker may reason
    from; the rule is deterministic but for the order of equal rows, so the attack can be run.
    """

    leaf: Annotated[int, AtLeast(2)] = 16
    """Parts smaller than leaf·l rows are filled; more is slower and a little better."""

    def group(self, rows: Rows, l: int, key: Key) -> tuple[NDArray[np.int32], int]:  # noqa: ARG002
        """Cut, then fill."""
        size = rows.rows.size
        group = np.empty(size, np.int32)
        blocks = self._cut(rows, 0, size, l, max(size // BLOCKS, self.leaf * l))
        ends = np.append(blocks[1:], size)
        pieces = in_threads(
            lambda first, last: self._cut_and_fill(rows, first, last, l, group),
            zip(blocks.tolist(), ends.tolist(), strict=True),
        )
        reached = 0
        for first, last, count in zip(blocks, ends, pieces, strict=True):
            group[first:last] += reached
            reached += count
        return group, reached

    def _cut(self, rows: Rows, first: int, last: int, l: int, small: int) -> NDArray[np.int64]:
        """Cut into parts of fewer than small rows; where each begins."""
        starts: NDArray[np.int64] = cut_rows(
            rows.codes, rows.sensitive, rows.rows, first, last, l, small, rows.attributes,
            rows.values,
        )  # fmt: skip
        return starts

    def _cut_and_fill(
        self, rows: Rows, first: int, last: int, l: int, group: NDArray[np.int32]
    ) -> int:
        """Make the groups of one block, numbered from 0; how many there are."""
        small = self.leaf * l
        starts = np.append(self._cut(rows, first, last, l, small), last)
        made: int = fill_nodes(
            rows.codes, rows.sensitive, starts, l, small, rows.attributes, rows.values, group
        )
        return made
