"""Groups of neighbours: cut the table into small neighbourhoods, then fill groups inside each."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from anonagram.calls import AtLeast
from anonagram.kernels.cuts import cut_rows
from anonagram.kernels.fill import fill_nodes
from anonagram.kernels.needs import Diverse
from anonagram.key import Key
from anonagram.partition.partitioner import Grouped, RowPartitioner, Rows, number_nodes
from anonagram.partition.requirements import Requirement
from anonagram.runtime.threads import spreading

BLOCKS = 16
"""Threads share what is cut into two until it is smaller than one of so many parts of the table."""


class Block(NamedTuple):
    """A run of rows whose groups are made."""

    first: int
    last: int
    groups: int


@dataclass(frozen=True, repr=False)
class Neighbours(RowPartitioner, call="neighbours", example="neighbours(leaf=16)"):
    """Our partitioner: close rows share a group, and a frequent value never stops the cutting.

    The widest attribute of a part is cut at its median, again and again. Where a half would not be
    l-diverse, the rows nearest to the border change sides, as few as needed. (With several sensitive
    columns that can fail for one of them, and groups are joined until all are diverse.) Parts of
    fewer than leaf·l rows are filled greedily: a group begins with the row farthest from the last
    one's first and takes the nearest rows with different values.

    Other requirements, and several together: a cut is made where both halves fulfil them all, and
    what cannot be cut any more is a group.

    Sensitive values move borders and choose group members, which a minimality attacker may reason
    from; the rule is deterministic but for the order of equal rows, so the attack can be run.
    """

    makes = (Requirement,)
    leaf: Annotated[int, AtLeast(2)] = 16
    """Parts smaller than leaf·l rows are filled; more is slower and a little better."""

    def group(self, rows: Rows, key: Key) -> Grouped:  # noqa: ARG002
        """Cut, then fill."""
        size = rows.rows.size
        group = np.empty(size, np.int32)
        small = self.leaf * rows.least if isinstance(rows.needs, Diverse) else 0
        block = max(size // BLOCKS, small)

        def halve_or_fill(first: int, last: int) -> tuple[list[Block], list[tuple[int, int]]]:
            if last - first >= block:
                starts = cut(rows, first, last, last - first).tolist()
                if len(starts) > 1:
                    return [], list(pairwise([*starts, last]))
            return [Block(first, last, _cut_and_fill(rows, first, last, small, group))], []

        reached = 0
        for first, last, count in sorted(spreading(halve_or_fill, (0, size))):
            group[first:last] += reached
            reached += count
        return Grouped(group, reached)


def cut(rows: Rows, first: int, last: int, small: int) -> NDArray[np.int64]:
    """Cut into parts of fewer than small rows where that can be done; where each begins."""
    starts: NDArray[np.int64] = cut_rows(
        rows.codes, rows.sensitive, rows.rows, first, last, rows.needs, rows.least, small,
        rows.attributes, rows.values,
    )  # fmt: skip
    return starts


def _cut_and_fill(rows: Rows, first: int, last: int, small: int, group: NDArray[np.int32]) -> int:
    """Make the groups of one block, numbered from 0; how many there are."""
    starts = np.append(cut(rows, first, last, small), last)
    if not isinstance(rows.needs, Diverse):
        made = number_nodes(starts)
        group[first:last] = made.group_of
        return made.groups
    filled: int = fill_nodes(
        rows.codes, rows.sensitive, starts, rows.least, small, rows.attributes, rows.values, group
    )
    return filled
