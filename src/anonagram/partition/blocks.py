"""Cutting a table into blocks that can be worked on apart, by anybody and in any order.

Which rows a block has, and in which order, follows from the rows' content and the key alone, never
from where the rows stood: rows are ordered by a keyed hash of their values. Rows that are equal in
everything may change places, and nobody can tell.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Self

import numpy as np
from numpy.typing import NDArray

from anonagram.digests import digest_of
from anonagram.kernels.siphash import hash_rows
from anonagram.key import Key
from anonagram.microdata import Microdata
from anonagram.partition.by_value.partitioner import SensitiveNumbers
from anonagram.partition.neighbours import cut
from anonagram.partition.partitioner import Rows
from anonagram.partition.requirements import Requirement, Spread


@dataclass(frozen=True)
class HashedRows:
    """The rows of a table by a keyed hash of their content."""

    hashes: NDArray[np.uint64]
    """Of each row."""
    order: NDArray[np.int32]
    """The rows, lowest hash first; of equal hashes, by content."""

    @classmethod
    def of(cls, microdata: Microdata, key: Key) -> Self:
        """Hash every row and sort by it."""
        codes = _codes(microdata)
        hashes = hash_rows(codes, key.words("blocks/hash", 4).view(np.uint64))
        order = np.argsort(hashes, kind="stable").astype(np.int32)
        same = np.flatnonzero(np.diff(hashes[order]) == 0)
        tied = np.union1d(same, same + 1)  # equal rows nearly always, different ones by chance
        rows = order[tied]
        order[tied] = rows[np.lexsort((*codes[rows].T, hashes[rows]))]
        return cls(hashes, order)

    def blocks(self, block_of: NDArray[np.int64], count: int) -> list[NDArray[np.int32]]:
        """The rows of each block, in their order; given the block of each row."""
        in_order = block_of[self.order]
        by_block = self.order[np.argsort(in_order, kind="stable")]
        ends = np.cumsum(np.bincount(in_order, minlength=count))
        return [each for each in np.split(by_block, ends[:-1]) if each.size]


def content_digest(microdata: Microdata, key: Key) -> bytes:
    """A hash of a table whose rows may come in any order, for the owner of the key."""
    codes = _codes(microdata)
    secrets = key.words("blocks/content", 8).view(np.uint64).reshape(2, 2)
    sums = [int(hash_rows(codes, secret).sum()).to_bytes(8, "little") for secret in secrets]
    return digest_of(*(column.digest_with(b"") for column in microdata.columns), *sums)


def any_rows(microdata: Microdata, most: int, key: Key) -> list[NDArray[np.int32]]:
    """Blocks of about so many rows, whoever they are."""
    hashed = HashedRows.of(microdata, key)
    count = -(-microdata.rows // most)
    # the upper half of a hash, as a share of all there are, says which block
    block_of = (hashed.hashes >> np.uint64(32)).astype(np.int64) * count >> 32
    return hashed.blocks(block_of, count)


def neighbourhoods(
    microdata: Microdata, requirement: Requirement, most: int, key: Key
) -> list[NDArray[np.int32]]:
    """Blocks of close rows, cut as groups of neighbours are, that each fulfil the requirement.

    No block has more than so many rows, unless it cannot be cut.
    """
    requirement.require_possible(microdata)
    hashed = HashedRows.of(microdata, key)
    rows = Rows.ordered(microdata, requirement, hashed.order.copy())
    starts = cut(rows, 0, microdata.rows, most + 1)
    block_of = np.empty(microdata.rows, np.int64)
    block_of[rows.rows] = np.repeat(
        np.arange(starts.size), np.diff(np.append(starts, microdata.rows))
    )
    return hashed.blocks(block_of, starts.size)


def value_runs(
    microdata: Microdata, requirement: Spread, most: int, key: Key
) -> list[NDArray[np.int32]]:
    """Blocks of neighbouring values that are each (k,e), of about so many rows.

    What is least in every block need not be least in the whole table.
    """
    requirement.require_possible(microdata)
    hashed = HashedRows.of(microdata, key)
    sweep = SensitiveNumbers.of(microdata.take(hashed.order), requirement).sweep(key)
    if not sweep.is_possible:
        return [hashed.order]
    starts = _good_runs(sweep.latest, most)
    block_of = np.empty(microdata.rows, np.int64)
    for number, (first, last) in enumerate(pairwise(starts)):
        block_of[hashed.order[sweep.rows[first:last]]] = number
    # rows without a value go to every block in turn
    without = np.arange(sweep.missing.size) % (len(starts) - 1)
    block_of[hashed.order[sweep.missing]] = without
    return hashed.blocks(block_of, len(starts) - 1)


def _good_runs(latest: NDArray[np.int32], most: int) -> list[int]:
    """Where runs of about so many rows begin, each of them good, and the end of the last."""
    starts = [0]
    while starts[-1] < latest.size:
        # the first end of a good run that begins here, or the one that is wanted
        end = max(starts[-1] + most, int(np.searchsorted(latest, starts[-1])) + 1)
        starts.append(end if end < latest.size and latest[-1] >= end else latest.size)
    return starts


def _codes(microdata: Microdata) -> NDArray[np.int32]:
    return np.stack([column.codes for column in microdata.columns], axis=1)
