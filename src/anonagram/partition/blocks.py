"""Cutting a table into blocks that can be worked on apart, by anybody and in any order.

Which rows a block has, and in which order, follows from the rows' content and the key alone, never
from where the rows stood: rows are told apart by keyed hashes of their values. Rows that are equal in
everything may change places, and nobody can tell.

The steps are the same wherever the rows are, in the memory of one machine, on its disk or on a
cluster: the hashes of all rows are summed (`content_digest`), those with the lowest hashes are a
sample (`Secrets.sampled`), the sample is cut (`Division.cut`), exact counts say which leaves of the
cuts are blocks (`blocks_of`), and inside a block rows stand by their hashes (`in_order`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from anonagram.digests import digest_of
from anonagram.errors import InternalError
from anonagram.kernels.row_hashes import hash_rows
from anonagram.key import Key
from anonagram.microdata import Column, Microdata
from anonagram.partition.cuts import Cuts, join
from anonagram.partition.division import Cutting, Division
from anonagram.partition.requirements.requirement import Counted

SAMPLE = 1 << 18
"""Rows that are looked at to choose cuts; smaller tables are looked at as a whole."""
WORDS = 2
"""Of a secret: as many bits as the hash has."""
Secret = NDArray[np.int32]


@dataclass(frozen=True)
class Secrets:
    """What rows are hashed with, for each use a secret of its own."""

    content: tuple[Secret, Secret]
    """Of the two sums that tell a table."""
    sample: Secret
    spread: Secret
    """Of cuts by hashes."""

    @classmethod
    def of(cls, key: Key, table: Microdata, call: str, most: int) -> Self:
        """Those of a table that is known by the counts of its values alone so far."""
        words = key.words("blocks/content", 2 * WORDS).view(np.int32)
        own = key.derived(counts_digest(table), call.encode()).at("rows", most)
        sample, spread = (own.words(use, WORDS).view(np.int32) for use in ("sample", "spread"))
        return cls((words[:WORDS], words[WORDS:]), sample, spread)

    def sampled(self, codes: NDArray[np.int32], rows: int) -> NDArray[np.int32]:
        """The rows among these that are in the sample of a table of so many."""
        chosen: NDArray[np.int32] = codes[
            hash_rows(codes, self.sample) >> np.uint64(32) < np.uint64(sample_limit(rows))
        ]
        return chosen

    def sums(self, codes: NDArray[np.int32]) -> tuple[int, int]:
        """The hashes of these rows, added up for each of the two."""
        one, two = (int(hash_rows(codes, each).sum()) for each in self.content)
        return one, two


def sample_limit(rows: int) -> int:
    """Rows are sampled where the upper half of their hash is below this."""
    return 2**32 if rows <= SAMPLE else 2**32 * SAMPLE // rows


def counts_digest(table: Microdata) -> bytes:
    """A hash of all values of a table and of how often each occurs."""
    return digest_of(*(c.digest_with(c.counts.astype("<i8").tobytes()) for c in table.columns))


def digest_of_sums(table: Microdata, sums: Iterable[tuple[int, int]]) -> bytes:
    """A hash of a table whose rows may come in any order, from the sums of any parts of it."""
    totals = [sum(each) % 2**64 for each in zip(*sums, strict=True)]
    return digest_of(counts_digest(table), *(total.to_bytes(8, "little") for total in totals))


@dataclass(frozen=True)
class LeafCounts:
    """How often each value of some columns occurs in each leaf of a table's cuts."""

    rows: Mapping[int, int]
    """Of each leaf in which somebody is."""
    values: Sequence[Mapping[int, Counted]]
    """For each of the columns: the codes of each leaf, and how often it has them."""

    def of(self, leaves: Sequence[int]) -> tuple[int, list[Counted]]:
        """The same of several leaves together."""
        counted = []
        for by_leaf in self.values:
            found = [by_leaf[leaf] for leaf in leaves]
            codes, place = np.unique(np.concatenate([c.codes for c in found]), return_inverse=True)
            counts = np.concatenate([c.counts for c in found])
            totals = np.bincount(place, counts, codes.size).astype(np.int64)
            counted.append(Counted(codes, totals))
        return sum(self.rows[leaf] for leaf in leaves), counted


@dataclass(frozen=True)
class Blocks:
    """Which rows are a block: cuts that lead to its number, and how many rows each has."""

    cuts: Cuts
    sizes: tuple[int, ...]


def blocks_of(division: Division, cutting: Cutting, counts: LeafCounts, table: Microdata) -> Blocks:
    """Blocks that can each be worked on apart, as exact counts show."""
    needs = division.needs(table)

    def is_block(leaves: Sequence[int]) -> bool:
        rows, counted = counts.of(leaves)
        return division.is_block(rows, counted, needs)

    joined = join(cutting.neighbours, is_block, counts.rows)
    if not all(is_block(leaves) for leaves in joined):
        raise InternalError("A table that can be one block was cut into what can be none.")
    number = np.zeros(cutting.leaves, np.int32)
    for block, leaves in enumerate(joined):
        number[leaves] = block
    sizes = tuple(sum(counts.rows[leaf] for leaf in leaves) for leaves in joined)
    return Blocks(cutting.cuts.leading_to(number), sizes)


def count_leaves(
    codes: NDArray[np.int32], leaves: NDArray[np.int32], proven: Sequence[int]
) -> tuple[Counted, list[tuple[NDArray[np.int32], Counted]]]:
    """How many rows each leaf has; and for each of some columns leaf, code and how often."""
    rows = Counted(*np.unique(leaves, return_counts=True))
    values = []
    for place in proven:
        pairs = leaves.astype(np.int64) << 32 | codes[:, place]
        found, counts = np.unique(pairs, return_counts=True)
        values.append(
            (
                (found >> 32).astype(np.int32),
                Counted((found & (2**32 - 1)).astype(np.int32), counts),
            )
        )
    return rows, values


def in_order(codes: NDArray[np.int32], key: Key) -> NDArray[np.int32]:
    """The rows by their hashes; of equal hashes, by content."""
    hashes = hash_rows(codes, key.words("blocks/order", WORDS).view(np.int32))
    order = np.argsort(hashes, kind="stable").astype(np.int32)
    same = np.flatnonzero(np.diff(hashes[order]) == 0)
    tied = np.union1d(same, same + 1)  # equal rows nearly always, different ones by chance
    rows = order[tied]
    order[tied] = rows[np.lexsort((*codes[rows].T, hashes[rows]))]
    return order


def places_among_equals(codes: NDArray[np.int32]) -> NDArray[np.int32]:
    """For each row how many of those before it are equal to it."""
    order = np.lexsort(codes.T)
    is_new = np.append(True, (codes[order[1:]] != codes[order[:-1]]).any(axis=1))
    starts = np.flatnonzero(is_new)
    sizes = np.diff(np.append(starts, order.size))
    places = np.empty(order.size, np.int32)
    places[order] = np.arange(order.size) - np.repeat(starts, sizes)
    return places


def hashes_for(cuts: Cuts, codes: NDArray[np.int32], secrets: Secrets) -> NDArray[np.uint64]:
    """What cuts by hashes look at; equal rows have different ones, so that they are dealt out too.

    Otherwise two published rows in different blocks could not come from equal ones, and that would
    be told. `codes` must be all the rows that are equal to any of them.
    """
    if not cuts.looks_at_hashes:
        return np.zeros(0, np.uint64)
    numbered = np.column_stack([codes, places_among_equals(codes)])
    hashes: NDArray[np.uint64] = hash_rows(numbered, secrets.spread)
    return hashes


def content_digest(microdata: Microdata, key: Key) -> bytes:
    """A hash of a table whose rows may come in any order, for the owner of the key."""
    secrets = Secrets.of(key, microdata, "", 0)
    return digest_of_sums(microdata, [secrets.sums(codes_of(microdata.columns))])


def cut_into_blocks(
    microdata: Microdata, division: Division, secrets: Secrets, most: int, key: Key
) -> list[NDArray[np.int32]]:
    """The rows of each block of a table in memory, in their order."""
    division.require_possible(microdata)
    codes = codes_of(microdata.columns)
    cutting = division.cut(
        with_codes(microdata, secrets.sampled(codes, microdata.rows)), microdata.rows, most
    )
    hashes = hashes_for(cutting.cuts, codes, secrets)
    leaves = cutting.cuts.find(codes, hashes)
    proven = places_of(microdata, division.proven(microdata))
    counts = leaf_counts([count_leaves(codes, leaves, proven)])
    blocks = blocks_of(division, cutting, counts, microdata)
    block_of = blocks.cuts.find(codes, hashes)
    by_block = np.argsort(block_of, kind="stable").astype(np.int32)
    rows = np.split(by_block, np.cumsum(blocks.sizes)[:-1])
    return [each[in_order(codes[each], key)] for each in rows]


def leaf_counts(
    found: Sequence[tuple[Counted, list[tuple[NDArray[np.int32], Counted]]]],
) -> LeafCounts:
    """The counts of all parts of a table together."""
    rows: dict[int, int] = {}
    for each, _ in found:
        for leaf, count in zip(each.codes.tolist(), each.counts.tolist(), strict=True):
            rows[leaf] = rows.get(leaf, 0) + count
    columns = []
    for several in zip(*(values for _, values in found), strict=True):
        leaves = np.concatenate([leaf for leaf, _ in several])
        codes = np.concatenate([counted.codes for _, counted in several])
        counts = np.concatenate([counted.counts for _, counted in several])
        pairs, place = np.unique(leaves.astype(np.int64) << 32 | codes, return_inverse=True)
        totals = np.bincount(place, counts, pairs.size).astype(np.int64)
        of, codes = (pairs >> 32).astype(np.int32), (pairs & (2**32 - 1)).astype(np.int32)
        starts = np.flatnonzero(np.diff(of, prepend=-1))
        pieces = zip(np.split(codes, starts[1:]), np.split(totals, starts[1:]), strict=True)
        columns.append(
            {int(of[s]): Counted(*piece) for s, piece in zip(starts, pieces, strict=True)}
        )
    return LeafCounts(rows, columns)


def codes_of(columns: Sequence[Column]) -> NDArray[np.int32]:
    """The codes of columns side by side, a row each."""
    return np.stack([column.codes for column in columns], axis=1)


def places_of(table: Microdata, columns: Sequence[Column]) -> list[int]:
    """Where columns stand among all of a table."""
    names = [column.name for column in table.columns]
    return [names.index(column.name) for column in columns]


def with_codes(table: Microdata, codes: NDArray[np.int32]) -> Microdata:
    """A block of a table that has these rows."""
    return table.holding([np.ascontiguousarray(each) for each in codes.T])
