"""Rows that are elsewhere, and all that must be done where they are."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonagram.columns.recoding import codes_among
from anonagram.errors import CannotAnonymize, InputError
from anonagram.partition.blocks import Blocks, LeafCounts, LeavesFound, Secrets
from anonagram.partition.cuts import Cuts
from anonagram.partition.equal_rows import Contents
from anonagram.partition.sampling import Draw
from anonagram.release.sheet import Part

MOST_VALUES = 1 << 22
"""Different values of a column that whoever plans can hold."""
Done = TypeVar("Done")
Codes = NDArray[np.int32]
"""Rows of codes, in the order of columns."""


@dataclass(frozen=True)
class ValueCodes:
    """What the values of a column, as they are read, are as codes."""

    values: pl.Series
    """Different values, none of them missing."""
    codes: NDArray[np.int32]
    """The code of each, and behind the last that of a missing one."""

    def of(self, values: pl.Series) -> NDArray[np.int32]:
        """The codes of some values."""
        places = codes_among(self.values, values.cast(self.values.dtype), len(self.values))
        return self.codes[places]


class Rows(ABC):
    """A table as it is read."""

    label: str
    """How messages call it."""
    is_text: bool
    """Whether types are still to be found."""
    names: Sequence[str]

    @abstractmethod
    def count_values(self, names: Sequence[str]) -> Mapping[str, pl.DataFrame]:
        """The different values of columns, and how often each occurs: columns value and count.

        A column with too many is refused (`refuse_many`).
        """

    @abstractmethod
    def look_through(
        self, columns: Mapping[str, ValueCodes], do: Callable[[Iterator[Codes]], Done]
    ) -> list[Done]:
        """Do something with all rows as codes, which come one batch after the other.

        Where rows are in several places, each has its own, and what is found there comes here.
        """

    @abstractmethod
    def drafted(self, names: Sequence[str], scratch: Path) -> DraftedRows:
        """All rows of some columns, read once; `scratch` is a folder for what is kept.

        A column with too many values is refused.
        """


class DraftedRows(ABC):
    """A table that was read, and is not told yet which codes its values have."""

    counted: Mapping[str, pl.DataFrame]
    """What `count_values` gives."""

    @abstractmethod
    def coded(self, columns: Mapping[str, ValueCodes]) -> CodedRows:
        """The rows as codes, in the order in which columns were read."""


class CodedRows(ABC):
    """A table as codes."""

    @abstractmethod
    def draw(self, which: Draw) -> Contents:
        """What is kept of the rows that are drawn."""

    @abstractmethod
    def count(
        self, cuts: Cuts, proven: Sequence[int], secrets: Secrets
    ) -> tuple[LeafCounts, tuple[int, int]]:
        """How often values of some columns occur in each leaf, and the sums of all rows' hashes."""

    @abstractmethod
    def work(self, blocks: Blocks, do: Callable[[int, NDArray[np.int32]], Done]) -> list[Done]:
        """Do something with every block, wherever its rows are; a block comes with all of its rows.

        It may be done more than once, where a machine is lost: the last time counts.
        """

    @abstractmethod
    def count_equal(self, part: Part, files: Sequence[Path]) -> pl.DataFrame:
        """How often so many rows of a table in files are equal: columns rows and times."""

    @abstractmethod
    def each(self, items: Sequence[Any], do: Callable[[Any], Done]) -> list[Done]:
        """Do something with each of a few items, where the blocks were worked on."""


def coded_batches(
    batches: Iterable[pl.DataFrame], columns: Mapping[str, ValueCodes]
) -> Iterator[Codes]:
    """Rows as they are read, as codes."""
    for batch in batches:
        yield np.stack([each.of(plain(batch[name])) for name, each in columns.items()], axis=1)


def count_leaves(
    batches: Iterable[tuple[Codes, NDArray[np.uint64]]], cuts: Cuts, proven: Sequence[int]
) -> LeavesFound:
    """The leaves of rows that come with the hashes they need; without these, rows are left out.

    What was found so far is added up when it grows.
    """
    found: list[LeavesFound] = []
    for codes, hashes in batches:
        leaves = cuts.find(codes, hashes)
        if (is_known := leaves >= 0).all():
            found.append(LeavesFound.of(codes, leaves, proven))
        else:
            found.append(LeavesFound.of(codes[is_known], leaves[is_known], proven))
        if sum(each.size for each in found) > MOST_VALUES:
            found = [LeavesFound.together(found)]
    return LeavesFound.together(found)


def refuse_many(name: str, label: str) -> CannotAnonymize:
    """The error for a column with too many values to plan with."""
    return CannotAnonymize(
        f"{label}: column {name!r} has more than {MOST_VALUES:,} different values, more than are held "
        "in one place.",
        'round it before, or give it the role "drop" or "identifier".',
    )


def require_some(rows: int, label: str) -> None:
    """Refuse a table without rows."""
    if not rows:
        raise InputError(f"{label} has no rows.", "give a table with a header and rows.")


def plain(values: pl.Series) -> pl.Series:
    """Values as they are encoded: one zero, no number that is none, and texts for categories."""
    if values.dtype.is_float():
        values = values.fill_nan(None)
        return values.set((values == 0).fill_null(False), 0.0)
    is_category = isinstance(values.dtype, pl.Categorical | pl.Enum)
    return values.cast(pl.String) if is_category else values
