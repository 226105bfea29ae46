"""The labels of a level of the column's hierarchy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import polars as pl

from anonagram.calls import AtLeast
from anonagram.columns.coarsening import Coarsening
from anonagram.columns.hierarchy import Hierarchy, value_texts
from anonagram.errors import SchemaError


@dataclass(frozen=True, repr=False)
class Level(Coarsening, call="level", example="level(number=1)"):
    """What values are called at a level of the hierarchy: ``publish = "level 2"``."""

    number: Annotated[int, AtLeast(1)]
    alone = True

    def coarser(self, values: pl.Series, hierarchy: Hierarchy | None) -> pl.Series:
        """The label of each value."""
        if hierarchy is None:
            raise SchemaError(
                f"level {self.number} of a hierarchy, and the column has none.",
                'add hierarchy = "file.csv" or a call such as "intervals(width=10)".',
            )
        if self.number > hierarchy.height:
            raise SchemaError(
                f"level {self.number} of a hierarchy that has {hierarchy.height}.",
                f"take one from 1 to {hierarchy.height}.",
            )
        labels = [hierarchy.label(text, self.number) for text in value_texts(values)]
        return pl.Series(values.name, labels, dtype=pl.String)

    def told(self) -> str:
        """Which level."""
        return f"level {self.number} of a hierarchy"
