"""(k,e)-anonymity: at least k different numbers in every group, and they reach over e."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import polars as pl

from anonagram.calls import AtLeast, Words
from anonagram.columns.spans import has_spans, ticks_for, to_ticks
from anonagram.errors import CallError, suggest
from anonagram.kernels import goals
from anonagram.lattice.goal import Test
from anonagram.microdata import Column
from anonagram.models.model import GroupModel
from anonagram.partition.requirements.spread import Spread, require_spread
from anonagram.release import WithGroups

LARGEST = 2.0**120
"""Ticks that no whole number of a column is apart from another."""
MOST = 1e300


Span = Annotated[float, AtLeast(0, MOST)]
Spans = Span | Annotated[dict[str, Span], Words("one for each column")]
"""A range, or one for each of several columns."""


@dataclass(frozen=True, repr=False)
class KeAnonymity(GroupModel, call="ke_anonymity", example="ke_anonymity(k=4, e=100)"):
    """Every group has at least k different values and a range of at least e (Zhang 2007).

    The range is in the column's own unit: days of dates, seconds of times and durations. A
    dictionary gives every sensitive column an e of its own. Missing values count for nothing. The
    level of a group is its number of different values, 0 where its range is below e.

    >>> KeAnonymity(k=4, e=100)
    ke_anonymity(k=4, e=100)
    """

    in_words = (
        "the sensitive amounts of every group are at least {k} different ones, {e} apart or more"
    )

    k: Annotated[int, AtLeast(1)]
    e: Spans

    def by_attribute(self, names: Sequence[str]) -> dict[str, float]:
        """The range that each of these columns needs."""
        if not isinstance(self.e, dict):
            return dict.fromkeys(names, self.e)
        for name in (*self.e, *names):
            if name not in names:
                raise CallError(f"e: there is no sensitive column {name!r}.", suggest(name, names))
            if name not in self.e:
                raise CallError(
                    f"e says nothing about {name!r}.",
                    f"e={{{', '.join(f'{each!r}: …' for each in names)}}}.",
                )
        return {name: self.e[name] for name in names}

    def tests(self, sensitive: Sequence[Column]) -> list[Test]:
        """For searches, of each sensitive column."""
        needed = self.by_attribute([column.name for column in sensitive])
        tests = []
        for j, column in enumerate(sensitive):
            require_spread(column, self.k, needed[column.name])
            reach = Spread(self.k, needed[column.name]).reach(column)
            tests.append(Test(goals.SPREAD, j, self.k, grows=True, reach=reach))
        return tests

    def levels(self, release: WithGroups) -> pl.DataFrame:
        """Different values, and the range they reach over, by group."""
        counted = release.promised_counts()
        needed = self.by_attribute(list(counted))
        return pl.concat(
            self._levels(name, counts, needed[name]) for name, counts in counted.items()
        )

    def _levels(self, attribute: str, counts: pl.DataFrame, e: float) -> pl.DataFrame:
        dtype = counts.schema["value"]
        if not has_spans(dtype):
            raise CallError(
                f"{self.call} is about numbers, dates and durations; {attribute} holds {dtype}.",
                "l_diversity(l=…) is about values of any kind.",
            )
        ticks: Any = pl.col("value")
        groups = (
            counts.with_columns(to_ticks(counts["value"]).alias("value"))
            .group_by("group")
            .agg(
                rows=pl.col("count").sum(),
                different=ticks.drop_nulls().n_unique(),
                range=(ticks.max() - ticks.min()).fill_null(0),
            )
        )
        needed = ticks_for(e, dtype)
        reaches = pl.lit(False)
        if needed < LARGEST:
            reaches = pl.col("range") >= pl.lit(needed, groups.schema["range"])
        level = pl.when(reaches).then(pl.col("different")).otherwise(0).cast(pl.Float64)
        return groups.select(
            "group",
            pl.lit(attribute).alias("attribute"),
            "rows",
            level.alias("level"),
            (pl.col("range").cast(pl.Float64) / ticks_for(1, dtype)).alias("range"),
            ((level >= self.k) & reaches).alias("holds"),
        )
