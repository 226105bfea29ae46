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
    Rows,
    ValueCodes,
    coded_batches,
    refuse_many,
)
from anonagram.engines.spark_files import SparkFiles
from anonagram.engines.spark_session import explained, read_source, session_at
from anonagram.engines.spark_table import SparkCodes, SparkTable, cuts_sql
from anonagram.kernels.row_hashes import BY_HASH, HASH_BITS
from anonagram.partition.blocks import (
    Blocks,
    Dealing,
    LeafCounts,
    LeafValues,
    LeavesFound,
    Secrets,
    sample_limit,
)
from anonagram.partition.cuts import Cuts
from anonagram.queries.opened import count_equal_rows
from anonagram.release.sheet import Part


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

    @contextmanager
    def coded(self, columns: Mapping[str, ValueCodes], scratch: Path) -> Iterator[CodedRowsOnSpark]:
        """Every row as codes, written once: all that follows reads the same rows again and again."""
        given = {name: (each.values, each.codes) for name, each in columns.items()}
        with explained():
            coded = self.table.coded(given, scratch)
        yield CodedRowsOnSpark(coded)


@dataclass
class CodedRowsOnSpark(CodedRows):
    """Codes on a cluster."""

    codes: SparkCodes

    def sample(self, secrets: Secrets, rows: int) -> NDArray[np.int32]:
        """Chosen where the rows are."""
        with explained():
            return self.codes.sample(secrets.sample, sample_limit(rows))

    def count(
        self, cuts: Cuts, proven: Sequence[int], secrets: Secrets
    ) -> tuple[LeafCounts, tuple[int, int]]:
        """Counted where the rows are."""
        with explained():
            if cuts.looks_at_hashes:
                _, (one, two) = self.codes.count("0", [], secrets.content)
                dealing = secrets.dealing((one, two))
                self.codes = self.codes.with_hashes(partial(_dealt, dealing=dealing))
            counted, sums = self.codes.count(_sql_of(cuts), proven, secrets.content)
        rows, *values = (
            LeafValues.counted(*(each[name].to_numpy() for name in ("leaf", "code", "count")))
            for each in counted
        )
        return LeavesFound(rows, tuple(values)).by_leaf(), (sums[0], sums[1])

    def work(self, blocks: Blocks, do: Callable[[int, NDArray[np.int32]], Done]) -> list[Done]:
        """Every block in a task of its own, which may be tried again elsewhere."""
        with explained():
            found = self.codes.map_blocks(_sql_of(blocks.cuts), len(blocks.sizes), do)
        return [done for _, done in found]

    def count_equal(self, part: Part, files: Sequence[Path]) -> pl.DataFrame:
        """Counted where the files are."""
        session = self.codes.frame.sparkSession
        return count_equal_rows(SparkFiles.over(session, {part.table: files}), part)

    def each(self, items: Sequence[Any], do: Callable[[Any], Done]) -> list[Done]:
        """Every item in a task of its own."""
        with explained():
            return self.codes.map_items(items, do)


def _look(
    batches: Iterator[pl.DataFrame],
    columns: Mapping[str, ValueCodes],
    do: Callable[[Iterator[Codes]], Done],
) -> Done:
    return do(coded_batches(batches, columns))


def _dealt(numbered: NDArray[np.int32], dealing: Dealing) -> NDArray[np.int32]:
    """The bits that cuts compare, of rows behind which the number of equal ones before stands."""
    return (dealing.of_numbered(numbered) >> np.uint64(64 - HASH_BITS)).astype(np.int32)


def _sql_of(cuts: Cuts) -> str:
    return cuts_sql(cuts.attribute, cuts.border, cuts.left, cuts.right, BY_HASH)
