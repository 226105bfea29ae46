"""Rows of codes on Apache Spark: packed into words, in files that its tasks read by the run.

Spark moves rows one at a time; what is done with codes is done in Python by the hundred thousand. So
they are packed once and stay so: tasks read runs of a file, and what is moved to another task is a
piece of many rows in one of Spark's.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonagram.engines.row_files import BATCH, RowFile, parts_among, put_rows
from anonagram.engines.spark_session import spark_sql
from anonagram.engines.spark_work import DONE, collected, frame_of, map_items, map_partitions, told
from anonagram.kernels.packed import unpack_codes

WORD = 63
"""Bits of a whole number into which codes are packed."""
RUN = 1 << 22
"""Rows that one task reads."""
Codes = NDArray[np.int32]
Hashes = NDArray[np.uint64]
Words = NDArray[np.int64]
Counted = tuple[Codes, NDArray[np.int64]]
"""Different rows, and how often each occurs."""


class Shift(NamedTuple):
    """The word that a code is in, where it begins there, and its bits."""

    word: int
    first: int
    bits: int


@dataclass(frozen=True)
class Packing:
    """Where each code of a row is when several are packed into a word: disks and shuffles move these."""

    shifts: tuple[Shift, ...]

    @classmethod
    def of(cls, sizes: Sequence[int]) -> Self:
        """As few words as hold codes up to these sizes, in their order."""
        shifts, word, used = [], 0, 0
        for size in sizes:
            bits = max(1, int(size).bit_length())
            if used + bits > WORD:
                word, used = word + 1, 0
            shifts.append(Shift(word, used, bits))
            used += bits
        return cls(tuple(shifts))

    @property
    def width(self) -> int:
        """How many words a row has."""
        return self.shifts[-1].word + 1

    @property
    def names(self) -> list[str]:
        """What the words are called on Spark."""
        return [f"w{word}" for word in range(self.width)]

    def expressions(self) -> list[str]:
        """The words of columns c0, c1 and so on, in SQL."""
        parts: dict[int, list[str]] = {}
        for column, (word, first, _) in enumerate(self.shifts):
            parts.setdefault(word, []).append(f"shiftleft(CAST(c{column} AS BIGINT), {first})")
        return [f"{' | '.join(codes)} AS w{word}" for word, codes in parts.items()]

    def words(self, codes: Codes) -> Words:
        """Rows of codes as words."""
        words = np.zeros((len(codes), self.width), np.int64)
        for column, (word, first, _) in enumerate(self.shifts):
            words[:, word] |= codes[:, column].astype(np.int64) << first
        return words

    def codes(self, words: Words) -> Codes:
        """The codes that are packed into words; there may be more numbers behind these."""
        codes = np.empty((len(words), len(self.shifts)), np.int32)
        for place in range(self.width):
            inside = [
                (j, first, bits) for j, (of, first, bits) in enumerate(self.shifts) if of == place
            ]
            columns, firsts, bits = np.array(inside, np.int64).T.copy()
            unpack_codes(words[:, place].copy(), columns, firsts, (1 << bits) - 1, codes)
        return codes


class Piece(NamedTuple):
    """Rows as they are read."""

    words: Words
    codes: Codes
    hashes: Hashes
    """None where runs have none."""


@dataclass(frozen=True)
class Run:
    """Rows in a file, which one task reads."""

    file: RowFile
    first: int
    last: int
    has_hashes: bool
    """Behind the words of a row."""

    def pieces(self, packing: Packing) -> Iterator[Piece]:
        """Some of them at a time."""
        for rows in self.file.batches(self.first, self.last):
            hashes = rows[:, packing.width :].copy().view(np.uint64).ravel()
            yield Piece(rows[:, : packing.width], packing.codes(rows), hashes)


@dataclass(frozen=True)
class SparkCodes:
    """Rows of codes in files that all tasks reach."""

    session: Any
    folder: Path
    packing: Packing
    runs: tuple[Run, ...]

    @classmethod
    def written(cls, frame: Any, packing: Packing, folder: Path) -> Self:
        """The words of a frame; what follows reads the same rows again and again."""
        folder.mkdir()
        return cls(frame.sparkSession, folder, packing, _write(frame, folder, False))

    def counted(
        self,
        choose: Callable[[Codes], Counted],
        keep: Callable[[Codes, NDArray[np.int64]], Counted],
    ) -> Counted:
        """What is kept of the rows that are chosen, each once and with how often it was."""
        kept = self._chosen(choose).mapInArrow(
            partial(_kept, keep=keep, packing=self.packing), self._with("times long")
        )
        found = pl.DataFrame(kept.toArrow())
        words = found.drop("times").to_numpy().reshape(-1, self.packing.width)
        return self.packing.codes(words), found["times"].to_numpy()

    def deal(
        self,
        choose: Callable[[Codes], Counted],
        hashed: Callable[[Codes], Hashes],
    ) -> SparkCodes:
        """With rows that are chosen once more, behind a hash of their codes and their number among equals.

        Equal rows may change places, so they are counted and not looked for.
        """
        add = partial(_add_hashes, hashed=hashed, packing=self.packing)
        rows = self._chosen(choose).mapInArrow(add, self._with("h long"))
        return replace(self, runs=(*self.runs, *_write(rows, self.folder, True)))

    @property
    def with_hashes(self) -> SparkCodes:
        """The rows alone that were dealt."""
        return replace(self, runs=tuple(run for run in self.runs if run.has_hashes))

    def map_runs(self, do: Callable[[Iterator[tuple[Codes, Hashes]]], Any]) -> list[Any]:
        """What is found in each run, whose rows come as codes and, where there are some, hashes."""
        return map_items(self.session, self.runs, partial(_do_run, do=do, packing=self.packing))

    def map_blocks(
        self,
        block_of: Callable[[Codes, Hashes], Codes],
        count: int,
        do: Callable[[int, Codes], Any],
    ) -> list[tuple[int, Any]]:
        """What is found for each block, of whose number a row tells; each comes as a whole.

        Rows with a number below 0 are left out.
        """
        apart = partial(_by_block, block_of=block_of, packing=self.packing)
        pieces = frame_of(self.session, self.runs, apart, "block int, words binary")
        together = pieces.repartitionById(count, spark_sql().functions.col("block"))
        work = partial(_do_block, do=do, packing=self.packing)
        return collected(together.mapInArrow(work, DONE))

    def _chosen(self, choose: Callable[[Codes], Counted]) -> Any:
        """A frame of the rows that are chosen, each once: each task counts its own, Spark adds them up."""
        count = partial(_count_chosen, choose=choose, packing=self.packing)
        found = frame_of(self.session, self.runs, count, self._with("times long"))
        total = spark_sql().functions.sum("times").alias("times")
        return found.groupBy(*self.packing.names).agg(total)

    def _with(self, column: str) -> str:
        """The columns of the words, and one behind them."""
        return ", ".join([*(f"{word} long" for word in self.packing.names), column])


def _write(frame: Any, folder: Path, has_hashes: bool) -> tuple[Run, ...]:
    """The rows of a frame of whole numbers, in a file for each of its partitions."""
    files = map_partitions(frame, _matrix, partial(_put, folder=folder))
    return tuple(
        Run(file, first, min(first + RUN, rows), has_hashes)
        for file, rows in files
        for first in range(0, rows, RUN)
    )


def _matrix(batch: Any) -> Words:
    return np.column_stack([column.to_numpy() for column in batch.columns])


def _put(pieces: Iterable[Words], folder: Path) -> tuple[RowFile, int]:
    """Under a name that nobody else has: a task may be tried twice, and whose result comes counts."""
    path, rows, width = folder / secrets.token_hex(8), 0, 0
    with path.open("wb", buffering=0) as handle:
        for piece in pieces:
            put_rows(piece, handle)
            rows, width = rows + len(piece), piece.shape[1]
    return RowFile(path, width, np.int64), rows


def _do_run(run: Run, do: Callable[[Iterator[tuple[Codes, Hashes]]], Any], packing: Packing) -> Any:
    return do((piece.codes, piece.hashes) for piece in run.pieces(packing))


def _count_chosen(
    kind: Any, _number: int, run: Run, choose: Callable[[Codes], Counted], packing: Packing
) -> Iterator[Any]:
    for piece in run.pieces(packing):
        yield _batch(kind, packing, *choose(piece.codes))


def _batch(kind: Any, packing: Packing, codes: Codes, times: NDArray[np.int64]) -> Any:
    words = packing.words(codes)
    columns = {name: words[:, place].copy() for place, name in enumerate(packing.names)}
    return kind.from_pydict({**columns, "times": times})


def _kept(
    batches: Iterable[Any],
    keep: Callable[[Codes, NDArray[np.int64]], Counted],
    packing: Packing,
) -> Iterator[Any]:
    for batch in batches:
        rows = _matrix(batch)
        yield _batch(type(batch), packing, *keep(packing.codes(rows), rows[:, -1].copy()))


def _add_hashes(
    batches: Iterable[Any], hashed: Callable[[Codes], Hashes], packing: Packing
) -> Iterator[Any]:
    """Each row as often as it was counted, numbered, with its hashes."""
    for batch in batches:
        counted = _matrix(batch)
        ends = np.cumsum(counted[:, -1])
        for first in range(0, int(ends[-1]) if ends.size else 0, BATCH):
            number = np.arange(first, min(first + BATCH, int(ends[-1])))
            row = np.searchsorted(ends, number, side="right")
            place = (number - (ends - counted[:, -1])[row]).astype(np.int32)
            rows = counted[row]
            hashes = hashed(np.column_stack([packing.codes(rows), place])).view(np.int64)
            columns = {name: rows[:, j].copy() for j, name in enumerate(packing.names)}
            yield type(batch).from_pydict({**columns, "h": hashes})


def _by_block(
    kind: Any,
    _number: int,
    run: Run,
    block_of: Callable[[Codes, Hashes], Codes],
    packing: Packing,
) -> Iterator[Any]:
    """For each block its rows of a piece, as one row of Spark."""
    for piece in run.pieces(packing):
        parts = list(parts_among(block_of(piece.codes, piece.hashes)))
        yield kind.from_pydict(
            {
                "block": np.array([block for block, _ in parts], np.int32),
                "words": [piece.words[rows].tobytes() for _, rows in parts],
            }
        )


def _do_block(
    batches: Iterable[Any], do: Callable[[int, Codes], Any], packing: Packing
) -> Iterator[Any]:
    """The work on one block, where all of its rows are."""
    pieces, number, kind = [], None, None
    for batch in batches:
        if not batch.num_rows:
            continue
        block = batch.column(0).to_numpy()
        number, kind = int(block[0]), type(batch)
        if (block != number).any():
            raise AssertionError("rows of two blocks came together")
        for each in batch.column(1):
            words = np.frombuffer(each.as_buffer(), np.int64).reshape(-1, packing.width)
            pieces.append(packing.codes(words))
    if number is not None:
        yield told(kind, number, lambda: do(number, np.concatenate(pieces)))
