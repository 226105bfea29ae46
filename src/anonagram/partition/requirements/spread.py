"""(k,e)-anonymity: at least k different numbers in a group, and they reach over e."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonagram.calls import AtLeast
from anonagram.columns.places import is_measured
from anonagram.columns.spans import has_spans, span_text, ticks_for, to_ticks
from anonagram.errors import CannotAnonymize
from anonagram.kernels.needs import Spread as SpreadNeed
from anonagram.kernels.sweep import find_reach
from anonagram.microdata import Column, Microdata
from anonagram.partition.requirements.requirement import Counted, Requirement
from anonagram.shown.wording import how_many

LARGEST_SPAN = 2**62


@dataclass(frozen=True, repr=False)
class Spread(Requirement, call="spread", example="spread(k=4, e=100)"):
    """Every group has k different values of each sensitive column, and they reach over e.

    Zhang (2007). e is in the column's own unit; a dictionary gives every column one of its own.
    Missing values count for nothing.

    >>> Spread(k=4, e=100)
    spread(k=4, e=100)
    """

    k: Annotated[int, AtLeast(1)]
    e: float | dict[str, float]
    makes = "(k,e)"

    @property
    def least(self) -> int:
        """As many different values need as many rows."""
        return self.k

    def of(self, column: Column) -> float:
        """The range that a column needs, in its unit."""
        return self.e[column.name] if isinstance(self.e, dict) else self.e

    def require_possible(self, microdata: Microdata) -> None:
        """Refuse when the table has too few values for k, or they lie too close for e."""
        sensitive = microdata.with_role("sensitive")
        if not sensitive:
            raise CannotAnonymize(
                "(k,e)-anonymity is about sensitive columns; the schema has none.",
                'give a column of numbers the role "sensitive".',
            )
        for column in sensitive:
            require_spread(column, self.k, self.of(column))

    def reach(self, column: Column) -> NDArray[np.int32]:
        """For each value the first such that a group with both can have k values and reach e."""
        needed = ticks_for(self.of(column), column.domain.dtype)
        reach: NDArray[np.int32] = find_reach(ticks_of(column), self.k, needed)
        return reach

    def needs(self, columns: Sequence[Column]) -> SpreadNeed:
        """The reach of every value, column behind column."""
        reach = [self.reach(column) for column in columns]
        offset = np.cumsum([0, *(each.size for each in reach)])
        return SpreadNeed(self.k, np.concatenate(reach), offset)

    def is_met(self, needs: SpreadNeed, rows: int, counted: Sequence[Counted]) -> bool:  # noqa: ARG002
        """K values of each column, the highest of which is within reach of the lowest."""
        for column, each in enumerate(counted):
            reach = needs.reach[needs.offset[column] : needs.offset[column + 1]]
            codes = each.codes[each.codes < reach.size]  # a missing value counts for nothing
            if codes.size < self.k or reach[codes.min()] > codes.max():
                return False
        return True


def require_spread(column: Column, k: int, e: float) -> None:
    """Refuse when the whole column has too few values for k, or they lie too close for e."""
    dtype = column.domain.dtype
    if not is_measured(column.kind) or not has_spans(dtype):
        raise CannotAnonymize(
            f"(k,e)-anonymity needs numbers, dates or durations; {column.name} is {column.kind}"
            f"{f', for example {column.text(0)!r}' if len(column.domain) else ''}.",
            "anatomy(l=…) or permutation(l=…) hide values of any kind.",
        )
    if len(column.domain) < k:
        raise CannotAnonymize(
            f"{column.name} has {how_many(len(column.domain), 'different value')}; k = {k} needs {k} in "
            "every group.",
            f"k = {len(column.domain)} is the largest that works for {column.name}.",
        )
    ticks = to_ticks(column.domain)
    whole = ticks[-1] - ticks[0]
    if whole < ticks_for(e, dtype):
        span = span_text(whole, dtype)
        raise CannotAnonymize(
            f"The values of {column.name} lie within {span} of each other, from {column.text(0)} to "
            f"{column.text(len(column.domain) - 1)}; e = {e!r} needs more.",
            f"e = {span.split()[0]} is the largest that works for {column.name}.",
        )


def ticks_of(column: Column) -> NDArray[Any]:
    """A column's different values for computing with distances: ticks above the lowest, or floats."""
    ticks = to_ticks(column.domain)
    if ticks.dtype == pl.Float64:
        return ticks.to_numpy()
    if ticks[-1] - ticks[0] > LARGEST_SPAN:
        raise CannotAnonymize(
            f"The values of {column.name} are more than 2^62 steps apart.",
            "round them to fewer digits.",
        )
    above = pl.select(pl.lit(ticks) - pl.lit(ticks).first()).to_series()
    return above.cast(pl.Int64).to_numpy()
