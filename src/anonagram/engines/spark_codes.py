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
from numpy.typing import NDArray

from anonagram.engines.drafts import Draft
from anonagram.engines.row_files import BATCH, RowFile, parts_among, put_rows
from anonagram.engines.spark_session import spark_sql
from anonagram.engines.spark_work import DONE, collected, frame_of, map_items, told
from anonagram.kernels.packed import unpack_codes

WORD = 63
"""Bits of a whole number into which codes are packed."""
RUN = 1 << 22
"""Rows that one task reads."""
Codes = NDArray[np.int32]
Hashes = NDArray[np.uint64]
Words = NDArray[np.int64]
Times = NDArray[np.int64]
Counted = tuple[Codes, Times]
"""Different rows, and how often each occurs."""
Parts = Iterable[tuple[int, Words]]
"""Numbers of parts, and rows of each."""
ODD = np.uint64(0x9E3779B185EBCA87)
"""Mixes words, so that parts are about as large; what is published does not depend on it."""


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

    def words(self, codes: Codes) -> Words:
        """Rows of codes as words."""
        words = np.zeros((len(codes), self.width), np.int64)
        for column, (word, first, _) in enumerate(self.shifts):
            words[:, word] |= codes[:, column].astype(np.int64) << first
        return words

    def looked_up(self, tables: Sequence[Words], numbers: NDArray[Any]) -> Words:
        """Rows as words, from numbers of each column and tables of their codes."""
        words = np.zeros((numbers.shape[1], self.width), np.int64)
        for (word, first, _), codes, of in zip(self.shifts, tables, numbers, strict=True):
            words[:, word] |= (codes << first)[of]
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
    def of_drafts(
        cls,
        session: Any,
        drafts: Sequence[Draft],
        code_of: Sequence[Callable[[Any], Codes]],
        packing: Packing,
        folder: Path,
    ) -> Self:
        """What rows that were read are as words, now that it is known what codes values have."""
        folder.mkdir()
        put = partial(_put_draft, code_of=code_of, packing=packing, folder=folder)
        files = map_items(session, drafts, put)
        return cls(session, folder, packing, _runs_in(files, False))

    def map_equal(
        self,
        choose: Callable[[Codes], Counted],
        do: Callable[[Codes, Times], Any],
    ) -> list[Any]:
        """What is found of rows that are chosen: in each part all that are equal, and how often.

        Each task counts its own, so that little is moved; the same row may come from several.
        """
        count = max(len(self.runs), 1)
        parts = partial(_equal_parts, choose=choose, count=count, packing=self.packing)
        work = partial(_with_times, do=do, packing=self.packing)
        return [found for _, found in self._together(parts, self.packing.width + 1, count, work)]

    def deal(
        self,
        choose: Callable[[Codes], Counted],
        each_once: Callable[[Codes, Times], Counted],
        hashed: Callable[[Codes], Hashes],
    ) -> SparkCodes:
        """With rows that are chosen once more, behind a hash of their codes and their number among equals.

        Equal rows may change places, so they are counted and not looked for.
        """
        put = partial(
            _put_hashed,
            each_once=each_once,
            hashed=hashed,
            packing=self.packing,
            folder=self.folder,
        )
        return replace(self, runs=(*self.runs, *_runs_in(self.map_equal(choose, put), True)))

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
        parts = partial(_parts_by_block, block_of=block_of)
        work = partial(_with_codes, do=do, packing=self.packing)
        return self._together(parts, self.packing.width, count, work)

    def _together(
        self,
        parts: Callable[[Piece], Parts],
        width: int,
        count: int,
        do: Callable[[int, Words], Any],
    ) -> list[tuple[int, Any]]:
        """What is found for each part, where all of its rows of so many numbers are."""
        cut = partial(_cut_run, parts=parts, packing=self.packing)
        pieces = frame_of(self.session, self.runs, cut, "part int, words binary")
        moved = pieces.repartitionById(count, spark_sql().functions.col("part"))
        return collected(moved.mapInArrow(partial(_do_part, do=do, width=width), DONE))


def _runs_in(files: Iterable[tuple[RowFile, int]], has_hashes: bool) -> tuple[Run, ...]:
    """All rows of some files, as many at a time as a task reads."""
    return tuple(
        Run(file, first, min(first + RUN, rows), has_hashes)
        for file, rows in files
        for first in range(0, rows, RUN)
    )


def _put_draft(
    draft: Draft, code_of: Sequence[Callable[[Any], Codes]], packing: Packing, folder: Path
) -> tuple[RowFile, int]:
    tables = [codes.astype(np.int64) for codes in draft.tables(code_of)]
    return _put((packing.looked_up(tables, numbers) for numbers in draft.numbers()), folder)


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


def _cut_run(
    kind: Any, _number: int, run: Run, parts: Callable[[Piece], Parts], packing: Packing
) -> Iterator[Any]:
    """For each part its rows of a piece, as one row of Spark."""
    for piece in run.pieces(packing):
        if not (cut := list(parts(piece))):
            continue
        numbers = np.array([number for number, _ in cut], np.int32)
        yield kind.from_pydict({"part": numbers, "words": [words.tobytes() for _, words in cut]})


def _parts_by_block(piece: Piece, block_of: Callable[[Codes, Hashes], Codes]) -> Parts:
    for block, rows in parts_among(block_of(piece.codes, piece.hashes)):
        yield block, piece.words[rows]


def _equal_parts(
    piece: Piece, choose: Callable[[Codes], Counted], count: int, packing: Packing
) -> Parts:
    """Rows and how often each occurs here; those that are equal are in the same part everywhere."""
    codes, times = choose(piece.codes)
    words = packing.words(codes)
    mixed = (words.astype(np.uint64) * ODD).sum(axis=1, dtype=np.uint64) >> np.uint64(33)
    counted = np.column_stack([words, times])
    for part, rows in parts_among((mixed % np.uint64(count)).astype(np.int32)):
        yield part, counted[rows]


def _do_part(batches: Iterable[Any], do: Callable[[int, Words], Any], width: int) -> Iterator[Any]:
    """The work on one part, where all of its rows are."""
    pieces, number, kind = [], None, None
    for batch in batches:
        if not batch.num_rows:
            continue
        part = batch.column(0).to_numpy()
        number, kind = int(part[0]), type(batch)
        if (part != number).any():
            raise AssertionError("rows of two parts came together")
        pieces += [np.frombuffer(each.as_buffer(), np.int64) for each in batch.column(1)]
    if number is not None:
        yield told(kind, number, lambda: do(number, np.concatenate(pieces).reshape(-1, width)))


def _with_codes(
    number: int, words: Words, do: Callable[[int, Codes], Any], packing: Packing
) -> Any:
    return do(number, packing.codes(words))


def _with_times(
    _number: int, words: Words, do: Callable[[Codes, Times], Any], packing: Packing
) -> Any:
    return do(packing.codes(words), words[:, -1].copy())


def _put_hashed(
    codes: Codes,
    times: Times,
    each_once: Callable[[Codes, Times], Counted],
    hashed: Callable[[Codes], Hashes],
    packing: Packing,
    folder: Path,
) -> tuple[RowFile, int]:
    """Each row as often as it was counted, numbered, with its hashes."""
    codes, times = each_once(codes, times)
    words, ends = packing.words(codes), np.cumsum(times)

    def pieces() -> Iterator[Words]:
        for first in range(0, int(ends[-1]), BATCH):
            number = np.arange(first, min(first + BATCH, int(ends[-1])))
            row = np.searchsorted(ends, number, side="right")
            place = (number - (ends - times)[row]).astype(np.int32)
            hashes = hashed(np.column_stack([codes[row], place]))
            yield np.column_stack([words[row], hashes.view(np.int64)])

    return _put(pieces(), folder)
