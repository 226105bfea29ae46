"""Data swapping: some rows exchange their values, whatever the values are."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated

import numpy as np
import polars as pl

from anonagram.calls import Between, Words, require
from anonagram.columns.ranks import Codes
from anonagram.errors import SchemaError, suggest
from anonagram.kernels.permute import count_starts, sort_by_group
from anonagram.kernels.swap import swap_pairs
from anonagram.key import Key
from anonagram.methods.masking import Columns, MaskingMethod
from anonagram.microdata import Column, Microdata
from anonagram.release import Masking
from anonagram.runtime.threads import in_threads


@dataclass(frozen=True, repr=False)
class DataSwapping(MaskingMethod, call="data_swapping", example="data_swapping(share=0.5)"):
    """In each column by itself, a random share of the rows exchange their values in pairs.

    After Dalenius and Reiss (1982). Every column keeps all its values; what is not swapped stays
    true. Within columns that are named, only rows that agree on them exchange values, so that the
    other columns' distributions stay exact in each of their classes.

    >>> DataSwapping(share=0.3, within=["region"])
    data_swapping(share=0.3, within=['region'], columns="quasi")
    """

    share: Annotated[float, Between(0, 1)] = 0.5
    """Which part of the rows takes part, from 0 to 1."""
    within: Annotated[list[str], Words("a list of columns")] = field(default_factory=list)
    """Columns, themselves not swapped, on which both rows of a pair agree."""
    columns: Columns = "quasi"
    """Which columns: quasi, sensitive, both, or a list of names."""
    strength = "share"
    strengths = (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1.0)

    def masking(self, column: Column) -> Masking:  # noqa: ARG002
        """Which share of the values took no part."""
        return Masking(self.how, kept=1 - self.share)

    def chosen(self, microdata: Microdata) -> list[Column]:
        """The columns to mask: not those within which values are exchanged."""
        names = [column.name for column in microdata.columns]
        for name in self.within:
            if name not in names:
                raise SchemaError(
                    f"There is no column {name!r} to swap within.", suggest(name, names)
                )
        found = [c for c in super().chosen(microdata) if c.name not in self.within]
        require(bool(found), f"{self!r} leaves no column to swap.", "name others within.")
        return found

    def mask(self, chosen: list[Column], microdata: Microdata, key: Key) -> list[pl.Series]:
        """Each column with the values of some rows exchanged."""
        class_of, classes = self._classes(microdata)
        taken = round(self.share * microdata.rows)

        def swap(column: Column) -> pl.Series:
            rows = key.permutation(f"{self!r}/{column.name!r}", microdata.rows)[:taken]
            rows = sort_by_group(rows, class_of, count_starts(class_of[rows], classes))
            swapped = np.empty_like(column.codes)
            swap_pairs(column.codes, rows, class_of, swapped)
            return column.decode(swapped)

        return in_threads(swap, [(column,) for column in chosen])

    def _classes(self, microdata: Microdata) -> tuple[Codes, int]:
        """Which rows agree on the columns within which values are exchanged."""
        if not self.within:
            return np.zeros(microdata.rows, np.int32), 1
        frame = pl.DataFrame({name: microdata.column(name).codes for name in self.within})
        number = frame.select(pl.struct(pl.all()).rank("dense").cast(pl.Int32) - 1).to_series()
        return number.to_numpy(), int(number.max()) + 1  # type: ignore[arg-type]
