"""What a source hands over."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import polars as pl

from anonagram.errors import InputError


@dataclass(frozen=True)
class About:
    """What a file itself tells about a column."""

    label: str | None = None
    """What the column is about."""
    labels: Mapping[str, str] | None = None
    """What its codes mean."""
    missing: tuple[str, ...] = ()
    """Codes that stand for a missing answer."""


@dataclass(frozen=True)
class Table:
    """Rows as read, with a name for messages."""

    frame: pl.DataFrame
    label: str
    """How messages call it: the file's name, or 'the data frame'."""
    is_text: bool = False
    """Every column is text whose type is still to be found (CSV)."""
    untyped: frozenset[str] = frozenset()
    """Columns of which this is so in a table whose others have types (SQLite)."""

    about: Mapping[str, About] = field(default_factory=dict)
    """What the file tells about columns, where it does (SPSS, Stata)."""

    is_numbered: bool = True
    """Whether rows are those of the original, so that a message can name one by its number."""

    def place(self, row: int) -> str:
        """How a message names a row."""
        return f"{self.label}, row {row + 1}" if self.is_numbered else self.label

    def is_untyped(self, name: str) -> bool:
        """Whether a column's type is still to be found."""
        return self.is_text or name in self.untyped


def refuse_repeated_names(names: Sequence[str], label: str) -> None:
    """Refuse a table in which two columns have one name."""
    for position, name in enumerate(names):
        if name in names[:position]:
            raise InputError(
                f"{label}: two columns are called {name!r} "
                f"(columns {names.index(name) + 1} and {position + 1}).",
                "rename one of them.",
            )
