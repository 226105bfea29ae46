"""More rows than memory, on one machine: the rows as codes in a file, and the blocks in another.

Nothing of the table is in memory but a batch of its rows, the counts of its values, and the blocks
that are worked on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Self

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonagram.divided.rows import (
    MOST_VALUES,
    CodedRows,
    Codes,
    Done,
    DraftedRows,
    Rows,
    ValueCodes,
    coded_batches,
    count_leaves,
    plain,
    refuse_many,
    require_some,
)
from anonagram.engines.drafts import COUNT, VALUE, Draft, added, count_drafts
from anonagram.engines.row_files import BATCH, RowFile, put_rows
from anonagram.errors import CannotAnonymize
from anonagram.kernels.row_hashes import hash_rows
from anonagram.partition.blocks import (
    Blocks,
    Dealing,
    LeafCounts,
    Secrets,
)
from anonagram.partition.cuts import NO_HASHES, Cuts
from anonagram.partition.equal_rows import Contents
from anonagram.partition.sampling import Draw
from anonagram.queries.opened import count_equal_rows, over_files
from anonagram.release.sheet import Part
from anonagram.shown.wording import how_many, option
from anonagram.sources.files import Scanned, scan_file

LEAST_MEMORY = 1 << 30
BYTES_A_CELL, OWN_BYTES = 60, 400 << 20
"""What work on a block takes for each of its cells, and the process without one: estimates."""


@dataclass(frozen=True)
class RowsOnDisk(Rows):
    """A file that is read a part at a time."""

    scanned: Scanned
    memory: int
    """Bytes that may be used."""

    @classmethod
    def at(cls, path: str | Path, memory: int) -> Self:
        """A table in a file, or in a folder of Parquet files."""
        if memory < LEAST_MEMORY:
            raise CannotAnonymize(
                f"{how_many(memory, 'byte is', 'bytes are')} less than the work on a single block takes.",
                f"{option('--memory 1GiB', 'memory=2**30')} is the least.",
            )
        return cls(scan_file(Path(path)), memory)

    @property
    def label(self) -> str:  # type: ignore[override]
        """The name of the file."""
        return self.scanned.label

    @property
    def is_text(self) -> bool:  # type: ignore[override]
        """Of CSV, types are found on the different values."""
        return self.scanned.is_text

    @property
    def names(self) -> Sequence[str]:  # type: ignore[override]
        """The columns of the file."""
        return self.scanned.names

    def count_values(self, names: Sequence[str]) -> Mapping[str, pl.DataFrame]:
        """Batch after batch; what was found so far is added up when it grows."""
        found: dict[str, list[pl.DataFrame]] = {name: [] for name in names}
        waiting, refuse = dict.fromkeys(names, 0), partial(refuse_many, label=self.label)
        for batch in self.scanned.batches(names, BATCH):
            for name in names:
                each = plain(batch[name]).alias(VALUE).value_counts(name=COUNT)
                found[name].append(each.with_columns(pl.col(COUNT).cast(pl.Int64)))
                waiting[name] += each.height
                if waiting[name] > MOST_VALUES:
                    found[name] = [added(found[name], name, MOST_VALUES, refuse)]
                    waiting[name] = 0
        return {name: added(each, name, MOST_VALUES, refuse) for name, each in found.items()}

    def look_through(
        self, columns: Mapping[str, ValueCodes], do: Callable[[Iterator[Codes]], Done]
    ) -> list[Done]:
        """All rows in the order of the file."""
        return [do(self._batches(columns))]

    def _batches(self, columns: Mapping[str, ValueCodes]) -> Iterator[Codes]:
        return coded_batches(self.scanned.batches(list(columns), BATCH), columns)

    def drafted(self, names: Sequence[str], scratch: Path) -> DraftedOnDisk:
        """All rows in the order of the file."""
        refuse = partial(refuse_many, label=self.label)
        batches = (
            batch.select(plain(batch[name]) for name in names)
            for batch in self.scanned.batches(names, BATCH)
        )
        draft = Draft.of(batches, scratch, MOST_VALUES, refuse)
        require_some(draft.rows, self.label)
        counted = count_drafts([draft], names, MOST_VALUES, refuse)
        return DraftedOnDisk(draft, counted, scratch, self.memory)


@dataclass(frozen=True)
class DraftedOnDisk(DraftedRows):
    """Numbers in a file."""

    draft: Draft
    counted: Mapping[str, pl.DataFrame]
    scratch: Path
    memory: int

    def coded(self, columns: Mapping[str, ValueCodes]) -> CodedRowsOnDisk:
        """Write the codes of all rows, one row behind the other."""
        path = self.scratch / "codes"
        tables = self.draft.tables([each.of for each in columns.values()])
        with path.open("wb", buffering=0) as handle:
            for numbers in self.draft.numbers():
                looked_up = [codes[of] for codes, of in zip(tables, numbers, strict=True)]
                put_rows(np.stack(looked_up, axis=1), handle)
        self.draft.path.unlink()
        return CodedRowsOnDisk(RowFile(path, len(columns)), self.scratch, self.memory)


def _with_hashes(rows: NDArray[np.int32], hashes: NDArray[np.uint64]) -> NDArray[np.int32]:
    return np.column_stack([rows, hashes.view(np.int32).reshape(-1, 2)])


@dataclass
class CodedRowsOnDisk(CodedRows):
    """Codes in a file; where cuts look at hashes, rows also have their place among equal ones."""

    file: RowFile
    scratch: Path
    memory: int

    def draw(self, which: Draw) -> Contents:
        """Batch after batch; what was found so far is added up when it grows."""
        found: list[Contents] = []
        for batch in self.file.batches():
            found.append(which.among(batch))
            if sum(each.times.size for each in found) > MOST_VALUES:
                found = [Contents.together(found)]
        return which.kept(Contents.together(found))

    def count(
        self, cuts: Cuts, proven: Sequence[int], secrets: Secrets
    ) -> tuple[LeafCounts, tuple[int, int]]:
        """The same; rows that are equal are brought together first, where they must be told apart."""
        sums = [secrets.sums(each) for each in self.file.batches()]
        total = sum(one for one, _ in sums), sum(two for _, two in sums)
        if cuts.looks_at_hashes:
            self.file = self._beside_hashes(cuts, secrets, secrets.dealing(total))
        batches = (self._split(cuts, batch) for batch in self.file.batches())
        return count_leaves(batches, cuts, proven).by_leaf(), total

    def work(self, blocks: Blocks, do: Callable[[int, NDArray[np.int32]], Done]) -> list[Done]:
        """One block after the other, each read as a whole."""
        self._require_room(blocks)
        by_block = self.file.sorted_into(
            self.scratch / "blocks",
            blocks.sizes,
            lambda batch: blocks.cuts.find(*self._split(blocks.cuts, batch)),
        )
        self.file.path.unlink()
        done, first = [], 0
        for number, size in enumerate(blocks.sizes):
            codes, _ = self._split(blocks.cuts, by_block.between(first, first + size))
            done.append(do(number, codes))
            first += size
        return done

    def count_equal(self, part: Part, files: Sequence[Path]) -> pl.DataFrame:
        """DuckDB counts them in what is left of memory, and on disk."""
        with over_files(
            {part.table: files}, self.memory - OWN_BYTES, scratch=self.scratch
        ) as database:
            return count_equal_rows(database, part)

    def each(self, items: Sequence[Any], do: Callable[[Any], Done]) -> list[Done]:
        """One after the other."""
        return [do(item) for item in items]

    def _split(
        self, cuts: Cuts, batch: NDArray[np.int32]
    ) -> tuple[NDArray[np.int32], NDArray[np.uint64]]:
        """The codes of rows, and their hashes where there are some behind them."""
        if not cuts.looks_at_hashes:
            return batch, NO_HASHES
        hashes = np.ascontiguousarray(batch[:, -2:]).view(np.uint64).ravel()
        return np.ascontiguousarray(batch[:, :-2]), hashes

    def _beside_hashes(self, cuts: Cuts, secrets: Secrets, dealing: Dealing) -> RowFile:
        """All rows with their hashes; where they are needed, equal rows are brought together for that."""
        some = RowFile(self.scratch / "some", self.file.width)
        path = self.scratch / "hashed"
        with path.open("wb", buffering=0) as hashed, some.path.open("wb", buffering=0) as needing:
            for batch in self.file.batches():
                needed = cuts.need_hashes(batch)
                put_rows(batch[needed], needing)
                rest = batch[~needed]
                put_rows(_with_hashes(rest, np.zeros(len(rest), np.uint64)), hashed)
        self.file.path.unlink()
        buckets = max(-(-some.rows // BATCH), 1)

        def bucket_of(batch: NDArray[np.int32]) -> NDArray[np.int32]:
            high = hash_rows(batch, secrets.sample) >> np.uint64(33)
            bucket: NDArray[np.int32] = (high * np.uint64(buckets) >> np.uint64(31)).astype(
                np.int32
            )
            return bucket

        sizes = np.zeros(buckets, np.int64)
        for batch in some.batches():
            sizes += np.bincount(bucket_of(batch), minlength=buckets)
        together = some.sorted_into(self.scratch / "equal", sizes.tolist(), bucket_of)
        some.path.unlink()
        first = 0
        with path.open("ab", buffering=0) as handle:
            for size in sizes.tolist():
                rows = together.between(first, first + size)
                put_rows(_with_hashes(rows, dealing.hashes(rows)), handle)
                first += size
        together.path.unlink()
        return RowFile(path, self.file.width + 2)

    def _require_room(self, blocks: Blocks) -> None:
        largest = max(blocks.sizes)
        needed = OWN_BYTES + BYTES_A_CELL * largest * self.file.width
        if needed > self.memory:
            room = -(-needed // 2**30)
            raise CannotAnonymize(
                f"A block of {how_many(largest, 'row')} cannot be cut further and would take about "
                f"{needed / 2**30:.1f} GiB.",
                f"{option(f'--memory {room}GiB', f'memory={room} * 2**30')}, a lower l, or more "
                "quasi-identifiers to cut by.",
            )
