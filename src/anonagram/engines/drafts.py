"""Rows as numbers before all values of their columns are known: one reading both counts and encodes.

Whoever reads a part of a table gives each value the next number when it is first met, writes the
numbers of its rows, and tells afterwards which value each number stands for and how often it was met.
Once the values of all parts are known, numbers become codes by looking them up.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonagram.columns.encoding import dictionary
from anonagram.columns.recoding import codes_among
from anonagram.engines.row_files import BATCH, not_written, put_rows
from anonagram.errors import AnonagramError, InternalError

VALUE, COUNT = "value", "count"
KINDS = (np.uint8, np.uint16, np.int32)
"""Numbers are written as the first of these that holds them."""
Numbers = NDArray[Any]


class Piece(NamedTuple):
    """Rows that were read together: the numbers of each column, one column behind the other."""

    begin: int
    """The place of its first byte in the file."""
    rows: int
    kind: type[np.integer[Any]]


@dataclass(frozen=True)
class Draft:
    """A part of a table in files of numbers and of values."""

    path: Path
    columns: int
    pieces: tuple[Piece, ...]

    @classmethod
    def of(
        cls,
        batches: Iterable[pl.DataFrame],
        folder: Path,
        most: int,
        refuse: Callable[[str], AnonagramError],
    ) -> Self:
        """Read rows; a column with more different values than so many is refused.

        Files have names of their own: a task may be tried twice, and whose result comes counts.
        """
        path, begin = folder / secrets.token_hex(8), 0
        met: list[_Met] = []
        pieces: list[Piece] = []
        with path.open("wb", buffering=0) as handle:
            for rows in _gathered(batches):
                met = met or [_Met(values.clear()) for values in rows]
                numbers = [each.number(values) for each, values in zip(met, rows, strict=True)]
                for each in met:
                    if each.counts.size > most + 1:
                        raise refuse(each.values.name)
                largest = max(each.counts.size for each in met) - 1
                kind = next(kind for kind in KINDS if largest <= np.iinfo(kind).max)
                put_rows(np.stack(numbers).astype(kind), handle)
                pieces.append(Piece(begin, rows.height, kind))
                begin += rows.height * rows.width * np.dtype(kind).itemsize
        try:
            for place, each in enumerate(met):
                each.told().write_ipc(_values_at(path, place))
        except OSError as error:
            raise not_written(error) from error
        return cls(path, len(met), tuple(pieces))

    @property
    def rows(self) -> int:
        """How many there are."""
        return sum(piece.rows for piece in self.pieces)

    def values(self, column: int) -> pl.DataFrame:
        """What each number of a column stands for, a missing value first, and how often it was met."""
        return pl.read_ipc(_values_at(self.path, column))

    def tables(self, code_of: Sequence[Callable[[pl.Series], NDArray[np.int32]]]) -> list[Numbers]:
        """For each column the codes of its numbers; given is what codes values of a column have."""
        return [codes(self.values(place)[VALUE]) for place, codes in enumerate(code_of)]

    def numbers(self) -> Iterator[Numbers]:
        """A piece at a time, a row for each column."""
        for begin, rows, kind in self.pieces:
            found = np.fromfile(self.path, kind, rows * self.columns, offset=begin)
            if found.size != rows * self.columns:
                raise InternalError(f"{self.path} has lost some of its rows.")
            yield found.reshape(self.columns, rows)


def count_drafts(
    drafts: Sequence[Draft],
    names: Sequence[str],
    most: int,
    refuse: Callable[[str], AnonagramError],
) -> dict[str, pl.DataFrame]:
    """The different values of columns and how often each was met, in all parts.

    What was found so far is added up when it grows.
    """
    counted = {}
    for place, name in enumerate(names):
        found: list[pl.DataFrame] = []
        waiting = 0
        for draft in drafts:
            if not draft.columns:
                continue
            found.append(draft.values(place))
            waiting += found[-1].height
            if waiting > most:
                found, waiting = [added(found, name, most, refuse)], 0
        counted[name] = added(found, name, most, refuse)
    return counted


def added(
    found: Sequence[pl.DataFrame], name: str, most: int, refuse: Callable[[str], AnonagramError]
) -> pl.DataFrame:
    """What was found in several places, as in one."""
    total = pl.concat(found).group_by(VALUE).agg(pl.col(COUNT).sum()).filter(pl.col(COUNT) > 0)
    if total.height > most:
        raise refuse(name)
    return total


class _Met:
    """The values of a column that were met so far: number 0 is a missing one."""

    def __init__(self, nothing: pl.Series) -> None:
        self.values = nothing
        self.counts = np.zeros(1, np.int64)

    def number(self, values: pl.Series) -> Numbers:
        """The numbers of some values, which are counted."""
        codes, domain = dictionary(values)
        number_of = codes_among(self.values, domain.cast(self.values.dtype), -1) + 1
        is_new = number_of == 0
        number_of[is_new] = np.arange(int(is_new.sum())) + self.counts.size
        if is_new.any():
            self.values = pl.concat([self.values, domain.filter(pl.Series(is_new))])
        number_of = np.append(number_of, np.int32(0))
        self.counts = np.append(self.counts, np.zeros(int(is_new.sum()), np.int64))
        self.counts[number_of] += np.bincount(codes, minlength=number_of.size)
        return number_of[codes]

    def told(self) -> pl.DataFrame:
        """Value and count of each number."""
        missing = self.values.clear().extend_constant(None, 1)
        return pl.DataFrame({VALUE: pl.concat([missing, self.values]), COUNT: self.counts})


def _values_at(path: Path, column: int) -> Path:
    return path.with_name(f"{path.name}-{column}")


def _gathered(batches: Iterable[pl.DataFrame]) -> Iterator[pl.DataFrame]:
    """As many rows together as are worth looking at together."""
    waiting: list[pl.DataFrame] = []
    for batch in batches:
        waiting.append(batch)
        if sum(each.height for each in waiting) >= BATCH:
            yield pl.concat(waiting)
            waiting = []
    if waiting:
        yield pl.concat(waiting)
