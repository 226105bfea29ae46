"""A small function from a row to its block: a tree of cuts, and which of its leaves are one block."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from anonagram.kernels.row_hashes import BY_HASH, HASH_BITS, find_leaves

NO_HASHES = np.zeros(0, np.uint64)
"""For cuts that look at none, and for rows that need none."""
Tree = int | tuple[int, int, "Tree", "Tree"]
"""A leaf's number; or the attribute and the border of a cut, and what is left and right of it."""


@dataclass(frozen=True)
class Cuts:
    """A tree of cuts; whoever has it can tell the block of a row, with no other row in sight."""

    attribute: NDArray[np.int32]
    """The column that each node looks at, or `BY_HASH`."""
    border: NDArray[np.int32]
    """Codes up to it go left."""
    left: NDArray[np.int32]
    """The next node, or ~leaf."""
    right: NDArray[np.int32]
    leaves: int

    @classmethod
    def of(cls, tree: Tree, leaves: int) -> Self:
        """The same as arrays: the root is the first node."""
        nodes: list[list[int]] = []

        def put(each: Tree) -> int:
            if isinstance(each, int):
                return ~each
            place = len(nodes)
            nodes.append([each[0], each[1], 0, 0])
            nodes[place][2:] = put(each[2]), put(each[3])
            return place

        put(tree)
        table = np.array(nodes, np.int32).reshape(-1, 4)
        attribute, border, left, right = (table[:, j].copy() for j in range(4))
        return cls(attribute, border, left, right, leaves)

    @property
    def looks_at_hashes(self) -> bool:
        """Whether rows that are equal in everything must be told apart for it."""
        return bool((self.attribute == BY_HASH).any())

    def need_hashes(self, codes: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Which rows come to a cut that looks at their hashes; with a row come all that are equal."""
        needed: NDArray[np.bool_] = self.find(codes, NO_HASHES) < 0
        return needed

    def find(self, codes: NDArray[np.int32], hashes: NDArray[np.uint64]) -> NDArray[np.int32]:
        """The leaf of each row; hashes may be anything in rows that need none.

        Without hashes it is below 0 for rows that need one.
        """
        high = (hashes >> np.uint64(64 - HASH_BITS)).astype(np.int32)
        sides = np.column_stack([self.left, self.right])
        leaves: NDArray[np.int32] = find_leaves(codes, high, self.attribute, self.border, sides)
        return leaves

    def leading_to(self, blocks: NDArray[np.int32]) -> Cuts:
        """The same cuts with other numbers for the leaves."""
        ends = [
            np.where(each < 0, ~blocks[np.maximum(~each, 0)], each)
            for each in (self.left, self.right)
        ]
        left, right = (each.astype(np.int32) for each in ends)
        return Cuts(self.attribute, self.border, left, right, int(blocks.max()) + 1)


def cut_by_hash(leaves: Sequence[int]) -> Tree:
    """Rows dealt to leaves by their hashes, as many to each as to any other."""
    edges = [round(n * 2**HASH_BITS / len(leaves)) for n in range(len(leaves) + 1)]

    def cut(first: int, last: int) -> Tree:
        if last - first == 1:
            return leaves[first]
        middle = (first + last) // 2
        return (BY_HASH, edges[middle] - 1, cut(first, middle), cut(middle, last))

    return cut(0, len(leaves))


def join(
    tree: Tree, is_block: Callable[[Sequence[int]], bool], sizes: Mapping[int, int]
) -> list[list[int]]:
    """Leaves that are one block each: what cannot be one is joined with its neighbours in the tree.

    Leaves that nobody is in belong to no block. All leaves together must be a block.
    """

    def settled(each: Tree) -> list[list[int]]:
        if isinstance(each, int):
            return [[each]] if sizes.get(each, 0) else []
        one, other = settled(each[2]), settled(each[3])
        # of several each is a block; a single one may be none
        if len(one) == 1:
            return _grown(one[0], other, is_block)
        if len(other) == 1:
            return _grown(other[0], one[::-1], is_block)[::-1]
        return one + other

    return settled(tree)


def _grown(
    part: list[int], near: list[list[int]], is_block: Callable[[Sequence[int]], bool]
) -> list[list[int]]:
    """Leaves with as many of those beside them as make them a block, the nearest first.

    Where even all of them do not, they are one part that is still none.
    """
    taken = 0
    while taken < len(near) and not is_block(part):
        part, taken = part + near[taken], taken + 1
    if taken == 0 and len(near) == 1 and not is_block(near[0]):
        return [near[0] + part]
    return [part, *near[taken:]]
