"""Cutting a table into blocks that can be worked on apart, by anybody and in any order.

Which rows a block has, and in which order, follows from the rows' content and the key alone, never
from where the rows stood: rows are told apart by keyed hashes of their values. Rows that are equal in
everything may change places, and nobody can tell.

The steps are the same wherever the rows are, in the memory of one machine, on its disk or on a
cluster: the hashes of all rows are summed (`content_digest`), those with the lowest hashes are a
sample (`looked_at`), the sample is cut (`Division.cut`), exact counts say which leaves of the
cuts are blocks (`blocks_of`), and inside a block rows stand by their hashes (`in_order`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Self

import numpy as np
from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.algorithms import AES
from cryptography.hazmat.primitives.ciphers.modes import ECB
from numpy.typing import NDArray

from anonagram.columns.cells import count_cells
from anonagram.digests import digest_of
from anonagram.errors import InternalError
from anonagram.kernels.row_hashes import hash_rows
from anonagram.key import Key
from anonagram.microdata import Column, Microdata
from anonagram.partition.cuts import NO_HASHES, Cuts, join
from anonagram.partition.division import Cutting, Division
from anonagram.partition.equal_rows import places_among_equals
from anonagram.partition.requirements.requirement import Counted
from anonagram.partition.sampling import looked_at

WORDS = 2
"""Of a secret: as many bits as the hash has."""
CIPHER_BYTES = 16
Secret = NDArray[np.int32]


@dataclass(frozen=True)
class Dealing:
    """How rows are dealt to blocks by hashes alone, where cuts look at them."""

    secrets: tuple[Secret, Secret]
    """Of the two hashes that are encrypted."""
    cipher: bytes = field(repr=False)
    """What they are encrypted with."""

    def hashes(self, codes: NDArray[np.int32]) -> NDArray[np.uint64]:
        """What cuts by hashes look at; equal rows have different ones, so that they are dealt out too.

        Otherwise two published rows in different blocks could not come from equal ones, and that
        would be told. `codes` must be all the rows that are equal to any of them.
        """
        return self.of_numbered(np.column_stack([codes, places_among_equals(codes)]))

    def of_numbered(self, numbered: NDArray[np.int32]) -> NDArray[np.uint64]:
        """The same of rows behind whose codes stands how many equal ones come before.

        Which block a row is in can be seen where blocks are published apart, and xxHash does not hide
        its secret from somebody who sees many of its hashes: AES does, and two of them are its block.
        """
        pairs = np.column_stack([hash_rows(numbered, each) for each in self.secrets])
        cipher = Cipher(AES(self.cipher), ECB()).encryptor()  # noqa: S305 - blocks that differ
        hidden = cipher.update(pairs.astype("<u8").tobytes())
        return np.frombuffer(hidden, "<u8").reshape(-1, 2)[:, 0].astype(np.uint64)


@dataclass(frozen=True)
class Secrets:
    """What rows are hashed with, for each use a secret of its own."""

    content: tuple[Secret, Secret]
    """Of the two sums that tell a table."""
    sample: Secret
    own: Key = field(repr=False)
    """Of the blocks of a table that is known by the counts of its values alone so far."""

    @classmethod
    def of(cls, key: Key, table: Microdata, call: str, most: int) -> Self:
        """Those of a table that is known by the counts of its values alone so far."""
        words = key.words("blocks/content", 2 * WORDS).view(np.int32)
        own = key.derived(counts_digest(table), call.encode()).at("rows", most)
        sample = own.words("sample", WORDS).view(np.int32)
        return cls((words[:WORDS], words[WORDS:]), sample, own)

    def dealing(self, sums: tuple[int, int]) -> Dealing:
        """How the rows of the table with these sums are dealt.

        By counts alone, two tables that differ only in which values stand together would be dealt
        alike under one key, and whoever has both releases would know which blocks share their people.
        """
        own = self.own.derived(b"".join(map(_as_bytes, sums)), b"dealing")
        words = own.words("spread", 2 * WORDS).view(np.int32)
        cipher = own.words("cipher", CIPHER_BYTES // 4).tobytes()
        return Dealing((words[:WORDS], words[WORDS:]), cipher)

    def sums(self, codes: NDArray[np.int32]) -> tuple[int, int]:
        """The hashes of these rows, added up for each of the two."""
        one, two = (int(hash_rows(codes, each).sum()) for each in self.content)
        return one, two


def _as_bytes(total: int) -> bytes:
    """A sum of hashes, which are added up as they are stored."""
    return (total % 2**64).to_bytes(8, "little")


def counts_digest(table: Microdata) -> bytes:
    """A hash of all values of a table and of how often each occurs."""
    return digest_of(*(c.digest_with(c.counts.astype("<i8").tobytes()) for c in table.columns))


def digest_of_sums(table: Microdata, sums: Iterable[tuple[int, int]]) -> bytes:
    """A hash of a table whose rows may come in any order, from the sums of any parts of it."""
    totals = [sum(each) for each in zip(*sums, strict=True)]
    return digest_of(counts_digest(table), *map(_as_bytes, totals))


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


class LeafValues(NamedTuple):
    """Leaves, codes of a column that rows of them have, and how often."""

    leaves: NDArray[np.int32]
    codes: NDArray[np.int32]
    counts: NDArray[np.int64]

    @classmethod
    def counted(
        cls,
        leaves: NDArray[np.int32],
        codes: NDArray[np.int32],
        counts: NDArray[np.int64] | None = None,
    ) -> Self:
        """Each leaf and code once, in their order."""
        width = int(codes.max(initial=0)) + 1
        found, totals = count_cells(leaves.astype(np.int64) * width + codes, counts)
        in_leaf, code = (each.astype(np.int32) for each in np.divmod(found, width))
        return cls(in_leaf, code, totals)


@dataclass(frozen=True)
class LeavesFound:
    """How many of some rows are in each leaf, and what values they have there."""

    rows: LeafValues
    """The code is 0."""
    values: tuple[LeafValues, ...]
    """Of each column that is to be proven."""

    @classmethod
    def of(cls, codes: NDArray[np.int32], leaves: NDArray[np.int32], proven: Sequence[int]) -> Self:
        """Count rows of which the leaves are known."""
        rows = LeafValues.counted(leaves, np.zeros_like(leaves))
        return cls(rows, tuple(LeafValues.counted(leaves, codes[:, place]) for place in proven))

    @property
    def size(self) -> int:
        """How many numbers it holds of one kind."""
        return sum(each.counts.size for each in self.values)

    @classmethod
    def together(cls, found: Sequence[LeavesFound]) -> LeavesFound:
        """The same of all rows."""
        if len(found) == 1:
            return found[0]

        def added(several: Sequence[LeafValues]) -> LeafValues:
            return LeafValues.counted(
                *(np.concatenate(each) for each in zip(*several, strict=True))
            )

        columns = zip(*(each.values for each in found), strict=True)
        return cls(added([each.rows for each in found]), tuple(added(each) for each in columns))

    def by_leaf(self) -> LeafCounts:
        """The counts of each leaf."""
        rows = dict(zip(self.rows.leaves.tolist(), self.rows.counts.tolist(), strict=True))
        columns = []
        for leaves, codes, counts in self.values:
            starts = np.flatnonzero(np.diff(leaves, prepend=-1))
            pieces = zip(np.split(codes, starts[1:]), np.split(counts, starts[1:]), strict=True)
            columns.append(
                {int(leaves[s]): Counted(*piece) for s, piece in zip(starts, pieces, strict=True)}
            )
        return LeafCounts(rows, columns)


def in_order(codes: NDArray[np.int32], key: Key) -> NDArray[np.int32]:
    """The rows by their hashes; of equal hashes, by content."""
    hashes = hash_rows(codes, key.words("blocks/order", WORDS).view(np.int32))
    order = np.argsort(hashes, kind="stable").astype(np.int32)
    sorted_hashes = hashes[order]
    same = np.flatnonzero(sorted_hashes[1:] == sorted_hashes[:-1])
    if (codes[order[same]] == codes[order[same + 1]]).all():
        return order  # rows that are equal in everything may stand either way
    tied = np.union1d(same, same + 1)
    rows = order[tied]
    order[tied] = rows[np.lexsort((*codes[rows].T, hashes[rows]))]
    return order


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
    sample = looked_at(
        secrets.sample, microdata.rows, most, lambda draw: draw.kept(draw.among(codes))
    )
    cutting = division.cut(with_codes(microdata, sample), microdata.rows, most)
    cuts = cutting.cuts
    hashes = NO_HASHES
    if cuts.looks_at_hashes:
        needed = cuts.need_hashes(codes)
        hashes = np.zeros(len(codes), np.uint64)
        hashes[needed] = secrets.dealing(secrets.sums(codes)).hashes(codes[needed])
    proven = places_of(microdata, division.proven(microdata))
    found = LeavesFound.of(codes, cuts.find(codes, hashes), proven)
    blocks = blocks_of(division, cutting, found.by_leaf(), microdata)
    block_of = blocks.cuts.find(codes, hashes)
    by_block = np.argsort(block_of, kind="stable").astype(np.int32)
    rows = np.split(by_block, np.cumsum(blocks.sizes)[:-1])
    return [each[in_order(codes[each], key)] for each in rows]


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
