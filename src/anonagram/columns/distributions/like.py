"""As another table has it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonagram.columns.distribution import Distribution, Values
from anonagram.columns.encoding import read_column
from anonagram.errors import CallError, suggest
from anonagram.schema import ColumnRule
from anonagram.sources import load


@dataclass(frozen=True, repr=False)
class Like(Distribution, call="like", example='like(file="census.csv", column="pay")'):
    """Values as probable as they are frequent in a column of another table."""

    file: str
    column: str

    def further(self, values: Values) -> pl.Series:
        """The other table's values."""
        return self._counted(values)["value"].drop_nulls()

    def masses(self, values: Values) -> NDArray[np.float64]:
        """How often each value occurs there; a missing one as often as here, where none is there."""
        known = pl.DataFrame({"value": values.domain})
        found = known.join(
            self._counted(values), on="value", how="left", nulls_equal=True, maintain_order="left"
        )
        masses = found["count"].fill_null(0).to_numpy().astype(np.float64)
        is_missing_there = values.present < len(masses) and masses[-1] > 0
        return masses if is_missing_there else values.with_missing(masses[: values.present])

    def _counted(self, values: Values) -> pl.DataFrame:
        table = load(self.file)
        if self.column not in table.frame.columns:
            raise CallError(
                f"like: {table.label} has no column {self.column!r}.",
                suggest(self.column, table.frame.columns),
            )
        order = tuple(values.texts) if values.kind == "ordinal" else None
        rule = ColumnRule("sensitive", values.kind, order=order)  # type: ignore[arg-type]
        read = read_column(table, self.column, rule)
        domain = read.domain.cast(values.domain.dtype, strict=False)
        if domain.has_nulls():
            raise CallError(
                f"like: {table.label} has values of {self.column!r} that {values.name!r} cannot have.",
                f"a column of the type {values.domain.dtype}.",
            )
        found = domain.extend_constant(None, 1).gather(read.codes)
        return pl.DataFrame({"value": found}).group_by("value").len("count")
