"""Rows of numbers in files that are gone when the work is done: more rows than memory holds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from anonagram.errors import CannotWrite, InternalError
from anonagram.kernels.permute import count_starts, sort_by_group

BATCH = 1 << 19
"""Rows that are in memory at a time while all are read."""
Numbers = NDArray[Any]


def put_rows(rows: NDArray[Any], handle: BinaryIO) -> None:
    """Write rows at once: numpy's own way leaves some in a buffer, and says nothing if they are lost."""
    try:
        left = memoryview(rows.tobytes())
        while left:
            left = left[handle.write(left) :]
    except OSError as error:
        raise not_written(error) from error


def not_written(error: OSError) -> CannotWrite:
    """The error for a disk that is full."""
    return CannotWrite(
        f"The rows of blocks were not written beside the release: {error.strerror or error}.",
        "make room on its disk, about 8 bytes for each cell of the table, or write to another.",
    )


@dataclass(frozen=True)
class RowFile:
    """Rows of so many numbers of one kind, one behind the other."""

    path: Path
    width: int
    kind: type[np.signedinteger[Any]] = np.int32

    @property
    def _bytes(self) -> int:
        """Of a row."""
        return np.dtype(self.kind).itemsize * self.width

    @property
    def rows(self) -> int:
        """How many there are."""
        return self.path.stat().st_size // self._bytes

    def between(self, first: int, last: int) -> Numbers:
        """A run of them."""
        numbers = (last - first) * self.width
        found = np.fromfile(self.path, self.kind, numbers, offset=self._bytes * first)
        if found.size != numbers:
            raise InternalError(f"{self.path} has lost some of its rows.")
        return found.reshape(-1, self.width)

    def batches(self, first: int = 0, last: int | None = None) -> Iterator[Numbers]:
        """All of them or a run, some at a time."""
        last = self.rows if last is None else last
        for begin in range(first, last, BATCH):
            yield self.between(begin, min(begin + BATCH, last))

    def sorted_into(
        self, path: Path, sizes: Sequence[int], part_of: Callable[[Any], NDArray[np.int32]]
    ) -> RowFile:
        """A file in which parts of these sizes stand one behind the other."""
        free = np.cumsum([0, *sizes[:-1]]).astype(np.int64)
        with path.open("wb", buffering=0) as handle:
            for batch in self.batches():
                for number, rows in parts_among(part_of(batch)):
                    handle.seek(self._bytes * int(free[number]))
                    put_rows(batch[rows], handle)
                    free[number] += rows.size
        return RowFile(path, self.width, self.kind)


def parts_among(part: NDArray[np.int32]) -> Iterator[tuple[int, NDArray[np.int32]]]:
    """For each part that some rows say they are in: its number, and which rows those are.

    Those that say a number below 0 are in none.
    """
    rows = np.flatnonzero(part >= 0).astype(np.int32)
    starts = count_starts(part[rows], int(part.max(initial=-1)) + 1)
    order = sort_by_group(rows, part, starts)
    for number in np.flatnonzero(np.diff(starts)).tolist():
        yield number, order[starts[number] : starts[number + 1]]
