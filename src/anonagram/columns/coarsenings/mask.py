"""Texts of which only the beginning (or the end) is published."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

import polars as pl

from anonagram.calls import Between, Fits
from anonagram.columns.coarsening import Coarsening, texts
from anonagram.columns.hierarchy import Hierarchy
from anonagram.shown.wording import how_many

LONGEST = 256


@dataclass(frozen=True, repr=False)
class Mask(Coarsening, call="mask", example="mask(keep=3)"):
    """The first characters, and one symbol for all others, which does not tell how many they are.

    >>> Mask(keep=3).coarser(pl.Series(["02139", "021", "9"]), None).to_list()
    ['021*', '021*', '9***']
    >>> Mask(keep=2, side="left").coarser(pl.Series(["02139"]), None).to_list()
    ['*39']
    """

    keep: Annotated[int, Between(0, LONGEST)]
    side: Literal["left", "right"] = "right"
    """Which side is hidden."""
    symbol: Annotated[str, Fits(lambda text: len(text) == 1, "one character")] = "*"

    def coarser(self, values: pl.Series, hierarchy: Hierarchy | None) -> pl.Series:  # noqa: ARG002
        """What is left of each text."""
        written = texts(values)
        if self.side == "right":
            return written.str.pad_end(self.keep, self.symbol).str.head(self.keep) + self.symbol
        return self.symbol + written.str.pad_start(self.keep, self.symbol).str.tail(self.keep)

    def told(self) -> str:
        """What is left."""
        return f"only the {'first' if self.side == 'right' else 'last'} {how_many(self.keep, 'character')}"
