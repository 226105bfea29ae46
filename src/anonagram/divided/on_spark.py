"""Rows on a cluster of Apache Spark."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

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
    refuse_many,
    require_some,
)
from anonagram.engines.drafts import Draft, count_drafts
from anonagram.engines.spark_codes import Packing, SparkCodes
from anonagram.engines.spark_files import SparkFiles
from anonagram.engines.spark_session import explained, read_source, session_at
from anonagram.engines.spark_table import SparkTable
from anonagram.engines.spark_work import map_items
from anonagram.partition.blocks import (
    Blocks,
    LeafCounts,
    LeavesFound,
    Secrets,
)
from anonagram.partition.cuts import Cuts
from anonagram.partition.equal_rows import Contents
from anonagram.partition.sampling import WHOLE, Draw
from anonagram.queries.opened import count_equal_rows
from anonagram.release.sheet import Part
from anonagram.runtime.workspace import remove

Batch = tuple[Codes, NDArray[np.uint64]]
"""Rows as codes, and their hashes where cuts look at them."""


@contextmanager
def rows_on_spark(master: str, source: str) -> Iterator[RowsOnSpark]:
    """A table that Spark reads, in a session of its own."""
    with session_at(master) as session:
        with explained():
            frame, is_text = read_source(session, source)
        yield RowsOnSpark(SparkTable(frame), Path(source).name, is_text)


@dataclass
class RowsOnSpark(Rows):
    """A frame of Spark."""

    table: SparkTable
    label: str
    is_text: bool = False

    @property
    def names(self) -> Sequence[str]:  # type: ignore[override]
        """The columns of the frame."""
        return self.table.names

    def count_values(self, names: Sequence[str]) -> Mapping[str, pl.DataFrame]:
        """Counted where the rows are; what comes here are the different values."""
        with explained():
            found = self.table.distinct(names, MOST_VALUES)
        for name, values in found.items():
            if values.height > MOST_VALUES:
                raise refuse_many(name, self.label)
        return found

    def look_through(
        self, columns: Mapping[str, ValueCodes], do: Callable[[Iterator[Codes]], Done]
    ) -> list[Done]:
        """Each partition where it is."""
        work = partial(_look, columns=dict(columns), do=do)
        with explained():
            return self.table.map_partitions(list(columns), work)

    def drafted(self, names: Sequence[str], scratch: Path) -> DraftedOnSpark:
        """Each partition where it is: Spark hands rows over slowly, so only once."""
        refuse = partial(refuse_many, label=self.label)
        with explained():
            drafts = self.table.drafted(names, scratch / "drafts", MOST_VALUES, refuse)
        require_some(sum(draft.rows for draft in drafts), self.label)
        counted = count_drafts(drafts, names, MOST_VALUES, refuse)
        return DraftedOnSpark(self.table.frame.sparkSession, drafts, counted, scratch)


@dataclass(frozen=True)
class DraftedOnSpark(DraftedRows):
    """Numbers in files that all executors reach."""

    session: Any
    drafts: Sequence[Draft]
    counted: Mapping[str, pl.DataFrame]
    scratch: Path

    def coded(self, columns: Mapping[str, ValueCodes]) -> CodedRowsOnSpark:
        """Words, written once: all that follows reads the same rows again and again."""
        packing = Packing.of([int(each.codes.max()) + 1 for each in columns.values()])
        code_of = [each.of for each in columns.values()]
        with explained():
            coded = SparkCodes.of_drafts(
                self.session, self.drafts, code_of, packing, self.scratch / "codes"
            )
        remove(self.scratch / "drafts")
        return CodedRowsOnSpark(coded)


@dataclass
class CodedRowsOnSpark(CodedRows):
    """Codes on a cluster."""

    codes: SparkCodes

    def draw(self, which: Draw) -> Contents:
        """Drawn and counted where the rows are; what is drawn first is little, and comes at once."""
        with explained():
            if which.share == WHOLE:
                return Contents.together(self.codes.map_runs(partial(_drawn, which=which)))
            return Contents.together(self.codes.map_equal(which.among, partial(_kept, which=which)))

    def count(
        self, cuts: Cuts, proven: Sequence[int], secrets: Secrets
    ) -> tuple[LeafCounts, tuple[int, int]]:
        """Counted where the rows are."""
        with explained():
            count = partial(count_leaves, cuts=cuts, proven=tuple(proven))
            counted = self.codes.map_runs(partial(_counted, count=count, secrets=secrets))
            leaves, sums = [found for found, _ in counted], _added([each for _, each in counted])
            if cuts.looks_at_hashes:
                hashed = secrets.dealing(sums).of_numbered
                self.codes = self.codes.deal(
                    partial(_those, need=cuts.need_hashes), _each_once, hashed
                )
                leaves += self.codes.with_hashes.map_runs(count)
            return LeavesFound.together(leaves).by_leaf(), sums

    def work(self, blocks: Blocks, do: Callable[[int, NDArray[np.int32]], Done]) -> list[Done]:
        """Every block in a task of its own, which may be tried again elsewhere."""
        with explained():
            found = self.codes.map_blocks(blocks.cuts.find, len(blocks.sizes), do)
        return [done for _, done in found]

    def count_equal(self, part: Part, files: Sequence[Path]) -> pl.DataFrame:
        """Counted where the files are."""
        session = self.codes.session
        return count_equal_rows(SparkFiles.over(session, {part.table: files}), part)

    def each(self, items: Sequence[Any], do: Callable[[Any], Done]) -> list[Done]:
        """Every item in a task of its own."""
        with explained():
            return map_items(self.codes.session, items, do)


def _look(
    batches: Iterator[pl.DataFrame],
    columns: Mapping[str, ValueCodes],
    do: Callable[[Iterator[Codes]], Done],
) -> Done:
    return do(coded_batches(batches, columns))


def _drawn(batches: Iterator[Batch], which: Draw) -> Contents:
    return Contents.together([which.among(codes) for codes, _ in batches])


def _each_once(codes: Codes, times: NDArray[np.int64]) -> Contents:
    return Contents.together([Contents(codes, times)])


def _kept(codes: Codes, times: NDArray[np.int64], which: Draw) -> Contents:
    return which.kept(_each_once(codes, times))


def _those(codes: Codes, need: Callable[[Codes], NDArray[np.bool_]]) -> Contents:
    return Contents.of(codes[need(codes)])


def _counted(
    batches: Iterator[Batch],
    count: Callable[[Iterator[Batch]], LeavesFound],
    secrets: Secrets,
) -> tuple[LeavesFound, tuple[int, int]]:
    """What is in each leaf but for rows that need hashes, and the sums of all hashes, in one pass."""
    sums: list[tuple[int, int]] = []

    def summed(batch: Batch) -> Batch:
        sums.append(secrets.sums(batch[0]))
        return batch

    found = count(map(summed, batches))
    return found, _added(sums)


def _added(sums: Sequence[tuple[int, int]]) -> tuple[int, int]:
    return sum(one for one, _ in sums), sum(two for _, two in sums)
