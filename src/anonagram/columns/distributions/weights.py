"""What each value weighs, one by one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonagram.calls import NotEmpty, require
from anonagram.columns.distribution import Distribution, Values
from anonagram.columns.encoding import as_type
from anonagram.columns.hierarchy import value_texts
from anonagram.columns.places import is_measured


@dataclass(frozen=True, repr=False)
class Weights(Distribution, call="weights", example='weights(of={"30": 1, "40": 2})'):
    """Whole numbers that say how probable values are, compared with each other.

    Values that nobody in the table has may be among them. Missing ones weigh as much as they are
    frequent.
    """

    of: Annotated[Mapping[str, float], NotEmpty()]

    def __post_init__(self) -> None:
        super().__post_init__()
        for value, weight in self.of.items():
            require(
                weight >= 0 and float(weight).is_integer(),
                f"weights: {value!r} weighs {weight!r}, which is no whole number.",
                "whole numbers from 0 on, such as 1 and 3 for a quarter and three quarters.",
            )
        require(any(self.of.values()), "weights: no value weighs anything.", self.example)

    def further(self, values: Values) -> pl.Series | None:
        """The values that are named, where they have a place among numbers, dates or times."""
        texts = pl.Series(list(self.of), dtype=pl.String)
        unknown = texts.filter(~texts.is_in(values.texts))
        if unknown.is_empty():
            return None
        dtype = values.domain.dtype
        read = as_type(unknown, dtype) if is_measured(values.kind) else None
        wrong = unknown if read is None else unknown.filter(read.is_null())
        require(
            wrong.is_empty(),
            f"weights: {wrong[0] if len(wrong) else ''!r} is no value of {values.name!r}.",
            f"values as the table has them, such as {next(iter(values.texts), '')!r}.",
        )
        return read

    def masses(self, values: Values) -> NDArray[np.float64]:
        """The weight of each value; 0 where none is given."""
        weights = {_written(text, values): weight for text, weight in self.of.items()}
        masses = [float(weights.get(text, 0)) for text in values.texts]
        return values.with_missing(np.array(masses))


def _written(text: str, values: Values) -> str:
    """A value as the table writes it: 30.0 where its numbers have a point."""
    if not is_measured(values.kind):
        return text
    read = as_type(pl.Series([text]), values.domain.dtype)
    return text if read.has_nulls() else value_texts(read)[0]
