"""What a source hands over."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from anonagram.errors import InputError


@dataclass(frozen=True)
class Table:
    """Rows as read, with a name for messages."""

    frame: pl.DataFrame
    label: str
    """How messages call it: the file's name, or 'the data frame'."""
    is_text: bool = False
    """Every column is text whose type is still to be found (CSV)."""


def refuse_repeated_names(names: Sequence[str], label: str) -> None:
    """Refuse a table in which two columns have one name."""
    for position, name in enumerate(names):
        if name in names[:position]:
            raise InputError(
                f"{label}: two columns are called {name!r} "
                f"(columns {names.index(name) + 1} and {position + 1}).",
                "rename one of them.",
            )
