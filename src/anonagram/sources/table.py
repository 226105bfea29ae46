"""What a source hands over."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl


@dataclass(frozen=True)
class Table:
    """Rows as read, with a name for messages."""

    frame: pl.DataFrame
    label: str
    """How messages call it: the file's name, or 'the data frame'."""
    is_text: bool = False
    """Every column is text whose type is still to be found (CSV)."""
